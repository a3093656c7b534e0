// Controls of a page whose figures are there already: a slider of the app, a list, a button.

import range from "./range_control.js";

// typed: whether a value may be typed that is none of the slider's.
export function slider(about, text, take, typed = false) {
  const place = document.createElement("div");
  const root = place.appendChild(document.createElement("div")).attachShadow({ mode: "open" });
  root.append(document.getElementById("range").content.cloneNode(true));
  root.querySelector("input").readOnly = !typed;
  if (about.key === "epsilon") place.append(odds());
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

function odds() {
  const line = document.createElement("p");
  line.className = "odds";
  return line;
}

export function choice({ key, label, options }, text, take) {
  const place = document.createElement("label");
  const list = document.createElement("select");
  list.append(...Object.entries(options).map(([value, words]) => new Option(words, value)));
  list.value = text;
  list.onchange = () => take(list.value);
  place.append(label, list);
  return { key, place, show: (now) => (list.value = now) };
}

export function seed({ key, values }, text, take) {
  const place = document.createElement("button");
  let now = text;
  place.textContent = "Draw again";
  place.onclick = () => take(values[(values.indexOf(now) + 1) % values.length]);
  return { key, place, show: (other) => (now = other) };
}
