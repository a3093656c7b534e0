"""The stable histogram: approximate privacy in the central model (Lemma 11)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz.maths.selection.counts import largest_law, validate_counts
from dpviz.maths.truncated_laplace import TruncatedDiscreteLaplace
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import validate


@dataclass(frozen=True)
class StableHistogram:
    """Release c_u less noise for the items somebody holds; what is not positive is left out.

    The noise is truncated discrete Laplace on 0, …, 2κ, so nothing is overestimated and the error
    is at most 2κ = O(log(1/δ)/ε) with certainty: the (O(log(1/δ)/ε), 0) of the lemma. Items that
    nobody holds never appear, so the universe may be infinite. (ε, δ)-private when one user is
    added or removed: a count of 1 shows with probability at most δ. The noise is the shortest of
    its kind for that, so that δ is used up but for κ being a whole number.
    Source: Ghazi, Kumar & Manurangsi 2021, Lemma 11 (Korolova et al. 2009, Bun et al. 2019).
    """

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        validate("epsilon", self.epsilon)
        validate("delta", self.delta)

    @property
    def noise(self) -> TruncatedDiscreteLaplace:
        """What is subtracted from a count."""
        return TruncatedDiscreteLaplace.shortest(self.epsilon, self.delta)

    @property
    def error(self) -> int:
        """The most by which the selected item falls short of the best, with certainty: 2κ."""
        return 2 * self.noise.kappa

    def histogram(self, counts: ArrayLike, rng: np.random.Generator) -> FloatArray:
        """Return the released count of every item, 0 where it is left out."""
        array = validate_counts(counts)
        released = np.maximum(array - self.noise.sample(rng, array.size), 0.0)
        return np.where(array > 0, released, 0.0)

    def select(self, counts: ArrayLike, rng: np.random.Generator) -> int:
        """Return the place of the largest released count, or −1 if none is left."""
        released = self.histogram(counts, rng)
        return int(released.argmax()) if released.any() else -1

    def law(self, counts: ArrayLike) -> FloatArray:
        """Return the exact law of `select`: of every place, and last of −1."""
        array = validate_counts(counts)
        values = np.arange(int(array.max(initial=0)) + 1)
        pmf = np.array([self.released_law(int(count), values.size) for count in array])
        # A number that is 0 loses against any positive one, and all zero means −1.
        nothing = np.zeros((1, values.size))
        nothing[0, 0] = 1.0
        law = largest_law(np.vstack([nothing, pmf.reshape(array.size, values.size)]))
        return np.append(law[1:], law[0])

    def released_law(self, count: int, size: int) -> FloatArray:
        """Return the masses of 0, …, size − 1 as released count of an item that `count` hold."""
        if count == 0:
            return np.asarray(np.arange(size) == 0, dtype=float)
        masses = self.noise.pmf(count - np.arange(size))
        masses[0] = 1.0 - self.noise.below(count)
        return masses
