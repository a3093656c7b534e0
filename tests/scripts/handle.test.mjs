import assert from "node:assert/strict";
import { test } from "node:test";

import { seen } from "../../dpviz/scripts/handle.js";

const axis = (offset, length, d2p) => ({ offset, length, d2p });
const FULL = {
  x: axis(60, 600, (value) => 100 * Math.log10(value)),
  y: axis(30, 400, (value) => 400 - value),
};

test("the handle of a point is at it", () => {
  const place = { x: 360, y: 330, top: 30, height: 400 };
  assert.deepEqual(seen(FULL, { x: 1000, y: 100 }), place);
});

test("the grip of a line is at the axis, where it is taken for no point of a curve", () => {
  assert.equal(seen(FULL, { x: 1000, line: true }).y, 421);
});

test("where points are at the axis, too, the grip of a line is where its figure says", () => {
  assert.equal(seen(FULL, { x: 1000, line: true, grip: 100 }).y, 330);
});

test("out of sight there is none", () => {
  assert.equal(seen(FULL, { x: 0.1, y: 100 }), null);
  assert.equal(seen(FULL, { x: 1e7, y: 100 }), null);
  assert.equal(seen(FULL, { x: NaN, y: 100 }), null);
  assert.equal(seen(FULL, { x: 1e6, y: 100 }).x, 660);
});
