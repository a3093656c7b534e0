// @ts-check
// The browser's half of rounds.py: buttons for the answers of a round, each with its key.
//
// An answer is given only once the figure of its round is drawn. One that comes earlier waits until
// then: the bar counts it at once.

import { Component, element, isCombined, mounted } from "./component.js";
import { isBehind, pageOf } from "./side.js";

const LOOK = 50; // milliseconds between looks whether the next round is drawn
const LOST = 5000; // milliseconds after which an answer that nobody took is given again
const TWICE = 250; // milliseconds within which a second press of the same button is the same press

export default mounted("rounds", (place) => new Rounds(place));

class Rounds extends Component {
  constructor(root) {
    super();
    this.root = root;
    this.place = root.querySelector(".answers");
    this.bar = root.querySelector("progress");
    this.now = root.querySelector(".far span");
    this.game = "";
    this.number = 0; // the round that the server waits for
    this.waiting = []; // answers to it and to those after it
    this.given = 0; // when the first of them was given, 0 if it was not
    this.pressed = { letter: "", at: 0 };
    this.on(document, { keydown: this.key, "dpviz-said": this.hear });
    this.ended.signal.addEventListener("abort", () => clearTimeout(this.due));
  }

  update(data, trigger) {
    this.data = data;
    this.trigger = trigger;
    const game = JSON.stringify(data.game);
    if (game === this.game && data.number === this.number) return;
    const taken = data.number - this.number;
    this.waiting = game === this.game && taken > 0 ? this.waiting.slice(taken) : [];
    this.game = game;
    this.number = data.number;
    this.given = 0;
    this.show();
    this.due = setTimeout(() => this.give(), LOOK); // the figure hears of it, too
  }

  get over() {
    return this.number > this.data.count;
  }

  get answered() {
    return Math.min(this.number - 1 + this.waiting.length, this.data.count);
  }

  // The same buttons stay as long as the game, so that none loses the focus.
  show() {
    const { count, answers } = this.data;
    const named = this.over ? [["n", "Play again"]] : answers;
    const letters = named.map(([letter]) => letter).join();
    if (letters !== this.place.dataset.letters) {
      this.place.dataset.letters = letters;
      this.place.replaceChildren(...named.map(([letter, words]) => this.button(letter, words)));
    }
    this.bar.max = count;
    this.bar.value = this.answered;
    const now = Math.min(this.answered + 1, count);
    this.now.textContent = this.over ? `${count} rounds played` : `Round ${now} of ${count}`;
    this.bar.setAttribute("aria-label", `${this.answered} of ${count} rounds answered`);
    const all = !this.over && this.answered === count;
    for (const button of this.place.children) button.setAttribute("aria-disabled", String(all));
  }

  button(letter, words) {
    const onclick = () => this.press(letter);
    const button = element("button", { type: "button", onclick }, words, element("kbd", {}, letter));
    button.dataset.letter = letter;
    button.setAttribute("aria-keyshortcuts", letter);
    return button;
  }

  key(event) {
    const busy = event.target.closest?.("input, textarea, select");
    if (busy || isBehind(this.root) || isCombined(event) || event.repeat) return;
    if (this.place.querySelector(`[data-letter="${CSS.escape(event.key)}"]`)) this.press(event.key);
  }

  press(letter) {
    const now = Date.now();
    const twice = letter === this.pressed.letter && now - this.pressed.at < TWICE;
    this.pressed = { letter, at: now };
    if (twice || (this.over ? this.sending : this.answered === this.data.count)) return;
    this.waiting.push(letter);
    this.show();
    this.give();
  }

  // What was answered before this page was there: all at once.
  hear({ detail }) {
    if (!isBehind(this.root)) return;
    detail.number = this.number;
    const letter = detail.said.slice(this.number - 1);
    if (!letter || this.sending) return;
    this.given = Date.now();
    this.trigger("said", { letter, number: this.number });
  }

  // Whether what was given is on its way.
  get sending() {
    return Date.now() - this.given < LOST;
  }

  give() {
    clearTimeout(this.due);
    if (!this.waiting.length || this.ended.signal.aborted) return;
    this.due = setTimeout(() => this.give(), LOOK);
    const page = pageOf(this.root);
    const stage = page.querySelector(page === document ? ".dpviz-stage" : ".stands");
    const drawn = stage?.dataset.state === "rest";
    if (!drawn || this.sending) return;
    this.given = Date.now();
    const [letter] = this.waiting;
    if (!this.over) this.trigger("said", { letter, number: this.number });
    else {
      this.waiting = []; // given once more it would skip a game
      this.trigger("again", this.given);
    }
  }
}
