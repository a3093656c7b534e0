// The speaker's view: what a lecturer has before them in a second window, while the projector shows
// none of it. The server tells what the class does; the projector's page, in another window of this
// browser, does what is pressed here.

import { Figure, dataset, element, find, goesBy, headers, led, linked, listen, post, write } from "./common.js";
import { keep } from "./kept.js";
import { offer, prepare, turnout } from "./acting.js";
import { Pen, area, handle } from "./pen.js";
import { line as lineOf } from "./permitted.js";
import { close, prepare as prepareMore, tell as tellMore } from "./more.js";
import { minutes, planned, time, uncover } from "./planned.js";
import { at as placed } from "./site.js";
import { spread } from "./spread.js";
import { Timer, clock } from "./timer.js";

const figure = new Figure(find(".pad .figure"));

let room = null;
let plan = {};
let link = ""; // where in the app the plan is of
let began = null; // when the class was let in, in milliseconds of this page
let seen = 0; // when the projector's page was heard last

headers["X-Dpviz-Lead"] = dataset.secret;
keep("lead", dataset.code, dataset.secret);
goesBy(`/room/${dataset.code}/speaker`); // a reload posts nothing

const act = async (data) => (find(".refusal").textContent = await post("/do", data));

// ---- the projector's page ------------------------------------------------------------------

const { say: tell } = lineOf(`dpviz-room-${dataset.code}`, (said) => {
  if (!said.projector) return;
  seen = Date.now();
  find(".missing").hidden = true;
  find(".step").textContent = said.step;
  if (said.wipe) pen.take("wipe");
  if (said.asks) tell({ speaker: true });
});
uncover();
tell({ speaker: true });
window.addEventListener("pagehide", () => tell({ speaker: false }));
window.addEventListener("pageshow", () => tell({ speaker: true }));
const MISSING = 5000; // milliseconds without a word of it
setInterval(() => (find(".missing").hidden = Date.now() - seen < MISSING), 1000);
find(".missing").hidden = true;

// ---- what the room says --------------------------------------------------------------------

listen(() => `/events?speaker=${dataset.speaker}`, {
  linked,
  room(now) {
    room = now;
    draw();
  },
  over(words) {
    document.body.replaceChildren(element("main", {}, element("p", { textContent: words })));
    dataset.state = "over";
  },
});

const timer = new Timer(find(".timer"));

function draw() {
  const { question, joined, elapsed, left, scene } = room;
  began = elapsed === null ? null : performance.now() - 1000 * elapsed;
  timer.set(left);
  find(".count").textContent = turnout(joined, question);
  const { typeset } = question ?? scene ?? {};
  write(find(".now h1"), question?.question ?? scene?.heading ?? "", typeset);
  tellMore(room);
  offer(room, !question && scene, (word) => tell({ press: word }));
  votes(question);
  pad(scene);
  find(".differs").textContent = differs(question);
  if (room.link !== link) follow(room.link);
  tick();
}

// The counts that the projector hides.
function votes(question) {
  find(".votes").hidden = !question;
  if (!question) return;
  const { counts, hidden, exactly } = question;
  find(".votes h2").textContent = counts ? "Answers" : "Answers, seen only here";
  find(".votes .exactly").innerHTML = exactly ? `The answer: ${exactly}.` : "";
  const place = find(".votes .spread");
  spread(place, { ...question, counts: hidden });
  if (!place.hidden) return;
  place.hidden = false;
  place.classList.add("listed"); // words, and no axis
  place.replaceChildren(question.words || "None yet");
}

// What stands here that the projector does not show.
function differs(question) {
  if (!question) return "";
  if (["prediction", "sketch"].includes(question.kind))
    return question.phase === "revealed" ? "" : "The answer in this figure is hidden from the class.";
  return question.kind === "own" ? "" : "The projector shows the question in place of this figure.";
}

function pad(scene) {
  const text = led(scene?.text);
  if (find(".pad .text").innerHTML !== text) find(".pad .text").innerHTML = text;
  if (scene?.figure) figure.show(scene.figure, scene.query, { labels: "few", room: 360 }, scene.heading);
  else figure.hide();
}

// What the lecture has planned where the class is now.
async function follow(now) {
  link = now;
  const answer = await fetch(placed(`/room/${dataset.code}/plan?speaker=${dataset.speaker}`)).catch(() => null);
  if (!answer?.ok || link !== now) return;
  plan = await answer.json();
  planned(plan);
  tick();
}

// ---- time ----------------------------------------------------------------------------------

function tick() {
  find(".clock").textContent = time();
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
  if (target.role === "slider" && key.startsWith("Arrow")) return; // values are read off the figure
  const press = KEYS[key] ?? (key === "q" ? "lobby" : key === "r" ? "redraw" : "");
  if (key === "Escape") close();
  if (!press) return;
  event.preventDefault();
  tell({ press });
});
for (const [name, press] of [[".next", "forward"], [".back", "backward"], [".code-button", "lobby"], [".again", "redraw"]])
  find(name).onclick = () => tell({ press });
for (const button of document.querySelectorAll("[data-seconds]"))
  button.onclick = () => act({ word: "countdown", seconds: Number(button.dataset.seconds) });
prepare(act, () => room.paused);
prepareMore(act, () => tell({ press: "controls" }));

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
