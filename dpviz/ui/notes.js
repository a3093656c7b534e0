// The notes that come with a figure: see stage.js. Their fold is hidden while there are none.

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
    const fold = list.closest(".st-key-fold-notes");
    if (fold) fold.style.display = detail.length ? "" : "none";
  };
  const stop = new AbortController();
  document.addEventListener("dpviz-notes", write, { signal: stop.signal });
  write({ detail: document.querySelector(".dpviz-stage")?.notes ?? [] });
  return () => stop.abort();
}
