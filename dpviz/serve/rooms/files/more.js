// "More" on the projector's page and in the speaker's view: other questions, who may join, what can be
// taken along, and the end of the room.

import { element, find } from "./common.js";

const place = find(".more");
let room = null;

// What lies over the class's figure would cover what comes. A field in it takes keys until the
// window is painted anew, unless it gives them up.
export function close() {
  if (place.contains(document.activeElement)) document.activeElement.blur();
  place.hidden = true;
}

// act(data): what the room is to do; controls(): shows the controls of the page, and hides them.
export function prepare(act, controls) {
  find(".more-button").onclick = () => (place.hidden = !place.hidden);
  find(".controls-button").onclick = () => {
    close();
    controls();
  };
  find(".shut").onclick = () => act({ word: room.shut ? "open" : "shut" });
  find(".ask-word").onclick = () => act({ word: room.word ? "no word" : "word" });
  find(".own select").onchange = ({ target }) => (find(".lines").hidden = target.value !== "choice");
  for (const [name, kind] of [[".own", "own"], [".survey", ""], [".worlds", "worlds"]])
    find(name).onsubmit = (event) => {
      event.preventDefault();
      const said = Object.fromEntries(new FormData(event.target));
      close();
      act({ word: "ask", ...(kind && { kind }), ...said });
    };
  find(".leaving").onsubmit = (event) => {
    event.preventDefault();
    act({ word: "leave out", answer: find(".leaving select").value });
  };
  find(".leaving select").onchange = name;
  find(".networks").onclick = ({ target }) => {
    const { mark } = target.dataset;
    if (mark) act({ word: "clear", mark });
  };
  find(".end").onclick = () => ask(true);
  find(".stay").onclick = () => ask(false);
  find(".end-now").onclick = () => act({ word: "end" });
}

// Browsers show no dialog of a frame of another site: the question stands in the page.
function ask(is) {
  find(".ending").hidden = !is;
  find(".end").hidden = is;
  find(is ? ".stay" : ".end").focus();
}

// Who is let in, and from where most came: a script that joins again and again has one address.
export function tell(now) {
  room = now;
  const { question, shut, word, by_itself, networks } = room;
  for (const form of place.querySelectorAll("form")) form.hidden = Boolean(question);
  answers(question);
  find(".shut").setAttribute("aria-pressed", String(shut));
  find(".ask-word").setAttribute("aria-pressed", String(Boolean(word)));
  find(".by-itself").hidden = !by_itself;
  if (question?.kind === "sketch") find(".files").hidden = !question.counts;
  const text = JSON.stringify(networks);
  if (find(".networks").dataset.drawn === text) return; // a button keeps its focus
  find(".networks").dataset.drawn = text;
  find(".networks").replaceChildren(...networks.map(network));
}

// Numbers and words that somebody wrote; what is chosen stays so while others come.
function answers(question) {
  const { counts = [], guess, left_out: out = [] } = question ?? {};
  const votes = guess?.written ? Object.keys(Object.assign({}, ...counts)).sort() : [];
  find(".leaving").hidden = !(votes.length || out.length);
  const [list, chosen] = [find(".leaving select"), find(".leaving select").value];
  const drawn = JSON.stringify([votes, out]);
  if (list.dataset.drawn === drawn) return;
  list.dataset.drawn = drawn;
  const option = (value, text) => element("option", { value, textContent: text });
  list.replaceChildren(
    ...votes.map((value) => option(value, value)),
    ...out.map((value) => option(value, `${value}, left out`)),
  );
  if ([...votes, ...out].includes(chosen)) list.value = chosen;
  name();
}

function name() {
  const list = find(".leaving select");
  const out = list.selectedOptions[0]?.textContent.endsWith(", left out");
  find(".leaving button").textContent = out ? "Count it again" : "Leave it out";
}

function network({ mark, joined, answered }) {
  const phones = joined === 1 ? "1 phone" : `${joined} phones`;
  const answers = answered === 1 ? "1 answer" : `${answered} answers`;
  const words = `${phones} and ${answers} from one address `;
  const out = element("button", { type: "button", textContent: "Turn them out" });
  out.dataset.mark = mark;
  out.title = "Forgets their answers to this question; they can join again as the door allows";
  return element("li", {}, words, out);
}
