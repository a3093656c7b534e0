// @ts-check
// The browser's history has one entry for each page, tab and scene that was looked at: a slider that
// moves, and a link that is written in full, make none. Streamlit would make one of every address.

import { makeEntries } from "./permitted.js";

const SHOWN = ["present", "lecture", "scene"]; // of an address: what else is a page of its own

/**
 * Return whether an address shows another page or tab than the one that stands there: a short link
 * names no tab, and is the same when it does.
 * @param {URL} now
 * @param {URL} next
 */
export function isAnother(now, next) {
  if (now.pathname !== next.pathname) return true;
  const [before, after] = [now, next].map(({ searchParams }) => searchParams);
  const tab = before.get("view");
  if (tab !== null && tab !== after.get("view")) return true;
  return SHOWN.some((key) => before.get(key) !== after.get(key));
}

/**
 * Return whether an address is one of the page before this one, which Streamlit may still be told:
 * here is the page that stands, and what is not of its tab and scene is not of it.
 * @param {URL} here
 * @param {URL} next
 * @param {string} [tab] that stands
 */
export function isOfPageBefore(here, next, tab) {
  const [now, told] = [here, next].map(({ searchParams }) => searchParams);
  const scenes = [now, told].map((params) => params.get("scene"));
  if (scenes[0] && scenes[1] && scenes[0] !== scenes[1]) return true;
  return Boolean(tab && told.get("view") && told.get("view") !== tab);
}

/** Have whoever writes an address make an entry only where it shows something else. */
export function watch() {
  const about = globalThis.document?.querySelector("#standing script");
  const tab = about && JSON.parse(about.textContent).wanted.query.view;
  const stands = () => globalThis.document?.getElementById("standing");
  makeEntries(isAnother, (now, next) => Boolean(stands()) && isOfPageBefore(now, next, tab));
}
