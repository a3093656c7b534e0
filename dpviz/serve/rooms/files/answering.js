// What a phone asks its owner, and what it sends: the answer, or a randomised one.

import { element } from "./common.js";

let drawn = ""; // the question that stands there, as far as it was drawn
const counted = new Map(); // what was confirmed before the server's next event: question -> answer

export function question(place, asked, mine, send) {
  place.hidden = !asked;
  if (!asked) {
    drawn = "";
    return;
  }
  const id = `${asked.number}/${asked.round}`;
  const said = mine.said?.[asked.round - 1] ?? counted.get(id) ?? null;
  const now = JSON.stringify([id, asked.phase, said]);
  if (now === drawn) return;
  drawn = now;
  place.dataset.phase = asked.phase;
  place.dataset.said = String(said !== null);
  const heading = element("h2", { textContent: asked.question });
  if (said !== null || asked.phase !== "open") {
    place.replaceChildren(heading, element("p", { textContent: afterwards(asked, said) }));
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
    else question(place, asked, mine, send);
  };
  const opening = asked.round > 1 ? [element("p", { textContent: SECOND })] : [];
  place.replaceChildren(heading, ...opening, ...FORMS[asked.kind](asked, mine, give), status);
}

const SECOND = "Second vote: talk to your neighbour, then answer again.";

function afterwards(asked, said) {
  const answer = said === null ? "" : (WORDS[asked.kind]?.(asked, said) ?? "");
  if (asked.phase === "open") return `Counted. ${answer}`;
  const closed = asked.phase === "shown" ? "Look at the projector." : "";
  return said === null ? `Closed without an answer of yours. ${closed}` : `${answer} ${closed}`;
}

const WORDS = {
  prediction: ({ guess }, said) => `Your answer: ${guess.options?.[said] ?? said}.`,
};

const FORMS = { prediction };

function prediction({ guess }, mine, give) {
  if (guess.options) {
    const choices = Object.entries(guess.options).map(([value, words]) =>
      element("button", { type: "button", textContent: words, onclick: () => give(value) }),
    );
    return [element("div", { className: "choices" }, ...choices)];
  }
  const { grid, label } = guess;
  const middle = Math.floor((grid.length - 1) / 2);
  const output = element("output", { textContent: grid[middle] });
  const range = element("input", { type: "range", min: 0, max: grid.length - 1 });
  range.value = middle;
  const send = element("button", { type: "button", className: "first", textContent: "Send" });
  range.oninput = () => (output.textContent = grid[range.value]);
  send.onclick = () => give(grid[range.value]);
  return [element("label", {}, `${label}: `, output, range), send];
}
