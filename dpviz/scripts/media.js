// @ts-check
// What a browser says of its window and of its reader's wishes.

/** Whether the page is as narrow as a phone's. */
export const narrow = window.matchMedia("(max-width: 820px)");

/** Whether a reader wants no motion. */
export const still = window.matchMedia("(prefers-reduced-motion: reduce)");
