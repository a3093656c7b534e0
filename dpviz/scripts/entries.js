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

/** Have whoever writes an address make an entry only where it shows something else. */
export const watch = () => makeEntries(isAnother);
