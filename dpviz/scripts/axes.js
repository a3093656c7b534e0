// @ts-check
// Axes whose range has changed, and their ticks, drawn by changing what there is. What is not said in
// a few numbers (titles beside ticks, other kinds) is left to plotly.js.

import { TURNS, alike } from "./changes.js";
import { reword, wording } from "./wording.js";

const BEYOND = 1e-4; // of a range, by which a tick may lie outside
const EDGE = 1; // pixels from the ends of an axis without a line of the grid
const LETTER = 0.7; // of a font's size, more than a letter's width
const SHIFT = /^translate\((-?[\d.e-]+),(-?[\d.e-]+)\)$/;

export class Ruler {
  constructor(plot, name, before, after) {
    this.axis = plot._fullLayout[name];
    this.given = plot.layout[name];
    this.was = before.layout[name];
    this.now = after.layout[name];
    const { _id: id, type, ticks, matches, scaleanchor } = this.axis ?? {};
    const find = (part) => [...plot.querySelectorAll(part)];
    this.labels = find(`g.${id}tick`);
    const lines = find(`path.${id}grid`);
    const grids = [...new Set(lines.map((line) => line.parentNode))]; // one in each plot of the axis
    this.lines = grids.map((grid) => lines.filter((line) => line.parentNode === grid));
    this.title = find(`.g-${id}title > text`)[0];
    const plain = ["linear", "log"].includes(type) && !ticks && !matches && !scaleanchor;
    this.can = Boolean(plain && this.labels.length && this.fits() && this.named());
  }

  // Whether the title is the same, or as simple as before.
  named() {
    const [was, now] = [this.was.title, this.now.title];
    if (alike(was, now)) return true;
    if (!was?.text || !now?.text || !alike(was, now, ["text"]) || !this.across) return false;
    this.wording = this.title && wording(this.title, was.text, now.text);
    return this.wording;
  }

  // Whether there are labels to copy, and the new ones are as simple and keep off each other.
  fits() {
    const { range, tickvals, ticktext } = this.now;
    if (!range || !tickvals || !ticktext || ticktext.some((text) => /[<&$]/.test(text))) return false;
    const texts = this.labels.map((label) => label.firstChild);
    if (!texts.every((text) => text.tagName === "text" && !text.children.length)) return false;
    if (!texts.every((text) => SHIFT.test(text.getAttribute("transform")))) return false;
    return this.across || !this.now.title?.text || wide(ticktext) === wide(this.axis.ticktext);
  }

  get across() {
    return this.axis._id.startsWith("x");
  }

  turn() {
    const { axis, given, now } = this;
    for (const key of TURNS) if (key in now) given[key] = structuredClone(now[key]);
    const { tickvals, ticktext, unifiedhovertitle, title } = now;
    Object.assign(axis, { tickvals, ticktext });
    if (unifiedhovertitle) axis.unifiedhovertitle.text = unifiedhovertitle.text;
    if (title) axis.title.text = title.text;
    axis._r = axis.range = [...now.range];
    axis.setScale();
    axis._rl = axis.range.map((end) => axis.r2l(end));
  }

  // Return whether all ticks could be drawn.
  place() {
    const { axis, now } = this;
    const places = now.tickvals.map((value) => axis.d2l(value));
    const seen = within(axis._rl, places, now.ticktext);
    const ticks = seen.map(({ x, text }) => ({ x, text, at: axis.l2p(x) }));
    if (this.across && !apart(ticks, axis.tickfont.size)) return false;
    const inside = ({ at }) => at > EDGE && at < axis._length - EDGE;
    const lines = axis.showgrid ? ticks.filter(inside) : [];
    if ((lines.length && !this.lines.length) || !ticks.length) return false;
    copies(this.labels, ticks).forEach((label, index) => this.write(label, ticks[index]));
    for (const grid of this.lines)
      copies(grid, lines).forEach((line, index) => this.move(line, lines[index]));
    if (this.wording) reword(this.title, now.title.text, this.wording);
    return true;
  }

  write(label, tick) {
    const text = label.firstChild;
    if (text.textContent !== tick.text) text.textContent = tick.text;
    text.setAttribute("data-unformatted", tick.text);
    this.move(text, tick);
    label.__data__ = text.__data__;
  }

  // plotly.js knows ticks again by what is bound to their elements.
  move(part, { x, at, text }) {
    const [, right, down] = SHIFT.exec(part.getAttribute("transform"));
    const place = this.axis._offset + at;
    const shift = this.across ? `${place},${down}` : `${right},${place}`;
    part.setAttribute("transform", `translate(${shift})`);
    part.__data__ = { ...part.__data__, x, text };
  }
}

/**
 * Return the ticks in a range, be it turned round: where they are on the axis, and their texts.
 * @param {number[]} range
 * @param {number[]} places
 * @param {(string | number)[]} texts
 * @returns {{ x: number, text: string }[]}
 */
export function within(range, places, texts) {
  const [low, high] = [...range].sort((one, other) => one - other);
  const slack = BEYOND * (high - low);
  return places
    .map((x, index) => ({ x, text: String(texts[index]) }))
    .filter(({ x }) => x > low - slack && x < high + slack);
}

/**
 * Return whether labels of a font's size fit side by side, at their pixels; else they are turned.
 * @param {{ at: number, text: string }[]} ticks
 * @param {number} size
 */
export function apart(ticks, size) {
  const letter = LETTER * size;
  const sorted = [...ticks].sort((one, other) => one.at - other.at);
  return sorted.slice(1).every(({ at, text }, index) => {
    const before = sorted[index];
    return at - before.at > (letter * (text.length + before.text.length)) / 2;
  });
}

/**
 * How wide the widest label is, in digits, which are all as wide as each other; what others take is
 * known only as they stand. A title beside labels that take as much room stays where it is.
 * @param {string[]} texts
 */
export function wide(texts) {
  if (!texts.every((text) => /^[−\d.,]+$/.test(text))) return texts.join("|");
  const marks = (text) => text.match(/[.,]/g)?.length ?? 0; // half as wide
  return String(Math.max(...texts.map((text) => text.length - marks(text) / 2)));
}

// Return as many elements as there are ticks, by copying the last or taking some away.
function copies(parts, { length }) {
  parts.slice(length).forEach((part) => part.remove());
  const kept = parts.slice(0, length);
  while (kept.length < length) {
    const last = kept.at(-1);
    const copy = last.cloneNode(true);
    copy.__data__ = last.__data__;
    if (copy.firstChild) copy.firstChild.__data__ = last.__data__;
    last.after(copy);
    kept.push(copy);
  }
  return kept;
}
