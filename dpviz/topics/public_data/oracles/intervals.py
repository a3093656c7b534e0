"""Intervals on the line."""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from dpviz.results.evidence import FloatArray
from dpviz.results.refining import pause
from dpviz.topics.public_data.oracles.oracle import ERMOracle, Indices, Objective
from dpviz.topics.public_data.oracles.sweep import Sweep

_AT_ONCE = 2**17  # numbers: what is computed for more rows of costs goes through memory


class _Cells(NamedTuple):
    """What is known of each cell before anything is added: extremes, and where they are."""

    high: FloatArray
    at_high: Indices
    low: FloatArray
    at_low: Indices
    inner: FloatArray
    inner_a: Indices
    inner_b: Indices

    def best(self, added: FloatArray) -> Indices:
        """Return the candidates a and b for each row of what is added below the cells."""
        starts, ends = self.high + added, self.low + added
        reach = np.maximum.accumulate(starts, axis=1)
        across = np.full_like(ends, np.inf)
        across[:, 1:] = ends[:, 1:] - reach[:, :-1]
        cell = np.argmin(np.minimum(across, self.inner), axis=1)
        before = np.where(np.arange(starts.shape[1]) < cell[:, None], starts, -np.inf)
        first = np.argmax(before, axis=1)
        same = self.inner[cell] <= across[np.arange(len(added)), cell]
        a = np.where(same, self.inner_a[cell], self.at_high[first])
        b = np.where(same, self.inner_b[cell], self.at_low[cell])
        return np.stack([a, b], axis=1)


@dataclass
class Intervals(ERMOracle):
    """f(x) = 1 for a ≤ x < b, otherwise −1, on the line, a ≤ b; by one weighted sweep.

    low, high: the ends of the domain; ends lie in the middle of gaps, as with `Thresholds`.
    """

    low: float = -math.inf
    high: float = math.inf
    calls: int = field(default=0, compare=False)
    gap = 0.0

    def minimize_each(
        self, objective: Objective, points: FloatArray, linear: FloatArray
    ) -> FloatArray:
        """Return [a, b] for each row of costs."""
        self.calls += len(linear)
        sweep = Sweep(objective, points)
        # Σ c·f = 2·(S(b) − S(a)) − total, S the prefix sums. Both ends in one cell between added
        # points, or in two: then the ends are chosen one by one.
        high, at_high = sweep.largest()
        low, at_low = sweep.smallest()
        cells = _Cells(high, at_high, low, at_low, *sweep.inside_one_cell())
        at_once = max(1, _AT_ONCE // sweep.starts.size)
        best = []
        for start in range(0, len(linear), at_once):
            pause()
            best.append(cells.best(sweep.added(linear[start : start + at_once])))
        ends = np.concatenate(best) if best else np.empty((0, 2), dtype=np.intp)
        return np.stack([sweep.boundary(place, self.low, self.high) for place in ends.T], axis=1)

    def predict(self, functions: FloatArray, points: FloatArray) -> FloatArray:
        """Return f(x)."""
        inside = (points >= functions[:, :1]) & (points < functions[:, 1:2])
        return np.where(inside, 1.0, -1.0)
