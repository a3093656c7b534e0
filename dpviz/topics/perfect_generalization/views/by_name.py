"""The views for a mechanism chosen by its name, in the words of a link."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.finite_exponential import MOST_SAMPLES, FiniteExponential, Mechanism
from dpviz.maths.randomized_response import RandomizedResponse
from dpviz.maths.sum_mechanisms import GaussianCount, GeometricCount, SumMechanism
from dpviz.results.evidence import Evidence, Origin, Source
from dpviz.results.papers import UL
from dpviz.results.parameters import ParameterError
from dpviz.topics.perfect_generalization.closeness import divergence_quantile
from dpviz.topics.perfect_generalization.views.closeness import ClosenessChart, closeness_curve
from dpviz.topics.perfect_generalization.views.growth import GrowthChart, growth
from dpviz.topics.perfect_generalization.views.two_samples import (
    Draw,
    LossHistogram,
    loss_histogram,
    two_samples,
)
from dpviz.topics.perfect_generalization.views.user_growth import UserChart, user_growth

MECHANISMS = {
    "geometric": "Geometric noise",
    "gaussian": "Gaussian noise",
    "response": "Randomised response",
    "exponential": "Exponential mechanism",
}
"""The mechanisms by name; the first two add noise to a sum."""

NOISES = dict(list(MECHANISMS.items())[:2])
"""Those that add noise to a sum."""

_EIGHTHS = 8
_DRAWS = 40


def named_mechanism(name: str, *, samples: float, epsilon: float, sigma: float) -> Mechanism:
    """Return the mechanism of this name, one of `MECHANISMS`.

    epsilon: ε; sigma: of Gaussian noise, in its place. The exponential mechanism chooses among
    the multiples 0, n/8, …, n of an eighth of the samples. Raises `ParameterError`.
    """
    if name in NOISES:
        return named_noise(name, epsilon=epsilon, sigma=sigma)
    if name == "response":
        return RandomizedResponse(epsilon)
    if name == "exponential":
        eighths = np.linspace(0, float(samples), _EIGHTHS + 1)
        return FiniteExponential(epsilon, tuple(eighths.tolist()))
    raise ParameterError("mechanism", f"one of {', '.join(MECHANISMS)}", name)


def named_noise(name: str, *, epsilon: float, sigma: float) -> SumMechanism:
    """Return the noise of this name, one of `NOISES`. Raises `ParameterError`."""
    if name not in NOISES:
        raise ParameterError("noise", f"one of {', '.join(NOISES)}", name)
    return GeometricCount(epsilon) if name == "geometric" else GaussianCount(sigma)


def closeness(
    *,
    mechanism: str,
    samples: float,
    epsilon: float,
    sigma: float,
    delta: float,
    rate: float,
    closeness_delta: float,
    failure_probability: float,
    constant: float,
) -> ClosenessChart:
    """Return `closeness_curve` for a named mechanism.

    delta: the δ at which the theorems read the ε of Gaussian noise off its exact curve; the other
    mechanisms are pure. closeness_delta: δ′. Raises `ParameterError`.
    """
    _check_samples(mechanism, samples)
    return closeness_curve(
        named_mechanism(mechanism, samples=samples, epsilon=epsilon, sigma=sigma),
        samples=samples,
        rate=rate,
        delta=closeness_delta,
        failure_probability=failure_probability,
        constant=constant,
        item_delta=delta,
    )


def needed_epsilon(
    *,
    mechanism: str,
    samples: float,
    epsilon: float,
    sigma: float,
    delta: float,
    rate: float,
    closeness_delta: float,
    failure_probability: float,
    constant: float,
) -> Iterator[GrowthChart]:
    """Yield `growth` for a named mechanism; its arguments are those of `closeness`."""
    _check_samples(mechanism, samples)

    def with_samples(n: float) -> Mechanism:
        return named_mechanism(mechanism, samples=n, epsilon=epsilon, sigma=sigma)

    yield from growth(
        with_samples,
        samples=samples,
        rate=rate,
        delta=closeness_delta,
        failure_probability=failure_probability,
        constant=constant,
        item_delta=delta,
    )


@dataclass(frozen=True, eq=False)
class SamplePairs:
    """Pairs of samples, one after the other, and the exact law their ε′ are drawn from.

    needed: the ε′ that suffices for all but a share β of all pairs, exactly; close: how many of
    the pairs drawn it suffices for.
    """

    origins: ClassVar = (
        Origin(Evidence.EXACT, Source(UL, "Definition 12")),
        Origin(
            Evidence.SIMULATED,
            Source("dpviz.topics.perfect_generalization", "pairs of samples drawn"),
        ),
    )

    draws: tuple[Draw, ...]
    histogram: LossHistogram
    failure_probability: float
    needed: float

    @property
    def close(self) -> int:
        """How many of the pairs drawn are close at ε′ = needed."""
        return sum(draw.epsilon <= self.needed * (1 + 1e-12) for draw in self.draws)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return one row for each pair drawn: sums, Hamming distance, ε′ and its bin."""
        places, law = self.histogram.places, self.histogram
        pairs = [draw.pair for draw in self.draws]
        return {
            "first_sum": np.array([pair.first for pair in pairs]),
            "second_sum": np.array([pair.second for pair in pairs]),
            "hamming_distance": np.array([pair.hamming for pair in pairs]),
            "epsilon": np.array([draw.epsilon for draw in self.draws]),
            "bin_from": law.edges[places],
            "bin_to": law.edges[places + 1],
            "bin_probability": law.probability[places],
        }


def sample_pairs(
    *,
    mechanism: str,
    samples: float,
    epsilon: float,
    sigma: float,
    rate: float,
    closeness_delta: float,
    failure_probability: float,
    rng: np.random.Generator,
) -> SamplePairs:
    """Return 40 pairs of samples with their output laws, and the exact law of ε′ in bins.

    The arguments are those of `closeness`. Raises `ParameterError`.
    """
    _check_samples(mechanism, samples)
    chosen = named_mechanism(mechanism, samples=samples, epsilon=epsilon, sigma=sigma)
    draws = two_samples(
        chosen, samples=samples, rate=rate, delta=closeness_delta, draws=_DRAWS, rng=rng
    )
    return SamplePairs(
        draws,
        loss_histogram(chosen, draws, samples=samples, rate=rate, delta=closeness_delta),
        failure_probability,
        divergence_quantile(
            chosen,
            samples=samples,
            rate=rate,
            delta=closeness_delta,
            failure_probability=failure_probability,
        ),
    )


def user_level(
    *,
    noise: str,
    users: float,
    examples_per_user: float,
    epsilon: float,
    sigma: float,
    delta: float,
    rate: float,
    closeness_delta: float,
    failure_probability: float,
    constant: float,
) -> Iterator[UserChart]:
    """Yield `user_growth` for a named noise; the other arguments are those of `closeness`."""
    yield from user_growth(
        named_noise(noise, epsilon=epsilon, sigma=sigma),
        users=users,
        examples_per_user=examples_per_user,
        rate=rate,
        delta=closeness_delta,
        failure_probability=failure_probability,
        constant=constant,
        item_delta=delta,
    )


def _check_samples(mechanism: str, samples: float) -> None:
    if mechanism == "exponential" and samples > MOST_SAMPLES and math.isfinite(samples):
        raise ParameterError(
            "samples",
            f"at most {MOST_SAMPLES} for the exponential mechanism, whose exact cost grows with "
            "their square",
            samples,
        )
