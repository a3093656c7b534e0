"""The exponential mechanism on the sum of n bits, compared exactly on two samples."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_softmax

from dpviz.maths import divergence
from dpviz.maths.distance_mechanism import DistanceMechanism, Outputs, Pair
from dpviz.maths.lattice_law import LatticeLaw, binomial_law
from dpviz.maths.logspace import log1mexp
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate

MOST_CANDIDATES = 16
MOST_SAMPLES = 1000
"""For `FiniteExponential`: its cost grows with the square of the sums' spread, that is with n."""


@dataclass(frozen=True)
class FiniteExponential:
    """The exponential mechanism on finitely many candidates c_j, with score −|Σx − c_j|.

    It outputs c_j with probability ∝ exp(−(ε/2)·|Σx − c_j|); the score has sensitivity 1, so it
    is (ε, 0)-DP (McSherry & Talwar 2007). How far two outputs are apart depends on both sums: the
    exact cost is (spread of the sums)² × candidates, so there are at most 1000 samples.

    epsilon: ε; candidates: 2 to 16 different numbers, kept in ascending order. Raises
    `ParameterError`.
    """

    epsilon: float
    candidates: tuple[float, ...]
    name = "exponential mechanism"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", validate("epsilon", self.epsilon))
        values = np.unique(np.asarray(self.candidates, dtype=float))
        few = 2 <= values.size == len(self.candidates) <= MOST_CANDIDATES
        if not (few and np.all(np.isfinite(values))):
            raise ParameterError(
                "candidates", f"2 to {MOST_CANDIDATES} different numbers", self.candidates
            )
        object.__setattr__(self, "candidates", tuple(values.tolist()))

    def item_epsilon(self, delta: ArrayLike = 0.0) -> FloatArray:
        """Return ε, which the mechanism promises whatever the candidates and delta."""
        return np.full(np.shape(delta), self.epsilon)[()]

    def log_rows(self, sums: ArrayLike) -> FloatArray:
        """Return the log masses of the output on each sum: a row of candidates for each."""
        distance = np.abs(np.asarray(sums, dtype=float)[..., None] - np.array(self.candidates))
        rows: FloatArray = log_softmax(-self.epsilon / 2 * distance, axis=-1)
        return rows

    def log_divergence(
        self, sums: ArrayLike, others: ArrayLike, *, epsilon: ArrayLike
    ) -> FloatArray:
        """Return ln d_ε(A at `sums` ‖ A at `others`), which broadcast."""
        return divergence.log_finite(self.log_rows(sums), self.log_rows(others), epsilon=epsilon)

    def least_epsilon(self, sums: ArrayLike, others: ArrayLike, *, delta: float) -> FloatArray:
        """Return the least ε′ at which A is (ε′, delta)-close on each sum against each other.

        A matrix. The loss |s' − c| − |s − c| is monotone in c, so the best test between two sums
        asks whether the candidate is at most c_j, or at least, for some j. A test with
        probabilities P and Q asks for e^ε′ ≥ (P − δ)/Q.
        """
        first, second = self.log_rows(sums), self.log_rows(others)
        log_delta = math.log(validate("closeness_delta", delta))
        least = np.zeros((first.shape[0], second.shape[0]))
        for ordered_first, ordered_second in (
            (first, second),
            (first[:, ::-1], second[:, ::-1]),
        ):
            p = np.logaddexp.accumulate(ordered_first, axis=1)[:, :-1]
            q = np.logaddexp.accumulate(ordered_second, axis=1)[:, :-1]
            for one, other in zip(p.T, q.T, strict=True):
                np.maximum(least, np.subtract.outer(_less(one, log_delta), other), out=least)
                np.maximum(least, np.subtract.outer(_less(other, log_delta), one).T, out=least)
        return least

    def pairs(self, samples: int, rate: float) -> LatticeLaw:
        """Return the law of the sum of one sample, but for about e^−50 of its mass.

        Raises `ParameterError` for more than 1000 samples.
        """
        if samples > MOST_SAMPLES:
            raise ParameterError(
                "samples", f"at most {MOST_SAMPLES} for the exponential mechanism", samples
            )
        law = binomial_law(samples, rate)
        seen = np.flatnonzero(law.log_pmf > -50)
        return LatticeLaw(law.first + int(seen[0]), law.log_pmf[seen[0] : seen[-1] + 1])

    def farthest_pair(self, samples: int) -> Pair:
        """Return the two most unlike data sets of so many bits."""
        return Pair(0, samples, samples)

    def draw(self, samples: int, rate: float, rng: np.random.Generator) -> Pair:
        """Draw two independent samples of Bernoulli(rate)^samples."""
        return Pair.draw(samples, rate, rng)

    def outputs(self, pair: Pair) -> Outputs:
        """Return the two laws on the candidates."""
        rows = np.exp(self.log_rows(np.array([pair.first, pair.second])))
        return Outputs(np.array(self.candidates), rows[0], rows[1], "candidate", continuous=False)


def _less(log_probability: FloatArray, log_delta: float) -> FloatArray:
    """Return log(P − δ), −inf where that is not positive."""
    return log_probability + log1mexp(np.minimum(log_delta - log_probability, 0.0))


Mechanism = DistanceMechanism | FiniteExponential
"""A mechanism on samples of bits; `FiniteExponential` alone has no distance."""
