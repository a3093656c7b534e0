import assert from "node:assert/strict";
import { test } from "node:test";

import { addressOf, others } from "../../dpviz/scripts/address.js";

const PAGE = {
  figure: "/figure/promise/odds",
  look: { ask: "", guess: "3" },
  version: "abc",
  presenting: false,
  above: 0,
  below: 0,
};
const DESK = { narrow: false, width: 1400, height: 1000, room: 900 };
const query = new URLSearchParams({ epsilon: "2" });

function said(window, data = {}) {
  const address = addressOf({ ...PAGE, ...data }, query, { ...DESK, ...window });
  const [path, asked] = address.split("?");
  assert.equal(path, PAGE.figure);
  return Object.fromEntries(new URLSearchParams(asked));
}

test("an address says the state, the look that there is, and the version", () => {
  assert.deepEqual(said({}), { epsilon: "2", guess: "3", across: "900", v: "abc" });
  assert.equal(String(query), "epsilon=2"); // it is left as it was
});

test("a phone has a narrow figure as high as it likes", () => {
  for (const presenting of [false, true]) {
    const { narrow, room, low } = said({ narrow: true, width: 390, height: 700 }, { presenting });
    assert.deepEqual([narrow, room, low], ["1", undefined, undefined]);
  }
});

test("a low window has less than its height, less with more above and below, and enough", () => {
  const low = (height, data) => Number(said({ height }, data).low);
  assert.ok(low(900) < 900);
  assert.ok(low(900, { above: 44 }) < low(900));
  assert.ok(low(900, { below: 90 }) <= low(900) - 90);
  assert.equal(low(200), 300);
  assert.ok(low(720, { above: 80, below: 90 }) < 300); // the buttons are in sight, too
  assert.equal(low(910), NaN); // it is not low
});

test("a projector's room is told, and less of it where the legend is below the figure", () => {
  const wide = said({}, { presenting: true });
  const tight = said({ width: 1024 }, { presenting: true });
  assert.equal(wide.narrow, undefined);
  assert.equal(tight.narrow, "1");
  assert.ok(Number(tight.room) < Number(wide.room));
  assert.equal(said({ height: 400 }, { presenting: true }).room, "300");
  assert.equal(said({}, { presenting: true, below: 90 }).room, wide.room);
});

test("windows of nearly the same height share a figure", () => {
  const rooms = new Set();
  for (let height = 800; height < 900; height += 1) rooms.add(said({ height }).low);
  assert.ok(rooms.size <= 6);
});

test("what has changed since is told with the values of then", () => {
  const before = new URLSearchParams({ epsilon: "1", delta: "0.1", seed: "4" });
  const now = new URLSearchParams({ epsilon: "2", delta: "0.1" });
  assert.equal(String(others(before, now)), "epsilon=1&seed=4");
  assert.equal(String(others(now, now)), "");
});

test("a drawing has the width of its place, and no theme, on a projector too", () => {
  for (const presenting of [false, true]) {
    const { across, theme, room } = said({ room: 1267 }, { presenting });
    assert.deepEqual([across, theme, Boolean(room)], ["1260", undefined, presenting]);
  }
});
