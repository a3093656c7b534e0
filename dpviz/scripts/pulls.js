// @ts-check
// Numbers of the sentence that are settings can be pulled, to the right for more: each is a slider, by
// mouse, finger and keys, as long as the control of its parameter is on the page. The control moves,
// as it does for a line in the figure: see handle.js.
//
// Words of the glossary in a sentence are one stop of the Tab key, so that the way to the controls is
// short; arrows lead from one to the next.

import { saidBy, tell } from "./handle.js";

const SLACK = 3; // pixels a hand may tremble before it pulls
const WAY = 500; // pixels from one end of a range to the other, as far as a step is neither
const [LEAST, MOST] = [2, 10]; // shorter nor longer than so many

export class Pulls {
  /** @param {any} sentence the element that the sentence stands in */
  constructor(sentence) {
    this.sentence = sentence;
    this.held = null; // the number that is pulled: its parameter, and from where
    this.ended = new AbortController();
    const { signal } = this.ended;
    const on = (target, type, handler) =>
      target.addEventListener(type, handler.bind(this), { signal });
    on(sentence, "pointerdown", this.press);
    on(sentence, "pointermove", this.drag);
    for (const type of ["pointerup", "pointercancel", "lostpointercapture"])
      on(sentence, type, this.letGo);
    on(sentence, "keydown", this.step);
    on(sentence, "keyup", ({ target }) => keyOf(target) && tell(keyOf(target), { press: "" }));
    on(document, "dpviz-control", this.say);
    on(document, "dpviz-move", this.say);
  }

  stop() {
    this.ended.abort();
  }

  /**
   * Write another sentence. The number that has the keys stays where it is, with another text: taken
   * out of the page it would lose them, and a screen reader would read all of it again.
   * @param {string} html
   */
  write(html) {
    const { sentence } = this;
    const has = /** @type {any} */ (sentence.querySelector(".pull:focus"));
    const place = document.createElement("template");
    place.innerHTML = html;
    const same = has && place.content.querySelector(`[data-pull="${CSS.escape(keyOf(has))}"]`);
    if (!same || has.parentNode !== sentence || same.parentNode !== place.content) {
      const key = has && keyOf(has);
      sentence.replaceChildren(place.content);
      this.say();
      if (key) this.hand(key);
      return;
    }
    has.replaceChildren(...same.childNodes);
    for (const part of [...sentence.childNodes]) if (part !== has) part.remove();
    let before = true;
    for (const part of [...place.content.childNodes]) {
      if (part === same) before = false;
      else if (before) has.before(part);
      else sentence.append(part);
    }
    this.say();
  }

  // A sentence without the number, or with it elsewhere: the keys go there, or to the control itself.
  hand(key) {
    const number = this.sentence.querySelector(`[data-pull="${CSS.escape(key)}"][role=slider]`);
    if (number) number.focus({ preventScroll: true });
    else tell(key, { focus: true });
  }

  // Who moves the control hears what it is now; a number without one is a word like others.
  say() {
    for (const number of this.sentence.querySelectorAll(".pull")) {
      const { control } = tell(keyOf(number), {});
      if (control) {
        number.tabIndex = 0;
        number.role = "slider";
        saidBy(control, number);
      } else for (const name of ["tabindex", "role"]) number.removeAttribute(name);
    }
    this.words.forEach((word, index) => (word.tabIndex = index ? -1 : 0));
  }

  press(event) {
    const number = event.target.closest?.(".pull[role=slider]");
    if (!number || event.button !== 0 || !event.isPrimary) return;
    const key = keyOf(number);
    const { control } = tell(key, {});
    if (!control) return;
    event.preventDefault(); // no text is marked
    number.focus({ preventScroll: true });
    this.sentence.setPointerCapture(event.pointerId);
    const step = Math.min(Math.max(WAY / control.last, LEAST), MOST);
    this.held = { key, from: event.clientX, now: control.now, step, moved: false };
  }

  drag(event) {
    const { held } = this;
    if (!held) return;
    const across = event.clientX - held.from;
    held.moved ||= Math.abs(across) > SLACK;
    if (!held.moved) return;
    this.sentence.classList.add("pulling");
    tell(held.key, { index: held.now + Math.round(across / held.step), last: false });
  }

  letGo() {
    const { held } = this;
    if (!held) return;
    this.held = null;
    this.sentence.classList.remove("pulling");
    if (held.moved) tell(held.key, { last: true });
  }

  /** @returns {any[]} */
  get words() {
    return [...this.sentence.querySelectorAll(".term")];
  }

  step(event) {
    const at = this.words.indexOf(event.target);
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (at >= 0 && way) {
      event.preventDefault();
      this.words.at((at + way) % this.words.length).focus();
      return;
    }
    const key = keyOf(event.target);
    if (!key || event.altKey || event.ctrlKey || event.metaKey || this.held) return;
    if (tell(key, { press: event.key }).taken) event.preventDefault();
  }
}

function keyOf(part) {
  return part.closest?.(".pull")?.dataset.pull ?? "";
}
