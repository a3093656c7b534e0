// @ts-check
// What the server has sent of a page stands until the live page does, in the same place
// (dpviz/serve/standing.py; alive.js lets it answer meanwhile).

/** Whether the live page may take the place of what stands, and what goes over to it then. */
let before = { isReady: () => true, hand: () => null };
let looking = 0;

/**
 * Have the live page wait for what stands.
 * @param {{ isReady: () => boolean, hand: () => any }} stands hand: ends it, and returns what has the keys then
 */
export function wait(stands) {
  before = stands;
}

/**
 * The live page stands: what stood in its place goes, and leaves it where it was scrolled to. What
 * is below the figure may still be built up for some frames, and would be seen to move.
 */
export function leave(frames = 40) {
  if (!looking && document.getElementById("standing")) look(frames);
}

function look(frames) {
  looking = 0;
  if (!document.getElementById("standing")) return;
  const isRunning = document.querySelector('[data-test-script-state="running"]');
  if ((frames > 0 && isRunning) || !before.isReady())
    looking = requestAnimationFrame(() => look(frames - 1));
  else end();
}

function end() {
  const standing = document.getElementById("standing");
  const scrolled = document.querySelector(".stMain");
  const { scrollTop } = standing;
  const focused = before.hand();
  standing.remove();
  focused?.focus({ preventScroll: true });
  if (scrolled && scrollTop) scrolled.scrollTop = scrollTop;
}

// A page may also end without a figure, and is still built up then: for some milliseconds more.
const ENDED = '.stException, .stApp[data-test-script-state="notRunning"]:not(:has(.st-key-figure))';
const CALM = 150;
const PATIENCE = 1000;

/** @param {AbortSignal} signal */
export function watch(signal) {
  if (!document.getElementById("standing")) return;
  const place = () => location.pathname + location.search.match(/[?&]scene=\d*/);
  const slug = place();
  let due = 0;
  let ended = 0; // when it ended
  const hasEnded = () => document.getElementById("standing") && document.querySelector(ENDED);
  const close = () => hasEnded() && end();
  const see = () => {
    if (!document.getElementById("standing")) observer.disconnect();
    else if (place() !== slug) end();
    else if (!hasEnded()) ended = 0;
    else {
      ended ||= Date.now();
      clearTimeout(due);
      due = setTimeout(close, Math.min(CALM, ended + PATIENCE - Date.now()));
    }
  };
  const observer = new MutationObserver(see);
  observer.observe(document.body, { attributes: true, childList: true, subtree: true });
  signal.addEventListener("abort", () => observer.disconnect());
}
