// What ε promises, in odds, beside its control: it comes with the figure, see stage.js.

export default function ({ data, parentElement }) {
  const place = parentElement.querySelector("p");
  place.textContent = data;
  const stop = new AbortController();
  // It keeps the room it has had: the controls below must not move while one is dragged.
  const write = ({ detail }) => {
    if (detail === place.textContent) return;
    place.style.minHeight = `${place.getBoundingClientRect().height}px`;
    place.textContent = detail;
  };
  document.addEventListener("dpviz-odds", write, { signal: stop.signal });
  return () => stop.abort();
}
