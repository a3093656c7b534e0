// Plays the lecture in this file. The stage and the range control are those of the app; what they
// ask a server for lies here, as differences from the figure with which a scene opens.

import { choice, seed, slider } from "./controls.js";
import { changed, differing, lineOf, playOf, unpacked } from "./held.js";
import { element, isCombined, list } from "./component.js";
import { rename } from "./permitted.js";
import stage from "./stage.js";

const SHORT = 450; // characters that fill a slide when they are large
const QUIET = 1000; // milliseconds after loading until the handout is laid out

const find = (id) => document.getElementById(id);
const packed = [...document.querySelectorAll("script.scene")];

class Player {
  constructor() {
    this.moved = ""; // the control that is not where the scene has it
    this.state = {}; // and its value
    this.numbers = {}; // of the last values taken from range controls
    document.addEventListener("dpviz-move", ({ detail }) => this.only(detail.key));
    this.bring = async (address) => new Response(`${JSON.stringify(this.figure(address))}\n`);
    find("back").onclick = () => this.open(this.number - 1);
    find("next").onclick = () => this.forward();
    for (const name of ["reveal", "answer-button"]) find(name).onclick = () => this.reveal();
    find("tell").onclick = () => this.tell();
    find("print").onclick = () => this.print();
    document.addEventListener("dpviz-notes", ({ detail }) => list(find("known"), detail));
    document.addEventListener("dpviz-odds", ({ detail }) => {
      for (const place of document.querySelectorAll(".odds")) place.textContent = detail;
    });
    document.addEventListener("keydown", (event) => this.press(event));
    window.addEventListener("load", () => setTimeout(() => this.lay(), QUIET));
    window.addEventListener("hashchange", () => this.open(Number(location.hash.slice(1))));
  }

  async open(number) {
    this.number = Math.min(Math.max(number || 1, 1), packed.length);
    const scene = JSON.parse(await unpacked(packed[this.number - 1].textContent));
    rename(`#${this.number}`);
    Object.assign(this, { scene, moved: "", state: {}, asking: Boolean(scene.masked || scene.answer) });
    find("prompt").innerHTML = scene.prompt;
    find("question").textContent = [scene.question, scene.title].filter(Boolean).join(" · ");
    find("speech").innerHTML = scene.notes;
    find("solution").innerHTML = scene.solution ?? "";
    find("place").textContent = `${this.number} of ${packed.length}`;
    find("back").disabled = this.number === 1;
    find("next").disabled = this.number === packed.length && !this.asking;
    this.make();
    this.show();
  }

  // --- Figures --------------------------------------------------------------------------------

  figure(address) {
    const query = new URLSearchParams(address.split("?")[1]);
    const place = { narrow: query.get("narrow") === "1", across: Number(query.get("across")) };
    const { masked, first, plays, states } = this.pictured;
    if (query.get("ask") === "1") return lineOf(changed(first, masked), place);
    const there = states[this.moved];
    const figure = changed(first, there && differing(there, query.get(this.moved)));
    if (query.get("frames") !== "1") return lineOf(figure, place);
    return playOf(figure.frames ? figure : plays, place);
  }

  show() {
    const { scene, state, numbers, asking } = this;
    const isWritten = scene.text !== undefined;
    find("written").hidden = !isWritten;
    find("scene").hidden = isWritten;
    if (isWritten) {
      this.write(scene, asking);
      return;
    }
    this.pictured = scene; // also while words stand in the place of its figure
    const query = { ...scene.query, ...state };
    const data = {
      figure: `scene-${this.number}`,
      query,
      numbers,
      look: { ask: asking ? "1" : "" },
      varies: [],
      token: ["x-none", ""],
    };
    const { bring } = this;
    stage({ data, parentElement: find("scene"), setTriggerValue: () => {}, bring });
    for (const control of this.controls) control.show(query[control.key]);
    find("reveal").hidden = !asking;
    find("controls").hidden = asking;
    find("hint").textContent = asking
      ? "What do you think? Reveal shows the answer."
      : this.hint(scene);
  }

  write({ text, options, answer }, asking) {
    find("text").innerHTML = text;
    list(find("options"), options);
    const words = find("text").textContent + find("options").textContent;
    find("written").dataset.long = String(words.length > SHORT);
    find("answer-button").hidden = !asking;
    find("answer").innerHTML = asking ? "" : answer;
  }

  hint({ controls, rounds }) {
    if (rounds) return "The rounds of this scene are played in the app.";
    return controls.length > 1 ? "When one control moves, the others go back to the scene." : "";
  }

  // --- Controls -------------------------------------------------------------------------------

  make() {
    const makers = { range: slider, choice, seed };
    this.controls = this.scene.controls.map((about) =>
      makers[about.kind](about, this.scene.query[about.key], (text, number) =>
        this.take(about.key, text, number),
      ),
    );
    find("controls").replaceChildren(...this.controls.map(({ place }) => place));
  }

  only(key) {
    if (key === this.moved) return;
    this.moved = key;
    this.state = {};
    for (const control of this.controls)
      if (control.key !== key) control.show(this.scene.query[control.key]);
  }

  take(key, text, number = Date.now()) {
    this.only(key);
    this.state = { [key]: text };
    this.numbers = { ...this.numbers, [key]: number };
    this.show();
  }

  // --- Through the lecture --------------------------------------------------------------------

  forward() {
    if (this.asking) this.reveal();
    else if (this.number < packed.length) this.open(this.number + 1); // the end is the end
  }

  reveal() {
    this.asking = false;
    find("next").disabled = this.number === packed.length;
    this.show();
  }

  press(event) {
    if (isCombined(event) || event.target.closest("#controls")) return;
    const forward = ["ArrowRight", "PageDown"].includes(event.key);
    const back = ["ArrowLeft", "PageUp"].includes(event.key);
    if (forward) this.forward();
    else if (back) this.open(this.number - 1);
    else if (event.key === "n") this.tell();
    if (forward || back) event.preventDefault();
  }

  tell() {
    const notes = find("notes");
    notes.hidden = !notes.hidden;
    find("tell").setAttribute("aria-expanded", String(!notes.hidden));
  }

  // --- The handout ----------------------------------------------------------------------------

  async print() {
    await this.lay();
    window.print();
  }

  // Done before anybody prints, too: the browser's own command to print does not wait.
  lay() {
    this.handout ??= unpacked(find("handouts").textContent)
      .then((text) => Promise.all(JSON.parse(text).map(article)))
      .then((articles) => find("handout").replaceChildren(...sheets(articles)));
    return this.handout;
  }
}

const EACH = 2; // scenes of a printed page
const LINES = 30; // to write on: those that find room

// Pages with the lecture's title, their number, and as many scenes as they hold.
function sheets(articles) {
  const count = Math.ceil(articles.length / EACH);
  return Array.from({ length: count }, (_, page) => {
    const words = [document.title, `${page + 1} of ${count}`];
    const head = element("header", {}, ...words.map((text) => element("span", {}, text)));
    return element("section", {}, head, ...articles.slice(EACH * page, EACH * (page + 1)));
  });
}

async function article({ prompt, picture, text, link, code }, number) {
  const empty = Array.from({ length: LINES }, () => element("i"));
  const lines = element("div", { className: "lines" }, ...empty);
  const title = element("h2", { innerHTML: `${number + 1}. ${prompt}` });
  const way = code ? [element("a", { href: link, innerHTML: code })] : []; // at the right of it all
  if (text !== undefined)
    return element("article", {}, ...way, title, element("div", { innerHTML: text }), lines);
  const src = URL.createObjectURL(new Blob([picture], { type: "image/svg+xml" }));
  const image = element("img", { alt: "", src });
  await image.decode();
  return element("article", {}, ...way, title, image, lines);
}

new Player().open(Number(location.hash.slice(1)));
