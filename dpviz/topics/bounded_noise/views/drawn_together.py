"""Noise drawn for all answers together, beside noise drawn one by one, of the same privacy."""

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.joint_noise import MOST_QUERIES, SOURCE, joint_noise
from dpviz.maths.least_noise import LeastNoise, least_noise
from dpviz.maths.optimal_noise import optimal_noise
from dpviz.results.caching import Recent
from dpviz.results.evidence import (
    Axis,
    Bracket,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Mark,
    Result,
    Source,
    Subject,
)
from dpviz.results.parameters import ParameterError, validate
from dpviz.results.refining import Pace, Steps, paused
from dpviz.topics.bounded_noise.tuned_and_converse import (
    converse_radius,
    pair_radius,
    together_radius,
)

COUNTS = (1.0, 10_000.0, 10.0, 100.0, 1000.0, 30.0, 3.0, 300.0, 2.0)
"""The k of the curves, beside the reader's: both ends first."""
MOST = float(MOST_QUERIES)
"""The largest k that noise is drawn for."""
_PLANE = 2  # answers that can be drawn in a plane
_DRAWS = 250

_ONE_BY_ONE = Source("dpviz.maths.least_noise", "the smaller of tuned and truncated Laplace noise")
_PAIR = Source(
    "dpviz.maths.one_pair_converse", "or dpviz.maths.noise_converse, whichever proves more"
)
_ANY = Source("dpviz.maths.optimal_noise", "what no noise for one answer can do")


@dataclass(frozen=True, eq=False, kw_only=True)
class Radii(Chart):
    """What no error exceeds along the number of answers, in Δ.

    together: bounds on the least radius at the reader's k, of noise of this shape. alone: the least
    that is known for noise drawn one by one, NaN while it is not. floor: what no noise drawn one by
    one, all from one law, has less than. crossing: the most answers up to which noise drawn
    together is the smaller one, 0 while that is not known.
    """

    queries: int
    together: Bracket
    alone: float
    floor: float
    crossing: int = 0


@dataclass(frozen=True, eq=False)
class DrawnTogether(Result):
    """Radii along k, and errors of two answers, drawn together and one by one.

    joint, alone: of two answers, what no error exceeds and errors that were drawn, a row each, in
    Δ; alone is None while it is not known.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "part": "radius (what no error exceeds, Δ) or draw (of two answers)",
            "noise": "how the noise is drawn, or what is proven",
            "first": "the error of the first answer, Δ",
            "second": "the error of the second answer, Δ",
        }
    )

    radii: Radii
    joint: tuple[float, FloatArray]
    alone: tuple[float, FloatArray] | None

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return all that is plotted, one row a point."""
        curves, none = self.radii.curves, np.empty(0)
        draws = {"together": self.joint[1]}
        if self.alone is not None:
            draws["alone"] = self.alone[1]
        sizes = [curve.x.size for curve in curves], [len(draw) for draw in draws.values()]
        count = sum(sizes[1])
        unknown, gone = np.full(sum(sizes[0]), math.nan), np.full(count, math.nan)
        errors = np.concatenate([none.reshape(0, 2), *draws.values()])
        names = [*(curve.key for curve in curves), *draws]
        return {
            "part": np.repeat(["radius", "draw"], [unknown.size, count]),
            "noise": np.repeat(names, [*sizes[0], *sizes[1]]),
            "queries": np.concatenate([*(curve.x for curve in curves), gone]),
            "radius": np.concatenate([*(curve.y for curve in curves), gone]),
            "first": np.concatenate([unknown, errors[:, 0]]),
            "second": np.concatenate([unknown, errors[:, 1]]),
        }


def drawn_together(
    *, epsilon: float, delta: float, queries: float, rng: np.random.Generator
) -> Iterator[DrawnTogether]:
    """Yield what no error exceeds along k, of noise drawn together and one by one.

    queries: k adaptive answers, at most `MOST_QUERIES`; Δ is the most by which substituting one
    person moves an answer, all k at once. Of noise drawn one by one the least that is certified
    here (`dpviz.maths.least_noise`), and what none can have less than. The first result lacks the
    first. Raises `ParameterError`.
    """
    asked = validate("epsilon", epsilon), validate("delta", delta)
    own = validate("queries", queries)
    if own > MOST_QUERIES:
        raise ParameterError("queries", f"at most {MOST_QUERIES:,} here", queries)
    joint = joint_noise(epsilon=epsilon, delta=delta, queries=_PLANE)
    streams = rng.spawn(2)
    square = joint.radius, joint.sample(streams[0], _DRAWS)
    along = _Along(*asked, own)
    floors, known = {own: along.floor(own)}, dict[float, LeastNoise]()
    so_far = DrawnTogether(along.chart(floors, known), square, None)
    yield so_far  # what follows a slider
    pace = Pace()
    for k in COUNTS:
        floors[k] = along.floor(k)
    for k in dict.fromkeys((float(_PLANE), own, *COUNTS)):
        known[k] = yield from paused(_alone(*asked, k), pace, so_far)
        if k == _PLANE:
            drawn = known[k].radius, known[k].sample(streams[1], (_DRAWS, _PLANE))
        so_far = DrawnTogether(along.chart(floors, known), square, drawn)
        if pace.due():
            yield so_far
    crossing = yield from paused(along.crossing(known), pace, so_far)
    yield DrawnTogether(along.chart(floors, known, crossing), square, drawn)


@dataclass(frozen=True)
class _Along:
    """The privacy, and the reader's k."""

    epsilon: float
    delta: float
    queries: float

    @cached_property
    def least(self) -> float:
        """What no noise at all has less than."""
        return optimal_noise(epsilon=self.epsilon, delta=self.delta).radius.lower

    def joint(self, queries: float) -> Bracket:
        found = together_radius(self.epsilon, self.delta, queries)
        assert found is not None
        return found

    def floor(self, queries: float) -> float:
        asked = self.epsilon, self.delta, queries
        proven = max(converse_radius(*asked), pair_radius(*asked))
        return max(proven, self.least)  # of several answers each is one

    def chart(
        self, floors: Mapping[float, float], known: Mapping[float, LeastNoise], crossing: int = 0
    ) -> Radii:
        """Return the curves; known: the least noises drawn one by one."""
        x = np.union1d(COUNTS, [self.queries])
        together = [self.joint(k) for k in x.tolist()]
        upper, lower = (np.array([getattr(b, end) for b in together]) for end in ("upper", "lower"))
        counts = np.array(sorted(known))
        alone = np.array([known[k].radius for k in counts.tolist()])
        proven = np.array(sorted(floors))
        curves = (
            Curve(
                "together",
                "Drawn together",
                Subject.USER_LEVEL,
                Evidence.CERTIFIED,
                SOURCE,
                x,
                upper,
                lower,
                upper,
                weight=1.4,
            ),
            Curve(
                "alone",
                "Independent: tuned or Laplace",
                Subject.BOUNDED,
                Evidence.UPPER,
                _ONE_BY_ONE,
                counts,
                alone,
                weight=1.4,
            ),
            Curve(
                "floor",
                "No independent noise of one law below",
                Subject.LOWER_BOUND,
                Evidence.LOWER,
                _PAIR,
                proven,
                np.array([floors[k] for k in proven.tolist()]),
            ),
            Curve(
                "any",
                "No noise at all below",
                Subject.LOWER_BOUND,
                Evidence.LOWER,
                _ANY,
                x,
                np.full(x.size, self.least),
                second=True,
            ),
        )
        text = f"they cross<br>at k = {crossing:,}"
        marks = (Mark(crossing, self.joint(crossing).upper, text),) if crossing else ()
        chart = Chart(
            Axis("queries", "Queries answered, k"),
            Axis("radius", "What no error exceeds, R", unit="Δ"),
            curves if known else (curves[0], *curves[2:]),
            marks,
            self.queries,
            ("together", "alone") if self.queries in known else ("together",),
        )
        own = known.get(self.queries)
        return Radii.of(
            chart,
            queries=int(self.queries),
            together=self.joint(self.queries),
            alone=math.nan if own is None else own.radius,
            floor=floors[self.queries],
            crossing=crossing,
        )

    def crossing(self, known: Mapping[float, LeastNoise]) -> Steps[int]:
        """Return the most answers up to which together is smaller, if they cross once; else 0."""
        smaller = {k: self.joint(k).upper < noise.radius for k, noise in known.items() if k > 1}
        counts = sorted(smaller)
        turns = [
            (low, high) for low, high in itertools.pairwise(counts) if smaller[low] != smaller[high]
        ]
        if len(turns) != 1 or not smaller[turns[0][0]]:
            return 0
        low, high = turns[0]
        found = dict(known)
        while high - low > 1:
            gaps = [math.log(self.joint(k).upper / found[k].radius) for k in (low, high)]
            share = gaps[0] / (gaps[0] - gaps[1])
            about = round(low * (high / low) ** share)
            about = min(max(about, int(low) + 1), int(high) - 1)
            # Where both curves are nearly straight, the crossing is beside the place foreseen.
            for k in (float(about), float(about + 1), float(about - 1)):
                if low < k < high:
                    found[k] = yield from _alone(self.epsilon, self.delta, k)
                    is_smaller = self.joint(k).upper < found[k].radius
                    low, high = (k, high) if is_smaller else (low, k)
        return int(low)


_ALONE = Recent[LeastNoise](2**18)


def _alone(epsilon: float, delta: float, queries: float) -> Steps[LeastNoise]:
    """Return `least_noise`, remembered."""
    key = (epsilon, delta, queries)
    if (known := _ALONE.get(key)) is None:
        known = yield from least_noise.steps(epsilon=epsilon, delta=delta, queries=queries)
        _ALONE.add(key, known)
    return known
