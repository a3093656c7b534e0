// @ts-check
// The stage where the server can be asked for what a brush chooses.

import { Brush } from "./brush.js";
import stage from "./stage.js";

/** @param {import("./types").Call<import("./types").Wanted>} call */
export default function (call) {
  return stage({ ...call, Brush });
}
