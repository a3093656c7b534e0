// @ts-check
// A page that stands still under the hand: while a control moves, what is above the controls only
// grows, and on a phone the figure stays in sight. A click elsewhere lets all of it go.

import { narrow } from "./media.js";
import { Component, setData } from "./component.js";
import { pageOf } from "./side.js";

const CONTROLS = ".st-key-controls, .controls";
const STUCK = 0.64; // of a phone's height that stays in sight above the controls, at most
const APART = 8; // pixels between sentence and figure

export class Anchoring extends Component {
  /**
   * @param {any} root
   * @param {any[]} growing what is above the controls: sentence, figure on a phone, legend, exact numbers
   * @param {any} further the offer to compute further
   * @param {() => boolean} isMoving
   */
  constructor(root, growing, further, isMoving) {
    super();
    this.root = root;
    this.growing = growing;
    this.further = further;
    this.isMoving = isMoving;
    this.page = pageOf(root);
    this.kept = false; // whether what is above the controls keeps its height
    this.place = null; // how far down the page the controls began before the frame that comes
    this.key = ""; // the parameter that moves, and its control
    this.control = null;
    // The browser tells once it has laid out all that a figure has changed; the offer to compute
    // further is above the controls, too.
    this.heights = new ResizeObserver(() => this.kept && this.keep());
    for (const part of [...growing, further]) this.heights.observe(part);
    const elsewhere = ({ target }) =>
      target.closest(`${CONTROLS}, .here-handle, .pull`) || this.letGo();
    document.addEventListener("click", elsewhere, { signal: this.ended.signal, capture: true });
  }

  stop() {
    super.stop();
    this.heights.disconnect();
  }

  /** The control of a parameter moves. */
  begin(key) {
    if (this.kept && key === this.key && this.control?.isConnected) return;
    const name = CSS.escape((this.key = key));
    this.control = this.page.querySelector(`.st-key-${name}, [data-control="${name}"]`);
    this.keep();
    this.stick();
  }

  // The page scrolls along where the controls began further up: else the slider would jump under the hand.
  keep() {
    this.kept = true;
    // All are measured before the first is changed: the browser lays the page out once, not thrice.
    const heights = this.growing.map((part) => `${part.getBoundingClientRect().height}px`);
    this.growing.forEach((part, index) => (part.style.minHeight = heights[index]));
    if (!this.further.hidden) this.further.classList.add("kept");
    this.scrolled.style.overflowAnchor = "none"; // else a browser scrolls along as well
    if (this.place !== null) this.scrolled.scrollTop += this.below() - this.place;
  }

  /** Before anything changes, when nothing has to be laid out to tell: it counts for the next frame. */
  measure() {
    if (!this.kept || this.place !== null) return;
    this.place = this.below();
    requestAnimationFrame(() => setTimeout(() => (this.place = null)));
  }

  // On a phone the figure stays in sight while the controls below it move, and the sentence above it,
  // if they leave room for them; the sentence only while it does not cover the control under the finger.
  stick() {
    if (!narrow.matches) return; // nothing sticks; and who measures has the page laid out
    const { root } = this;
    const [sentence, figure] = this.growing.map((part) => part.offsetHeight);
    const [both, room] = [sentence + APART + figure, STUCK * window.innerHeight];
    const above = root.dataset.sticks === "sentence" ? figure : both;
    const free = !this.kept || this.control?.getBoundingClientRect().top >= above;
    const isShown = both <= room && free;
    if (isShown) root.style.setProperty("--dpviz-sentence", `${sentence + APART}px`);
    setData(root, "sticks", isShown ? "sentence" : figure <= room);
  }

  get scrolled() {
    return this.root.closest(".stMain, #standing") ?? document.scrollingElement;
  }

  // How far down the page the controls begin, where it has any that move.
  below() {
    const controls = this.page.querySelector(CONTROLS);
    return (controls?.getBoundingClientRect().top ?? 0) + this.scrolled.scrollTop;
  }

  letGo() {
    if (this.isMoving() || !this.root.isConnected) return;
    this.kept = false;
    this.stick();
    for (const part of this.growing) part.style.minHeight = "";
    this.further.classList.remove("kept");
    this.scrolled.style.overflowAnchor = "";
  }
}
