"""Descent to the least of a function of few variables, in several basins at once.

Around the best point known of each basin the function is computed at the points of a pattern, of
all basins together: one call. A quadratic model of its values tells where to look next.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from dpviz.results.evidence import FloatArray

_MOST_STEP = 3.0  # of a model, in strides
_RISE = 0.3  # above the centre, by which a value may count in a model
_LESS = 0.6  # times the stride, where nothing is found that is better by what counts
_COUNTS = 3e-5
_SUCCESS = 0.8
_LEAST_STRIDE = 0.04
_FADING = 0.5
_SIZE = 4
_PAIRS = list(itertools.combinations(range(_SIZE), 2))
_AXES = np.eye(_SIZE)
_PATTERNS = [
    np.vstack([_AXES, -_AXES, *(_AXES[[i]] + sign * _AXES[[j]] for i, j in _PAIRS)])
    for sign in (1, -1)
]
_COUNT = len(_PATTERNS[0])

Hint = TypeVar("Hint")


class Point(NamedTuple, Generic[Hint]):
    """A point, its value, and what helps to compute the values of points nearby."""

    at: FloatArray
    value: float
    hint: Hint


class Values(NamedTuple, Generic[Hint]):
    """Values at some points: guesses, which are good next to the point that the hint is from.

    finite: the same, inf where a guess is not to be relied on. hints: one for each.
    """

    guesses: FloatArray
    finite: FloatArray
    hints: list[Hint]


Evaluate = Callable[[FloatArray, list[Point[Hint]]], Values[Hint]]
"""Rows of points, and for each the best point of its basin."""


@dataclass
class _Basin(Generic[Hint]):
    best: Point[Hint]
    promising: list[FloatArray]
    stride: float = 1.0
    turn: int = 0

    def rows(self, strides: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return where to look next: around the best, and where models point to."""
        around = self.best.at + self.stride * strides * _PATTERNS[self.turn % 2]
        rows: FloatArray = np.clip(np.vstack([around, *self.promising]), low, high)
        return rows

    def move(self, at: FloatArray, values: Values[Hint], strides: FloatArray) -> None:
        """Take the best of these points; note where a model through them is least."""
        before = self.best
        i = int(np.argmin(values.finite))
        if values.finite[i] < before.value:
            self.best = Point(at[i], float(values.finite[i]), values.hints[i])
        rise = np.zeros(_COUNT)
        if math.isfinite(before.value):  # else there is no model
            rise = np.fmin(values.guesses[:_COUNT] - before.value, _RISE)
        step = _least_of_model(rise, 1 - 2 * (self.turn % 2)) * self.stride * strides
        self.promising = [before.at + step, before.at + step / 2]
        moved = self.best.at - before.at
        if values.finite[i] < before.value:
            self.promising[1] = self.best.at + moved
        if self.best.value > before.value - _COUNTS:
            self.stride *= _LESS
        elif i >= _COUNT:
            self.stride *= _SUCCESS
        self.turn += 1


def _least_of_model(rise: FloatArray, sign: int) -> FloatArray:
    """Return where the quadratic through the rises at the pattern's points is least."""
    up, down = rise[:_SIZE], rise[_SIZE : 2 * _SIZE]
    slopes = (up - down) / 2
    bends = np.diag(up + down)
    for (i, j), both in zip(_PAIRS, rise[2 * _SIZE :], strict=True):
        other = slopes[j] * sign + bends[j, j] / 2
        bends[i, j] = bends[j, i] = sign * (both - up[i] - other)
    sizes, axes = np.linalg.eigh(bends)
    sizes = np.maximum(np.abs(sizes), max(1e-3 * float(np.abs(sizes).max()), 1e-12))
    step = -axes @ (axes.T @ slopes / sizes)
    shortened: FloatArray = step * min(1.0, _MOST_STEP / max(float(np.abs(step).max()), 1e-300))
    return shortened


def descend(
    evaluate: Evaluate[Hint],
    starts: list[Point[Hint]],
    *,
    strides: FloatArray,
    low: FloatArray,
    high: FloatArray,
    levels: int,
    margin: float = 0.06,
) -> list[Point[Hint]]:
    """Return the best point of each basin, the best first; not all basins are searched to the end.

    strides: of the first pattern; low, high: the ranges of the variables.
    """
    basins = all_basins = [_Basin(start, []) for start in starts]
    for level in range(levels):
        active = [basin for basin in basins if basin.stride > _LEAST_STRIDE]
        if not active:
            break
        rows = [basin.rows(strides, low, high) for basin in active]
        of = [basin.best for basin, at in zip(active, rows, strict=True) for _ in at]
        evaluated = evaluate(np.vstack(rows), of)
        first = 0
        for basin, at in zip(active, rows, strict=True):
            part = slice(first, first := first + len(at))
            values = Values(evaluated.guesses[part], evaluated.finite[part], evaluated.hints[part])
            basin.move(at, values, strides)
        least = min(basin.best.value for basin in basins)
        basins = [b for b in basins if b.best.value <= least + margin * _FADING**level]
    return sorted((basin.best for basin in all_basins), key=lambda point: point.value)
