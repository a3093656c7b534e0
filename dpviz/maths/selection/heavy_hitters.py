"""Selection in the local model without listing the universe: one bit a user (Lemma 13).

`HadamardHistogram` estimates the count of every item, in time |U| log|U|. This finds the most
frequent of 2^d items in time polynomial in n and d, as the heavy hitters of Bassily et al. 2017 do
that the lemma rests on.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz.maths.selection.local import HadamardHistogram, randomised_signs, signs
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import LIMITS, ParameterError, validate

_BLOCK = 8  # bits of an item that one group of users tells
_BUCKETS = 4  # bits of the public hash


@dataclass(frozen=True, eq=False)
class AffineHash:
    """Buckets of bit vectors by public coins: each bit of a bucket is ⟨mask, item⟩ + a coin.

    masks: linearly independent, so that all buckets are of the same size; two items share one with
    probability 2^−buckets at most.
    """

    masks: NDArray[np.int64]
    coins: NDArray[np.int64]

    @classmethod
    def draw(cls, bits: int, buckets: int, rng: np.random.Generator) -> "AffineHash":
        """Return a random hash of vectors of `bits` bits to 2^buckets buckets."""
        if not 0 <= buckets <= bits:
            raise ParameterError("buckets", f"a whole number from 0 to {bits}", buckets)
        masks: list[int] = []
        span = {0}
        while len(masks) < buckets:
            mask = int(rng.integers(1, 2**bits))
            if mask not in span:
                span |= {mask ^ other for other in span}
                masks.append(mask)
        return cls(np.array(masks, dtype=np.int64), rng.integers(2, size=buckets))

    def __call__(self, items: ArrayLike) -> NDArray[np.int64]:
        """Return the bucket of each item."""
        indices = np.asarray(items, dtype=np.int64)
        each = np.bitwise_count(indices[..., None] & self.masks).astype(np.int64) + self.coins & 1
        return np.asarray(each @ (1 << np.arange(self.coins.size)), dtype=np.int64)


@dataclass(frozen=True)
class HeavyHitter:
    """The most frequent item of 2^d, from one randomised bit of each user.

    Public coins hash items to buckets and deal users into groups of equal size. A user of group j
    holds the bucket of their item and its j-th block of 8 bits, and sends one bit about the pair
    as in `HadamardHistogram`; so every bucket spells an item. The users of a last group send one
    bit about their whole item; from these the counts of the items spelt are estimated, and the
    largest is returned. A user's row of the matrix may come from coins of their own, if they send
    it: it does not depend on their item. ε-private by itself, under substitution.

    It finds an item that outnumbers the others of its bucket. One hash function is used; the error
    of Lemma 13 for every item alike takes more of them (Bassily et al. 2017).
    Source: Ghazi, Kumar & Manurangsi 2021, Lemma 13.
    """

    epsilon: float
    bits: int

    def __post_init__(self) -> None:
        validate("epsilon", self.epsilon)
        LIMITS["class_bits"].validate(self.bits)

    @property
    def _widths(self) -> list[int]:
        """How many bits each block has."""
        return [min(_BLOCK, self.bits - low) for low in range(0, self.bits, _BLOCK)]

    def select(self, items: ArrayLike, rng: np.random.Generator) -> int:
        """Return the item found. items: one for each user. Raises `ParameterError`."""
        owned = np.asarray(items, dtype=np.int64)
        if owned.size and not (owned.min() >= 0 and owned.max() < 2**self.bits):
            raise ParameterError("items", f"from 0 to 2^{self.bits} − 1", items)
        hashed = AffineHash.draw(self.bits, min(_BUCKETS, self.bits), rng)
        widths = self._widths
        group = rng.permutation(owned.size) % (len(widths) + 1)
        spelt = np.zeros(2**hashed.coins.size, dtype=np.int64)
        for j, width in enumerate(widths):
            some = owned[group == j]
            block = some >> (_BLOCK * j) & (2**width - 1)
            pairs = HadamardHistogram(self.epsilon, spelt.size << width)
            counts = pairs.histogram(hashed(some) << width | block, rng)
            spelt |= counts.reshape(spelt.size, -1).argmax(axis=1) << (_BLOCK * j)
        estimates = self._counted(owned[group == len(widths)], spelt, rng)
        return int(spelt[estimates.argmax()])

    def _counted(
        self, own: NDArray[np.int64], items: NDArray[np.int64], rng: np.random.Generator
    ) -> FloatArray:
        """Return estimates of how many hold each item asked for, up to a factor."""
        rows = rng.integers(2**self.bits, size=own.size)
        truth = HadamardHistogram(self.epsilon, 2).truth_probability
        messages = randomised_signs(own, rows, truth, rng)
        return np.asarray(messages @ signs(rows[:, None], items), dtype=float)
