import assert from "node:assert/strict";
import { test } from "node:test";

import { at, panelsOf } from "../../dpviz/scripts/readout.js";

const SCALES = { x: [0, 10, 50, 550, 0], y: [0, 4, 320, 20, 0] };
const curve = (places, titles, more = {}) => ({
  axes: ["x", "y"],
  way: "line",
  color: "",
  places,
  said: titles.map((title) => `at ${title}`),
  at: titles,
  ...more,
});
const panel = (readings, ratio = 1) => panelsOf({ readings, scales: SCALES }, ratio)[0];

test("places are in the pixels of a wider place, and what says nothing is left out", () => {
  const one = curve([[500, 3200], [1000, 1000], [5500, 200]], ["0", "1", "10"]);
  one.said[1] = null;
  const { x, y, together, stops } = panel([one], 2);
  assert.deepEqual([x, y], [{ start: 100, length: 1000 }, { start: 20, length: 300 }]);
  assert.deepEqual(together[0].x, [100, 1100]);
  assert.deepEqual(together[0].at, ["0", "10"]);
  assert.deepEqual(stops.map((stop) => stop.x), [100, 1100]);
});

test("keys stop in the middle of a bar, not of one beyond the axes", () => {
  const bar = { axes: ["x", "y"], way: "", color: "", places: [[-9000, 3200, -8800, 3200], [500, 3200, 700, 1000]], said: ["0", "3"] };
  const [{ x, y, rows }] = panel([bar]).stops; // the first that is seen
  assert.deepEqual([x, y, rows[0].words], [60, 210, "3"]);
});

test("below a title stands only what is at its x, however near the others are", () => {
  const long = curve([[500, 3200], [5000, 1000]], ["0", "1000"]);
  const same = curve([[500, 3100], [5000, 900]], ["0", "1000"]);
  const beside = curve([[500, 3000], [5005, 800]], ["0", "1001"]);
  const { title, rows } = at(panel([long, same, beside]), 499, null);
  assert.equal(title, "1000");
  assert.deepEqual(rows.map(({ words }) => words), ["at 1000", "at 1000"]);
});
