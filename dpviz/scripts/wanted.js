// @ts-check
// Which figure is wanted: what the page says, and what a hand has moved meanwhile. It reads the window
// and what the tab remembers of a reader's wish; it asks for nothing and draws nothing.

import { addressOf, others } from "./address.js";
import { narrow } from "./media.js";
import { keep, recall } from "./permitted.js";

const LABELS = "dpviz-labels";

export class Wanted {
  /** @param {() => number} across pixels that a figure has */
  constructor(across) {
    this.across = across;
    /** @type {any} */
    this.data = null; // what the page says: types.d.ts, Wanted
    this.moves = new Map(); // parameter -> the value of a movement the server has not answered
    this.near = []; // parameters and values next to the last movement's
  }

  /** @param {import("./types").Wanted} data */
  update(data) {
    this.data = data;
    for (const [key, { number }] of this.moves)
      if (!(number > (data.numbers[key] ?? 0))) this.moves.delete(key);
  }

  /** @param {import("./types").Move} detail */
  move({ key, text, number, rests, near = [] }) {
    this.near = near.map((value) => [key, value]);
    if (text === null) this.moves.delete(key);
    else this.moves.set(key, { text, number, rests });
  }

  get moving() {
    return [...this.moves.values()].some(({ rests }) => !rests);
  }

  // The page's parameters, as they are in the address of the page when the movement has ended.
  get query() {
    const moved = [...this.moves].map(([key, { text }]) => [key, text]);
    return new URLSearchParams({ ...this.data.query, ...Object.fromEntries(moved) });
  }

  // What it is about: a view, and the step of a class at which it is seen.
  get subject() {
    return `${this.data.figure} ${this.data.step ?? ""}`;
  }

  get address() {
    return this.addressOf(this.query);
  }

  addressOf(query) {
    const { innerWidth: width, innerHeight: height } = window;
    let { look } = this.data;
    const chosen = look.labels === "few" && recall("tab", LABELS);
    if (chosen) look = { ...look, labels: chosen };
    // What was guessed and revealed was about where the controls stood then.
    const moved = String(others(new URLSearchParams(this.data.query), query));
    if (moved) look = { ...look, guess: "", revealed: look.revealed && "moved" };
    const data = { ...this.data, look };
    return addressOf(data, query, { narrow: narrow.matches, width, height, room: this.across() });
  }

  /** A figure of the same name is the same. */
  get name() {
    const { varies, unlimited, step } = this.data;
    return `${this.address} ${this.moving} ${varies} ${unlimited} ${step ?? ""}`;
  }

  /** All curves are named, or those that the figure is about: in all figures of this tab. */
  label(all) {
    keep("tab", LABELS, all ? "all" : "few");
  }

  /** The addresses of what a step to either side of the last movement would show, each once. */
  neighbours() {
    const { near } = this;
    this.near = [];
    return near.map(([key, value]) => {
      const query = this.query;
      query.set(key, value);
      return this.addressOf(query);
    });
  }
}
