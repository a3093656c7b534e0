// What ε promises, in odds, beside its control: it comes with the figure, see stage.js.

export default function ({ data, parentElement }) {
  const place = parentElement.querySelector("p");
  place.textContent = data;
  const stop = new AbortController();
  const write = ({ detail }) => (place.textContent = detail);
  document.addEventListener("dpviz-odds", write, { signal: stop.signal });
  return () => stop.abort();
}
