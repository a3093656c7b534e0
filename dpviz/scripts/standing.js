// @ts-check
// What the server has sent of a page stands until the live page does, in the same place
// (dpviz/serve/standing.py).

/**
 * The live page stands: what stood in its place goes, and leaves it where it was scrolled to. What
 * is below the figure may still be built up for some frames, and would be seen to move.
 */
export function leave(frames = 40) {
  const standing = document.getElementById("standing");
  if (!standing) return;
  if (frames && document.querySelector('[data-test-script-state="running"]'))
    return requestAnimationFrame(() => leave(frames - 1));
  const scrolled = document.querySelector(".stMain");
  const { scrollTop } = standing;
  standing.remove();
  if (scrolled && scrollTop) scrolled.scrollTop = scrollTop;
}

// A page may also end without a figure.
const ENDED = '.stException, .stApp[data-test-script-state="notRunning"]:not(:has(.st-key-figure))';

/** @param {AbortSignal} signal */
export function watch(signal) {
  if (!document.getElementById("standing")) return;
  const slug = location.pathname;
  const look = () => {
    if (!document.getElementById("standing")) observer.disconnect();
    else if (location.pathname !== slug || document.querySelector(ENDED)) leave();
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { attributes: true, childList: true, subtree: true });
  signal.addEventListener("abort", () => observer.disconnect());
}
