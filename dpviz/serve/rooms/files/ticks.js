// @ts-check
// Round numbers along the axis of a vote, and how they are written. Pure.

const MOST = 7; // numbers that stand beside each other
const PARTS = [[1], [1, 3], [1, 2, 5], [1, 2, 3, 5, 7]]; // of a decade, coarse to fine
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/**
 * Return round numbers from low to high, at least two where there are; whole ones, if they have to be.
 * @param {number} low
 * @param {number} high
 * @param {boolean} log
 * @param {boolean} [whole]
 */
export function ticks(low, high, log, whole = false) {
  const sets = log ? PARTS.map((parts) => decades(low, high, parts)) : [];
  if (whole) sets.forEach((set, place) => (sets[place] = set.filter(Number.isInteger)));
  const fits = sets.filter((set) => set.length > 2 && set.length <= MOST).at(-1);
  if (fits) return fits;
  const many = sets.find((set) => set.length > MOST);
  if (many && many === sets[0]) return thinned(many);
  return linear(low, high, whole);
}

function decades(low, high, parts) {
  const [first, last] = [low, high].map((value) => Math.floor(Math.log10(value)));
  const powers = Array.from({ length: last - first + 1 }, (_, place) => first + place);
  const all = powers.flatMap((power) => parts.map((part) => Number(`${part}e${power}`)));
  return all.filter((value) => value >= low && value <= high);
}

function thinned(values) {
  const every = Math.ceil(values.length / MOST);
  return values.filter((_, place) => place % every === 0);
}

function linear(low, high, whole) {
  const rough = Math.max((high - low) / 5, whole ? 1 : 0);
  const power = Math.floor(Math.log10(rough));
  const digit = [1, 2, 5, 10].find((part) => part >= rough / 10 ** power) ?? 10;
  const first = Math.ceil(low / (digit * 10 ** power) - 1e-9);
  const last = Math.floor(high / (digit * 10 ** power) + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, place) =>
    Number(`${digit * (first + place)}e${power}`));
}

const WIDE = 1; // whole number on both sides of equal ones

/** @param {number[]} values */
export const isWhole = (values) => values.length > 0 && values.every(Number.isInteger);

const PART = 3; // an axis is at least such a part of the slider's

/**
 * Return the ends of an axis for answers of a slider, in rising order: from one step below all of them
 * to one above, and no less than a third of its steps, so that equal answers have something around.
 * @param {number[]} grid
 * @param {number[]} values
 */
export function ends(grid, values) {
  if (!values.length) return [grid[0], grid[grid.length - 1]];
  const below = grid.findLastIndex((value) => value < values[0]);
  const above = grid.findIndex((value) => value > values[values.length - 1]);
  let [first, last] = [Math.max(below, 0), above < 0 ? grid.length - 1 : above];
  const missing = Math.ceil((grid.length - 1) / PART) - (last - first);
  if (missing > 0) {
    first = Math.max(0, first - Math.ceil(missing / 2));
    last = Math.min(grid.length - 1, Math.max(last, first + Math.ceil((grid.length - 1) / PART)));
    first = Math.max(0, Math.min(first, last - Math.ceil((grid.length - 1) / PART)));
  }
  return [Math.min(grid[first], values[0]), Math.max(grid[last], values[values.length - 1])];
}

const FEWEST = 4; // answers from which on some can be far from the others
const FAR = 3; // times the distance between the quartiles

/**
 * Return those numbers that lie not far from most, in rising order. What is far stands at the edge:
 * one answer, whatever it is, leaves the others as they stood.
 * @param {number[]} values in rising order, each as often as it was said
 */
export function near(values) {
  if (values.length < FEWEST) return values.filter((value) => Math.abs(value) < 1e15);
  const [low, high] = [0.25, 0.75].map((part) => values[Math.round(part * (values.length - 1))]);
  const room = Math.max(FAR * (high - low), Math.abs(low + high) / 2, low === high ? 1 : 0);
  return values.filter((value) => low - room <= value && value <= high + room);
}

/**
 * Return the ends of an axis for free numbers, in rising order: a little more than all of them, and
 * no less than a quarter around where they lie, so that equal answers do not look far apart.
 * @param {number[]} values
 */
export function around(values) {
  if (!values.length) return [0, 1];
  const [low, high] = [values[0], values.at(-1)];
  const least = Math.max(Math.max(Math.abs(low), Math.abs(high)) / 4 || 1, isWhole(values) ? WIDE : 0);
  const more = Math.max((high - low) / 10, least - (high - low) / 2);
  return [low - more, high + more];
}

/**
 * Return a number as it is read: 1,000, 0.05, 10⁻⁶.
 * @param {number} value
 */
export function written(value) {
  const power = value ? Math.floor(Math.log10(Math.abs(value)) + 1e-9) : 0;
  if (power > -5 && power < 7)
    return value.toLocaleString("en-GB", { maximumSignificantDigits: 6 });
  const digit = Number((value / 10 ** power).toPrecision(3));
  const raised = [...String(Math.abs(power))].map((figure) => SUPERSCRIPTS[Number(figure)]).join("");
  return `${digit === 1 ? "" : `${digit} × `}10${power < 0 ? "⁻" : ""}${raised}`;
}
