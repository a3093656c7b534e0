"""View: two fresh samples of items in k categories, and the histogram with Gaussian noise."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from dpviz.maths.sum_mechanisms import GaussianCount
from dpviz.results.evidence import (
    Axis,
    Bracket,
    Chart,
    Claim,
    Curve,
    Evidence,
    FloatArray,
    Source,
    Subject,
)
from dpviz.results.papers import UL
from dpviz.results.parameters import LIMITS, validate
from dpviz.results.refining import Pace, coarse_to_fine
from dpviz.topics.perfect_generalization.simulated_quantile import BETA, quantile_interval

_RUNS = 200


@dataclass(frozen=True, eq=False, kw_only=True)
class CategoriesChart(Chart):
    """The ε′ within which outputs on 95% of pairs of samples are (ε′, δ′)-close, along k.

    needed: at the reader's k, simulated; any_two: for any two data sets whatsoever.
    """

    needed: float
    any_two: float

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The ε′ of 95% of pairs, below what is proven."""
        seen = self.claim("needed", "ε′ of 95% of pairs")
        return (replace(seen, proven=Bracket(0.0, self.value("proven"))),)


def close_histograms(
    *,
    categories: float,
    samples: float,
    sigma: float,
    closeness_delta: float,
    rng: np.random.Generator,
) -> Iterator[CategoriesChart]:
    """Yield how close noisy histograms of two fresh samples are, along the number of categories.

    Each sample holds n items, each in one of k categories with equal probability; the counts of
    all categories are released with N(0, σ²) each. Two outputs differ by the Euclidean distance of
    the counts, which decides the divergence: substitution of an item moves it by √2. Raises
    `ParameterError`.
    """
    n, here = int(validate("samples", samples)), int(validate("categories", categories))
    noise = GaussianCount(validate("sigma", sigma))
    delta = validate("closeness_delta", closeness_delta)
    limit = LIMITS["categories"]
    x = np.unique([here, *np.rint(np.geomspace(limit.minimum, limit.maximum, 11))])
    place = int(np.searchsorted(x, here))
    quantiles = np.full((3, x.size), np.nan)
    pace = Pace()
    for i in coarse_to_fine(x.size, 4, here=place):
        distances = sample_distances(rng, samples=n, categories=int(x[i]), runs=_RUNS)
        quantiles[:, i] = [float(end[0]) for end in quantile_interval(distances[:, None])]
        if i == place or pace.due():
            yield _chart(x, quantiles, here, n, noise, delta)
    yield _chart(x, quantiles, here, n, noise, delta)


def sample_distances(
    rng: np.random.Generator, *, samples: int, categories: int, runs: int
) -> FloatArray:
    """Return the Euclidean distances of the counts of pairs of independent samples."""
    counts = rng.multinomial(samples, np.full(categories, 1 / categories), (2, runs))
    return np.asarray(np.sqrt(((counts[0] - counts[1]).astype(float) ** 2).sum(axis=1)))


def distance_bound(samples: float, categories: FloatArray) -> FloatArray:
    """Return a distance that at most a share `BETA` of pairs of samples exceeds: proven.

    For every law on k categories: the mean of the squared distance is 2n(1 − Σp²) ≤ 2n(1 − 1/k),
    and each of the 2n items moves the distance by at most √2, so that McDiarmid's inequality adds
    √(2n ln(1/β)).
    """
    mean = np.sqrt(2 * samples * (1 - 1 / np.asarray(categories, dtype=float)))
    return np.asarray(mean + math.sqrt(2 * samples * math.log(1 / BETA)))


def _chart(
    x: FloatArray,
    quantiles: FloatArray,
    here: int,
    samples: int,
    noise: GaussianCount,
    delta: float,
) -> CategoriesChart:
    def loss(distance: FloatArray) -> FloatArray:
        known = np.isfinite(distance)
        least = noise.least_epsilon(np.where(known, distance, 0.0), delta=delta)
        return np.where(known, least, np.nan)

    farthest = math.sqrt(2) * samples
    middle, low, high, any_two = loss(np.vstack([*quantiles, np.full(x.shape, farthest)]))
    # In two categories the mean square of the distance is n, in more it is larger.
    least, most = loss(np.array([math.sqrt(samples), farthest]))
    own = "dpviz.topics.perfect_generalization"
    curves = (
        Curve(
            "needed",
            "95% of pairs of samples",
            Subject.ITEM_LEVEL,
            Evidence.SIMULATED,
            Source(UL, "Definition 12"),
            x,
            middle,
            lower=low,
            upper=high,
            told="_upper",
        ),
        Curve(
            "proven",
            "all pairs but 5%: proven",
            Subject.USER_LEVEL,
            Evidence.UPPER,
            Source(own, "McDiarmid's inequality"),
            x,
            loss(distance_bound(samples, x)),
        ),
        Curve(
            "any",
            "any two data sets",
            Subject.EARLIER,
            Evidence.EXACT,
            Source(own, "Gaussian mechanism, shift √2·n"),
            x,
            any_two,
        ),
    )
    return CategoriesChart(
        x=Axis("categories", "Categories of an item, k"),
        y=Axis(
            "epsilon", "ε′ at which the two outputs are close", base=float(least), reach=float(most)
        ),
        curves=curves,
        here=float(here),
        in_headline=("needed", "any"),
        done=float(np.mean(np.isfinite(quantiles[0]))),
        needed=float(middle[x == here][0]),
        any_two=float(any_two[0]),
    )
