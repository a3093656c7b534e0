import assert from "node:assert/strict";
import { test } from "node:test";

import { alongside, changes, drawable, numbers } from "../../dpviz/scripts/changes.js";

const FIGURE = {
  data: [
    { type: "scatter", x: [1, 2], y: [3, 4], name: "bound", line: { color: "red" } },
    { type: "scatter", x: [1, 2], y: [5, 6], name: "error", marker: { color: ["red", "blue"] } },
  ],
  layout: {
    height: 500,
    margin: { l: 60 },
    xaxis: { type: "log", range: [0, 1], tickvals: [1, 10], ticktext: ["1", "10"] },
    yaxis: { range: [0, 9], title: { text: "error" } },
    annotations: [
      { x: 1, y: 2, text: "here", xref: "x", yref: "paper" },
      { x: 0.5, y: 1, text: "above", xref: "paper", yref: "paper" },
    ],
    shapes: [{ x0: 1, x1: 1, y0: 0, y1: 1, xref: "x", yref: "y domain" }],
    meta: { drag: { key: "epsilon", x: 1, y: 3 } },
  },
};
const LINEAR = { xaxis: {}, yaxis: {} }; // what plotly.js makes of two axes with a range

const other = (change) => {
  const copy = structuredClone(FIGURE);
  change(copy, copy.layout);
  return copy;
};
const changed = (change) => changes(FIGURE, other(change));
const NOTHING = { axes: [], curves: [], notes: [], lines: [] };

test("the same figure has nothing to be drawn again", () => {
  assert.deepEqual(changed(() => {}), NOTHING);
  assert.deepEqual(changed((_, layout) => (layout.meta.drag.x = 2)), NOTHING);
});

test("only what has moved is drawn again", () => {
  const cases = [
    ["curves", [1], ({ data }) => (data[1].y = [7, 8])],
    ["curves", [0], ({ data }) => (data[0].name = "limit")],
    ["curves", [1], ({ data }) => (data[1].marker = { color: ["red", "red"] })],
    ["notes", [1], (_, layout) => (layout.annotations[1].text = "there")],
    ["notes", [0], (_, layout) => (layout.annotations[0].x = 3)],
    ["lines", [0], (_, layout) => (layout.shapes[0].x0 = 2)],
    ["axes", ["xaxis"], (_, layout) => (layout.xaxis.range = [0, 2])],
    ["axes", ["yaxis"], (_, layout) => (layout.yaxis.title = { text: "bias" })],
  ];
  for (const [part, what, change] of cases)
    assert.deepEqual(changed(change), { ...NOTHING, [part]: what }, String(change));
});

test("what changes in any other way has the figure drawn in full", () => {
  for (const change of [
    ({ data }) => data.pop(),
    ({ data }) => (data[0].line.color = "blue"),
    ({ data }) => delete data[0].name,
    ({ data }) => (data[0].mode = "lines"),
    (_, layout) => (layout.height = 400),
    (_, layout) => (layout.margin.l = 61),
    (_, layout) => (layout.title = "new"),
    (_, layout) => (layout.xaxis.type = "linear"),
    (_, layout) => delete layout.yaxis,
    (_, layout) => (layout.yaxis2 = { range: [0, 1] }),
    (_, layout) => layout.annotations.push({ text: "new" }),
    (_, layout) => (layout.annotations[0].yref = "y"),
    (_, layout) => delete layout.shapes,
    (_, layout) => (layout.shapes[0].line = { width: 2 }),
  ])
    assert.equal(changed(change), null, String(change));
});

test("what stands on an axis that turns moves along", () => {
  const { annotations, shapes } = FIGURE.layout;
  assert.deepEqual(alongside(annotations, [1], annotations, ["x"]), [0, 1]);
  assert.deepEqual(alongside(annotations, [], annotations, ["y"]), []);
  assert.deepEqual(alongside(shapes, [], shapes, ["x"]), [0]);
  assert.deepEqual(alongside(undefined, [], [], ["x"]), []);
});

test("points can be drawn again in a trace of a kind that is known", () => {
  const [before] = FIGURE.data;
  const after = { ...before, y: [9, 9] };
  assert.ok(drawable(before, after, "scatter", LINEAR));
  assert.ok(!drawable(before, after, "pie", LINEAR));
  assert.ok(!drawable(before, { ...after, y: [] }, "scatter", LINEAR)); // none to be drawn
  assert.ok(!drawable(before, after, "heatmap", LINEAR)); // which needs z
});

test("what plotly.js would do besides has the trace left to it", () => {
  const [before, dots] = FIGURE.data;
  const after = { ...before, y: [9, 9] };
  assert.ok(!drawable(before, after, "scatter", { ...LINEAR, yaxis: { autorange: true } }));
  assert.ok(drawable(before, after, "scatter", { ...LINEAR, xaxis: { autorange: true } }));
  const second = { ...before, yaxis: "y2" };
  const axes = { ...LINEAR, yaxis2: { autorange: true } };
  assert.ok(!drawable(second, { ...second, y: [9, 9] }, "scatter", axes));
  const named = { ...after, name: "limit" };
  assert.ok(!drawable(before, named, "scatter", { ...LINEAR, showlegend: true }));
  assert.ok(drawable(before, named, "scatter", LINEAR));
  const colored = (color) => ({ ...dots, marker: { color } });
  assert.ok(drawable(dots, colored(["red", "red"]), "scatter", LINEAR));
  assert.ok(!drawable(dots, colored("red"), "scatter", LINEAR)); // one colour for all
  const sized = (size) => ({ ...dots, marker: { color: "red", size } });
  assert.ok(!drawable(sized([1, 2]), sized([2, 1]), "scatter", LINEAR));
});

test("bars of errors may move, but none may come or go", () => {
  const bars = (array) => ({ ...FIGURE.data[0], error_y: { array, color: "red" } });
  const draws = (one, next) => drawable(bars(one), bars(next), "scatter", LINEAR);
  assert.ok(draws([1, 2], [2, 1]));
  assert.ok(draws([1, null], [2, null]));
  assert.ok(!draws([1, 2], [2, null]));
  assert.ok(!draws([1, 2], [2, 1, 1]));
});

test("packed numbers are those that were packed", () => {
  const packed = (dtype, array, more) => {
    const bdata = Buffer.from(array.buffer).toString("base64");
    return Array.from(numbers({ dtype, bdata, ...more }), (row) => (row.length ? [...row] : row));
  };
  assert.deepEqual(packed("f8", new Float64Array([1.5, -2, 1e300])), [1.5, -2, 1e300]);
  assert.deepEqual(packed("i2", new Int16Array([-3, 300])), [-3, 300]);
  assert.deepEqual(packed("u1", new Uint8Array([1, 2, 3, 4, 5, 6]), { shape: "2, 3" }), [
    [1, 2, 3],
    [4, 5, 6],
  ]);
  assert.deepEqual(numbers([1, 2]), [1, 2]);
});
