r"""How much noise Perturb needs once only the projected function is released.

Algorithm 1 adds γζ, ζ normal, to the m numbers f̄(Z) and releases the nearest function of the class.
What leaves the class is cut off, and what is cut off cannot be told apart. The class decides how
much that is; two classes bound the rest:

Constants (so also f(x) = wx, |w| ≤ 1, on points |x| = 1). The release is the mean of the noisy
numbers, cut off at ±1. For numbers −1 ≤ a < b = a + ρ the best test is f̂ ≥ t where the loss is ε,
or f̂ = 1 if that lies beyond. If the first holds for a = −1, no pair is easier to tell apart than
unclipped ones; if not, moving both down makes 1 a better test, as long as the loss at 1 is below
ε. So a = −1 is the worst place, and `constants_log_delta` at σ = γ/√m is exact.

All functions (every vector of values in [−1, 1]^m, where the projection cuts each number off).
Neighbours move number i by dᵢ, Σ dᵢ² ≤ mρ². For one number, the worst δ(ε) over all places is that
of N(±d/2, γ²) cut off at ±(2 − d/2), at every real ε: at ε ≥ 0 by the argument above, at ε < 0 by
symmetry. So that pair dominates, products of such pairs dominate the release (Zhu, Dong and Wang
2022, Theorem 10), and a larger d dominates a smaller one: cells of directions, each replaced by its
upper corner, cover all of them. From below: the pairs that start at −1 and move some numbers
equally. For more than three numbers there are too many cells, and the noise of the raw numbers is
the bound from above; from below up to 20 numbers are moved.

For other classes no less than the Gaussian mechanism's noise is proved to suffice. Neighbouring
data sets substitute one example. No published source: a result of this app.
"""

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq, elementwise
from scipy.special import log_ndtr, ndtr

from dpviz.results.evidence import Bracket, FloatArray
from dpviz.results.parameters import ParameterError, validate
from dpviz.topics.public_data import noise_levels as levels

MOST_NUMBERS = 3
"""Up to so many public points all directions are covered."""

_FAR = 13.0  # standard deviations; beyond lies less than 1e-38
_CELLS = 300  # of the loss of one number
_TOGETHER, _MOST_TOGETHER = (1, 2, 4, 8, 16), 20  # numbers moved equally
_DIRECTIONS = {1: 1, 2: 48, 3: 16}  # steps of dᵢ²/(mρ²), by m
_TINY = -700.0  # ln δ below which it counts as this


def constants_gamma(
    points: ArrayLike, *, rho: ArrayLike, epsilon: float, delta: float
) -> FloatArray:
    """Return the least γ for which Perturb over the constants is (ε, δ)-DP, exactly.

    points: m; rho: ρ, how far f̄ moves in ‖·‖_m, in (0, 2]. δ(ε) falls as γ grows. Raises
    `ParameterError`.
    """
    m, distance = np.broadcast_arrays(
        levels.at_least_one("public_points", points), np.asarray(rho, dtype=float)
    )
    target = math.log(validate("delta", delta))
    raw = levels.sufficient_gaussian(np.ones_like(m), rho=distance, epsilon=epsilon, delta=delta)

    def excess(log_sigma: FloatArray, move: FloatArray) -> FloatArray:
        log_delta = levels.constants_log_delta(
            np.exp(log_sigma), points=1, rho=move, epsilon=epsilon
        )
        return np.maximum(log_delta, _TINY) - target

    ends = (np.log(raw) - 12, np.log(raw) + 1e-9)
    found = elementwise.find_root(excess, ends, args=(distance,))
    least: FloatArray = np.sqrt(m) * np.exp(found.x)
    return least


def all_functions_gamma(points: int, *, rho: float, epsilon: float, delta: float) -> Bracket:
    """Return certified bounds on the least γ over all functions.

    points: m; rho: ρ in (0, 2]. For more than 3 points the upper end is the noise of the raw
    numbers, and the lower 0 where more than 20 numbers would have to move. Raises `ParameterError`.
    """
    if points < 1:
        raise ParameterError("public_points", "at least 1", points)
    budget = points * rho**2
    raw = float(levels.sufficient_gaussian(points, rho=rho, epsilon=epsilon, delta=delta))
    privacy = {"epsilon": epsilon, "delta": validate("delta", delta), "raw": raw}
    attained = {
        (math.sqrt(budget / k),) * k
        for k in (*_TOGETHER, points)
        if k <= min(points, _MOST_TOGETHER) and budget / k <= 4
    }
    found = (_least_gamma(moves, dominating=False, **privacy) for moves in attained)
    lower = max(found, default=0.0)
    if points > MOST_NUMBERS:
        return Bracket(min(lower, raw), raw)
    upper, exceeding = lower, _direction_cells(points, budget)
    if raw <= lower * (1 + 1e-6):  # nothing is hidden, and there is nothing to cover
        return Bracket(min(lower, raw), raw)
    while exceeding and upper < raw:
        worst = max(exceeding, key=lambda moves: _log_delta(moves, upper, epsilon, True))
        upper = max(upper * (1 + 1e-9), _least_gamma(worst, dominating=True, **privacy))
        target = math.log(delta)
        exceeding = [d for d in exceeding if _log_delta(d, upper, epsilon, True) > target]
    return Bracket(min(lower, raw), min(upper, raw))


def _direction_cells(points: int, budget: float) -> list[tuple[float, ...]]:
    """Return moves that dominate every (d₁, …, d_m) with Σ dᵢ² = budget, dᵢ ≤ 2, up to order."""
    steps = _DIRECTIONS[points]
    corners = set()
    for parts in itertools.combinations_with_replacement(range(steps + 1), points):
        left = steps - sum(parts)
        if left == 0:
            corners.add(parts)
        elif 0 < left < points:
            corners.add(tuple(part + 1 for part in parts))
    return [
        tuple(min(math.sqrt(budget * part / steps), 2.0) for part in parts if part)
        for parts in corners
    ]


def _least_gamma(
    moves: tuple[float, ...], *, dominating: bool, epsilon: float, delta: float, raw: float
) -> float:
    """Return a γ on the safe side: enough for the dominating pair, too little for the attained."""
    target = math.log(delta)

    def excess(log_gamma: float) -> float:
        return _log_delta(moves, math.exp(log_gamma), epsilon, dominating) - target

    low, high = math.log(raw) - 12, math.log(raw) + 0.1
    if excess(high) > 0:  # the cell's corner lies outside what the neighbours may do
        return raw
    root = float(brentq(excess, low, high, xtol=1e-7))
    step = 2e-7 if dominating else -2e-7
    while (excess(root) > 0) == dominating:
        root += step
    return math.exp(root)


@dataclass(frozen=True)
class _Pair:
    """N(±move/2, gamma²), cut off at −low and high."""

    move: float
    gamma: float
    low: float
    high: float

    def atoms(self) -> tuple[float, float, float, float]:
        """Return ln of the chance of the lower end and its loss, and the same of the upper."""
        half, g = self.move / 2, self.gamma
        down, up = float(log_ndtr((-self.low - half) / g)), float(log_ndtr((half - self.high) / g))
        return (
            down,
            down - float(log_ndtr((half - self.low) / g)),
            up,
            up - float(log_ndtr((-half - self.high) / g)),
        )

    def loss_range(self) -> float:
        """Return how far apart losses lie, but for those beyond what matters."""
        rate, far = self.move / self.gamma**2, _FAR * self.gamma + self.move / 2
        _, down_loss, _, up_loss = self.atoms()
        top = up_loss if self.high < far else far * rate
        return top - (down_loss if self.low < far else -far * rate)

    def delta(self, epsilon: FloatArray) -> FloatArray:
        """Return δ at every real ε, exactly."""
        half, g = self.move / 2, self.gamma
        test = g**2 * epsilon / self.move
        t = np.clip(test, -self.low, self.high)
        false = np.exp(np.minimum(epsilon + log_ndtr((-half - t) / g), 1.0))  # above 1: no test
        hit = ndtr((half - t) / g) - false
        everything = np.where(test < -self.low, -np.expm1(np.minimum(epsilon, 0.0)), 0.0)
        return np.maximum(hit, everything)

    def loss_law(self, width: float, *, above: bool) -> tuple[FloatArray, int, float]:
        """Return the law of the loss, rounded up (or down) to multiples of width.

        The chances, the multiple that the first belongs to, and the chance of an infinite loss.
        """
        half, g = self.move / 2, self.gamma
        rate = self.move / g**2
        first = math.ceil(-min(self.low, _FAR * g + half) * rate / width)
        last = max(math.floor(min(self.high, _FAR * g + half) * rate / width), first)
        edges = np.arange(first, last + 1) * width / rate
        inside = np.diff(ndtr((edges - half) / g))
        down, down_loss, up, up_loss = self.atoms()
        turn = math.ceil if above else math.floor
        # what lies between an end and the outermost edge, and beyond what matters
        lowest = max(float(ndtr((edges[0] - half) / g)) - math.exp(down), 0.0)
        highest = max(float(ndtr((half - edges[-1]) / g)) - math.exp(up), 0.0)
        places = [*range(first + above, last + above), first - 1 + above, last + above]
        chances = [*inside, lowest, highest]
        never = 0.0
        if self.low < _FAR * g + half:
            places.append(turn(down_loss / width))
            chances.append(math.exp(down))
        if self.high < _FAR * g + half:
            places.append(turn(up_loss / width))
            chances.append(math.exp(up))
        elif above:
            never = math.exp(up) + highest
        start = min(places)
        law = np.zeros(max(places) - start + 1)
        np.add.at(law, np.array(places) - start, chances)
        return law, start, never


def _log_delta(moves: tuple[float, ...], gamma: float, epsilon: float, dominating: bool) -> float:
    """Return ln δ(ε) of a product of cut-off pairs, from above (or, if attained, from below)."""
    pairs = [_Pair(d, gamma, 2 - d / 2 if dominating else d / 2, 2 - d / 2) for d in sorted(moves)]
    *others, largest = pairs
    if not others:
        total = float(largest.delta(np.array(epsilon)))
    else:
        width = max(pair.loss_range() for pair in others) / _CELLS
        law: FloatArray = np.ones(1)
        start, never = 0, 0.0
        for pair in others:
            chances, first, more = pair.loss_law(width, above=dominating)
            law, start = np.convolve(law, chances).astype(float), start + first
            never += more
        losses: FloatArray = (start + np.arange(law.size, dtype=float)) * width
        total = float(law @ largest.delta(epsilon - losses)) + never
    return max(math.log(total), _TINY) if total > 0 else _TINY
