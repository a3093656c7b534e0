"""Tuned noise, noise drawn together, and what no independent noise comes below: curves."""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from dpviz.maths import joint_noise
from dpviz.maths.accounting.tuning import Tuned, tuned_alone
from dpviz.maths.noise_converse import chain_radius
from dpviz.maths.one_pair_converse import MOST_ANSWERS, one_pair_radius
from dpviz.maths.score_converse import radius_above
from dpviz.results.caching import cached
from dpviz.results.evidence import Bracket, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.refining import Pace, pause
from dpviz.topics.bounded_noise.error_points import Point

TUNED = Source("dpviz.maths.accounting.tuning", "tuned noise, accounted exactly")
CONVERSE = Source(
    "dpviz.maths.noise_converse",
    "chains of shifts against composed trade-offs, each step another person",
)
_WIDER = 2.0  # times independent noise, from where on noise drawn together is not drawn


def together_curve(x: FloatArray, radii: Sequence[Bracket | None], beside: FloatArray) -> Curve:
    """Return what noise drawn together never exceeds, up to twice what is beside it.

    x: of the chart. radii: of the noise; None where it is not computed.
    """
    lower, upper = (
        np.array([math.nan if one is None else getattr(one, end) for one in radii])
        for end in ("lower", "upper")
    )
    upper[upper > _WIDER * beside] = math.nan
    lower[np.isnan(upper)] = math.nan
    kind = Subject.USER_LEVEL, Evidence.CERTIFIED, joint_noise.SOURCE
    return Curve("together", "Drawn together", *kind, x, upper, lower, upper)


@cached(2**18)
def together_radius(epsilon: float, delta: float, queries: float) -> Bracket | None:
    """Return `joint_radius`, remembered; None beyond the answers it takes."""
    pause()
    if queries > joint_noise.MOST_QUERIES:
        return None
    return joint_noise.joint_radius(epsilon=epsilon, delta=delta, queries=queries)


def converse_curve(points: Sequence[Point], unit: FloatArray) -> Curve:
    """Return the radius below which no independent noise is private, along the points."""
    radii = [converse_radius(p.epsilon, p.delta, p.queries) for p in points]
    return Curve(
        "converse",
        "No independent noise below",
        Subject.LOWER_BOUND,
        Evidence.LOWER,
        CONVERSE,
        np.array([p.x for p in points]),
        np.array(radii) / unit,
    )


def tuned_curves(points: Sequence[Point], unit: FloatArray) -> Iterator[Curve]:
    """Yield what tuned noise never exceeds, along more and more of the points, and at last all."""
    lower, upper = (np.full(len(points), math.nan) for _ in range(2))
    pace = Pace()
    for i, point in enumerate(points):
        found = _tuned(point.epsilon, point.delta, point.queries)
        lower[i], upper[i] = found.radius.lower, found.radius.upper
        if pace.due():
            yield _tuned_curve(points, lower / unit, upper / unit)
    yield _tuned_curve(points, lower / unit, upper / unit)


def _tuned_curve(points: Sequence[Point], lower: FloatArray, upper: FloatArray) -> Curve:
    x = np.array([p.x for p in points])
    return Curve(
        "tuned",
        "Tuned, certain",
        Subject.BOUNDED,
        Evidence.CERTIFIED,
        TUNED,
        x,
        upper.copy(),
        lower,
        upper,
        weight=0.7,
    )


@cached(16 * 2**20)  # 26 kB each
def _tuned(epsilon: float, delta: float, queries: float) -> Tuned:
    return tuned_alone(epsilon=epsilon, delta=delta, queries=queries)


@lru_cache(maxsize=4096)
def converse_radius(epsilon: float, delta: float, queries: float) -> float:
    """Return `chain_radius`, remembered."""
    pause()
    return chain_radius(epsilon=epsilon, delta=delta, queries=queries)


def pair_radius(epsilon: float, delta: float, queries: float) -> float:
    """Return `one_pair_radius`, remembered."""
    return _pair_radius(epsilon, delta, min(queries, MOST_ANSWERS))


@lru_cache(maxsize=4096)
def _pair_radius(epsilon: float, delta: float, queries: float) -> float:
    pause()
    return one_pair_radius(epsilon=epsilon, delta=delta, queries=queries)


@cached(2**20)
def scores_radius(epsilon: float, delta: float, queries: float) -> tuple[float, int]:
    """Return `radius_above` what chains and pairs prove, remembered; NaN and 0 for nothing more."""
    pause()
    others = max(converse_radius(epsilon, delta, queries), pair_radius(epsilon, delta, queries))
    found = radius_above(others, epsilon=epsilon, delta=delta, queries=queries)
    return (math.nan, 0) if found is None else found
