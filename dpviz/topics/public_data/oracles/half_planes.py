"""Half-planes in the plane."""

import math
from collections.abc import Sized
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from dpviz.results.evidence import FloatArray
from dpviz.results.refining import pause, whole
from dpviz.topics.public_data.oracles.half_plane_search import best_half_plane
from dpviz.topics.public_data.oracles.oracle import ERMOracle, Indices, Objective, sums_at

_MOST_NUMBERS = 1 << 22  # in one matrix
_MOST_TURNED = 600  # points around each of which the line is turned
_MOST_BITS = 62  # added points whose labels fit into one whole number


@dataclass
class HalfPlanes(ERMOracle):
    """f(x) = 1 for ⟨u, x⟩ ≥ b, otherwise −1, in the plane, |u| = 1.

    For few points, all ways a line can divide them, in time n² log n, which many rows of costs can
    share: each comes about as a line through one of them, which may count to either side, as it
    turns once around it. For many points, a search for each row that looks at few of them, see
    `dpviz.topics.public_data.oracles.half_plane_search`. RRSPM's proof of privacy is for the least
    value: where the search leaves a gap, there is no answer.
    """

    calls: int = field(default=0, compare=False)
    gap = 0.0

    def minimize_each(
        self, objective: Objective, points: FloatArray, linear: FloatArray
    ) -> FloatArray:
        """Return [u₁, u₂, b] for each row of costs.

        Raises `ArithmeticError` where points almost on one line keep the search from ending.
        """
        self.calls += len(linear)
        every = np.concatenate([objective.points, points])
        distinct, place = np.unique(every, axis=0, return_inverse=True)
        place, own, count = place.reshape(-1), len(objective.points), len(distinct)
        fixed = sums_at(place[:own], objective.linear, count)
        where, column = np.unique(place[own:], return_inverse=True)
        if not _are_few(where, distinct):
            every_row = (fixed + sums_at(place[own:], row, count) for row in linear)
            best = [whole(best_half_plane(distinct, costs)) for costs in every_row]
            if any(one.gap for one in best):
                raise ArithmeticError("points almost on one line left the best half-plane open")
            return np.array([one.half_plane for one in best]).reshape(-1, 3)
        costs = np.array([sums_at(column, row, where.size) for row in linear])
        return _Rotations(distinct).best(fixed, where, costs.reshape(len(linear), where.size))

    def predict(self, functions: FloatArray, points: FloatArray) -> FloatArray:
        """Return f(x)."""
        return np.where(functions[:, :2] @ points.T >= functions[:, 2:], 1.0, -1.0)


def _are_few(added: Sized, every: Sized) -> bool:
    return len(added) <= _MOST_BITS and len(every) <= _MOST_TURNED


class _Rotations:
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
        winners = []
        for part in parts:
            pause()
            winners.append(np.argmin(both[first] + part @ pattern.T, axis=1))
        winner = first[np.concatenate(winners)]
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
