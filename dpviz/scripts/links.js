// @ts-check
// From page to page a browser goes by itself: the next one stands at once and answers, while
// Streamlit starts below it. It goes on with the session that the page before had, so that a file,
// a guess or a lecture of one's own is still there.

import { forget, keep, recall } from "./permitted.js";

const SESSION = "dpviz-session";
const THEIRS = ["present", "embed", "class"]; // before a class Streamlit changes pages
const LINK = "a[data-testid=stPageLink-NavLink]";
const TURN = ".views a, .next a";
const PATIENCE = 1000; // milliseconds in which the next scene stands, or is seen coming

/**
 * Return where a link of Streamlit's leads, null if Streamlit is to follow it. What it writes is
 * relative to the site, and not to the page.
 * @param {string} written
 * @param {URL} here
 */
export function ledTo(written, here) {
  const to = new URL(`./${written.replace(/^[./]+/, "")}`, here); // pages are right below the site
  return THEIRS.some((key) => here.searchParams.has(key)) ? null : to;
}

/**
 * Return where a link to another view of a page leads: within another site's page it stays there.
 * @param {string} written
 * @param {URL} here
 */
export function turnedTo(written, here) {
  const to = new URL(written, here);
  for (const [key, value] of here.searchParams)
    if (key === "embed" || key === "embed_options") to.searchParams.append(key, value);
  return to;
}

let session = "";

/** Note by which name the server knows what this tab has done. */
export const remember = (name) => (session = name);

export function follow() {
  document.addEventListener("click", open, { capture: true });
  document.addEventListener("keydown", step);
  document.addEventListener("focusin", shorten);
  // While a page lives, no other tab may find what it goes on with: a copy of a tab has a copy of it.
  window.addEventListener("pagehide", () => session && keep("tab", SESSION, session));
  window.addEventListener("pageshow", () => forget("tab", SESSION)); // also of a page kept whole
  const before = recall("tab", SESSION);
  forget("tab", SESSION);
  const [how] = /** @type {any[]} */ (performance.getEntriesByType("navigation"));
  if (!before || how?.type === "reload") return;
  session = before; // also of a page that is left before it lives
  goOn(before);
}

// A row of links to views is one stop of the Tab key, from which arrows go on.
function shorten({ target }) {
  for (const row of document.querySelectorAll(".views"))
    for (const link of row.querySelectorAll("a"))
      link.tabIndex = link === target || (!row.contains(target) && link.ariaCurrent) ? 0 : -1;
}

function step({ key, target }) {
  const link = target.closest?.(".views a");
  const next = { ArrowRight: "nextElementSibling", ArrowLeft: "previousElementSibling" }[key];
  if (link && next) link[next]?.focus();
}

function open(event) {
  const { button, ctrlKey, metaKey, shiftKey, altKey, target } = event;
  const link = target.closest?.(`${LINK}, ${TURN}`);
  if (!link || button || ctrlKey || metaKey || shiftKey || altKey || link.target) return;
  const leads = link.matches(TURN) ? turnedTo : ledTo;
  const written = link.getAttribute("href");
  const to = leads(written, new URL(location.href));
  if (!to) return hold(written);
  event.preventDefault();
  event.stopPropagation(); // Streamlit follows it no more
  location.assign(to.href);
}

// Before a class Streamlit builds up a scene piece by piece, from parts of the one before: that one is
// seen until the next stands, where a browser can keep it in sight.
function hold(written) {
  const scene = new URL(written, location.href).searchParams.get("scene");
  if (scene && document.startViewTransition && !document.getElementById("standing"))
    // One that is overtaken, or out of sight, is no fault.
    document.startViewTransition(() => stands(scene)).ready.catch(() => {});
}

function stands(scene) {
  const heading = () => document.querySelector("h1")?.textContent;
  const before = heading();
  const isThere = () => {
    if (new URLSearchParams(location.search).get("scene") !== scene) return false;
    if (!document.querySelector(".stApp[data-test-script-state=notRunning]")) return false;
    /** @type {any} */
    const stage = document.querySelector(".dpviz-stage"); // a scene of text has none
    if (!stage) return heading() !== before;
    return stage.dataset.step === scene && stage.dataset.other === "false";
  };
  return new Promise((go) => {
    const end = () => (observer.disconnect(), clearTimeout(due), go());
    const observer = new MutationObserver(() => isThere() && end());
    observer.observe(document.body, { attributes: true, childList: true, subtree: true });
    const due = setTimeout(end, PATIENCE);
  });
}

// Streamlit's first line names the session, as it does by itself after an interruption; and one word
// more, by which dpviz/ui/session.py knows that the page is a new one. What it goes on to say of the
// page before is left aside.
function goOn(name) {
  const { WebSocket } = window;
  const mark = `new-${Math.random().toString(36).slice(2)}`;
  window.WebSocket = class extends WebSocket {
    constructor(address, words) {
      const isFirst = Array.isArray(words) && words.length === 2;
      super(address, isFirst ? [...words, name, mark] : words);
      window.WebSocket = WebSocket;
      let begun = !isFirst;
      this.addEventListener("message", (event) => {
        begun ||= begins(new Uint8Array(event.data));
        if (!begun) event.stopImmediatePropagation();
      });
    }
  };
}

const NEW_RUN = 4; // the field of a message (Streamlit's ForwardMsg) with which a run begins

/**
 * Return whether a run of a page begins with a message.
 * @param {Uint8Array} bytes
 */
export function begins(bytes) {
  let at = 0;
  const number = () => {
    let value = 0;
    for (let times = 1; at < bytes.length; times *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * times;
      if (byte < 128) break;
    }
    return value;
  };
  while (at < bytes.length) {
    const tag = number();
    if (tag >> 3 === NEW_RUN) return true;
    const rest = number(); // a value, or how many bytes there are of it
    if ((tag & 7) === 2) at += rest;
  }
  return false;
}
