// Which way the answers to a prediction went: bars, the second vote beside the first.

import { element } from "./common.js";

const BINS = 8;

export function spread(place, question) {
  const { counts, guess } = question;
  place.hidden = !counts || !guess;
  if (place.hidden) return;
  const groups = guess.options ? choices(guess.options) : ranges(guess, counts);
  const totals = groups.map(({ holds }) => counts.map((round) => sum(round, holds)));
  const most = Math.max(1, ...totals.flat());
  const drawn = groups.map(({ words }, place) => {
    const bars = totals[place].map((count, vote) => bar(count, most, vote + 1, question.round));
    return element(
      "div",
      { className: groups.length > 4 ? "group few" : "group" },
      element("div", { className: "bars" }, ...bars),
      element("div", { className: "words", textContent: words }),
    );
  });
  place.replaceChildren(...drawn);
}

function bar(count, most, vote, last) {
  const made = element("div", {
    className: vote < last ? "bar before" : "bar",
    title: `Vote ${vote}: ${count}`,
  });
  made.style.height = `${(85 * count) / most}%`;
  made.append(element("span", { textContent: count || "" }));
  return made;
}

function choices(options) {
  return Object.entries(options).map(([value, words]) => ({
    words,
    holds: (answer) => answer === value,
  }));
}

// The answers in ranges between values of the grid, equally wide on the scale of the guess.
function ranges({ grid, log }, counts) {
  const said = counts.flatMap((round) => Object.keys(round).map(Number));
  if (!said.length) return [];
  const scale = log ? Math.log : (value) => value;
  const [low, high] = [Math.min(...said), Math.max(...said)];
  const size = Math.max((scale(high) - scale(low)) / BINS, 1e-9);
  const bin = (value) => Math.min(Math.floor((scale(value) - scale(low)) / size), BINS - 1);
  const inside = grid.map(Number).filter((value) => value >= low && value <= high);
  const held = Map.groupBy([...new Set([...inside, ...said])].sort((a, b) => a - b), bin);
  return [...held].map(([number, values]) => ({
    words: values.length > 1 ? `${values[0]} to ${values.at(-1)}` : `${values[0]}`,
    holds: (answer) => bin(Number(answer)) === number,
  }));
}

function sum(round, holds) {
  return Object.entries(round).reduce((total, [answer, n]) => total + (holds(answer) ? n : 0), 0);
}
