// What is wrong inside a figure of plotly's: words over words, faint ones, words over points, words or
// points cut at the border, curves that leave the plot, none at all, or none that is not level. See ends.py.

(plot) => {
  const box = (part) => part.getBoundingClientRect().toJSON();
  const frame = box(plot);
  const words = [...plot.querySelectorAll("svg text")]
    .filter((part) => part.textContent.trim() && box(part).width && box(part).height)
    .filter((part) => getComputedStyle(part).visibility !== "hidden")
    .map((part) => ({ part, said: part.textContent, ...box(part) }));
  const meet = (a, b) => [
    Math.min(a.right, b.right) - Math.max(a.left, b.left),
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top),
  ];
  const overlapping = words.flatMap((a, i) => words.slice(i + 1)
    .filter((b) => meet(a, b)[0] > 3 && meet(a, b)[1] > 4)
    .map((b) => `${a.said} | ${b.said}`));
  const clipped = words
    .filter((a) => a.left < frame.left - 1 || a.right > frame.right + 1
      || a.top < frame.top - 1 || a.bottom > frame.bottom + 1)
    .map((a) => a.said);
  // Letters are less high than their boxes, and the air at a point's corners is no point.
  const points = [...plot.querySelectorAll(".scatterlayer .points path")]
    .filter((part) => Number(getComputedStyle(part).opacity) && box(part).width > 3)
    .map(box);
  const beside = words.filter((word) => !word.part.closest(".textpoint"));
  const over = beside.filter((word) => points.some((point) => {
    const [wide, high] = meet(word, point);
    return wide > 3 && high > 6;
  }));
  const all = plot.calcdata.map(([{ trace }]) => seen(trace)).filter(Boolean);
  const told = (count) => all.filter((one) => one[count])
    .map((one) => `${one.name}: ${one[count]} of ${one.known}`);
  const level = all.length && all.every(({ high }) => high < 3);
  // The line from a note to its point, and words of others that it runs through.
  const struck = [...plot.querySelectorAll(".annotation")].flatMap((note) => {
    const line = note.querySelector(".annotation-arrow-g path");
    if (!line) return [];
    const own = note.textContent;
    const many = Array.from({ length: 21 }, (_, i) => i * line.getTotalLength() / 20);
    const matrix = line.getScreenCTM();
    const points = many.map((far) => line.getPointAtLength(far).matrixTransform(matrix));
    return words.filter((word) => word.said !== own && points.some(({ x, y }) =>
      x > word.left && x < word.right && y > word.top + 5 && y < word.bottom - 5))
      .map((word) => `${own} | ${word.said}`);
  });
  const faint = words.filter((word) => word.part.closest(".annotation, .legend, .xtick, .ytick"))
    .filter((word) => contrast(word.part) < 4.5)
    .map((word) => `${word.said}: ${contrast(word.part).toFixed(2)}`);
  return {
    overlapping,
    faint,
    struck,
    clipped,
    "over points": over.map((word) => word.said),
    "half a point": told("half"),
    "leaves the plot": told("gone"),
    empty: all.length || words.some(within) ? [] : ["nothing is drawn, and nothing says why"],
    level: level ? ["every curve"] : [],
  };

  function within(word) {
    const { l, t, w, h } = plot._fullLayout._size;
    const [right, down] = [(word.left + word.right) / 2 - frame.left, (word.top + word.bottom) / 2 - frame.top];
    return right > l && right < l + w && down > t && down < t + h;
  }

  // Of ink as it is seen, against the page.
  function contrast(part) {
    const rgb = (text) => text.match(/[\d.]+/g).slice(0, 3).map(Number);
    const luminance = (color) => color.map((value) => value / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
      .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
    const paper = rgb(getComputedStyle(document.body).backgroundColor);
    let seen = 1;
    for (let at = part; at !== plot; at = at.parentNode) seen *= Number(getComputedStyle(at).opacity);
    const ink = rgb(getComputedStyle(part).fill)
      .map((value, i) => seen * value + (1 - seen) * paper[i]);
    const [low, high] = [luminance(ink), luminance(paper)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  }

  function seen(trace) {
    if (trace.visible !== true || !trace.mode && trace.type === "scatter") return null;
    if (trace.type !== "scatter" || trace.fill === "toself") return { high: Infinity };
    const axis = (letter) => plot._fullLayout[letter + "axis" + trace[letter + "axis"].slice(1)];
    const [x, y] = ["x", "y"].map(axis);
    const down = Array.from(trace.y, (value) => y.d2p(value));
    const known = Array.from(trace.x, (value, i) => [x.d2p(value), down[i]])
      .filter((at) => at.every(Number.isFinite));
    const beyond = ([a, b], by) => Math.max(-a, a - x._length, -b, b - y._length) > by;
    const inside = known.filter((at) => !beyond(at, 1));
    const points = trace.mode.includes("markers") && trace.marker.opacity !== 0;
    const lines = trace.mode.includes("lines") && trace.line.width;
    if (!inside.length || !(points || lines || trace.mode.includes("text"))) return null;
    const heights = inside.map((at) => at[1]);
    const size = points && trace.cliponaxis !== false ? Math.max(...[trace.marker.size].flat()) : 0;
    return {
      name: trace.name ?? "a curve",
      known: known.length,
      high: inside.length > 1 ? Math.max(...heights) - Math.min(...heights) : 0,
      half: inside.filter((at) => beyond(at, 1.5 - size / 2)).length * (size > 3),
      gone: known.filter((at) => at[0] > -1 && at[0] < x._length + 1 && beyond(at, 2)).length,
    };
  }
}
