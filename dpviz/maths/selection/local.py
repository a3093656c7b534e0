"""A histogram in the local model: one bit from each user (Lemma 13)."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate

MOST_ITEMS = 2**20
"""The largest universe: time and memory grow like |U| log|U|."""


@dataclass(frozen=True)
class HadamardHistogram:
    """Each user sends one randomised sign; the analyser estimates all counts.

    Public randomness gives each user a random row s of a Hadamard matrix. The user's message is
    the sign (−1)^⟨s, u⟩ of their item u, flipped with probability 1/(1 + e^ε): ε-private by itself,
    under substitution. The estimates are unbiased, and by Hoeffding's inequality all errors
    together are at most O(√(n log(|U|/β))/ε) (`error`, the lemma with its root in the right
    place). This is the one-bit, public-coin protocol of Bassily & Smith 2015; the lemma's
    running time poly(log|U|) takes the heavy hitters of Bassily et al. 2017, while this lists U.
    Source: Ghazi, Kumar & Manurangsi 2021, Lemma 13.
    """

    epsilon: float
    universe: int

    def __post_init__(self) -> None:
        validate("epsilon", self.epsilon)
        if not 1 <= self.universe <= MOST_ITEMS:
            raise ParameterError(
                "universe", f"a whole number from 1 to {MOST_ITEMS}", self.universe
            )

    @property
    def rows(self) -> int:
        """The rows of the matrix: the next power of two."""
        return 1 << (self.universe - 1).bit_length()

    @property
    def truth_probability(self) -> float:
        """How likely a user sends the true sign: e^ε/(1 + e^ε)."""
        return 1 / (1 + math.exp(-self.epsilon))

    @property
    def scale(self) -> float:
        """The factor that makes a received sign unbiased: (e^ε + 1)/(e^ε − 1)."""
        return 1 / math.tanh(self.epsilon / 2)

    def public_rows(self, users: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return a random row for each user: public, and independent of the items."""
        return rng.integers(self.rows, size=users)

    def randomise(
        self, items: ArrayLike, rows: NDArray[np.int64], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return each user's message, 1 or −1."""
        return randomised_signs(self._items(items), rows, self.truth_probability, rng)

    def message_law(self, item: int, row: int) -> FloatArray:
        """Return how likely a user with this item and row sends 1, and −1."""
        truth = np.array([self.truth_probability, 1 - self.truth_probability])
        return truth if int(signs(np.array([row]), np.array([item]))[0]) == 1 else truth[::-1]

    def estimate(self, rows: NDArray[np.int64], messages: NDArray[np.int64]) -> FloatArray:
        """Return the estimated counts of all items: a fast Walsh-Hadamard transform."""
        sums = np.bincount(rows, weights=messages.astype(float), minlength=self.rows).astype(float)
        return self.scale * walsh_hadamard(sums)[: self.universe]

    def histogram(self, items: ArrayLike, rng: np.random.Generator) -> FloatArray:
        """Return the estimated counts for users with these items, one for each user."""
        indices = self._items(items)
        rows = self.public_rows(indices.size, rng)
        return self.estimate(rows, self.randomise(indices, rows, rng))

    def select(self, items: ArrayLike, rng: np.random.Generator) -> int:
        """Return the item with the largest estimate."""
        return int(self.histogram(items, rng).argmax())

    def error(self, users: int, failure_probability: float) -> float:
        """Return what no estimate's error exceeds, with probability 1 − β (Hoeffding)."""
        beta = validate("failure_probability", failure_probability)
        return self.scale * math.sqrt(2 * users * math.log(2 * self.universe / beta))

    def _items(self, items: ArrayLike) -> NDArray[np.int64]:
        indices = np.asarray(items, dtype=np.int64)
        if indices.size and not (indices.min() >= 0 and indices.max() < self.universe):
            raise ParameterError("items", f"from 0 to {self.universe - 1}", items)
        return indices


def randomised_signs(
    items: NDArray[np.int64], rows: NDArray[np.int64], truth: float, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return (−1)^⟨s, u⟩ for each item and row, flipped with probability 1 − `truth`."""
    truthful = np.where(rng.random(items.size) < truth, 1, -1)
    return np.asarray(truthful * signs(rows, items))


def signs(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return (−1)^⟨s, u⟩, entries of a Hadamard matrix, with the bits of s and u as vectors."""
    return np.asarray(1 - 2 * (np.bitwise_count(rows & columns).astype(np.int64) & 1))


def walsh_hadamard(values: FloatArray) -> FloatArray:
    """Return the transform Σ_s values[s]·(−1)^⟨s, u⟩ for all u; the length is a power of two."""
    out = np.array(values, dtype=float)
    half = 1
    while half < out.size:
        pairs = out.reshape(-1, 2, half)
        sums, differences = pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]
        out = np.stack([sums, differences], axis=1).ravel()
        half *= 2
    return out
