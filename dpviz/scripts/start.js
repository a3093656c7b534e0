// @ts-check
// With what a page begins, before Streamlit's own scripts run.

import { begin } from "./alive.js";
import { watch } from "./entries.js";
import { follow } from "./links.js";

/**
 * Each does its part, whatever becomes of the others. The promise is kept when what stands has its
 * first answer: from then on Streamlit's scripts may have the line.
 */
export function start() {
  for (const part of [watch, follow])
    try {
      part();
    } catch (fault) {
      console.error(fault);
    }
  return begin().catch((fault) => console.error(fault));
}
