// What a page is known by in a room, kept by its script: of a phone for a day at most, of a lecturer's
// page as long as its tab lives.

import * as permitted from "./permitted.js";

const DAY = 86_400_000; // milliseconds; a room ends sooner
const place = (kind) => (kind === "phone" ? "browser" : "tab");
const name = (kind, code) => `dpviz-${kind}-${code}`;

// What was kept under a name, "" if that is too long ago, or nothing of ours.
function read(kind, key) {
  const stored = () => JSON.parse(permitted.recall(place(kind), key));
  const [value, time] = permitted.attempt(stored, []);
  return Date.now() - time < DAY ? value : "";
}

// Phones whose rooms have ended while they were away.
function tidy() {
  for (const key of permitted.keys("browser"))
    if (key.startsWith(name("phone", "")) && !read("phone", key)) permitted.forget("browser", key);
}

export const kept = (kind, code) => read(kind, name(kind, code));
export const forget = (kind, code) => permitted.forget(place(kind), name(kind, code));
export const lasts = (kind) => permitted.lasts(place(kind));
export function keep(kind, code, value) {
  permitted.keep(place(kind), name(kind, code), JSON.stringify([value, Date.now()]));
  if (kind === "phone") tidy();
}
