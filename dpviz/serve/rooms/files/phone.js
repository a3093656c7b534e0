// A student's phone: follows the class, and answers. data-state says whether it is joined.

import { Figure, element, find, here, known, last, led, listen, post, slider, write } from "./common.js";
import { question } from "./answering.js";
import { forget, keep, kept, lasts } from "./kept.js";

const figure = new Figure(find(".figure"));
let room = null; // as the server tells all phones
let mine = {}; // as it tells this one
let own = null; // the parameters of somebody who is on their own
let scene = ""; // what the controls were drawn for
let about = ""; // a question, or else a figure

// What was kept is of before a reload; the page brings what is good for a phone that is new.
function be(token) {
  known["X-Dpviz-Phone"] = token;
  keep("phone", here.code, token);
}
be(kept("phone", here.code) || here.phone);

listen(() => `/events?phone=${known["X-Dpviz-Phone"]}`, {
  stranger() {
    const isNew = known["X-Dpviz-Phone"] === here.phone;
    if (isNew) location.reload(); // its address was turned out: it joins anew
    else be(here.phone);
    return !isNew;
  },
  linked(is, why = "Connecting again") {
    find(".link").textContent = is ? "Connected" : why;
    here.state = is ? "joined" : "lost";
  },
  mine(told) {
    mine = told;
    find(".forgets").hidden = !forgets();
    if (told.left || find(".timer")) import("./timer.js").then(({ count }) => count(told.left));
  },
  room(told) {
    room = told;
    draw();
  },
  over(words) {
    forget("phone", here.code);
    find("main").replaceChildren(element("p", { textContent: words }));
    find(".paused").hidden = true;
    find(".link").textContent = "";
    here.state = "over";
  },
});

// A page that would not be known again gives its place back: whoever loads it again has one place.
const forgets = () => mine.kept === false && !lasts("phone");
window.addEventListener("pagehide", () => forgets() && here.state !== "over" && last("/leave"));

function draw() {
  here.seen = String(room.version);
  find(".paused").hidden = !room.paused;
  question(find(".asked"), room.question, mine, send, room.scene?.heading);
  find(".waiting").hidden = Boolean(room.scene);
  if (room.scene) follow(room.scene);
  const now = room.question ? `${room.question.number}` : room.scene?.heading;
  if (now !== about) window.scrollTo(0, 0); // whoever had scrolled sees it begin
  about = now;
}

function follow(told) {
  write(find("h1"), told.heading, told.typeset);
  find(".text").innerHTML = led(told.text);
  const now = JSON.stringify([told.figure, told.query, told.ask]);
  if (now !== scene) {
    const before = scene && JSON.parse(scene)[0];
    if (before !== told.figure || told.ask) own = null;
    scene = now;
    controls(told);
  }
  show(told);
}

function show(told) {
  const asked = room.question;
  const sketched = asked?.kind === "sketch";
  const guessed = (asked?.kind === "prediction" || sketched) && asked.phase === "revealed";
  const guess = guessed ? mine.said.findLast((said) => said !== null) : "";
  const alone = own !== null;
  find(".alone").hidden = !alone;
  find(".controls").hidden = told.ask;
  find(".figure").dataset.asks = String(told.ask);
  const look = { ask: told.ask ? "1" : "", guess: alone ? "" : guess };
  // A text has none; the axes of a sketch stand above, and nothing else was told.
  if (!told.figure || (sketched && told.ask)) figure.hide();
  else figure.show(told.figure, alone ? own : told.query, look, told.heading);
}

function controls(told) {
  const known = own ?? told.query;
  find(".controls").replaceChildren(...told.controls.map((control) => one(control, known)));
}

function one(control, query) {
  const { key, label, options, grid } = control;
  const touch = (text) => {
    own = { ...room.scene.query, ...own, [key]: text };
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
  own = null;
  controls(room.scene);
  show(room.scene);
};

async function send(asked, answer, say) {
  const data = { question: asked.number, round: asked.round, answer };
  return post("/answer", data, () => say("Not sent yet; trying again."));
}
