"""Randomised response on a sample of n bits, compared exactly on two samples."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from dpviz.maths import divergence
from dpviz.maths.distance_mechanism import DistanceMechanism, Outputs, Pair, where_likely
from dpviz.maths.lattice_law import LatticeLaw, binomial_law
from dpviz.maths.logspace import log_binomial_pmf
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import LIMITS, validate, validate_array


@dataclass(frozen=True)
class RandomizedResponse(DistanceMechanism):
    """Every bit is answered, truly with probability 1/(1 + e^−ε); it is (ε, 0)-DP.

    The distance is the Hamming distance. epsilon: ε, from the table of limits. Raises
    `ParameterError`.
    """

    epsilon: float
    name = "randomised response"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", validate("epsilon", self.epsilon))

    def item_epsilon(self, delta: ArrayLike = 0.0) -> FloatArray:
        """Return the least ε for (ε, delta)-DP: with p − e^ε·(1 − p) = delta."""
        flip = expit(-self.epsilon)
        return np.log(np.maximum(expit(self.epsilon) - np.asarray(delta), flip)) - math.log(flip)

    def log_divergence(self, distance: ArrayLike, *, epsilon: ArrayLike) -> FloatArray:
        """Return ln d_ε between the answers to bits at Hamming distance `distance`."""
        return divergence.log_randomized_response(
            distance, bit_epsilon=self.epsilon, epsilon=epsilon
        )

    def least_epsilon(self, distance: ArrayLike, *, delta: ArrayLike) -> FloatArray:
        """Return the least ε′ at Hamming distance `distance`."""
        d, allowed = np.broadcast_arrays(
            np.asarray(distance, dtype=float), validate_array("closeness_delta", delta)
        )
        values = [
            divergence.randomized_response_epsilon(h, bit_epsilon=self.epsilon, delta=a)
            for h, a in zip(d.flat, allowed.flat, strict=True)
        ]
        return np.reshape(np.array(values, dtype=float), d.shape)[()]

    def farthest(self, *, epsilon: ArrayLike, delta: ArrayLike) -> FloatArray:
        """Return the largest Hamming distance within (epsilon, delta), by bisection.

        The largest number of samples of the table of limits if even that is close.
        """
        eps, allowed = np.broadcast_arrays(
            validate_array("closeness_epsilon", epsilon), validate_array("closeness_delta", delta)
        )
        values = [self._farthest(e, a) for e, a in zip(eps.flat, allowed.flat, strict=True)]
        return np.reshape(np.array(values), eps.shape)[()]

    def _farthest(self, epsilon: float, delta: float) -> float:
        log_delta = math.log(delta)
        close, apart = 0, int(LIMITS["samples"].maximum) + 1
        # d ≤ δ at the latest where the loss is at most ε′: distance·ε ≤ ε′
        close = min(int(epsilon / self.epsilon), apart - 1)
        step = close + 1
        while close + step < apart and self._close(close + step, epsilon, log_delta):
            close, step = close + step, 2 * step
        apart = min(apart, close + step)
        while apart - close > 1:
            middle = (close + apart) // 2
            if self._close(middle, epsilon, log_delta):
                close = middle
            else:
                apart = middle
        return float(close)

    def _close(self, distance: int, epsilon: float, log_delta: float) -> bool:
        return bool(self.log_divergence(distance, epsilon=epsilon) <= log_delta)

    def distance_law(self, samples: int, rate: float) -> LatticeLaw:
        """Return the law of the Hamming distance, Binomial(samples, 2·rate·(1 − rate))."""
        return binomial_law(samples, 2 * rate * (1 - rate))

    def distance(self, pair: Pair) -> int:
        """Return the Hamming distance."""
        return pair.hamming

    def outputs(self, pair: Pair) -> Outputs:
        """Return the laws of the number of answers, where the samples differ, that match first.

        It is a sufficient statistic: nothing else in the answers tells the data sets apart.
        """
        h = pair.hamming
        mean = h * expit(self.epsilon)
        reach = 5 * math.sqrt(mean * expit(-self.epsilon)) + 3
        ends = [
            (max(math.floor(middle - reach), 0), min(math.ceil(middle + reach), h))
            for middle in (mean, h - mean)
        ]
        x = where_likely(ends, whole=True)
        x = x[x <= h]
        first, second = (
            np.exp(log_binomial_pmf(x, h, log_odds=odds)) for odds in (self.epsilon, -self.epsilon)
        )
        label = "answers equal to x, where x and x′ differ"
        return Outputs(x, first, second, label, continuous=False)
