// @ts-check
// People in a drawing are chosen by a hand, group by group, and what the figure shows of them is another
// figure: what is chosen is a part of its address. So is a place along a line that no control has.

import { axisOf } from "./drawing.js";

const SLACK = 3; // pixels a hand may tremble before it chooses
const STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };

export class Brush {
  /**
   * @param {HTMLElement} picture where the figure stands
   * @param {import("./drawing.js").Drawing} drawing
   * @param {(last: boolean) => void} choose is told that something else is chosen
   */
  constructor(picture, drawing, choose) {
    Object.assign(this, { picture, drawing, choose });
    this.area = slider("here-brush", "People, group by group: Shift chooses more, Escape lets go");
    this.mark = document.createElement("div");
    this.mark.className = "brushed";
    this.area.append(this.mark);
    this.knob = slider("knob", "");
    this.band = document.createElement("div");
    this.band.className = "here-handle";
    this.band.append(this.knob);
    this.forget();
    this.ended = new AbortController();
    const { signal } = this.ended;
    const on = (target, type, handler) =>
      target.addEventListener(type, handler.bind(this), { signal });
    for (const part of [this.area, this.band]) {
      on(part, "pointerdown", this.press);
      on(part, "pointermove", this.drag);
      for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) on(part, type, this.letGo);
    }
    on(this.area, "keydown", this.step);
    on(this.knob, "keydown", this.slide);
    on(document, "keydown", ({ key }) => key === "Escape" && this.chosen && this.take(null, true));
  }

  end() {
    this.ended.abort();
  }

  /** Another figure is wanted. */
  forget() {
    this.chosen = null; // the first and the last group
    this.place = null; // along the line, among its stops
    this.held = null; // what a hand holds: where it came down, and at which group
  }

  /** What the address of the figure says of it. */
  get look() {
    return { brush: this.chosen?.join("-"), spot: this.place === null ? "" : `${this.place}` };
  }

  /** Another figure stands there. */
  renew() {
    const { line, place } = this.drawing;
    const brush = place.hidden ? null : line?.brush; // words may stand in its place
    this.stand(this.area, brush);
    this.stand(this.band, brush?.slide);
    if (!brush) return;
    const edges = brush.edges.join();
    const others = this.edges !== edges;
    this.edges = edges;
    if (others && (this.chosen || this.place !== null)) {
      this.forget();
      this.choose(true); // they were of other people
    }
    this.lay();
    if (brush.slide) this.mind(brush.slide);
  }

  stand(part, asked) {
    if (!asked) part.remove();
    else if (!part.isConnected) this.picture.append(part);
  }

  /** Put what a hand takes hold of where the figure has it. */
  lay() {
    const brush = this.drawing.line?.brush;
    if (!brush) return;
    const { axes, edges, slide } = brush;
    const [x, y] = this.sides(axes);
    put(this.area, x.offset, y.offset, x.length, y.length);
    const count = edges.length - 2;
    const [first, last] = this.chosen ?? [0, count];
    const ends = [edges[first], edges[last + 1]].map(x.d2p);
    this.mark.hidden = !this.chosen;
    put(this.mark, ends[0], 0, ends[1] - ends[0], y.length);
    const some = first === last ? `group ${first + 1}` : `groups ${first + 1} to ${last + 1}`;
    const said = this.chosen ? `${some} of ${count + 1}` : "everybody";
    say(this.area, { now: this.chosen ? last : 0, max: count, text: said });
    if (!slide) return;
    const [along, up] = this.sides(slide.axes);
    const at = along.d2p(slide.stops[this.place ?? slide.now]);
    put(this.band, along.offset + at, up.offset, 24, up.length);
    this.knob.style.top = `${slide.y == null ? 12 : up.d2p(slide.y)}px`;
  }

  mind({ label, stops, now, said }) {
    this.knob.setAttribute("aria-label", label);
    say(this.knob, { now, max: stops.length - 1, text: said });
  }

  sides([across, up]) {
    const { scales } = this.drawing.line;
    return [axisOf(scales[across], this.drawing.ratio), axisOf(scales[up], 1)];
  }

  // --- By hand --------------------------------------------------------------------------------

  press(event) {
    if (event.button !== 0 || !event.isPrimary) return;
    const part = event.currentTarget;
    this.held = { part, from: event.clientX, group: this.group(event), moved: false };
    part.setPointerCapture(event.pointerId);
    if (part !== this.band) return;
    event.preventDefault();
    this.knob.focus({ preventScroll: true });
  }

  drag(event) {
    if (!this.held) return;
    this.held.moved ||= Math.abs(event.clientX - this.held.from) > SLACK;
    if (!this.held.moved) return;
    if (this.held.part === this.band) this.move(this.stop(event), false);
    else this.take([this.held.group, this.group(event)], false);
  }

  letGo({ type }) {
    const { held } = this;
    this.held = null;
    if (held?.moved) this.choose(true);
    else if (type === "pointerup" && held?.part === this.area && this.chosen) this.take(null, true); // a click
  }

  value({ clientX }, axes) {
    const [x] = this.sides(axes);
    return x.p2d(clientX - this.picture.getBoundingClientRect().left - x.offset);
  }

  group(event) {
    const { axes, edges } = this.drawing.line.brush;
    const at = this.value(event, axes);
    return inside(edges.findLastIndex((edge) => edge <= at), edges.length - 2);
  }

  stop(event) {
    const { axes, stops } = this.drawing.line.brush.slide;
    const at = this.value(event, axes);
    const away = stops.map((stop) => Math.abs(stop - at));
    return away.indexOf(Math.min(...away));
  }

  // --- By keys --------------------------------------------------------------------------------

  // An arrow chooses the next group, with Shift one more.
  step(event) {
    const step = stepOf(event);
    if (!step) return;
    event.preventDefault();
    const count = this.drawing.line.brush.edges.length - 2;
    const [anchor, now] = this.walked ?? this.chosen ?? [null, step > 0 ? -1 : count + 1];
    const next = inside(now + step, count);
    const walked = [event.shiftKey && anchor !== null ? anchor : next, next];
    this.take(walked, true);
    this.walked = walked;
  }

  slide(event) {
    const step = stepOf(event);
    if (!step) return;
    event.preventDefault();
    const { stops, now } = this.drawing.line.brush.slide;
    this.move(inside((this.place ?? now) + step, stops.length - 1), true);
  }

  // --- What is chosen -------------------------------------------------------------------------

  take(groups, last) {
    const chosen = groups?.toSorted((a, b) => a - b) ?? null;
    this.walked = null;
    if (`${chosen}` === `${this.chosen}`) return;
    this.chosen = chosen;
    this.lay();
    this.choose(last);
  }

  move(place, last) {
    if (place === this.place) return;
    this.place = place;
    this.lay();
    this.choose(last);
  }
}

function slider(name, label) {
  const part = document.createElement("div");
  part.className = name;
  part.tabIndex = 0;
  part.role = "slider";
  part.setAttribute("aria-label", label);
  return part;
}

function say(part, { now, max, text }) {
  const all = { valuemin: 0, valuemax: max, valuenow: now, valuetext: text };
  for (const [name, value] of Object.entries(all)) part.setAttribute(`aria-${name}`, `${value}`);
}

function put(part, left, top, width, height) {
  const all = { left, top, width, height };
  for (const [name, value] of Object.entries(all)) part.style[name] = `${value}px`;
}

function stepOf({ key, altKey, ctrlKey, metaKey }) {
  return altKey || ctrlKey || metaKey ? 0 : (STEPS[key] ?? 0);
}

const inside = (number, most) => Math.min(Math.max(number, 0), most);
