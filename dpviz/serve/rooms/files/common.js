// What a phone and the lecturer's screen share: events, answers to the server, figures.

import { rename } from "./permitted.js";
import { at } from "./site.js";
import mount from "./stage.js";

export const dataset = document.body.dataset;
export const headers = {}; // headers that say who posts, where a browser keeps no cookie
const base = at(`/room/${dataset.code}`);
const AGAIN = 1500; // milliseconds until a lost connection, or a post, is tried again

export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// Words into a place; the server has set those that have formulas, as HTML.
export function write(place, words, typeset) {
  const html = typeset?.[words];
  if (html) place.innerHTML = html;
  else place.textContent = words;
  return place;
}

// Go on at another address of the site: what the page names from where it came is found from there.
export function goesBy(path) {
  for (const link of document.links) link.href = String(link.href);
  for (const form of document.querySelectorAll("form[action]")) form.action = String(form.action);
  rename(at(path));
  document.documentElement.dataset.site = "../../";
}

// HTML of the server's, whose links it names from the site on.
export const led = (html) => (html ?? "").replaceAll('href="/', `href="${at("/")}`);

// Whether two texts are the same words, wherever their lines may end.
export const same = (one, other) => spaced(one) === spaced(other);
const spaced = (text) => text?.replaceAll("\u00a0", " ");

export const find = (name) => document.querySelector(name);

// A slider over the texts of a grid, in its label; returns both. change(text): where it was let go.
export function slider({ label, grid, words }, at, change = () => {}) {
  const range = element("input", { type: "range", min: 0, max: grid.length - 1, value: at });
  const shown = element("strong");
  const say = () => {
    shown.textContent = words[range.value];
    range.setAttribute("aria-valuetext", words[range.value]);
  };
  range.oninput = say;
  range.onchange = () => change(grid[range.value]);
  range.value = at;
  say();
  return [element("label", {}, `${label}: `, shown, range), range];
}

// Calls hear[name](data) for each event, and hear.over(words) when the room has ended. The browser
// connects again by itself where it can; a phone that slept, or a refused connection, tries anew.
// hear.stranger, if it is there, is called where the server does not know who listens.
export function listen(where, hear) {
  let source = null;
  let over = false;
  const end = (words) => {
    over = true;
    source.close();
    hear.over(words);
  };
  const open = () => {
    if (over || (source && source.readyState !== EventSource.CLOSED)) return;
    const path = where();
    source = new EventSource(base + path);
    source.onopen = () => hear.linked(true);
    source.onerror = async () => {
      hear.linked(false);
      if (source.readyState !== EventSource.CLOSED) return;
      const stop = new AbortController();
      const answer = await fetch(base + path, { signal: stop.signal }).catch(() => null);
      const body = answer && !answer.ok ? await answer.json().catch(() => null) : null;
      stop.abort();
      if (answer?.status === 403 && hear.stranger?.()) setTimeout(open);
      else if (body?.refused && answer.status < 429) end(body.refused);
      else {
        if (body?.refused) hear.linked(false, body.refused); // the room is full, say
        setTimeout(open, AGAIN);
      }
    };
    for (const name of ["room", "mine"])
      source.addEventListener(name, ({ data }) => hear[name]?.(JSON.parse(data)));
    source.addEventListener("over", () => end("This room has ended."));
  };
  open();
  document.addEventListener("visibilitychange", () => document.hidden || open());
  window.addEventListener("online", open);
}

// Of a lecturer's page: whether the server is heard.
export function linked(is) {
  dataset.state = is ? "linked" : "lost";
  find(".refusal").textContent = is ? "" : "Connecting again";
}

// Sends until there is an answer; returns what was refused in plain words, "" if nothing was.
export async function post(path, data, waiting = () => {}) {
  for (;;) {
    const answer = await fetch(base + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(data),
    }).catch(() => null);
    if (answer?.ok) return "";
    const body = answer ? await answer.json().catch(() => null) : null;
    if (body?.refused && answer.status !== 429) return body.refused;
    waiting();
    await new Promise((resolve) => setTimeout(resolve, AGAIN));
  }
}

// The last word of a page that goes; nobody waits for an answer.
export const last = (path) =>
  fetch(base + path, { method: "POST", keepalive: true, headers }).catch(() => null);

// The stage of the app's own pages, in `place`.
export class Figure {
  constructor(place) {
    this.place = place;
    this.about = ""; // the address and the occasion of what stands there
  }

  // step: on which occasion; on another one nothing of the last stands there, until it is drawn.
  show(figure, query, look = {}, step = "") {
    this.about = `${figure} ${step}`;
    this.place.hidden = false;
    mount({
      data: {
        figure,
        step,
        query,
        numbers: {},
        look: { ...look, unplayed: "1" }, // rounds are for one reader
        presenting: false,
        above: 0,
        below: 0,
        varies: [],
        unlimited: false,
        token: [dataset.token, ""],
        version: dataset.version,
      },
      parentElement: this.place,
      setTriggerValue() {},
    });
  }

  hide() {
    this.place.hidden = true;
    this.about = "";
  }
}
