// The notes that come with a figure: see stage.js.

export default function ({ parentElement }) {
  const list = parentElement.querySelector("ul");
  let written = "";
  const write = ({ detail }) => {
    const now = JSON.stringify(detail);
    if (now === written) return; // in a movement they seldom change
    written = now;
    list.replaceChildren(
      ...detail.map((note) => {
        const item = document.createElement("li");
        item.innerHTML = note;
        return item;
      }),
    );
  };
  const stop = new AbortController();
  document.addEventListener("dpviz-notes", write, { signal: stop.signal });
  write({ detail: document.querySelector(".dpviz-stage")?.notes ?? [] });
  return () => stop.abort();
}
