// What is wrong inside the drawing of a figure: words over words, faint ones, words over points, words or
// points cut at the border, curves that leave the plot, none at all, or none that is not level. See ends.py.

(plot, { scales, readings }) => {
  const box = (part) => part.getBoundingClientRect().toJSON();
  const drawing = plot.querySelector("svg");
  const frame = box(drawing);
  const ratio = frame.width / drawing.viewBox.baseVal.width; // pixels to one of the drawing, across
  const panels = pairs().map(panelOf);
  const words = [...plot.querySelectorAll("svg text")]
    .filter((part) => part.textContent.trim() && box(part).width && box(part).height)
    .filter((part) => getComputedStyle(part).visibility !== "hidden")
    .map((part) => ({ part, said: part.textContent, ...box(part) }));
  const meet = (a, b) => [
    Math.min(a.right, b.right) - Math.max(a.left, b.left),
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top),
  ];
  const beyond = (a, b, by) => a.left < b.left - by || a.right > b.right + by
    || a.top < b.top - by || a.bottom > b.bottom + by;
  const overlapping = words.flatMap((a, i) => words.slice(i + 1)
    .filter((b) => meet(a, b)[0] > 3 && meet(a, b)[1] > 4)
    .map((b) => `${a.said} | ${b.said}`));
  const clipped = words
    .filter((a) => beyond(a, frame, 1) || beyond(a, windowOf(a.part), 2))
    .map((a) => a.said);
  // Letters are less high than their boxes, and the air at a point's corners is no point.
  const points = pointsOf().filter((point) => !outside(point));
  const over = words.filter((word) => !word.part.closest("g[class^=part]"))
    .filter((word) => points.some((point) => {
      const [wide, high] = meet(word, point);
      return wide > 3 && high > 6;
    }));
  const half = points.filter((point) => beyond(point, point.seen, 1.5));
  const curves = readings.map(curveOf).filter((curve) => curve.inside.length);
  const gone = curves.filter((curve) => curve.gone)
    .map((curve) => `${curve.name}: ${curve.gone} of ${curve.known}`);
  const groups = [...plot.querySelectorAll("g[class^=part]")].map(seenOf).filter(Boolean);
  const level = groups.length && groups.every(({ top, bottom }) => bottom - top < 20)
    && curves.every((curve) => curve.high < 3);
  // The line from a note to its point, and words of others that it runs through.
  const struck = [...plot.querySelectorAll(".leader")].flatMap((line) => {
    const own = linesOf(line);
    const matrix = line.getScreenCTM();
    const many = Array.from({ length: 21 }, (_, i) => i * line.getTotalLength() / 20);
    const along = many.map((far) => line.getPointAtLength(far).matrixTransform(matrix));
    const said = own.map((part) => part.textContent).join(" ");
    return words.filter((word) => !own.includes(word.part) && along.some(({ x, y }) =>
      x > word.left && x < word.right && y > word.top + 5 && y < word.bottom - 5))
      .map((word) => `${said} | ${word.said}`);
  });
  const faint = words.filter((word) => word.part.matches(".note, .xtick, .ytick"))
    .filter((word) => contrast(word.part) < 4.5)
    .map((word) => `${word.said}: ${contrast(word.part).toFixed(2)}`);
  const told = words.some((word) => panels.some((panel) => meet(word, panel).every((far) => far > 0)));
  return {
    overlapping,
    faint,
    struck,
    clipped,
    "over points": over.map((word) => word.said),
    "half a point": half.length ? [`${half.length} of ${points.length}`] : [],
    "leaves the plot": gone,
    empty: groups.length || told ? [] : ["nothing is drawn, and nothing says why"],
    level: level ? ["every curve"] : [],
  };

  /** The axes that belong together, as readings name them; of one without any, as they are numbered. */
  function pairs() {
    const read = readings.map(({ axes }) => axes.join());
    const numbered = Object.keys(scales).filter((key) => key[0] === "x")
      .map((key) => `${key},${`y${key.slice(1)}` in scales ? `y${key.slice(1)}` : "y"}`);
    return [...new Set([...read, ...numbered])].map((pair) => pair.split(","));
  }

  function panelOf([x, y]) {
    const [, , left, right] = scales[x].map((end) => frame.left + ratio * end);
    const [, , bottom, top] = scales[y].map((end) => frame.top + end);
    return { axes: `${x},${y}`, left, right, top, bottom };
  }

  /** The box outside which nothing of a part is seen. */
  function windowOf(part) {
    const named = part.closest("[clip-path]")?.getAttribute("clip-path").match(/#([^)]+)\)/)[1];
    if (!named) return frame;
    const { x, y, width, height } = plot.querySelector(`[id="${named}"] rect`).getBBox();
    const [left, top] = [frame.left + ratio * x, frame.top + y];
    return { left, top, right: left + ratio * width, bottom: top + height };
  }

  function outside(point) {
    const [x, y] = [(point.left + point.right) / 2, (point.top + point.bottom) / 2];
    return x < point.seen.left || x > point.seen.right || y < point.seen.top || y > point.seen.bottom;
  }

  /** The boxes of all points that are seen: circles, and those that are one path. */
  function pointsOf() {
    const circles = [...plot.querySelectorAll("g[class^=part] circle")].filter((part) => {
      const { opacity, fill, fillOpacity, stroke } = getComputedStyle(part);
      return Number(opacity) && (fill !== "none" && Number(fillOpacity) || stroke !== "none");
    }).map((part) => ({ seen: windowOf(part), ...box(part) }));
    const dots = [...plot.querySelectorAll("g[class^=part] path.dots")].flatMap((part) => {
      const [seen, radius] = [windowOf(part), part.getAttribute("stroke-width") / 2];
      return [...part.getAttribute("d").matchAll(/M([^,]+),([^h]+)h/g)].map(([, x, y]) => {
        const [right, down] = [frame.left + ratio * x, frame.top + Number(y)];
        return {
          seen, left: right - radius, right: right + radius, top: down - radius, bottom: down + radius,
        };
      });
    });
    return [...circles, ...dots].filter((point) => point.right - point.left > 3);
  }

  /** The lines of the note that a line leads from: they follow it, below each other. */
  function linesOf(leader) {
    const own = [];
    for (let next = leader.nextElementSibling; next && !next.matches(".leader"); next = next.nextElementSibling) {
      if (next.matches("text.note")) {
        const last = own.at(-1);
        const down = last && next.getAttribute("y") - last.getAttribute("y");
        const high = 1.3 * next.getAttribute("font-size");
        if (last && (next.getAttribute("x") !== last.getAttribute("x") || Math.abs(down - high) > 0.1)) break;
        own.push(next);
      } else if (own.length) break;
    }
    return own;
  }

  /** What is seen of a trace, null if nothing is. */
  function seenOf(group) {
    const within = windowOf(group);
    const parts = [...group.querySelectorAll("path, rect, circle, line, text")]
      .filter((part) => !part.closest("clipPath"))
      .map((part) => ({ part, ...box(part) }))
      .filter(({ part, width, height }) => width || height || part.matches(".dots"))
      .filter((one) => meet(one, within).every((far) => far >= 0));
    if (!parts.length) return null;
    const [top, bottom] = [parts.map((one) => one.top), parts.map((one) => one.bottom)];
    return {
      top: Math.max(within.top, Math.min(...top)), bottom: Math.min(within.bottom, Math.max(...bottom)),
    };
  }

  /** How a curve lies in its panel, by its points; all else is no curve and never level. */
  function curveOf(reading) {
    const { left, right, top, bottom } = panels.find(({ axes }) => axes === reading.axes.join());
    const places = reading.places.filter((_, i) => reading.said[i] !== null)
      .map((place) => place.map((tenth) => tenth / 10));
    if (!reading.way) return { inside: places, high: Infinity, gone: 0 };
    const known = places.map(([x, y]) => [frame.left + ratio * x, frame.top + y]);
    const across = known.filter(([x]) => x > left - 1 && x < right + 1);
    const inside = across.filter(([, y]) => y > top - 1 && y < bottom + 1);
    const heights = inside.map(([, y]) => y);
    return {
      name: reading.key ?? (reading.said.find(Boolean) ?? "a curve").replace(/<[^>]*>/g, " "),
      known: known.length,
      inside,
      high: inside.length > 1 ? Math.max(...heights) - Math.min(...heights) : 0,
      gone: across.filter(([, y]) => y < top - 2 || y > bottom + 2).length,
    };
  }

  // Of ink as it is seen, against the page.
  function contrast(part) {
    const luminance = (color) => color
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
      .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
    const [paper] = inkOf(getComputedStyle(document.body).backgroundColor);
    const ground = [...plot.querySelectorAll("svg rect")]
      .filter((one) => /^(rgb|color)/.test(getComputedStyle(one).fill) && holds(box(one), box(part)))
      .reduce((under, one) => laidOn(one, under, Number(getComputedStyle(one).fillOpacity)), paper);
    const [low, high] = [luminance(laidOn(part, ground)), luminance(ground)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  }

  /** Whether the middle of a word is in a box: a bar is the ground of what stands on it. */
  function holds(one, word) {
    const [x, y] = [(word.left + word.right) / 2, (word.top + word.bottom) / 2];
    return one.left < x && x < one.right && one.top < y && y < one.bottom;
  }

  /** The colour of a part over that of its ground. */
  function laidOn(part, ground, share = 1) {
    const [color, full] = inkOf(getComputedStyle(part).fill);
    let seen = full * share;
    for (let at = part; at !== plot; at = at.parentNode) seen *= Number(getComputedStyle(at).opacity);
    return color.map((value, i) => seen * value + (1 - seen) * ground[i]);
  }

  /** A colour, its parts from 0 to 1, and how opaque it is: rgb(…), or color(srgb …) where it is mixed. */
  function inkOf(text) {
    const [red, green, blue, full = 1] = text.match(/[\d.]+(?:e-?\d+)?/g).map(Number);
    const most = text.startsWith("color(") ? 1 : 255;
    return [[red, green, blue].map((value) => value / most), full];
  }
}
