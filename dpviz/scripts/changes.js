// @ts-check
// What a movement has changed between two figures, and whether that can be drawn by changing the one
// before. Pure: it compares what the server sent, and looks at nothing else but what is passed in.

const LENGTHS = ["array", "arrayminus"];
const SAID = ["text", "name", "customdata", "hovertemplate"];
const STANDS = ["base", "width"]; // of bars
const TYPED = {
  f4: Float32Array,
  f8: Float64Array,
  i1: Int8Array,
  i2: Int16Array,
  i4: Int32Array,
  u1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
};
const KINDS = { scatter: ["x", "y"], bar: ["x", "y"], heatmap: ["x", "y", "z"] };
const AXIS = /^[xy]axis\d*$/; // in a layout

export const ERRORS = ["error_x", "error_y"];
export const MOVED = {
  trace: ["x", "y", "z", "zmax", ...STANDS, ...SAID, ...ERRORS, "marker"],
  note: ["x", "y", "ax", "ay", "text", "name"],
  line: ["x0", "x1", "y0", "y1"],
};
export const WITHIN = { error_x: LENGTHS, error_y: LENGTHS, marker: ["color", "symbol"] };
export const TURNS = ["range", "tickvals", "ticktext", "unifiedhovertitle", "title"]; // of an axis
export const LIVE = ["annotations", "shapes", "meta"]; // of a layout

/**
 * Return which parts of a figure have changed: the names of axes, the indices of curves, notes and
 * lines; null if more has changed than can be drawn by changing the figure of `before`.
 * @param {import("./types").Spec} before
 * @param {import("./types").Spec} after
 * @returns {{ axes: string[], curves: number[], notes: number[], lines: number[] } | null}
 */
export function changes(before, after) {
  const axes = Object.keys(after.layout).filter((key) => AXIS.test(key));
  if (!alike(before.layout, after.layout, [...LIVE, ...axes])) return null;
  const turned = axes.filter((key) => !alike(before.layout[key], after.layout[key]));
  if (!turned.every((key) => alike(before.layout[key], after.layout[key], TURNS))) return null;
  const curves = moved(before.data, after.data, MOVED.trace);
  const notes = moved(before.layout.annotations, after.layout.annotations, MOVED.note);
  const lines = moved(before.layout.shapes, after.layout.shapes, MOVED.line);
  return curves && notes && lines && { axes: turned, curves, notes, lines };
}

/**
 * Return the indices of those parts that differ, null if they differ in more than these keys.
 * @param {object[]} before
 * @param {object[]} after
 * @param {string[]} keys
 */
function moved(before = [], after = [], keys) {
  if (before.length !== after.length) return null;
  const all = [...after.keys()].filter((index) => !alike(before[index], after[index]));
  return all.every((index) => alike(before[index], after[index], keys)) ? all : null;
}

/**
 * Return the indices of those parts of a layout that have changed, or stand on one of these axes.
 * @param {import("./types").Part[] | undefined} parts
 * @param {number[]} changed
 * @param {import("./types").Part[]} options what plotly.js has made of them
 * @param {string[]} ids
 */
export function alongside(parts = [], changed, options, ids) {
  const stands = (index) => ids.some((id) => [options[index].xref, options[index].yref].includes(id));
  return [...parts.keys()].filter((index) => changed.includes(index) || stands(index));
}

/**
 * Return whether two values of JSON are the same, whatever they have under the keys left out.
 * @param {any} one
 * @param {any} other
 * @param {string[]} [without]
 * @returns {boolean}
 */
export function alike(one, other, without) {
  if (one === other) return true;
  if (!one || !other || typeof one !== "object" || typeof other !== "object") return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every(
    (key) => key in other && (without?.includes(key) || alike(one[key], other[key])),
  );
}

/**
 * Return whether what differs in a trace is drawn when its points are.
 * @param {import("./types").Trace} before
 * @param {import("./types").Trace} after
 * @param {string} type which kind of trace plotly.js has drawn
 * @param {Record<string, any>} full the layout that it has made
 */
export function drawable(before, after, type, full) {
  const needs = KINDS[type];
  if (!needs || (full.showlegend && before.name !== after.name)) return false;
  if (!needs.every((key) => numbers(after[key])?.length)) return false;
  if (!Object.keys(WITHIN).every((key) => alike(before[key], after[key], WITHIN[key]))) return false;
  // plotly.js would look for another range.
  const axis = (key) => full[(after[`${key}axis`] ?? key).replace(key, `${key}axis`)];
  const moves = (key) => !alike(before[key], after[key]);
  if (["x", "y"].some((key) => axis(key).autorange && moves(key))) return false;
  const looks = WITHIN.marker.map((key) => [before.marker?.[key], after.marker?.[key]]);
  if (!looks.every(([one, other]) => alike(one, other) || [one, other].every(Array.isArray)))
    return false;
  // Bars of an error that are new would have to be given their looks.
  const bars = (key, trace) =>
    String([trace.x, trace.y, trace[key].array].map(numbers).map(known));
  return ERRORS.every((key) => !after[key] || bars(key, before) === bars(key, after));
}

/**
 * Return numbers as they are, be they packed or a list; a table as its rows.
 * @param {any} values
 * @returns {ArrayLike<any>}
 */
export function numbers(values) {
  if (!values?.bdata) return values;
  const bytes = Uint8Array.from(atob(values.bdata), (letter) => letter.charCodeAt(0));
  const all = new TYPED[values.dtype](bytes.buffer);
  if (!values.shape) return all;
  const [rows, width] = String(values.shape).split(",").map(Number); // of a table
  return Array.from({ length: rows }, (_, row) => all.subarray(row * width, (row + 1) * width));
}

function known(values) {
  return Array.from(values, Number.isFinite);
}
