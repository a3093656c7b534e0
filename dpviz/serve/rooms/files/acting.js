// What a lecturer may do with the question that is asked, and how a room is told of in words: the same
// on the projector's page and in the speaker's view.

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

export function told(joined, question) {
  if (!question) return `${joined} phone${joined === 1 ? "" : "s"} joined`;
  const { answered, round } = question;
  const vote = round > 1 ? " in the second vote" : "";
  return `${answered} of ${Math.max(answered, joined)} answered${vote}`; // a phone may have gone
}
