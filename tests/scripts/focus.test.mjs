import assert from "node:assert/strict";
import { test } from "node:test";

import { nearest } from "../../dpviz/scripts/focus.js";

const NEAR = 9;
const LINE = { key: "line", way: "line", x: [0, 100, 200], y: [0, 0, 100] };
const STEPS = { key: "steps", way: "steps", x: [0, 100, 200], y: [300, 300, 400] };
const POINTS = { key: "points", way: "points", x: [0, 100], y: [500, 500] };
const GAP = { key: "gap", way: "line", x: [0, 100, 200], y: [700, NaN, 700] };
const ALL = [LINE, STEPS, POINTS, GAP];
const found = (x, y, curves = ALL) => {
  const { key, index } = nearest(curves, x, y, NEAR) ?? {};
  return key && [key, index];
};

test("a curve is found between its points, and its next point says what is known there", () => {
  assert.deepEqual(found(30, 5), ["line", 0]);
  assert.deepEqual(found(70, 5), ["line", 1]);
  assert.deepEqual(found(150, 50), ["line", 1]);
  assert.deepEqual(found(199, 99), ["line", 2]);
  assert.equal(found(150, 70), undefined);
});

test("a staircase is found on its flats and rises, with the value it keeps", () => {
  assert.deepEqual(found(199, 305), ["steps", 1]);
  assert.deepEqual(found(195, 350), ["steps", 1]);
  assert.equal(found(150, 350), undefined);
});

test("points are found where they are, and nothing between them or in a gap", () => {
  assert.deepEqual(found(98, 497), ["points", 1]);
  assert.equal(found(50, 500), undefined);
  assert.deepEqual(found(3, 703), ["gap", 0]);
  assert.equal(found(100, 700), undefined);
});

test("of several curves the next one is found", () => {
  const other = { ...LINE, key: "other", y: [6, 6, 106] };
  assert.deepEqual(found(50, 1, [other, LINE]), ["line", 0]);
  assert.deepEqual(found(50, 5, [LINE, other]), ["other", 0]);
});
