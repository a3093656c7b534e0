// @ts-check
// What a figure of a movement holds on to, of those before it: axes and margins of the one that is
// drawn, and curves of a whole one, which stand in for those not known yet.

import { others } from "./address.js";

export class Previous {
  constructor() {
    this.held = ""; // axes and margins, as a part of an address
    this.whole = null; // about what the last whole figure was, or else the first, and its query
  }

  /** @param {import("./types").Line} line what is drawn now */
  hold({ axes, left, right, places }) {
    const [before, after] = [left, right].map(Math.round);
    this.held = axes ? `&held=${axes}&left=${before}&right=${after}&places=${places}` : "";
  }

  settle({ about, query }) {
    this.whole = { about, query: new URLSearchParams(query) };
  }

  isAbout(about) {
    return this.whole?.about === about;
  }

  /**
   * Return it as a part of the address of the next figure, told by the parameters that were others then.
   * @param {string} about
   * @param {URLSearchParams} query
   */
  of(about, query) {
    if (!this.isAbout(about)) return this.held;
    return `${this.held}&previous=${encodeURIComponent(String(others(this.whole.query, query)))}`;
  }
}
