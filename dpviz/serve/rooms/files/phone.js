// A student's phone: follows the class, and answers. data-state says whether it is joined.

import { Figure, dataset, element, find, headers, last, led, listen, post, slider, write } from "./common.js";
import { drawQuestion } from "./answering.js";
import { forget, keep, kept, lasts } from "./kept.js";

const figure = new Figure(find(".figure"));
let room = null; // as the server tells all phones
let mine = {}; // as it tells this one
let ownQuery = null; // the parameters of somebody who is on their own
let scene = ""; // what the controls were drawn for
let about = ""; // a question, or else a figure

// What was kept is of before a reload; the page brings what is good for a phone that is new.
function identify(token) {
  headers["X-Dpviz-Phone"] = token;
  keep("phone", dataset.code, token);
}
identify(kept("phone", dataset.code) || dataset.phone);

listen(() => `/events?phone=${headers["X-Dpviz-Phone"]}`, {
  stranger() {
    const isNew = headers["X-Dpviz-Phone"] === dataset.phone;
    if (isNew) location.reload(); // its address was turned out: it joins anew
    else identify(dataset.phone);
    return !isNew;
  },
  linked(is, why = "Connecting again") {
    find(".link").textContent = is ? "Connected" : why;
    dataset.state = is ? "joined" : "lost";
  },
  mine(data) {
    mine = data;
    find(".forgets").hidden = !forgets();
    if (data.left || find(".timer")) import("./timer.js").then(({ count }) => count(data.left));
  },
  room(data) {
    room = data;
    draw();
  },
  over(words) {
    forget("phone", dataset.code);
    find("main").replaceChildren(element("p", { textContent: words }));
    find(".paused").hidden = true;
    find(".link").textContent = "";
    dataset.state = "over";
  },
});

// A page that would not be known again gives its place back: whoever loads it again has one place.
const forgets = () => mine.kept === false && !lasts("phone");
window.addEventListener("pagehide", () => forgets() && dataset.state !== "over" && last("/leave"));

function draw() {
  dataset.seen = String(room.version);
  find(".paused").hidden = !room.paused;
  drawQuestion(find(".asked"), room.question, mine, send, room.scene?.heading);
  find(".waiting").hidden = Boolean(room.scene);
  if (room.scene) follow(room.scene);
  const now = room.question ? `${room.question.number}` : room.scene?.heading;
  if (now !== about) window.scrollTo(0, 0); // whoever had scrolled sees it begin
  about = now;
}

function follow(shown) {
  write(find("h1"), shown.heading, shown.typeset);
  find(".text").innerHTML = led(shown.text);
  const now = JSON.stringify([shown.figure, shown.query, shown.ask]);
  if (now !== scene) {
    const before = scene && JSON.parse(scene)[0];
    if (before !== shown.figure || shown.ask) ownQuery = null;
    scene = now;
    controls(shown);
  }
  show(shown);
}

function show(shown) {
  const question = room.question;
  const sketched = question?.kind === "sketch";
  const guessed = (question?.kind === "prediction" || sketched) && question.phase === "revealed";
  const guess = guessed ? mine.said.findLast((said) => said !== null) : "";
  const alone = ownQuery !== null;
  find(".alone").hidden = !alone;
  find(".controls").hidden = shown.ask;
  find(".figure").dataset.asks = String(shown.ask);
  const look = { ask: shown.ask ? "1" : "", guess: alone ? "" : guess };
  // A text has none; the axes of a sketch stand above, and nothing else was told.
  if (!shown.figure || (sketched && shown.ask)) figure.hide();
  else figure.show(shown.figure, alone ? ownQuery : shown.query, look, shown.heading);
}

function controls(shown) {
  const query = ownQuery ?? shown.query;
  find(".controls").replaceChildren(...shown.controls.map((control) => one(control, query)));
}

function one(control, query) {
  const { key, label, options, grid } = control;
  const touch = (text) => {
    ownQuery = { ...room.scene.query, ...ownQuery, [key]: text };
    show(room.scene);
  };
  if (options) {
    const choices = Object.entries(options).map(
      ([value, words]) => new Option(words, value, false, value === query[key]),
    );
    const select = element("select", { onchange: () => touch(select.value) }, ...choices);
    return element("label", {}, label, select);
  }
  const near = (a, b) => Math.abs(a - query[key]) - Math.abs(b - query[key]);
  return slider(control, grid.indexOf([...grid].sort(near)[0]), touch)[0];
}

find(".back").onclick = () => {
  ownQuery = null;
  controls(room.scene);
  show(room.scene);
};

async function send(question, answer, say) {
  const data = { question: question.number, round: question.round, answer };
  return post("/answer", data, () => say("Not sent yet; trying again."));
}
