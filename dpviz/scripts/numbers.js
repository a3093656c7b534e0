// @ts-check
// Numbers as people write them: 1,000,000 and 10⁻¹⁰, never 1000000 and 1e-10. And the one reader of
// numbers that are typed, which reads what dpviz/results/numbers.py does.

export const LONGEST = 400; // characters of a number

// No two neighbours within one of these patterns can take the same character.
const PLAIN = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const GROUPED = /^([+-]?[1-9]\d{0,2}([,.'_\s])\d{3}(?:\2\d{3}(?!\d))*)([.,]\d+)?$/;
const COMMAS = /^[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/;
const POWER = /^(?:([+-]?[\d.]+) ?[×x*] ?)?10(?:\^([+-]?\d+)|([⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))$/;
const POWERS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻";

/**
 * Return the number that a text stands for, NaN for none, infinite where no double holds it.
 * whole: one group after a comma is a group. comma: so it is, and other commas are decimal points.
 * @param {string} text
 * @param {{ whole?: boolean, comma?: boolean }} [how]
 */
export function readNumber(text, { whole = false, comma = false } = {}) {
  if (text.length > LONGEST) return NaN;
  let bare = text.trim();
  if (!PLAIN.test(bare)) {
    bare = bare.replaceAll("−", "-").replace(/([eE]) (?=\d)/g, "$1+");
    if (comma) bare = bare.replaceAll(",", COMMAS.test(bare) ? "" : ".");
    bare = regular(bare, whole);
  }
  return PLAIN.test(bare) ? Number(bare) : NaN;
}

function regular(text, whole) {
  const power = POWER.exec(text);
  if (power) {
    const [, factor = "1", plain, raised = ""] = power;
    const digits = [...raised].map((sign) => "0123456789+-"[POWERS.indexOf(sign)]).join("");
    return `${factor}e${plain ?? digits}`;
  }
  const [, groups, mark, decimals = ""] = GROUPED.exec(text) ?? [];
  if (!groups) return text;
  const ambiguous = groups.split(mark).length === 2 && !decimals;
  const clear = !ambiguous || !",.".includes(mark) || (mark === "," && whole);
  return clear ? groups.replaceAll(mark, "") + decimals.replace(",", ".") : text;
}

// As links write one.

const NUMBER = /^(-?)(\d+)(\.\d+)?(?:e([+-]?)(\d+))?$/;
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const ROUND = /^([1-9]\d?)0{6,}$/; // with so many zeros nobody counts them

/**
 * Return a number of a link typeset; what is none stays as it is. One group of three digits alone is
 * told apart by a comma only if the number is a whole one: elsewhere that would be a decimal comma,
 * and a long number is written with a power of ten.
 * @param {string} text
 * @param {boolean} whole
 */
export function typeset(text, whole) {
  const match = NUMBER.exec(text);
  if (!match) return text;
  const [, minus, digits, decimals = "", way = "", power] = match;
  const sign = minus && "−";
  if (power !== undefined) return sign + times(digits + decimals, way, power);
  if (!decimals && ROUND.test(digits)) {
    const few = digits.replace(/0+$/, "");
    return sign + times(few, "", String(digits.length - few.length));
  }
  if (!whole && !decimals && /^[1-9]\d{4,5}$/.test(digits)) {
    const few = digits.replace(/0+$/, "");
    const factor = few.length > 1 ? `${few[0]}.${few.slice(1)}` : few;
    return sign + times(factor, "", String(digits.length - 1));
  }
  const groups = whole || digits.length > 6 || (decimals && digits.length > 3);
  return sign + (groups ? digits.replace(/\B(?=(\d{3})+$)/g, ",") : digits) + decimals;
}

function times(factor, way, power) {
  const raised = [...power.replace(/^0+(?=\d)/, "")].map((digit) => RAISED[Number(digit)]);
  const ten = `10${way === "-" ? "⁻" : ""}${raised.join("")}`;
  return factor === "1" ? ten : `${factor} × ${ten}`;
}
