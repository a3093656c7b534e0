"""Counts and chances, as all views of this topic write them."""

import math

from dpviz.plot.text import hundredths, readable


def whole_count(count: float) -> str:
    """Return a count to the last digit where people can read that."""
    return f"{count:,.0f}" if count <= 1e6 else readable(count)


def likelihood(failure_probability: float) -> str:
    """Write 1 − β in as many digits as β needs."""
    return f"{1 - failure_probability:.12g}"


def percent(part: float) -> str:
    """Write a fraction in per cent."""
    return f"{hundredths(part, digits=2)}%"


def rounded_up(bound: float, digits: int = 3) -> str:
    """Write a bound so that what is written holds, too; 0 as it is."""
    if bound == 0:
        return "0"
    unit = 10.0 ** (math.floor(math.log10(bound)) + 1 - digits)
    return readable(math.ceil(bound / unit) * unit, digits)
