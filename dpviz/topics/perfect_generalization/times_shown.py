"""A privacy loss in words that can be imagined: how many times as likely an output may be."""

import math

import numpy as np

from dpviz.plot.dots import Dots
from dpviz.plot.text import readable, upwards
from dpviz.results.evidence import FloatArray

FAR = math.log(1000)
"""The ε′ from which odds say less than ε′ itself."""
_TICKS = 12  # along an axis, at most
_ROUNDING = 1e-9


def times(epsilon: float) -> str:
    """Say how many times as likely, to three digits; as ε′, rounded up, where that says more."""
    return f"ε′ = {upwards(epsilon)}" if epsilon >= FAR else f"{readable(math.exp(epsilon))} times"


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


def heaped(losses: FloatArray, line: float, *, most: float, places: int) -> Dots:
    """Return a dot for each loss, in groups of which one ends at a line: none is beyond its side.

    most: the end of the axis, along which there are about so many places.
    """
    step = most / places
    step = line / max(round(line / step), 1) if line > 0 else step
    edges = step * np.arange(0.0 if line else -1.0, math.ceil(max(most, losses.max()) / step) + 1)
    group = np.searchsorted(edges, losses * (1 - _ROUNDING)) - 1
    return Dots(losses, edges, np.clip(group, 0, edges.size - 2))
