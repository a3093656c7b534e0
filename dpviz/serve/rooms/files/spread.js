// Which way the answers to a prediction went: a dot for each number, a bar for each choice, the
// second vote beside the first, and where the answer lies once it is revealed.

import { element, write } from "./common.js";
import { around, ends, isWhole, near, ticks, written } from "./ticks.js";

const SIDE = 4; // parts of a hundred of the width, left and right of the dots
const DOT = 5; // the same, of a dot
const HIGH = 12; // dots that stand on each other before they move closer
const VOTES = ["First vote", "Second vote"];

export function spread(place, question) {
  const { counts, guess } = question;
  place.hidden = !counts || !guess;
  if (place.hidden) return;
  const kind = guess.options ? bars : guess.written === "words" ? list : dots;
  place.classList.toggle("numbers", kind === dots);
  place.classList.toggle("listed", kind === list);
  const { drawn, words } = kind(question);
  place.setAttribute("aria-label", words);
  place.replaceChildren(...drawn);
}

// ---- choices -------------------------------------------------------------------------------

function bars({ counts, guess, round, truth, typeset }) {
  const options = Object.entries(guess.options);
  const most = Math.max(1, ...counts.flatMap((votes) => Object.values(votes)));
  const drawn = options.map(([value, words]) => {
    const votes = counts.map((each, place) => bar(each[value] ?? 0, most, place + 1, round));
    return element(
      "div",
      { className: value === truth ? "group true" : "group" },
      element("div", { className: "bars" }, ...votes),
      write(element("div", { className: "words" }), words, typeset),
    );
  });
  if (round > 1) drawn.unshift(element("div", { className: "votes" }, ...VOTES.map(
    (words, place) => element("span", { className: place ? "" : "before", textContent: words }))));
  const said = options.map(([value, words]) =>
    `${words}: ${counts.map((each) => each[value] ?? 0).join(", then ")}`);
  return { drawn, words: said.join("; ") };
}

function bar(count, most, vote, last) {
  const made = element("div", {
    className: vote < last ? "bar before" : "bar",
    title: `Vote ${vote}: ${count}`,
  });
  made.style.height = `${(85 * count) / most}%`;
  made.style.setProperty("--part", String(count / most));
  made.append(element("span", { textContent: count || "" }));
  return made;
}

// ---- a few words ---------------------------------------------------------------------------

const MOST = 40; // different answers in sight

function list({ counts }) {
  const votes = Object.entries(counts.at(-1)).sort(([, a], [, b]) => b - a);
  const said = votes.map(([words, count]) => (count > 1 ? `${words} × ${count}` : words));
  const drawn = said.slice(0, MOST).map((textContent) => element("span", { textContent }));
  if (said.length > MOST) drawn.push(`and ${said.length - MOST} more`);
  return { drawn, words: said.join("; ") };
}

// ---- numbers -------------------------------------------------------------------------------

// A row for each vote on the scale of the guess: dots of equal numbers stand on each other.
function dots({ counts, guess, round, truth, typeset }) {
  const scale = guess.log ? Math.log : (value) => value;
  const said = counts.flatMap((votes) =>
    Object.entries(votes).flatMap(([value, count]) => Array(count).fill(Number(value))));
  const close = guess.grid ? said : near(said.sort((a, b) => a - b));
  const exact = truth ? Number(truth) : NaN;
  const values = [...close, ...(Number.isFinite(exact) ? [exact] : [])].sort((a, b) => a - b);
  const [low, high] = guess.grid ? ends(guess.grid.map(Number), values) : around(values);
  const size = scale(high) - scale(low);
  const across = (value) => SIDE + ((100 - 2 * SIDE) * (scale(value) - scale(low))) / size;
  const rows = counts.map((votes, place) => row(votes, place + 1, round, across, [low, high]));
  const axis = element("div", { className: "axis" }, ...ticks(low, high, guess.log, isWhole(said)).map((value) =>
    at(element("span", { textContent: written(value) }), across(value))));
  const line = Number.isFinite(exact)
    ? [at(element("div", { className: "exact", title: `Exact: ${written(exact)}` }), across(exact))]
    : [];
  const title = write(element("div", { className: "of" }), guess.label, typeset);
  const words = counts.map((votes, place) => `Vote ${place + 1}: ` +
    Object.entries(votes).sort(([a], [b]) => a - b).map(([value, n]) => `${n} times ${written(Number(value))}`)
      .join(", "));
  return {
    drawn: [element("div", { className: "rows" }, ...rows, ...line), axis, title],
    words: [...words, ...(line.length ? [`exact: ${written(exact)}`] : [])].join("; "),
  };
}

function row(votes, vote, last, across, [low, high]) {
  const all = Object.entries(votes);
  const seen = all.filter(([value]) => low <= Number(value) && Number(value) <= high);
  const most = Math.max(1, ...seen.map(([, count]) => count));
  const marks = seen.flatMap(([value, count]) =>
    Array.from({ length: count }, (_, place) => {
      const dot = at(element("i"), across(Number(value)));
      dot.style.bottom = `${(place * (100 - 2 * DOT)) / Math.max(most, HIGH)}%`;
      return dot;
    }));
  const total = Object.values(votes).reduce((sum, count) => sum + count, 0);
  const title = `Vote ${vote}: ${total}`;
  const named = last > 1 ? [element("span", { className: "vote", textContent: VOTES[vote - 1] })] : [];
  const className = vote < last ? "dots before" : "dots";
  const beyond = [far(all.filter(([value]) => Number(value) < low), "below"),
    far(all.filter(([value]) => Number(value) > high), "above")];
  const made = element("div", { className, title }, ...named, ...marks, ...beyond.flat());
  made.style.setProperty("--high", String(Math.max(most, HIGH) * last));
  return made;
}

// How many answers lie beyond an end of the axis.
function far(votes, side) {
  if (!votes.length) return [];
  const count = votes.reduce((sum, [, each]) => sum + each, 0);
  const title = votes.slice(0, 9).map(([value, each]) => `${each} × ${written(Number(value))}`).join(", ");
  const textContent = side === "below" ? `‹ ${count}` : `${count} ›`;
  return [element("b", { className: `far ${side}`, title, textContent })];
}

function at(part, place) {
  part.style.left = `${place}%`;
  return part;
}
