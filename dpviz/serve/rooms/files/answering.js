// What a phone asks its owner, and what it sends: the answer, or a randomised one.

import { element, slider } from "./common.js";
import { noiseMessages, randomised } from "./randomise.js";

let drawn = ""; // the question that stands there, as far as it was drawn
const counted = new Map(); // what was confirmed before the server's next event: question -> answer

// above: the page's heading.
export function question(place, asked, mine, send, above) {
  place.hidden = !asked;
  if (!asked) {
    drawn = "";
    return;
  }
  const id = `${asked.number}/${asked.round}`;
  const said = counted.get(id) ?? mine.said?.[asked.round - 1] ?? null;
  const now = JSON.stringify([id, asked.phase, said, mine.dealt?.worlds]);
  if (now === drawn) return;
  drawn = now;
  place.dataset.phase = asked.phase;
  place.dataset.said = String(said !== null);
  const heading = element("h2", { textContent: asked.question, hidden: asked.question === above });
  const again = asked.kind === "sketch" && asked.phase === "open"; // until it closes
  if ((said !== null && !again) || asked.phase !== "open") {
    place.replaceChildren(heading, element("p", { textContent: afterwards(asked, said, mine) }));
    return;
  }
  const status = element("p", { className: "status", role: "status" });
  const give = async (answer) => {
    place.querySelectorAll("button, input").forEach((part) => (part.disabled = true));
    status.textContent = "Sending";
    const refused = await send(asked, answer, (words) => (status.textContent = words));
    if (!refused) counted.set(id, answer);
    drawn = refused ? drawn : "";
    if (refused) status.textContent = refused;
    else question(place, asked, mine, send, above);
  };
  const opening = asked.round > 1 ? [element("p", { textContent: SECOND })] : [];
  if (said !== null) status.textContent = "Counted. You may draw it again until it closes.";
  place.replaceChildren(heading, ...opening, ...FORMS[asked.kind](asked, mine, give, said), status);
}

const SECOND = "Second vote: talk to your neighbour, then answer again.";

function afterwards(asked, said, mine) {
  const answer = said === null ? "" : (WORDS[asked.kind]?.(asked, said, mine) ?? "");
  if (asked.phase === "open") return `Counted. ${answer}`;
  const closed = asked.phase === "shown" ? "Look at the projector." : "";
  return said === null ? `Closed without an answer of yours. ${closed}` : `${answer} ${closed}`;
}

const WORDS = {
  survey: () => "Your phone has sent its randomised answer; your own has not left it.",
  sketch: ({ phase }) => (phase === "revealed" ? "Your curve is dotted below." : "Your curve is in."),
  shuffle: () => "Your phone has sent its messages.",
  worlds(asked, said, { dealt }) {
    if (!dealt?.worlds) return "";
    const right = [...said].filter((letter, place) => letter === dealt.worlds[place]).length;
    return `You were right ${right} times of ${said.length}.`;
  },
  prediction: ({ guess }, said) => `Your answer: ${guess.options?.[said] ?? said}.`,
};

// Its script comes with the first curve to be drawn: phones load little before the figure.
function sketch(asked, mine, give, said) {
  const place = element("div");
  import("./sketch.js").then(({ sketchForm }) =>
    place.replaceChildren(...sketchForm(asked, said, give)),
  );
  return [place];
}

const FORMS = { prediction, survey, shuffle, worlds, sketch };

function prediction({ guess }, mine, give) {
  if (guess.options) {
    const choices = Object.entries(guess.options).map(([value, words]) =>
      element("button", { type: "button", textContent: words, onclick: () => give(value) }),
    );
    return [element("div", { className: "choices" }, ...choices)];
  }
  const { grid } = guess;
  const [labelled, range] = slider(guess, Math.floor((grid.length - 1) / 2));
  const send = element("button", { type: "button", className: "first", textContent: "Send" });
  send.onclick = () => give(grid[range.value]);
  return [labelled, send];
}

function yesOrNo(give, send) {
  const button = (words, bit) =>
    element("button", { type: "button", textContent: words, onclick: () => give(send(bit)) });
  return element("div", { className: "choices wide" }, button("Yes", 1), button("No", 0));
}

// The truth stays here: what leaves the phone is the bit after its coin.
function survey({ truth, odds, epsilon }, mine, give) {
  const percent = Math.round(100 * truth);
  const words =
    `Your phone sends what you press with probability ${percent}%, and the opposite otherwise. ` +
    `Whatever it sends, it changes anybody's odds about you by a factor of ${odds} at most ` +
    `(ε = ${epsilon}).`;
  return [
    element("p", { textContent: words }),
    yesOrNo(give, (bit) => String(randomised(bit, truth))),
  ];
}

function shuffle({ share, more, odds, epsilon, delta }, mine, give) {
  const words =
    "Your phone sends a message for a yes, and some more as noise. All messages look alike, and " +
    `only their total is kept. If everybody answers, that changes anybody's odds about you by a ` +
    `factor of about ${odds} at most, but for rare totals (ε = ${epsilon}, δ = ${delta}).`;
  return [
    element("p", { textContent: words }),
    yesOrNo(give, (bit) => String(bit + noiseMessages(share, more))),
  ];
}

function worlds({ epsilon }, { dealt }, give) {
  const said = [];
  const send = element("button", { type: "button", className: "first", textContent: "Send" });
  send.disabled = true;
  send.onclick = () => give(said.join(""));
  const rows = dealt.answers.map((answer, place) => {
    const made = [
      ["o", "Without you"],
      ["i", "With you"],
    ].map(([letter, words]) => {
      const button = element("button", { type: "button", textContent: words });
      button.onclick = () => {
        said[place] = letter;
        for (const other of made) other.setAttribute("aria-pressed", String(other === button));
        send.disabled = dealt.answers.some((_, place) => !said[place]);
      };
      return button;
    });
    const label = element("strong", { textContent: `A count of ${answer.toFixed(1)}` });
    return element("div", {}, label, element("div", { className: "choices wide" }, ...made));
  });
  const words = `60 others are counted, and you if the coin says so; then noise of ε = ${epsilon}.`;
  return [element("p", { textContent: words }), ...rows, element("p", {}, send)];
}
