// @ts-check
// A curve to be drawn: a finger, a pointer or the arrow keys draw over empty axes.
//
// A sketch is a height in each of so many columns, or a gap; it is written with two letters each.

const WIDE = 360; // units of the drawing, which is as wide as its place
const HIGH = 300;
const LEFT = 52;
const RIGHT = 20;
const TOP = 10;
const BOTTOM = 46;
const GAP = "--";
const NUDGE = 50; // arrow keys from the lower end of the axis to the upper
const NAMESPACE = "http://www.w3.org/2000/svg";

/** @returns {any} */
function drawn(name, properties = {}, text = "") {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(properties)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

const across = (part) => LEFT + part * (WIDE - LEFT - RIGHT);
const up = (part) => HIGH - BOTTOM - part * (HIGH - TOP - BOTTOM);
const within = (value, most) => Math.min(Math.max(value, 0), most);

// Axes with their ticks, and nothing else: this is all that the server has told.
function axes({ x, y }) {
  const part = ({ low, high }, at) => (at - low) / (high - low);
  const columns = x.ticks.map(([at, text]) => [across(part(x, at)), text]);
  const rows = y.ticks.map(([at, text]) => [up(part(y, at)), text]);
  const every = Math.ceil(x.ticks.length / 6); // texts that stand beside each other
  return [
    drawn("rect", { class: "ground", x: LEFT, y: TOP, width: WIDE - LEFT - RIGHT, height: HIGH - TOP - BOTTOM }),
    ...columns.map(([at]) => drawn("path", { class: "grid", d: `M${at} ${TOP}V${HIGH - BOTTOM}` })),
    ...rows.map(([at]) => drawn("path", { class: "grid", d: `M${LEFT} ${at}H${WIDE - RIGHT}` })),
    ...columns
      .filter((_, place) => place % every === 0)
      .map(([at, text]) => drawn("text", { x: at, y: HIGH - BOTTOM + 16, class: "x" }, text)),
    ...rows.map(([at, text]) => drawn("text", { x: LEFT - 6, y: at + 4, class: "y" }, text)),
    drawn("text", { x: across(0.5), y: HIGH - 8, class: "x title" }, x.title),
  ];
}

// What a value on an axis is, in words.
export function said(side, part) {
  const at = side.low + part * (side.high - side.low);
  return String(Number((side.log ? 10 ** at : at).toPrecision(2)));
}

// A place to draw in. before: a sketch as it was sent; changed(): called whenever there is another
// one. marks: parts of the x axis that matter, each with its name.
export function canvas({ axes: plane, columns, steps, marks = [] }, before, changed) {
  const heights = read(before, columns, steps);
  const root = drawn("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "canvas", tabindex: 0 });
  root.setAttribute("role", "slider");
  root.setAttribute("aria-label", `${plane.y.title}. Arrow keys draw.`);
  root.setAttribute("aria-valuemin", 0);
  root.setAttribute("aria-valuemax", 100);
  const line = drawn("path", { class: "line" });
  const here = drawn("circle", { class: "here", r: 5 });
  const exact = drawn("path", { class: "exact" });
  const lead = (part) => drawn("path", { class: "mark", d: `M${across(part)} ${TOP}V${HIGH - BOTTOM}` });
  root.append(...axes(plane), ...marks.map(([part]) => lead(part)), exact, line, here);
  let column = 0;

  const draw = () => {
    let pen = "M";
    let path = "";
    heights.forEach((height, place) => {
      if (height === null) pen = "M";
      else {
        path += `${pen}${across(place / (columns - 1))} ${up(height)}`;
        pen = "L";
      }
    });
    line.setAttribute("d", path);
    const height = heights[column];
    here.setAttribute("cx", across(column / (columns - 1)));
    here.setAttribute("cy", up(height ?? 0.5));
    root.setAttribute("aria-valuenow", Math.round(100 * (height ?? 0.5)));
    const value = height === null ? "nothing drawn" : said(plane.y, height);
    const place = said(plane.x, column / (columns - 1));
    root.setAttribute("aria-valuetext", `At ${plane.x.title} ${place}: ${value}`);
    root.dataset.drawn = String(heights.filter((each) => each !== null).length);
    changed(heights.filter((each) => each !== null).length >= 2);
  };

  // Between two places where a finger was seen, the line is straight.
  const put = (from, to) => {
    const steps = Math.max(1, Math.abs(to.column - from.column));
    for (let step = 0; step <= steps; step++) {
      const part = step / steps;
      const place = Math.round(from.column + part * (to.column - from.column));
      heights[place] = from.height + part * (to.height - from.height);
    }
    column = to.column;
    draw();
  };

  const seen = ({ clientX, clientY }) => {
    const { left, top, width } = root.getBoundingClientRect();
    const unit = WIDE / width;
    const part = ((clientX - left) * unit - LEFT) / (WIDE - LEFT - RIGHT);
    const height = (HIGH - BOTTOM - (clientY - top) * unit) / (HIGH - TOP - BOTTOM);
    return { column: Math.round(within(part, 1) * (columns - 1)), height: within(height, 1) };
  };

  let last = null;
  root.onpointerdown = (event) => {
    event.preventDefault();
    root.focus({ preventScroll: true });
    root.setPointerCapture(event.pointerId);
    last = seen(event);
    put(last, last);
  };
  root.onpointermove = (event) => {
    if (last === null) return;
    for (const each of event.getCoalescedEvents?.() ?? [event]) {
      const now = seen(each);
      put(last, now);
      last = now;
    }
  };
  root.onpointerup = root.onpointercancel = () => (last = null);

  // Up and down move the point of a column; left and right go on, and take its height along.
  root.onkeydown = (event) => {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
      PageUp: [0, 10], PageDown: [0, -10], Home: [-columns, 0], End: [columns, 0] }[event.key];
    if (!by) return;
    event.preventDefault();
    const from = { column, height: heights[column] ?? 0.5 };
    const next = within(column + by[0], columns - 1);
    const kept = by[0] && heights[next] !== null ? heights[next] : from.height;
    const to = { column: next, height: within(kept + by[1] / NUDGE, 1) };
    if (Math.abs(by[0]) > 1 || by[1]) put(to, to);
    else put(from, to);
  };

  draw();
  const clear = () => {
    heights.fill(null);
    column = 0;
    draw();
  };
  const write = () => heights.map((height) => written(height, steps)).join("");

  // The two columns around a part of the x axis, and how near it is to the second.
  const around = (part) => {
    const place = part * (columns - 1);
    const before = Math.floor(place + 1e-9);
    return [before, Math.min(Math.ceil(place - 1e-9), columns - 1), Math.max(place - before, 0)];
  };
  const at = (part) => {
    const [first, second, share] = around(part);
    if (heights[first] === null || heights[second] === null) return null;
    return heights[first] + (heights[second] - heights[first]) * (first === second ? 0 : share);
  };
  // Lifts the line at a mark; to the marks beside it that have a height it is straight.
  const lift = (number, height) => {
    const places = marks.map(([part]) => ({ ends: around(part), height: at(part) }));
    places[number].height = height;
    const [first, second] = places[number].ends;
    heights[first] = heights[second] = height;
    const join = (from, to) => {
      const [start, end] = [from.ends[1], to.ends[0]];
      for (let place = start + 1; place < end; place++)
        heights[place] = from.height + ((to.height - from.height) * (place - start)) / (end - start);
    };
    const [left, right] = [places[number - 1], places[number + 1]];
    if (left && left.height !== null) join(left, places[number]);
    if (right && right.height !== null) join(places[number], right);
    column = first;
    draw();
  };
  const show = (points) =>
    exact.setAttribute("d", points ? `M${points.map(([x, y]) => `${across(x)} ${up(y)}`).join("L")}` : "");
  return { root, clear, write, at, lift, show };
}

const written = (height, steps) =>
  height === null ? GAP : Math.round(height * steps).toString(36).padStart(2, "0");

function read(text, columns, steps) {
  const pairs = Array.from({ length: columns }, (_, place) => text?.slice(2 * place, 2 * place + 2));
  return pairs.map((pair) => (!pair || pair === GAP ? null : parseInt(pair, 36) / steps));
}
