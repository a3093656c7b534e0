// Draw the curve first: the form of a question that asks for a curve; it may be sent again until the
// question closes.

import { canvas } from "./canvas.js";
import { element } from "./common.js";

export function sketchForm(asked, before, give) {
  const send = element("button", { type: "button", className: "first" });
  send.textContent = before ? "Send the new one" : "Send";
  const place = canvas(asked, before, (enough) => (send.disabled = !enough));
  const title = element("p", { className: "small", textContent: asked.axes.y.title });
  const clear = element("button", { type: "button", textContent: "Clear", onclick: place.clear });
  send.onclick = () => give(place.write());
  const state = element("p", { className: "small", textContent: asked.state });
  return [state, title, place.root, element("p", { className: "sketch-acts" }, send, " ", clear)];
}
