// @ts-check
// The browser's half of range_control.py: one slider and its field.
//
// A native range input is not used: it snaps only to even steps, so that it can't show a value
// typed exactly, it jumps when a finger that scrolls the page comes across, and it does not
// report reliably when a movement has ended.

import { Grid } from "./grid.js";
import { typeset } from "./numbers.js";
import { Component, element, isCombined, mounted } from "./component.js";
import { pageOf } from "./side.js";

const MOVE = "dpviz-move";
const SLACK = 4; // pixels a finger may tremble before it drags
const PAUSE = 400; // milliseconds without a key that end a movement by keys
const AGAIN = 3; // times a lost value is sent again
const LOOK = 1000; // milliseconds between two looks for a value that got lost

export default mounted("control", (place) => new Control(place), "setStateValue");

class Control extends Component {
  constructor(root) {
    super();
    const find = (name) => root.querySelector(name);
    this.page = pageOf(root);
    this.slider = find(".slider");
    this.field = find("input");
    this.note = find(".note");
    this.name = find(".name");
    this.ticks = find(".ticks");
    this.thumb = find(".thumb");
    this.moved = [find(".fill"), this.thumb];

    this.sent = null; // the value on its way to the server: from sending it until it is answered
    this.number = 0; // of the last value: later ones are greater
    this.lost = 0; // looks that found nothing on its way after all
    this.pointer = null; // the finger or mouse that holds the thumb
    this.keys = false; // whether keys are moving the thumb
    this.pause = null;
    this.pulled = false; // whether a point of the figure or a number is moving the thumb
    this.edited = false; // whether the field holds text nobody has taken yet

    this.on(this.slider, {
      pointerdown: this.press,
      pointermove: this.drag,
      pointerup: this.release,
      pointercancel: this.letGo,
      lostpointercapture: this.letGo,
      keydown: this.step,
      keyup: this.pauseKeys,
      blur: this.endKeys,
    });
    this.on(this.field, { input: this.edit, change: this.type, blur: this.type, keydown: this.leave });
    this.on(this.page, { "dpviz-drag": this.pull, "dpviz-answer": this.hear });
    // Streamlit's own keys (R runs the page, C clears its memory) don't see a field in here.
    this.on(root, { keydown: (event) => event.stopPropagation() });
    const look = setInterval(() => this.look(), LOOK);
    this.ended.signal.addEventListener("abort", () => clearInterval(look));
  }

  stop() {
    clearTimeout(this.pause);
    super.stop();
    this.appear();
  }

  // A figure whose line this control moves may be there before it, and stay after it.
  appear() {
    this.page.dispatchEvent(new CustomEvent("dpviz-control", { detail: this.data.key }));
  }

  // --- What the server says ------------------------------------------------------------------

  /**
   * @param {import("./types").Range} data
   * @param {(name: string, value: any) => void} setStateValue
   */
  update(data, setStateValue) {
    const scale = JSON.stringify([data.grid, data.ticks, data.symbol, data.meaning, data.better]);
    this.setStateValue = setStateValue;
    this.data = data;
    if (scale !== this.scale) {
      this.scale = scale;
      this.describe(data);
    }
    this.settle();
    this.appear();
  }

  /** @param {import("./types").Range} data */
  describe({ symbol, meaning, words, better, log, grid, ticks }) {
    this.grid = new Grid(grid, log);
    this.name.replaceChildren(...written(symbol), ...words.map(explained), ...hint(better));
    this.field.setAttribute("aria-label", `${symbol || meaning}, exact value`);
    const said = [symbol, meaning, better].filter(Boolean).join(", ");
    this.slider.setAttribute("aria-label", said);
    // Steps: a range from 1e-10 to 1e10 read as percent would say 0 almost everywhere.
    this.slider.setAttribute("aria-valuemin", "0");
    this.slider.setAttribute("aria-valuemax", String(this.grid.last));
    this.ticks.replaceChildren(
      ...ticks.map(([number, label]) => {
        const tick = element("span", { textContent: label });
        const place = this.grid.place(number);
        tick.style.left = `${100 * place}%`;
        if (place < 0.05) tick.className = "first";
        if (place > 0.95) tick.className = "last";
        return tick;
      }),
    );
  }

  // Once it has answered the last value, the server is right: it may have changed or refused it.
  settle() {
    if (this.sent && this.data.number >= this.sent.number) this.sent = null;
    if (this.sent || this.held) return;
    this.show(this.data.text);
    if (!this.edited) this.say(this.data.note);
  }

  // Where nothing beside the figure changes, the server answers the stage alone, which tells.
  hear({ detail: { numbers, query } }) {
    const { key } = this.data;
    if (!(numbers[key] > this.data.number)) return;
    this.data = { ...this.data, text: query[key], number: numbers[key], note: "" };
    this.settle();
  }

  get typeset() {
    return typeset(this.text, this.data.whole);
  }

  get held() {
    return Boolean(this.pointer?.moving) || this.keys || this.pulled;
  }

  // --- What the server gets ------------------------------------------------------------------

  // The stage draws every value of the grid at once; only the server can read what was typed.
  offer(text, { last, rests = last, typed = false }) {
    this.number = Math.max(Date.now(), this.number + 1, this.data.number + 1);
    const { number } = this;
    if (!typed) this.announce({ key: this.data.key, text, number, rests, near: this.grid.beside(text) });
    if (last) this.send({ text, number, again: 0 });
  }

  /** @param {import("./types").Move} detail */
  announce(detail) {
    this.page.dispatchEvent(new CustomEvent(MOVE, { detail }));
  }

  send(value) {
    this.sent = value;
    this.lost = 0;
    this.setStateValue("end", { text: value.text, number: value.number });
  }

  // A value is lost when the server restarts or the page breaks. It is sent again, a few times as a
  // server that has just started may lose it once more, then forgotten: a control that waits
  // forever would be stuck.
  look() {
    const app = document.querySelector(".stApp");
    if (!app || this.page !== document) return;
    const { testConnectionState, testScriptState } = app.dataset;
    const idle = testConnectionState === "CONNECTED" && testScriptState === "notRunning";
    this.lost = this.sent && idle ? this.lost + 1 : 0;
    if (this.lost < 2) return;
    const { text, again } = this.sent;
    this.number = Math.max(Date.now(), this.number + 1);
    if (again < AGAIN) {
      this.send({ text, number: this.number, again: again + 1 });
      return;
    }
    this.sent = null;
    this.announce({ key: this.data.key, text: null, number: this.number, rests: true });
    this.settle();
  }

  // --- The slider ----------------------------------------------------------------------------

  show(text) {
    this.text = text;
    const place = Math.min(Math.max(this.grid.place(Number(text)), 0), 1);
    for (const part of this.moved) part.style.setProperty("--place", String(place));
    this.slider.setAttribute("aria-valuenow", String(this.grid.nearest(place)));
    this.slider.setAttribute("aria-valuetext", this.typeset);
    if (!this.edited) this.field.value = this.typeset;
  }

  move(index, rests = false) {
    const text = this.grid.text(index);
    if (text === this.text) return;
    this.say("");
    this.show(text);
    this.offer(text, { last: false, rests });
  }

  // By mouse or pen the thumb comes at once. A finger may be about to scroll the page: it has to
  // go sideways first, or to tap.
  press(event) {
    if (event.button !== 0 || (this.pointer && !event.isPrimary)) return;
    // Only one primary pointer is down at a time: the end of the one before was never reported.
    if (this.pointer) this.letGo({ pointerId: this.pointer.id });
    event.preventDefault();
    this.endKeys();
    this.slider.focus({ preventScroll: true });
    this.slider.setPointerCapture(event.pointerId);
    const { start, length, size } = this.way();
    const x = start + length * this.grid.place(Number(this.text));
    // Grabbing the thumb beside its middle must not make it jump.
    const taken = Math.abs(event.clientX - x) <= size;
    this.pointer = {
      id: event.pointerId,
      from: event.clientX,
      taken,
      grip: taken ? x - event.clientX : 0,
      moving: event.pointerType !== "touch",
      dragged: false,
    };
    if (this.pointer.moving) this.follow(event);
  }

  drag(event) {
    if (event.pointerId !== this.pointer?.id) return;
    if (event.buttons === 0) {
      this.letGo(event); // released where no event reached us
      return;
    }
    this.pointer.moving ||= Math.abs(event.clientX - this.pointer.from) > SLACK;
    if (this.pointer.moving) this.follow(event);
  }

  follow(event) {
    this.slider.classList.add("held");
    const { from, taken, grip, dragged } = this.pointer;
    // An exact value is not lost by touching the thumb.
    if (taken && !dragged && Math.abs(event.clientX - from) <= SLACK) return;
    this.pointer.dragged = true;
    const { start, length } = this.way();
    this.move(this.grid.nearest((event.clientX + grip - start) / length));
  }

  // The way of the thumb's middle, in the pixels of the window.
  way() {
    const { left, width } = this.slider.getBoundingClientRect();
    const { width: size } = this.thumb.getBoundingClientRect();
    return { start: left + size / 2, length: width - size, size };
  }

  release(event) {
    if (event.pointerId !== this.pointer?.id) return;
    this.follow(event);
    this.letGo(event);
  }

  letGo(event) {
    if (event.pointerId !== this.pointer?.id) return;
    const { dragged } = this.pointer;
    this.pointer = null;
    this.slider.classList.remove("held");
    this.finish(dragged);
  }

  step(event) {
    if (isCombined(event) || this.pointer) return;
    if (this.tread(event.key)) event.preventDefault();
  }

  // Return whether a key means a step. The first may stay the only one: its figure is that at rest.
  tread(key) {
    const index = this.grid.stepped(key, Number(this.text));
    if (index === undefined) return false;
    clearTimeout(this.pause);
    this.move(index, !this.keys);
    this.keys = true;
    return true;
  }

  pauseKeys() {
    if (!this.keys) return;
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.endKeys(), PAUSE);
  }

  endKeys() {
    clearTimeout(this.pause);
    if (!this.keys) return;
    this.keys = false;
    this.finish(true);
  }

  // A line or point of the figure or a number of the sentence is dragged, or has the keys: see
  // handle.js and sentence.js.
  pull({ detail }) {
    const { key, value, index, last, press, focus } = detail;
    if (key !== this.data.key) return;
    if (focus) this.slider.focus({ preventScroll: true });
    if (press === "") this.pauseKeys();
    else if (press !== undefined) detail.taken = this.tread(press);
    if (last !== undefined) this.pulled = !last;
    if (value !== undefined) this.move(this.grid.snapped(value));
    if (index !== undefined) this.move(index);
    if (last) this.finish(true);
    const [label, text] = ["label", "valuetext"].map((name) => this.slider.getAttribute(`aria-${name}`));
    const now = this.grid.nearest(this.grid.place(Number(this.text)));
    detail.control = { label, text, now, last: this.grid.last };
  }

  finish(moved) {
    if (moved) this.offer(this.text, { last: true });
    this.settle();
  }

  // --- The field -----------------------------------------------------------------------------

  edit() {
    this.edited = true;
    this.say("");
  }

  type() {
    if (!this.edited) return;
    this.edited = false;
    const text = this.field.value.trim();
    if (text === this.text || text === this.typeset) {
      this.field.value = this.typeset;
      return;
    }
    clearTimeout(this.pause); // what is typed is the last word, also after keys in the figure
    this.keys = false;
    this.offer(text, { last: true, typed: true });
  }

  leave(event) {
    if (event.key === "Enter") this.type();
    if (event.key !== "Escape") return;
    this.edited = false;
    this.field.value = this.typeset;
  }

  say(note) {
    if (this.note.textContent === note) return;
    this.note.textContent = note;
    this.field.setAttribute("aria-invalid", String(note !== ""));
  }
}

// A word of the glossary can be pointed at and tapped: see page.js.
function explained([text, meaning]) {
  if (!meaning) return text;
  const word = element("span", { className: "term", tabIndex: 0, role: "button" }, text);
  word.setAttribute("aria-description", meaning);
  return word;
}

function hint(better) {
  return better ? [element("span", { className: "hint" }, better)] : [];
}

// "d_VC" as d with an index.
function written(symbol) {
  if (!symbol) return [];
  const [base, index] = symbol.split("_");
  return [element("i", {}, base, ...(index ? [element("sub", {}, index)] : []))];
}
