// @ts-check
// What only the browser can do for a page: let keys press buttons and go through menus, explain
// words, keep a lecture over a reload, show the table or the section that a link opens.

import { remember as rememberSession } from "./links.js";
import { forget, keep, lasts, recall } from "./permitted.js";
import { watch } from "./standing.js";

/** @param {import("./types").Call<{ lecture: string | null, known: boolean, session: string }>} call */
export default function ({ data, setTriggerValue }) {
  rememberSession(data.session);
  keepLecture(data, setTriggerValue);
  explainWords();
  stepByKey();
  return prepared();
}

// A reload ends the session on the server; the tab still has what was made there, or it is said that
// it has not.
const KEPT = "dpviz-lecture";
let warned = false;

function keepLecture({ lecture, known }, setTriggerValue) {
  if (lecture) keep("tab", KEPT, lecture);
  else if (known && lecture === "") forget("tab", KEPT);
  else if (!known && recall("tab", KEPT)) setTriggerValue("lecture", recall("tab", KEPT));
  if (lecture && !warned && !lasts("tab")) setTriggerValue("forgets", (warned = true));
}

// A figure that moves changes hundreds of elements a second: nobody has to look at each of them.
const LATE = 100; // milliseconds

function prepared() {
  const stop = new AbortController();
  watch(stop.signal);
  let due = 0;
  const prepare = () => {
    due = 0;
    showOpenTab();
    showOpened();
    saveFile();
    // Streamlit makes a stop of all that scrolls. Whoever skips to it still gets there.
    const main = /** @type {any} */ (document.querySelector(".stMain"));
    main.tabIndex = -1;
    const header = document.querySelector(".st-key-header");
    header?.setAttribute("role", "navigation");
    header?.setAttribute("aria-label", "dpviz");
    // A formula or a table that is wider than its place is scrolled by keys, too.
    /** @type {NodeListOf<HTMLElement>} */
    const wide = document.querySelectorAll(".prose :is(p, table), .stMarkdown table");
    wide.forEach((part) => {
      if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
      else part.removeAttribute("tabindex");
    });
  };
  document.addEventListener("keydown", throughMenu, { signal: stop.signal });
  document.addEventListener("click", showSentence, { signal: stop.signal });
  const observer = new MutationObserver(() => (due ||= setTimeout(prepare, LATE)));
  const main = document.querySelector(".stMain");
  observer.observe(main, { childList: true, subtree: true });
  // Its place is the window, over whatever the page has there.
  const menu = () => {
    document.querySelector(".stAppHeader")?.classList.toggle("away", main.scrollTop > 30);
  };
  main.addEventListener("scroll", menu, { passive: true, signal: stop.signal });
  menu();
  prepare();
  return () => (observer.disconnect(), clearTimeout(due), stop.abort());
}

// Where the tabs do not fit side by side, the open one is brought into sight: once, as a reader may
// look at the others.
let open = "";

function showOpenTab() {
  const tab = document.querySelector(".stMain .views [aria-current]");
  const now = tab ? location.pathname + tab.textContent : "";
  if (!tab || now === open) return;
  open = now;
  const strip = tab.closest(".views");
  const [{ left, width }, frame] = [tab, strip].map((part) => part.getBoundingClientRect());
  strip.scrollLeft += left + width / 2 - (frame.left + frame.width / 2);
}

// A link may open a tab below the figure, a table say, or a section of the prose: it is brought into
// sight once a page, when the figure above it has its height.
const OPENED = {
  tab: [".st-key-at-figure:has(table, canvas, pre)"],
  read: [".st-key-prose details[open]", ".st-key-prose"],
};
let arrived = "";
let looking = 0;

function showOpened() {
  clearTimeout(looking);
  const figure = document.querySelector(".dpviz-stage");
  if (!figure) arrived = "";
  if (!figure || location.pathname === arrived) return;
  const params = new URLSearchParams(location.search);
  const mode = Object.keys(OPENED).find((mode) => params.has(mode));
  if (mode) {
    const place = OPENED[mode].map((part) => document.querySelector(part)).find(Boolean);
    if (!place || !figure.matches("[data-state=rest]")) {
      looking = setTimeout(showOpened, LATE);
      return;
    }
    place.scrollIntoView();
    const stuck = figure.querySelector(".picture").getBoundingClientRect().bottom; // on a phone
    document.querySelector(".stMain").scrollTop -= Math.max(0, stuck);
  }
  arrived = location.pathname;
}

// A state to try is offered below the figure: what it changes, sentence and figure, comes into sight.
function showSentence({ target }) {
  if (!target.closest(".st-key-presets button")) return;
  document.querySelector(".dpviz-stage .takeaway")?.scrollIntoView({ block: "nearest" });
}

// A menu stands at the end of the document. Keys go through it as if it stood behind its button, and
// leave it closed.
const MENU = "[data-testid=stPopoverBody]";

function throughMenu(event) {
  /** @type {HTMLElement} */
  const button = document.querySelector("[data-testid=stPopoverButton][aria-expanded=true]");
  /** @type {NodeListOf<HTMLElement>} */
  const stops = document.querySelectorAll(`${MENU} :is(a[href], button, input)`);
  if (event.key !== "Tab" || !button || !stops.length) return;
  const { activeElement: active } = document;
  if (active !== button && !active.closest(MENU)) return;
  const all = [button, ...stops];
  const next = all[all.findIndex((stop) => stop === active) + (event.shiftKey ? -1 : 1)];
  if (next) event.preventDefault(), next.focus();
  else button.focus(), button.click(); // from there the browser goes on
}

// A file that a reader asked for is saved when it is there, once; its button saves it again.
let saved = "";

function saveFile() {
  const place = document.querySelector("[class*=st-key-file-made-]");
  const button = place?.querySelector("button");
  if (!button || button.disabled || saved === place.className) return;
  saved = place.className;
  button.click();
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
  c: [".st-key-step-controls"],
  n: [".st-key-step-notes"],
  Escape: [".st-key-presenting .st-key-step-leave"], // of a lecture nobody leaves by accident
};
const STEPPED_TO = ".st-key-step-next a, .st-key-step-previous a";
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
  const active = inFocus();
  if (active && !active.matches(TYPING)) active.blur();
}

function inFocus() {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
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

function remember(event) {
  const { target } = event;
  const leaves = target.closest?.(".st-key-step-leave");
  const notes = target.closest?.(".st-key-step-notes a");
  if (notes) {
    event.preventDefault(); // another window, which follows this one
    window.open(notes.href, "dpviz-notes", "popup,width=700,height=800");
  }
  const room = target.closest?.(".st-key-room a");
  if (room) {
    event.preventDefault(); // one projector, one tab
    location.assign(room.href);
  }
  // No figure stands below the question of another scene, however long that takes to arrive.
  if (isStepping() && target.closest?.(`${STEPPED_TO}, ${REVEAL}`))
    document.querySelector(".stMain").scrollTop = 0; // what is asked or said next begins there
  const stage = target.closest?.(STEPPED_TO) && document.querySelector(".dpviz-stage");
  if (stage instanceof HTMLElement) stage.dataset.other = "true";
  seen = document.querySelector(".st-key-steps") && !leaves ? Date.now() : 0;
}

// Between two pages neither the buttons nor the address may say that there are steps.
function isStepping() {
  if (document.querySelector(".st-key-steps")) return true;
  if (/[?&](present|lecture)=/.test(location.search)) return true;
  const stands = isIdle() && document.querySelector("h1");
  return !stands && Date.now() - seen < LONGEST_WAIT;
}

// In a room the page is a frame, whose first page must not lead the room's screen away.
function goBack() {
  if (window.navigation?.canGoBack ?? true) history.back();
}

function step(event) {
  const { key } = event;
  const combined = event.ctrlKey || event.metaKey || event.altKey;
  if (combined || !isStepping() || isTaken(key, event.composedPath()[0])) return;
  if (key === "b") goBack();
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

const LINGERED = 250; // milliseconds of a mouse on a word: one on its way to the slider below goes on

// Words of the glossary carry their meaning. It is shown below a word while the mouse stays or the
// focus is on it, wherever the word stands. A click, a tap, Enter or Space keeps it there, until the
// next click elsewhere or Escape.
function explainWords() {
  if (document.dpvizWords) return;
  document.dpvizWords = true;
  const box = document.createElement("div");
  box.className = "explanation";
  box.ariaHidden = "true"; // the word itself has its meaning as a description
  box.hidden = true;
  let due = 0;
  let kept = null; // the word whose meaning stays
  const wordOf = (event) => event.composedPath().find((part) => part.classList?.contains("term"));
  const isInside = (event) => event.composedPath().includes(box);
  const show = (word) => {
    clearTimeout(due);
    putBelow(word, box);
  };
  const hide = () => {
    clearTimeout(due);
    kept = null;
    box.hidden = true;
  };
  const keep = (event) => {
    const word = wordOf(event);
    if (word) {
      event.preventDefault(); // a label would send the focus to its field
      show((kept = word));
    } else if (!isInside(event)) hide();
  };
  const glance = (event) => {
    const word = wordOf(event);
    if (word ? kept : !isInside(event)) return;
    clearTimeout(due);
    if (word) due = setTimeout(() => show(word), LINGERED);
  };
  document.addEventListener("pointerover", (event) => event.pointerType === "mouse" && glance(event));
  document.addEventListener("pointerout", (event) => {
    if (kept || event.pointerType !== "mouse" || !(wordOf(event) || isInside(event))) return;
    clearTimeout(due);
    due = setTimeout(hide, 200); // time to reach the explanation itself
  });
  document.addEventListener("focusin", (event) => {
    const word = wordOf(event);
    if (word && word !== kept) hide(), show(word);
    else if (!word && !isInside(event)) hide();
  });
  // Where the focus moves within a control, the document hears of the key alone.
  window.addEventListener("keyup", ({ key }) => {
    const part = inFocus();
    if (key === "Tab" && part !== kept) hide();
    if (key === "Tab" && part?.classList.contains("term")) show(part);
  });
  // Who takes the focus from a word without giving it to another part has not looked elsewhere.
  document.addEventListener("focusout", () => kept || hide());
  const follow = () => (kept?.isConnected ? show(kept) : hide());
  document.addEventListener("scroll", follow, { capture: true, passive: true });
  document.addEventListener("click", keep, { capture: true });
  const press = (event) => {
    if (event.key === "Escape" && !box.hidden) hide(), take(event); // and leaves nothing else
    if ((event.key === "Enter" || event.key === " ") && wordOf(event)) keep(event);
  };
  window.addEventListener("keydown", press, { capture: true });
}

function putBelow(word, box) {
  const { left, top, bottom } = word.getBoundingClientRect();
  box.textContent = word.getAttribute("aria-description");
  document.querySelector(".stApp").append(box); // which knows whether it is dark
  box.hidden = false;
  const { width, height } = box.getBoundingClientRect();
  box.style.left = `${Math.max(8, Math.min(left, window.innerWidth - width - 8))}px`;
  box.style.top = `${bottom + height + 8 < window.innerHeight ? bottom + 6 : top - height - 6}px`;
}
