"""Intervals on the line."""

import math
from dataclasses import dataclass, field

import numpy as np

from dpviz.results.evidence import FloatArray
from dpviz.topics.public_data.oracles.oracle import ERMOracle, Objective
from dpviz.topics.public_data.oracles.sweep import Sweep


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
        inner, inner_a, inner_b = sweep.inside_one_cell()
        added = sweep.added(linear)
        starts, ends = high + added, low + added
        reach = np.maximum.accumulate(starts, axis=1)
        across = np.full_like(ends, np.inf)
        across[:, 1:] = ends[:, 1:] - reach[:, :-1]
        value = np.minimum(across, inner)
        cell = np.argmin(value, axis=1)
        rows = np.arange(len(linear))
        before = np.where(np.arange(starts.shape[1]) < cell[:, None], starts, -np.inf)
        first = np.argmax(before, axis=1)
        same = inner[cell] <= across[rows, cell]
        a = np.where(same, inner_a[cell], at_high[first])
        b = np.where(same, inner_b[cell], at_low[cell])
        ends_of = [sweep.boundary(place, self.low, self.high) for place in (a, b)]
        return np.stack(ends_of, axis=1)

    def predict(self, functions: FloatArray, points: FloatArray) -> FloatArray:
        """Return f(x)."""
        inside = (points >= functions[:, :1]) & (points < functions[:, 1:2])
        return np.where(inside, 1.0, -1.0)
