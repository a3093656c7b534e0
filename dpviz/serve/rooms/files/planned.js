// What a lecturer reads of the scene where the class is, and of the next one: in the speaker's view, and
// in the window of notes where there is no room. First it says that it is not for the class.

import { dataset, find, led } from "./common.js";
import { keep, kept } from "./kept.js";

const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;

// Windows open over the projector: nothing is to be read there before this one is elsewhere.
export function uncover() {
  const curtain = find(".curtain");
  const open = () => {
    keep("uncovered", dataset.code, "yes");
    curtain.remove();
  };
  if (kept("uncovered", dataset.code)) return open();
  const button = curtain.querySelector("button");
  button.onclick = open;
  button.disabled = false; // a click before this script ran would be lost
  button.focus();
}

export const minutes = (count) => `${Math.abs(count)} min`;

export const time = () =>
  new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

export function planned({ notes, solution, next, number, count }) {
  find(".notes").innerHTML = notes || "<p>This scene has no notes.</p>";
  find(".solution").innerHTML = solution ? `<h2>Solution</h2>${solution}` : "";
  find(".then").textContent = next ? `Next: scene ${number + 1} of ${count}` : number ? "This is the last scene" : "Next";
  find(".next-scene").hidden = !next;
  find(".next-scene .prompt").innerHTML = next?.prompt ?? "";
  find(".next-scene .asks").textContent = next?.asks ?? "";
  find(".next-scene .text").innerHTML = led(next?.text);
  const picture = find(".next-scene img");
  picture.hidden = !next?.picture;
  if (next?.picture) picture.src = next.picture + (dark ? "&theme=dark" : "");
}
