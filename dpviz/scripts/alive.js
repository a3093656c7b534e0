// @ts-check
// The page that stands before Streamlit has started answers by itself: handle, numbers, sliders and
// the buttons of a game are those of the live page, and ask the server for figures as it does. What
// was moved is in the address, which Streamlit reads; what it has read too early it is told again.

import { readNumber } from "./numbers.js";
import { rename } from "./permitted.js";
import range from "./range_control.js";
import rounds from "./rounds.js";
import { Stage } from "./stage.js";
import { wait } from "./standing.js";

const CLOSE = 2; // pixels
const LATE = '[data-testid=stSkeleton], [data-testid=stTextInput] input[value=""]'; // widgets still to come
const NOTHING = "none"; // for a guess, where a reader had the answer told without one
const PATIENCE = 1500; // milliseconds in which Streamlit draws what it was told, or changes nothing

/** Let what stands on this page answer, if anything does, and wait for its first figure. */
export async function begin() {
  const root = document.getElementById("standing");
  if (root) keepFont(root);
  const about = root?.querySelector("script");
  if (!about) return;
  const drawn = new Promise((go) => root.addEventListener("dpviz-notes", go, { once: true }));
  new Standing(root, JSON.parse(about.textContent));
  await drawn;
}

// A font that comes late is left out by the browser, but taken as soon as Streamlit adds a font of its
// own, and lines would break elsewhere. What is painted without it stays so.
function keepFont(root) {
  const sans = root.querySelector("header span, .leave, .within summary");
  const kept = { even: root.querySelector("h1"), "even-sans": sans };
  const probes = Object.values(kept).map((words) => {
    const probe = words.cloneNode();
    probe.textContent = "i".repeat(40); // faces as wide as each other in words differ in one letter
    Object.assign(probe.style, { position: "absolute", visibility: "hidden", width: "max-content" });
    words.after(probe);
    return probe;
  });
  const widths = () => probes.map(({ offsetWidth }) => offsetWidth);
  const before = widths();
  root.classList.add(...Object.keys(kept));
  const without = widths();
  Object.keys(kept).forEach((name, at) => before[at] !== without[at] && root.classList.remove(name));
  for (const probe of probes) probe.remove();
}

class Standing {
  /**
   * @param {any} root
   * @param {import("./types").Stands} about
   */
  constructor(root, about) {
    this.root = root;
    this.about = about;
    this.query = about.wanted.query;
    this.numbers = {}; // of the last values taken from the sliders
    this.moved = {}; // what Streamlit has not heard of
    this.handed = null; // when it was told, and how many figures it had drawn
    this.said = ""; // the answers in the rounds of a game, a letter each
    this.look = about.wanted.look;
    this.guess = about.guess?.counts && about.guess.stands; // what the reader predicts
    this.ventured = false; // whether Streamlit has not heard of that
    this.revealed = false; // whether the answer is told
    this.held = false; // whether a pointer is down
    this.alike = 0; // when the live page began to show the same
    this.stage = new Stage(root.querySelector(".stands"));
    this.controls = new Map();
    root.addEventListener("dpviz-odds", ({ detail }) => {
      for (const place of root.querySelectorAll(".odds")) place.textContent = detail;
    });
    root.addEventListener("pointerdown", () => (this.held = true), { capture: true });
    for (const type of ["pointerup", "pointercancel"])
      window.addEventListener(type, () => (this.held = false), { capture: true });
    window.addEventListener("keydown", (event) => this.step(event), { capture: true });
    for (const place of root.querySelectorAll("[data-control]")) this.control(place);
    if (about.rounds) this.play();
    if (about.guess) root.querySelector(".ask-place").addEventListener("click", (event) => this.ask(event));
    this.show();
    const gone = ({ isTrusted }) => isTrusted && root.isConnected && location.reload();
    window.addEventListener("popstate", gone);
    wait({ isReady: () => this.isReady(), hand: () => this.hand() });
  }

  show() {
    const { query, numbers, said } = this;
    const look = { ...this.look, said };
    this.stage.update({ ...this.about.wanted, query, numbers, look, varies: [said] }, () => {});
  }

  // --- What a hand moves ----------------------------------------------------------------------

  control(place) {
    const { control: key } = place.dataset;
    const about = this.about.controls[key];
    if (!about) return;
    const root = place.attachShadow({ mode: "open" });
    root.append(this.root.querySelector("template.range").content.cloneNode(true));
    const take = (_, { text, number }) => this.take(key, text, number);
    const show = (text, number) =>
      range({ data: { ...about, key, text, number, note: "" }, parentElement: root, setStateValue: take });
    this.controls.set(key, { root, show });
    show(key === this.about.guess?.key ? this.about.guess.stands : this.query[key], 0);
  }

  take(key, text, number) {
    const { grid, whole } = this.about.controls[key];
    const plain = grid.includes(text);
    const read = plain ? NaN : readNumber(text, { whole });
    const inRange = plain || (read >= Number(grid[0]) && read <= Number(grid.at(-1)));
    const value = plain || !inRange ? text : String(read);
    if (key === this.about.guess?.key) {
      if (inRange) this.controls.get(key).show(value, number);
      this.venture(value);
      return;
    }
    if (this.revealed) this.look = { ...this.look, guess: "", revealed: "" }; // it was about another state
    this.ventured &&= !this.revealed;
    this.query = { ...this.query, [key]: value };
    this.numbers = { ...this.numbers, [key]: number };
    this.moved[key] = value;
    this.said = "";
    if (inRange) this.controls.get(key).show(value, number);
    this.write();
    this.lead(key, value);
    this.play();
    this.show();
  }

  // The address says all that the page is, as Streamlit writes it.
  write(telling = false) {
    const params = new URLSearchParams(location.search);
    for (const [key, text] of Object.entries(this.query)) params.set(key, text);
    if (this.revealed) params.delete("ask");
    if (telling && this.ventured) params.set("guess", this.guess || NOTHING);
    rename(`${location.pathname}?${params}`);
  }

  // Links take along what was moved.
  lead(key, text) {
    for (const link of this.root.querySelectorAll("nav a, header a, .leave")) {
      const to = new URL(link.href);
      if (!to.searchParams.has(key) && !this.about.carried.includes(key)) continue;
      to.searchParams.set(key, text);
      link.href = to.href;
    }
  }

  // --- Games ----------------------------------------------------------------------------------

  play() {
    const place = this.root.querySelector(".rounds-place");
    if (!place || this.root.querySelector(".asks")) return;
    if (!place.shadowRoot) {
      place
        .attachShadow({ mode: "open" })
        .append(this.root.querySelector("template.rounds").content.cloneNode(true));
    }
    const data = { ...this.about.rounds, number: this.said.length + 1, game: this.query };
    const setTriggerValue = (name, value) => this.answer(name, value);
    rounds({ data, parentElement: place.shadowRoot, setTriggerValue });
  }

  answer(name, { letter, number }) {
    const { again, count } = this.about.rounds;
    if (name === "again") this.take(again, String(Number(this.query[again]) + 1), Date.now());
    else if (number === this.said.length + 1 && number <= count) {
      this.said += letter;
      this.play();
      this.show();
    }
  }

  // --- Predictions ----------------------------------------------------------------------------

  ask({ target }) {
    const button = target.closest("button");
    if (!button) return;
    if (button.matches(".reveal")) this.reveal();
    else this.venture(button.value);
    for (const other of this.root.querySelectorAll(".choice button"))
      other.setAttribute("aria-pressed", String(other.value === this.guess));
  }

  venture(guess) {
    this.guess = guess;
    this.ventured = true;
  }

  reveal() {
    const { key, revealed } = this.about.guess;
    const control = this.controls.get(key)?.root.control;
    if (control) {
      control.type();
      control.stop();
    }
    this.controls.delete(key);
    this.root.querySelector(".ask-place").remove();
    this.root.querySelector(".asks").classList.remove("asks");
    this.revealed = this.ventured = true;
    this.look = { ...this.look, ask: "", guess: this.guess, revealed: this.guess ? "here" : revealed };
    this.write();
    this.play();
    this.show();
  }

  // --- Steps ----------------------------------------------------------------------------------

  // As in dpviz/scripts/page.js: what is to be predicted is told before the next scene.
  step(event) {
    const { key, altKey, ctrlKey, metaKey } = event;
    const on = ["PageDown", "ArrowRight"].includes(key);
    if (!this.root.isConnected || altKey || ctrlKey || metaKey) return;
    if (!on && !["PageUp", "ArrowLeft"].includes(key)) return;
    const [part] = event.composedPath();
    if (key.startsWith("Arrow") && part.matches?.("[role=slider], input, .views a")) return;
    const find = (selector) => this.root.querySelector(selector);
    const way = on ? (find(".reveal") ?? find(".on")) : find(".step:not(.on)");
    if (!way || !find(".steps")) return;
    event.preventDefault();
    event.stopPropagation();
    way.click();
  }

  // --- Handing over ---------------------------------------------------------------------------

  // The live page may stand here once nothing is held, and it shows what is shown here.
  isReady() {
    const live = /** @type {HTMLElement} */ (document.querySelector("#root .dpviz-stage"));
    if (!live) return true;
    const busy = [...this.controls.values()].some(({ root: { control } }) => control.edited || control.held);
    if (this.held || this.stage.moving || busy) return false;
    const { state, number, query } = live.dataset;
    const drawn = state === "rest" || this.stage.root.dataset.state !== "rest";
    const shown = new URLSearchParams(query);
    const same = this.isTold(shown, live.dataset) && drawn && this.isAnswered();
    if (!same) this.alike = 0;
    else this.alike ||= Date.now();
    return same && (this.isInPlace() || Date.now() - this.alike > PATIENCE);
  }

  // Whether the live page has its words and its widgets, and its sliders say something where those
  // here are.
  isInPlace() {
    const parts = document.querySelectorAll("#root :is(.st-key-header, .st-key-steps)");
    const words = [...parts].map(({ textContent }) => textContent).join();
    const heads = [...this.root.querySelectorAll(":is(header, .steps) > *")];
    if (!heads.every(({ textContent }) => words.includes(textContent))) return false;
    if (document.querySelector(`#root .st-key-controls :is(${LATE})`)) return false;
    const down = (part, scroller) => part.getBoundingClientRect().top + scroller.scrollTop;
    const main = document.querySelector(".stMain");
    return [...this.controls].every(([key, { root }]) => {
      const slider = liveControl(key)?.querySelector(".slider");
      const here = root.querySelector(".slider");
      return slider?.ariaValueText && Math.abs(down(slider, main) - down(here, this.root)) < CLOSE;
    });
  }

  /**
   * @param {URLSearchParams} query
   * @param {DOMStringMap} dataset
   */
  isTold(query, { number, address = "" }) {
    const { testConnectionState, testScriptState } = document.querySelector(".stApp").dataset;
    if (testConnectionState !== "CONNECTED" || testScriptState !== "notRunning") return false;
    if (this.handed) {
      const { at, guess } = this.handed;
      const shows = !this.look.revealed || /[?&]revealed=here/.test(address);
      const heard = guess ? shows && !/[?&]guess=/.test(location.search) : number !== this.handed.number;
      if (!heard && Date.now() - at < PATIENCE) return false;
      this.handed = null;
    }
    const moved = Object.entries(this.moved).some(([key, text]) => query.get(key) !== text);
    if (!moved && !this.ventured) return true;
    this.write(true);
    this.moved = {};
    this.handed = { at: Date.now(), number, guess: this.ventured };
    this.ventured = false;
    dispatchEvent(new PopStateEvent("popstate"));
    return false;
  }

  isAnswered() {
    if (!this.said) return true;
    const detail = { said: this.said, number: 0 };
    document.dispatchEvent(new CustomEvent("dpviz-said", { detail }));
    return detail.number === this.said.length + 1;
  }

  // All ends here; the part of the live page is returned that has the keys from now on.
  hand() {
    const focused = /** @type {any} */ (document.activeElement);
    this.stage.stop();
    for (const { root } of this.controls.values()) root.control.stop();
    this.root.querySelector(".rounds-place")?.shadowRoot?.rounds.ended.abort();
    if (!this.root.contains(focused)) return null;
    const { control, pull } = focused.dataset;
    const inside = focused.shadowRoot?.activeElement;
    const live = (selector) => /** @type {any} */ (document.querySelector(`#root ${selector}`));
    if (pull) return live(`.takeaway [data-pull="${CSS.escape(pull)}"]`);
    if (focused.matches(".ask-place .reveal")) return live(".st-key-reveal button");
    if (focused.matches(".knob, .read-by-keys")) return live(`.${focused.className}`);
    return liveControl(control)?.querySelector(inside?.matches("input") ? "input" : ".slider");
  }
}

/** Return the shadow in which the live page has the control of a parameter, if it has one. */
function liveControl(key) {
  const place = key && document.querySelector(`#root .st-key-${CSS.escape(key)}`);
  const parts = place ? [...place.querySelectorAll("*")] : [];
  return parts.map((part) => part.shadowRoot).find(Boolean);
}
