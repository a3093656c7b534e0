import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { evaluate } from "../../dpviz/scripts/arithmetic.js";

const cases = new URL("../support/answers.json", import.meta.url);

test("the browser reads answers as the server does", () => {
  const known = JSON.parse(readFileSync(cases, "utf-8")).filter(([, unit]) => !unit);
  assert(known.length > 60);
  for (const [text, , value] of known) {
    const read = evaluate(text);
    if (value === null) assert.deepEqual(read, NaN, text);
    else assert(Math.abs(read - value) <= 1e-12 * Math.abs(value), `${text}: ${read}`);
  }
});

test("a text too long to be an answer is none, and brackets within brackets have an end", () => {
  for (const text of ["(".repeat(59) + "1", "-".repeat(59), "1+".repeat(30_000) + "1", "9^9^9^9", ""])
    assert.deepEqual(evaluate(text), NaN);
});
