// @ts-check
// The browser's half of curve.py: a curve that is the answer to an exercise, drawn or typed.

import { canvas, said } from "./canvas.js";
import { readNumber } from "./numbers.js";

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
    this.canvas = canvas(data, data.given, () => this.canvas && this.tell());
    this.side = data.axes.y;
    this.marks = data.marks;
    find(".title").textContent = data.axes.y.title;
    find(".place").replaceChildren(this.canvas.root);
    find(".fields").replaceChildren(...data.marks.map(([, name], place) => this.field(name, place)));
    find(".check").onclick = () => this.trigger("drawn", { text: this.canvas.write(), at: Date.now() });
    find(".clear").onclick = () => this.canvas.clear();
    this.tell();
  }

  update({ exact }, trigger) {
    this.trigger = trigger;
    this.canvas.show(exact);
  }

  field(name, place) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    input.inputMode = "decimal";
    input.autocomplete = "off";
    input.oninput = () => this.take(place, input);
    input.onblur = () => this.tell();
    label.append(name, input);
    this.fields.push(input);
    return label;
  }

  // A typed value is drawn at once, as far as it lies on the axis.
  take(place, input) {
    const { low, high, log } = this.side;
    const value = readNumber(input.value, { comma: true });
    const part = ((log ? Math.log10(value) : value) - low) / (high - low);
    const known = Number.isFinite(part);
    input.setAttribute("aria-invalid", String(!known && input.value !== ""));
    if (known) this.canvas.lift(place, Math.min(Math.max(part, 0), 1));
  }

  // The fields say what is drawn, but for the one that is typed in.
  tell() {
    this.fields.forEach((input, place) => {
      if (input.matches(":focus")) return;
      const part = this.canvas.at(this.marks[place][0]);
      input.value = part === null ? "" : said(this.side, part);
      input.setAttribute("aria-invalid", "false");
    });
  }
}
