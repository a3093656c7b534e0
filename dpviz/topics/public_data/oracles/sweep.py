"""The sweep along the line that finds the best threshold, or the best interval."""

import math
from collections.abc import Callable

import numpy as np

from dpviz.results.evidence import FloatArray
from dpviz.results.refining import pause
from dpviz.topics.public_data.oracles.oracle import Indices, Objective, sums_at


class Sweep:
    """Prefix sums over the sorted line, in cells between the points that are added.

    A candidate g, 0 to K, stands before the g-th of K distinct positions. What is added changes
    the sum only from cell to cell, so that each row of added costs needs one number a cell.
    """

    def __init__(self, objective: Objective, points: FloatArray) -> None:
        every = np.concatenate([objective.points, points])
        self.positions, place = np.unique(every, return_inverse=True)
        count, own = self.positions.size, objective.points.size
        costs = sums_at(place[:own], objective.linear, count)
        self.prefix = np.append(0.0, np.cumsum(costs))
        added, cell_of_point = np.unique(place[own:], return_inverse=True)
        self._by_cell = np.argsort(cell_of_point, kind="stable")
        self._firsts = np.searchsorted(cell_of_point[self._by_cell], np.arange(added.size))
        self.starts = np.append(0, added + 1)
        self.ends = np.append(self.starts[1:], count + 1)

    def added(self, linear: FloatArray) -> FloatArray:
        """Return what the added costs amount to below each cell, a row for each row of costs."""
        below = np.zeros((len(linear), self.starts.size))
        by_cell = np.add.reduceat(linear[:, self._by_cell], self._firsts, axis=1)
        np.cumsum(by_cell, axis=1, out=below[:, 1:])
        return below

    def largest(self) -> tuple[FloatArray, Indices]:
        """Return the largest prefix sum of each cell and its candidate."""
        return self._extreme(self.prefix, np.maximum.reduceat)

    def smallest(self) -> tuple[FloatArray, Indices]:
        """Return the smallest prefix sum of each cell and its candidate."""
        return self._extreme(self.prefix, np.minimum.reduceat)

    def inside_one_cell(self) -> tuple[FloatArray, Indices, Indices]:
        """Return the least S(b) − S(a) with a ≤ b in one cell, and a and b, for each cell."""
        best = np.empty(self.starts.size)
        left, right = np.empty((2, self.starts.size), dtype=np.intp)
        for cell, (start, end) in enumerate(zip(self.starts, self.ends, strict=True)):
            pause()
            sums = self.prefix[start:end]
            highest = np.maximum.accumulate(sums)
            b = int(np.argmin(sums - highest))
            left[cell], right[cell] = start + int(np.argmax(sums[: b + 1])), start + b
            best[cell] = sums[b] - highest[b]
        return best, left, right

    def _extreme(
        self, sums: FloatArray, reduce: Callable[[FloatArray, Indices], FloatArray]
    ) -> tuple[FloatArray, Indices]:
        best = reduce(sums, self.starts)
        lengths = self.ends - self.starts
        hits = np.flatnonzero(sums == np.repeat(best, lengths))
        cells = np.repeat(np.arange(lengths.size), lengths)[hits]
        _, first = np.unique(cells, return_index=True)
        return best, hits[first]

    def boundary(self, candidates: Indices, low: float, high: float) -> FloatArray:
        """Return a number before the g-th position and after the one before it."""
        ends = [
            min(low, self.positions[0]),
            max(high, math.nextafter(self.positions[-1], math.inf)),
        ]
        padded = np.concatenate([ends[:1], self.positions, ends[1:]])
        middle = padded[candidates] / 2 + padded[candidates + 1] / 2
        # Rounding may put the middle of neighbouring floats on the lower one.
        above: FloatArray = np.where(middle > padded[candidates], middle, padded[candidates + 1])
        return above
