"""Stumps: thresholds on one of a few features, either way round."""

import math
from dataclasses import dataclass, field

import numpy as np

from dpviz.results.evidence import FloatArray
from dpviz.results.refining import pause
from dpviz.topics.public_data.oracles.oracle import ERMOracle, Objective
from dpviz.topics.public_data.oracles.sweep import Sweep


@dataclass
class Stumps(ERMOracle):
    """f(x) = s for x_j ≥ t, otherwise −s, s = ±1; by one weighted sweep for each feature."""

    calls: int = field(default=0, compare=False)
    gap = 0.0

    def minimize_each(
        self, objective: Objective, points: FloatArray, linear: FloatArray
    ) -> FloatArray:
        """Return [j, s, t] for each row of costs."""
        self.calls += len(linear)
        total = objective.linear.sum() + linear.sum(axis=1)
        stumps = np.empty((len(linear), 3))
        least = np.full(len(linear), np.inf)
        for feature in range(objective.points.shape[1]):
            pause()
            line = Objective(objective.points[:, feature], objective.linear, objective.square)
            sweep = Sweep(line, points[:, feature])
            added = sweep.added(linear)
            # Σ c·f = s·(total − 2·(what lies below t)).
            for side, (best, place) in ((1.0, sweep.largest()), (-1.0, sweep.smallest())):
                below = side * (best + added)
                cell = np.argmax(below, axis=1)
                value = side * total - 2 * below[np.arange(len(linear)), cell]
                better = value < least
                least[better] = value[better]
                ends = sweep.boundary(place[cell], -math.inf, math.inf)
                stumps[better] = np.column_stack(
                    [np.full(ends.shape, feature), np.full(ends.shape, side), ends]
                )[better]
        return stumps

    def predict(self, functions: FloatArray, points: FloatArray) -> FloatArray:
        """Return f(x)."""
        chosen = points[:, functions[:, 0].astype(int)].T
        values: FloatArray = functions[:, 1:2] * np.where(chosen >= functions[:, 2:], 1.0, -1.0)
        return values


@dataclass
class GridStumps(Stumps):
    """Stumps on features in [−1, 1] that are first rounded to the middles of `cells` cells.

    The `identification` set has, for each feature, all middles of it, and the lowest of every
    other feature. There a stump changes its value along the line of its own feature only, so that
    no two stumps agree on all of it: it is universal (Block et al. 2024, Appendix C).
    """

    features: int = 1
    cells: int = 8

    @property
    def middles(self) -> FloatArray:
        """The middles of the cells."""
        return (2 * np.arange(self.cells) + 1) / self.cells - 1

    @property
    def identification(self) -> FloatArray:
        """Points on which no two stumps agree."""
        points = np.full((self.features, self.cells, self.features), self.middles[0])
        for feature in range(self.features):
            points[feature, :, feature] = self.middles
        return points.reshape(-1, self.features)

    def rounded(self, points: FloatArray) -> FloatArray:
        """Return the middles of the cells that the points lie in."""
        cell = np.clip(np.floor((points + 1) * self.cells / 2), 0, self.cells - 1).astype(int)
        middles: FloatArray = self.middles[cell]
        return middles

    def minimize_each(
        self, objective: Objective, points: FloatArray, linear: FloatArray
    ) -> FloatArray:
        """Return [j, s, t] for each row of costs."""
        every = self.identification  # so that thresholds lie between cells, whatever the data
        cells = Objective(every, np.zeros(len(every)), np.zeros(len(every)))
        moved = Objective(self.rounded(objective.points), objective.linear, objective.square)
        return super().minimize_each(moved.plus(cells), self.rounded(points), linear)

    def predict(self, functions: FloatArray, points: FloatArray) -> FloatArray:
        """Return f(x)."""
        return super().predict(functions, self.rounded(points))
