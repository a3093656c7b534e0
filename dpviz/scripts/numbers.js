// @ts-check
// Numbers as people write them: 1,000,000 and 10⁻¹⁰, never 1000000 and 1e-10.

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
