// @ts-check
// The stage of a page, whose figures are drawings of the server.

import { Brush } from "./brush.js";
import { Drawing } from "./drawing.js";
import { Reading } from "./reading.js";
import stage from "./stage.js";

/** @param {import("./types").Call<import("./types").Wanted>} call */
export default function (call) {
  return stage({ ...call, inks: { Brush, Drawing, Reading } });
}
