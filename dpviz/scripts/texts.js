// @ts-check
// What is said around a figure: its sentence, legend, exact numbers and notes, or in its place why
// there is none. Notes and odds stand elsewhere on the page, and hear of it by events, "dpviz-...".

import { Component } from "./component.js";
import { Sentence, Words } from "./sentence.js";
import { pageOf } from "./side.js";

const ANNOUNCED = 5000; // milliseconds after which a screen reader has begun to say what is new

export class Texts extends Component {
  /** @param {any} root */
  constructor(root) {
    super();
    const find = (name) => root.querySelector(name);
    this.root = root;
    this.page = pageOf(root);
    this.takeaway = find(".takeaway");
    this.legend = find(".legend-place");
    this.detail = find(".detail");
    this.message = find(".message");
    this.spoken = find(".spoken");
    this.sentence = new Sentence(this.takeaway);
    this.glossary = new Words(root);
    this.written = {}; // what stands there: what stays the same is not laid out again
    this.remark = ""; // what is to be said of a figure that is not computed to its end
    const printed = find(".printed");
    const beforeprint = () => (printed.textContent = `${this.remark} ${location.href}`.trim());
    this.on(window, { beforeprint });
    // What unfolds at the lower end of a window is brought into it: else the click seems to do nothing.
    const told = this.detail.parentElement;
    this.on(told, { toggle: () => told.open && told.scrollIntoView({ block: "nearest" }) });
  }

  stop() {
    super.stop();
    this.sentence.stop();
    this.glossary.stop();
  }

  /** @param {import("./types").Line} line */
  write({ takeaway, legend, exact, notes, odds }) {
    const { written } = this;
    this.message.hidden = true;
    if (takeaway !== written.takeaway) this.sentence.write(takeaway);
    if (legend !== written.legend) this.list(legend);
    if (exact !== written.exact) this.detail.innerHTML = exact;
    this.written = { takeaway, legend, exact };
    this.note(notes);
    this.page.dispatchEvent(new CustomEvent("dpviz-odds", { detail: odds }));
  }

  /**
   * @param {string} words
   * @param {boolean} grave
   */
  complain(words, grave) {
    this.message.textContent = words;
    this.message.className = grave ? "message grave" : "message";
    this.message.hidden = false;
    this.written = {};
    this.sentence.write("");
    this.legend.textContent = "";
    this.detail.textContent = "";
    this.note([]);
  }

  // Who has the keys on the switch keeps them.
  list(legend) {
    const held = this.legend.querySelector(":focus");
    this.legend.innerHTML = legend;
    if (held) this.legend.querySelector(".all-labels")?.focus({ preventScroll: true });
  }

  note(notes) {
    this.root.notes = notes;
    this.page.dispatchEvent(new CustomEvent("dpviz-notes", { detail: notes }));
  }

  // A screen reader says it, once: whoever reads on finds the sentence where it stands, and not a
  // second time.
  announce() {
    const words = this.takeaway.textContent;
    this.spoken.textContent = words;
    setTimeout(() => this.spoken.textContent === words && (this.spoken.textContent = ""), ANNOUNCED);
  }
}
