"""View: two samples at a time, their two output laws, and how far apart these are."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.distance_mechanism import Outputs, Pair
from dpviz.maths.finite_exponential import FiniteExponential, Mechanism
from dpviz.maths.gaussian_samples import CLIP, GaussianMean
from dpviz.maths.randomized_response import RandomizedResponse
from dpviz.results.evidence import Evidence, FloatArray, Origin, Result, Source
from dpviz.results.papers import UL
from dpviz.results.parameters import ParameterError, validate
from dpviz.topics.perfect_generalization.closeness import divergence_quantile, loss_quantile
from dpviz.topics.perfect_generalization.named_mechanisms import check_samples, named_mechanism

MOST_DRAWS = 60
_DRAWS = 40
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Draw:
    """One pair of samples: sums and Hamming distance, the two output laws, and the ε′ needed."""

    pair: Pair
    outputs: Outputs
    epsilon: float

    @property
    def farthest(self) -> float:
        """An output at which one law is e^ε′ times the other: of several one that is likely."""
        ratio = self._ratio()
        enough = np.flatnonzero(ratio >= min(self.epsilon * (1 - 1e-9), ratio.max()))
        height = np.maximum(self.outputs.first, self.outputs.second)
        half = np.abs(height[enough] - height.max() / 2).argmin()
        return float(self.outputs.x[enough[half]])

    @property
    def there(self) -> float:
        """How far apart the two laws are at `farthest`: ln of how many times as likely."""
        return float(self._ratio()[np.searchsorted(self.outputs.x, self.farthest)])

    def _ratio(self) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.abs(np.log(self.outputs.first) - np.log(self.outputs.second))
        return np.where(np.isfinite(ratio), ratio, 0.0)


@dataclass(frozen=True, eq=False)
class SamplePairs(Result):
    """Pairs of samples, one after the other, of which the last one is shown.

    It is the one farthest apart among those that need no more than nearly all pairs do, so that
    most of the others are as close. samples: in each, n; coins: whether they are bits.
    closeness_delta: δ′. needed: the ε′ that suffices for all but a share β of all pairs, exactly;
    surely: one that does so without δ′, of every output, if such is known, else inf.
    apart: the two most unlike samples; places: where on the axis of outputs the two samples of each
    pair lie, if they do.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "first_sum": "sum of the first sample",
            "second_sum": "sum of the second sample",
            "hamming_distance": "places in which the two samples differ",
            "epsilon": "ε′ at which the two outputs are (ε′, δ′)-close",
        }
    )

    other_origins = (
        Origin(Evidence.EXACT, Source(UL, "Definition 12")),
        Origin(
            Evidence.SIMULATED,
            Source("dpviz.topics.perfect_generalization", "pairs of samples drawn"),
        ),
    )

    draws: tuple[Draw, ...]
    samples: int
    coins: bool
    failure_probability: float
    closeness_delta: float
    needed: float
    surely: float
    apart: Draw
    places: FloatArray | None

    @property
    def unlike(self) -> float:
        """The ε′ that the two most unlike samples need, which group privacy must allow for."""
        return self.apart.epsilon

    @property
    def losses(self) -> FloatArray:
        """The ε′ of each pair drawn."""
        return np.array([draw.epsilon for draw in self.draws])

    @property
    def shown(self) -> float:
        """The ε′ of the pair that is shown."""
        return self.draws[-1].epsilon

    @property
    def close(self) -> NDArray[np.bool_]:
        """Which of the pairs drawn are no farther apart than nearly all pairs are."""
        return np.asarray(self.losses <= self.needed * (1 + _ROUNDING))

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return one row for each pair drawn: sums, Hamming distance and ε′."""
        pairs = [draw.pair for draw in self.draws]
        return {
            "first_sum": np.array([pair.first for pair in pairs]),
            "second_sum": np.array([pair.second for pair in pairs]),
            "hamming_distance": np.array([pair.hamming for pair in pairs]),
            "epsilon": self.losses,
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
    """Return 40 pairs of samples with their output laws.

    closeness_delta: δ′; failure_probability: β. Raises `ParameterError`.
    """
    check_samples(mechanism, samples)
    chosen = named_mechanism(mechanism, samples=samples, epsilon=epsilon, sigma=sigma)
    draws = two_samples(
        chosen, samples=samples, rate=rate, delta=closeness_delta, draws=_DRAWS, rng=rng
    )
    needed = divergence_quantile(
        chosen,
        samples=samples,
        rate=rate,
        delta=closeness_delta,
        failure_probability=failure_probability,
    )
    ordered = _farthest_last(draws, needed)
    return SamplePairs(
        ordered,
        int(samples),
        mechanism != "mean",
        failure_probability,
        closeness_delta,
        needed,
        loss_quantile(chosen, samples=samples, rate=rate, failure_probability=failure_probability),
        _most_unlike(chosen, int(samples), closeness_delta),
        _places(chosen, [draw.pair for draw in ordered]),
    )


def _farthest_last(draws: tuple[Draw, ...], needed: float) -> tuple[Draw, ...]:
    """Return the pairs with the farthest last of those that are close at ε′ = needed, if any is."""
    within = [draw for draw in draws if draw.epsilon <= needed * (1 + _ROUNDING)]
    last = max(within, key=_loss) if within else min(draws, key=_loss)
    return (*(draw for draw in draws if draw is not last), last)


def _loss(draw: Draw) -> float:
    return draw.epsilon


def _most_unlike(mechanism: Mechanism, samples: int, delta: float) -> Draw:
    """Return the two most unlike samples and the ε′ they need: of bits, n zeros and n ones."""
    pair = mechanism.farthest_pair(samples)
    return Draw(pair, mechanism.outputs(pair), float(_losses(mechanism, [pair], delta)[0]))


def _places(mechanism: Mechanism, pairs: list[Pair]) -> FloatArray | None:
    """Return where on the axis of outputs samples lie: a row for each pair; None if nowhere."""
    if isinstance(mechanism, RandomizedResponse):
        return None
    sums = np.array([[pair.first, pair.second] for pair in pairs], dtype=float)
    return sums / (2 * CLIP) if isinstance(mechanism, GaussianMean) else sums


def two_samples(
    mechanism: Mechanism,
    *,
    samples: float,
    rate: float,
    delta: float,
    draws: int,
    rng: np.random.Generator,
) -> tuple[Draw, ...]:
    """Return draws of two fresh samples, each with its output laws and its least ε′ at δ′ = delta.

    draws: from 1 to 60, the frames of an animation. Their ε′ are independent draws, each
    the least at which the two outputs are close. Raises `ParameterError`.
    """
    n, p = int(validate("samples", samples)), validate("rate", rate)
    allowed = validate("closeness_delta", delta)
    if not 1 <= draws <= MOST_DRAWS:
        raise ParameterError("draws", f"a whole number from 1 to {MOST_DRAWS}", draws)
    pairs = [mechanism.draw(n, p, rng) for _ in range(int(draws))]
    losses = _losses(mechanism, pairs, allowed)
    return tuple(
        Draw(pair, mechanism.outputs(pair), float(loss))
        for pair, loss in zip(pairs, losses, strict=True)
    )


def _losses(mechanism: Mechanism, pairs: list[Pair], delta: float) -> FloatArray:
    if isinstance(mechanism, FiniteExponential):
        first, second = (
            np.array([float(getattr(pair, side)) for pair in pairs]) for side in ("first", "second")
        )
        return np.diagonal(mechanism.least_epsilon(first, second, delta=delta))
    distances = np.array([float(mechanism.distance(pair)) for pair in pairs])
    return mechanism.least_epsilon(distances, delta=delta)
