// @ts-check
// Numbers as students write them, small expressions included: "2 ln 9", "50%", "113 000", "12k". It
// reads what dpviz/scene/arithmetic.py does, which says why no library does.

import { LONGEST, readNumber } from "./numbers.js";

const LONGEST_EXPRESSION = 60; // characters, each of which may open a bracket
const BEFORE = /^(?:(?:about|approx(?:imately)?\.?|circa|ca\.?|roughly)\s|\p{L}{1,10}\s*=|[=≈~∼≃≅])/u;
const NUMBER = String.raw`[1-9]\d{0,2}(?:[\s'’]\d{3})+(?![\d.])|\d[\d.,]*(?:[eE][-+−]?\d+)?|\.\d+`;
const PART = new RegExp(
  String.raw`\s*(?:(${NUMBER})([kKM](?![A-Za-z]))?|([lL]og(?:_?(?:10|2)(?![\d.,])|₁₀|₂)|per\s?cent|[A-Za-z]+)|` +
    String.raw`([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|(\*\*|[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞√π%‰+\-−–*·⋅×/÷:^()]))`,
  "y",
);
const SPELLED = { "−": "-", "–": "-", "**": "^", "·": "*", "⋅": "*", "×": "*", "÷": "/", ":": "/" };
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻";
const TIMES = { k: 1e3, K: 1e3, M: 1e6, thousand: 1e3, million: 1e6, billion: 1e9 };
const PARTS_OF_ONE = { "%": 1e2, "‰": 1e3 };
const FRACTIONS = {
  "½": 1 / 2, "⅓": 1 / 3, "⅔": 2 / 3, "¼": 1 / 4, "¾": 3 / 4, "⅕": 1 / 5, "⅖": 2 / 5, "⅗": 3 / 5,
  "⅘": 4 / 5, "⅙": 1 / 6, "⅚": 5 / 6, "⅛": 1 / 8, "⅜": 3 / 8, "⅝": 5 / 8, "⅞": 7 / 8,
};
const CONSTANTS = { e: Math.E, pi: Math.PI, π: Math.PI };
const FUNCTIONS = { ln: Math.log, log: Math.log, sqrt: Math.sqrt, "√": Math.sqrt, exp: Math.exp };
for (const name of ["log10", "log_10", "log₁₀", "lg"]) FUNCTIONS[name] = Math.log10;
for (const name of ["log2", "log_2", "log₂"]) FUNCTIONS[name] = Math.log2;

/**
 * Return what a number or an expression stands for, NaN where it stands for none, or for two.
 * @param {string} text
 * @returns {number}
 */
export function evaluate(text) {
  if (text.length > LONGEST) return NaN;
  const bare = text.trim().replace(BEFORE, "").trim();
  const number = readNumber(bare, { comma: true });
  if (!Number.isNaN(number)) return Number.isFinite(number) ? number : NaN;
  try {
    const value = new Reader(bare).whole();
    return Number.isFinite(value) ? value : NaN;
  } catch (error) {
    if (error instanceof Unreadable) return NaN;
    throw error;
  }
}

class Unreadable extends Error {}

const has = (names, name) => Object.hasOwn(names, name);

class Reader {
  constructor(text) {
    this.parts = [];
    this.at = 0;
    this.open = false; // whether a power or a function without brackets could take more in
    let end = 0;
    while (end < text.length && text.length <= LONGEST_EXPRESSION) {
      PART.lastIndex = end;
      const part = PART.exec(text);
      if (!part) break;
      end = PART.lastIndex;
      this.keep(part);
    }
    if (!text || end < text.length) throw new Unreadable();
  }

  /** @param {string[]} part */
  keep([, number, times, word, raised, other]) {
    const last = this.parts.at(-1) ?? "";
    const low = word?.toLowerCase();
    if (number) this.parts.push(number, ...(times ? [times] : []));
    else if (low?.startsWith("per")) this.parts.push("%");
    else if (low) this.parts.push(low === "x" && /^\d|^\)$/.test(last) ? "*" : low);
    else this.parts.push(other ? (SPELLED[other] ?? other) : raised);
  }

  get next() {
    return this.parts[this.at] ?? "";
  }

  takes(names) {
    return has(names, this.next) ? this.parts[this.at++] : "";
  }

  whole() {
    const value = this.sum();
    if (this.next) throw new Unreadable();
    return value;
  }

  sum() {
    let value = this.product();
    for (let sign; (sign = this.takes({ "+": 1, "-": 1 })); )
      value += (sign === "+" ? 1 : -1) * this.product();
    return value;
  }

  product() {
    let value = this.signed();
    for (let sign = ""; ; ) {
      const endsOpenly = sign === "/" || this.open;
      sign = this.takes({ "*": 1, "/": 1 });
      if (sign === "*") value *= this.signed();
      else if (sign === "/") {
        const divisor = this.signed();
        if (divisor === 0) throw new Unreadable();
        value /= divisor;
      } else if (!this.beginsFactor()) return value;
      else if (endsOpenly) throw new Unreadable();
      else value *= this.power();
    }
  }

  beginsFactor() {
    if (has(CONSTANTS, this.next)) return !has(CONSTANTS, this.parts[this.at - 1]);
    return this.next === "(" || has(FUNCTIONS, this.next);
  }

  signed() {
    const sign = this.takes({ "+": 1, "-": 1 });
    if (sign) return sign === "-" ? -this.signed() : this.signed();
    return this.power();
  }

  power() {
    this.open = false;
    const base = this.single();
    if (this.next && RAISED.includes(this.next[0])) {
      const digits = [...this.parts[this.at++]].map((sign) => "0123456789+-"[RAISED.indexOf(sign)]);
      return finite(base ** Number(digits.join("")));
    }
    if (!this.takes({ "^": 1 })) return base;
    const bracketed = this.next === "(";
    const value = finite(base ** this.signed());
    this.open = this.open || !bracketed;
    return value;
  }

  single() {
    const part = this.parts[this.at++] ?? "";
    if (part === "(") {
      const value = this.sum();
      if (!this.takes({ ")": 1 })) throw new Unreadable();
      this.open = false;
      return value;
    }
    if (has(FUNCTIONS, part)) {
      if (this.next === "(") return finite(FUNCTIONS[part](this.single()));
      const value = finite(FUNCTIONS[part](this.power()));
      this.open = true;
      return value;
    }
    if (has(CONSTANTS, part)) return CONSTANTS[part];
    if (has(FRACTIONS, part)) return this.shared(FRACTIONS[part]);
    const value = finite(readNumber(part.replace(/[\s'’]/g, ""), { comma: true }));
    const fraction = this.takes(FRACTIONS);
    return this.shared(value + (fraction ? FRACTIONS[fraction] : 0));
  }

  shared(value) {
    let all = value;
    for (let times; (times = this.takes(TIMES)); ) all *= TIMES[times];
    const sign = this.takes(PARTS_OF_ONE);
    if (!sign) return all;
    if (this.parts[this.at - 3] === "/") throw new Unreadable();
    return all / PARTS_OF_ONE[sign];
  }
}

// Neither an overflow nor a root of a negative number.
function finite(value) {
  if (!Number.isFinite(value)) throw new Unreadable();
  return value;
}
