"""Independent noise of least radius: of those certified here, the one that no error exceeds least.

Of one answer it is end staircase noise (`dpviz.maths.optimal_noise`), of up to `FEW` the smaller of
tuned and of truncated Laplace noise, of more tuned noise. Another may be smaller: tuning is a
search, and docs/notes/bounded-noise.md has some for two and three answers.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpviz.maths.accounting.tuning import tuned_alone
from dpviz.maths.joint_noise import JointNoise
from dpviz.maths.laplace_rivals import TruncatedLaplace, truncated_laplace_noise
from dpviz.maths.optimal_noise import EndStaircase, end_staircase
from dpviz.maths.rivals import RIVALS, Noise
from dpviz.maths.tuned_noise import TunedNoise
from dpviz.results.evidence import FloatArray
from dpviz.results.refining import Steps, in_steps

FEW = 100
"""Answers up to which truncated Laplace noise is tried; beyond, tuned noise was always smaller."""


@dataclass(frozen=True, eq=False)
class LeastNoise:
    """Noise, and the radius at which it is private, in Δ: what no error exceeds."""

    radius: float
    noise: TunedNoise | TruncatedLaplace | EndStaircase

    def sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> FloatArray:
        """Draw independent errors, in Δ."""
        if isinstance(self.noise, EndStaircase):  # which is joint noise of one answer
            one = JointNoise(self.noise.epsilon, 1, self.radius)
            return one.sample(rng, math.prod(size)).reshape(size)
        drawn = self.noise.sample(rng, size)
        return self.radius * drawn if isinstance(self.noise, TunedNoise) else drawn


@in_steps
def least_noise(*, epsilon: float, delta: float, queries: float) -> Steps[LeastNoise]:
    """Return the independent noise of least radius that is certified here, for k adaptive answers.

    epsilon: ε in [1e-7, 10]; delta: δ in [1e-300, 0.5]; queries: k in [1, 1e10], each moved by at
    most Δ when one person is substituted, all at once. Raises `ParameterError`.
    """
    if queries == 1:
        one = end_staircase(epsilon=epsilon, delta=delta)
        return LeastNoise(one.radius, one)
    tuned = yield from tuned_alone.steps(epsilon=epsilon, delta=delta, queries=queries)
    best = LeastNoise(tuned.radius.upper, tuned.noise)
    if queries <= FEW:
        laplace = yield from truncated_laplace_noise.steps(
            epsilon=epsilon, delta=delta, queries=queries
        )
        if laplace.radius < best.radius:
            return LeastNoise(laplace.radius, laplace)
    return best


@in_steps
def rivals_at(*, epsilon: float, delta: float, queries: float) -> Steps[dict[str, Noise]]:
    """Return the least noise of each of `RIVALS` that is computed for k answers, by its name.

    Parameters and errors as `least_noise`.
    """
    found: dict[str, Noise] = {}
    for key, rival in RIVALS.items():
        if queries <= rival.most:
            yield
            found[key] = yield from rival.make(epsilon=epsilon, delta=delta, queries=queries)
    return found
