import assert from "node:assert/strict";
import { test } from "node:test";

import { readFileSync } from "node:fs";

import { LONGEST, readNumber, typeset } from "../../dpviz/scripts/numbers.js";

const WHOLE = {
  7: "7",
  999: "999",
  1000: "1,000",
  123456: "123,456",
  1000000: "10⁶",
  12000000: "12 × 10⁶",
  12345678: "12,345,678",
  10000000000: "10¹⁰",
};
const OTHERS = {
  0.05: "0.05",
  1000: "1000",
  10000: "10⁴",
  100000: "10⁵",
  12500: "1.25 × 10⁴",
  123456: "1.23456 × 10⁵",
  1234.5: "1,234.5",
  1234567: "1,234,567",
  "1e-10": "10⁻¹⁰",
  "1.3e-7": "1.3 × 10⁻⁷",
  "1e+06": "10⁶",
  "-2.5": "−2.5",
  "2carr": "2carr",
  "": "",
};

test("whole numbers are grouped, and round ones are powers of ten", () => {
  for (const [text, said] of Object.entries(WHOLE)) assert.equal(typeset(text, true), said);
});

test("other numbers keep what else would be a decimal comma", () => {
  for (const [text, said] of Object.entries(OTHERS)) assert.equal(typeset(text, false), said);
});

const cases = new URL("../support/numbers.json", import.meta.url);

test("the browser reads numbers as the server does", () => {
  for (const [text, how, value] of JSON.parse(readFileSync(cases, "utf-8"))) {
    const expected = { null: NaN, inf: Infinity, "-inf": -Infinity }[String(value)] ?? value;
    assert.deepEqual(readNumber(text, how), expected, text);
  }
});

test("a text too long to be a number is none, before it is read", () => {
  assert.equal(readNumber("1".repeat(LONGEST)), Infinity);
  assert.equal(readNumber("1".repeat(LONGEST + 1)), NaN);
});
