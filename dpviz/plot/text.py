"""Numbers as people write them, for labels, hovers and sentences."""

import math
import re
from collections.abc import Callable, Collection
from functools import lru_cache

import numpy as np

from dpviz.results.ends import rounded_down, rounded_up, within
from dpviz.results.evidence import Claim, FloatArray, SoFar

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

# What is raised after a caret: a number, a name, one in Landau's O, or all in brackets.
_EXPONENT = re.compile(r"\^(?:\(([^()]*)\)|([−-]?(?:[OΩΘ]\([^()]*\)|\w+(?:\.\d+)?)))")
_JOINER = "\N{WORD JOINER}"
_NO_BREAK = "\N{NO-BREAK SPACE}"
_EQUATION = re.compile(r" (\\?=) ")  # its sign may be escaped for Markdown

_ROUND = re.compile(r"([1-9]\d?)(0{6,})")  # with so many zeros nobody counts them


def power_of_ten(exponent: int) -> str:
    """Return ``10⁻¹⁰`` for -10."""
    return "10" + str(exponent).translate(_SUPERSCRIPTS)


def in_full(number: str) -> str:
    """Return a number of a link typeset, with all its digits: ``10⁻³⁰⁰`` for ``1e-300``."""
    digits, _, power = number.replace("-", "−", number.startswith("-")).partition("e")
    if round_number := _ROUND.fullmatch(digits):
        digits, power = round_number[1], str(len(round_number[2]))
    if power:
        ten = power_of_ten(int(power))
        return ten if digits == "1" else f"{digits} × {ten}"
    sign = "−" if digits.startswith("−") else ""
    whole, point, decimals = digits.removeprefix(sign).partition(".")
    first = len(whole) % 3
    groups = [whole[:first], *(whole[at : at + 3] for at in range(first, len(whole), 3))]
    return f"{sign}{','.join(filter(None, groups))}{point}{decimals}"


def readable(value: float, digits: int = 3) -> str:
    """Return `value` to so many significant digits: ``0.0123``, ``12,300``, ``1.23 × 10⁻⁷``."""
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    sign = "−" if value < 0 else ""
    mantissa, exponent = f"{abs(value):.{digits - 1}e}".split("e")
    power = int(exponent)
    if -4 < power < 6:
        rounded = float(f"{mantissa}e{exponent}")
        return sign + _trimmed(f"{rounded:,.{max(digits - 1 - power, 0)}f}")
    factor = _trimmed(mantissa)
    return sign + (power_of_ten(power) if factor == "1" else f"{factor} × {power_of_ten(power)}")


def from_logarithm(logarithm: float) -> str:
    """Return e to the `logarithm` as `readable` has it, also where no float is so small.

    Of a logarithm beyond a billion a float has too few digits to tell more than the power of ten.
    """
    if logarithm > -600 or logarithm == -math.inf:
        return readable(math.exp(logarithm))
    if logarithm < -1e9:
        return f"about {power_of_ten(round(logarithm / math.log(10)))}"
    digits, _, carried = f"{10 ** (logarithm / math.log(10) % 1):.2e}".partition("e")
    power = power_of_ten(math.floor(logarithm / math.log(10)) + int(carried))
    factor = _trimmed(digits)
    return power if factor == "1" else f"{factor} × {power}"


def known_digits(value: float, low: float, high: float, digits: int = 3) -> int:
    """Return how many digits of a value its interval tells, from 1 to `digits`.

    The last digit counts no finer than the interval reaches: 0.37 between 0.33 and 0.42 has one.
    Without an interval, as before the third run, where both ends are the value, one is known.
    """
    reach = max(high - value, value - low)
    if not (math.isfinite(reach) and reach > 0 and value):
        return 1
    count = math.floor(math.log10(abs(value))) - math.ceil(math.log10(reach)) + 1
    return min(max(count, 1), digits)


def estimated(claim: Claim, digits: int = 3) -> str:
    """Write an estimate to as many digits as its interval tells, two at least."""
    digits_known = known_digits(claim.value, claim.lower, claim.upper, digits)
    return readable(claim.value, max(digits_known, 2))


_LARGE = {6: "million", 9: "billion", 12: "trillion"}


def spoken(value: float) -> str:
    """Return a count as people say it, to three digits: ``34,000``, ``11.1 million``."""
    rounded = float(f"{value:.2e}") if math.isfinite(value) else value
    for power, word in _LARGE.items():
        if 10**power <= abs(rounded) < 10 ** (power + 3):
            return f"{readable(rounded / 10**power)} {word}"
    return readable(value)


def counted(
    count: float,
    thing: str,
    things: str = "",
    digits: int = 3,
    write: Callable[[float], str] | None = None,
) -> str:
    """Return how many of a thing there are: ``1 user``, ``12,300 users``.

    things: the plural. write: how the number is written, `readable` with so many digits otherwise.
    """
    number = write(count) if write else readable(count, digits)
    return f"{number} {thing if number == '1' else things or thing + 's'}"


def agreeing(count: float, one: str, several: str) -> str:
    """Return the verb or noun that goes with so many: "is" or "are", "user" or "users"."""
    return one if count == 1 else several


def whole(count: float) -> str:
    """Return a whole number to its last digit, as long as people can read that: to a million."""
    return f"{count:,.0f}".replace("-", "−") if abs(count) <= 1e6 else readable(count)


def fixed(value: float, decimals: int) -> str:
    """Return a number with so many decimals, as those beside it have: ``−0.40``."""
    text = f"{value:,.{decimals}f}"
    return text.removeprefix("-") if not float(text.replace(",", "")) else text.replace("-", "−")


def from_to(low: str, high: str) -> str:
    """Return both ends of a range, or the one number that they are: ``12 to 20``, ``3``."""
    return low if low == high else f"{low} to {high}"


def listed(parts: Collection[str]) -> str:
    """Return parts of a sentence as one: ``a``, ``a and b``, ``a, b, and c``."""
    *first, last = parts
    comma = "," if len(first) > 1 or any("," in part for part in parts) else ""
    return f"{', '.join(first)}{comma} and {last}" if first else last


def predicted(guess: float, unit: str = "") -> str:
    """Return what a reader predicted, with its unit, or "" for nothing."""
    return "" if math.isnan(guess) else f"your prediction: {readable(guess)}{unit}"


def upwards(value: float, digits: int = 3) -> str:
    """Write an upper end, after "at most" or before "are enough": rounded up."""
    return readable(rounded_up(value, digits), digits)


def downwards(value: float, digits: int = 3) -> str:
    """Write a lower end, after "at least" or before "too few": rounded down."""
    return readable(rounded_down(value, digits), digits)


def beside_one(times: float) -> str:
    """Say where an upper end stands beside what counts 1: ``28.6% below``, ``4.8 times``."""
    return f"{downwards(100 * (1 - times))}% below" if times < 1 else f"{upwards(times)} times"


def between(lower: float, upper: float, digits: int = 3, *, beyond: bool = False) -> str:
    """Say where a number lies, as far as it is known; see `dpviz.results.ends.within`.

    ``at most 10⁻⁷``, ``below 10⁻³⁰⁰``, ``more than 20,000``, ``between 45 and 395``, ``3``.
    """
    return within(lower, upper, readable, digits, beyond=beyond)


_NAMES = ("Algorithm", "DelStab", "Gaussian", "Laplace", "Lemma", "Theorem")


def unbroken(text: str) -> str:
    """Return text in which no line ends beside an equals sign: ``ε = 1`` stays in one piece."""
    return _EQUATION.sub(_NO_BREAK.join(("", r"\1", "")), text)


def so_far(words: str, part: SoFar | None) -> str:
    """Return what is said of a simulation, as of those of its runs that are in.

    ``So far, from 3 of 100 runs: two users …``, or ``From 3 of 100 runs: …`` where no more will
    come; the words alone once it has ended.
    """
    if not words or part is None or not part.made or part.ended:
        return words
    of = f" of {part.planned:,}" if part.planned else ""
    many = part.made if part.planned < 2 else part.planned
    things = part.thing if many == 1 else f"{part.thing}s"
    first = words.split(maxsplit=1)[0]
    # A letter alone is a symbol, a word with a capital or a digit further in an abbreviation.
    named = first.startswith(_NAMES) or len(first) == 1 or re.search(r"[A-Z0-9]", first[1:])
    begin = words if named else words[0].lower() + words[1:]
    return f"{'From' if part.stopped else 'So far, from'} {part.made:,}{of} {things}: {begin}"


def readables(values: FloatArray) -> list[str]:
    """Return `readable` of each value; most were written before."""
    values = np.asarray(values, dtype=float)
    sizes = np.abs(values)
    usual = (sizes > 1e-300) & (sizes < 1e300)
    sizes = np.where(usual, sizes, 1.0)
    powers = np.floor(np.log10(sizes))
    scaled = sizes / 10**powers * 100
    usual &= np.abs(scaled % 1 - 0.5) > 1e-9  # so near to a tie, rounding needs all digits
    digits = np.rint(scaled)
    carried = digits == 1000
    digits[carried], powers[carried] = 100, powers[carried] + 1
    codes = (1000 * powers + digits).astype(int)
    texts = list(map(_three_digits, codes.tolist()))
    for i in np.flatnonzero(values < 0).tolist():
        texts[i] = f"−{texts[i]}"
    for i in np.flatnonzero(~usual).tolist():
        texts[i] = readable(float(values[i]))
    return texts


def percents(values: FloatArray) -> list[str]:
    """Return `percent` of each probability; most were written before."""
    shares = np.asarray(values, dtype=float)
    texts = [f"{text}%" for text in readables(100 * shares)]
    for i in np.flatnonzero((shares > _ROUNDED_UP) & (shares < 1)).tolist():
        texts[i] = percent(float(shares[i]))
    return texts


_ROUNDED_UP = 0.999  # to three digits some probabilities above it are 1


@lru_cache(maxsize=2**14)
def _three_digits(code: int) -> str:
    """Return the number of these three digits and this power of ten, put together as 1000 p + d."""
    power, digits = divmod(code, 1000)
    return readable(float(f"{digits}e{power - 2}"))


CERTAIN = 0.9995
"""From here on a probability is called certainty."""


def in_hundred(part: float) -> str:
    """Return a suspicion as a count of people: ``23 in 100``."""
    return "certainty" if part >= CERTAIN else f"{hundredths(part, digits=2)} in 100"


def at_most_in_hundred(part: float) -> str:
    """Return the most that a suspicion becomes, rounded up: ``at most 23.2 in 100``."""
    return "near certainty" if part >= CERTAIN else f"at most {hundredths_upwards(part)} in 100"


def hundredths_upwards(part: float) -> str:
    """Write a probability in hundredths after "at most": rounded up, one below 1 never to 100."""
    for digits in range(3, 7):
        if (up := rounded_up(part, digits)) < 1:
            return readable(100 * up, digits)
    return hundredths(part)


def chance(probability: float, otherwise: float | None = None, digits: int = 3) -> str:
    """Write a probability to so many digits; one below 1 never as 1, however many nines it takes.

    otherwise: the probability of all else, where it is known by itself: the difference to 1 may be
    rounding. ``0.25``, ``0.99991``, ``1 − 10⁻⁹``.
    """
    rest = 1 - probability if otherwise is None else otherwise
    text = readable(probability, digits)
    if text != "1" or rest <= 0:
        return text
    if rest < _HARDLY:
        return f"1 − {readable(rest)}"
    return _trimmed(f"{1 - rest:.{_nines(rest)}f}")


def hundredths(part: float, otherwise: float | None = None, digits: int = 3) -> str:
    """Write a probability in hundredths, without a sign; see `chance`: one below 1 is never 100."""
    rest = 1 - part if otherwise is None else otherwise
    text = readable(100 * part, digits)
    if text != "100" or rest <= 0:
        return text
    if rest < 10 * _HARDLY:
        return "more than 99.99"
    return _trimmed(f"{100 * (1 - rest):.{max(_nines(rest) - 2, 0)}f}")


def percent(part: float, digits: int = 3, *, otherwise: float | None = None) -> str:
    """Write a probability or another share in per cent; see `hundredths`."""
    return f"{hundredths(part, otherwise, digits)}%"


_HARDLY = 1e-6  # a probability below which nines are no longer counted at a glance


def _nines(rest: float) -> int:
    """Return how many decimals show that 1 − rest is not 1."""
    return math.ceil(-math.log10(rest) - 1e-9)


def raised(text: str) -> str:
    """Return text with its exponents raised: ``2<sup>−O(d)</sup>`` for ``2^−O(d)``."""
    return _EXPONENT.sub(lambda match: f"<sup>{match[1] or match[2]}</sup>", text)


_RAISED = dict(zip("-−0123456789bdijkmnpt", "⁻⁻⁰¹²³⁴⁵⁶⁷⁸⁹ᵇᵈⁱʲᵏᵐⁿᵖᵗ", strict=True))
LOWERED = {raised: plain for plain, raised in _RAISED.items()}
"""The letters and digits of an exponent, by what they are as raised ones."""


def superscript(text: str) -> str:
    """Return text with its exponents in letters of their own, where nothing can be raised: 2ᵈ.

    An exponent that has a letter without such a form stays behind its caret.
    """

    def letters(match: re.Match[str]) -> str:
        exponent = match[1] or match[2]
        is_raised = all(letter in _RAISED for letter in exponent)
        return "".join(map(_RAISED.__getitem__, exponent)) if is_raised else match[0]

    return _EXPONENT.sub(letters, text)


def plain(text: str) -> str:
    """Return text that Markdown shows as it is, in one line: for what a file or a link holds.

    Streamlit's Markdown also looks for addresses, emoji and icons, in text whose escapes are
    already gone; a joiner nobody sees keeps it from finding any.
    """
    joined = re.sub(r"(?<=[:@])(?=\S)|(?<=www)(?=\.)", _JOINER, " ".join(text.split()), flags=re.I)
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|<>~$:&^=])", r"\\\1", joined)


def _trimmed(decimal: str) -> str:
    return decimal.rstrip("0").rstrip(".") if "." in decimal else decimal
