"""How small the largest error can be, along k: what is reached, and what is proven impossible.

For noise drawn together, of any law, and for noise drawn one by one, which is independent and of
one law for all answers.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from dpviz.maths import gaussian, joint_noise
from dpviz.maths.bounded_noise import MINIMAL_FISHER_INFORMATION
from dpviz.maths.joint_optimality import excluded_radius
from dpviz.maths.laplace_rivals import TruncatedLaplace
from dpviz.maths.least_noise import LeastNoise, least_noise
from dpviz.maths.noise_converse import people_needed
from dpviz.maths.one_pair_converse import MOST_ANSWERS
from dpviz.maths.optimal_noise import EndStaircase, optimal_noise
from dpviz.maths.tuned_noise import TunedNoise
from dpviz.results.caching import cached
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.parameters import validate
from dpviz.results.refining import Pace, pause
from dpviz.topics.bounded_noise.tuned_and_converse import (
    converse_radius,
    pair_radius,
    scores_radius,
    together_radius,
)

FAR = 1e3
"""The k up to which is drawn; beyond, up to the power of ten above the reader's."""
WALLS = 0.3
"""The part of all that is computed, from which on all that is proven impossible is known."""

_CLOSED = (*range(2, 11), 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700)  # in closed form
_SEARCHED = (10.0, 3.0, 100.0)  # where noise drawn one by one is, beside both ends
_COARSE, _STEP = 20.0, 1.04  # Δ, up to which radii step by a part of Δ that can be seen; a step
_WIDER = 2.0  # times noise drawn one by one, from where on noise drawn together is not drawn
_POINTS = 241
_NAMES = {
    EndStaircase: "end staircase noise",
    TruncatedLaplace: "truncated Laplace noise",
    TunedNoise: "tuned noise",
}
_ANY = Source("dpviz.maths.joint_optimality", "the dual of joint noise; noise_converse: chains")
_APART = Source("dpviz.maths.one_pair_converse", "one pair; score_converse: sums of scores")
_LEAST = Source("dpviz.maths.least_noise", "the least certified here")


@dataclass(frozen=True)
class Limits:
    """What is known of the least R/Δ for k answers.

    together: what noise drawn together reaches; infinite where it is not computed. least: what no
    noise of any law comes below. apart, name: what noise drawn one by one reaches, and which;
    infinite and "" while it is looked for. floor: what no such noise comes below. groups, chain:
    the bounds on noise of any law, people: that the second needs; pair, scores: those besides on
    noise drawn one by one, NaN where not computed, steps: how many people the data sets of the last
    differ by.
    """

    queries: float
    together: float
    least: float
    floor: float
    groups: float
    chain: float
    pair: float
    scores: float
    people: int
    steps: int
    apart: float = math.inf
    name: str = ""

    @property
    def reached(self) -> float:
        """The smallest R that is known."""
        return min(self.together, self.apart)


@dataclass(frozen=True, eq=False, kw_only=True)
class NoiseLimits(Chart):
    """The least hard bound along k, in Δ: noise drawn together, one by one, and what none can do.

    at: all at the reader's k. settled: the largest k at which joint noise is the best of any law,
    to within Δ, by the theorem of `dpviz.maths.joint_optimality`. ends: of what is drawn, (k, R)
    from the left below to the right above. limit: πσ, from `dpviz.maths.score_converse`.
    """

    epsilon: float
    delta: float
    at: Limits
    settled: int
    ends: tuple[tuple[float, float], tuple[float, float]]
    limit: float

    def along(self) -> tuple[FloatArray, dict[str, FloatArray]]:
        """Return many k, and R there by the key of its curve: straight between what is known.

        NaN where nothing is; "reached" is the smallest known of any noise, once all is.
        """
        x = [curve.x[np.isfinite(curve.y)] for curve in self.curves]
        k = np.unique(np.concatenate([*x, np.geomspace(1, self.ends[1][0], _POINTS)]))
        found = {}
        for curve in self.curves:
            there = np.isfinite(curve.y)
            logs = np.log(curve.x[there]), np.log(curve.y[there])
            blank = {"left": math.nan, "right": math.nan}
            found[curve.key] = np.exp(np.interp(np.log(k), *logs, **blank))
        if "apart" in found:
            found["reached"] = np.fmin(found["together"], found["apart"])
        return k, found


def settled_answers(epsilon: float, delta: float) -> int:
    """Return the largest k with e^ε ≥ 2^k(1 − δ) − 1."""
    return int(math.log2((math.exp(epsilon) + 1) / (1 - delta)))


def limits_along_queries(*, epsilon: float, delta: float, queries: float) -> Iterator[NoiseLimits]:
    """Yield the least hard bound along k, coarse to fine.

    Neighbouring data sets substitute one person, which moves every answer by up to Δ. At first all
    is known but what noise drawn one by one reaches, at few k. Every R that is reached is
    certified, every floor proven, at the k named; between them lines are straight. Raises
    `ParameterError`.
    """
    privacy = validate("epsilon", epsilon), validate("delta", delta)
    here = validate("queries", queries)
    last = max(FAR, 10.0 ** math.ceil(math.log10(here) - 1e-12))
    computed = {k: _limits(*privacy, k) for k in (1.0, last, here)}
    low, high = 0.5 * computed[1.0].together, 3.2 * computed[last].floor
    settled = settled_answers(*privacy)
    sigma = gaussian.minimal_sigma(epsilon=epsilon, delta=delta, queries=queries)
    limit = float(sigma) * math.sqrt(MINIMAL_FISHER_INFORMATION)

    def result(done: float) -> NoiseLimits:
        every = list(_carried([computed[k] for k in sorted(computed)]))
        curves = tuple(_curves(every))
        across = Axis("queries", "Queries answered, k")
        up = Axis("radius", "Largest possible error, R", unit="Δ")
        headline = tuple(curve.key for curve in curves if curve.key in ("together", "apart"))
        chart = Chart(across, up, curves, here=here, in_headline=headline)
        ends = (1.0, low), (last, high)
        more = {"settled": settled, "ends": ends, "limit": limit, "done": done}
        at = next(at for at in every if at.queries == here)
        return NoiseLimits.of(chart, epsilon=privacy[0], delta=privacy[1], at=at, **more)

    yield result(0.0)
    pace = Pace()
    between = [float(k) for k in _CLOSED]
    between += [10.0**i for i in range(2, round(math.log10(last)))]
    for _ in _stepwise(computed, between, lambda k: _limits(*privacy, k)):
        if pace.due():
            yield result(WALLS / 2)
    yield result(WALLS)
    decades = [10.0**i for i in range(4, round(math.log10(last)), 2)]
    searched = list(dict.fromkeys([here, 2.0, 1.0, last, *_SEARCHED, *decades]))
    for number, k in enumerate(searched):
        least = drawn_one_by_one(*privacy, k)
        computed[k] = replace(computed[k], apart=least.radius, name=_NAMES[type(least.noise)])
        if pace.due() and number > 1:  # a line from end to end
            yield result(WALLS + (1 - WALLS) * number / len(searched))
    yield result(1.0)


def _stepwise(
    computed: dict[float, Limits], counts: Iterable[float], compute: Callable[[float], Limits]
) -> Iterator[float]:
    """Add these k, and both sides of each step of a floor that can be seen; yield each k."""
    for k in counts:
        if k not in computed:
            computed[k] = compute(k)
            yield k
    between = list(itertools.pairwise(sorted(computed)))
    while between:
        low, high = between.pop()
        one, other = computed[low], computed[high]
        ends = [(one.least, other.least), (one.floor, other.floor)]
        if high - low < 2 or not any(a <= _COARSE and b > _STEP * a for a, b in ends):
            continue
        middle = min(max(float(round(math.sqrt(low * high))), low + 1), high - 1)
        computed[middle] = compute(middle)
        yield middle
        between += [(low, middle), (middle, high)]


def _limits(epsilon: float, delta: float, queries: float) -> Limits:
    """Return what is known at k, but for noise drawn one by one."""
    together = together_radius(epsilon, delta, queries)
    alone = _alone(epsilon, delta)
    chain, pair = (of(epsilon, delta, queries) for of in (converse_radius, pair_radius))
    groups = _excluded(epsilon, delta, min(queries, joint_noise.MOST_QUERIES))
    least = max(alone, groups, chain)
    scores, steps = scores_radius(epsilon, delta, queries)
    return Limits(
        queries,
        math.inf if together is None else together.upper,
        least,
        float(np.fmax(max(pair, least), scores)),
        groups,
        chain,
        math.nan if queries > MOST_ANSWERS and pair < chain else pair,
        scores,
        people_needed(epsilon=epsilon, delta=delta, queries=queries),
        steps,
    )


@cached(2**18)
def _excluded(epsilon: float, delta: float, queries: float) -> float:
    pause()
    return excluded_radius(epsilon=epsilon, delta=delta, queries=queries)


@cached(2**18)
def _alone(epsilon: float, delta: float) -> float:
    pause()
    return optimal_noise(epsilon=epsilon, delta=delta).radius.lower


@cached(2**21)
def drawn_one_by_one(epsilon: float, delta: float, queries: float) -> LeastNoise:
    """Return `least_noise`, remembered."""
    return least_noise(epsilon=epsilon, delta=delta, queries=queries)


def _carried(computed: list[Limits]) -> Iterator[Limits]:
    """Yield what is known, by k, with what is proven for fewer answers: it holds for more."""
    least = floor = 0.0
    for at in computed:
        least, floor = max(least, at.least), max(floor, at.floor)
        yield replace(at, least=least, floor=floor)


def _curves(computed: list[Limits]) -> Iterator[Curve]:
    """Yield what is reached and proven, of each kind of noise."""
    k = np.array([at.queries for at in computed])
    apart = np.array([at.apart for at in computed])
    there = np.isfinite(apart)
    together = np.array([at.together for at in computed])
    if there.any():
        beside = np.exp(np.interp(np.log(k), np.log(k[there]), np.log(apart[there])))
        together[together > _WIDER * beside] = math.inf
    together[np.isinf(together)] = math.nan
    least, floor = (np.array([getattr(at, name) for at in computed]) for name in ("least", "floor"))
    upper, lower = Evidence.UPPER, Evidence.LOWER
    user, wall = Subject.USER_LEVEL, Subject.LOWER_BOUND
    yield Curve("together", "Drawn together", user, upper, joint_noise.SOURCE, k, together)
    yield Curve("least", "No noise at all below", wall, lower, _ANY, k, least)
    if there.any():
        label = "Best drawn one by one here"
        yield Curve("apart", label, Subject.BOUNDED, upper, _LEAST, k[there], apart[there])
    label = "None drawn one by one below"
    yield Curve("floor", label, wall, lower, _APART, k, floor, weight=0.7)
