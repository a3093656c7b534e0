// The lecturer's notes beside a projector without a room, in a window that the projector's page opened
// and follows: keys and buttons here lead it, too.

import { find } from "./common.js";
import { at, named } from "./site.js";
import { minutes, planned, time, uncover } from "./planned.js";

const LOOK = 300; // milliseconds between looks at where the projector is
const KEYS = ["ArrowRight", "PageDown", "ArrowLeft", "PageUp", "r"];

let link = "";

uncover();

// Where the projector's page is in the app, "" where it has gone.
function place() {
  const projector = window.opener;
  return projector && !projector.closed ? named(projector.location) : "";
}

async function follow() {
  find(".clock").textContent = time();
  const now = place();
  find(".missing").hidden = Boolean(now);
  if (!now || now === link) return;
  link = now;
  const answer = await fetch(at(`/room/notes/plan?${new URLSearchParams({ at: now })}`)).catch(() => null);
  if (!answer?.ok) link = ""; // it is asked again
  if (!answer?.ok || link !== now) return;
  const plan = await answer.json();
  planned(plan);
  find(".step").textContent = plan.number ? `${plan.title}: scene ${plan.number} of ${plan.count}` : "";
  find(".pace").textContent = plan.number ? `${minutes(plan.minutes)} planned` : "";
}
setInterval(follow, LOOK);
follow();

function hand(key) {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  window.opener?.document.body.dispatchEvent(event);
}

window.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !KEYS.includes(event.key)) return;
  event.preventDefault();
  hand(event.key);
});
find(".next").onclick = () => hand("ArrowRight");
find(".back").onclick = () => hand("ArrowLeft");
