// What only the browser can do for a page: let keys press buttons, and explain words.

export default function () {
  explainWords();
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

// Words of the glossary carry their meaning. It is shown below a word while the mouse or the focus is
// on it, or after a tap, wherever the word stands; Escape puts it away.
function explainWords() {
  if (document.dpvizWords) return;
  document.dpvizWords = true;
  const box = document.createElement("div");
  box.className = "explanation";
  box.ariaHidden = "true"; // the word itself has its meaning as a description
  box.hidden = true;
  let due = 0;
  const wordOf = (event) => event.composedPath().find((part) => part.classList?.contains("term"));
  const show = (event) => {
    const word = wordOf(event);
    if (word || event.composedPath().includes(box)) clearTimeout(due);
    if (word) putBelow(word, box);
    return word;
  };
  const hide = () => (box.hidden = true);
  const leave = (event) => {
    if (box.hidden || !(wordOf(event) || event.composedPath().includes(box))) return;
    clearTimeout(due);
    due = setTimeout(hide, 200); // time to reach the explanation itself
  };
  document.addEventListener("pointerover", (event) => event.pointerType === "mouse" && show(event));
  document.addEventListener("pointerout", leave);
  document.addEventListener("focusin", show);
  document.addEventListener("focusout", hide);
  document.addEventListener("scroll", hide, { capture: true, passive: true });
  document.addEventListener("click", (event) => {
    if (show(event)) event.preventDefault(); // a label would send the focus to its field
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
    if (event.key === "Enter" || event.key === " ") show(event) && event.preventDefault();
  });
}

function putBelow(word, box) {
  const { left, top, bottom } = word.getBoundingClientRect();
  box.textContent = word.getAttribute("aria-description");
  document.body.append(box);
  box.hidden = false;
  const { width, height } = box.getBoundingClientRect();
  box.style.left = `${Math.max(8, Math.min(left, window.innerWidth - width - 8))}px`;
  box.style.top = `${bottom + height + 8 < window.innerHeight ? bottom + 6 : top - height - 6}px`;
}
