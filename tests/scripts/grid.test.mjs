import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Grid } from "../../dpviz/scripts/grid.js";

const APP = Object.entries(JSON.parse(readFileSync(process.env.DPVIZ_GRIDS, "utf-8")));
const UNEVEN = new Grid(["1", "2", "5", "10"], false);
const DECADES = new Grid(["1", "10", "100", "1000", "10000"], true);

for (const [key, { grid, log }] of APP)
  test(`every value of ${key} is where the slider has it`, () => {
    const made = new Grid(grid, log);
    grid.forEach((text, index) => {
      assert.equal(made.text(made.nearest(made.place(Number(text)))), text);
      assert.equal(made.snapped(Number(text)), index);
    });
    assert.equal(made.place(Number(grid[0])), 0);
    assert.equal(made.place(Number(grid.at(-1))), 1);
  });

for (const [key, { grid, log }] of APP)
  test(`keys pass every value of ${key}, and stay at its ends`, () => {
    const made = new Grid(grid, log);
    const passed = (arrow, start) => {
      const found = [start];
      while (found.length < grid.length)
        found.push(made.text(made.stepped(arrow, Number(found.at(-1)))));
      return found;
    };
    assert.deepEqual(passed("ArrowRight", grid[0]), grid);
    assert.deepEqual(passed("ArrowLeft", grid.at(-1)), [...grid].reverse());
    assert.equal(made.text(made.stepped("ArrowRight", Number(grid.at(-1)))), grid.at(-1));
    assert.equal(made.text(made.stepped("ArrowLeft", Number(grid[0]))), grid[0]);
    for (const [index, text] of grid.slice(1, -1).entries()) {
      assert.ok(made.stepped("PageUp", Number(text)) > index + 1);
      assert.ok(made.stepped("PageDown", Number(text)) < index + 1);
    }
  });

test("a place snaps to the value that is nearest to it", () => {
  for (const grid of [UNEVEN, DECADES])
    for (let place = -0.2; place <= 1.2; place += 0.01) {
      const far = grid.places.map((other) => Math.abs(other - place));
      assert.ok(far[grid.nearest(place)] <= Math.min(...far) + 1e-12);
    }
});

test("of two values as near the greater one is taken", () => {
  assert.equal(new Grid(["0", "1", "2"], false).nearest(0.25), 1);
});

test("a range of decades has its middle at the mean of exponents", () => {
  assert.deepEqual(DECADES.places, [0, 0.25, 0.5, 0.75, 1]);
  assert.deepEqual(new Grid(["0", "1", "4"], false).places, [0, 0.25, 1]);
});

test("keys lead from a value that was typed to those around it", () => {
  for (const [key, index] of [
    ["ArrowRight", 2],
    ["ArrowUp", 2],
    ["ArrowLeft", 1],
    ["ArrowDown", 1],
    ["Home", 0],
    ["End", 3],
    ["Tab", undefined],
  ])
    assert.equal(UNEVEN.stepped(key, 3), index, key);
});

test("a page is a decade, where a grid is no coarser", () => {
  const fine = Array.from({ length: 41 }, (_, step) => String(10 ** (step / 10)));
  const grid = new Grid(fine, true);
  assert.equal(grid.stepped("PageUp", 10), 20);
  assert.equal(grid.stepped("PageDown", 100), 10);
  const long = new Grid(Array.from({ length: 61 }, (_, power) => `1e${power}`), true);
  assert.equal(long.stepped("PageUp", 1e10), 16); // a tenth of sixty decades
});

test("what is dragged beyond an end stays at it", () => {
  assert.equal(UNEVEN.snapped(-5), 0);
  assert.equal(UNEVEN.snapped(50), 3);
  assert.equal(DECADES.snapped(-5), 0); // which has no logarithm
});

test("beside a value are those that a step would give", () => {
  assert.deepEqual(UNEVEN.beside("2"), ["5", "1"]);
  assert.deepEqual(UNEVEN.beside("1"), ["2"]);
  assert.deepEqual(UNEVEN.beside("10"), ["5"]);
  assert.deepEqual(UNEVEN.beside("3"), []); // typed
});
