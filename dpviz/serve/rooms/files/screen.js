// The lecturer's screen: the app itself in a frame, which the class follows, and what the class
// says in front of it. Everything is told by the server, so that a reload loses nothing.

import { Figure, element, find, here, known, listen, post } from "./common.js";
import { keep } from "./kept.js";
import { spread } from "./spread.js";

const frame = find("iframe");
const figure = new Figure(find(".panel .figure"));
const LOOK = 150; // milliseconds between looks at what the frame shows
const NESTED = ".st-key-room { display: none !important; }"; // no room within a room

let room = null;
let told = ""; // what the room was last told to follow
let telling = false;
let lobby = true;
let asked = 0; // the number of the last question: a new one takes the place of the code

known["X-Dpviz-Lead"] = here.secret;
keep("lead", here.code, here.secret);
history.replaceState(null, "", `/room/${here.code}/screen`); // a reload opens no room

async function act(data) {
  find(".refusal").textContent = await post("/do", data);
}

// ---- the page that is followed -------------------------------------------------------------

// What the frame shows, when its figure stands: the address of the figure says all of it.
function shown() {
  const page = frame.contentDocument;
  const address = page?.querySelector(".dpviz-stage")?.dataset.address;
  if (!address) return null;
  const { pathname, search } = frame.contentWindow.location;
  const heading = page.querySelector("h1")?.innerText.trim() ?? "";
  return { word: "go", figure: address, heading, link: pathname + search };
}

async function follow() {
  const now = shown();
  const text = JSON.stringify(now);
  if (!now || telling || text === told || room?.question) return;
  telling = true;
  told = text;
  await act(now);
  telling = false;
}

function prepare() {
  const style = element("style", { textContent: NESTED });
  frame.contentDocument.head.append(style);
  frame.contentDocument.addEventListener("keydown", keys);
}

frame.addEventListener("load", prepare);
setInterval(follow, LOOK);

// What is asked hides the page; afterwards the page shows its answer.
function unask() {
  const { location } = frame.contentWindow;
  const query = new URLSearchParams(location.search);
  if (!query.has("ask")) return;
  query.delete("ask");
  location.replace(`${location.pathname}?${query}`);
}

// ---- what the room says --------------------------------------------------------------------

listen(() => `/events?screen&read=${here.read}`, {
  linked(is) {
    here.state = is ? "linked" : "lost";
    find(".refusal").textContent = is ? "" : "Connecting again";
  },
  room(now) {
    const first = room === null;
    room = now;
    if (first) begin();
    draw();
  },
  over(words) {
    document.body.replaceChildren(element("main", {}, element("p", { textContent: words })));
    here.state = "over";
  },
});

function begin() {
  const [path, search = ""] = room.link.split("?");
  const query = new URLSearchParams(search);
  query.set("present", "1");
  frame.src = `${path}?${query}`;
  lobby = room.joined === 0 && !room.scene;
}

function draw() {
  const { question, joined, paused } = room;
  if (question && question.number !== asked) {
    asked = question.number;
    lobby = false;
  }
  here.seen = String(room.version);
  const phones = `${joined} phone${joined === 1 ? "" : "s"}`;
  find("footer .count").textContent = `${phones} joined`;
  find(".lobby .count").textContent = `${phones} joined so far.`;
  find(".lobby").hidden = !lobby;
  door(room);
  find(".pause").textContent = paused ? "Go on" : "Pause";
  find("[data-word=predict]").hidden = Boolean(question) || !room.asks;
  find("[data-word=sketch]").hidden = Boolean(question) || !room.draws;
  find(".more-button").hidden = Boolean(question);
  find(".panel").hidden = !question;
  buttons(question);
  if (question) panel(question);
}

// Who is let in, and from where most came: a script that joins again and again has one address.
function door({ shut, word, networks }) {
  const spoken = word.toUpperCase().replace(/(?<=^.{3})/, " ");
  for (const place of document.querySelectorAll(".word")) {
    place.hidden = !word;
    place.querySelector("strong").textContent = spoken;
  }
  find(".shut").setAttribute("aria-pressed", String(shut));
  find(".ask-word").setAttribute("aria-pressed", String(Boolean(word)));
  const text = JSON.stringify(networks);
  if (find(".networks").dataset.drawn === text) return; // a button keeps its focus
  find(".networks").dataset.drawn = text;
  find(".networks").replaceChildren(...networks.map(network));
}

function network({ mark, joined, answered }) {
  const phones = joined === 1 ? "1 phone" : `${joined} phones`;
  const answers = answered === 1 ? "1 answer" : `${answered} answers`;
  const words = `${phones} and ${answers} from one address `;
  const out = element("button", { type: "button", textContent: "Turn them out" });
  out.title = "Forgets their answers to this question; they can join again as the door allows";
  out.onclick = () => act({ word: "clear", mark });
  return element("li", {}, words, out);
}

function panel(question) {
  const place = find(".panel");
  place.dataset.phase = question.phase;
  place.querySelector("h1").textContent = question.question;
  place.querySelector(".count").textContent =
    `${question.answered} of ${room.joined} have answered` +
    (question.round > 1 ? ", in the second vote." : ".");
  place.querySelector(".exactly").textContent =
    question.exactly ? `The answer: ${question.exactly}.` : "";
  spread(place.querySelector(".spread"), question);
  const revealed = question.kind === "prediction" && question.phase === "revealed";
  place.querySelector(".files").hidden = question.kind !== "sketch" || !question.counts;
  if (question.kind === "sketch") sketches(question);
  else if (question.figure) soon(question.figure);
  else if (revealed) figure.show(room.scene.figure, room.scene.query, large());
  else figure.hide();
}

// Axes alone, then all sketches over them, then the curve: the same address shows more each time.
function sketches({ number, phase, round }) {
  figure.show(`/room/${here.code}/sketches`, { question: number, phase, vote: round, read: here.read }, large());
}

// Answers come faster than figures: each is drawn before the next is asked for.
const CALM = 700; // milliseconds
let newest = null;

function soon(wanted) {
  if (newest === null) setTimeout(() => (figure.show(...newest, large()), (newest = null)), CALM);
  newest = wanted;
}

// As high as the projector leaves room for, and as wide as its place is now.
const AROUND = 340; // pixels of its height that do not belong to the figure
const large = () => ({ room: Math.max(300, 20 * Math.floor((innerHeight - AROUND) / 20)) });
new ResizeObserver(() => window.dispatchEvent(new Event("resize"))).observe(find(".panel .figure"));

const ACTS = {
  show: "Show the answers",
  again: "Second vote",
  reveal: "Reveal",
  over: "Back to the page",
};

const CLOSES = { reveal: "Close the question" };

function buttons(question) {
  const words = { open: ["show"], shown: ["reveal"], revealed: ["over"] }[question?.phase] ?? [];
  const sealed = ["prediction", "sketch"].includes(question?.kind);
  if (question && !sealed && question.phase === "open")
    words.splice(0, 1, "reveal");
  else if (question?.phase === "shown" && question.round === 1) words.push("again");
  const made = words.map((word, place) =>
    element("button", {
      type: "button",
      className: place ? "" : "first",
      textContent: (!sealed && CLOSES[word]) || ACTS[word],
      onclick: () => press(word),
    }),
  );
  find(".acts").replaceChildren(...made);
}

async function press(word) {
  if (word === "over") unask();
  await act({ word });
}

// ---- buttons and keys ----------------------------------------------------------------------

find(".code-button").onclick = () => {
  lobby = !lobby;
  draw();
};
for (const word of ["predict", "sketch"])
  find(`[data-word=${word}]`).onclick = () => act({ word });
find(".pause").onclick = () => act({ word: room.paused ? "resume" : "pause" });
find(".shut").onclick = () => act({ word: room.shut ? "open" : "shut" });
find(".ask-word").onclick = () => act({ word: room.word ? "no word" : "word" });
find(".more-button").onclick = () => (find(".more").hidden = !find(".more").hidden);
for (const name of [".survey", ".worlds"])
  find(name).onsubmit = (event) => {
    event.preventDefault();
    const said = Object.fromEntries(new FormData(event.target));
    find(".more").hidden = true;
    act({ word: "ask", kind: "worlds", ...said });
  };
find(".end").onclick = () => confirm("End this room, and forget its answers?") && act({ word: "end" });

// Beside the frame, the keys of a presenter's remote press the first button, or close the code.
function keys({ key }) {
  if (!["ArrowRight", "PageDown"].includes(key)) return;
  if (lobby) find(".code-button").click();
  else find(".acts .first")?.click();
}
document.addEventListener("keydown", keys);
