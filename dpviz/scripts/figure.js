// @ts-check
// The figure in its place: a drawing, what is read off it, what a hand drags in it, and its width.

import { Drawing } from "./drawing.js";
import { Focus } from "./focus.js";
import { Handle } from "./handle.js";
import { still } from "./media.js";
import { Component } from "./component.js";
import { Readout } from "./readout.js";

export class Figure extends Component {
  /**
   * @param {any} root
   * @param {typeof fetch} bring asks for what a button plays
   */
  constructor(root, bring) {
    super();
    this.picture = root.querySelector(".picture");
    this.plot = root.querySelector(".plot");
    this.drawing = new Drawing(this.plot, still, bring);
    this.focus = new Focus(this.drawing);
    this.readout = new Readout(this.picture, this.drawing, this.focus);
    this.handle = new Handle(this.picture, this.drawing);
    this.across = undefined; // pixels: who asks for them has the page laid out
    this.on(window, { resize: () => (this.across = undefined) });
    // What stands beside the figure comes and goes, too.
    let width = 0;
    this.widths = new ResizeObserver(([{ contentRect }]) => {
      this.across = this.picture.clientWidth;
      this.drawing.resized();
      this.handle.place();
      if (contentRect.width !== width) this.readout.renew();
      if (width && contentRect.width !== width) window.dispatchEvent(new Event("resize"));
      width = contentRect.width;
    });
    this.widths.observe(this.picture);
  }

  stop() {
    super.stop();
    this.drawing.clear();
    this.widths.disconnect();
    this.readout.stop();
    this.handle.stop();
  }

  get width() {
    return (this.across ??= this.picture.clientWidth);
  }

  /** Whether it is in sight: out of sight it has no width. */
  get isSeen() {
    return this.picture.clientWidth > 0;
  }

  /**
   * @param {import("./types").Line} line
   * @param {string} address from where it came
   */
  put(line, address) {
    this.plot.hidden = false;
    this.drawing.put(/** @type {any} */ (line), address);
    this.plot.setAttribute("aria-label", line.alt);
  }

  /** Words stand in its place. */
  hide() {
    this.plot.hidden = true;
  }

  clear() {
    this.drawing.clear();
  }

  /** Another one stands there, or none. */
  renew() {
    this.readout.renew();
    this.focus.show();
    this.handle.place();
  }
}
