"""Thresholds on the line."""

import math
from dataclasses import dataclass, field

import numpy as np

from dpviz.results.evidence import FloatArray
from dpviz.topics.public_data.oracles.oracle import ERMOracle, Objective
from dpviz.topics.public_data.oracles.sweep import Sweep


@dataclass
class Thresholds(ERMOracle):
    """f(x) = 1 for x ≥ t, otherwise −1, on the line; by one weighted sweep.

    low, high: the ends of the domain. Beside the outermost point, and between two points, t lies
    in the middle of the gap.
    """

    low: float = -math.inf
    high: float = math.inf
    calls: int = field(default=0, compare=False)
    gap = 0.0

    def minimize_each(
        self, objective: Objective, points: FloatArray, linear: FloatArray
    ) -> FloatArray:
        """Return [t] for each row of costs."""
        self.calls += len(linear)
        sweep = Sweep(objective, points)
        # Σ c·f = total − 2·(what lies below t): the largest prefix sum wins.
        best, place = sweep.largest()
        added = sweep.added(linear)
        cell = np.argmax(best + added, axis=1)
        return sweep.boundary(place[cell], self.low, self.high)[:, None]

    def predict(self, functions: FloatArray, points: FloatArray) -> FloatArray:
        """Return f(x)."""
        return np.where(points >= functions[:, :1], 1.0, -1.0)
