// What a phone asks its owner, and what it sends: the answer, or a randomised one.

import { element, same, slider, write } from "./common.js";

let drawn = ""; // the question that stands there, as far as it was drawn
const counted = new Map(); // what was confirmed before the server's next event: question -> answer

// above: the page's heading.
export function drawQuestion(place, question, mine, send, above) {
  place.hidden = !question;
  if (!question) {
    drawn = "";
    return;
  }
  const id = `${question.number}/${question.round}`;
  const said = counted.get(id) ?? mine.said?.[question.round - 1] ?? null;
  const now = JSON.stringify([id, question.phase, said, mine.dealt?.worlds]);
  if (now === drawn) return;
  drawn = now;
  place.dataset.phase = question.phase;
  place.dataset.said = String(said !== null);
  const heading = element("h2", { hidden: same(question.question, above) });
  write(heading, question.question, question.typeset);
  const again = question.kind === "sketch" && question.phase === "open"; // until it closes
  if ((said !== null && !again) || question.phase !== "open") {
    place.replaceChildren(heading, element("p", {}, ...afterwards(question, said, mine)));
    return;
  }
  const status = element("p", { className: "status", role: "status" });
  const give = async (answer) => {
    place.querySelectorAll("button, input").forEach((part) => (part.disabled = true));
    status.textContent = "Sending";
    const refused = await send(question, answer, (words) => (status.textContent = words));
    if (!refused) counted.set(id, answer);
    drawn = refused ? drawn : "";
    if (refused) {
      status.textContent = refused;
      place.querySelectorAll("button, input").forEach((part) => (part.disabled = false));
    } else drawQuestion(place, question, mine, send, above);
  };
  const opening = question.round > 1 ? [element("p", { textContent: SECOND })] : [];
  if (said !== null) status.textContent = "Counted. You may draw it again until it closes.";
  place.replaceChildren(heading, ...opening, ...form(question, mine, give, said), status);
}

const SECOND = "Second vote: talk to your neighbour, then answer again.";

function afterwards(question, said, mine) {
  const answer = said === null ? [] : [WORDS[question.kind]?.(question, said, mine) ?? ""].flat();
  if (question.phase === "open") return ["Counted. ", ...answer];
  const closed = question.phase === "shown" ? " Look at the projector." : "";
  return said === null ? [`Closed without an answer of yours.${closed}`] : [...answer, closed];
}

const WORDS = {
  survey: () => "Your phone has sent its randomised answer; your own has not left it.",
  sketch: ({ phase }) => (phase === "revealed" ? "Your curve is dotted below." : "Your curve is in."),
  shuffle: () => "Your phone has sent its messages.",
  worlds(question, said, { dealt }) {
    if (!dealt?.worlds) return "";
    const right = [...said].filter((letter, place) => letter === dealt.worlds[place]).length;
    return `You were right ${right} times of ${said.length}.`;
  },
  prediction: ({ guess, typeset }, said) =>
    ["Your answer: ", write(element("span"), guess.options?.[said] ?? short(said), typeset), "."],
};
WORDS.own = WORDS.prediction;

// Six digits of a number.
function short(said) {
  const value = Number(said);
  return said.trim() && Number.isFinite(value) ? String(Number(value.toPrecision(6))) : said;
}

// Phones load little before the figure: other forms come when first needed, or the net is back.
function later(script, name, ...question) {
  const place = element("div");
  const put = () => script().then((forms) => place.replaceChildren(...forms[name](...question)), again);
  const again = () => setTimeout(() => place.isConnected && put(), 500);
  put();
  return [place];
}

function form(question, mine, give, said) {
  if (question.kind === "sketch") return later(() => import("./sketch.js"), "sketchForm", question, said, give);
  if (question.guess && !question.guess.written) return prediction(question, give);
  return later(() => import("./forms.js"), question.kind, question, mine, give);
}

function prediction({ guess, typeset }, give) {
  if (guess.options) {
    const choices = Object.entries(guess.options).map(([value, words]) =>
      write(element("button", { type: "button", onclick: () => give(value) }), words, typeset),
    );
    return [element("div", { className: "choices" }, ...choices)];
  }
  const { grid } = guess;
  const [labelled, range] = slider(guess, Math.floor((grid.length - 1) / 2));
  const send = element("button", { type: "button", className: "first", textContent: "Send" });
  send.onclick = () => give(grid[range.value]);
  return [labelled, send];
}
