"""Errors by simulation, and a privacy loss, as private data move away from the public."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from dpviz.maths.intervals import LEVEL
from dpviz.maths.streams import Streams
from dpviz.results.evidence import Axis, Chart, Claim, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.papers import PD
from dpviz.results.parameters import validate
from dpviz.results.refining import Pace
from dpviz.topics.public_data.algorithms import Labelled
from dpviz.topics.public_data.excess_errors import ErrorChart, Simulation, places_with
from dpviz.topics.public_data.experiment import Setting, check_affordable, settle
from dpviz.topics.public_data.learners import Budget, check_suits, learn, source, subject
from dpviz.topics.public_data.measured_loss import counted_log_ratio, perturb_loss, worst_output
from dpviz.topics.public_data.shift import CENTRE, shifted
from dpviz.topics.public_data.tasks import Task

_DRAWS = 10_000  # of the output, for a measured privacy loss
_MOST_DRAWN = 4e5  # weights for all of them
_STEPS = np.array([0.01, 0.03, 0.1, 0.3, 1.0])


@dataclass(frozen=True, eq=False, kw_only=True)
class ShiftChart(ErrorChart):
    """The same as σ falls; privacy: the measured privacy loss beside ε, a chart of its own."""

    privacy: Chart

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The learner's mean errors under the strongest shift, and without shift."""
        strongest = self.claim(self.learner, "error under the strongest shift", at=0)
        return strongest, self.claim(self.learner, "error without shift", at=-1)

    def columns(self) -> dict[str, np.ndarray]:
        """Return the error, and the privacy loss beside it."""
        return super().columns() | self.privacy.columns()


def error_against_shift(
    *, learner: str, runs: float, rng: np.random.Generator, **setting: Unpack[Setting]
) -> Iterator[ShiftChart]:
    """Yield a learner's mean excess error against σ, and its measured privacy loss.

    smoothness: the reader's σ, marked and computed as well. The loss is that of one pair of
    neighbouring data sets. For RRSPM and RSPM on the line they hold a single example at the centre,
    labelled 1 or −1, so that nothing else hides it. The loss |ln P(o)/P′(o)| of one output o is a
    lower bound on their ε: up to 10,000 draws of the output for each choose o, as many more give
    its interval. All of them hold together with probability 95%, as the largest of their lower ends
    is told. For Algorithm 3 the data are drawn, and one example is changed. The loss of the noisy
    numbers for f̄ and f̄′ is an upper bound for this pair, as the release shows less. It is not
    measured for the others. Raises `ParameterError`.
    """
    problem, budget, n, m = settle(setting)
    here = problem.shift.smoothness
    places = places_with(here, _STEPS)
    problems = [replace(problem, shift=shifted(setting["family"], float(s))) for s in places]
    check_suits(learner, problem)
    check_affordable(learner, problem, samples=n, points=m)
    simulation = Simulation(
        axis=Axis("smoothness", "Smoothness, σ"),
        places=places,
        here=here,
        task=problem,
        budget=budget,
        planned=int(validate("runs", runs)),
        in_headline=(places[0], places[-1]),
        samples=n,
    )
    losses = np.full((3, places.size), np.nan)
    pace, streams = Pace(), Streams(rng)

    def chart(done: int) -> ShiftChart:
        privacy = _privacy_chart(places, losses.copy(), here, budget, learner)
        return ShiftChart(**vars(simulation.chart(done)), privacy=privacy)

    for run in range(simulation.planned):
        for place, sigma in enumerate(places):
            simulation.run(place, problems[place], [learner], n, m, streams.at(run, sigma))
            if pace.due() or (run == 0 and place == places.size - 1):
                yield chart(run)
        # The loss comes after the first errors, so that these are soon to be seen.
        for place, sigma in enumerate(places if run == 0 else ()):
            draws = streams.at(simulation.planned, sigma)
            at = learner, problems[place], n, m, budget
            losses[:, place] = _measured_loss(*at, draws, (1 - LEVEL) / places.size)
            if pace.due():
                yield chart(run)
    yield chart(simulation.planned)


def _measured_loss(
    learner: str,
    task: Task,
    n: int,
    m: int,
    budget: Budget,
    rng: np.random.Generator,
    failure_probability: float,
) -> tuple[float, float, float]:
    """Return bounds on the privacy loss for a pair of neighbouring data sets, and an estimate."""
    public = task.public_data(m, rng)
    if learner == "regularization":
        private = task.private_data(n, rng)
        changed = int(np.argmin(np.abs(private.x - CENTRE)))
        other = private.y.copy()
        other[changed] = -np.sign(other[changed])
        pair = (private, Labelled(private.x, other))
        first, second = (
            learn(learner, task, private=data, public=public, budget=budget, rng=rng)
            for data in pair
        )
        apart = first.learned.on_public - second.learned.on_public
        loss = perturb_loss(apart / first.scale, budget)
        return loss, loss, loss
    if learner == "perturbation" or task.plane:
        return math.nan, math.nan, math.nan
    alone = [Labelled(np.array([CENTRE]), np.array([label])) for label in (1.0, -1.0)]
    draws = int(np.clip(_MOST_DRAWN / m, 1000, _DRAWS))
    drawn = [
        learn(learner, task, private=data, public=public, budget=budget, runs=2 * draws, rng=rng)
        for data in alone
    ]
    released = np.concatenate([outcome.learned.released for outcome in drawn])
    outputs, index = np.unique(released, axis=0, return_inverse=True)
    # Half of the draws choose the output, the other half measure it.
    halves = index.reshape(4, draws)
    counts = [np.bincount(half, minlength=len(outputs)).astype(float) for half in halves]
    worst = worst_output(counts[0], counts[2])
    return counted_log_ratio(
        counts[1][worst],
        counts[3][worst],
        draws=draws,
        failure_probability=failure_probability,
    )


def _privacy_chart(
    places: FloatArray, losses: FloatArray, here: float, budget: Budget, learner: str
) -> Chart:
    bound = learner == "regularization"
    theorem = "Theorem 8" if budget.noise == "laplace" else "Theorem 4"
    item = {"rrspm": theorem, "rspm": "Appendix C", "regularization": "Lemma 11"}.get(
        learner, "Theorem 2"
    )
    promised = Curve(
        key="promised",
        label="ε promised",
        subject=Subject.LOWER_BOUND,
        evidence=Evidence.PUBLISHED,
        source=Source(PD, item),
        x=places,
        y=np.full(places.shape, budget.epsilon),
    )
    measured = Curve(
        key="loss",
        label="privacy loss of one pair" + (", at most" if bound else ""),
        subject=subject(learner, budget.noise),
        evidence=Evidence.UPPER if bound else Evidence.SIMULATED,
        source=source(learner),
        x=places,
        y=losses[1],
        lower=None if bound else losses[0],
        upper=None if bound else losses[2],
    )
    return Chart(
        x=Axis("smoothness", "Smoothness, σ", base=places[0], reach=places[-1]),
        y=Axis("privacy_loss", "Privacy loss", log=False, base=0.0),
        curves=(promised, measured),
        here=here,
    )
