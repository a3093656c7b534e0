// The lecturer's screen: the app itself in a frame, which the class follows, and what the class
// says in front of it. Everything is told by the server, so that a reload loses nothing.

import { Figure, dataset, element, find, goesBy, headers, led, linked, listen, post, same, write } from "./common.js";
import { acts as actsOf, offer, prepare as prepareActs, turnout as turnoutOf } from "./acting.js";
import { forget, keep, kept } from "./kept.js";
import { close, prepare as prepareMore, tell as tellMore } from "./more.js";
import { Pen, area, handle } from "./pen.js";
import { line as lineOf } from "./permitted.js";
import { at as placed, named } from "./site.js";
import { spread } from "./spread.js";
import { Timer } from "./timer.js";

const frame = find("iframe");
const figure = new Figure(find(".panel .figure"));
const line = lineOf(`dpviz-room-${dataset.code}`, obey); // to the speaker's view
const LOOK = 150; // milliseconds between looks at what the frame shows

let room = null;
let lastSent = ""; // what the room was last told to follow
let telling = false;
let lobby = true;
let lastQuestion = 0; // the number of the last question: a new one takes the place of the code
let acting = false; // whether the server is to answer what was pressed
let waiting = null; // the key that was pressed meanwhile
let drawnOn = ""; // the picture that the pen has drawn on

const SHEET = new URL(dataset.sheet, location.href).href; // named from where the page came
headers["X-Dpviz-Lead"] = dataset.secret;
keep("lead", dataset.code, dataset.secret);
goesBy(`/room/${dataset.code}/screen`); // a reload opens no room

// One after the other: a page told late would end the question that was asked after it.
let acts = Promise.resolve();

function act(data) {
  acts = acts.then(async () => {
    find(".refusal").textContent = await post("/do", data);
  });
  return acts;
}

// ---- the page that is followed -------------------------------------------------------------

const part = (selector) => frame.contentDocument?.querySelector(selector);
// Of a formula its signs, and not how it was written, too.
function step() {
  const place = part(".st-key-steps [data-testid=stCaptionContainer]")?.cloneNode(true);
  for (const other of place?.querySelectorAll(".katex-html, annotation") ?? []) other.remove();
  return place?.textContent.trim() ?? "";
}

// What the frame shows, when its figure stands: the address of the figure says all of it. From one
// scene to the next, heading and figure change one after the other: then nothing is told.
// A scene of text is known by its lecture and its number.
function shown() {
  const stage = part(".dpviz-stage");
  const link = named(frame.contentWindow.location);
  const [path, search = ""] = link.split("?");
  const query = new URLSearchParams(search);
  const scene = query.get("scene") ?? "";
  const heading = part("h1")?.innerText.trim() ?? "";
  if (scene && part(`.st-key-text-scene-${CSS.escape(scene)}`)) {
    const text = new URLSearchParams({ lecture: query.get("lecture"), scene });
    return { word: "go", figure: `${path}?${text}`, heading, link };
  }
  if (!stage?.dataset.address || stage.dataset.other === "true") return null;
  if (stage.dataset.step !== scene) return null;
  return { word: "go", figure: stage.dataset.address, heading, link };
}

async function follow() {
  find(".step").textContent = step();
  wipe();
  if (lobby && !begun()) return; // what is asked first waits for the class
  const now = shown();
  dataset.followed = String(now !== null && room?.link === now.link);
  const text = JSON.stringify(now);
  if (room?.question) lastSent = ""; // where the page is then was perhaps not heard
  if (!now || telling || text === lastSent || room?.question) return;
  telling = true;
  lastSent = text;
  await act({ ...now, question: lastQuestion });
  telling = false;
}

function prepare() {
  const { contentDocument, contentWindow } = frame;
  contentDocument.head.append(element("link", { rel: "stylesheet", href: SHEET }));
  contentWindow.addEventListener("keydown", (event) => key(event, true), { capture: true });
}

frame.addEventListener("load", prepare);
const following = setInterval(follow, LOOK);

// A key for the page, wherever it was pressed: the page knows what it means.
function hand(name) {
  const event = new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true });
  event.handed = true;
  frame.contentDocument?.body?.dispatchEvent(event);
}

// What is asked hides the page; afterwards the page shows its answer.
function unask() {
  part(".st-key-reveal button")?.click();
}

// ---- what the room says --------------------------------------------------------------------

listen(() => `/events?screen&read=${dataset.read}`, {
  linked,
  room(now) {
    const first = room === null;
    room = now;
    if (first) begin();
    draw();
  },
  over(words) {
    clearInterval(following);
    for (const kind of ["lead", "begun"]) forget(kind, dataset.code);
    const link = element("a", { href: placed(room?.link ?? "/"), textContent: "Back to the page" });
    const end = [element("p", { textContent: words }), element("p", {}, link)];
    document.body.replaceChildren(element("main", {}, ...end));
    dataset.state = "over";
  },
});

// What the tab remembers: the class has been let in.
const begun = () => Boolean(kept("begun", dataset.code));

function begin() {
  const [path, search = ""] = room.link.split("?");
  const query = new URLSearchParams(search);
  query.set("present", "1");
  frame.src = placed(`${path}?${query}`);
  lobby = !begun() && !room.questions;
}

function letIn() {
  lobby = false;
  keep("begun", dataset.code, "yes");
  draw();
  follow();
}

function draw() {
  if (room === null) return; // a key came before the room's first word
  const { question, joined } = room;
  if (question && question.number !== lastQuestion) {
    lastQuestion = question.number;
    lobby = false;
  }
  dataset.seen = String(room.version);
  find("footer .count").textContent = turnoutOf(joined, question);
  find(".lobby .count").textContent = `${turnoutOf(joined)} so far.`;
  timer.set(room.left);
  wipe();
  find(".lobby").hidden = !lobby;
  find(".corner").hidden = lobby;
  door(room);
  tellMore(room);
  find(".panel").hidden = !question;
  if (question) panel(question);
  offer(room, !question && !lobby, press);
  acting = false;
  if (waiting) forward(waiting, (waiting = null));
}

// What phones are asked for at the door.
function door({ word }) {
  const spoken = word.toUpperCase().replace(/(?<=^.{4})/, " ");
  codes(word);
  for (const place of document.querySelectorAll(".word")) {
    place.hidden = !word;
    place.querySelector("strong").textContent = spoken;
  }
}

function panel(question) {
  const place = find(".panel");
  place.dataset.phase = question.phase;
  place.dataset.kind = question.kind;
  write(place.querySelector("h1"), question.question, question.typeset);
  place.querySelector(".exactly").innerHTML =
    question.exactly ? `The answer: ${question.exactly}.` : "";
  write(place.querySelector(".about"), about(question), room.scene?.typeset);
  const isOwn = question.kind === "own";
  place.querySelector(".text").innerHTML = isOwn ? led(room.scene?.text) : "";
  const options = isOwn && !question.counts ? Object.values(question.guess.options ?? {}) : [];
  place.querySelector(".options").replaceChildren(
    ...options.map((words) => write(element("li"), words, question.typeset)),
  );
  spread(place.querySelector(".spread"), question);
  const revealed = question.kind === "prediction" && question.phase === "revealed";
  const id = `question ${question.number}`;
  if (isOwn) figure.hide();
  else if (question.kind === "sketch") sketches(question, id);
  else if (question.figure) soon([...question.figure, large(), id]);
  else if (revealed) figure.show(room.scene.figure, room.scene.query, large(), `${id}, revealed`);
  else if (!question.counts)
    figure.show(room.scene.figure, room.scene.query, { ...large(), ask: "1" }, id);
  else figure.hide();
}

// What the lecturer said of what is to be predicted; and what becomes of answers, before there are any.
function about({ kind, phase, question, truth, figure: answers }) {
  const { heading } = room.scene ?? {};
  if (kind === "prediction") return phase === "revealed" || same(heading, question) ? "" : heading ?? "";
  if (answers || ["sketch", "own"].includes(kind)) return "";
  if (phase === "revealed") return "Nobody has answered.";
  const percent = Math.round(100 * truth);
  return {
    survey: `Each phone sends the answer of its owner with probability ${percent}%, and the opposite otherwise. Nobody has answered yet.`,
    shuffle: "Each phone sends a message for a yes, and some more as noise. Their total is all that is kept. Nobody has answered yet.",
  }[kind];
}

// Axes alone, then all sketches over them, then the curve: the same address shows more each time.
function sketches({ number, phase, round }, id) {
  const query = { question: number, phase, vote: round, read: dataset.read };
  figure.show(`/room/${dataset.code}/sketches`, query, large(), id);
}

// Answers come faster than figures: each is drawn before the next is asked for.
const CALM = 700; // milliseconds
let newest = null;

function soon(wanted) {
  const [address, , , id] = wanted;
  if (figure.about !== `${address} ${id}`) figure.hide(); // that of another question
  if (newest === null) setTimeout(drawNewest, CALM);
  newest = wanted;
  find(".panel").dataset.due = "true";
}

function drawNewest() {
  const [wanted, question] = [newest, room.question];
  newest = null;
  find(".panel").dataset.due = "false";
  if (question && wanted[3] === `question ${question.number}`) figure.show(...wanted);
}

// As high as the projector leaves room for. Words of 1.4 times their size beside a narrower one would
// leave it no room.
const AROUND = 250; // pixels of its height that do not belong to the figure
const large = () => ({
  room: Math.max(300, 20 * Math.floor((innerHeight - AROUND) / 20)),
  labels: find(".spread").hidden ? "" : "few",
});

async function press(word) {
  acting = true;
  if (word === "over") unask();
  await act({ word });
  if (find(".refusal").textContent) acting = false; // else the room's answer follows
}

// ---- buttons and keys ----------------------------------------------------------------------

const ON = ["ArrowRight", "PageDown"];
const BACK = ["ArrowLeft", "PageUp"];
const FOR_THE_PAGE = [...ON, ...BACK, "r", "b", "c"];

// One step on: into the room, through what is asked, and then through the page's own steps.
function forward(name) {
  close();
  if (acting) waiting = name;
  else if (lobby) letIn();
  else if (find(".acts .first")) find(".acts .first").click();
  else hand(name);
}

// One step back leaves what is asked there.
async function backward(name) {
  close();
  if (lobby) return;
  if (room?.question) await act({ word: "over" });
  hand(name);
}

// Whether a key belongs to the field where it was pressed: a line of text has no pages.
function isTyped(name, field) {
  if (name === "Escape" || !field.matches?.("input, select")) return false;
  return field.matches("select") || !name.startsWith("Page");
}

const WRITES = "textarea, input:not([type=radio], [type=checkbox])";

// Keys of a presenter's remote mean the same wherever the focus is. Where the page can be seen, it
// takes what was pressed in it by itself.
function key(event, framed = false) {
  const { key: name, target } = event;
  if (event.handed || event.ctrlKey || event.metaKey || event.altKey) return;
  if (framed ? name.length === 1 && target.matches?.(WRITES) : isTyped(name, target)) return;
  const open = lobby || Boolean(room?.question) || acting;
  const mine = ["Escape", "q", "p", "n"].includes(name) || (open && FOR_THE_PAGE.includes(name));
  if (framed ? !mine : !mine && !FOR_THE_PAGE.includes(name)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (ON.includes(name)) forward(name);
  else if (BACK.includes(name)) backward(name);
  else if (name === "q") turnLobby();
  else if (name === "p") turnPen();
  else if (name === "n") find(".speaker-button").click(); // notes are not for the class
  else if (name === "Escape") leave();
  else if (!open) hand(name);
}
window.addEventListener("keydown", key, { capture: true });

function turnLobby() {
  if (lobby) return letIn();
  lobby = true;
  draw();
}

find(".code-button").onclick = find(".corner").onclick = turnLobby;
find(".begin").onclick = letIn;
find(".next").onclick = () => forward("ArrowRight");
find(".back").onclick = () => backward("ArrowLeft");
prepareActs(act, () => room.paused);
prepareMore(act, () => hand("c"));

// ---- countdown, pointer and pen, and the speaker's view -------------------------------------

// At the end an open question closes; the projector's page alone sees to it.
const timer = new Timer(find(".timer"), () => {
  const { kind, phase } = room.question ?? {};
  const first = actsOf(room.question)[0]?.word;
  if (phase === "open" && kind) act({ word: first });
  else setTimeout(() => room.left === 0 && act({ word: "countdown", seconds: 0 }), 5000);
});

const stack = find(".stack");
const pen = new Pen(find(".stack .pen"), () =>
  find(".panel").hidden
    ? area(frame.contentDocument, "[class*=st-key-text-scene]", ".picture", "main", "body")
    : area(find(".panel"), ".text:not(:empty)", ".said", "h1"),
);
handle(find(".stack .pen"), pen, () => true, (word, at) => pen.take(word, at));

// What is drawn goes with the picture that it was drawn on: a page, a question, its answers.
function wipe() {
  const { pathname, search } = frame.contentWindow.location;
  const { number, phase, round, figure: answers } = room?.question ?? {};
  const now = JSON.stringify([lobby, number ? [number, phase, round, answers] : pathname + search]);
  if (now === drawnOn) return;
  drawnOn = now;
  pen.take("wipe");
  line.say({ projector: true, step: step(), wipe: true });
}

function turnPen() {
  pen.take("wipe");
  stack.classList.toggle("drawn-on");
}

// Another window of this browser may have all that is not for the class.
const PRESSED = { forward: () => forward("ArrowRight"), backward: () => backward("ArrowLeft") };
Object.assign(PRESSED, { lobby: () => turnLobby(), redraw: () => hand("r"), controls: () => hand("c") });

function attend(is) {
  dataset.speaker = String(is);
  if (is) close();
}

function obey(said) {
  if ("speaker" in said) attend(said.speaker);
  else if (said.pen) pen.take(...said.pen);
  else if (PRESSED[said.press]) PRESSED[said.press]();
  else if (said.press) press(said.press);
}
line.say({ projector: true, asks: true, step: "" });
setInterval(() => line.say({ projector: true, step: step() }), 1000);

// Escape brings this page's own bar back, where the other window has gone without a word.
function leave() {
  if (stack.classList.contains("drawn-on")) turnPen();
  close();
  attend(false);
}

find(".speaker-button").onclick = () => {
  const form = element("form", { method: "post", target: `dpviz-speaker-${dataset.code}` });
  form.action = placed(`/room/${dataset.code}/speaker`);
  form.append(element("input", { name: "secret", value: dataset.secret }));
  form.hidden = true;
  document.body.append(form);
  line.opened(window.open("", form.target, "popup,width=1280,height=800"));
  form.submit();
  form.remove();
};

// ---- how phones get here -------------------------------------------------------------------

// On an address of this machine alone: others have it by that of a network, if it listens there.
function where() {
  const near = dataset.local === "nowhere" ? [] : dataset.local.split(" ").filter(Boolean);
  if (!dataset.local) return;
  find(".unreachable").hidden = near.length > 0;
  find(".way").hidden = !near.length;
  find(".elsewhere").hidden = near.length < 2;
  const list = find(".elsewhere select");
  list.append(...near.map((address) => new Option(address, address)));
  const port = find(".short").textContent.replace(/^[^:]*/, "");
  list.onchange = () => {
    find(".short").textContent = `${list.value}${port}`;
    list.blur(); // the next key begins
    codes(room?.word ?? "");
  };
  if (near.length) list.onchange();
}

// The QR code has the address of the network, and the word that is asked for.
function codes(word) {
  const query = new URLSearchParams({ read: dataset.read, at: find(".elsewhere select").value, word });
  const address = placed(`/room/${dataset.code}/qr.svg?${query}`);
  for (const code of document.querySelectorAll(".qr"))
    if (code.getAttribute("src") !== address) code.src = address;
}
where();
