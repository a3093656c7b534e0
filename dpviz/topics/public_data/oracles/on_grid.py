"""Sets on the line cut down to a grid, which has a universal identification set."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from dpviz.results.evidence import FloatArray
from dpviz.topics.public_data.oracles.intervals import Intervals
from dpviz.topics.public_data.oracles.oracle import ERMOracle, Objective
from dpviz.topics.public_data.oracles.thresholds import Thresholds


@dataclass
class OnGrid(ERMOracle):
    """A class of sets on [0, 1] cut down to unions of `cells` equal cells.

    Its `identification` set, the middles of the cells, tells any two of its functions apart: it
    is universal (Block et al. 2024, Appendix C). make: the class on the line, given its ends.
    """

    make: Callable[[float, float], Thresholds | Intervals]
    cells: int
    inner: Thresholds | Intervals = field(init=False)
    gap = 0.0

    def __post_init__(self) -> None:
        # So the outermost ends fall on 0 and 1.
        self.inner = self.make(-0.5 / self.cells, 1 + 0.5 / self.cells)

    @property
    def calls(self) -> int:
        """How often the optimiser was called."""
        return self.inner.calls

    @calls.setter
    def calls(self, calls: int) -> None:
        self.inner.calls = calls

    @property
    def identification(self) -> FloatArray:
        """The middles of the cells."""
        return (np.arange(self.cells) + 0.5) / self.cells

    def rounded(self, points: FloatArray) -> FloatArray:
        """Return the middle of the cell each point lies in."""
        cell = np.clip(np.floor(points * self.cells), 0, self.cells - 1)
        return (cell + 0.5) / self.cells

    def minimize_each(
        self, objective: Objective, points: FloatArray, linear: FloatArray
    ) -> FloatArray:
        """Return a minimiser for each row of costs."""
        # Every cell is in the sweep, whatever the data, so that ends lie between cells.
        cells = Objective(self.identification, np.zeros(self.cells), np.zeros(self.cells))
        moved = Objective(self.rounded(objective.points), objective.linear, objective.square)
        return self.inner.minimize_each(moved.plus(cells), self.rounded(points), linear)

    def predict(self, functions: FloatArray, points: FloatArray) -> FloatArray:
        """Return f(x)."""
        return self.inner.predict(functions, self.rounded(points))
