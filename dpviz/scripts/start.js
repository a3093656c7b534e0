// @ts-check
// With what a page begins, before Streamlit's own scripts run.

import { begin } from "./alive.js";
import { watch } from "./entries.js";
import { follow } from "./links.js";

/** Each does its part, whatever becomes of the others. */
export function start() {
  for (const part of [watch, follow, begin])
    try {
      part();
    } catch (fault) {
      console.error(fault);
    }
}
