// What only the browser can do for a page: let keys press buttons.

export default function () {
  const stops = [playByKey(), stepByKey()];
  return () => stops.forEach((stop) => stop());
}

// Plotly's buttons know the mouse only.
function playByKey() {
  const stop = new AbortController();
  const prepare = () => {
    document.querySelectorAll(".updatemenu-button:not([tabindex])").forEach((button) => {
      button.setAttribute("tabindex", "0");
      button.setAttribute("role", "button");
      button.setAttribute("aria-label", button.textContent);
    });
  };
  const press = (event) => {
    const button = event.target.closest?.(".updatemenu-button");
    if (!button || !["Enter", " "].includes(event.key)) return;
    event.preventDefault();
    button.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  };
  document.addEventListener("keydown", press, { signal: stop.signal });
  const observer = new MutationObserver(prepare);
  observer.observe(document.querySelector(".stMain"), { childList: true, subtree: true });
  prepare();
  return () => (observer.disconnect(), stop.abort());
}

// In front of a class: the keys of a presenter's remote go from step to step, as arrows do.
const STEPS = {
  ArrowRight: ".st-key-step-next",
  PageDown: ".st-key-step-next",
  ArrowLeft: ".st-key-step-previous",
  PageUp: ".st-key-step-previous",
  r: ".st-key-seed-next",
  Escape: ".st-key-step-leave",
};

function stepByKey() {
  const stop = new AbortController();
  const press = (event) => {
    const busy = event.target.closest?.("input, textarea, [role=slider], [role=tab], [role=radio]");
    const keys = event.ctrlKey || event.metaKey || event.altKey;
    if (busy || keys || !document.querySelector(".st-key-steps")) return;
    if (event.key === "b") history.back();
    const button = document.querySelector(STEPS[event.key])?.querySelector("a, button");
    if (!button) return;
    event.preventDefault();
    button.click();
  };
  document.addEventListener("keydown", press, { signal: stop.signal });
  return () => stop.abort();
}
