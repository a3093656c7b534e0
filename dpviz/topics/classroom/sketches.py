"""Curves that a class has drawn over empty axes: how they are written, and what they add up to.

A sketch is a height in each of `COLUMNS` places along x, equally far apart on the axis as drawn,
or a gap. It is written with two letters for each: a height in base 36, so many of `STEPS` steps
from the lower end of the axis, or ``--``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError

COLUMNS = 41
STEPS = 36**2 - 1
_GAP = "--"
_ROUNDING = 1e-9
_WRITTEN = re.compile(f"(?:[0-9a-z]{{2}}|{_GAP}){{{COLUMNS}}}", re.ASCII)


@dataclass(frozen=True)
class Side:
    """One axis to draw over, as the figure has it.

    name: of its column in a table. title: what stands beside it. low, high: its ends as they are
    drawn, logarithms to the base 10 on a log axis. ticks: what is written where, in the same units.
    """

    name: str
    title: str
    low: float
    high: float
    log: bool
    ticks: tuple[tuple[float, str], ...] = ()

    def values(self, fractions: FloatArray) -> FloatArray:
        """Return the values at so many parts of the axis, NaN where that is NaN."""
        drawn = self.low + fractions * (self.high - self.low)
        values: FloatArray = 10**drawn if self.log else drawn
        return values

    def parts(self, values: FloatArray) -> FloatArray:
        """Return at which parts of the axis values stand: `values` turned round."""
        drawn = np.log10(values) if self.log else values
        parts: FloatArray = (drawn - self.low) / (self.high - self.low)
        return parts


@dataclass(frozen=True)
class Plane:
    """Both axes."""

    x: Side
    y: Side

    @property
    def places(self) -> FloatArray:
        """The x of each column of a sketch."""
        return self.x.values(np.linspace(0, 1, COLUMNS))

    def heights(self, texts: Sequence[str]) -> FloatArray:
        """Return the y of sketches: a row each, a column for each of `places`, NaN for gaps."""
        return self.y.values(fractions(texts))


def is_sketch(text: str) -> bool:
    """Return whether a text is a sketch: of the right length, and with a line in it."""
    if _WRITTEN.fullmatch(text) is None:
        return False
    return sum(height != _GAP for height in _pairs(text)) >= 2


def fractions(texts: Sequence[str]) -> FloatArray:
    """Return how high sketches are, from 0 to 1, NaN for gaps. Raises `ParameterError`."""
    for text in texts:
        if not is_sketch(text):
            raise ParameterError("sketch", f"{COLUMNS} heights in base 36", text)
    rows = [[_fraction(height) for height in _pairs(text)] for text in texts]
    return np.array(rows, dtype=float).reshape(len(texts), COLUMNS)


def heights_at(text: str, parts: FloatArray) -> FloatArray:
    """Return how high a sketch is at some parts of the x axis, from 0 to 1, NaN in gaps."""
    [heights] = fractions([text])
    columns = np.asarray(parts) * (COLUMNS - 1)
    before = np.floor(columns + _ROUNDING).astype(int)
    share = np.maximum(columns - before, 0)
    share[share < _ROUNDING] = 0
    after = np.where(share > 0, before + 1, before)
    found: FloatArray = (1 - share) * heights[before] + share * heights[after]
    return found


def quartiles(heights: FloatArray) -> FloatArray:
    """Return the quartiles of sketches in each column, a row each: lower, middle and upper.

    A column counts those who drew there, if they are at least half; else it is NaN.
    """
    rows = np.full((3, heights.shape[1]), np.nan)
    for column, drawn in enumerate(heights.T):
        there = drawn[np.isfinite(drawn)]
        if there.size and 2 * there.size >= drawn.size:
            rows[:, column] = np.quantile(there, (0.25, 0.5, 0.75))
    return rows


def _pairs(text: str) -> list[str]:
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def _fraction(height: str) -> float:
    return np.nan if height == _GAP else int(height, 36) / STEPS
