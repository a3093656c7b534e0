"""The expected error of the answer against the threshold τ."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpviz.results.evidence import (
    Axis,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Mark,
    Origin,
    Source,
    Subject,
)
from dpviz.results.papers import UL
from dpviz.results.parameters import validate
from dpviz.results.refining import Pace
from dpviz.topics.clipping.simulation import Scorer, mean_interval
from dpviz.topics.clipping.tasks import Task, make_task

OWN = Source("dpviz.topics.clipping")

_POINTS = 29
_COARSE_POINTS = 8
_SIMULATED_POINTS = 9
_SMALLEST_PART = 300  # of m, down to which τ goes
_RUNS = (100, 2000)
_WORK = 2e9  # clipped numbers, all runs together


@dataclass(frozen=True, eq=False, kw_only=True)
class ThresholdChart(Chart):
    """Expected error against τ, on one data set exactly, and simulated over fresh ones.

    least: τ of the least error on these data; proposed: Theorem 37's τ; unclipped: m, where nothing
    is clipped. errors: the exact expected error at these three, and at the reader's τ, by name.
    optimum: of the best candidate. done: from 0 to 1.
    """

    origins: ClassVar = (Origin(Evidence.EXACT, Source(UL, "Theorem 37, clipped scores")),)

    least: float
    proposed: float
    unclipped: float
    errors: dict[str, float]
    optimum: float
    runs: int
    done: float


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
    intervals hold at any time (see `dpviz.topics.clipping.simulation.mean_interval`), each curve
    point with probability 95%. threshold: the reader's τ; constant: C of Theorem 37. Raises
    `ParameterError`.
    """
    chosen = make_task(task, candidates=int(candidates), domain_size=int(domain_size))
    m, n = int(validate("examples_per_user", examples_per_user)), int(validate("users", users))
    here = min(validate("threshold", threshold), float(m))
    proposed = chosen.proposed_threshold(alpha=alpha, examples_per_user=m, constant=constant)
    data = chosen.draw(rng, users=n, examples_per_user=m)
    fixed = np.array([here, proposed, float(m)])
    for count in (_COARSE_POINTS, _POINTS):
        taus = threshold_grid(m, count, fixed)
        laws = Scorer(chosen, examples_per_user=m, thresholds=taus).laws_of(data, epsilon=epsilon)
        exact = laws @ chosen.errors
        yield _chart(chosen, taus, exact, here, proposed, np.empty((0, 0)), np.empty(0), 0.1)
    points = threshold_grid(m, _SIMULATED_POINTS, np.array([proposed]))
    fresh = Scorer(chosen, examples_per_user=m, thresholds=points)
    runs = int(np.clip(_WORK / (n * fresh.work), *_RUNS))
    span = float(chosen.errors.max() - chosen.errors.min()) or 1.0
    values = np.empty((0, points.size))
    pace = Pace()
    while len(values) < runs:
        batch = min(fresh.batch(n), runs - len(values))
        laws = fresh.probabilities(rng, users=n, runs=batch, epsilon=epsilon)
        values = np.concatenate([values, laws @ ((chosen.errors - chosen.optimum) / span)])
        if pace.due() or len(values) == runs:
            done = 0.1 + 0.9 * len(values) / runs
            yield _chart(chosen, taus, exact, here, proposed, np.clip(values, 0, 1), points, done)


def threshold_grid(examples_per_user: int, count: int, fixed: FloatArray) -> FloatArray:
    """Return `count` thresholds up to m, and the fixed ones."""
    m = float(examples_per_user)
    low = min(max(m / _SMALLEST_PART, 0.1), 0.5 * m)
    spread = np.geomspace(low, m, count)
    return np.unique(np.concatenate([spread, fixed[fixed >= low]]))


def _chart(
    task: Task,
    taus: FloatArray,
    exact: FloatArray,
    here: float,
    proposed: float,
    values: FloatArray,
    points: FloatArray,
    done: float,
) -> ThresholdChart:
    at = {"here": here, "proposed": proposed, "unclipped": float(taus[-1])}
    errors = {name: float(np.interp(tau, taus, exact)) for name, tau in at.items()}
    least = int(exact.argmin())
    errors["least"] = float(exact[least])
    span = task.errors.max() - task.optimum
    curves = [
        Curve(
            "exact",
            "on these data",
            Subject.USER_LEVEL,
            Evidence.EXACT,
            OWN,
            taus,
            exact,
        ),
        Curve(
            "optimum",
            "the best candidate",
            Subject.LOWER_BOUND,
            Evidence.EXACT,
            OWN,
            taus,
            np.full(taus.size, task.optimum),
            weight=0.6,
        ),
    ]
    if len(values):
        lower, upper = mean_interval(values)
        curves.append(
            Curve(
                "simulated",
                "mean over fresh data",
                Subject.EARLIER,
                Evidence.SIMULATED,
                Source(
                    "dpviz.topics.clipping.simulation",
                    f"{len(values):,} data sets, 95% at any time",
                ),
                points,
                np.clip(values.mean(axis=0), lower, upper) * span + task.optimum,
                lower=lower * span + task.optimum,
                upper=upper * span + task.optimum,
            )
        )
    words = "τ = 1, Section 4" if task.loss is not None else "Theorem 37"
    return ThresholdChart(
        x=Axis("threshold", "clipping threshold τ"),
        y=Axis("error", f"expected {task.metric} of the answer", log=False),
        curves=tuple(curves),
        marks=(
            Mark(float(taus[least]), errors["least"], "least", Subject.USER_LEVEL),
            Mark(proposed, errors["proposed"], words, Subject.LOWER_BOUND),
            Mark(float(taus[-1]), errors["unclipped"], "τ = m: no clipping", Subject.DANGER),
        ),
        here=here,
        least=float(taus[least]),
        proposed=proposed,
        unclipped=float(taus[-1]),
        errors=errors,
        optimum=task.optimum,
        runs=len(values),
        done=done,
    )
