// What only the browser can do for a page: let keys press buttons.

export default function () {
  const stops = [playByKey(), stepByKey()];
  return () => stops.forEach((stop) => stop());
}

// Plotly's buttons respond only to the mouse.
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
  if (!document.dpvizStepsByKey) {
    document.addEventListener("keydown", step);
    document.addEventListener("click", remember, { capture: true });
    window.addEventListener("popstate", remember);
  }
  document.dpvizStepsByKey = true;
  return () => {};
}

const LONGEST_WAIT = 30_000; // milliseconds
let waiting = 0;
let seen = 0; // when a click or a step back began to lead away from a page with steps

function remember({ target }) {
  const leaves = target.closest?.(STEPS.Escape);
  seen = document.querySelector(".st-key-steps") && !leaves ? Date.now() : 0;
}

// Between two pages neither the buttons nor the address may say that there are steps.
function isStepping() {
  if (document.querySelector(".st-key-steps")) return true;
  if (/[?&](present|lecture)=/.test(location.search)) return true;
  const stands = isIdle() && document.querySelector("h1");
  return !stands && Date.now() - seen < LONGEST_WAIT;
}

function step(event) {
  const busy = event.target.closest?.("input, textarea, [role=slider], [role=tab], [role=radio]");
  const keys = event.ctrlKey || event.metaKey || event.altKey;
  if (busy || keys || !isStepping()) return;
  if (event.key === "b") history.back();
  if (!STEPS[event.key]) return;
  clearInterval(waiting);
  if (buttonsAreThere()) {
    if (press(STEPS[event.key])) event.preventDefault();
    return;
  }
  event.preventDefault();
  const until = Date.now() + LONGEST_WAIT;
  waiting = setInterval(() => {
    if (buttonsAreThere() && isIdle()) press(STEPS[event.key]);
    else if (Date.now() < until) return;
    clearInterval(waiting);
  }, 50);
}

// The button to leave is drawn last; what the page before has left behind is stale.
function buttonsAreThere() {
  return document.querySelector(".st-key-step-leave")?.dataset.stale === "false";
}

// A click that reaches Streamlit while it changes pages would be taken for one on the page before.
function isIdle() {
  const { testConnectionState, testScriptState } = document.querySelector(".stApp").dataset;
  return testConnectionState === "CONNECTED" && testScriptState === "notRunning";
}

function press(selector) {
  const button = document.querySelector(selector)?.querySelector("a, button");
  button?.click();
  return Boolean(button);
}
