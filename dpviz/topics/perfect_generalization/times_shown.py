"""A privacy loss in words that can be imagined: how many times as likely an output may be."""

import math
from collections.abc import Sequence

import numpy as np

from dpviz.plot.dots import Dots
from dpviz.plot.marks import Words
from dpviz.plot.text import readable, upwards
from dpviz.results.evidence import FloatArray

FAR = math.log(1000)
"""The ε′ from which odds say less than ε′ itself."""
_RARE = 1e-3  # δ′, up to which what it leaves out is hardly any output
_TICKS = 12  # along an axis, at most
_NEARLY = 1.02  # times as likely, below which a digit more tells them from equal
_APART = 0.13  # of the axis, from name to name on a phone
_ROUNDING = 1e-9


def odds(epsilon: float) -> str:
    """Write how many times as likely, to three digits; near 1 to four."""
    ratio = math.exp(epsilon)
    return readable(ratio, 4 if ratio < _NEARLY else 3)


def times(epsilon: float) -> str:
    """Say how many times as likely; as ε′, rounded up, where that says more."""
    return f"ε′ = {upwards(epsilon)}" if epsilon >= FAR else f"{odds(epsilon)} times"


def exceptions(delta: float) -> tuple[str, str]:
    """Return how few outputs are excepted by δ′: what is said of them, and what after it."""
    return ("hardly any output", "") if delta <= _RARE else ("no output", " (apart from δ′)")


def alike(epsilon: float, delta: float) -> str:
    """Say how alike (ε′, δ′)-close outputs on two samples are: in times, if one imagines them."""
    if epsilon >= FAR:
        return within(f"ε′ = {upwards(epsilon)}")
    output, but = exceptions(delta)
    if readable(math.exp(epsilon)) == "1":
        nearly = "nearly " if epsilon else ""
        return f"outputs are {nearly}equally likely on both samples{but}"
    return f"{output} is more than about {times(epsilon)} as likely on one as on the other{but}"


def within(loss: str) -> str:
    """Say how alike outputs are by an ε′."""
    return f"the two outputs are within {loss} (apart from δ′)"


def ticks(most: float) -> list[tuple[float, str]] | None:
    """Return round numbers of times as places of ε′; None where ε′ itself says more."""
    if most >= FAR:
        return None
    near = [1 + digit * 10.0**-power for power in range(6, 0, -1) for digit in (1, 2, 5)]
    found = [(0.0, "equal")]
    for number in (*near, *(digit * 10.0**power for power in range(4) for digit in (2, 3, 5, 10))):
        at = math.log(number)
        if at <= most and at - found[-1][0] >= most / _TICKS:
            found.append((at, readable(number, 7)))
    return found


def thinned(places: Sequence[tuple[float, str]], long: float) -> list[tuple[float, Words]]:
    """Return names along an axis, of which a phone has those that stand far enough apart."""
    last, found = -math.inf, list[tuple[float, Words]]()
    for at, name in places:
        free = at - last >= _APART * long
        last = at if free else last
        found.append((at, (name, name if free else "")))
    return found


def heaped(losses: FloatArray, line: float, *, most: float, places: int) -> Dots:
    """Return a dot for each loss, in groups of which one ends at a line: none is beyond its side.

    most: the end of the axis, along which there are about so many places.
    """
    step = most / places
    step = line / max(round(line / step), 1) if line > 0 else step
    edges = step * np.arange(0.0 if line else -1.0, math.ceil(max(most, losses.max()) / step) + 1)
    group = np.searchsorted(edges, losses * (1 - _ROUNDING)) - 1
    return Dots(losses, edges, np.clip(group, 0, edges.size - 2))
