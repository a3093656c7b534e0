// Draw the curve first: the form of a question that asks for a curve; it may be sent again until the
// question closes.

import { canvas } from "./canvas.js";
import { element } from "./common.js";

export function sketchForm(question, before, give) {
  const send = element("button", { type: "button", className: "first" });
  send.textContent = before ? "Send the new one" : "Send";
  const place = canvas(question, before, (enough) => (send.disabled = !enough));
  const title = element("p", { className: "small", textContent: question.axes.y.title });
  const clear = element("button", { type: "button", textContent: "Clear", onclick: place.clear });
  send.onclick = () => give(place.write());
  const state = element("p", { className: "small", textContent: question.state });
  return [state, title, place.root, element("p", { className: "sketch-acts" }, send, " ", clear)];
}
