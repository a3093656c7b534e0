"""The exponential mechanism over counts, without listing the universe (Lemma 12)."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz.maths.logspace import log_sum_exp
from dpviz.maths.selection.counts import validate_counts
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate


@dataclass(frozen=True)
class CountExponential:
    """Select item u with probability proportional to e^(ε·c_u).

    universe: |U|, a whole number of any size. A user who is added raises one count and lowers none.
    So the full ε may stand in the exponent: the selection is ε-private under addition or removal,
    and 2ε-private under substitution.
    Source: Ghazi, Kumar & Manurangsi 2021, Lemma 12 (McSherry & Talwar 2007).
    """

    epsilon: float
    universe: int

    def __post_init__(self) -> None:
        validate("epsilon", self.epsilon)
        if not self.universe >= 1:
            raise ParameterError("universe", "a whole number from 1", self.universe)

    def error(self, failure_probability: float) -> float:
        """Return ln(|U|/β)/ε: the selected item falls short by more with probability at most β."""
        beta = validate("failure_probability", failure_probability)
        return (math.log(self.universe) - math.log(beta)) / self.epsilon

    def held_probability(self, counts: ArrayLike) -> float:
        """Return how likely the output is an item somebody holds. counts: of those items."""
        array = self._counts_of(counts)
        if not array.size:
            return 0.0
        others = self.universe - array.size
        if others == 0:
            return 1.0
        log_total = float(log_sum_exp(self.epsilon * array))
        return 1.0 / (1.0 + math.exp(min(math.log(others) - log_total, 700.0)))

    def select(self, items: ArrayLike, counts: ArrayLike, rng: np.random.Generator) -> int:
        """Return the selected item in time O(n + log|U|): a coin decides whether one is held.

        items: the different items held, from 0 to |U| − 1; counts: how many hold each.
        """
        chosen = [int(item) for item in np.asarray(items).tolist()]
        array = self._counts_of(counts)
        if len(set(chosen)) != array.size or any(not 0 <= u < self.universe for u in chosen):
            raise ParameterError("items", "different items of the universe, one a count", items)
        if rng.random() < self.held_probability(array):
            weights = np.exp(self.epsilon * (array - array.max()))
            steps = np.cumsum(weights)
            return chosen[int(np.searchsorted(steps, rng.random() * steps[-1], side="right"))]
        drawn = _below(self.universe - array.size, rng)
        for item in sorted(chosen):  # count only the items nobody holds
            drawn += item <= drawn
        return drawn

    def law(self, counts: ArrayLike) -> FloatArray:
        """Return the exact law of `select`, for counts of all items of a small universe."""
        array = validate_counts(counts)
        if array.size != self.universe:
            raise ParameterError("counts", f"{self.universe} counts, one for each item", counts)
        scores = self.epsilon * array
        return np.asarray(np.exp(scores - log_sum_exp(scores)))

    def _counts_of(self, counts: ArrayLike) -> np.ndarray:
        array = validate_counts(counts)
        if np.any(array == 0) or array.size > self.universe:
            raise ParameterError("counts", "positive, for at most |U| items", counts)
        return array


def _below(limit: int, rng: np.random.Generator) -> int:
    """Draw a whole number from 0 to limit − 1, of any size."""
    bits = max(limit - 1, 1).bit_length()
    size = (bits + 7) // 8
    while True:
        drawn = int.from_bytes(rng.bytes(size), "little") >> (8 * size - bits)
        if drawn < limit:
            return drawn
