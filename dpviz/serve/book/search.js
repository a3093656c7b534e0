// Searches the index of a book as dpviz/scene/index.py searches that of the app, and shows what is found.

import { loaded, unpacked } from "./held.js";
import { element } from "./component.js";

const AMOUNT = /^\d+(?:\.\d+)*(?:e\d+)?$/;
const MANY = /^[a-z]{3,}[a-rtv-z_]s$/;
const ENDING = /(?<=[a-z]{3})(?:ings?|ed|er|est|es|e|y)$/;
const TWICE = /([bdgmnprt])\1$/;
const WORD = /\d+(?:\.\d+)+|[\p{L}\p{N}]+/gu;
const [BEGINNING, ENDS_ELSE, BEGINS, MEANING] = [3, 0.9, 0.3, 0.3];
const REASONS = ["why", "how", "when"];
const LONGEST = 100;

export class Index {
  constructor(data) {
    this.data = data;
    this.names = new Set(Object.values(data.greek));
    this.question = new Set(data.question);
    this.sorted = Object.keys(data.words).sort();
    const number = "\\d+(?:\\.\\d+)*[a-z]?\\b";
    const joint = "(?:\\s*,\\s*(?:(?:and|or|to)\\s+)?|\\s+(?:and|or|to)\\s+)";
    this.results = new RegExp(`\\b(${data.kinds})s?\\s+(${number}(?:${joint}${number})*)`, "g");
    this.number = new RegExp(number, "g");
  }

  // In small letters without accents, with Greek letters by their names.
  plain(text) {
    const small = text.normalize("NFKD").toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");
    return small
      .replaceAll("corollaries", "corollary")
      .replace(/\\(?:var)?([a-z]+)/g, (_, name) => (this.names.has(name) ? ` ${name} ` : " "))
      .replace(/[α-ω]/g, (letter) => ` ${this.data.greek[letter]} `);
  }

  tokens(text) {
    const plain = this.plain([...text].slice(0, LONGEST).join(""));
    const results = [...plain.matchAll(this.results)].flatMap(([, kind, numbers]) =>
      numbers.match(this.number).map((number) => `${kind} ${number}`),
    );
    const words = plain.replace(this.results, " ").match(WORD) ?? [];
    const called = words.flatMap((word) => (this.data.called[word] ?? word).split(" "));
    return new Set([...results, ...called]);
  }

  ordinary(word) {
    return word.length >= BEGINNING && /^\p{L}+$/u.test(word) && !this.names.has(word);
  }

  stem(word) {
    if (!this.ordinary(word)) return word;
    const bare = word.replace(ENDING, "");
    return bare === word ? word : bare.replace(TWICE, "$1");
  }

  begun(word) {
    return this.ordinary(word) ? this.sorted.filter((other) => other.startsWith(word)) : [];
  }

  found(word) {
    const one = MANY.test(word) ? word.slice(0, -1) : word;
    const weights = new Map();
    for (const longer of [...this.begun(this.stem(one)), ...this.begun(word)])
      weights.set(longer, ENDS_ELSE);
    weights.set(word, 1).set(one, 1);
    const best = new Map();
    for (const [longer, alike] of weights) {
      const [numbers, worths] = this.data.words[longer] ?? [[], []];
      numbers.forEach((number, at) =>
        best.set(number, Math.max(best.get(number) ?? 0, alike * worths[at])),
      );
    }
    return best;
  }

  // The numbers of the documents where the words of a text are found, the best first.
  search(text) {
    const words = this.tokens(text);
    let telling = [...words].filter((word) => !this.question.has(word) && !AMOUNT.test(word));
    if (!telling.length) telling = [...words];
    const found = new Map([...words].map((word) => [word, this.found(word)]));
    const counted = new Map();
    for (const word of telling)
      for (const number of found.get(word).keys())
        counted.set(number, (counted.get(number) ?? 0) + 1);
    const most = Math.max(0, ...counted.values());
    const enough = Math.max(most, Math.floor((telling.length + 1) / 2));
    let places = [...counted].filter(([, count]) => count === enough).map(([number]) => number);
    for (const word of telling)
      if (!this.ordinary(word)) places = places.filter((number) => found.get(word).has(number));
    const all = this.data.documents;
    const rare = (word) => Math.log1p(all.length / (1 + found.get(word).size));
    const why = REASONS.some((word) => words.has(word)) ? MEANING : 0;
    const worth = (number) => {
      const at = (word) => found.get(word).get(number) ?? 0;
      const [title, , , kind] = all[number];
      let total = telling.reduce((sum, word) => sum + rare(word) * at(word), 0);
      const asks = [...words].filter((word) => !telling.includes(word));
      const begins = telling.some((word) => this.plain(title).trim().startsWith(word));
      if (begins) total *= 1 + BEGINS;
      total += asks.reduce((sum, word) => sum + at(word), 0) / 10;
      return total * this.data.opens[kind] * (kind === "word" ? 1 - why : 1);
    };
    const worths = new Map(places.map((number) => [number, worth(number)]));
    places.sort((a, b) => worths.get(b) - worths.get(a) || a - b);
    return places.slice(0, this.data.most);
  }
}

export function watch(field, list, { root, search: name }) {
  let coming = null;
  const bring = () => {
    coming ??= loaded(`${root}held/${name}.js`)
      .then(() => unpacked(window.dpvizHeld[name]))
      .then((text) => new Index(JSON.parse(text)));
    return coming;
  };
  const show = async () => {
    const index = await bring();
    const text = field.value.trim();
    const places = text ? index.search(text).map((number) => index.data.documents[number]) : [];
    const nothing = text && !places.length ? [item("Nothing in this book has these words.")] : [];
    list.replaceChildren(...nothing, ...places.map((place) => item(...place, root)));
  };
  field.addEventListener("focus", bring);
  field.addEventListener("input", show);
  field.addEventListener("keydown", async ({ key }) => {
    if (key !== "Enter") return;
    await show();
    list.querySelector("a")?.click();
  });
  if (location.hash === "#search") field.focus();
  if (field.value) show();
}

function item(title, said, way, _, root) {
  const name = way ? element("a", { href: `${root}${way}` }, title) : element("span", {}, title);
  return element("li", {}, name, said ? ` · ${said}` : "");
}
