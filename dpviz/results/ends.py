"""Numbers between two ends: each end rounded to its safe side, and the ends of searches named.

A lower end is rounded down and an upper one up, so that what is said stays true. Where a search, a
range or floating point ends, only one side is known, and only that is said.
"""

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context

from dpviz.results.evidence import Bracket

LEAST = 1e-300
"""Below it nothing is told from 0: floating point is about to end."""


def rounded_down(value: float, digits: int = 3) -> float:
    """Return the largest number of so many significant digits that is at most `value`."""
    return _rounded(value, digits, ROUND_FLOOR)


def rounded_up(value: float, digits: int = 3) -> float:
    """Return the smallest number of so many significant digits that is at least `value`."""
    return _rounded(value, digits, ROUND_CEILING)


def told_apart(bounds: Bracket) -> Bracket:
    """Return bounds on a number that is not negative as far as floating point tells it from 0.

    What may have underflowed lies between 0 and `LEAST`.
    """
    if bounds.lower >= LEAST:
        return bounds
    return Bracket(0.0, max(bounds.upper, LEAST))


def within(
    lower: float,
    upper: float,
    write: Callable[[float, int], str],
    digits: int = 3,
    *,
    beyond: bool = False,
) -> str:
    """Say where a number lies: ``at most 10⁻⁷``, ``at least 5``, ``between 3 and 4``, ``3``.

    lower: 0 or −∞ and upper: ∞ where that end is not known. write: of a number and its digits.
    beyond: whether the one end that is known is not reached: ``below 10⁻³⁰⁰``, ``more than 5``.
    """
    down, up = (
        write(end, digits) for end in (rounded_down(lower, digits), rounded_up(upper, digits))
    )
    if lower == upper:
        return write(lower, digits)
    if math.isinf(upper):
        return f"{'more than' if beyond else 'at least'} {down}"
    if lower <= 0 < upper:
        return f"{'below' if beyond or upper <= LEAST else 'at most'} {up}"
    return f"between {down} and {up}"


def _rounded(value: float, digits: int, rounding: str) -> float:
    if not value or not math.isfinite(value):
        return value
    return float(Context(prec=digits, rounding=rounding).create_decimal(repr(float(value))))
