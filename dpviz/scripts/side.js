// @ts-check
// Two pages may be there at once: the one that stands before Streamlit has started, and the live one
// below it. What a part of one says and hears is between the parts of that page.

/**
 * Return where the parts of the page speak of which this one is: a shadow's root, or an element.
 * @param {any} part
 * @returns {any}
 */
export const pageOf = (part) => (part.host ?? part).closest?.("#standing") ?? document;

/** Return whether a part is of the live page while another one still stands before it. */
export const isBehind = (part) =>
  pageOf(part) === document && Boolean(document.getElementById("standing"));
