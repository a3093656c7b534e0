// The figure of a file, or of a notebook, in which there may be several: its drawing stands there, and
// here it tells the values that are pointed at, and plays.

import { Drawing } from "./drawing.js";
import { Focus } from "./focus.js";
import { Readout } from "./readout.js";

const still = window.matchMedia("(prefers-reduced-motion: reduce)");

for (const figure of document.querySelectorAll(".dpviz-figure:not([data-live])")) {
  figure.dataset.live = "true";
  const find = (name) => figure.querySelector(name);
  const [picture, plot] = [find(".picture"), find(".plot")];
  const data = JSON.parse(find("[type='application/json']").textContent);
  const drawing = new Drawing(plot, still);
  drawing.put({ ...data, svg: plot.innerHTML }, "");
  const focus = new Focus(drawing);
  new Readout(picture, drawing, focus).renew();
}
