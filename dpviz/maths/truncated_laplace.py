"""The noisy threshold: shifted, truncated discrete Laplace noise (Definition 8)."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError


@dataclass(frozen=True)
class TruncatedDiscreteLaplace:
    """TDLap(ε, δ): masses ∝ e^(−ε·|x − κ|) on 0, …, 2κ, with κ = 1 + ⌈ln(1/δ)/ε⌉.

    Neighbouring masses differ by a factor e^(±ε), and each end carries at most δ.
    epsilon: ε > 0; delta: δ in (0, 1); centre: κ, if it is not the one of the definition. Raises
    `ParameterError`. Source: Ghazi, Kamath et al. 2023, Definition 8.
    """

    epsilon: float
    delta: float
    centre: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.epsilon < math.inf:
            raise ParameterError("epsilon", "a positive number", self.epsilon)
        if not 0 < self.delta < 1:
            raise ParameterError("delta", "a number between 0 and 1", self.delta)

    @classmethod
    def shortest(cls, epsilon: float, delta: float) -> "TruncatedDiscreteLaplace":
        """Return the one with the least κ whose ends carry at most δ each.

        With q = e^−ε an end carries q^κ(1 − q)/(1 + q − 2q^(κ+1)), which falls with κ.
        """
        usual = cls(epsilon, delta)
        q, step = math.exp(-epsilon), -math.expm1(-epsilon)
        bound = math.log(delta) + math.log((1 + q) / (step + 2 * q * delta))
        least = cls(epsilon, delta, max(math.ceil(-bound / epsilon - 1e-9), 0))
        fits = least.log_pmf(0) <= math.log(delta) + 1e-12
        return min(least if fits else cls(epsilon, delta, least.kappa + 1), usual, key=_kappa)

    @cached_property
    def kappa(self) -> int:
        """κ, the centre; a whole number."""
        if self.centre is not None:
            return self.centre
        return 1 + math.ceil(-math.log(self.delta) / self.epsilon)

    def log_pmf(self, x: ArrayLike) -> FloatArray:
        """Return the log mass at whole numbers x; −inf outside 0, …, 2κ."""
        distance = np.abs(np.asarray(x, dtype=float) - self.kappa)
        inside = -self.epsilon * distance - math.log(self._total)
        return np.where(distance <= self.kappa, inside, -math.inf)

    def pmf(self, x: ArrayLike) -> FloatArray:
        """Return the mass at whole numbers x."""
        return np.exp(self.log_pmf(x))

    def below(self, x: int) -> float:
        """Return P(R < x): a geometric sum, for any κ."""
        if x > self.kappa:
            return 1.0 - self.below(2 * self.kappa + 1 - x) if x <= 2 * self.kappa else 1.0
        if x <= 0:
            return 0.0
        first = math.exp(-self.epsilon * (self.kappa - x + 1))
        return first * self._geometric(x) / self._total

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw independent values: discrete Laplace noise, drawn again where it is too large."""
        drawn = np.empty(0)
        success = -math.expm1(-self.epsilon)
        while drawn.size < size:
            pair = rng.geometric(success, size=(2, size)).astype(float)
            noise = pair[0] - pair[1]
            drawn = np.append(drawn, noise[np.abs(noise) <= self.kappa])
        values: FloatArray = self.kappa + drawn[:size]
        return values

    @cached_property
    def _total(self) -> float:
        return 1 + 2 * math.exp(-self.epsilon) * self._geometric(self.kappa)

    def _geometric(self, count: int) -> float:
        """Return 1 + q + … + q^(count − 1) for q = e^−ε."""
        return math.expm1(-self.epsilon * count) / math.expm1(-self.epsilon)


def _kappa(law: TruncatedDiscreteLaplace) -> int:
    return law.kappa
