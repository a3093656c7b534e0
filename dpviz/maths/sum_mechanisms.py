"""Noise added to the sum of n bits: two-sided geometric, Gaussian.

Neighbouring data sets differ in one bit (substitute): the sum has sensitivity 1. How the outputs
on two samples compare is said in `dpviz.maths.distance_mechanism`.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz.maths import divergence, gaussian
from dpviz.maths.distance_mechanism import DistanceMechanism, Outputs, Pair, where_likely
from dpviz.maths.lattice_law import LatticeLaw, difference_law
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import validate, validate_array

# Rounding alone must not call two outputs apart.
_ROUNDING = 1e-15
_SAFETY = 2e-12  # above the error of μ, as for `gaussian.minimal_sigma`


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

    def distance(self, pair: Pair) -> float:
        """Return the difference of the sums."""
        return abs(pair.first - pair.second)

    def outputs(self, pair: Pair) -> Outputs:
        """Return the two laws of the noisy sum, around the sums to where the noise fades."""
        sums, reach = (pair.first, pair.second), self.noise_reach()
        ends = [(total - reach, total + reach) for total in sums]
        x = where_likely(ends, whole=not self.continuous)
        first_mass, second_mass = (np.exp(self.log_noise(x - total)) for total in sums)
        return Outputs(x, first_mass, second_mass, "Noisy sum", self.continuous)

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
        farthest: FloatArray = np.floor(self.reach(epsilon=epsilon, delta=delta))
        return farthest

    def reach(self, *, epsilon: ArrayLike, delta: ArrayLike) -> FloatArray:
        """Return the `farthest` difference before it is rounded down to a whole number."""
        reach: FloatArray = (np.asarray(epsilon) + self._credit(delta)) / self.epsilon
        return reach * (1 + _ROUNDING)

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
