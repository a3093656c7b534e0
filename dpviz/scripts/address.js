// @ts-check
// Where a figure is asked for: its address says how it is to look, and how much room it has.
// Pure: it is told what the window is like.

const AROUND = 270; // pixels of a projector's height that do not belong to the figure
const LEAST = 300; // and those it gets at least
const GAME = 240; // of a low window, those of a figure with the buttons of rounds below it
const TIGHT = 1180; // pixels of a projector's width below which words beside curves leave no room
const LEGEND = 60; // pixels of the legend that stands below the figure instead
const LOW = 910; // pixels of a window's height below which its figures are lower
const ABOVE = 260; // pixels of a low window that are above the figure, and a few below it
const UNDER = 20; // pixels that the words below the buttons of rounds need
const STEP = 20; // pixels: windows of nearly the same height share their figures

/**
 * Return the address of the figure of a state.
 * @param {import("./types").Wanted} data
 * @param {URLSearchParams} query the page's parameters
 * @param {import("./types").Pane} pane
 */
export function addressOf(data, query, { narrow, width, height, room }) {
  const { look, version, presenting, figure, above, below } = data;
  const params = new URLSearchParams(query);
  Object.entries(look).forEach(([key, value]) => value && params.set(key, value));
  const tight = presenting && width < TIGHT;
  params.set("across", String(Math.max(STEP * Math.round(room / STEP), STEP)));
  if (narrow || tight) params.set("narrow", "1");
  if (presenting && !narrow) {
    const free = stepped(height) - (tight ? LEGEND : 0) - AROUND;
    params.set("room", String(Math.max(free, LEAST)));
  }
  if (!presenting && !narrow && height < LOW) {
    const free = stepped(height - ABOVE - above - (below && below + UNDER));
    params.set("low", String(Math.max(free, below ? GAME : LEAST)));
  }
  params.set("v", version);
  return `${figure}?${params}`;
}

/**
 * Return the parameters that were others before, with their values of then.
 * @param {URLSearchParams} before
 * @param {URLSearchParams} now
 */
export function others(before, now) {
  return new URLSearchParams([...before].filter(([key, value]) => now.get(key) !== value));
}

function stepped(pixels) {
  return STEP * Math.floor(pixels / STEP);
}
