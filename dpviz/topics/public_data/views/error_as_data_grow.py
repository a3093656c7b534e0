"""Errors by simulation as public points are added, beside what is proved, or private examples."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from dpviz.maths.streams import Streams
from dpviz.results.evidence import (
    Axis,
    Claim,
    Curve,
    Evidence,
    FloatArray,
    Landmark,
    Source,
)
from dpviz.results.papers import PD
from dpviz.results.parameters import ParameterError, validate
from dpviz.results.refining import Pace
from dpviz.topics.public_data.error_bounds import error_bound
from dpviz.topics.public_data.excess_errors import ErrorChart, Simulation, places_with
from dpviz.topics.public_data.experiment import (
    Setting,
    check_affordable,
    is_affordable,
    settle,
)
from dpviz.topics.public_data.learners import LEARNERS, Budget, check_suits, subject, suits
from dpviz.topics.public_data.tasks import (
    FEW_HALFPLANE_POINTS,
    MOST_HALFPLANE_POINTS,
    MOST_HALFPLANE_SAMPLES,
    Task,
)

MORE = {"public": "Public points", "private": "Private examples"}
"""Of what there may be more."""

BOUNDED = ("perturbation", "regularization")
"""Learners whose error is proved not to exceed a bound."""

_MOST_POINTS = 1000
_MOST_SAMPLES = 10**5
_BETA = 0.05  # of what is proved
_STEPS = np.array([float(f"{m}e{e}") for e in range(4) for m in (1, 2, 5)])
_SAMPLES = np.array([float(f"{m}e{e}") for e in range(1, 5) for m in (3, 10)])


def error_as_data_grow(
    *,
    more: str,
    learner: str,
    runs: float,
    rng: np.random.Generator,
    **setting: Unpack[Setting],
) -> Iterator[ErrorChart]:
    """Yield mean excess errors as there are more data: along m of one learner, along n of all.

    more: one of `MORE`; learner: as of `error_against_points`; without effect along n.
    Raises `ParameterError`.
    """
    if more not in MORE:
        raise ParameterError("more", f"one of {', '.join(MORE)}", more)
    if more == "private":
        yield from error_against_samples(runs=runs, rng=rng, **setting)
        return
    yield from error_against_points(learner=learner, runs=runs, rng=rng, **setting)


def error_against_points(
    *,
    learner: str,
    runs: float,
    rng: np.random.Generator,
    **setting: Unpack[Setting],
) -> Iterator[ErrorChart]:
    """Yield a learner's mean excess error against m at fixed n, beside bounds.

    Algorithms 2 and 3: what it is proved not to exceed with probability 0.95, all constants
    included, left out above 1, where it says nothing. Raises `ParameterError`.
    """
    problem, budget, n, here = settle(setting)
    check_suits(learner, problem)
    check_affordable(learner, problem, samples=n, points=here)
    plane_most = FEW_HALFPLANE_POINTS if learner == "perturbation" else MOST_HALFPLANE_POINTS
    most = plane_most if problem.plane else _MOST_POINTS
    simulation = Simulation(
        axis=Axis("public_points", "Public points, m"),
        places=places_with(here, _STEPS[most >= _STEPS]),
        here=here,
        task=problem,
        budget=budget,
        planned=int(validate("runs", runs)),
        in_headline=(),
        samples=n,
    )
    proved: tuple[Curve, ...] = ()
    if learner in BOUNDED:
        proved = _proved(learner, problem, n, budget, here=here, most=most)
    pace, streams = Pace(), Streams(rng)
    for run in range(simulation.planned):
        for place, m in enumerate(simulation.places):
            simulation.run(place, problem, [learner], n, int(m), streams.at(run, m))
            if pace.due() or (run == 0 and place == simulation.places.size - 1):
                yield PointsChart.of(simulation.chart(run, *proved))
    yield PointsChart.of(simulation.chart(simulation.planned, *proved))


def error_against_samples(
    *, runs: float, rng: np.random.Generator, **setting: Unpack[Setting]
) -> Iterator[ErrorChart]:
    """Yield the mean excess error of every learner that suits the task, against n.

    samples: the reader's n, marked and computed as well. Every run draws fresh private and public
    data, the same for all learners. Raises `ParameterError`.
    """
    problem, budget, here, m = settle(setting)
    most = MOST_HALFPLANE_SAMPLES if problem.plane else _MOST_SAMPLES
    steps = np.append(_SAMPLES[most > _SAMPLES], most)
    simulation = Simulation(
        axis=Axis("samples", "Private examples, n"),
        places=places_with(here, steps),
        here=here,
        task=problem,
        budget=budget,
        planned=int(validate("runs", runs)),
        in_headline=(here,),
        samples=float(steps[-1]),
    )
    names = [name for name in LEARNERS if suits(name, problem)]
    pace, streams = Pace(), Streams(rng)
    for run in range(simulation.planned):
        for place, n in enumerate(simulation.places):
            affordable = [x for x in names if is_affordable(x, problem, samples=n, points=m)]
            simulation.run(place, problem, affordable, int(n), m, streams.at(run, n))
            if pace.due() or (run == 0 and place == simulation.places.size - 1):
                yield simulation.chart(run)
    yield simulation.chart(simulation.planned)


def _proved(
    learner: str, task: Task, n: int, budget: Budget, *, here: int, most: int
) -> tuple[Curve, ...]:
    """Return what the error of Algorithm 2 or 3 is proved not to exceed, with and without γ."""
    m = np.unique(np.rint(np.append(np.geomspace(1, most, 61), here)))
    bounds = [
        error_bound(learner, task, samples=n, points=int(points), budget=budget, beta=_BETA)
        for points in m
    ]
    item = "Lemma 15" if learner == "perturbation" else "Lemma 16"
    return tuple(
        Curve(
            key=key,
            label=label,
            subject=subject(learner, budget.noise),
            evidence=Evidence.UPPER,
            source=Source(PD, f"{item}, with constants, proved by this app"),
            x=m,
            y=np.where(np.isfinite(values), values, np.nan),
            weight=weight,
            second=second,
        )
        for key, label, values, weight, second in (
            ("bound", "proved: at most", np.array([b.total for b in bounds]), 1.0, False),
            (
                "bound_quiet",
                "proved, if γ were 0",
                np.array([b.without_noise for b in bounds]),
                0.6,
                True,
            ),
        )
        if np.isfinite(values).any()
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class PointsChart(ErrorChart):
    """Mean excess errors of a learner along m."""

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The number of public points at which the mean error is least, of those tried."""
        best = best_points(self)
        if best is None:
            return ()
        tied = tied_places(self, best)
        low, high = (tied[0], tied[-1]) if tied.size else (math.nan, math.nan)
        return (Claim("the best number of public points", best.x, float(low), float(high)),)


def tied_places(chart: ErrorChart, best: Landmark) -> FloatArray:
    """Return the places of the learner's curve at which it is not known to be above its least.

    There are none as long as nothing is known of that mean but itself.
    """
    curve = chart.curve(chart.learner)
    low, high = curve.interval
    at = int(np.flatnonzero(curve.x == best.x)[0])
    if low[at] == high[at]:
        return np.empty(0)
    above = (low > high[at]) & (low < high)
    return np.asarray(curve.x[np.isfinite(curve.y) & ~above])


def best_points(chart: ErrorChart) -> Landmark | None:
    """Return where the learner's error is least along m, if it is known."""
    curve = chart.curve(chart.learner)
    known = np.isfinite(curve.y)
    if not known.any():
        return None
    at = int(np.nanargmin(curve.y))
    return Landmark(float(curve.x[at]), float(curve.y[at]), f"least at m = {curve.x[at]:,.0f}")
