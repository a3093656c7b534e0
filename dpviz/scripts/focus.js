// @ts-check
// Curves that a figure is not about are not seen. Each has its colour, its width and its name while a
// reader points at it; all of them stand there on request, see dpviz/plot/focus.py.

import { element } from "./component.js";

const EMPHASISED = "emphasised";
const MARKS = { sup: "sup", sub: "sub", b: "strong", i: "i" };

export class Focus {
  /** @param {import("./drawing.js").Drawing} drawing */
  constructor(drawing) {
    this.drawing = drawing;
    this.meant = ""; // the key of the curve that a reader points at
  }

  mean(key) {
    if (key === this.meant) return;
    this.meant = key;
    this.show();
  }

  // The figure may be another.
  show() {
    for (const part of this.drawing.named)
      part.classList.toggle(EMPHASISED, part.dataset.curve === this.meant);
  }
}

/**
 * Return the curve next to a point, with the index of its own point that is next along x; undefined
 * if none is so near.
 * @param {{ key: string, x: number[], y: number[], way: string }[]} curves
 * @param {number} x
 * @param {number} y
 * @param {number} near
 * @returns {any}
 */
export function nearest(curves, x, y, near) {
  let found;
  let least = near;
  for (const curve of curves) {
    for (let index = 0; index < curve.x.length; index += 1) {
      const away = distance(curve, index, x, y);
      if (!(away < least)) continue;
      const { x: at } = curve;
      const next = index + 1 < at.length && curve.way === "line" && Math.abs(at[index + 1] - x) < Math.abs(at[index] - x);
      [least, found] = [away, { ...curve, index: next ? index + 1 : index }];
    }
  }
  return found;
}

// From a point to a curve between one of its points and the next.
function distance({ x: right, y: down, way }, index, x, y) {
  const [x0, y0, x1, y1] = [right[index], down[index], right[index + 1], down[index + 1]];
  if (way === "points" || !Number.isFinite(x1 + y1)) return Math.hypot(x - x0, y - y0);
  if (way === "line") return segment(x0, y0, x1, y1, x, y);
  return Math.min(segment(x0, y0, x1, y0, x, y), segment(x1, y0, x1, y1, x, y));
}

function segment(x0, y0, x1, y1, x, y) {
  const [across, along] = [x1 - x0, y1 - y0];
  const size = across ** 2 + along ** 2;
  const share = size ? ((x - x0) * across + (y - y0) * along) / size : 0;
  const part = Math.min(Math.max(share, 0), 1);
  return Math.hypot(x - x0 - part * across, y - y0 - part * along);
}

// A text with a little markup as nodes; nothing else in it is markup.
export function worded(text) {
  const parts = [...text.matchAll(/<(sup|sub|b|i)>(.*?)<\/\1>|<br>|([^<]+|<)/g)];
  return parts.map(([all, tag, inner]) => {
    if (all === "<br>") return element("br");
    return tag ? element(MARKS[tag], {}, inner) : all;
  });
}
