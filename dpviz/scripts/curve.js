// @ts-check
// The browser's half of curve.py: a curve that is the answer to an exercise, drawn or typed.

import { evaluate } from "./arithmetic.js";
import { canvas, said } from "./canvas.js";
import { element } from "./component.js";

const SAME = 1e-6; // part of the axis

export default function ({ data, parentElement, setTriggerValue }) {
  const about = JSON.stringify([data.axes, data.marks]); // another exercise has others
  if (parentElement.curve?.about !== about) parentElement.curve = new Curve(parentElement, data, about);
  parentElement.curve.update(data, setTriggerValue);
}

class Curve {
  constructor(root, data, about) {
    this.about = about;
    const find = (name) => root.querySelector(name);
    this.fields = [];
    this.typed = []; // what stands in a field as it was typed, and the part of the axis that it is
    this.canvas = canvas(data, data.given, () => this.canvas && this.tell());
    this.side = data.axes.y;
    this.marks = data.marks;
    find(".title").textContent = data.axes.y.title;
    find(".place").replaceChildren(this.canvas.root);
    find(".fields").replaceChildren(...data.marks.map(([, name], place) => this.field(name, place)));
    this.verdict = find(".verdict");
    find(".check").onclick = () => this.check();
    find(".clear").onclick = () => {
      this.forget();
      this.canvas.clear();
    };
    for (const name of ["pointerdown", "keydown"]) // who draws on has left what was typed
      this.canvas.root.addEventListener(name, () => this.forget());
    this.tell();
  }

  update({ exact, verdict }, trigger) {
    this.trigger = trigger;
    this.canvas.show(exact);
    this.say(...verdict);
  }

  say(found, words) {
    this.verdict.querySelector("strong").textContent = found;
    this.verdict.querySelector("span").textContent = words;
  }

  // What could not be read is not what is drawn: nothing is checked before it is.
  check() {
    const unread = this.fields.find((input) => input.getAttribute("aria-invalid") === "true");
    if (!unread) return this.trigger("drawn", { text: this.canvas.write(), at: Date.now() });
    this.say("", `Nothing was checked: ${unread.parentElement.querySelector("output").textContent}`);
    unread.focus();
  }

  forget() {
    this.typed = [];
    for (const input of this.fields) this.report(input, "");
  }

  field(name, place) {
    const input = element("input", { autocomplete: "off", onblur: () => this.tell() });
    input.oninput = () => this.take(place, input);
    this.fields.push(input);
    return element("label", {}, name, input, element("output"));
  }

  // A typed value is drawn at once; what is none, or lies beyond the axis, is refused where it stands.
  take(place, input) {
    const { low, high, log } = this.side;
    const value = evaluate(input.value);
    const part = ((log ? Math.log10(value) : value) - low) / (high - low);
    const isOn = part >= -SAME && part <= 1 + SAME;
    if (isOn) {
      this.typed[place] = { text: input.value, part: Math.min(Math.max(part, 0), 1) };
      this.canvas.lift(place, this.typed[place].part);
    } else delete this.typed[place];
    this.report(input, isOn || !input.value.trim() ? "" : this.refusal(input.value, value));
    const read = String(Number(value.toPrecision(4)));
    if (isOn && read !== input.value.trim()) input.nextElementSibling.value = `= ${read}`;
  }

  refusal(text, value) {
    if (Number.isNaN(value)) return `“${text.trim()}” cannot be read; as in 0.25, 1/4 or 2*ln(9).`;
    const [low, high] = [0, 1].map((part) => said(this.side, part).replace("-", "−"));
    return `The axis goes from ${low} to ${high}.`;
  }

  report(input, problem) {
    input.setAttribute("aria-invalid", String(Boolean(problem)));
    input.nextElementSibling.value = problem;
  }

  // The fields say what is drawn, as it was typed if it was, but for the one that is typed in, and
  // for what could not be read, which stays until it is put right.
  tell() {
    this.fields.forEach((input, place) => {
      if (input.matches(":focus") || input.getAttribute("aria-invalid") === "true") return;
      const part = this.canvas.at(this.marks[place][0]);
      const typed = this.typed[place];
      if (typed && part !== null && Math.abs(typed.part - part) < SAME) return;
      delete this.typed[place];
      input.value = part === null ? "" : said(this.side, part);
      this.report(input, "");
    });
  }
}
