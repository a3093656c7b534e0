"""Mechanisms whose outputs on two samples of coins can be compared exactly, through a distance.

They read a data set of n bits, or of n numbers (`dpviz.maths.gaussian_samples`). How far apart two
output laws are depends on the two data sets through one whole number only, the distance. For noise
on a sum it is the difference of the sums (`dpviz.maths.sum_mechanisms`), for randomised response
the Hamming distance (`dpviz.maths.randomized_response`). The divergence grows with it. For a
selection from finitely many candidates it depends on both sums (`dpviz.maths.finite_exponential`).

Neighbouring data sets differ in one bit (substitute): the sum has sensitivity 1.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz.maths.lattice_law import LatticeLaw
from dpviz.results.evidence import FloatArray


class DistanceMechanism(ABC):
    """A mechanism for which the divergence of two outputs depends on one distance, and grows."""

    name: str

    @abstractmethod
    def item_epsilon(self, delta: ArrayLike = 0.0) -> FloatArray:
        """Return the least ε for which the mechanism is (ε, delta)-DP; +inf if there is none."""

    @abstractmethod
    def log_divergence(self, distance: ArrayLike, *, epsilon: ArrayLike) -> FloatArray:
        """Return ln d_ε between the outputs at a distance; both directions agree."""

    @abstractmethod
    def least_epsilon(self, distance: ArrayLike, *, delta: ArrayLike) -> FloatArray:
        """Return the least ε′ ≥ 0 at which outputs at a distance are (ε′, delta)-close."""

    @abstractmethod
    def farthest(self, *, epsilon: ArrayLike, delta: ArrayLike) -> FloatArray:
        """Return the largest distance at which outputs are (epsilon, delta)-close."""

    @abstractmethod
    def distance_law(self, samples: int, rate: float) -> LatticeLaw:
        """Return the law of the distance of two samples of Bernoulli(rate)^samples."""

    def draw(self, samples: int, rate: float, rng: np.random.Generator) -> "Pair":
        """Draw two independent samples of Bernoulli(rate)^samples, or what else it reads."""
        return Pair.draw(samples, rate, rng)

    def most_apart(self, samples: int) -> int:
        """Return the distance of the two most unlike data sets of so many items."""
        return samples

    def farthest_pair(self, samples: int) -> "Pair":
        """Return the two most unlike data sets of so many items."""
        return Pair(0, samples, samples)

    @abstractmethod
    def distance(self, pair: "Pair") -> float:
        """Return the distance of two data sets."""

    @abstractmethod
    def outputs(self, pair: "Pair") -> "Outputs":
        """Return what the two output laws on two data sets look like."""


@dataclass(frozen=True)
class Pair:
    """All that matters about two data sets: their sums and their Hamming distance."""

    first: float
    second: float
    hamming: int

    @staticmethod
    def draw(samples: int, rate: float, rng: np.random.Generator) -> "Pair":
        """Draw two independent data sets of Bernoulli(rate) bits."""
        first = int(rng.binomial(samples, rate))
        both, only_second = (int(rng.binomial(n, rate)) for n in (first, samples - first))
        return Pair(first, both + only_second, first - both + only_second)


@dataclass(frozen=True, eq=False)
class Outputs:
    """Two output laws over the same outputs.

    x: the outputs, or a statistic that is all one can learn from them; label: what x is.
    first, second: masses, or densities where `continuous`.
    """

    x: FloatArray
    first: FloatArray
    second: FloatArray
    label: str
    continuous: bool


def where_likely(ends: Sequence[tuple[float, float]], *, whole: bool) -> FloatArray:
    """Return about 240 outputs between the ends of each law, of laws that overlap between both.

    ends: from where to where the one and the other are likely; whole: whether outputs are whole.
    """
    (low, first_end), (second_start, high) = sorted(ends)
    parts = [(low, max(first_end, high))]
    if second_start > first_end:
        parts = [(low, first_end), (second_start, high)]
    if not whole:
        return np.concatenate([np.linspace(start, end, 241) for start, end in parts])
    return np.concatenate(
        [
            np.arange(math.floor(start), math.ceil(end) + 1, max(math.ceil((end - start) / 240), 1))
            for start, end in parts
        ]
    ).astype(float)
