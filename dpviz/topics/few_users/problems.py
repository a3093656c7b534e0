"""Finite classes, each with a distribution of examples for every target."""

import math
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import LIMITS, ParameterError, validate

CLASSES = {
    "thresholds": "Thresholds",
    "points": "Points",
    "parities": "Parities",
    "stumps": "Decision stumps",
}
"""The classes by name; each is its own representation."""

_POINT_MASS = 0.5
_ROUNDING = 1e-9
_KEPT = 64  # of answers that depend on α, of which links name as many as they like
_STUMP_AGREEMENT = (0.9, 0.5)  # of the features with the label, from the most to the least


@dataclass(frozen=True, eq=False)
class Problem:
    """One class on a finite domain X, a target in it, and a distribution of examples.

    labels: of each hypothesis (row) at each point; weights: the probability of each point;
    target: the row of the true hypothesis, so that the examples are realisable.
    """

    labels: NDArray[np.bool_]
    weights: FloatArray
    target: int

    @property
    def hypotheses(self) -> int:
        """The size of the class."""
        return len(self.labels)

    @cached_property
    def disagreement(self) -> FloatArray:
        """1 where a hypothesis (row) errs at a point, else 0."""
        return np.asarray(self.labels != self.labels[self.target], dtype=float)

    @cached_property
    def errors(self) -> FloatArray:
        """The error of each hypothesis on the distribution."""
        return np.asarray(self.disagreement @ self.weights)

    def empirical_errors(
        self, users: int, *, examples: int, rng: np.random.Generator
    ) -> FloatArray:
        """Return the errors of all hypotheses (columns) on each user's own fresh examples."""
        counts = rng.multinomial(examples, self.weights, size=users)
        return np.asarray(counts @ self.disagreement.T / examples)


def problem(name: str, *, bits: float, target: int = 0) -> Problem:
    """Return a problem of the class `name` with 2^d points, d = bits.

    thresholds: 1[x >= t], uniform points. points: 1[x = a], half of the examples at the target
    and the others uniform. parities: x ↦ ⟨a, x⟩ mod 2, uniform points. stumps: one of d bits or
    its negation; the target's bit is the label, and the others agree with it with probabilities
    from 0.9 down to 0.5. Raises `ParameterError`.
    """
    d = int(LIMITS["bits"].validate(bits))
    labels = _labels(name, d)
    if not 0 <= target < len(labels):
        raise ParameterError("target", f"a whole number from 0 to {len(labels) - 1}", target)
    return Problem(labels, _weights(name, d, target), int(target))


@lru_cache(maxsize=_KEPT)
def packing(name: str, *, bits: int, alpha: float) -> tuple[int, ...]:
    """Return targets, as many as a sweep finds, such that no hypothesis is good for two of them.

    Good is an error of at most α. A learner that outputs hypotheses of the class has to tell
    these targets apart.
    """
    hypotheses = len(_labels(name, bits))
    good = np.array([problem(name, bits=bits, target=t).errors <= alpha for t in range(hypotheses)])
    chosen: list[int] = []
    taken = np.zeros(hypotheses, dtype=bool)
    for target in range(hypotheses):
        if not np.any(taken & good[target]):
            chosen.append(target)
            taken |= good[target]
    return tuple(chosen)


def points_served(bits: int, alpha: float) -> int:
    """Return the most of 2^d points that a single function serves; any so many are served by one.

    It labels the target 1, and errs on all else that it labels 1: on k − 1 points of mass
    1/(2(N − 1)) each.
    """
    return 1 + math.floor(alpha * ((1 << bits) - 1) / (1 - _POINT_MASS) + _ROUNDING)


def parities_served(alpha: float) -> int:
    """Return the most parities on which a single function errs by at most α < 1/2.

    One below α = 1/4, as two parities differ on half of all points. In general 1/(1 − 2α)²: the
    correlations 1 − 2·err of a function with all parities have squares that sum to 1 (Parseval).
    """
    a = validate("alpha", alpha)
    return 1 if a < 0.25 else math.floor((1 + 1e-12) / (1 - 2 * a) ** 2)


@cache
def _labels(name: str, bits: int) -> NDArray[np.bool_]:
    points = np.arange(2**bits)
    if name == "thresholds":
        return np.asarray(points >= points[:, None])
    if name == "points":
        return np.asarray(points == points[:, None])
    if name == "parities":
        return np.asarray(np.bitwise_count(points & points[:, None]) & 1, dtype=bool)
    if name == "stumps":
        shifted = points >> np.arange(bits)[:, None]
        features = shifted & 1 == 1
        return np.vstack([features, ~features])
    raise ParameterError("class", f"one of {', '.join(CLASSES)}", name)


def _weights(name: str, bits: int, target: int) -> FloatArray:
    size = 2**bits
    if name == "points":
        weights = np.full(size, (1 - _POINT_MASS) / (size - 1))
        weights[target] = _POINT_MASS
        return weights
    if name != "stumps":
        return np.full(size, 1 / size)
    features = _labels(name, bits)[:bits]
    label = _labels(name, bits)[target]
    own = target % bits
    weights = np.full(size, 0.5)
    for place in range(1, bits):
        agree = np.interp((place - 1) / max(bits - 2, 1), [0, 1], _STUMP_AGREEMENT)
        same = features[(own + place) % bits] == label
        weights = weights * np.where(same, agree, 1 - agree)
    return weights
