"""Mechanisms whose outputs on two samples of coins can be compared exactly.

All read a data set of n bits. For three of them how far apart two output laws are depends on the
two data sets through one whole number only, the distance: the difference of the sums for noise on
a sum, the Hamming distance for randomised response. The divergence grows with it. For a selection
from finitely many candidates it depends on both sums.

Neighbouring data sets differ in one bit (substitute): the sum has sensitivity 1.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, log_softmax, logsumexp

from dpviz.maths import divergence, gaussian
from dpviz.maths.lattice_law import LatticeLaw, binomial_law, difference_law, walk_law
from dpviz.maths.logspace import log1mexp, log_binomial_pmf
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import LIMITS, ParameterError, validate, validate_array

# Rounding alone must not call two outputs apart.
_ROUNDING = 1e-15
_SAFETY = 2e-12  # above the error of μ, as for `gaussian.minimal_sigma`
MOST_CANDIDATES = 16
MOST_SAMPLES = 1000
"""For `FiniteExponential`: its cost grows with the square of the sums' spread, that is with n."""


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

    @abstractmethod
    def log_expected_divergence(self, samples: int, rate: float, epsilon: float) -> float:
        """Return ln E[d_ε′(A(x) ‖ A(x'))]."""

    @abstractmethod
    def distance(self, pair: "Pair") -> int:
        """Return the distance of two data sets."""

    @abstractmethod
    def outputs(self, pair: "Pair") -> "Outputs":
        """Return what the two output laws on two data sets look like."""


@dataclass(frozen=True)
class Pair:
    """All that matters about two data sets of bits: their sums and their Hamming distance."""

    first: int
    second: int
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


class SumMechanism(DistanceMechanism):
    """Noise added to the sum of the bits; the distance is the difference of the two sums."""

    @abstractmethod
    def log_noise(self, error: FloatArray) -> FloatArray:
        """Return the log mass, or log density, of the noise."""

    @abstractmethod
    def sample_noise(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw independent noise."""

    @abstractmethod
    def noise_reach(self) -> float:
        """Return the error exceeded with probability e^−10 or so: what is worth drawing."""

    def distance_law(self, samples: int, rate: float) -> LatticeLaw:
        """Return the law of |Σx − Σx'|."""
        return difference_law(samples, rate=rate)

    def log_expected_divergence(self, samples: int, rate: float, epsilon: float) -> float:
        """Return ln E[d_ε′(A(x) ‖ A(x'))], a sum over all distances."""
        law = self.distance_law(samples, rate)
        return float(logsumexp(law.log_pmf + self.log_divergence(law.values, epsilon=epsilon)))

    def distance(self, pair: Pair) -> int:
        """Return the difference of the sums."""
        return abs(pair.first - pair.second)

    def outputs(self, pair: Pair) -> Outputs:
        """Return the two laws of the noisy sum, between the sums and where the noise fades."""
        sums = pair.first, pair.second
        low, high = min(sums) - self.noise_reach(), max(sums) + self.noise_reach()
        if self.continuous:
            x = np.linspace(low, high, 241)
        else:
            step = max(math.ceil((high - low) / 240), 1)
            x = np.arange(math.floor(low), math.ceil(high) + 1, step, dtype=float)
        first_mass, second_mass = (np.exp(self.log_noise(x - total)) for total in sums)
        return Outputs(x, first_mass, second_mass, "noisy sum", self.continuous)

    continuous: bool


@dataclass(frozen=True)
class GeometricCount(SumMechanism):
    """The sum plus two-sided geometric noise, masses ∝ e^(−ε·|k|); it is (ε, 0)-DP.

    epsilon: ε, from the table of limits. Raises `ParameterError`.
    """

    epsilon: float
    name = "geometric noise"
    continuous = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", validate("epsilon", self.epsilon))

    def item_epsilon(self, delta: ArrayLike = 0.0) -> FloatArray:
        """Return the least ε for (ε, delta)-DP: what `least_epsilon` says at distance 1."""
        return self.least_epsilon(1.0, delta=delta)

    def log_divergence(self, distance: ArrayLike, *, epsilon: ArrayLike) -> FloatArray:
        """Return ln d_ε between the outputs on sums that differ by `distance`."""
        return divergence.log_geometric(distance, decay=self.epsilon, epsilon=epsilon)

    def least_epsilon(self, distance: ArrayLike, *, delta: ArrayLike) -> FloatArray:
        """Return the least ε′: ε·distance less what `_credit` says, but not less than 0."""
        return np.maximum(self.epsilon * np.asarray(distance) - self._credit(delta), 0.0)

    def farthest(self, *, epsilon: ArrayLike, delta: ArrayLike) -> FloatArray:
        """Return the largest whole difference of sums within (epsilon, delta)."""
        reach = (np.asarray(epsilon) + self._credit(delta)) / self.epsilon
        farthest: FloatArray = np.floor(reach * (1 + _ROUNDING))
        return farthest

    def _credit(self, delta: ArrayLike) -> FloatArray:
        """Return by how much delta lowers ε′ below ε·distance: it does not depend on the latter.

        At ε′ = ε·(d − 2k), k whole, the divergence is 1 − e^(−εk) for any d; in between
        `divergence.log_geometric` is solved for ε′.
        """
        allowed = np.asarray(delta, dtype=float)
        k = np.floor(-np.log1p(-allowed) / self.epsilon)
        a = math.exp(-self.epsilon)
        kept = -allowed * (1 + a) - a * np.expm1(-self.epsilon * k)
        credit: FloatArray = self.epsilon * k - np.log1p(kept)
        return credit

    def log_noise(self, error: FloatArray) -> FloatArray:
        """Return the log mass of the noise at a whole number."""
        a = math.exp(-self.epsilon)
        return math.log(-math.expm1(-self.epsilon) / (1 + a)) - self.epsilon * np.abs(error)

    def sample_noise(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw noise: the difference of two geometric variables."""
        success = -math.expm1(-self.epsilon)
        draws = rng.geometric(success, size=(2, size)).astype(float)
        noise: FloatArray = draws[0] - draws[1]
        return noise

    def noise_reach(self) -> float:
        """Return the error exceeded with probability e^−8 or so."""
        return math.ceil(8 / self.epsilon) + 1


@dataclass(frozen=True)
class GaussianCount(SumMechanism):
    """The sum plus N(0, σ²); its (ε, δ) lie on the exact curve of Balle & Wang 2018.

    sigma: σ, in units of the sensitivity, from the table of limits. Raises `ParameterError`.
    """

    sigma: float
    name = "Gaussian noise"
    continuous = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", validate("sigma", self.sigma))

    def item_epsilon(self, delta: ArrayLike = 0.0) -> FloatArray:
        """Return the least ε for which the mechanism is (ε, delta)-DP; +inf for delta = 0."""
        allowed = np.asarray(delta, dtype=float)
        least = self.least_epsilon(1.0, delta=np.where(allowed > 0, allowed, 0.5))
        return np.where(allowed > 0, least, math.inf)

    def item_log_delta(self, epsilon: ArrayLike) -> FloatArray:
        """Return ln δ for the least δ at which the mechanism is (epsilon, δ)-DP."""
        return self.log_divergence(1.0, epsilon=epsilon)

    def log_divergence(self, distance: ArrayLike, *, epsilon: ArrayLike) -> FloatArray:
        """Return ln d_ε between the outputs on sums that differ by `distance`."""
        return divergence.log_gaussian(distance, sigma=self.sigma, epsilon=epsilon)

    def least_epsilon(self, distance: ArrayLike, *, delta: ArrayLike) -> FloatArray:
        """Return the least ε′ at which sums that differ by `distance` are close."""
        d, allowed = np.broadcast_arrays(
            np.asarray(distance, dtype=float), validate_array("closeness_delta", delta)
        )
        apart = d > 0
        least = gaussian.least_epsilon(np.where(apart, d, 1.0) / self.sigma, allowed)
        return np.where(apart, least, 0.0)

    def farthest(self, *, epsilon: ArrayLike, delta: ArrayLike) -> FloatArray:
        """Return the largest difference of sums within (epsilon, delta), on the safe side."""
        eps, allowed = np.broadcast_arrays(
            validate_array("closeness_epsilon", epsilon), validate_array("closeness_delta", delta)
        )
        return self.sigma * gaussian.largest_mu(eps, allowed) * (1 - _SAFETY)

    def log_noise(self, error: FloatArray) -> FloatArray:
        """Return the log density of the noise."""
        scaled = error / self.sigma
        return -(scaled**2) / 2 - math.log(self.sigma) - math.log(2 * math.pi) / 2

    def sample_noise(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw noise."""
        return rng.normal(scale=self.sigma, size=size)

    def noise_reach(self) -> float:
        """Return the error exceeded with probability e^−8 or so."""
        return 3.6 * self.sigma


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

    def log_expected_divergence(self, samples: int, rate: float, epsilon: float) -> float:
        """Return ln E[d_ε′(A(x) ‖ A(x'))].

        The loss, with x and x' random as well, is ε times a walk: a bit that agrees adds 0, one
        that does not adds 1 if kept and −1 if not.
        """
        apart = 2 * rate * (1 - rate)
        law = walk_law(samples, up=apart * expit(self.epsilon), down=apart * expit(-self.epsilon))
        gain = log1mexp(np.minimum(epsilon - self.epsilon * law.values, 0.0))
        return float(logsumexp(law.log_pmf + gain))

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
        low, high = max(math.floor(h - mean - reach), 0), min(math.ceil(mean + reach), h)
        x = np.arange(low, high + 1, max((high - low) // 240, 1), dtype=float)
        first, second = (
            np.exp(log_binomial_pmf(x, h, log_odds=odds)) for odds in (self.epsilon, -self.epsilon)
        )
        label = "answers equal to x, where x and x′ differ"
        return Outputs(x, first, second, label, continuous=False)


@dataclass(frozen=True)
class FiniteExponential:
    """The exponential mechanism on finitely many candidates c_j, with score −|Σx − c_j|.

    It outputs c_j with probability ∝ exp(−(ε/2)·|Σx − c_j|); the score has sensitivity 1, so it
    is (ε, 0)-DP (McSherry & Talwar 2007). How far two outputs are apart depends on both sums: the
    exact cost is (spread of the sums)² × candidates, hence at most 1000 samples.

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

    def outputs(self, pair: Pair) -> Outputs:
        """Return the two laws on the candidates."""
        rows = np.exp(self.log_rows(np.array([pair.first, pair.second])))
        return Outputs(np.array(self.candidates), rows[0], rows[1], "candidate", continuous=False)


def _less(log_probability: FloatArray, log_delta: float) -> FloatArray:
    """Return log(P − δ), −inf where that is not positive."""
    return log_probability + log1mexp(np.minimum(log_delta - log_probability, 0.0))


Mechanism = DistanceMechanism | FiniteExponential
