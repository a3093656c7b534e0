// @ts-check
// Curves that a figure is not about are thin and grey. Each has its colour, its width and its name
// while a reader points at it, at its name below the figure or has tapped that; see dpviz/plot/focus.py.

const EMPHASISED = "emphasised";
const MARKS = { sup: "sup", sub: "sub", b: "strong", i: "i" };

export class Focus {
  /**
   * @param {HTMLElement} names what has the names of these curves
   * @param {import("./drawing.js").Drawing} drawing
   */
  constructor(names, drawing) {
    Object.assign(this, { names, drawing });
    // The keys of the curves that a reader points at, whose name has the keys, or was tapped.
    this.meant = { pointed: "", focused: "", pinned: "" };
    this.ended = new AbortController();
    const { signal } = this.ended;
    const on = (target, type, handler) =>
      target.addEventListener(type, handler.bind(this), { signal });
    const meaning = { pointerover: "pointed", focusin: "focused" };
    for (const [type, how] of Object.entries(meaning))
      on(names, type, ({ target }) => this.mean(how, keyOf(target)));
    on(names, "pointerout", () => this.mean("pointed", ""));
    on(names, "focusout", () => this.mean("focused", ""));
    on(names, "click", this.pin);
    on(names, "keydown", this.step);
  }

  stop() {
    this.ended.abort();
  }

  pin({ target }) {
    const key = keyOf(target);
    if (!key) return;
    this.mean("pinned", this.meant.pinned === key ? "" : key);
  }

  // The names and the switch are one stop of the Tab key; arrows lead from one to the next.
  step(event) {
    const buttons = [...this.names.querySelectorAll("button")];
    const at = buttons.indexOf(event.target);
    const steps = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 };
    if (at < 0 || !Object.hasOwn(steps, event.key)) return;
    event.preventDefault();
    buttons[at].tabIndex = -1;
    const next = buttons.at(steps[event.key] % buttons.length);
    next.tabIndex = 0;
    next.focus();
  }

  mean(how, key) {
    if (key === this.meant[how]) return;
    this.meant[how] = key;
    this.show();
  }

  // The figure, or what stands below it, may be another.
  show() {
    const meant = Object.values(this.meant);
    for (const part of this.drawing.named)
      part.classList.toggle(EMPHASISED, meant.includes(part.dataset.curve));
    for (const button of this.names.querySelectorAll("[data-curve]")) {
      button.ariaPressed = String(button.dataset.curve === this.meant.pinned);
      button.classList.toggle(EMPHASISED, meant.includes(button.dataset.curve));
    }
  }
}

function keyOf(target) {
  return target.closest?.("[data-curve]")?.dataset.curve ?? "";
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
    if (all === "<br>") return document.createElement("br");
    if (!tag) return all;
    const mark = document.createElement(MARKS[tag]);
    mark.textContent = inner;
    return mark;
  });
}
