// Controls of a page whose figures are there already: a slider of the app, a list, a button.

import { element } from "./component.js";
import range from "./range_control.js";

// typed: whether a value may be typed that is none of the slider's.
export function slider(about, text, take, typed = false) {
  const inner = element("div");
  const place = element("div", {}, inner);
  const root = inner.attachShadow({ mode: "open" });
  root.append(document.getElementById("range").content.cloneNode(true));
  root.querySelector("input").readOnly = !typed;
  if (about.key === "epsilon") place.append(element("p", { className: "odds" }));
  let number = 0;
  const setStateValue = (_, end) => {
    number = end.number;
    take(end.text, number);
  };
  const show = (now, own = {}) => {
    const data = { ...about, text: now, note: "", number, ...own };
    range({ data, parentElement: root, setStateValue });
  };
  show(text);
  return { key: about.key, place, show };
}

export function choice({ key, label, options }, text, take) {
  const choices = Object.entries(options).map(([value, words]) => new Option(words, value));
  const list = element("select", { onchange: () => take(list.value) }, ...choices);
  const show = (now) => (list.value = now);
  show(text);
  return { key, place: element("label", {}, label, list), show };
}

export function seed({ key, values }, text, take) {
  let now = text;
  const onclick = () => take(values[(values.indexOf(now) + 1) % values.length]);
  return { key, place: element("button", { onclick }, "Draw again"), show: (other) => (now = other) };
}
