// @ts-check
// The reader's place in a figure, a line or a point that its drawing names, is dragged as the
// thumb of its control is, and by the same events: while that control is on the page, which says so.

import { Component, element, isCombined } from "./component.js";
import { pageOf } from "./side.js";

const SLACK = 3; // pixels a hand may tremble before it drags
const ABOVE = 9; // pixels above the axis, where the grip of a line is, away from its curves' names

export class Handle extends Component {
  /**
   * @param {HTMLElement} picture where the figure stands
   * @param {import("./drawing.js").Drawing} drawing
   */
  constructor(picture, drawing) {
    super();
    this.drawing = drawing;
    this.held = null; // how far beside the line the pointer is that holds it
    this.moved = false;
    this.knob = element("div", { className: "knob", tabIndex: 0, role: "slider" });
    this.knob.ariaOrientation = "horizontal";
    this.band = element("div", { className: "here-handle", hidden: true }, this.knob);
    picture.append(this.band);
    this.page = pageOf(picture);
    this.on(this.band, grips(this));
    this.on(this.knob, { keydown: this.step, keyup: () => this.tell({ press: "" }) });
    this.on(this.page, { "dpviz-control": this.place, "dpviz-move": this.say });
  }

  /** @returns {import("./types").Dragged | undefined} */
  get meant() {
    return this.drawing.place.hidden ? undefined : this.layout?.drag;
  }

  get layout() {
    return this.drawing.layout;
  }

  tell(detail) {
    return tell(this.page, this.meant?.key, detail);
  }

  // Put the handle where the figure has the reader's place.
  place() {
    const drag = this.meant;
    const at = drag && seen(this.layout, drag);
    const gone = !at || !this.tell({}).control;
    if (gone && this.knob.matches(":focus")) this.tell({ press: "" }); // a key goes up elsewhere
    this.band.hidden = gone;
    if (gone) return;
    const { x, y, top, height } = at;
    this.band.classList.toggle("point", !drag.line);
    const { style } = this.band;
    style.translate = `${x}px ${drag.line ? top : y}px`;
    style.height = drag.line ? `${height}px` : "";
    this.knob.style.top = drag.line ? `${y - top}px` : "50%";
    this.say();
  }

  say() {
    if (this.band.hidden) return;
    const { control } = this.tell({});
    if (control) saidBy(control, this.knob);
  }

  press(event) {
    if (event.button !== 0 || !event.isPrimary) return;
    event.preventDefault();
    this.knob.focus({ preventScroll: true });
    this.band.setPointerCapture(event.pointerId);
    this.from = event.clientX;
    this.key = this.meant.key;
    this.grip(event);
    this.moved = false;
  }

  drag(event) {
    if (this.held === null || !this.meant) return;
    this.moved ||= Math.abs(event.clientX - this.from) > SLACK;
    if (!this.moved) return;
    this.band.classList.add("held");
    const axis = this.layout.x;
    if (this.range !== `${axis.range}`) this.grip(event); // as the axis has moved
    const { x: now, value, power, from = 0, each = 1 } = this.meant;
    const x = axis.p2d(event.clientX + this.held - this.left() - axis.offset);
    const there = power ? value * Math.max(x / now, 0) ** power : (x - from) / each;
    this.tell({ value: there, last: false });
  }

  grip({ clientX }) {
    this.held = this.pixel() - clientX;
    this.range = `${this.layout.x.range}`;
  }

  letGo() {
    if (this.held === null) return;
    this.held = null;
    this.band.classList.remove("held");
    if (this.moved) tell(this.page, this.key, { last: true });
  }

  step(event) {
    if (isCombined(event) || this.held !== null) return;
    if (this.tell({ press: event.key }).taken) event.preventDefault();
  }

  left() {
    return this.drawing.place.getBoundingClientRect().left;
  }

  // Where the reader's place is, in the pixels of the window.
  pixel() {
    const axis = this.layout.x;
    return this.left() + axis.offset + axis.d2p(this.meant.x);
  }
}

/**
 * The handlers of a hand that takes hold of something, drags it and lets it go.
 * @param {{ press: Function, drag: Function, letGo: Function }} part
 */
export const grips = ({ press, drag, letGo }) => ({
  pointerdown: press,
  pointermove: drag,
  pointerup: letGo,
  pointercancel: letGo,
  lostpointercapture: letGo,
});

/**
 * Tell the control of a parameter what a hand does elsewhere on the page, and return what it says.
 * @param {any} page where its parts speak
 * @param {string | undefined} key
 * @param {object} detail
 */
export function tell(page, key, detail) {
  /** @type {import("./types").Drag} */
  const said = { key, ...detail };
  if (key) page.dispatchEvent(new CustomEvent("dpviz-drag", { detail: said }));
  return said;
}

/**
 * Have another slider say what the control of its parameter says of itself.
 * @param {NonNullable<import("./types").Drag["control"]>} control
 * @param {any} slider
 */
export function saidBy({ label, text, now, last }, slider) {
  const all = { label, valuetext: text, valuemin: 0, valuemax: last, valuenow: now };
  for (const [name, value] of Object.entries(all))
    if (slider.getAttribute(`aria-${name}`) !== String(value))
      slider.setAttribute(`aria-${name}`, String(value));
}

/**
 * Return where a place is in the plot, in its pixels, and the height of the plot; null out of sight.
 * That of a line is at the axis, or where its figure says that no point is: on a curve it would be
 * taken for one of its points.
 * @param {Record<string, any>} layout of a drawing
 * @param {{ x: number, y?: number, line?: boolean, grip?: number }} drag
 */
export function seen({ x: across, y: upwards }, drag) {
  const along = across.d2p(drag.x);
  if (!(along >= -1 && along <= across.length + 1)) return null;
  const { offset: top, length: height } = upwards;
  const high = drag.line ? drag.grip : drag.y;
  const inside = high === undefined ? height - ABOVE : upwards.d2p(high);
  return { x: across.offset + along, y: top + inside, top, height };
}
