// @ts-check
// How far a long computation is, below its figure, and the button that ends it or goes on.

import { Component } from "./component.js";

export class Progress extends Component {
  /**
   * @param {any} root
   * @param {(word: "stop" | "compute") => void} ask
   */
  constructor(root, ask) {
    super();
    this.place = root.querySelector(".going-on");
    this.button = this.place.querySelector("button");
    this.bar = root.querySelector("progress");
    this.words = root.querySelector(".words");
    this.on(this.button, { click: () => ask(this.button.textContent === "Stop" ? "stop" : "compute") });
  }

  hide() {
    this.place.hidden = true;
  }

  /**
   * It goes on.
   * @param {string} words
   * @param {number | null} [done] a share, if it is known
   */
  show(words, done) {
    this.place.hidden = false;
    this.button.textContent = "Stop";
    this.bar.hidden = false;
    if (done != null) this.bar.value = done;
    this.words.textContent = words;
  }

  /**
   * Nothing more comes.
   * @param {import("./types").Line} line
   */
  rest({ whole, remark }) {
    this.place.hidden = Boolean(whole);
    if (whole) return;
    this.bar.hidden = true;
    this.button.textContent = "Compute further";
    this.words.textContent = `${remark} The code computes all of it.`.trim();
  }
}
