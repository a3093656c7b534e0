// @ts-check
// What a browser may deny a page: in a frame of another site, in a file, or as its owner wishes. No
// other module names any of it, and each has a way that works without.

/**
 * @template T
 * @param {() => T} act
 * @param {T} [otherwise]
 */
export function attempt(act, otherwise) {
  try {
    return act() ?? otherwise;
  } catch {
    return otherwise;
  }
}

// ---- what a tab, or a browser, keeps ---------------------------------------------------------

const OURS = "dpviz keeps "; // so begins the name of a window that keeps something
const PLACES = { tab: () => window.sessionStorage, browser: () => window.localStorage };

// What no place takes the window's name does, which outlives a reload of the window, or of a frame
// alone; where others have given it a name, the page has it as long as it stands.
let ofThePage = {};
const isFree = () => !window.name || window.name.startsWith(OURS);
const named = () =>
  isFree() ? attempt(() => JSON.parse(window.name.slice(OURS.length)), {}) : ofThePage;

function name(all) {
  if (isFree()) window.name = Object.keys(all).length ? OURS + JSON.stringify(all) : "";
  else ofThePage = all;
}

/** @param {"tab" | "browser"} kind */
export const recall = (kind, key) =>
  attempt(() => PLACES[kind]().getItem(key)) ?? named()[key] ?? "";

/** @param {"tab" | "browser"} kind */
export function keep(kind, key, text) {
  forget(kind, key);
  const isKept = attempt(() => (PLACES[kind]().setItem(key, text), true), false);
  if (!isKept) name({ ...named(), [key]: text });
}

/** @param {"tab" | "browser"} kind */
export function forget(kind, key) {
  attempt(() => PLACES[kind]().removeItem(key));
  const { [key]: entry, ...others } = named();
  if (entry !== undefined) name(others);
}

/** @param {"tab" | "browser"} kind */
export const keys = (kind) => [
  ...attempt(() => Object.keys(PLACES[kind]()), []),
  ...Object.keys(named()),
];

// Whether what is kept outlives a reload, of whatever window that is.
/** @param {"tab" | "browser"} kind */
export function lasts(kind) {
  const probe = "dpviz-probe";
  const takes = () => (PLACES[kind]().setItem(probe, ""), PLACES[kind]().removeItem(probe), true);
  return attempt(takes, window.parent === window && isFree());
}

// ---- between two windows ---------------------------------------------------------------------

// Tells the other windows of this browser on the line, and hears them. A window and the one that
// opened it do without a channel, too: the site around one of them may keep its channel apart.
export function line(name, hear) {
  const from = String(Math.random());
  const heard = new Map(); // the number of the last word, by who said it
  const others = new Set(window.opener ? [window.opener] : []);
  const channel = attempt(() => new BroadcastChannel(name), null);
  let number = 0;
  const take = ({ data, source }) => {
    if (data?.line !== name || data.number <= (heard.get(data.from) ?? 0)) return;
    heard.set(data.from, data.number);
    if (source) others.add(source);
    hear(data.said);
  };
  if (channel) channel.onmessage = take;
  window.addEventListener("message", (event) => event.origin === location.origin && take(event));
  return {
    opened: (other) => other && others.add(other),
    say(said) {
      const word = { line: name, from, number: ++number, said };
      channel?.postMessage(word);
      others.forEach((other) => attempt(() => other.postMessage(word, location.origin)));
    },
  };
}

// ---- the address -----------------------------------------------------------------------------

// A frame without an address of its own has none to change, and some browsers allow few changes.
export const rename = (address) => attempt(() => history.replaceState(null, "", address));

/**
 * Have whoever writes an address make an entry of the history only where it is another page, and
 * write none that is out of date.
 * @param {(now: URL, next: URL) => boolean} isAnother
 * @param {(now: URL, next: URL) => boolean} isStale
 */
export function makeEntries(isAnother, isStale) {
  const { pushState } = history;
  history.pushState = (state, title, address) => {
    const [now, next] = [location.href, String(address ?? "")].map((one) => new URL(one, location.href));
    if (isStale(now, next)) return;
    if (isAnother(now, next)) pushState.call(history, state, title, address);
    else history.replaceState(state, title, address);
  };
}
