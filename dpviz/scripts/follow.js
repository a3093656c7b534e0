// @ts-check
// The figure of the next value of a movement, drawn by changing what there is.
//
// From one value to the next hardly more changes than where curves, words and lines are, and which
// numbers the words say. plotly.js draws axes, words and all else anew for that, which takes four
// times as long as the curves alone. Here it draws the curves that have changed, and words, lines and
// ticks are moved to where it would put them. What differs in any other way is left to it.

import { Ruler } from "./axes.js";
import { ERRORS, LIVE, MOVED, WITHIN, alongside, changes, drawable, numbers } from "./changes.js";
import { reword, wording } from "./wording.js";

/**
 * Turn the figure of `before` into that of `after`; return whether that could be done. If not, the
 * figure is neither, and has to be drawn in full.
 * @param {any} plot the element in which plotly.js has drawn
 * @param {import("./types").Spec | null} before
 * @param {import("./types").Spec} after
 */
export function follow(plot, before, after) {
  const { _fullLayout: full, _fullData: traces } = plot;
  if (!before || !full) return false;
  const changed = changes(before, after);
  if (!changed) return false;
  const { axes, curves, notes, lines } = changed;
  const rulers = axes.map((key) => new Ruler(plot, key, before, after));
  if (!rulers.every((ruler) => ruler.can)) return false;
  const can = (index) => {
    const { type, visible } = traces[index] ?? {}; // one without points is not
    return visible && drawable(before.data[index], after.data[index], type, full);
  };
  if (!curves.every(can)) return false;

  rulers.forEach((ruler) => ruler.turn()); // what stands on them moves along
  const ids = rulers.map(({ axis }) => axis._id);
  const words = alongside(after.layout.annotations, notes, full.annotations, ids)
    .map((index) => new Note(plot, index, before, after))
    .filter((note) => !note.hidden);
  const strokes = alongside(after.layout.shapes, lines, full.shapes, ids).map(
    (index) => new Stroke(plot, index, after),
  );
  if (![...words, ...strokes].every((part) => part.can)) return false;

  if (curves.length || rulers.length) redraw(plot, curves, after.data);
  const ticked = rulers.map((ruler) => ruler.place());
  words.forEach((note) => note.write());
  words.forEach((note) => note.measure()); // all at once: the browser lays out words once, not often
  const placed = words.map((note) => note.place());
  strokes.forEach((stroke) => stroke.place());
  for (const key of LIVE) if (key in after.layout) plot.layout[key] = after.layout[key];
  full.meta = after.layout.meta;
  return [...placed, ...ticked].every(Boolean);
}

// --- Curves -----------------------------------------------------------------------------------

function redraw(plot, curves, data) {
  const { _fullData: traces, calcdata } = plot;
  for (const index of curves) {
    const [trace, given] = [traces[index], plot.data[index]];
    for (const key of MOVED.trace) {
      if (!(key in data[index])) continue;
      const part = data[index][key];
      const inner = WITHIN[key]?.filter((name) => name in part);
      if (!inner) given[key] = trace[key] = numbers(part);
      else for (const name of inner) given[key][name] = trace[key][name] = numbers(part[name]);
    }
    trace._length = Math.min(trace.x.length, trace.y.length);
    if (trace.type !== "bar") calcdata[index] = points(plot, trace);
  }
  const bars = curves.some((index) => traces[index].type === "bar") ? stack(plot) : null;
  // All of them: some alone would leave the order in which they lie on each other.
  const { _basePlotModules: modules, barmode, barnorm, bargap, bargroupgap } = plot._fullLayout;
  // Nothing of a transition: looks stay as they are.
  const how = { duration: 0, mode: barmode, norm: barnorm, gap: bargap, groupgap: bargroupgap };
  modules[0].plot(plot, null, how, () => () => {});
  bars?.style(plot);
}

// Where bars stand depends on all those beside them. Return what draws bars.
function stack(plot) {
  const { _fullData: traces, _fullLayout: full, calcdata } = plot;
  const bars = traces.filter(({ type, visible }) => type === "bar" && visible === true);
  for (const trace of bars) calcdata[trace.index] = points(plot, trace);
  const [{ _module: kind }] = bars;
  for (const place of new Set(bars.map(({ xaxis, yaxis }) => xaxis + yaxis)))
    kind.crossTraceCalc(plot, full._plots[place]);
  return kind;
}

// Return what plotly.js draws of a trace: its points, and how far their errors go.
function points(plot, trace) {
  const found = trace._module.calc(plot, trace);
  found[0].t ??= {};
  found[0].trace = trace;
  for (const [key, letter] of ERRORS.map((name) => [name, name.at(-1)])) {
    if (!trace[key]?.visible) continue;
    const { array, arrayminus } = trace[key];
    found.forEach((point, index) => {
      point[`${letter}h`] = point[letter] + array[index];
      point[`${letter}s`] = point[letter] - (arrayminus ?? array)[index];
    });
  }
  return found;
}

// --- Words, and lines from them to curves -----------------------------------------------------

const ALONG = { x: { left: 0.5, right: -0.5 }, y: { top: 0.5, bottom: -0.5 } };
const OF_WIDTH = { start: 0, end: 1 };

class Note {
  constructor(plot, index, before, after) {
    this.full = plot._fullLayout;
    this.now = after.layout.annotations[index];
    this.options = this.full.annotations[index];
    this.group = this.full._infolayer.node().querySelector(`.annotation[data-index="${index}"]`);
    this.label = this.group?.querySelector(".annotation-text");
    this.box = this.group?.querySelector(".bg");
    this.leader = this.group?.querySelector(".annotation-arrow-g");
    this.said = before.layout.annotations[index].text;
    const { showarrow, textangle, axref, ayref } = this.options;
    // Out of sight before and after, it is not drawn at all.
    this.hidden = !this.group && !(this.holds("x") && this.holds("y"));
    const upright = !Number(textangle) && (!showarrow || (axref === "pixel" && ayref === "pixel"));
    this.can = Boolean(this.label && upright && this.holds("x") && this.holds("y") && this.parts());
  }

  // The axis that a coordinate is a value of, null where it is a share of the figure or of an axis.
  axis(letter) {
    const [id, domain] = this.options[`${letter}ref`].split(" ");
    return id === "paper" || domain ? null : axisOf(this.full, id);
  }

  // Whether the point the words are about is in sight.
  holds(letter) {
    const axis = this.axis(letter);
    if (axis === null) return true;
    const share = axis?.r2fraction(this.now[letter]);
    return share >= 0 && share <= 1;
  }

  parts() {
    if (this.now.text === this.said) return true;
    this.wording = wording(this.label, this.said, this.now.text);
    return Boolean(this.wording);
  }

  write() {
    if (this.wording) reword(this.label, this.now.text, this.wording);
  }

  measure() {
    const { borderwidth, borderpad } = this.options;
    this.border = borderwidth + borderpad;
    this.height = Number(this.box.getAttribute("height")) + borderwidth;
    if (!this.wording) this.width = Number(this.box.getAttribute("width")) + borderwidth;
    else {
      this.own = this.label.getBBox().width;
      this.width = Math.round(this.own + 2 * this.border);
    }
  }

  place() {
    const { borderwidth } = this.options;
    if (this.wording) {
      this.box.setAttribute("width", this.width - borderwidth);
      const part = OF_WIDTH[this.label.getAttribute("text-anchor")] ?? 0.5;
      for (const row of [this.label, ...this.label.querySelectorAll(".line")])
        row.setAttribute("x", this.border + part * this.own);
    }
    const [across, up] = [this.along("x", this.width), this.along("y", this.height)];
    const left = Math.round(across.middle - this.width / 2);
    const top = Math.round(up.middle - this.height / 2);
    this.box.parentNode.setAttribute("transform", `translate(${left},${top})`);
    // It turns nothing; plotly.js says about which point.
    const turn = `rotate(0,${across.middle},${up.middle})`;
    this.group.querySelector(".annotation-text-g").setAttribute("transform", turn);
    return !this.options.showarrow || this.point(across, up);
  }

  // Where the point is, where the line to it begins, and where the middle of the words is.
  along(letter, size) {
    const { [`${letter}anchor`]: anchor, [`${letter}shift`]: shift, showarrow } = this.options;
    const place = this.now[letter];
    const head = pixel(this.full, this.options[`${letter}ref`], letter, place);
    const share = letter === "x" ? place : 1 - place;
    const middle = showarrow || this.axis(letter) ? 0.5 : share;
    let words = size * (ALONG[letter][sided(anchor, middle, letter)] ?? 0) + head;
    let tail = head;
    if (showarrow) {
      const [from, most] = [this.now[`a${letter}`], letter === "x" ? "width" : "height"];
      [tail, words] = [tail + from, words + from];
      const low = -Math.max(tail - 3, words);
      const high = Math.min(tail + 3, words) - this.full[most];
      const back = low > 0 ? low : high > 0 ? -high : 0;
      [tail, words] = [tail + back, words + back];
    }
    const beside = letter === "x" ? shift : -shift;
    return { head: head + beside, tail: tail + beside, middle: words + beside };
  }

  // Draw the line from the edge of the words' box to the point; none where the words cover it.
  // Return whether there is a line to be drawn with.
  point(across, up) {
    const [wide, high] = ["width", "height"].map((key) => this.box.getAttribute(key) / 2);
    const inside = Math.abs(across.head - across.middle) < wide;
    const covered = inside && Math.abs(up.head - up.middle) < high;
    this.leader?.setAttribute("visibility", covered ? "hidden" : "visible");
    if (covered || !this.leader) return covered;
    const [dx, dy] = [across.head - across.tail, up.head - up.tail];
    // How far along the line leaves the box.
    const leaves = (step, from, middle, half) =>
      step ? (middle + Math.sign(step) * half - from) / step : Infinity;
    const share = Math.min(
      leaves(dx, across.tail, across.middle, wide),
      leaves(dy, up.tail, up.middle, high),
    );
    const far = share > 0 && share < 1 ? share : 0;
    const [x, y] = [across.tail + far * dx, up.tail + far * dy];
    const length = (1 - far) * Math.hypot(dx, dy);
    const [line, end] = this.leader.children;
    line.setAttribute("d", `M${x},${y}L${across.head},${up.head}`);
    line.style.strokeDasharray = `0px,0px,${length}px,${length}px`;
    const turned = end?.getAttribute("transform").replace(/^translate\([^)]*\)/, "");
    end?.setAttribute("transform", `translate(${across.head},${up.head})${turned}`);
    return true;
  }
}

// An anchor that is left to plotly.js is the side of the figure on which the words are.
function sided(anchor, share, letter) {
  if (anchor !== "auto") return anchor;
  const [low, high] = letter === "x" ? ["left", "right"] : ["bottom", "top"];
  return share < 1 / 3 ? low : share > 2 / 3 ? high : "middle";
}

function axisOf(full, id) {
  return full[id.replace(/^[xy]/, "$&axis")];
}

// Where a value stands: on an axis, or a share of its length or of the figure's.
function pixel(full, reference, letter, value) {
  const [id, domain] = reference.split(" ");
  const axis = id === "paper" ? null : axisOf(full, id);
  if (axis && !domain) return axis._offset + axis.r2p(value);
  const share = letter === "x" ? value : 1 - value;
  if (axis) return axis._offset + axis._length * share;
  const { l, t, w, h } = full._size;
  return letter === "x" ? l + w * share : t + h * share;
}

// --- Lines and shaded strips that are no data -------------------------------------------------------------------

class Stroke {
  constructor(plot, index, after) {
    this.full = plot._fullLayout;
    this.now = after.layout.shapes[index];
    this.options = this.full.shapes[index];
    this.path = plot.querySelector(`.shapelayer path[data-index="${index}"]`);
    const { type, xref, yref, label } = this.options;
    const known = /^(paper|[xy]\d*( domain)?)$/;
    const plain = ["line", "rect"].includes(type) && known.test(xref) && known.test(yref);
    this.can = Boolean(this.path && plain && !label?.text);
  }

  place() {
    const at = (letter, key) => {
      const reference = this.options[`${letter}ref`];
      const axis = axisOf(this.full, reference); // none where it is a share
      const value = this.now[key]; // unlike that of words, never a logarithm
      const log = axis?.type === "log";
      return pixel(this.full, reference, letter, log ? axis.d2r(value, true) : value);
    };
    const [x0, x1, y0, y1] = [at("x", "x0"), at("x", "x1"), at("y", "y0"), at("y", "y1")];
    const drawn = this.options.type === "line" ? `L${x1},${y1}` : `H${x1}V${y1}H${x0}Z`;
    this.path.setAttribute("d", `M${x0},${y0}${drawn}`);
  }
}
