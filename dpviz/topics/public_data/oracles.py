r"""Optimisers: empirical risk minimisation over a class, exact, and counted.

Everything the algorithms ask for has the form

    minimise  Σ_i square_i·f(x_i)² + linear_i·f(x_i)   over the class

(an `Objective`). The loss is ℓ(u, y) = (u − y)²/4 throughout: convex, in [0, 1], 1-Lipschitz on
[−1, 1], and the 0-1 loss where f and y are ±1. On such classes f² = 1, so that only the linear
costs count, and these may have any sign. A regulariser, a Gaussian process and the projection of
Algorithm 1 fit in as well. Block et al. 2024, Definition 4.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.optimize import elementwise

from dpviz.results.evidence import FloatArray

Indices = NDArray[np.intp]
_MOST_NUMBERS = 1 << 22  # in one matrix
_MOST_BITS = 62  # added points whose labels fit into one whole number


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

    calls: how often it was called; gap: the value of no answer exceeds the minimum by more,
    rounding left aside. A function is a row of parameters. What is returned depends on the
    objective alone, so ties are broken without a further look at any data.
    """

    calls: int

    @property
    def gap(self) -> float:
        """How far from the minimum an answer may be."""

    def minimize(self, objective: Objective) -> FloatArray:
        """Return a function of the class with the least value: one call."""
        nowhere = objective.points[:0]
        alone: FloatArray = self.minimize_each(objective, nowhere, np.empty((1, 0)))[0]
        return alone

    def minimize_each(
        self, objective: Objective, points: FloatArray, linear: FloatArray
    ) -> FloatArray:
        """Return a minimiser for each row of `linear`, costs at `points` beside the objective.

        One call for each row; a row of functions for a row of costs.
        """

    def predict(self, functions: FloatArray, points: FloatArray) -> FloatArray:
        """Return f(x): a row for each function, a column for each point."""


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
        sweep = _Sweep(objective, points)
        # Σ c·f = total − 2·(what lies below t): the largest prefix sum wins.
        best, place = sweep.largest()
        added = sweep.added(linear)
        cell = np.argmax(best + added, axis=1)
        return sweep.boundary(place[cell], self.low, self.high)[:, None]

    def predict(self, functions: FloatArray, points: FloatArray) -> FloatArray:
        """Return f(x)."""
        return np.where(points >= functions[:, :1], 1.0, -1.0)


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
        sweep = _Sweep(objective, points)
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


@dataclass
class HalfPlanes(ERMOracle):
    """f(x) = 1 for ⟨u, x⟩ ≥ b, otherwise −1, in the plane, |u| = 1; n² log n for n points.

    Every way a line can divide the points comes about as a line through one of them, which may
    count to either side: for each point, the line turns once around it.
    """

    calls: int = field(default=0, compare=False)
    gap = 0.0

    def minimize_each(
        self, objective: Objective, points: FloatArray, linear: FloatArray
    ) -> FloatArray:
        """Return [u₁, u₂, b] for each row of costs."""
        self.calls += len(linear)
        every = np.concatenate([objective.points, points])
        distinct, place = np.unique(every, axis=0, return_inverse=True)
        place, own, count = place.reshape(-1), len(objective.points), len(distinct)
        fixed = _sums(place[:own], objective.linear, count)
        where, column = np.unique(place[own:], return_inverse=True)
        turns = _Turns(distinct)
        if where.size > _MOST_BITS:
            none = np.empty(0, dtype=np.intp), np.empty((1, 0))
            found = [turns.best(fixed + _sums(place[own:], row, count), *none)[0] for row in linear]
            return np.array(found)
        costs = np.array([_sums(column, row, where.size) for row in linear])
        return turns.best(fixed, where, costs.reshape(len(linear), where.size))

    def predict(self, functions: FloatArray, points: FloatArray) -> FloatArray:
        """Return f(x)."""
        return np.where(functions[:, :2] @ points.T >= functions[:, 2:], 1.0, -1.0)


@dataclass
class FiniteClass(ERMOracle):
    """The rows of a table, by one matrix product; points are its columns (whole numbers).

    table: values of each function on the domain.
    """

    table: FloatArray
    calls: int = field(default=0, compare=False)
    gap = 0.0

    def minimize_each(
        self, objective: Objective, points: FloatArray, linear: FloatArray
    ) -> FloatArray:
        """Return [row] for each row of costs."""
        self.calls += len(linear)
        fixed = self.values(objective)
        values = fixed + linear @ self.table[:, points.astype(int)].T
        rows: FloatArray = np.argmin(values, axis=1)[:, None].astype(float)
        return rows

    def values(self, objective: Objective) -> FloatArray:
        """Return the objective's value for every row of the table."""
        columns = objective.points.astype(int)
        size = self.table.shape[1]
        linear = _sums(columns, objective.linear, size)
        square = _sums(columns, objective.square, size)
        values: FloatArray = self.table @ linear + self.table**2 @ square
        return values

    def predict(self, functions: FloatArray, points: FloatArray) -> FloatArray:
        """Return f(x)."""
        chosen: FloatArray = self.table[np.ix_(functions[:, 0].astype(int), points.astype(int))]
        return chosen


@dataclass
class LinearFunctions(ERMOracle):
    """f(x) = ⟨w, φ(x)⟩ with |w| ≤ radius: a convex class.

    The minimum of a convex quadratic on a ball: eigenvectors, then the multiplier by root-finding
    (SciPy). Convexity bounds the distance to the minimum by ⟨∇, w⟩ + radius·|∇|, which is checked
    against `tolerance`, relative to the size of the objective, for every answer.
    """

    features: Callable[[FloatArray], FloatArray]
    radius: float = 1.0
    tolerance: float = 1e-10
    calls: int = field(default=0, compare=False)
    gap: float = field(default=0.0, init=False, compare=False)

    def minimize_each(
        self, objective: Objective, points: FloatArray, linear: FloatArray
    ) -> FloatArray:
        """Return w for each row of costs. Raises `ArithmeticError` if the gap is too large."""
        self.calls += len(linear)
        phi = self.features(objective.points)
        matrix = (phi.T * objective.square) @ phi
        costs = objective.linear @ phi + linear @ self.features(points)
        curvature, directions = eigh(matrix)
        curvature = np.maximum(curvature, 0.0)
        w: FloatArray = self._on_ball(curvature, costs @ directions) @ directions.T
        slope = 2 * w @ matrix + costs
        gaps = np.sum(slope * w, axis=1) + self.radius * np.linalg.norm(slope, axis=1)
        size = np.linalg.norm(costs, axis=1) * self.radius + curvature[-1] * self.radius**2
        if np.any(gaps > self.tolerance * size):
            raise ArithmeticError(f"the optimiser missed the minimum by {gaps.max():.3g}")
        self.gap = max(self.gap, float(gaps.max(initial=0.0)))
        return w

    def _on_ball(self, curvature: FloatArray, costs: FloatArray) -> FloatArray:
        """Minimise Σ curvature·v² + costs·v for |v| ≤ radius, each row of costs by itself."""
        size = np.linalg.norm(costs, axis=1)

        def excess(multiplier: FloatArray, *row: FloatArray) -> FloatArray:
            parts = [c / (2 * (k + multiplier)) for c, k in zip(row, curvature, strict=True)]
            norm = np.linalg.norm(parts, axis=0)
            over: FloatArray = 1 / self.radius - 1 / norm
            return over

        # Flat directions without a cost stay at 0; with one, the minimum lies on the sphere.
        flat = curvature <= 1e-14 * max(float(curvature[-1]), 1e-300)
        costs = np.where(flat & (np.abs(costs) <= 1e-14 * size[:, None]), 0.0, costs)
        with np.errstate(divide="ignore", invalid="ignore"):
            free = np.where(flat & (costs == 0), 0.0, -costs / (2 * curvature))
        outside = ~(np.linalg.norm(free, axis=1) <= self.radius)
        v = np.where(outside[:, None], 0.0, free)
        if outside.any():
            most = size[outside] / (2 * self.radius) * (1 + 1e-9)
            found = elementwise.find_root(
                excess, (most * 1e-18, most), args=tuple(costs[outside].T)
            )
            v[outside] = -costs[outside] / (2 * (curvature + found.x[:, None]))
        norm = np.linalg.norm(v, axis=1, keepdims=True)
        shrunk: FloatArray = v * np.minimum(1.0, self.radius / np.maximum(norm, 1e-300))
        return shrunk

    def predict(self, functions: FloatArray, points: FloatArray) -> FloatArray:
        """Return f(x)."""
        values: FloatArray = functions @ self.features(points).T
        return values


def _sums(places: Indices, values: FloatArray, size: int) -> FloatArray:
    """Return the sum of the values at each place."""
    return np.bincount(places, values, minlength=size).astype(float)


class _Sweep:
    """Prefix sums over the sorted line, in cells between the points that are added.

    A candidate g, 0 to K, stands before the g-th of K distinct positions. What is added changes
    the sum only from cell to cell, so that each row of added costs needs one number a cell.
    """

    def __init__(self, objective: Objective, points: FloatArray) -> None:
        every = np.concatenate([objective.points, points])
        self.positions, place = np.unique(every, return_inverse=True)
        count, own = self.positions.size, objective.points.size
        costs = _sums(place[:own], objective.linear, count)
        self.prefix = np.append(0.0, np.cumsum(costs))
        added, self.cell_of_point = np.unique(place[own:], return_inverse=True)
        self.starts = np.append(0, added + 1)
        self.ends = np.append(self.starts[1:], count + 1)

    def added(self, linear: FloatArray) -> FloatArray:
        """Return what the added costs amount to below each cell, a row for each row of costs."""
        cells = self.starts.size - 1
        by_point = np.zeros((len(linear), cells + 1))
        onto = np.zeros((linear.shape[1], cells))
        onto[np.arange(linear.shape[1]), self.cell_of_point] = 1.0
        by_point[:, 1:] = np.cumsum(linear @ onto, axis=1)
        return by_point

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


class _Turns:
    """Lines that turn around each of a few distinct points in the plane."""

    def __init__(self, points: FloatArray) -> None:
        self.points = points
        self.count = len(points)

    @cached_property
    def _others(self) -> Indices:
        grid = np.broadcast_to(np.arange(self.count), (self.count, self.count))
        others: Indices = grid[~np.eye(self.count, dtype=bool)].reshape(self.count, -1)
        return others

    @cached_property
    def _events(self) -> tuple[FloatArray, Indices, FloatArray, FloatArray]:
        """Return turning angles, whose event, its change of sign, and the signs at the start.

        The normal at angle φ sees a point at angle a in front for |φ − a| < π/2.
        """
        away = self.points[self._others] - self.points[:, None]
        angle = np.arctan2(away[..., 1], away[..., 0])
        quarter = math.pi / 2
        angles = np.concatenate([angle - quarter, angle + quarter], axis=1) % (2 * math.pi)
        order = np.argsort(angles, axis=1)
        angles = np.take_along_axis(angles, order, axis=1)
        who = np.take_along_axis(np.tile(self._others, 2), order, axis=1)
        change = np.where(order < angle.shape[1], 2.0, -2.0)
        start = (angles[:, -1:] + angles[:, :1] + 2 * math.pi) / 2
        signs = np.where(np.cos(start - angle) > 0, 1.0, -1.0)
        return angles, who, change, signs

    def best(self, fixed: FloatArray, where: Indices, costs: FloatArray) -> FloatArray:
        """Return [u₁, u₂, b] with the least Σ fixed·f + Σ cost·f(where), for each row of costs.

        Lines that label `where` alike differ by the fixed costs alone: the best of them is kept,
        and only these few compete for each row. where: at most 62 places.
        """
        bits = np.zeros(self.count, dtype=np.int64)
        bits[where] = 1 << np.arange(where.size)
        if self.count == 1:
            side = np.where(fixed[0] + costs.sum(axis=1) <= 0, 1.0, -1.0)
            one = np.ones(len(side))
            return np.stack([one, 0 * one, self.points[0, 0] - side], axis=1)
        angles, who, change, signs = self._events
        values = np.sum(signs * fixed[self._others], axis=1)[:, None]
        values = values + np.cumsum(change * fixed[who], axis=1)
        keys = np.sum((signs > 0) * bits[self._others], axis=1)[:, None]
        keys = keys + np.cumsum((change > 0) * bits[who] - (change < 0) * bits[who], axis=1)
        following = np.append(angles[:, 1:], angles[:, :1] + 2 * math.pi, axis=1)
        values[following - angles < 1e-12] = np.inf
        # The point itself may count to either side.
        both = np.stack([values + fixed[:, None], values - fixed[:, None]]).ravel()
        labels = np.stack([keys + bits[:, None], keys]).ravel()
        order = np.lexsort((both, labels))
        first = order[np.flatnonzero(np.diff(labels[order], prepend=-1))]
        pattern = np.where(labels[first, None] & bits[where] > 0, 1.0, -1.0)
        parts = np.array_split(costs, 1 + len(costs) * first.size // _MOST_NUMBERS)
        winner = np.concatenate([np.argmin(both[first] + c @ pattern.T, axis=1) for c in parts])
        winner = first[winner]
        side, pivot, k = np.unravel_index(winner, (2, *values.shape))
        turn = (angles[pivot, k] + following[pivot, k]) / 2
        return np.array([self._line(*found) for found in zip(pivot, turn, side == 0, strict=True)])

    def _line(self, pivot: int, turn: float, front: bool) -> list[float]:
        """Return the line at an angle, next to the pivot: halfway to the point beyond it."""
        normal = [math.cos(turn), math.sin(turn)]
        heights = self.points @ normal
        here = float(heights[pivot])
        beyond = heights[heights < here] if front else heights[heights > here]
        if not beyond.size:
            return [*normal, here - 1.0 if front else here + 1.0]
        return [*normal, (here + float(beyond.max() if front else beyond.min())) / 2]


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
