// The page that opens a room: where the server asks for a little work, it is done before.

import { done } from "./proof.js";

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
