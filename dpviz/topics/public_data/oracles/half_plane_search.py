"""The best half-plane for many points: branch and bound over the angle of its normal, certified.

A half-plane f(x) = 1 for ⟨u, x⟩ ≥ b, u = (cos θ, sin θ), costs Σ cᵢ·f(xᵢ) = Σ cᵢ − 2·S, where S is
the sum of the costs of all points below the cut b. So S is to be made large.

A node is a range of angles θ ± w and a window of cuts. Within it no height ⟨u, x⟩ differs from that
at θ by more than r = w·max |x|. Cut at b, S exceeds what it is at θ by no more than the positive
costs of the points above b by less than r, and the negative ones of those below b by less than r.
Where that does not lead beyond the best S found so far, the node is done; elsewhere it is cut in
two, and only points that the window, widened by r, holds are looked at again: all others stay on
their side. Nodes with the largest bound come first, so the largest bound left open is a certificate
at any time: when it is no larger than the best S, that is the maximum. Where points are in general
position this is reached, as crossings lie apart; points almost on top of each other, or many on a
line, may end the search at angles of 1e-13 or after some seconds, with a gap that is stated.
"""

import heapq
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import FloatArray
from dpviz.results.refining import Steps
from dpviz.topics.public_data.oracles.oracle import sums_at

_FIRST = 32  # ranges of angles to begin with
_NARROW = 1e-13  # radians
_MOST_WORK = 5e7  # points looked at, in all nodes; a node itself counts as 50
_ROUNDING = 1e-12  # of Σ|c|: sums that differ by less count as equal


@dataclass(frozen=True)
class BestHalfPlane:
    """A half-plane [u₁, u₂, b], how far from the least cost it may be, and the nodes looked at."""

    half_plane: FloatArray
    gap: float
    nodes: int


@dataclass(frozen=True, eq=False)
class _Node:
    """Angles theta ± half, cuts from low to high, the points between, and S below all of them."""

    theta: float
    half: float
    low: float
    high: float
    points: NDArray[np.intp]
    base: float


def best_half_plane(points: FloatArray, costs: FloatArray) -> Steps[BestHalfPlane]:
    """Find the half-plane with the least Σ cost·f(point), with a pause before each node."""
    distinct, place = np.unique(points, axis=0, return_inverse=True)
    return (yield from _Search(distinct, sums_at(place.reshape(-1), costs, len(distinct))).run())


class _Search:
    """The state of one search: the best S so far and where, and the nodes that are open."""

    def __init__(self, points: FloatArray, costs: FloatArray) -> None:
        self.middle = points.mean(axis=0)
        self.points, self.costs = points - self.middle, costs
        self.far = np.linalg.norm(self.points, axis=1)
        self.slack = _ROUNDING * max(float(np.abs(costs).sum()), 1e-300)
        self.best, self.where = 0.0, (0.0, -math.inf)  # a cut below all points
        self.open: list[tuple[float, int, _Node]] = []
        self.unsolved = -math.inf
        self.nodes, self.work = 0, 0

    def run(self) -> Steps[BestHalfPlane]:
        """Find the best half-plane."""
        every = np.arange(len(self.points))
        for k in range(_FIRST):
            theta, half = 2 * math.pi * (k + 0.5) / _FIRST, math.pi / _FIRST
            yield
            self.look(_Node(theta, half, -math.inf, math.inf, every, 0.0))
        while self.open and -self.open[0][0] > self.best + self.slack:
            bound, _, node = heapq.heappop(self.open)
            if node.half < _NARROW or self.work > _MOST_WORK:
                self.unsolved = -bound
                break
            half = node.half / 2
            for theta in (node.theta - half, node.theta + half):
                yield
                self.look(_Node(theta, half, node.low, node.high, node.points, node.base))
        theta, cut = self.where
        normal = np.array([math.cos(theta), math.sin(theta)])
        gap = 2 * max(self.unsolved - self.best, 0.0)
        shift = float(normal @ self.middle)
        return BestHalfPlane(np.array([*normal, cut + shift]), gap, self.nodes)

    def look(self, node: _Node) -> None:
        """Take the best cut at the node's angle, and keep what is left open of the node."""
        self.nodes += 1
        self.work += node.points.size + 50
        normal = np.array([math.cos(node.theta), math.sin(node.theta)])
        heights = self.points[node.points] @ normal
        order = np.argsort(heights)
        heights, points = heights[order], node.points[order]
        costs = self.costs[points]
        # Cut k lies between heights k − 1 and k.
        below = np.concatenate([[-math.inf], heights])
        above = np.concatenate([heights, [math.inf]])
        sums = node.base + np.concatenate([[0.0], np.cumsum(costs)])
        radius = node.half * float(self.far[points].max(initial=0.0)) * (1 + 1e-9) + 1e-15
        valid = (above >= node.low) & (below <= node.high)
        bounds = np.where(valid, _bounds(heights, costs, sums, radius), -math.inf)
        clear = (below < above) & (above > node.low) & (below < node.high)
        values = np.where(clear, sums, -math.inf)
        top = int(np.argmax(values))
        if values[top] > self.best:
            cut = _between(max(below[top], node.low), min(above[top], node.high))
            self.best, self.where = float(values[top]), (node.theta, cut)
        kept = np.flatnonzero(bounds > self.best + self.slack)
        if not kept.size:
            return
        bound = float(bounds[kept].max())
        low = max(node.low, float(below[kept[0]]))
        high = min(node.high, float(above[kept[-1]]))
        first, last = np.searchsorted(heights, [low - radius, high + radius])
        base = node.base + float(costs[:first].sum())
        inside = _Node(node.theta, node.half, low, high, points[first:last], base)
        heapq.heappush(self.open, (-bound, self.nodes, inside))


def _bounds(heights: FloatArray, costs: FloatArray, sums: FloatArray, radius: float) -> FloatArray:
    """Return the most that S can be at each cut, anywhere in the range of angles."""
    gains = np.concatenate([[0.0], np.cumsum(np.maximum(costs, 0.0))])
    losses = np.concatenate([[0.0], np.cumsum(np.maximum(-costs, 0.0))])
    place = np.arange(heights.size + 1)
    up = np.append(np.searchsorted(heights, heights + radius, side="right"), heights.size)
    down = np.append(0, np.searchsorted(heights, heights - radius, side="left"))
    more, less = gains[up] - gains[place], losses[place] - losses[down]
    # Where the gap is wide no cut in it sees both its ends.
    wide = np.ones(place.size, dtype=bool)
    wide[1:-1] = np.diff(heights) > 2 * radius
    most: FloatArray = sums + np.where(wide, np.maximum(more, less), more + less)
    return most


def _between(low: float, high: float) -> float:
    """Return a number between two, one of which may be infinite."""
    if math.isinf(high):
        return low + 1.0
    if math.isinf(low):
        return high - 1.0
    middle = low + (high - low) / 2
    return middle if middle > low else high
