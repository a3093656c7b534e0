import assert from "node:assert/strict";
import { test } from "node:test";

import { apart, wide, within } from "../../dpviz/scripts/axes.js";

const texts = (ticks) => ticks.map(({ text }) => text);

test("ticks outside a range are left out, those at its ends stay", () => {
  const found = within([0, 10], [-1, 0, 5, 10, 10.0005, 11], ["a", "b", "c", "d", "e", "f"]);
  assert.deepEqual(texts(found), ["b", "c", "d", "e"]); // e by the slack for rounding
  assert.deepEqual(texts(within([10, 0], [-1, 5], ["a", "c"])), ["c"]); // turned round
  assert.deepEqual(within([0, 1], [0.5], [7]), [{ x: 0.5, text: "7" }]);
});

test("labels that do not fit side by side are not written so", () => {
  const ticks = [
    { at: 0, text: "0" },
    { at: 100, text: "1,000" },
    { at: 40, text: "500" },
  ];
  assert.ok(apart(ticks, 14));
  assert.ok(!apart(ticks, 30)); // the middle of "500" is 60 pixels from that of "1,000"
  assert.ok(apart([{ at: 5, text: "alone" }], 99));
});

test("a change in the width of labels is noticed, one of their digits is not", () => {
  assert.equal(wide(["0", "10", "20"]), wide(["5", "15", "25"]));
  assert.notEqual(wide(["0", "10"]), wide(["0", "100"]));
  assert.notEqual(wide(["0.5", "1"]), wide(["0.25", "1"]));
  assert.equal(wide(["−1.5"]), wide(["12.5"])); // a minus is as wide as a digit
  assert.notEqual(wide(["a", "bb"]), wide(["i", "bb"])); // letters are wide in many ways
});
