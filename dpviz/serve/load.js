// A component's module, from where browsers keep it: Streamlit's messages carry these lines only.

// Pages are right below the site; those of a room say how far below it they are.
const SITE = new URL(document.documentElement.dataset.site ?? ".", location);
const folder = new URL(".{folder}", SITE);
const PAUSES = [500, 1000, 2000, 4000, 8000]; // milliseconds after which to try again
const LOST = "A script of this page did not arrive. Load the page again.";

async function load(turn = 0) {
  try {
    // What failed once may stay failed under the same address, be it this module or one it imports.
    const its = await import(new URL(turn ? `${turn}/{file}` : "{file}", folder));
    return (its.made?.["{name}"] ?? its).default;
  } catch (fault) {
    if (turn === PAUSES.length) throw fault;
    await new Promise((go) => setTimeout(go, PAUSES[turn]));
    return load(turn + 1);
  }
}

// Nothing here waits as it is imported: where two parts of a page ask for such a module at a time,
// WebKit gives the second one a module that has not run.
let run = null;
const coming = load().then((made) => (run = made));

export default function (call) {
  if (run) return run(call);
  let end = () => {};
  let over = false; // Streamlit has ended this call, and perhaps made another
  coming.then(
    () => over || (end = run(call) ?? end),
    () => over || call.parentElement.append(LOST),
  );
  return () => ((over = true), end());
}
