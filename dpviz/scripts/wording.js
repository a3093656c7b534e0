// @ts-check
// Words of a figure, exchanged in the elements that plotly.js made of those before.

const TAG = /<[^>]*>/g;
const COLOR = /(style='color:)([^';]+)(?=')/g; // of the words in a tag
const EMPTY = ["", "\u200b"]; // what plotly.js puts between tags

/**
 * Return the pieces that words are cut into by their tags, each with the colour that its tag gives
 * it; null if the tags of the words before were others, but for their colours.
 * @param {string} before
 * @param {string} after
 * @returns {{ text: string, color: string | undefined }[] | null}
 */
export function pieces(before, after) {
  const tags = (words) => (words.match(TAG) ?? []).join().replace(COLOR, "$1");
  if (/[&$]/.test(after) || tags(after) !== tags(before)) return null;
  const colors = [];
  const found = [];
  for (const part of after.split(/(<[^>]*>)/)) {
    if (part.startsWith("</span")) colors.pop();
    else if (part.startsWith("<span")) colors.push([...part.matchAll(COLOR)][0]?.[2]);
    else if (part && !part.startsWith("<")) found.push({ text: part, color: colors.at(-1) });
  }
  return found;
}

// Return the pieces of text that take the place of those in an element; null if they cannot.
export function wording(element, before, after) {
  const found = pieces(before, after);
  if (!found) return null;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode())
    if (!EMPTY.includes(walker.currentNode.nodeValue)) nodes.push(walker.currentNode);
  if (nodes.length !== found.length) return null;
  // A colour must be that of the element right around the words.
  const colored = ({ color }, index) => !color || nodes[index].parentElement.style.fill;
  return found.every(colored) ? found.map((piece, index) => [nodes[index], piece]) : null;
}

export function reword(element, text, changed) {
  for (const [node, { text: part, color }] of changed) {
    if (node.data !== part) node.data = part;
    if (color) node.parentElement.style.fill = color;
  }
  element.setAttribute("data-unformatted", text);
}
