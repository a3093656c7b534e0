// How else a phone's owner answers: with a coin, with noise, as an attacker, or in their own words.

import { element, write } from "./common.js";
import { noiseMessages, randomised } from "./randomise.js";

function yesOrNo(give, send) {
  const button = (words, bit) =>
    element("button", { type: "button", textContent: words, onclick: () => give(send(bit)) });
  return element("div", { className: "choices wide" }, button("Yes", 1), button("No", 0));
}

// The truth stays here: what leaves the phone is the bit after its coin.
export function survey({ truth, odds, epsilon }, mine, give) {
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

export function shuffle({ share, more, odds, epsilon, delta }, mine, give) {
  const words =
    "Your phone sends a message for a yes, and some more as noise. All messages look alike, and " +
    `only their total is kept. If everybody answers, that changes anybody's odds about you by a ` +
    `factor of about ${odds} at most, but for rare totals (ε = ${epsilon}, δ = ${delta}).`;
  return [
    element("p", { textContent: words }),
    yesOrNo(give, (bit) => String(bit + noiseMessages(share, more))),
  ];
}

export function worlds({ epsilon }, { dealt }, give) {
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

// A number or a few words, where the lecturer asks in theirs.
export function own({ guess, typeset }, mine, give) {
  const send = element("button", { className: "first", textContent: "Send" });
  const field = element("input", { maxLength: 60, required: true, autocomplete: "off" });
  const form = element("form", {}, element("label", {}, write(element("span"), guess.label, typeset), " ", field), " ", send);
  form.onsubmit = (event) => {
    event.preventDefault();
    give(field.value);
  };
  return [form];
}
