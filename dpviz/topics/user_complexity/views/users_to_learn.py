"""View: users needed to learn in d dimensions, measured, along m or along d."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from dpviz.maths.streams import Streams
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, SoFar, Source, Subject
from dpviz.results.papers import UL
from dpviz.results.parameters import ParameterError, validate
from dpviz.results.refining import Pace, coarse_to_fine
from dpviz.topics.user_complexity.bounds import Row
from dpviz.topics.user_complexity.fewest_users import Fewest, fewest_users
from dpviz.topics.user_complexity.learning_tasks import (
    COVERS,
    LEARNED,
    PAPER_SHARE,
    LearningTask,
    how_many_candidates,
    learning_task,
    most_dimensions,
)
from dpviz.topics.user_complexity.packings import proven_users
from dpviz.topics.user_complexity.rows_2023 import PURE_ROWS

FAILURE = 0.05
"""Probability with which some interval of the figure may miss."""

_ROWS = {
    "product": "ul1-product-new",
    "known": "ul1-gaussian-known-new",
    "bounded": "ul1-gaussian-bounded-new",
    "labels": "ul1-pac-new",
    "noisy_labels": "ul1-agnostic-new",
}
_EXAMPLES = (1, 2, 5, 10, 20, 50, 100)
# The fitted shape is nearly always between a quarter of the one with constants 1 and twice that.
_BELOW, _ABOVE = 4.0, 2.0
_OWN = "dpviz.topics.user_complexity"
_MEASURED = Source(_OWN, "clipped exponential mechanism on fresh users")
_UNCLIPPED = Source(_OWN, "exponential mechanism without clipping on fresh users")

_Measured = tuple[FloatArray, FloatArray, FloatArray]
"""Users, and the lower and upper ends of their intervals."""


@dataclass(frozen=True)
class Power:
    """The power of x like which n grows: d log n / d log x over all points, by least squares.

    lower, upper: what the exponent can be while every n is in its interval; of_row: that of the
    table's row, at the same x.
    """

    exponent: float
    lower: float
    upper: float
    of_row: float


@dataclass(frozen=True, eq=False, kw_only=True)
class LearningChart(Chart):
    """Users needed along m or d. fewest: at the reader's place, None if not yet known.

    power, power_unclipped: with clipping and without, None with fewer than two points.
    candidates: at the d of `dimension`; radius: there, NaN if not yet known. asked: the reader's
    own d, larger where that is too many to be run. runs: data sets drawn. clips_from: the m from
    which clipping lowers the noise, infinity for none up to 100, NaN if not yet known.
    clip_scale: C. cover: which was wished for.
    """

    learned: str
    dimension: int
    examples: int
    alpha: float
    epsilon: float
    fewest: Fewest | None
    power: Power | None
    power_unclipped: Power | None
    candidates: int
    radius: float
    asked: int
    clips_from: float
    clip_scale: float
    cover: str
    runs: int

    @property
    def along_m(self) -> bool:
        """Whether x is m, not d."""
        return self.x.name == "examples_held"

    @property
    def paper_radius(self) -> bool:
        """Whether the cover is as fine as the paper's proof asks for."""
        return self.radius <= PAPER_SHARE * self.alpha


@dataclass(eq=False)
class _Sweep:
    """A task along m or d, with what is known at each place of the grid, clipped and not."""

    learned: str
    along: str
    asked: int
    dimension: int
    examples: int
    alpha: float
    epsilon: float
    grid: tuple[int, ...]
    row: Row
    clip_scale: float
    cover: str
    clipped: dict[int, Fewest] = field(default_factory=dict)
    unclipped: dict[int, Fewest] = field(default_factory=dict)

    @property
    def here(self) -> int:
        return self.examples if self.along == "m" else self.dimension

    def at(self, place: int) -> tuple[int, int]:
        """Return d and m at one place of the grid."""
        x = self.grid[place]
        return (self.dimension, x) if self.along == "m" else (x, self.examples)

    def task(self, place: int) -> LearningTask:
        """Return the task at one place."""
        dimension = self.at(place)[0]
        return learning_task(self.learned, dimension=dimension, alpha=self.alpha, cover=self.cover)

    def threshold(self, place: int) -> float:
        """Return τ at one place."""
        return self.task(place).threshold(
            alpha=self.alpha, examples=self.at(place)[1], scale=self.clip_scale
        )

    def shape(self) -> FloatArray:
        """Return the row of Table 1 along the grid, constants dropped."""
        dimensions, examples = np.array([self.at(i) for i in range(len(self.grid))]).T
        return self.row.value(m=examples, d=dimensions, epsilon=self.epsilon, alpha=self.alpha, k=2)

    @cached_property
    def proven(self) -> FloatArray:
        """The users that no private algorithm does with fewer than, along the grid."""
        places = (self.at(place) for place in range(len(self.grid)))
        given = {"alpha": self.alpha, "epsilon": self.epsilon}
        return np.array(
            [proven_users(self.learned, dimension=d, examples=m, **given) for d, m in places],
            dtype=float,
        )

    def guess(self, place: int) -> float:
        """Return a number of users that may do, from the nearest place known and the row."""
        shape = self.shape()
        settled = [i for i, one in self.clipped.items() if math.isfinite(one.estimate)]
        if not settled:
            return float(shape[place])
        nearest = min(settled, key=lambda i: abs(i - place))
        return self.clipped[nearest].estimate * float(shape[place] / shape[nearest])


def users_to_learn(
    *,
    learned: str,
    axis: str,
    dimensions: float,
    examples_held: float,
    task_epsilon: float,
    target_error: float,
    clip_scale: float,
    cover: str,
    rng: np.random.Generator,
) -> Iterator[LearningChart]:
    """Yield the fewest users with whom the error is at most α with probability 2/3.

    learned: one of `LEARNED`; axis: "m", else along d. The mechanism is the clipped exponential
    mechanism of Theorem 37 (of Theorem 4 if labels are correct) over a cover at radius α/2. It runs
    on fresh users, clipped at C = clip_scale times its τ, and not clipped; cover: one of `COVERS`.
    All intervals hold together with probability 0.95, if success grows with n. A d whose cover is
    too large to be run is lowered. Neighbouring data sets substitute one user. Raises
    `ParameterError`.
    """
    if cover not in COVERS:
        raise ParameterError("cover", f"one of {', '.join(COVERS)}", cover)
    if learned not in LEARNED:
        raise ParameterError("learned", f"one of {', '.join(LEARNED)}", learned)
    alpha, epsilon = validate("target_error", target_error), validate("task_epsilon", task_epsilon)
    asked = int(validate("dimensions", dimensions))
    examples = int(validate("examples_held", examples_held))
    most = most_dimensions(learned, alpha=alpha)
    grid = tuple(sorted({*_EXAMPLES, examples})) if axis == "m" else tuple(range(1, most + 1))
    sweep = _Sweep(
        learned=learned,
        along="m" if axis == "m" else "d",
        asked=asked,
        dimension=min(asked, most),
        examples=examples,
        alpha=alpha,
        epsilon=epsilon,
        grid=grid,
        row=next(row for row in PURE_ROWS if row.key == _ROWS[learned]),
        clip_scale=validate("clip_scale", clip_scale),
        cover=cover,
    )
    yield _chart(sweep, 0.0)
    streams, pace = Streams(rng), Pace()
    order = coarse_to_fine(len(grid), 3, here=grid.index(sweep.here))
    for known in (sweep.clipped, sweep.unclipped):
        for step, place in enumerate(order):
            for fewest in _fewest_at(sweep, place, streams, known):
                known[place] = fewest
                if pace.due() or (fewest.finished and step == 0):  # one point fits the shape
                    part = (step + fewest.finished) / len(grid)
                    yield _chart(sweep, (part + (known is sweep.unclipped)) / 2)
    yield _chart(sweep, 1.0)


def _fewest_at(
    sweep: _Sweep, place: int, streams: Streams, known: dict[int, Fewest]
) -> Iterator[Fewest]:
    """Yield the fewest users at one place. The same users come at every ε, α and C.

    Where τ cuts nothing, what is known with clipping holds without.
    """
    dimension, examples = sweep.at(place)
    task, threshold = sweep.task(place), sweep.threshold(place)
    if known is sweep.unclipped:
        if threshold >= examples:
            yield sweep.clipped[place]
            return
        threshold = float(examples)

    def succeed(run: int, sizes: np.ndarray) -> FloatArray:
        return task.successes(
            streams.at(2 * run if run >= 0 else -2 * run - 1, dimension, examples),
            sizes=sizes,
            examples=examples,
            epsilon=sweep.epsilon,
            alpha=sweep.alpha,
            threshold=threshold,
        )

    failure = FAILURE / (2 * len(sweep.grid))
    yield from fewest_users(succeed, guess=sweep.guess(place), failure=failure)


def _with_intervals(sweep: _Sweep, known: dict[int, Fewest]) -> _Measured:
    """Return the users at each place of the grid, and the ends of their intervals."""
    y, lower, upper = (np.full(len(sweep.grid), np.nan) for _ in range(3))
    for place, one in known.items():
        if math.isfinite(one.estimate) and math.isfinite(one.interval.upper):
            lower[place], upper[place] = one.interval.lower, one.interval.upper
            y[place] = min(max(math.ceil(one.estimate), lower[place]), upper[place])
    return y, lower, upper


def _chart(sweep: _Sweep, done: float) -> LearningChart:
    x = np.array(sweep.grid, dtype=float)
    clipped = _with_intervals(sweep, sweep.clipped)
    unclipped = _with_intervals(sweep, sweep.unclipped)
    here = sweep.grid.index(sweep.here)
    settled = math.isfinite(clipped[0][here])
    task = sweep.task(here) if settled else None
    shape = sweep.shape()
    along_m = sweep.along == "m"
    return LearningChart(
        x=Axis("examples_held", "Examples each user holds, m")
        if along_m
        else Axis("dimensions", "Dimensions, d"),
        y=Axis(
            "users",
            "Users needed",
            least=1.0,
            base=min(float(shape.min()) / _BELOW, float(sweep.proven.min())),
            reach=_ABOVE * float(shape.max()),
        ),
        curves=_curves(sweep, x, clipped, unclipped),
        here=float(sweep.here),
        in_headline=("measured",),
        done=done,
        learned=sweep.learned,
        dimension=sweep.dimension,
        examples=sweep.examples,
        alpha=sweep.alpha,
        epsilon=sweep.epsilon,
        fewest=sweep.clipped.get(here) if settled else None,
        power=_power(x, *clipped, shape),
        power_unclipped=_power(x, *unclipped, shape),
        candidates=how_many_candidates(
            sweep.learned, dimension=sweep.dimension, alpha=sweep.alpha, cover=sweep.cover
        ),
        radius=task.radius if task else math.nan,
        clips_from=task.clips_from(sweep.alpha, sweep.clip_scale) if task else math.nan,
        clip_scale=sweep.clip_scale,
        cover=sweep.cover,
        asked=sweep.asked,
        so_far=_so_far(sweep.clipped.get(here)) if settled else None,
        runs=sum(one.runs for one in {*sweep.clipped.values(), *sweep.unclipped.values()}),
    )


def _so_far(fewest: Fewest | None) -> SoFar | None:
    """Return on how many data sets a number rests that is still being narrowed down."""
    going_on = fewest is not None and not fewest.finished
    return SoFar(fewest.runs, "data set") if fewest and going_on else None


def _curves(
    sweep: _Sweep, x: FloatArray, clipped: _Measured, unclipped: _Measured
) -> tuple[Curve, ...]:
    """Return the points, what is proven, and the table's row, fitted to the clipped points."""
    shape, item, y = sweep.shape(), sweep.row.source.item, clipped[0]
    settled = np.isfinite(y)
    fitted = shape * math.exp(np.mean(np.log(y / shape)[settled])) if settled.any() else shape
    drawn = [("measured", "users needed, measured", Subject.USER_LEVEL, _MEASURED, clipped)]
    if np.isfinite(unclipped[0]).any():
        drawn.insert(
            0, ("plain", "without clipping, measured", Subject.ITEM_LEVEL, _UNCLIPPED, unclipped)
        )
    points = [
        Curve(key, label, subject, Evidence.SIMULATED, source, x, y, lower=lower, upper=upper)
        for key, label, subject, source, (y, lower, upper) in drawn
    ]
    return (
        *points,
        Curve(
            "row",
            f"{item}, shape, fitted" if settled.any() else f"{item}, shape",
            Subject.USER_LEVEL,
            Evidence.ASYMPTOTIC,
            Source(UL, f"Table 1, {item}"),
            x,
            fitted,
        ),
        *_proven(x, sweep.proven),
    )


def _proven(x: FloatArray, users: FloatArray) -> Iterator[Curve]:
    """Yield the proven bound, unless all it says is that one user is needed."""
    if users.max() > 1:
        source = Source(UL, "Lemma 39, Theorem 42, with constants")
        label = "no private algorithm with fewer"
        yield Curve("proven", label, Subject.LOWER_BOUND, Evidence.LOWER, source, x, users)


def _power(
    x: FloatArray, y: FloatArray, lower: FloatArray, upper: FloatArray, shape: FloatArray
) -> Power | None:
    """Fit a power of x; all intervals at once let the exponent move by their widths."""
    settled = np.flatnonzero(np.isfinite(y))
    if settled.size < 2:
        return None
    logs = np.log(x[settled]) - np.log(x[settled]).mean()
    weights = logs / (logs @ logs)
    low, high = np.log(lower[settled]), np.log(upper[settled])
    return Power(
        exponent=float(weights @ np.log(y[settled])),
        lower=float(np.where(weights > 0, weights * low, weights * high).sum()),
        upper=float(np.where(weights > 0, weights * high, weights * low).sum()),
        of_row=float(weights @ np.log(shape[settled])),
    )
