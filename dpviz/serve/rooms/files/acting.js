// What a lecturer may do with the question that is asked, and how a room is told of in words: the same
// on the projector's page and in the speaker's view.

import { element, find } from "./common.js";

const WORDS = {
  show: "Show the answers",
  again: "Second vote",
  reveal: "Reveal",
  over: "Back to the page",
};
const SEALED = ["prediction", "sketch", "own"];

// Each has a word for the server and words on a button; the first is what the key → does.
export function acts(question) {
  if (!question) return [];
  const { kind, phase, round, tells } = question;
  const sealed = SEALED.includes(kind);
  const words = {
    open: [sealed ? "show" : "reveal"],
    shown: [tells ? "reveal" : "over"],
    revealed: ["over"],
  }[phase];
  if (phase === "shown" && round === 1) words.push("again");
  return words.map((word, place) => ({
    word,
    words: !sealed && word === "reveal" ? "Close the question" : WORDS[word],
    first: !place,
  }));
}

/** Write the buttons of what may be done now; press(word): one was pressed. */
export function offer({ question, paused, asks, draws }, isFree, press) {
  const made = acts(question).map(({ word, words, first }) =>
    element("button", {
      type: "button",
      className: first ? "first" : "",
      textContent: words,
      onclick: () => press(word),
    }),
  );
  find(".acts").replaceChildren(...made);
  find(".pause").textContent = paused ? "Go on" : "Pause";
  find("[data-word=predict]").hidden = !isFree || !asks;
  find("[data-word=sketch]").hidden = !isFree || !draws;
}

/** Have the room do what buttons say that are always there. isPaused(): whether it is. */
export function prepare(act, isPaused) {
  for (const word of ["predict", "sketch"])
    find(`[data-word=${word}]`).onclick = () => act({ word });
  find(".pause").onclick = () => act({ word: isPaused() ? "resume" : "pause" });
}

export function turnout(joined, question) {
  if (!question) return `${joined} phone${joined === 1 ? "" : "s"} joined`;
  const { answered, round } = question;
  const vote = round > 1 ? " in the second vote" : "";
  return `${answered} of ${Math.max(answered, joined)} answered${vote}`; // a phone may have gone
}
