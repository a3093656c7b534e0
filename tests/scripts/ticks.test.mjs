import assert from "node:assert/strict";
import { test } from "node:test";

import { ticks, written } from "../../dpviz/serve/rooms/files/ticks.js";

const mantissa = (value) => Number(value.toExponential().split("e")[0]);

test("the axis of a vote has round numbers within its ends", () => {
  for (const [low, high] of [[0.25, 12], [1, 1e6], [1e-10, 1], [61, 76], [0.6, 0.8]]) {
    for (const log of [true, false]) {
      const found = ticks(low, high, log);
      assert.ok(found.length >= 2 && found.length <= 12, `${low} ${high} ${log}: ${found}`);
      const hair = log ? low * 1e-9 : (high - low) * 1e-9;
      assert.ok(found.every((value) => value >= low - hair && value <= high + hair));
      assert.ok(found.every((value) => String(mantissa(value)).replace(".", "").length <= 3));
    }
  }
  assert.deepEqual(ticks(0.25, 12, true), [0.5, 1, 2, 5, 10]);
});

test("numbers are written as they are read", () => {
  assert.equal(written(12000), "12,000");
  assert.equal(written(0.05), "0.05");
  assert.equal(written(1e-10), "10⁻¹⁰");
  assert.equal(written(5e8), "5 × 10⁸");
});
