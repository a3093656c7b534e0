// The browser's half of rounds.py: buttons for the answers of a round, each with its key.
//
// An answer is taken only once the figure of its round is drawn, and only once.

const LOST = 5000; // milliseconds after which an answer that nobody took may be given again

export default function ({ data, parentElement, setTriggerValue }) {
  parentElement.rounds ??= new Rounds(parentElement);
  parentElement.rounds.update(data, setTriggerValue);
  // Streamlit cleans up after calls that were overtaken, too: then the buttons live on.
  return () => {
    if (!parentElement.isConnected) parentElement.rounds.ended.abort();
  };
}

class Rounds {
  constructor(root) {
    this.place = root.querySelector(".answers");
    this.bar = root.querySelector("progress");
    this.asked = ""; // the round the buttons are for
    this.given = 0; // when the last answer was given, 0 once it was taken
    this.ended = new AbortController();
    document.addEventListener("keydown", (event) => this.key(event), { signal: this.ended.signal });
  }

  update(data, trigger) {
    this.data = data;
    this.trigger = trigger;
    const asked = JSON.stringify([data.game, data.number]);
    if (asked === this.asked) return;
    this.asked = asked;
    this.given = 0;
    this.show();
  }

  get over() {
    return this.data.number > this.data.count;
  }

  // The same buttons stay as long as the game, so that none loses the focus.
  show() {
    const { number, count, answers } = this.data;
    const named = this.over ? [["n", "Play again"]] : answers;
    const letters = named.map(([letter]) => letter).join();
    if (letters !== this.place.dataset.letters) {
      this.place.dataset.letters = letters;
      this.place.replaceChildren(...named.map(([letter, words]) => this.button(letter, words)));
    }
    this.bar.max = count;
    this.bar.value = number - 1;
    this.bar.setAttribute("aria-label", `${number - 1} of ${count} rounds answered`);
    this.mark(false);
  }

  button(letter, words) {
    const button = document.createElement("button");
    const key = document.createElement("kbd");
    button.type = "button";
    button.dataset.letter = letter;
    button.setAttribute("aria-keyshortcuts", letter);
    key.textContent = letter;
    button.append(words, key);
    button.addEventListener("click", () => this.press(letter));
    return button;
  }

  key(event) {
    const busy = event.target.closest?.("input, textarea, select");
    if (busy || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (this.place.querySelector(`[data-letter="${CSS.escape(event.key)}"]`)) this.press(event.key);
  }

  press(letter) {
    const waiting = this.given && Date.now() - this.given < LOST;
    if (waiting || document.querySelector(".dpviz-stage")?.dataset.state !== "rest") return;
    this.given = Date.now();
    this.mark(true);
    if (this.over) this.trigger("again", this.given);
    else this.trigger("said", { letter, number: this.data.number });
  }

  mark(waiting) {
    for (const button of this.place.children) button.setAttribute("aria-disabled", String(waiting));
  }
}
