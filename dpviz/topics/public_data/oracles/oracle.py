"""What an optimiser over a class of functions is asked, and what all of them can do.

Everything the algorithms ask for has the form

    minimise  Σ_i square_i·f(x_i)² + linear_i·f(x_i)   over the class

(an `Objective`). The loss is ℓ(u, y) = (u − y)²/4 throughout: convex, in [0, 1], 1-Lipschitz on
[−1, 1], and the 0-1 loss where f and y are ±1. On such classes f² = 1, so that only the linear
costs count, and these may have any sign. A regulariser, a Gaussian process and the projection of
Algorithm 1 fit in as well. Block et al. 2024, Definition 4.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import FloatArray

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Objective:
    """Σ_i square_i·f(x_i)² + linear_i·f(x_i), square_i ≥ 0.

    points: x, one row (or number) for each term; linear, square: of its length.
    """

    points: FloatArray
    linear: FloatArray
    square: FloatArray

    def plus(self, other: "Objective") -> "Objective":
        """Return the sum of both."""
        return Objective(
            np.concatenate([self.points, other.points]),
            np.concatenate([self.linear, other.linear]),
            np.concatenate([self.square, other.square]),
        )


class ERMOracle(Protocol):
    """An optimiser over a class of functions, which counts its calls.

    calls: how often it was called; gap: no answer is farther above the minimum, apart
    from rounding. A function is a row of parameters. What is returned depends on the objective
    alone, so ties are broken without looking at any data again.
    """

    calls: int

    @property
    def gap(self) -> float:
        """How far from the minimum an answer may be."""

    def minimize(self, objective: Objective) -> FloatArray:
        """Return a function of the class with the least value: one call."""
        alone: FloatArray = self.minimize_each(objective, objective.points[:0], np.empty((1, 0)))[0]
        return alone

    def minimize_each(
        self, objective: Objective, points: FloatArray, linear: FloatArray
    ) -> FloatArray:
        """Return a minimiser for each row of `linear`, costs at `points` beside the objective.

        One call for each row; a row of functions for a row of costs.
        """

    def predict(self, functions: FloatArray, points: FloatArray) -> FloatArray:
        """Return f(x): a row for each function, a column for each point."""


def sums_at(places: Indices, values: FloatArray, size: int) -> FloatArray:
    """Return the sum of the values at each place."""
    return np.bincount(places, values, minlength=size).astype(float)
