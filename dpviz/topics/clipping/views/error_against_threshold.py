"""The expected error of the answer against the threshold τ."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.intervals import mean_interval
from dpviz.results.evidence import (
    Axis,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Landmark,
    Origin,
    Source,
    Subject,
)
from dpviz.results.papers import UL
from dpviz.results.parameters import validate
from dpviz.results.refining import Pace, coarse_to_fine, paused, whole
from dpviz.topics.clipping.errors_by_threshold import (
    best_and_last,
    errors_of_scores,
    exact_curve,
    published_curve,
    threshold_grid,
)
from dpviz.topics.clipping.simulation import Scorer
from dpviz.topics.clipping.tasks import Task, make_task

_POINTS = 29
_ROOM = 1.2  # times the exact errors: for the intervals of those on fresh data
_STRIDE = 4  # of the coarse ones among them
_SIMULATED_POINTS = 9
_RUNS = (100, 2000)
_WORK = 2e9  # clipped numbers, all runs together
_AT_ONCE = 1e7  # clipped numbers between two results, where that is enough for three thresholds


@dataclass(frozen=True, eq=False, kw_only=True)
class ThresholdChart(Chart):
    """Expected error against τ, on one data set exactly, and simulated over fresh ones.

    least: τ of the least error on these data; proposed: Theorem 37's τ; unclipped: m, where nothing
    is clipped. errors: the exact expected error at these three, and at the reader's τ, by name;
    published: at Theorem 37's τ with its sensitivity 2τ. optimum: of the best candidate. full: τ
    from which on the noise is that without clipping.
    """

    other_origins = (Origin(Evidence.EXACT, Source(UL, "Theorem 37, clipped scores")),)

    least: float
    proposed: float
    unclipped: float
    errors: dict[str, float]
    optimum: float
    full: float
    runs: int


def error_against_threshold(
    *,
    task: str,
    candidates: float,
    domain_size: float,
    users: float,
    examples_per_user: float,
    epsilon: float,
    alpha: float,
    threshold: float,
    constant: float,
    rng: np.random.Generator,
) -> Iterator[ThresholdChart]:
    """Yield the expected error against τ: on one data set, then over ever more fresh ones.

    The number of fresh data sets is fixed by n, m and the candidates, from 100 to 2,000; the
    intervals hold at any time (see `dpviz.maths.intervals.mean_interval`), each curve
    point with probability 95%. threshold: the reader's τ; constant: C of Theorem 37. Raises
    `ParameterError`.
    """
    chosen = make_task(task, candidates=int(candidates), domain_size=int(domain_size))
    m, n = int(validate("examples_per_user", examples_per_user)), int(validate("users", users))
    here = min(validate("threshold", threshold), float(m))
    proposed = chosen.proposed_threshold(alpha=alpha, examples_per_user=m, constant=constant)
    data = chosen.draw(rng, users=n, examples_per_user=m)
    pace, before = Pace(), None
    for known in _growing(data, chosen, m, epsilon, here, proposed, pace):
        if known is not before:
            shown = _chart(known, np.empty((0, 0)), np.empty(0), 0.1)
        before = known
        yield shown
    points = threshold_grid(m, _SIMULATED_POINTS, np.array([proposed]))
    fresh = Scorer(chosen, examples_per_user=m, thresholds=points)
    runs = int(np.clip(_WORK / (n * fresh.work), *_RUNS))
    span = float(chosen.errors.max() - chosen.errors.min()) or 1.0
    values = np.empty((0, points.size))
    while len(values) < runs:
        batch = min(fresh.batch(n), runs - len(values))
        steps = fresh.probabilities_steps(rng, users=n, runs=batch, epsilon=epsilon)
        laws = yield from paused(steps, pace, shown)
        values = np.concatenate([values, laws @ ((chosen.errors - chosen.optimum) / span)])
        if pace.due() or len(values) == runs:
            done = 0.1 + 0.9 * len(values) / runs
            shown = _chart(known, np.clip(values, 0, 1), points, done)
            yield shown


@dataclass(frozen=True, eq=False)
class _Known:
    """What is known exactly on the data set of the seed."""

    task: Task
    taus: FloatArray
    exact: FloatArray
    published: FloatArray
    here: float
    proposed: float

    @property
    def errors(self) -> dict[str, float]:
        at = {"here": self.here, "proposed": self.proposed, "unclipped": float(self.taus[-1])}
        places = {name: int(np.searchsorted(self.taus, tau)) for name, tau in at.items()}
        return {name: float(self.exact[place]) for name, place in places.items()} | {
            "least": float(self.exact.min()),
            "published": float(self.published[places["proposed"]]),
        }


def _growing(
    data: NDArray[np.int64],
    task: Task,
    examples_per_user: int,
    epsilon: float,
    here: float,
    proposed: float,
    pace: Pace,
) -> Iterator[_Known]:
    """Yield what is known at ever more thresholds, coarse to fine: first those of the sentence.

    The same again where the next ones take long.
    """
    m, fixed = examples_per_user, np.array([here, proposed, float(examples_per_user)])
    corner = task.full_threshold(examples_per_user=m)  # from there on noise does not grow
    taus = threshold_grid(m, _POINTS, np.append(fixed, corner))
    of_sentence = np.searchsorted(taus, fixed).tolist()
    # With both ends, which coarse_to_fine begins with, the axis stands.
    order = list(dict.fromkeys([*of_sentence, *coarse_to_fine(taus.size, _STRIDE)]))
    size = max(len(of_sentence) + 1, int(_AT_ONCE / (len(data) * len(task.rows))))
    scores, known = np.empty((taus.size, task.errors.size)), None
    for start in range(0, taus.size, size):
        new = order[start : start + size]
        scorer = Scorer(task, examples_per_user=m, thresholds=taus[new])
        steps = scorer.totals_steps(data)
        totals = whole(steps) if known is None else (yield from paused(steps, pace, known))
        scores[new] = scorer.scores_from(totals)
        places = np.sort(order[: start + size])
        some = taus[places]
        errors = errors_of_scores(scores[places], task, m, some, epsilon)
        known = _Known(task, some, *errors, here, proposed)
        yield known


def _chart(known: _Known, values: FloatArray, points: FloatArray, done: float) -> ThresholdChart:
    task, taus, errors, proposed = known.task, known.taus, known.errors, known.proposed
    least = float(taus[known.exact.argmin()])
    curves = [
        exact_curve("exact", "clipped at τ, on these data", Subject.USER_LEVEL, taus, known.exact),
        exact_curve(
            "optimum",
            "the best candidate",
            Subject.LOWER_BOUND,
            taus,
            np.full(taus.size, task.optimum),
            0.6,
        ),
    ]
    if not np.allclose(known.published, known.exact):
        curves.append(published_curve(taus, known.published))
    reach = _ROOM * float(known.exact.max())
    if len(values):
        simulated = _simulated(task, values, points)
        # Intervals of few runs would need a higher axis than those of all: they wait.
        if done == 1 or simulated.upper is None or simulated.upper.max() <= reach:
            curves.append(simulated)
    words = "the paper's τ = 1" if task.loss is not None else "the paper's τ"
    return ThresholdChart(
        x=Axis("threshold", "Clipping threshold, τ"),
        y=Axis(
            "error",
            f"Expected error ({task.metric})",
            log=False,
            base=0.0,
            reach=reach,
        ),
        curves=tuple(curves),
        landmarks=(
            *best_and_last(taus, known.exact),
            Landmark(proposed, errors["proposed"], words, Subject.LOWER_BOUND),
        ),
        here=known.here,
        in_headline=("exact",),
        least=least,
        proposed=proposed,
        unclipped=float(taus[-1]),
        errors=errors,
        optimum=task.optimum,
        full=task.full_threshold(examples_per_user=float(taus[-1])),
        runs=len(values),
        done=done,
    )


def _simulated(task: Task, values: FloatArray, points: FloatArray) -> Curve:
    """Return the mean error over fresh data, from each run's in units of the largest excess."""
    span = task.errors.max() - task.optimum
    lower, upper = mean_interval(values)
    runs = f"{len(values):,} data sets, 95% at any time"
    return Curve(
        "simulated",
        "mean over fresh data",
        Subject.EARLIER,
        Evidence.SIMULATED,
        Source("dpviz.topics.clipping.simulation", runs),
        points,
        np.clip(values.mean(axis=0), lower, upper) * span + task.optimum,
        lower=lower * span + task.optimum,
        upper=upper * span + task.optimum,
    )
