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

const PATIENCE = 1500; // milliseconds in which Streamlit draws what it was told, or changes nothing

/** Let what stands on this page answer, if anything does. */
export function begin() {
  const root = document.getElementById("standing");
  const about = root?.querySelector("script");
  if (about) new Standing(root, JSON.parse(about.textContent));
}

class Standing {
  /**
   * @param {any} root
   * @param {import("./types").Stands} about
   */
  constructor(root, about) {
    Object.assign(this, { root, about });
    this.query = about.wanted.query;
    this.numbers = {}; // of the last values taken from the sliders
    this.moved = {}; // what Streamlit has not heard of
    this.told = null; // when it was told, and how many figures it had drawn
    this.said = ""; // the answers in the rounds of a game, a letter each
    this.held = false; // whether a pointer is down
    this.stage = new Stage(root.querySelector(".stands"));
    this.controls = new Map();
    root.addEventListener("dpviz-odds", ({ detail }) => {
      for (const place of root.querySelectorAll(".odds")) place.textContent = detail;
    });
    root.addEventListener("pointerdown", () => (this.held = true), { capture: true });
    for (const type of ["pointerup", "pointercancel"])
      window.addEventListener(type, () => (this.held = false), { capture: true });
    for (const place of root.querySelectorAll("[data-control]")) this.control(place);
    if (about.rounds) this.play();
    this.show();
    const gone = ({ isTrusted }) => isTrusted && root.isConnected && location.reload();
    window.addEventListener("popstate", gone);
    wait({ isReady: () => this.isReady(), hand: () => this.hand() });
  }

  show() {
    const { query, numbers, said } = this;
    const look = { ...this.about.wanted.look, said };
    this.stage.update({ ...this.about.wanted, query, numbers, look, own: [said] }, () => {});
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
    show(this.query[key], 0);
  }

  take(key, text, number) {
    const { grid, whole } = this.about.controls[key];
    const plain = grid.includes(text);
    const read = plain ? NaN : readNumber(text, { whole });
    const known = plain || (read >= Number(grid[0]) && read <= Number(grid.at(-1)));
    const value = plain || !known ? text : String(read);
    this.query = { ...this.query, [key]: value };
    this.numbers = { ...this.numbers, [key]: number };
    this.moved[key] = value;
    this.said = "";
    if (known) this.controls.get(key).show(value, number);
    this.write();
    this.lead(key, value);
    this.play();
    this.show();
  }

  // The address says all that the page is, as Streamlit writes it.
  write() {
    const asked = new URLSearchParams(location.search);
    for (const [key, text] of Object.entries(this.query)) asked.set(key, text);
    rename(`${location.pathname}?${asked}`);
  }

  // Links take along what was moved.
  lead(key, text) {
    for (const link of this.root.querySelectorAll("nav a, header a")) {
      const to = new URL(link.href);
      if (!to.searchParams.has(key) && !this.about.carried.includes(key)) continue;
      to.searchParams.set(key, text);
      link.href = to.href;
    }
  }

  // --- Games ----------------------------------------------------------------------------------

  play() {
    const place = this.root.querySelector(".rounds-place");
    if (!place) return;
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

  // --- Handing over ---------------------------------------------------------------------------

  // The live page may stand here once nothing is held, and it shows what is shown here.
  isReady() {
    const live = /** @type {HTMLElement} */ (document.querySelector("#root .dpviz-stage"));
    if (!live) return true;
    const writes = [...this.controls.values()].some(({ root }) => root.control.edited);
    if (this.held || this.stage.moving || writes) return false;
    const { state, number, query } = live.dataset;
    const drawn = state === "rest" || this.stage.root.dataset.state !== "rest";
    return this.isTold(new URLSearchParams(query), number) && drawn && this.isAnswered();
  }

  isTold(query, number) {
    const { testConnectionState, testScriptState } = document.querySelector(".stApp").dataset;
    if (testConnectionState !== "CONNECTED" || testScriptState !== "notRunning") return false;
    if (this.told) {
      if (number === this.told.number && Date.now() - this.told.at < PATIENCE) return false;
      this.told = null;
    }
    if (Object.entries(this.moved).every(([key, text]) => query.get(key) === text)) return true;
    this.write();
    this.moved = {};
    this.told = { at: Date.now(), number };
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
    this.root.querySelector(".rounds-place")?.shadowRoot.rounds.ended.abort();
    if (!this.root.contains(focused)) return null;
    const { control, pull } = focused.dataset;
    const inside = focused.shadowRoot?.activeElement;
    const live = (selector) => /** @type {any} */ (document.querySelector(`#root ${selector}`));
    if (pull) return live(`.takeaway [data-pull="${CSS.escape(pull)}"]`);
    if (focused.matches(".knob, .read-by-keys")) return live(`.${focused.className}`);
    const place = control && live(`.st-key-${CSS.escape(control)}`);
    const shadows = place ? [...place.querySelectorAll("*")].map((part) => part.shadowRoot) : [];
    return shadows.find(Boolean)?.querySelector(inside?.matches("input") ? "input" : ".slider");
  }
}
