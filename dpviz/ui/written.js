// Prose as HTML, its formulas drawn by the browser: see written.py.

export default function ({ data, parentElement }) {
  const place = parentElement.querySelector(".prose");
  if (place.said === data) return;
  place.said = data;
  place.innerHTML = data;
}
