import assert from "node:assert/strict";
import { test } from "node:test";

import { axisOf } from "../../dpviz/scripts/drawing.js";

test("an axis leads from values to pixels of a wider place and back", () => {
  const axis = axisOf([0, 10, 50, 550, 0], 2);
  assert.deepEqual([axis.offset, axis.length, axis.range], [100, 1000, [0, 10]]);
  assert.deepEqual([0, 5, 10].map(axis.d2p), [0, 500, 1000]);
  assert.equal(axis.p2d(250), 2.5);
});

test("a logarithmic axis that runs upwards does so, too", () => {
  const axis = axisOf([0, 2, 320, 20, 1], 1);
  assert.deepEqual([axis.offset, axis.length], [20, 300]);
  assert.deepEqual([1, 10, 100].map(axis.d2p), [300, 150, 0]);
  assert.ok(Math.abs(axis.p2d(150) - 10) < 1e-12);
});
