// The speaker's view: what a lecturer has before them in a second window, while the projector shows
// none of it. The server tells what the class does; the projector's page, in another window of this
// browser, does what is pressed here.

import { Figure, element, find, here, known, listen, post } from "./common.js";
import { keep } from "./kept.js";
import { acts as actsOf, told } from "./acting.js";
import { Pen, area, handle } from "./pen.js";
import { spread } from "./spread.js";
import { Timer, clock } from "./timer.js";

const figure = new Figure(find(".pad .figure"));
const line = new BroadcastChannel(`dpviz-room-${here.code}`);
const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;

let room = null;
let plan = {};
let link = ""; // where in the app the plan is of
let began = null; // when the class was let in, in milliseconds of this page
let seen = 0; // when the projector's page was heard last

known["X-Dpviz-Lead"] = here.secret;
keep("lead", here.code, here.secret);
history.replaceState(null, "", `/room/${here.code}/speaker`); // a reload posts nothing

const act = async (data) => (find(".refusal").textContent = await post("/do", data));

// ---- the projector's page ------------------------------------------------------------------

const tell = (said) => line.postMessage(said);
line.onmessage = ({ data }) => {
  if (!data.projector) return;
  seen = Date.now();
  find(".missing").hidden = true;
  find(".step").textContent = data.step;
  if (data.asks) tell({ speaker: true });
};
tell({ speaker: true });
window.addEventListener("pagehide", () => tell({ speaker: false }));
window.addEventListener("pageshow", () => tell({ speaker: true }));
const MISSING = 5000; // milliseconds without a word of it
setInterval(() => (find(".missing").hidden = Date.now() - seen < MISSING), 1000);
find(".missing").hidden = true;

// ---- what the room says --------------------------------------------------------------------

listen(() => `/events?speaker=${here.speaker}`, {
  linked(is) {
    here.state = is ? "linked" : "lost";
    find(".refusal").textContent = is ? "" : "Connecting again";
  },
  room(now) {
    room = now;
    draw();
  },
  over(words) {
    document.body.replaceChildren(element("main", {}, element("p", { textContent: words })));
    here.state = "over";
  },
});

const timer = new Timer(find(".timer"));

function draw() {
  const { question, joined, paused, shut, word, elapsed, left, scene } = room;
  began = elapsed === null ? null : performance.now() - 1000 * elapsed;
  timer.set(left);
  find(".count").textContent = told(joined, question);
  find("h1").textContent = question?.question ?? scene?.heading ?? "";
  find(".pause").textContent = paused ? "Go on" : "Pause";
  find(".shut").setAttribute("aria-pressed", String(shut));
  find(".ask-word").setAttribute("aria-pressed", String(Boolean(word)));
  const free = !question && scene;
  find("[data-word=predict]").hidden = !free || !room.asks;
  find("[data-word=sketch]").hidden = !free || !room.draws;
  for (const form of document.querySelectorAll(".more form")) form.hidden = Boolean(question);
  const made = actsOf(question).map(({ word, words, first }) =>
    element("button", {
      type: "button",
      className: first ? "first" : "",
      textContent: words,
      onclick: () => tell({ press: word }),
    }),
  );
  find(".acts").replaceChildren(...made);
  votes(question);
  pad(scene);
  if (room.link !== link) follow(room.link);
  tick();
}

// The counts that the projector hides.
function votes(question) {
  find(".votes").hidden = !question;
  if (!question) return;
  const { counts, hidden, exactly } = question;
  find(".votes h2").textContent = counts ? "Answers" : "Answers, seen only here";
  find(".votes .exactly").textContent = exactly ? `The answer: ${exactly}.` : "";
  const place = find(".votes .spread");
  spread(place, { ...question, counts: hidden });
  if (!place.hidden) return;
  place.hidden = false;
  const said = Object.entries(hidden.at(-1)).map(([what, count]) => `${what}: ${count}`);
  place.replaceChildren(said.join(", ") || "None yet");
}

function pad(scene) {
  const text = scene?.text ?? "";
  if (find(".pad .text").innerHTML !== text) find(".pad .text").innerHTML = text;
  if (scene?.figure) figure.show(scene.figure, scene.query, { labels: "few", room: 360 }, scene.heading);
  else figure.hide();
}

// What the lecture has planned where the class is now.
async function follow(now) {
  link = now;
  pen.take("wipe");
  const answer = await fetch(`/room/${here.code}/plan?speaker=${here.speaker}`).catch(() => null);
  if (!answer?.ok || link !== now) return;
  plan = await answer.json();
  const { notes, next, number, count } = plan;
  const paragraphs = (notes || "This scene has no notes.").split(/\n+/);
  find(".notes").replaceChildren(...paragraphs.map((textContent) => element("p", { textContent })));
  find(".solution").innerHTML = plan.solution ? `<h2>Solution</h2>${plan.solution}` : "";
  find(".then").textContent = next ? `Next: scene ${number + 1} of ${count}` : number ? "This is the last scene" : "Next";
  find(".next-scene").hidden = !next;
  find(".next-scene .prompt").textContent = next?.prompt ?? "";
  find(".next-scene .asks").textContent = next?.asks ?? "";
  find(".next-scene .text").innerHTML = next?.text ?? "";
  const picture = find(".next-scene img");
  picture.hidden = !next?.picture;
  if (next?.picture) picture.src = next.picture + (dark ? "&theme=dark" : "");
  tick();
}

// ---- time ----------------------------------------------------------------------------------

const minutes = (count) => `${Math.abs(count)} min`;

function tick() {
  find(".clock").textContent = new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const past = began === null ? 0 : (performance.now() - began) / 1000;
  const { total, before, minutes: here_ } = plan;
  const planned = total ? ` of ${minutes(total)}` : "";
  find(".elapsed").textContent = began === null ? `Not begun${total ? `, ${minutes(total)} planned` : ""}` : clock(past) + planned;
  if (!total || began === null) return;
  const left = Math.ceil(total - past / 60);
  const late = Math.floor(past / 60 - before - here_);
  const early = Math.floor(before - past / 60);
  const pace = late > 0 ? `, ${minutes(late)} behind` : early > 0 ? `, ${minutes(early)} ahead` : "";
  find(".pace").textContent =
    `${left < 0 ? `${minutes(left)} over` : `${minutes(left)} left`}${pace} · this scene: ${minutes(here_)}`;
}
setInterval(tick, 1000);

// ---- buttons, keys, pen --------------------------------------------------------------------

const KEYS = { ArrowRight: "forward", PageDown: "forward", ArrowLeft: "backward", PageUp: "backward" };
window.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || target.matches("input, select, textarea")) return;
  const press = KEYS[key] ?? (key === "q" ? "lobby" : key === "r" ? "redraw" : "");
  if (key === "Escape") find(".more").hidden = true;
  if (!press) return;
  event.preventDefault();
  tell({ press });
});
for (const [name, press] of [[".next", "forward"], [".back", "backward"], [".code-button", "lobby"], [".again", "redraw"]])
  find(name).onclick = () => tell({ press });
for (const button of document.querySelectorAll("[data-seconds]"))
  button.onclick = () => act({ word: "countdown", seconds: Number(button.dataset.seconds) });
for (const word of ["predict", "sketch"])
  find(`[data-word=${word}]`).onclick = () => act({ word });
find(".pause").onclick = () => act({ word: room.paused ? "resume" : "pause" });
find(".shut").onclick = () => act({ word: room.shut ? "open" : "shut" });
find(".ask-word").onclick = () => act({ word: room.word ? "no word" : "word" });
find(".more-button").onclick = () => (find(".more").hidden = !find(".more").hidden);
for (const [name, kind] of [[".own", "own"], [".survey", ""], [".worlds", "worlds"]])
  find(name).onsubmit = (event) => {
    event.preventDefault();
    const said = Object.fromEntries(new FormData(event.target));
    find(".more").hidden = true;
    act({ word: "ask", ...(kind && { kind }), ...said });
  };
find(".own select").onchange = ({ target }) => (find(".lines").hidden = target.value !== "choice");
function ask(is) {
  find(".ending").hidden = !is;
  find(".end").hidden = is;
  find(is ? ".stay" : ".end").focus();
}
find(".end").onclick = () => ask(true);
find(".stay").onclick = () => ask(false);
find(".end-now").onclick = () => act({ word: "end" });

const pen = new Pen(find(".pad .pen"), () => area(find(".pad"), ".text", ".figure"));
const use = (word, at) => {
  pen.take(word, at);
  tell({ pen: [word, at] });
};
handle(find(".pad"), pen, () => find(".draws").getAttribute("aria-pressed") === "true", use);
find(".draws").onclick = ({ target }) => {
  const is = target.getAttribute("aria-pressed") !== "true";
  target.setAttribute("aria-pressed", String(is));
  find(".pad").classList.toggle("drawn-on", is);
};
find(".wipe").onclick = () => use("wipe", null);
