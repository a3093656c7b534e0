"""Mean excess errors of learners over runs with fresh data, place by place on an axis."""

import math
from collections.abc import Collection
from dataclasses import dataclass, field, replace

import numpy as np

from dpviz.maths.intervals import student_half_width
from dpviz.results.evidence import (
    Axis,
    Chart,
    Claim,
    Curve,
    Evidence,
    FloatArray,
    SoFar,
    Source,
    Subject,
)
from dpviz.results.papers import PD
from dpviz.results.refining import pause
from dpviz.topics.public_data.learners import LEARNERS, Budget, claim, learn, source, subject
from dpviz.topics.public_data.tasks import Task

NON_PRIVATE = "non_private"
_MEANS = {
    True: "Excess error: wrong beyond the best rule",
    False: "Excess error: squared, above the least",
}
_REACH = {True: 0.5, False: 0.2}  # of the axis: of shares that are wrong, and of squared errors


def protagonist(learners: Collection[str]) -> str:
    """Return the learner of several that sentences are about: RRSPM or Algorithm 3, if it suits."""
    return next(name for name in ("rrspm", "regularization", *learners) if name in learners)


@dataclass(frozen=True, eq=False, kw_only=True)
class ErrorChart(Chart):
    """Mean excess errors of learners.

    calls: to the optimiser, by learner, for one run; runs: how many are whole; private: what
    is known of each learner's privacy (see `dpviz.topics.public_data.learners.claim`).
    """

    task: str
    calls: dict[str, int]
    runs: int
    private: dict[str, str]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The mean errors at the reader's place: of the learner, and without privacy."""
        return self.claim(self.learner), self.claim(NON_PRIVATE)

    @property
    def learner(self) -> str:
        """The private learner, or of several the one that the headline is about."""
        return protagonist(self.private)


@dataclass(kw_only=True)
class Simulation:
    """Runs of learners on fresh data at places on an axis, and their excess errors so far.

    places: where the runs are, the reader's place `here` among them; task: what they learn, but for
    its shift; budget: of every run; planned: how many runs there will be; in_headline: the places
    without which nothing is said yet. samples: the most private examples of a run. excesses: of
    each learner, a list for each place; calls: to the optimiser, by learner, for one run.
    """

    axis: Axis
    places: FloatArray
    here: float
    task: Task
    budget: Budget
    planned: int
    in_headline: tuple[float, ...]
    samples: float
    excesses: dict[str, list[list[float]]] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)

    def run(
        self, place: int, task: Task, names: list[str], n: int, m: int, rng: np.random.Generator
    ) -> None:
        """Draw data, run every learner and the non-private optimiser on it, note their errors."""
        private, public = task.private_data(n, rng), task.public_data(m, rng)
        for name in names:
            pause()
            outcome = learn(name, task, private=private, public=public, budget=self.budget, rng=rng)
            self._note(name, place, outcome.calls, task.excess(outcome.learned.released))
        optimum = task.oracle().minimize(private.loss(1 / n))
        self._note(NON_PRIVATE, place, 1, task.excess(optimum[None]))

    def _note(self, name: str, place: int, calls: int, excess: FloatArray) -> None:
        at_places = self.excesses.setdefault(name, [[] for _ in self.places])
        at_places[place].append(float(excess[0]))
        self.calls[name] = calls

    def chart(self, runs: int, *others: Curve) -> ErrorChart:
        """Return the errors after so many whole runs, beside other curves."""
        noise = self.budget.noise
        private = {key: claim(key, noise) for key in self.excesses if key != NON_PRIVATE}
        return ErrorChart(
            x=replace(self.axis, base=self.places[0], reach=self.places[-1]),
            y=Axis(
                "excess",
                _MEANS[self.task.classifies],
                log=False,
                base=0.0,
                reach=_REACH[self.task.classifies],
                chance=self.task.classifies,
            ),
            curves=(*map(self._curve, self.excesses), *others),
            here=self.here,
            in_headline=(protagonist(private), NON_PRIVATE),
            task=self.task.name,
            calls=dict(self.calls),
            runs=runs,
            done=runs / self.planned,
            so_far=SoFar(self._runs_in_headline(runs), "run", self.planned),
            private=private,
        )

    def _runs_in_headline(self, runs: int) -> int:
        """Return on how many runs the sentences rest, 0 where something is missing that they need.

        runs: how many are whole.
        """
        places = np.searchsorted(self.places, self.in_headline)
        runs_there = [len(self.excesses[NON_PRIVATE][place]) for place in places]
        return min(runs_there, default=max(runs, 1))

    def _curve(self, name: str) -> Curve:
        """Return the means so far, with intervals from 3 runs on.

        Student's t for the logarithm of the mean (delta method): errors are positive.
        """
        mean, low, high = np.full((3, self.places.size), np.nan)
        for i, values in enumerate(self.excesses[name]):
            if not values:
                continue
            mean[i] = low[i] = high[i] = np.mean(values)
            if len(values) > 2 and mean[i] > 0:
                half = student_half_width(np.std(values, ddof=1), len(values))
                factor = math.exp(half / mean[i])
                low[i], high[i] = mean[i] / factor, mean[i] * factor
        private, noise = name != NON_PRIVATE, self.budget.noise
        broken = private and claim(name, noise) == "broken"
        label = LEARNERS.get(name, "without privacy") + (", not proved private" if broken else "")
        return Curve(
            key=name,
            label=label,
            subject=subject(name, noise) if private else Subject.LOWER_BOUND,
            evidence=Evidence.SIMULATED,
            source=source(name) if private else Source(PD, "Definition 4"),
            x=self.places,
            y=mean,
            lower=low,
            upper=high,
        )


def places_with(here: float, grid: FloatArray) -> FloatArray:
    """Return a grid and the reader's place, without what would hide behind it."""
    apart = np.abs(np.log(grid / here)) > 0.25
    return np.unique(np.append(grid[apart], here))
