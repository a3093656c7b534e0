// What only the browser can do for a page: let keys press buttons, keep a lecture over a reload.

export default function ({ data, setTriggerValue }) {
  keepLecture(data, setTriggerValue);
  stepByKey();
  return playByKey();
}

// A reload ends the session on the server; the tab still has what was made there.
const KEPT = "dpviz-lecture";

function keepLecture({ lecture, known }, setTriggerValue) {
  if (lecture) sessionStorage.setItem(KEPT, lecture);
  else if (known && lecture === "") sessionStorage.removeItem(KEPT);
  else if (!known && sessionStorage.getItem(KEPT))
    setTriggerValue("lecture", sessionStorage.getItem(KEPT));
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

// In front of a class: the keys of a presenter's remote go from step to step, as arrows do. What is
// to be predicted is revealed before the next step.
const REVEAL = ".st-key-reveal";
const STEPS = {
  ArrowRight: [REVEAL, ".st-key-step-next"],
  PageDown: [REVEAL, ".st-key-step-next"],
  Enter: [REVEAL],
  ArrowLeft: [".st-key-step-previous"],
  PageUp: [".st-key-step-previous"],
  r: [".st-key-seed-next"],
  Escape: [".st-key-step-leave"],
};
const TYPING = `textarea, input[role=combobox][aria-expanded=true],
  input:not([role=combobox], [type=radio], [type=checkbox], [type=file])`;
const BY_ARROWS = "[role=slider], [role=tab], [role=radio], [role=option]";
const PRESSED = "a, button, summary, [role=button], [role=switch], input";

// One listener serves the tab as long as it is open: the parts of a page are taken away and put back
// while it changes, and a key pressed meanwhile waits for the new page's buttons.
function stepByKey() {
  if (document.dpvizStepsByKey) return;
  document.addEventListener("click", remember, { capture: true });
  window.addEventListener("popstate", remember);
  document.dpvizStepsByKey = true;
  document.addEventListener("keydown", step, { capture: true });
  document.addEventListener("pointerup", () => isStepping() && setTimeout(giveKeysBack));
}

// A hand at the mouse is not at the keys: those of the remote still mean the next step.
function giveKeysBack() {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  if (active && !active.matches(TYPING)) active.blur();
}

// Whether a key means something where it was pressed.
function isTaken(key, part) {
  if (!part.matches) return false;
  if (part.matches(TYPING)) {
    if (["Enter", "Escape"].includes(key)) setTimeout(() => part.blur());
    return !key.startsWith("Page") || part.matches("textarea");
  }
  if (key.startsWith("Arrow")) return part.matches(BY_ARROWS);
  return key === "Enter" && part.matches(PRESSED);
}

const LONGEST_WAIT = 30_000; // milliseconds
let waiting = 0;
let seen = 0; // when a click or a step back began to lead away from a page with steps

function remember({ target }) {
  const leaves = target.closest?.(STEPS.Escape[0]);
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
  const { key } = event;
  const combined = event.ctrlKey || event.metaKey || event.altKey;
  if (combined || !isStepping() || isTaken(key, event.composedPath()[0])) return;
  if (key === "b") history.back();
  if (!Object.hasOwn(STEPS, key)) return;
  clearInterval(waiting);
  if (buttonsAreThere()) {
    if (press(STEPS[key])) take(event);
    return;
  }
  take(event);
  const until = Date.now() + LONGEST_WAIT;
  waiting = setInterval(() => {
    if (buttonsAreThere() && isIdle()) press(STEPS[key]);
    else if (Date.now() < until) return;
    clearInterval(waiting);
  }, 50);
}

function take(event) {
  event.preventDefault();
  event.stopPropagation();
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

function press(selectors) {
  const places = selectors.map((selector) => document.querySelector(selector));
  const button = places.find((place) => place?.dataset.stale !== "true" && place)?.querySelector(
    "a, button",
  );
  button?.click();
  return Boolean(button);
}
