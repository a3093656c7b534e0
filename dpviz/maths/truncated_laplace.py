"""The noisy threshold: shifted, truncated discrete Laplace noise (Definition 8)."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError


@dataclass(frozen=True)
class TruncatedDiscreteLaplace:
    """TDLap(ε, δ): masses ∝ e^(−ε·|x − κ|) on 0, …, 2κ, with κ = 1 + ⌈ln(1/δ)/ε⌉.

    Neighbouring masses differ by a factor e^(±ε), and each end carries at most δ.
    epsilon: ε > 0; delta: δ in (0, 1). Raises `ParameterError`.
    Source: Ghazi, Kamath et al. 2023, Definition 8.
    """

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        if not 0 < self.epsilon < math.inf:
            raise ParameterError("epsilon", "a positive number", self.epsilon)
        if not 0 < self.delta < 1:
            raise ParameterError("delta", "a number between 0 and 1", self.delta)

    @property
    def kappa(self) -> int:
        """κ, the centre; a whole number."""
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

    @property
    def _total(self) -> float:
        return 1 + 2 * math.exp(-self.epsilon) * self._geometric(self.kappa)

    def _geometric(self, count: int) -> float:
        """Return 1 + q + … + q^(count − 1) for q = e^−ε."""
        return math.expm1(-self.epsilon * count) / math.expm1(-self.epsilon)
