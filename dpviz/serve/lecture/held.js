// Figures that lie in a file or beside a page: packed, as differences from one another, and each number
// once, whatever is drawn and read off by it. compact.py and delta.py say how.

const NARROW = "narrow ";
const AS_WIDE = 0.03; // of its width that a place is wider or less wide than what is drawn for it
const FIRST = /width="(\d+)" height="(\d+)"/; // of the first tag

const coming = new Map(); // address -> a script on its way, or there

// A script beside the page, once; asked for again if it did not come.
export function loaded(address) {
  if (!coming.has(address)) {
    const script = document.createElement("script");
    const arrived = new Promise((resolve, reject) => {
      script.onload = resolve;
      script.onerror = () => {
        coming.delete(address);
        reject(new Error(`${address} did not arrive`));
      };
    });
    script.src = address;
    document.head.append(script);
    coming.set(address, arrived);
  }
  return coming.get(address);
}

// What was packed by Python: base64 of gzip.
export async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

// What turns one value into another.
export function changed(old, difference) {
  if (!difference) return old;
  const [kind, content, to, others] = difference;
  if (kind === "is") return content;
  if (kind === "cut") return [...old.slice(0, content), ...others, ...old.slice(to)];
  const copy = kind === "at" ? [...old] : { ...old };
  for (const [place, part] of Object.entries(content))
    if (part?.[0] === "gone") delete copy[place];
    else copy[place] = changed(old[place], part);
  return copy;
}

// In what the figure of a name differs from the one beside which all of them are held.
export function differing({ names, parts }, name) {
  const at = names.indexOf(name);
  return ["in", Object.fromEntries(Object.entries(parts).map(([key, column]) => [key, column[at]]))];
}

// A figure as the figure route says it, for a phone or a wide window. across: how wide its place is.
export function lineOf(figure, { narrow, across }) {
  const [wide, own] = [{}, {}];
  for (const [key, part] of Object.entries(figure))
    if (key.startsWith(NARROW)) own[key.slice(NARROW.length)] = part;
    else wide[key] = part;
  const points = wide.points.map(placed);
  const line = narrow ? beside(wide, points, own) : drawn(wide, points);
  return across ? sized(line, across) : line;
}

// What a button plays, as the figure route says it.
export function playOf(plays, { narrow }) {
  const frames = narrow ? plays[`${NARROW}frames`] : plays.frames;
  const change = ([from, to, pieces, points]) => [from, to, woven(pieces, points.map(placed))];
  return { frames: frames.map((frame) => frame.map(change)) };
}

// The line of a game from those after right answers and after wrong ones alone: what is another in one
// of them is another for each round in turn. outcomes: whether each was right.
export function mixed(right, wrong, outcomes) {
  const chosen = (some, others) => {
    let round = 0;
    return some.map((part, at) => (part === others[at] || outcomes[round++] ? part : others[at]));
  };
  const svg = chosen(right.svg.split("<"), wrong.svg.split("<")).join("<");
  const readings = right.readings.map((reading, at) => {
    return { ...reading, said: chosen(reading.said, wrong.readings[at].said) };
  });
  return { ...right, svg, readings };
}

// --- Points -----------------------------------------------------------------------------------

const summed = (steps) => {
  let at = 0;
  return steps.map((step) => (at += step));
};

// Points in columns of x and y by turns, in hundredths of pixels, and of a path what it has besides.
function placed(points) {
  const isPath = typeof points.at(-1) === "string";
  const columns = (isPath ? points.slice(0, 2) : points).map(summed);
  return { columns, counts: points[2], end: points[3] };
}

// The same points on other axes.
function moved(columns, axes, from, to) {
  return columns.map((column, number) => {
    const [low, high, start, end] = from[axes[number % 2]];
    const [below, above, begin, stop] = to[axes[number % 2]];
    const value = (at) => low + ((at / 100 - start) / (end - start)) * (high - low);
    const pixel = (at) => begin + ((value(at) - below) / (above - below)) * (stop - begin);
    return column.map((at) => Math.round(100 * pixel(at)));
  });
}

// --- Markup -----------------------------------------------------------------------------------

// What stands for several parts is written as often as it has points.
function woven(pieces, points) {
  let next = 0;
  return pieces
    .map((piece) => {
      const [, tag, rest] = /^(path|circle|line|rect)@(.*)/s.exec(piece) ?? [];
      if (!tag) return piece;
      return placesOf(tag, points[next++]).map((place) => `${tag} ${place}${rest}`).join("<");
    })
    .join("<");
}

function placesOf(tag, { columns, counts, end }) {
  const [xs, ys, others, lower] = columns.map((column) => column.map((at) => at / 100));
  if (tag === "circle") return xs.map((x, at) => `cx="${x}" cy="${ys[at]}"`);
  if (tag === "line")
    return xs.map((x, at) => `x1="${x}" y1="${ys[at]}" x2="${others[at]}" y2="${lower[at]}"`);
  if (tag === "rect") {
    const size = (from, to) => Math.round(100 * (to - from)) / 100;
    return xs.map((x, at) => {
      const [wide, high] = [size(x, others[at]), size(ys[at], lower[at])];
      return `x="${x}" y="${ys[at]}" width="${wide}" height="${high}"`;
    });
  }
  let from = 0;
  const parts = counts.map((count) => {
    const part = xs.slice(from, from + count).map((x, at) => `${x},${ys[from + at]}`);
    from += count;
    return `M${part.join("L")}${end}`;
  });
  return [`d="${parts.join("")}"`];
}

// --- Lines ------------------------------------------------------------------------------------

function drawn({ points: _, frames: __, svg, readings, ...words }, points) {
  const read = readings.map((reading) => readAt(reading, points));
  return { ...words, svg: woven(svg, points), readings: read };
}

// On a phone: its points may be those of the wide figure on its own axes, and what is read off them.
function beside(wide, points, own) {
  const line = { ...wide, ...own };
  const there = line.points.map((part) => {
    if (typeof part !== "string") return placed(part);
    const [number, ...axes] = part.split(" ");
    const { columns, ...rest } = points[number];
    return { columns: moved(columns, axes, wide.scales, line.scales), ...rest };
  });
  const together = line.readings.length === wide.readings.length;
  const readings = line.readings.map((part, at) => {
    if (!together) return part;
    const reading = changed(wide.readings[at], part);
    const { places, axes } = reading;
    if (!Array.isArray(places) || places !== wide.readings[at].places) return reading;
    const columns = places.map((column) => summed(column).map((tenth) => 10 * tenth));
    return { ...reading, places: { columns: moved(columns, axes, wide.scales, line.scales) } };
  });
  return drawn({ ...line, readings }, there);
}

// What is read off, with places in tenths of pixels, row by row.
function readAt({ way, places, said, at, ...rest }, points) {
  const source = typeof places === "number" ? points[places] : places;
  const every = typeof places === "number" && way === "steps" ? 2 : 1;
  const column = (values) =>
    values.filter((_, index) => index % every === 0).map((value) => Math.round(value / 10));
  const columns = source.columns?.map(column) ?? places.map(summed);
  const rows = (columns[0] ?? []).map((_, index) => columns.map((values) => values[index]));
  const texts = ([before, after, between]) =>
    rows.length ? between.split("\n").map((text) => `${before}${text}${after}`) : [];
  return { ...rest, way, places: rows, said: texts(said), ...(at ? { at: texts(at) } : {}) };
}

// So many pixels wide, and as high as that makes it: no words are wider than they are high.
function sized(line, across) {
  const [first, width, height] = FIRST.exec(line.svg);
  const ratio = across / Number(width);
  if (Math.abs(ratio - 1) < AS_WIDE) return line;
  const now = `width="${across}" height="${Math.round(ratio * Number(height))}"`;
  const { play, scales, readings } = line;
  return {
    ...line,
    svg: line.svg.replace(first, now),
    play: play && { ...play, right: ratio * play.right, top: ratio * play.top },
    scales: Object.fromEntries(
      Object.entries(scales).map(([axis, [low, high, start, end, log]]) => [
        axis,
        [low, high, ratio * start, ratio * end, log],
      ]),
    ),
    readings: readings.map(({ places, ...rest }) => ({
      ...rest,
      places: places.map((row) => row.map((place) => ratio * place)),
    })),
  };
}
