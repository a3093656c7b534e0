import assert from "node:assert/strict";
import { test } from "node:test";

import { number } from "../../dpviz/scripts/curve.js";

test("a value of a curve is read as a typed answer is", () => {
  const read = { "0.022": 0.022, "0,511": 0.511, "2,390": 2390, "1e-3": 0.001, "−2": -2, " 1,5 ": 1.5 };
  for (const [text, value] of Object.entries(read)) assert.equal(number(text), value);
  for (const text of ["", "abc", "1,2,3", "1/2"]) assert.ok(Number.isNaN(number(text)), text);
});
