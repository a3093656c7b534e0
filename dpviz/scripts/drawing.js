// @ts-check
// The drawing of a figure as the server made it: put in its place, its scales, and what a button plays.

import { element } from "./component.js";

const NAMESPACE = "http://www.w3.org/2000/svg";

/**
 * An axis in the pixels of its place: pixels of a value from `offset` on, and back.
 * @param {number[]} scale low, high, start, end in pixels, and whether it is logarithmic
 * @param {number} ratio pixels of the place to one of the drawing
 */
export function axisOf([low, high, start, end, log], ratio) {
  const offset = ratio * Math.min(start, end);
  const from = ratio * start - offset;
  const length = ratio * (end - start);
  return {
    offset,
    length: Math.abs(length),
    range: [low, high],
    d2p: (value) => from + (((log ? Math.log10(value) : value) - low) / (high - low)) * length,
    p2d: (pixel) => {
      const at = low + ((pixel - from) / length) * (high - low);
      return log ? 10 ** at : at;
    },
  };
}

export class Drawing {
  /**
   * @param {HTMLElement} place where it stands
   * @param {MediaQueryList} still whether a reader wants no motion
   * @param {typeof fetch} bring asks for what a button plays
   */
  constructor(place, still, bring) {
    this.place = place;
    this.still = still;
    this.bring = bring;
    this.line = null;
    const onclick = () => this.press();
    this.button = element("button", { type: "button", className: "play", onclick });
  }

  /**
   * @param {import("./types").Figure} line
   * @param {string} address from where it came
   */
  put(line, address) {
    this.pause();
    this.line = line;
    this.address = address;
    this.frames = line.frames ?? null;
    this.at = 0;
    this.parts = null;
    const made = document.createElement("template");
    made.innerHTML = line.svg;
    const now = made.content.firstElementChild;
    now.setAttribute("aria-hidden", "true"); // its description says it
    now.setAttribute("preserveAspectRatio", "none"); // a place is a little wider or less wide
    const [width, height] = ["width", "height"].map((name) => now.getAttribute(name));
    now.setAttribute("style", `height: ${height}px; aspect-ratio: ${width} / ${height}`);
    if (this.svg?.isConnected) turn(this.svg, now);
    else this.place.replaceChildren((this.svg = now));
    this.width = Number(this.svg.getAttribute("width"));
    this.button.hidden = !line.play || this.still.matches;
    if (this.button.hidden) return;
    const { right, top } = line.play;
    this.button.style.right = `${100 * (1 - right / this.width)}%`;
    this.button.style.top = `${top}px`;
    if (!this.button.isConnected) this.place.append(this.button);
  }

  /** Pixels of the place to one of the drawing, across; upwards they are the same. */
  get ratio() {
    this.room ??= this.place.clientWidth; // which the browser lays out all that has changed to tell
    return this.room / this.width || 1;
  }

  /** The place has another width. */
  resized() {
    this.room = undefined;
  }

  /** The axes, and the place in the figure that a hand may drag; null without a drawing. */
  get layout() {
    if (!this.line) return null;
    const { scales, drag } = this.line;
    return { x: axisOf(scales.x, this.ratio), y: axisOf(scales.y, 1), drag };
  }

  /** The elements of all curves that the figure is not about; each says how it looks when meant. */
  get named() {
    return this.line && !this.place.hidden ? [...this.svg.querySelectorAll("[data-curve]")] : [];
  }

  clear() {
    if (!this.line) return;
    this.pause();
    this.line = null;
    this.place.replaceChildren();
  }

  // --- Playing --------------------------------------------------------------------------------

  pause() {
    clearTimeout(this.due);
    this.due = undefined;
    this.button.textContent = "Play";
  }

  async press() {
    const plays = () => this.button.textContent === "Pause"; // also while its frames are on their way
    if (plays()) return this.pause();
    const { line } = this;
    this.button.textContent = "Pause";
    try {
      this.frames ??= await framesOf(await this.bring(`${this.address}&frames=1`));
    } catch {
      return this.line === line && this.pause();
    }
    if (this.line !== line || !plays()) return; // another one came meanwhile, or a second press
    this.parts ??= [...this.svg.childNodes];
    if (this.at >= this.frames.length) this.at = 0;
    this.next();
  }

  next() {
    clearTimeout(this.due); // that of a press before
    const parts = [...this.parts];
    for (const [from, to, markup] of this.frames[this.at].toReversed())
      parts.splice(from, to - from, ...drawn(markup));
    this.svg.replaceChildren(...parts);
    this.at += 1;
    if (this.at < this.frames.length) this.due = setTimeout(() => this.next(), this.line.play.each);
    else this.pause();
  }
}

// From one value of a slider to the next most of a drawing stays the same, and what the browser need
// not lay out and paint again is most of what it would do.
/**
 * Turn what stands there into what comes.
 * @param {any} was
 * @param {any} now
 */
function turn(was, now) {
  if (was.nodeName !== now.nodeName) return was.replaceWith(now);
  if (was.nodeType === Node.TEXT_NODE) {
    if (was.data !== now.data) was.data = now.data;
    return undefined;
  }
  for (const { name, value } of now.attributes)
    if (was.getAttribute(name) !== value) was.setAttribute(name, value);
  if (was.attributes.length > now.attributes.length)
    for (const { name } of [...was.attributes]) if (!now.hasAttribute(name)) was.removeAttribute(name);
  let [old, next] = [was.firstChild, now.firstChild];
  while (old && next) {
    const [older, newer] = [old.nextSibling, next.nextSibling];
    turn(old, next);
    [old, next] = [older, newer];
  }
  while (old) {
    const older = old.nextSibling;
    old.remove();
    old = older;
  }
  while (next) {
    const newer = next.nextSibling;
    was.append(next);
    next = newer;
  }
  return undefined;
}

async function framesOf(answer) {
  const lines = (await answer.text()).trimEnd().split("\n");
  const { frames } = JSON.parse(lines.at(-1));
  if (!frames) throw new Error("busy");
  return frames;
}

function drawn(markup) {
  const holder = document.createElementNS(NAMESPACE, "svg");
  holder.innerHTML = markup;
  return holder.childNodes;
}
