// @ts-check
// Numbers of the sentence that are settings can be pulled, to the right for more: each is a slider, by
// mouse, finger and keys, as long as the control of its parameter is on the page. The control moves,
// as it does for a line in the figure: see handle.js.
//
// The words of the glossary around a figure are one stop of the Tab key, so that the way to the
// controls is short; arrows lead from one to the next.

import { grips, saidBy, tell } from "./handle.js";
import { Component, isCombined } from "./component.js";
import { pageOf } from "./side.js";

const SLACK = 3; // pixels a hand may tremble before it pulls
const WAY = 500; // pixels from one end of a range to the other, as far as a step is neither
const [LEAST, MOST] = [2, 10]; // shorter nor longer than so many

export class Sentence extends Component {
  /** @param {any} place the element that it stands in */
  constructor(place) {
    super();
    this.place = place;
    this.page = pageOf(place);
    this.held = null; // the number that is pulled: its parameter, and from where
    const keyup = ({ target }) => keyOf(target) && this.tell(keyOf(target), { press: "" });
    this.on(place, { ...grips(this), keydown: this.step, keyup });
    this.on(this.page, { "dpviz-control": this.say, "dpviz-move": this.say });
  }

  tell(key, detail) {
    return tell(this.page, key, detail);
  }

  /**
   * Write another sentence. The number that has the keys stays where it is, with another text: taken
   * out of the page it would lose them, and a screen reader would read all of it again.
   * @param {string} html
   */
  write(html) {
    const has = this.place.querySelector(".pull:focus");
    const key = has && keyOf(has);
    const made = document.createElement("template");
    made.innerHTML = html;
    const now = made.content;
    const same = key && now.querySelector(`[data-pull="${CSS.escape(key)}"]`);
    if (!same || has.parentNode !== this.place || same.parentNode !== now) {
      this.place.replaceChildren(now);
      this.say();
      if (key) this.hand(key);
      return;
    }
    has.replaceChildren(...same.childNodes);
    for (const part of [...this.place.childNodes]) if (part !== has) part.remove();
    const parts = [...now.childNodes];
    const at = parts.indexOf(same);
    has.before(...parts.slice(0, at));
    has.after(...parts.slice(at + 1));
    this.say();
  }

  // A sentence without the number, or with it elsewhere: the keys go there, or to the control itself.
  hand(key) {
    const number = this.place.querySelector(`[data-pull="${CSS.escape(key)}"][role=slider]`);
    if (number) number.focus({ preventScroll: true });
    else this.tell(key, { focus: true });
  }

  // Who moves the control hears what it is now; a number without one is a word like others.
  say() {
    for (const number of this.place.querySelectorAll(".pull")) {
      const { control } = this.tell(keyOf(number), {});
      if (control) {
        number.tabIndex = 0;
        number.role = "slider";
        saidBy(control, number);
      } else for (const name of ["tabindex", "role"]) number.removeAttribute(name);
    }
  }

  press(event) {
    const number = event.target.closest?.(".pull[role=slider]");
    if (!number || event.button !== 0 || !event.isPrimary) return;
    const key = keyOf(number);
    const { control } = this.tell(key, {});
    if (!control) return;
    event.preventDefault(); // no text is marked
    number.focus({ preventScroll: true });
    this.place.setPointerCapture(event.pointerId);
    const step = Math.min(Math.max(WAY / control.last, LEAST), MOST);
    this.held = { key, from: event.clientX, now: control.now, step, moved: false };
  }

  drag(event) {
    const { held } = this;
    if (!held) return;
    const across = event.clientX - held.from;
    held.moved ||= Math.abs(across) > SLACK;
    if (!held.moved) return;
    this.place.classList.add("pulling");
    this.tell(held.key, { index: held.now + Math.round(across / held.step), last: false });
  }

  letGo() {
    const { held } = this;
    if (!held) return;
    this.held = null;
    this.place.classList.remove("pulling");
    if (held.moved) this.tell(held.key, { last: true });
  }

  step(event) {
    const key = keyOf(event.target);
    if (!key || isCombined(event) || this.held) return;
    if (this.tell(key, { press: event.key }).taken) event.preventDefault();
  }
}

export class Words extends Component {
  /** @param {any} root what they stand in */
  constructor(root) {
    super();
    this.root = root;
    this.on(root, { keydown: this.step });
  }

  /** @returns {any[]} */
  get all() {
    return [...this.root.querySelectorAll(".term")];
  }

  /** @returns {any[]} those in sight: no arrow leads into what is folded */
  get seen() {
    return this.all.filter((word) => word.checkVisibility());
  }

  // Others have come; the one that has the keys keeps its place.
  renew() {
    const { all } = this;
    const stop = all.find((word) => word.matches(":focus")) ?? this.seen[0] ?? all[0];
    for (const word of all) word.tabIndex = word === stop ? 0 : -1;
  }

  step({ target, key }) {
    const { seen } = this;
    const at = seen.indexOf(target);
    const way = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (at >= 0 && way) seen.at((at + way) % seen.length).focus();
  }
}

function keyOf(part) {
  return part.closest?.(".pull")?.dataset.pull ?? "";
}
