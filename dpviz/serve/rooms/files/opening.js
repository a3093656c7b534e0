// The page that opens a room: where the server asks for a little work, it is done before.

import { done } from "./proof.js";
import { named } from "./site.js";

const form = document.querySelector("form[method=post]");
const [button, work] = [form.querySelector("button"), form.elements.work];
if (work.dataset.task) {
  const words = button.textContent;
  button.disabled = true;
  button.textContent = "One moment …";
  work.value = await done(work.dataset.task);
  button.textContent = words;
  button.disabled = false;
}

// Who comes from a page of the app has said already that a room is to be opened there.
const [visit] = performance.getEntriesByType("navigation");
const from = document.referrer && new URL(document.referrer);
const led = from && from.origin === location.origin && !named(from).startsWith("/room");
if (led && visit?.type === "navigate") form.requestSubmit();
