// @ts-check
// What is read off a drawing: the values at one x, or of the bar, the cell or the point that is meant,
// by mouse, by finger and by the arrow keys. Where they are and what they say comes with the drawing.

import { nearest, worded } from "./focus.js";
import { Component, element, isCombined } from "./component.js";

const NEAR = 9; // pixels around a curve or a point that belong to it
const SPARSE = 6; // pixels around a lone point at which it is meant, and not what is between
const SAME = 1.5; // pixels between two points at one x, at most
const BESIDE = 14; // pixels from what is meant to the words
const AROUND = 12; // pixels outside of a panel that belong to it

export class Readout extends Component {
  /**
   * @param {HTMLElement} picture where the figure stands
   * @param {import("./drawing.js").Drawing} drawing
   * @param {import("./focus.js").Focus} focus
   */
  constructor(picture, drawing, focus) {
    super();
    this.picture = picture;
    this.drawing = drawing;
    this.focus = focus;
    const unheard = { hidden: true, ariaHidden: "true" }; // who hears the figure hears them by keys
    this.rule = element("div", { className: "read-at", ...unheard });
    this.box = element("div", { className: "read-off", ...unheard });
    this.keys = element("div", { className: "read-by-keys", tabIndex: 0, role: "slider" });
    this.keys.ariaLabel = "Values in the figure";
    picture.append(this.keys, this.rule, this.box);
    this.on(picture, {
      pointermove: this.look,
      pointerdown: this.look,
      pointerleave: ({ pointerType }) => pointerType === "mouse" && this.hide(),
    });
    this.on(document, {
      pointerdown: ({ target }) => picture.contains(target) || this.hide(),
      keydown: ({ key }) => key === "Escape" && this.hide(),
    });
    this.on(this.keys, { keydown: this.step, focus: () => this.halt(this.place), blur: this.hide });
  }

  /** Another figure stands there. */
  renew() {
    const { ratio, place } = this.drawing;
    const line = place.hidden ? null : this.drawing.line; // words may stand in its place
    this.panels = line ? panelsOf(line, ratio) : [];
    this.stops = this.panels.flatMap((panel) => panel.stops);
    this.place = Math.min(this.place ?? 0, Math.max(this.stops.length - 1, 0));
    this.keys.hidden = !this.stops.length;
    this.keys.setAttribute("aria-valuemin", "0");
    this.keys.setAttribute("aria-valuemax", String(Math.max(this.stops.length - 1, 0)));
    this.keys.setAttribute("aria-valuenow", String(this.place));
    this.keys.setAttribute("aria-valuetext", this.stops.length ? said(this.found) : "");
    if (!this.keys.matches(":focus")) this.hide();
    else this.halt(this.place);
  }

  hide() {
    if (this.box.hidden) return;
    this.rule.hidden = this.box.hidden = true;
    this.focus.mean("");
  }

  look({ clientX, clientY, pointerType, buttons, target }) {
    const busy = target.closest(".here-handle, button");
    if (busy || (pointerType === "mouse" && buttons) || !this.panels) return this.hide();
    const { left, top } = this.picture.getBoundingClientRect();
    const [x, y] = [clientX - left, clientY - top];
    const panel = this.panels.find(({ x: across, y: up }) => inside(across, x) && inside(up, y));
    const found = panel && read(panel, x, y);
    if (found) this.show(panel, found);
    else this.hide();
  }

  /** Say what is at one of the places at which arrow keys stop. */
  halt(place) {
    const there = this.stops[place];
    if (!there) return;
    this.place = place;
    const { found } = this;
    this.keys.setAttribute("aria-valuenow", String(place));
    this.keys.setAttribute("aria-valuetext", said(found));
    this.show(there.panel, { ...found, y: found.y ?? there.y });
  }

  /** What is at that place; who comes by without stopping hears it, too. */
  get found() {
    const there = this.stops[this.place];
    return there.panel.together.length ? at(there.panel, there.x, null) : there;
  }

  step(event) {
    const last = this.stops.length - 1;
    const far = Math.max(1, Math.round(last / 10));
    const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: far, PageDown: -far };
    const ends = { Home: 0, End: last };
    if (isCombined(event)) return;
    const to = ends[event.key] ?? (event.key in steps ? this.place + steps[event.key] : null);
    if (to === null) return;
    event.preventDefault();
    this.halt(Math.min(Math.max(to, 0), last));
  }

  /**
   * @param {any} panel
   * @param {any} found what `read` gives: x, y, rows, and a title or a key
   */
  show(panel, { x, y, title, rows, key = "" }) {
    this.focus.mean(key);
    this.rule.hidden = !title;
    if (title) {
      const { start, length } = panel.y;
      Object.assign(this.rule.style, { left: `${x}px`, top: `${start}px`, height: `${length}px` });
    }
    const lines = rows.map(({ color, words }) => {
      const line = element("p", {}, ...worded(words));
      line.style.setProperty("--own", color || "transparent");
      return line;
    });
    const head = title ? [element("p", { className: "title" }, ...worded(title))] : [];
    this.box.replaceChildren(...head, ...lines);
    this.box.hidden = false;
    const { offsetWidth: wide, offsetHeight: high } = this.box;
    const { clientWidth, clientHeight } = this.picture;
    const right = x + BESIDE + wide > clientWidth;
    const left = right ? x - BESIDE - wide : x + BESIDE;
    this.box.style.left = `${Math.max(Math.min(left, clientWidth - wide), 0)}px`;
    const top = y - BESIDE - high < 0 ? y + BESIDE : y - BESIDE - high; // else it covers what is meant
    this.box.style.top = `${Math.max(Math.min(top, clientHeight - high), 0)}px`;
  }
}

const inside = ({ start, length }, pixel) => pixel > start - AROUND && pixel < start + length + AROUND;

/**
 * The panels of a drawing, in the pixels of its place: what is read off together, and what apart.
 * @param {import("./types").Figure} line
 * @param {number} ratio pixels of the place to one of the drawing, across
 * @returns {any[]}
 */
export function panelsOf({ readings, scales }, ratio) {
  const panels = new Map();
  for (const { axes, places, ...reading } of readings) {
    const name = axes.join(" ");
    if (!panels.has(name)) {
      const [x, y] = [side(scales[axes[0]], ratio), side(scales[axes[1]], 1)];
      panels.set(name, { x, y, together: [], apart: [], stops: [] });
    }
    const panel = panels.get(name);
    const seen = (index) => inside(panel.x, (ratio * places[index][0]) / 10); // axes may end before
    const shown = [...places.keys()].filter((index) => reading.said[index] !== null && seen(index));
    const part = (number) =>
      shown.map((index) => ((number % 2 ? 1 : ratio) * places[index][number]) / 10);
    const pick = (values) => values && shown.map((index) => values[index]);
    const curve = {
      ...reading,
      said: pick(reading.said),
      at: pick(reading.at),
      x: part(0),
      y: part(1),
      ...(reading.way ? {} : { right: part(2), foot: part(3) }),
    };
    if (shown.length) panel[reading.at ? "together" : "apart"].push(curve);
  }
  for (const panel of panels.values()) panel.stops = stopsOf(panel);
  return [...panels.values()];
}

/**
 * @param {number[]} scale
 * @param {number} ratio
 */
function side([, , start, end], ratio) {
  return { start: ratio * Math.min(start, end), length: ratio * Math.abs(end - start) };
}

// Where arrow keys stop: at each x of the curve with the most of them, or at each bar, cell and point.
function stopsOf(panel) {
  const { together, apart } = panel;
  const main = together.filter(({ key }) => !key);
  const longest = (main.length ? main : together).toSorted((a, b) => b.x.length - a.x.length)[0];
  if (longest) return longest.x.map((x, index) => ({ panel, x, y: longest.y[index] }));
  return apart.flatMap((curve) =>
    curve.said.map((words, index) => ({ panel, ...middle(curve, index), rows: [row(curve, index)] })),
  );
}

function middle({ x, y, right, foot }, index) {
  if (!right) return { x: x[index], y: y[index] };
  return { x: (x[index] + right[index]) / 2, y: (y[index] + foot[index]) / 2 };
}

const row = ({ color, said: words }, index) => ({ color, words: words[index] });

/** What is meant by a point of a panel, null for nothing. */
function read(panel, x, y) {
  const grey = panel.together.filter(({ key }) => key);
  const pointed = nearest(grey, x, y, NEAR);
  const item = box(panel.apart, x, y) ?? nearest(panel.apart.filter(({ way }) => way), x, y, NEAR);
  if (panel.together.length && !item) return { ...at(panel, x, pointed), y };
  return item ? { ...middle(item, item.index), rows: [row(item, item.index)], key: item.key } : null;
}

/** The bar or cell that a point is in. */
function box(curves, x, y) {
  const within = (a, b, pixel, slack) => pixel >= Math.min(a, b) - slack && pixel <= Math.max(a, b) + slack;
  for (const curve of curves.filter(({ right }) => right)) {
    const index = curve.x.findIndex(
      (left, i) => within(left, curve.right[i], x, 0) && within(curve.y[i], curve.foot[i], y, 2),
    );
    if (index >= 0) return { ...curve, index };
  }
  return null;
}

// All that is read at one x: the next that a curve of the figure has, where lone points come first.
export function at(panel, x, pointed) {
  const main = panel.together.filter(({ key }) => !key || key === pointed?.key);
  const curves = main.length ? main : panel.together;
  const next = (curve, to) =>
    curve.x.reduce((best, px, i) => (Math.abs(px - to) < Math.abs(curve.x[best] - to) ? i : best), 0);
  const ends = curves.map((curve) => ({ curve, index: next(curve, x) }));
  const away = ({ curve, index }) => Math.abs(curve.x[index] - x);
  const lone = ends.filter((end) => end.curve.way === "points" && away(end) < SPARSE);
  const [best] = (lone.length ? lone : ends).toSorted((a, b) => away(a) - away(b));
  const place = best.curve.x[best.index];
  const title = best.curve.at[best.index];
  // Two points so near may be at different x: the title is true of all that stands below it.
  const rows = curves
    .map((curve) => ({ curve, index: next(curve, place) }))
    .filter(({ curve, index }) => Math.abs(curve.x[index] - place) < SAME && curve.at[index] === title)
    .map(({ curve, index }) => row(curve, index));
  return { x: place, title, rows, key: pointed?.key };
}

/** What is found, as a text. */
function said({ title, rows }) {
  const word = (part) => (part.nodeName === "BR" ? "; " : (part.textContent ?? part));
  const plain = (text) => worded(text).map(word).join("");
  return [title, ...rows.map(({ words }) => words)].filter(Boolean).map(plain).join("; ");
}
