"""View: users needed to learn in d dimensions, measured, along m or along d."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from dpviz.maths.streams import Streams
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.papers import UL
from dpviz.results.parameters import ParameterError, validate
from dpviz.results.refining import Pace, coarse_to_fine
from dpviz.topics.user_complexity.bounds import Row
from dpviz.topics.user_complexity.fewest_users import Fewest, fewest_users
from dpviz.topics.user_complexity.learning_tasks import (
    LEARNED,
    how_many_candidates,
    learning_task,
    most_dimensions,
)
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
_MEASURED = Source("dpviz.topics.user_complexity", "clipped exponential mechanism on fresh users")


@dataclass(frozen=True)
class Slope:
    """d log n / d log x over all points, by least squares.

    lower, upper: what it can be while every n is in its interval; row: of the table's row, at the
    same x.
    """

    slope: float
    lower: float
    upper: float
    row: float


@dataclass(frozen=True, eq=False, kw_only=True)
class LearningChart(Chart):
    """Users needed along m or d. fewest: at the reader's place, None if not yet known.

    slope: None with fewer than two points. candidates: at the d of `dimension`; radius: there, NaN
    if not yet known. asked: the reader's own d, larger where that is too many to be run. runs: data
    sets drawn. clips_from: the m from which clipping lowers the noise, 0 if not yet known.
    """

    learned: str
    dimension: int
    examples: int
    alpha: float
    epsilon: float
    fewest: Fewest | None
    slope: Slope | None
    candidates: int
    radius: float
    asked: int
    clips_from: int
    runs: int

    @property
    def along_m(self) -> bool:
        """Whether x is m, not d."""
        return self.x.name == "examples_held"


@dataclass(eq=False)
class _Sweep:
    learned: str
    along: str
    asked: int
    dimension: int
    examples: int
    alpha: float
    epsilon: float
    grid: tuple[int, ...]
    row: Row
    known: dict[int, Fewest] = field(default_factory=dict)

    @property
    def here(self) -> int:
        return self.examples if self.along == "m" else self.dimension

    def at(self, place: int) -> tuple[int, int]:
        """Return d and m at one place of the grid."""
        x = self.grid[place]
        return (self.dimension, x) if self.along == "m" else (x, self.examples)

    def shape(self) -> FloatArray:
        """Return the row of Table 1 along the grid, constants dropped."""
        dimensions, examples = np.array([self.at(i) for i in range(len(self.grid))]).T
        return self.row.value(m=examples, d=dimensions, epsilon=self.epsilon, alpha=self.alpha, k=2)

    def guess(self, place: int) -> float:
        """Return a number of users that may do, from the nearest place known and the row."""
        shape = self.shape()
        settled = [i for i, one in self.known.items() if math.isfinite(one.estimate)]
        if not settled:
            return float(shape[place])
        nearest = min(settled, key=lambda i: abs(i - place))
        return self.known[nearest].estimate * float(shape[place] / shape[nearest])


def users_to_learn(
    *,
    learned: str,
    axis: str,
    dimensions: float,
    examples_held: float,
    task_epsilon: float,
    target_error: float,
    rng: np.random.Generator,
) -> Iterator[LearningChart]:
    """Yield the fewest users with whom the answer errs by at most α with probability 2/3.

    learned: one of `LEARNED`; axis: "m", else along d. The clipped exponential mechanism of
    Theorem 37 (labels correct: of Theorem 4) over a cover at radius α/2, on fresh users; all
    intervals hold together with probability 0.95, if success grows with n. A d whose cover is too
    large to be run is lowered. Neighbours: one user substituted. Raises `ParameterError`.
    """
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
    )
    yield _chart(sweep, 0.0)
    streams, pace = Streams(rng), Pace()
    order = coarse_to_fine(len(grid), 3, here=grid.index(sweep.here))
    for step, place in enumerate(order):
        for found in _at(sweep, place, streams):
            sweep.known[place] = found
            if pace.due() or (found.finished and step == 0):  # one point fits the shape
                yield _chart(sweep, (step + found.finished) / len(grid))
    yield _chart(sweep, 1.0)


def _at(sweep: _Sweep, place: int, streams: Streams) -> Iterator[Fewest]:
    """Yield the fewest users at one place. The same users come at every ε and every α."""
    dimension, examples = sweep.at(place)
    task = learning_task(sweep.learned, dimension=dimension, alpha=sweep.alpha)

    def succeed(run: int, sizes: np.ndarray) -> FloatArray:
        return task.successes(
            streams.at(2 * run if run >= 0 else -2 * run - 1, dimension, examples),
            sizes=sizes,
            examples=examples,
            epsilon=sweep.epsilon,
            alpha=sweep.alpha,
        )

    failure = FAILURE / len(sweep.grid)
    yield from fewest_users(succeed, guess=sweep.guess(place), failure=failure)


def _chart(sweep: _Sweep, done: float) -> LearningChart:
    x = np.array(sweep.grid, dtype=float)
    y, lower, upper = (np.full(x.size, np.nan) for _ in range(3))
    for place, one in sweep.known.items():
        if math.isfinite(one.estimate) and math.isfinite(one.interval.upper):
            lower[place], upper[place] = one.interval.lower, one.interval.upper
            y[place] = min(max(math.ceil(one.estimate), lower[place]), upper[place])
    settled = np.isfinite(y)
    here = sweep.grid.index(sweep.here)
    task = None
    if settled[here]:
        task = learning_task(sweep.learned, dimension=sweep.dimension, alpha=sweep.alpha)
    along_m = sweep.along == "m"
    return LearningChart(
        x=Axis("examples_held", "examples each user holds, m")
        if along_m
        else Axis("dimensions", "dimensions d"),
        y=Axis("users", "users needed", least=1.0),
        curves=_curves(sweep, x, y, lower, upper),
        here=float(sweep.here),
        told=("measured",) if settled[here] else (),
        done=done,
        learned=sweep.learned,
        dimension=sweep.dimension,
        examples=sweep.examples,
        alpha=sweep.alpha,
        epsilon=sweep.epsilon,
        fewest=sweep.known.get(here) if settled[here] else None,
        slope=_slope(x, y, lower, upper, sweep.shape()),
        candidates=how_many_candidates(sweep.learned, dimension=sweep.dimension, alpha=sweep.alpha),
        radius=task.radius if task else math.nan,
        clips_from=task.clips_from(sweep.alpha) if task else 0,
        asked=sweep.asked,
        runs=sum(one.runs for one in sweep.known.values()),
    )


def _curves(
    sweep: _Sweep, x: FloatArray, y: FloatArray, lower: FloatArray, upper: FloatArray
) -> tuple[Curve, ...]:
    """Return the points, and the table's row, fitted to them in the mean of the logarithms."""
    shape, item, settled = sweep.shape(), sweep.row.source.item, np.isfinite(y)
    fitted = shape * math.exp(np.mean(np.log(y / shape)[settled])) if settled.any() else shape
    return (
        Curve(
            "measured",
            "users needed, measured",
            Subject.USER_LEVEL,
            Evidence.SIMULATED,
            _MEASURED,
            x,
            y,
            lower=lower,
            upper=upper,
        ),
        Curve(
            "row",
            f"{item}, shape, fitted" if settled.any() else f"{item}, shape",
            Subject.LOWER_BOUND,
            Evidence.ASYMPTOTIC,
            Source(UL, f"Table 1, {item}"),
            x,
            fitted,
        ),
    )


def _slope(
    x: FloatArray, y: FloatArray, lower: FloatArray, upper: FloatArray, shape: FloatArray
) -> Slope | None:
    """Fit a power of x; all intervals at once allow the slope to move by their widths."""
    settled = np.flatnonzero(np.isfinite(y))
    if settled.size < 2:
        return None
    logs = np.log(x[settled]) - np.log(x[settled]).mean()
    weights = logs / (logs @ logs)
    low, high = np.log(lower[settled]), np.log(upper[settled])
    return Slope(
        slope=float(weights @ np.log(y[settled])),
        lower=float(np.where(weights > 0, weights * low, weights * high).sum()),
        upper=float(np.where(weights > 0, weights * high, weights * low).sum()),
        row=float(weights @ np.log(shape[settled])),
    )
