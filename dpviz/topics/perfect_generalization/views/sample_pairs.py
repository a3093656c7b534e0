"""View: two samples at a time, their two output laws, and how far apart these are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.distance_mechanism import Outputs, Pair
from dpviz.maths.finite_exponential import FiniteExponential, Mechanism
from dpviz.results.evidence import Evidence, FloatArray, Origin, Result, Source
from dpviz.results.papers import UL
from dpviz.results.parameters import ParameterError, validate
from dpviz.topics.perfect_generalization.closeness import divergence_quantile, pair_losses
from dpviz.topics.perfect_generalization.mechanisms import check_samples, named_mechanism

MOST_DRAWS = 60
_DRAWS = 40
_MOST_BINS = 60
_RARE = 1e-4  # what lies beyond shares the bins at the ends


@dataclass(frozen=True, eq=False)
class Draw:
    """One pair of samples: sums and Hamming distance, the two output laws, and the ε′ needed."""

    pair: Pair
    outputs: Outputs
    epsilon: float

    @property
    def farthest(self) -> float:
        """An output at which one law is e^ε′ times the other: of several one that is likely."""
        laws = self.outputs.first, self.outputs.second
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.abs(np.log(laws[0]) - np.log(laws[1]))
        ratio = np.where(np.isfinite(ratio), ratio, 0.0)
        enough = np.flatnonzero(ratio >= min(self.epsilon * (1 - 1e-9), ratio.max()))
        height = np.maximum(*laws)
        half = np.abs(height[enough] - height.max() / 2).argmin()
        return float(self.outputs.x[enough[half]])


@dataclass(frozen=True, eq=False)
class LossHistogram:
    """The law of ε′ in bins, and the bins of the draws.

    edges: of the bins, in ε′, ascending. probability: exact, of each bin; the first and the last
    hold all that lies beyond. places: the bin of each draw, in the order of the draws.
    """

    edges: FloatArray
    probability: FloatArray
    places: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class SamplePairs(Result):
    """Pairs of samples, one after the other, and the exact law their ε′ are drawn from.

    samples: in each, n; coins: whether they are bits. needed: the ε′ that suffices for all but a
    share β of all pairs, exactly; close: how many of the pairs drawn it suffices for. unlike: the
    ε′ that the two most unlike samples need, which group privacy must allow for.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "first_sum": "sum of the first sample",
            "second_sum": "sum of the second sample",
            "hamming_distance": "places in which the two samples differ",
            "epsilon": "ε′ at which the two outputs are (ε′, δ′)-close",
            "bin_from": "lower end of its bin of ε′",
            "bin_to": "upper end of its bin",
            "bin_probability": "probability of the bin, over all pairs",
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
    histogram: LossHistogram
    samples: int
    coins: bool
    failure_probability: float
    needed: float
    unlike: float

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

    The arguments are those of `how_close_how_likely`. Raises `ParameterError`.
    """
    check_samples(mechanism, samples)
    chosen = named_mechanism(mechanism, samples=samples, epsilon=epsilon, sigma=sigma)
    draws = two_samples(
        chosen, samples=samples, rate=rate, delta=closeness_delta, draws=_DRAWS, rng=rng
    )
    return SamplePairs(
        draws,
        loss_histogram(chosen, draws, samples=samples, rate=rate, delta=closeness_delta),
        int(samples),
        mechanism != "mean",
        failure_probability,
        divergence_quantile(
            chosen,
            samples=samples,
            rate=rate,
            delta=closeness_delta,
            failure_probability=failure_probability,
        ),
        _of_the_most_unlike(chosen, int(samples), closeness_delta),
    )


def _of_the_most_unlike(mechanism: Mechanism, samples: int, delta: float) -> float:
    """Return the ε′ of the two most unlike samples: for bits, of n zeros and n ones."""
    if isinstance(mechanism, FiniteExponential):
        return float(mechanism.least_epsilon([0.0], [float(samples)], delta=delta)[0, 0])
    return float(mechanism.least_epsilon(float(mechanism.most_apart(samples)), delta=delta))


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


def loss_histogram(
    mechanism: Mechanism,
    draws: Sequence[Draw],
    *,
    samples: float,
    rate: float,
    delta: float,
    bins: int = 20,
) -> LossHistogram:
    """Return the exact law of ε′ in at most `bins` bins, and where the draws fall.

    samples, rate, delta: those of the draws. Bins end at distances that occur, so that their
    probabilities are exact. Raises `ParameterError`.
    """
    n, p = int(validate("samples", samples)), validate("rate", rate)
    allowed = validate("closeness_delta", delta)
    if not 2 <= bins <= _MOST_BINS:
        raise ParameterError("bins", f"a whole number from 2 to {_MOST_BINS}", bins)
    if isinstance(mechanism, FiniteExponential):
        losses, masses = pair_losses(mechanism, samples=n, rate=p, delta=allowed)
        most = losses[masses > _RARE * masses.max()].max()
        edges = np.linspace(0.0, most if most > 0 else 1.0, bins + 1)
        inner = edges[1:-1]
        probability = np.bincount(np.searchsorted(inner, losses), weights=masses, minlength=bins)
        places = np.searchsorted(inner, np.array([draw.epsilon for draw in draws]))
        return LossHistogram(edges, probability.astype(float), places)
    law = mechanism.distance_law(n, p)
    ends = law.quantile(1 - _RARE), law.quantile(_RARE)
    upper = np.unique(np.rint(np.linspace(*ends, bins)))
    # distances that are close at ε′ = 0 share the first bin
    losses = mechanism.least_epsilon(upper, delta=allowed)
    first = min(int(np.count_nonzero(losses == 0)), upper.size - 1)
    upper, losses = upper[first:], losses[first:]
    below = -np.expm1(law.log_above(upper[:-1]))
    distances = np.array([float(mechanism.distance(draw.pair)) for draw in draws])
    return LossHistogram(
        np.append(0.0, losses),
        np.diff(np.concatenate([[0.0], below, [1.0]])),
        np.searchsorted(upper[:-1], distances),
    )


def _losses(mechanism: Mechanism, pairs: list[Pair], delta: float) -> FloatArray:
    if isinstance(mechanism, FiniteExponential):
        first, second = (
            np.array([float(getattr(pair, side)) for pair in pairs]) for side in ("first", "second")
        )
        return np.diagonal(mechanism.least_epsilon(first, second, delta=delta))
    distances = np.array([float(mechanism.distance(pair)) for pair in pairs])
    return mechanism.least_epsilon(distances, delta=delta)
