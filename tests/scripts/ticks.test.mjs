import assert from "node:assert/strict";
import { test } from "node:test";

import { around, ends, near, ticks, written } from "../../dpviz/serve/rooms/files/ticks.js";

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

test("an axis of free numbers holds all of them, and equal ones do not fill it", () => {
  for (const known of [[75, 75], [74.99, 75], [-3, -3], [0, 0], [1, 5, 80], [-2, 2]]) {
    const [low, high] = around(known);
    assert.ok(low < known[0] && high > known.at(-1), `${known}: ${low} ${high}`);
    const size = Math.max(...known.map(Math.abs));
    assert.ok(high - low >= size / 2 && high - low <= 3 * (known.at(-1) - known[0]) + size + 2);
  }
  assert.deepEqual(around([]), [0, 1]);
});

test("whole answers have whole numbers below them, and equal ones an axis around them", () => {
  for (const known of [[3, 3, 3, 3, 3], [0, 1, 1], [5], [-2, 4], [1000, 1000]]) {
    const [low, high] = around(known);
    const found = ticks(low, high, false, true);
    assert.ok(found.length >= 2 && found.every(Number.isInteger), `${known}: ${found}`);
    assert.ok(low < known[0] && high > known.at(-1));
  }
  assert.ok(ticks(1, 9, true, true).every(Number.isInteger));
});

test("five equal answers of a slider do not shrink its axis to two of its steps", () => {
  const grid = Array.from({ length: 51 }, (_, place) => 50 + place);
  for (const said of [50, 53, 75, 99, 100]) {
    const [low, high] = ends(grid, Array(5).fill(said));
    assert.ok(low <= said && said <= high && high - low >= 17, `${said}: ${low} ${high}`);
  }
  assert.deepEqual(ends(grid, []), [50, 100]);
  assert.deepEqual(ends(grid, [50, 100]), [50, 100]);
  assert.deepEqual(ends([1, 10, 100], [0.5, 300]), [0.5, 300]);
});

test("numbers are written as they are read", () => {
  assert.equal(written(12000), "12,000");
  assert.equal(written(0.05), "0.05");
  assert.equal(written(1e-10), "10⁻¹⁰");
  assert.equal(written(5e8), "5 × 10⁸");
});

test("one answer, however far, leaves the others where they stood", () => {
  const honest = Array.from({ length: 30 }, (_, n) => 20 + (n % 7)).sort((a, b) => a - b);
  assert.deepEqual(near(honest), honest);
  for (const far of [1e12, -1e12, 1e300, -1.7e308, 1.7e308]) {
    const kept = near([...honest, far].sort((a, b) => a - b));
    assert.deepEqual(kept, honest);
    assert.ok(around(kept).every(Number.isFinite));
  }
  assert.deepEqual(near([5, 5, 5, 1e9]), [5, 5, 5]);
  assert.deepEqual(near([1e-9, 2e-9, 3e-9, 4e-9]), [1e-9, 2e-9, 3e-9, 4e-9]);
  assert.deepEqual(near([]), []);
});
