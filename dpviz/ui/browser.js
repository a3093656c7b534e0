// What only the browser can do for a page: say how large it is, keep the old figure in sight, keep
// everything in its place while a control is moved, and let keys press buttons.

export default function ({ data, setStateValue }) {
  const stops = [
    reportWindow(data, setStateValue),
    keepPicture(),
    keepPlaces(),
    playByKey(),
    stepByKey(),
  ];
  return () => stops.forEach((stop) => stop());
}

// Speaks up only when it disagrees with what the server assumed, so that a desktop never waits.
// The height matters on a projector alone, where the figure fills it.
function reportWindow(data, setStateValue) {
  const query = window.matchMedia("(max-width: 820px)");
  const report = () => {
    if (query.matches !== data.narrow) setStateValue("narrow", query.matches);
    const height = 20 * Math.floor(window.innerHeight / 20);
    if (data.exact && height !== data.height) setStateValue("height", height);
  };
  let due = 0;
  const later = () => (clearTimeout(due), (due = setTimeout(report, 300)));
  query.addEventListener("change", report);
  window.addEventListener("resize", later);
  report();
  return () => {
    clearTimeout(due);
    query.removeEventListener("change", report);
    window.removeEventListener("resize", later);
  };
}

// Streamlit takes a chart away before its successor is drawn, for a tenth of a second and more.
// A copy of the last picture stands in until then, or until a message takes its place. Mutations
// are reported before they are painted, so no empty frame is seen.
function keepPicture() {
  let copy = null;
  let due = 0;
  let page = "";
  // A copy takes a while, and a figure is drawn in several goes: one for each painting will do.
  const take = (plot) => {
    cancelAnimationFrame(due);
    if (!plot) copy = null;
    else due = requestAnimationFrame(() => isDrawn(plot) && (copy = standIn(plot)));
  };
  const update = () => {
    const place = document.querySelector(".st-key-figure");
    if (!place) return;
    const plot = [...place.querySelectorAll(".stPlotlyChart")].find(isDrawn);
    if (plot || place.querySelector(".stAlert") || page !== location.pathname) {
      place.querySelectorAll(".stand-in").forEach((old) => old.remove());
      take(plot);
      page = location.pathname;
      const height = plot ? `${plot.offsetHeight}px` : "";
      if (place.style.minHeight !== height) place.style.minHeight = height;
    } else if (copy && !place.querySelector(".stand-in")) {
      place.append(copy);
    }
  };
  const observer = new MutationObserver((changes) => {
    if (changes.some((change) => change.target.closest(".st-key-figure"))) update();
  });
  observer.observe(document.querySelector(".stMain"), {
    attributeFilter: ["style"],
    attributes: true,
    childList: true,
    subtree: true,
  });
  update();
  return () => observer.disconnect();
}

// Above the controls stand the sentence and the legend. During a movement they only grow, or a line
// more or less would let the slider jump under the hand. The next click elsewhere lets them go.
function keepPlaces() {
  const parts = () => document.querySelectorAll(".st-key-takeaway, .st-key-legend");
  const keep = () => {
    const heights = [...parts()].map((part) => [part, part.getBoundingClientRect().height]);
    heights.forEach(([part, height]) => (part.style.minHeight = `${height}px`));
  };
  const letGo = () => parts().forEach((part) => (part.style.minHeight = ""));
  const stop = new AbortController();
  const { signal } = stop;
  let moved = false;
  document.addEventListener("dpviz-move", () => ((moved = true), keep()), { signal });
  document.addEventListener("dpviz-drawn", () => moved && keep(), { signal });
  const end = () => {
    if (moved) letGo();
    moved = false;
  };
  document.addEventListener(
    "click",
    ({ target }) => target.closest(".st-key-controls") || end(),
    { signal, capture: true },
  );
  window.addEventListener("resize", end, { signal });
  return () => stop.abort();
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

// One listener serves the tab as long as it is open: the parts of a page are taken away and put back
// while it changes, and a key pressed meanwhile waits for the new page's buttons.
function stepByKey() {
  if (!document.dpvizStepsByKey) document.addEventListener("keydown", step);
  document.dpvizStepsByKey = true;
  return () => {};
}

const LONGEST_WAIT = 30_000; // milliseconds
let waiting = 0;

function step(event) {
  const busy = event.target.closest?.("input, textarea, [role=slider], [role=tab], [role=radio]");
  const keys = event.ctrlKey || event.metaKey || event.altKey;
  const stepping =
    document.querySelector(".st-key-steps") || /[?&](present|lecture)=/.test(location.search);
  if (busy || keys || !stepping) return;
  if (event.key === "b") history.back();
  if (!STEPS[event.key]) return;
  clearInterval(waiting);
  if (buttonsStand()) {
    if (press(STEPS[event.key])) event.preventDefault();
    return;
  }
  event.preventDefault();
  const until = Date.now() + LONGEST_WAIT;
  waiting = setInterval(() => {
    if (buttonsStand()) press(STEPS[event.key]);
    else if (Date.now() < until) return;
    clearInterval(waiting);
  }, 50);
}

// The button to leave is drawn last; what the page before has left behind is stale.
function buttonsStand() {
  return document.querySelector(".st-key-step-leave")?.dataset.stale === "false";
}

function press(selector) {
  const button = document.querySelector(selector)?.querySelector("a, button");
  button?.click();
  return Boolean(button);
}

function isDrawn(chart) {
  const plot = chart.querySelector(".js-plotly-plot");
  if (!plot?.querySelector(".main-svg .trace, .main-svg .hm")) return false;
  return plot.offsetHeight > 0 && getComputedStyle(plot).visibility === "visible";
}

function standIn(plot) {
  const copy = plot.cloneNode(true);
  copy.className = "stand-in";
  copy.setAttribute("aria-hidden", "true");
  return copy;
}
