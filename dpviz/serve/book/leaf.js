// Lets a page of a book move. The stage and the controls are those of the app; what they ask a server
// for lies beside the page in chunks, each loaded when a control comes near it.

import { choice, seed, slider } from "./controls.js";
import { changed, differing, lineOf, loaded, mixed, playOf, unpacked } from "./held.js";
import { Grid } from "./grid.js";
import { readNumber, typeset } from "./numbers.js";
import { element, list } from "./component.js";
import { rename } from "./permitted.js";
import rounds from "./rounds.js";
import stage from "./stage.js";

const NEAR = "200px"; // how far out of sight a control is whose figures are loaded
const TALL = 0.5; // of a phone's height: what is higher would stay over the controls
const find = (id) => document.getElementById(id);
const { root, first, live } = document.body.dataset;

// A chunk registers what it holds under its own name: a page from disk can read no file.
async function chunk(name) {
  await loaded(`${root}held/${name}.js`);
  return JSON.parse(await unpacked(window.dpvizHeld[name]));
}

const nameOf = (state) =>
  Object.keys(state)
    .sort()
    .map((key) => `${key}=${state[key]}`)
    .join("&");

class Leaf {
  constructor(page) {
    this.page = page;
    this.state = {}; // controls that are not where the page has them, and their values
    this.last = ""; // the control that moved last
    this.numbers = {}; // of the last values taken from range controls
    this.notes = {}; // what is said of a typed value
    this.missed = ""; // what of an address is not in this book
    this.asking = Boolean(page.masked);
    this.said = ""; // the answers in the rounds of a game, a letter each
    this.guess = null; // what the reader predicted, "" for nothing, null before it is revealed
    this.chunkOf = new Map(); // state -> the chunk that has its figures
    this.loading = new Map();
    for (const { name, states } of page.chunks)
      for (const state of states) this.chunkOf.set(state, name);
    this.bring = async (address) => {
      const line = await this.figure(new URLSearchParams(address.split("?")[1]));
      return new Response(`${JSON.stringify(line)}\n`);
    };
    document.addEventListener("dpviz-move", ({ detail }) => (this.last = detail.key));
    document.addEventListener("dpviz-notes", ({ detail }) => list(find("known"), detail));
    document.addEventListener("dpviz-odds", ({ detail }) => {
      for (const place of document.querySelectorAll(".odds")) place.textContent = detail;
    });
    find("reveal").onclick = () => this.reveal();
    const picture = document.querySelector(".picture");
    const tall = () => picture.classList.toggle("tall", picture.offsetHeight > TALL * innerHeight);
    new ResizeObserver(tall).observe(picture);
    this.make();
    this.ask();
    this.follow();
    window.addEventListener("hashchange", () => this.follow());
  }

  // --- Figures --------------------------------------------------------------------------------

  has(state) {
    return !Object.keys(state).length || this.chunkOf.has(nameOf(state));
  }

  get texts() {
    return { ...this.page.query, ...this.state };
  }

  // All that the figure is of: a control may have moved others along.
  get shown() {
    return { ...this.texts, ...this.page.along[nameOf(this.state)] };
  }

  // The nearest state there is: with all that moved, or with the control alone that moved last.
  nearestState(query) {
    const moved = this.page.controls.map(({ key }) => [key, query.get(key)]);
    const state = Object.fromEntries(
      moved.filter(([key, text]) => text !== null && text !== this.page.query[key]),
    );
    if (this.has(state)) return state;
    const alone = this.last in state ? { [this.last]: state[this.last] } : {};
    return this.has(alone) ? alone : {};
  }

  async figure(query) {
    const place = { narrow: query.get("narrow") === "1", across: Number(query.get("across")) };
    const moved = nameOf(this.nearestState(query));
    if (this.said && moved === nameOf(this.state)) return this.played(place);
    const { masked, first: drawn, plays } = this.page;
    if (query.get("ask") === "1") return lineOf(changed(drawn, masked), place);
    // What is told of a prediction is about where the page opens.
    const name = this.guess === null || moved ? moved : `guess=${this.guess}`;
    const parts = name && differing(await this.held(this.chunkOf.get(name)), name);
    const figure = changed(drawn, parts);
    if (query.get("frames") !== "1") return lineOf(figure, place);
    return playOf(figure.frames ? figure : await this.held(plays), place);
  }

  // How a game stands: see games.py.
  async played(place) {
    const { said } = this;
    const { first: drawn, game } = this.page;
    const table = await this.held(game.chunks[nameOf(this.state)]);
    const outcomes = [...said].map((letter, at) => letter === table.right[at]);
    const won = (letter) =>
      outcomes.filter((right, at) => right && (!letter || table.right[at] === letter)).length;
    const wons = game.answers.map(([letter]) => won(letter)).join();
    if (said.length === game.count)
      return lineOf(changed(changed(drawn, table.end), table.over[wons]), place);
    const { right, wrong, words } = table.rounds[said.length - 1];
    const both = [right, wrong].map((parts) => lineOf(changed(drawn, parts), place));
    return { ...mixed(...both, outcomes), ...words[won()][Number(outcomes.at(-1))] };
  }

  held(name) {
    if (!this.loading.has(name)) {
      const coming = chunk(name);
      coming.catch(() => this.loading.delete(name)); // asked for again
      this.loading.set(name, coming);
    }
    return this.loading.get(name);
  }

  show() {
    const { page, numbers, asking } = this;
    const data = {
      figure: `${page.slug}/${page.view}`,
      query: this.texts,
      numbers,
      look: { labels: page.labels, ask: asking ? "1" : "" },
      above: 0,
      below: 0,
      varies: [this.guess, this.said],
      token: ["x-none", ""],
    };
    const { bring } = this;
    stage({ data, parentElement: find("scene"), setTriggerValue: () => {}, bring });
    for (const control of this.controls) this.place(control);
    find("reveal").hidden = !asking;
    find("controls").hidden = asking;
    find("guess").hidden = !asking && !this.guess;
    const inSight = this.controls.filter(({ key }) => !page.more.includes(key));
    const apart = !inSight.every(({ key }) => key in this.state || this.beside(key));
    const back = apart ? "This book holds one change at a time: another control goes back." : "";
    find("hint").textContent = back;
    find("missed").textContent = this.missed;
    if (page.game) this.play();
    this.link();
  }

  // The buttons of a game, or the way to one.
  play() {
    const { game, query } = this.page;
    const [place, name] = [find("rounds"), game.chunks[nameOf(this.state)]];
    place.hidden = this.asking;
    if (!place.shadowRoot) {
      place.attachShadow({ mode: "open" }).append(find("game").content.cloneNode(true));
      const back = { type: "button", onclick: () => this.go(query) };
      const button = element("button", back, "Play where this page begins");
      place.after(element("p", {}, this.games(), button));
    }
    const root = place.shadowRoot.querySelector(".rounds");
    root.hidden = !name;
    place.nextElementSibling.hidden = this.asking || Boolean(name);
    if (this.asking || !name) return;
    this.held(name).catch(() => {}); // asked for again with the first answer
    const { count, answers } = game;
    const data = { number: this.said.length + 1, count, answers, game: nameOf(this.state) };
    rounds({ data, parentElement: root, setTriggerValue: (key, value) => this.answer(key, value) });
  }

  // Where a book has games of a view, in words.
  games() {
    const { game, query, controls } = this.page;
    const states = Object.keys(game.chunks).map((name) => new URLSearchParams(name));
    const moved = controls.filter(({ key }) => key !== game.again);
    const values = moved.map(({ key, options }) => {
      const texts = new Set([query[key], ...states.flatMap((state) => state.get(key) ?? [])]);
      if (options) return [...texts].map((text) => options[text]).join(" or ");
      return `${this.name(key)} = ${[...texts].map((text) => typeset(text)).join(" or ")}`;
    });
    return `In this book the game is played only at ${values.join(", ")}. `;
  }

  answer(key, { letter, number }) {
    if (key === "again") {
      const { again, chunks } = this.page.game;
      const names = Object.keys(chunks).filter((name) => !name || name.startsWith(`${again}=`));
      const at = names.indexOf(nameOf(this.state));
      const next = at < 0 ? nameOf(this.state) : names[(at + 1) % names.length];
      this.said = "";
      this.go({ ...this.page.query, ...Object.fromEntries(new URLSearchParams(next)) });
    } else if (number === this.said.length + 1) {
      this.said += letter;
      this.show();
    }
  }

  // Whether a control can move while the others stay where they are.
  beside(key) {
    return !Object.keys(this.state).length || this.values(key).length > 1;
  }

  // The values of a control while the others stay where they are.
  values(key) {
    const { [key]: _, ...others } = this.state;
    const about = this.page.controls.find((one) => one.key === key);
    const all = about.grid ?? about.values ?? Object.keys(about.options);
    return all.filter((text) =>
      this.has(text === this.page.query[key] ? others : { ...others, [key]: text }),
    );
  }

  place(control) {
    const { key } = control;
    const now = this.shown[key];
    const few = this.values(key);
    const own = { note: this.notes[key] ?? "" };
    // With a single value it moves by itself, and the others go back.
    if (few.length > 1) {
      own.grid = few;
      const { ticks } = this.page.controls.find((one) => one.key === key);
      const [low, high] = [Number(few[0]), Number(few.at(-1))];
      if (ticks) own.ticks = ticks.filter(([at]) => low <= at && at <= high); // as far as it goes
    }
    control.show(now, own);
  }

  // The same in the app, where there is one.
  link() {
    const place = find("live");
    if (!place) return;
    const { slug, view } = this.page;
    place.href = `${live}${slug}?${new URLSearchParams({ view, ...this.shown, ...this.wished })}`;
  }

  // --- Controls -------------------------------------------------------------------------------

  make() {
    const makers = { range: slider, choice, seed };
    this.controls = this.page.controls.map((about) => {
      const take = (text, number) => this.take(about.key, text, number);
      return makers[about.kind](about, this.page.query[about.key], take, true);
    });
    for (const { key, place } of this.controls) place.classList.add(`st-key-${key}`);
    const waits = ({ key }) => this.page.more.includes(key);
    const waiting = this.controls.filter(waits);
    find("controls").replaceChildren(
      ...this.controls.filter((one) => !waits(one)).map(({ place }) => place),
      ...(waiting.length ? [this.fold(waiting)] : []),
    );
    const near = new IntersectionObserver(
      (seen) => {
        for (const { isIntersecting, target } of seen)
          if (isIntersecting) {
            near.unobserve(target);
            this.prepare(this.controls.find(({ place }) => place === target).key);
          }
      },
      { rootMargin: NEAR },
    );
    for (const { place } of this.controls) {
      near.observe(place);
      place.addEventListener("pointerenter", () => this.prepare());
      place.addEventListener("focusin", () => this.prepare());
    }
  }

  // The controls that wait: a book has their figures only where the others are as it begins.
  fold(waiting) {
    const fold = document.createElement("details");
    const named = waiting.map(({ key }) => this.name(key)).join(", ");
    fold.innerHTML = "<summary></summary><p>Each of these moves while all others stand as this page begins.</p>";
    fold.firstChild.textContent = `${waiting.length} more: ${named}`;
    fold.append(...waiting.map(({ place }) => place));
    fold.id = "more";
    return fold;
  }

  // Load where a control can go, or, as a hand comes near, where several can.
  prepare(key) {
    const keys = this.page.controls.map((about) => about.key);
    const wanted = ({ states: [state] }) =>
      key === undefined
        ? keys.some((one) => state.startsWith(`${one}=`))
        : state.startsWith(`${key}=`) && !state.includes("&");
    const load = () => {
      for (const part of this.page.chunks) if (wanted(part)) this.held(part.name).catch(() => {});
    };
    if ("requestIdleCallback" in window) requestIdleCallback(load);
    else setTimeout(load, 300);
  }

  take(key, text, number = Date.now()) {
    const about = this.page.controls.find((one) => one.key === key);
    const plain = !about.grid || about.grid.includes(text);
    const read = plain ? NaN : readNumber(text, about);
    const unread = !plain && !Number.isFinite(read);
    const wish = unread ? this.texts[key] : plain ? text : String(read);
    const taken = about.grid ? nearest(about.grid, wish, about.log) : wish;
    const nearly = same(taken, wish) ? "" : `Not in this book; ${taken} is the nearest.`;
    const note = unread ? "That was not read as a number." : nearly;
    this.notes = note ? { [key]: note } : {};
    this.wished = same(taken, wish) ? {} : { [key]: wish };
    this.last = key;
    this.numbers = { ...this.numbers, [key]: number };
    this.go({ ...this.texts, [key]: taken });
  }

  go(texts) {
    this.missed = "";
    this.settle(texts);
    this.show();
  }

  settle(texts) {
    const before = nameOf(this.state);
    this.state = this.nearestState(new URLSearchParams(texts));
    const name = nameOf(this.state);
    if (name !== before) this.said = "";
    rename(location.pathname + (name && `#${name}`));
  }

  // An address may name a section behind its #, or a state, as links of the app do behind their ?.
  follow() {
    const query = new URLSearchParams(location.hash.slice(1) || location.search);
    const [name] = query.keys();
    const section = name && document.querySelector(`.prose [id="${CSS.escape(name)}"]`);
    if (section) {
      section.open = true;
      section.scrollIntoView();
      this.show();
      return;
    }
    const named = [...query].filter(([key]) => key in this.page.query);
    const texts = { ...this.page.query };
    for (const { key, grid, log } of this.page.controls) {
      const text = query.get(key);
      if (text === null) continue;
      texts[key] = grid ? nearest(grid, text, log) : text;
      this.last = key;
    }
    this.settle(texts);
    if (this.page.more.some((key) => key in this.state)) find("more").open = true;
    const gone = named.filter(([key, text]) => !same(this.shown[key], text));
    const words = gone.map(([key, text]) => `${this.name(key)} = ${typeset(text)}`).join(", ");
    const where = live ? " The link below leads to it in the app." : "";
    this.missed = words && `Not in this book: ${words}. This is the nearest state it has.${where}`;
    this.notes = {};
    this.wished = Object.fromEntries(gone);
    this.show();
  }

  name(key) {
    const about = this.page.controls.find((one) => one.key === key);
    return about?.symbol || about?.label || key.replaceAll("_", " ");
  }

  // --- Predictions ----------------------------------------------------------------------------

  ask() {
    const { guess } = this.page;
    if (!guess) return;
    this.predicted = "";
    const start = guess.grid?.[Math.floor(guess.grid.length / 2)] ?? "";
    const place = { range: slider, choice }[guess.kind](guess, start, (text) => {
      this.predicted = guess.grid ? nearest(guess.grid, text, guess.log) : text;
      if (guess.grid) place.show(this.predicted);
    });
    find("guess").replaceChildren(place.place);
  }

  // The reader's guess stays beside the answer, wherever a control moves then.
  kept() {
    const { grid, options } = this.page.guess;
    const guess = grid ? typeset(this.guess) : options[this.guess];
    find("guess").replaceChildren(element("p", {}, `Your prediction: ${guess}`));
  }

  reveal() {
    this.asking = false;
    this.guess = this.predicted;
    if (this.guess) this.kept();
    this.show();
    find("why").open = true;
    const headline = find("headline");
    headline.focus({ preventScroll: true });
    if (headline.getBoundingClientRect().top < 0) headline.scrollIntoView();
  }
}

// Whether two texts are of one value, such as 1e6 and 1000000.
function same(one, other) {
  return one === other || (other !== "" && Number(one) === Number(other));
}

function nearest(grid, text, log) {
  if (grid.includes(text)) return text;
  return Number.isNaN(Number(text)) ? grid[0] : grid[new Grid(grid, log).snapped(Number(text))];
}

chunk(first).then((page) => new Leaf(page));
