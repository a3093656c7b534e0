"""Errors by simulation as private data move away from the public."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from dpviz.maths.streams import Streams
from dpviz.results.evidence import Axis, Claim, FloatArray
from dpviz.results.parameters import validate
from dpviz.results.refining import Pace
from dpviz.topics.public_data.excess_errors import ErrorChart, Simulation, places_with
from dpviz.topics.public_data.experiment import Setting, check_affordable, settle
from dpviz.topics.public_data.learners import check_suits
from dpviz.topics.public_data.shift import Shift, shifted

_STEPS = np.array([0.01, 0.03, 0.1, 0.3, 1.0])
_MOST_SHOWN = 100


@dataclass(frozen=True, eq=False, kw_only=True)
class ShiftChart(ErrorChart):
    """The same as σ falls.

    shifts: the pair of distributions at each σ; public: some public points of one draw there;
    label_noise: how many labels are wrong, as a share.
    """

    shifts: tuple[Shift, ...]
    public: tuple[FloatArray, ...]
    label_noise: float

    @property
    def shifted(self) -> int:
        """The row that the sentence is about: the reader's, or the strongest shift's for σ = 1."""
        row = int(np.argmin(np.abs(self.curve(self.learner).x - self.here)))
        return row if row < len(self.shifts) - 1 else 0

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The learner's mean errors under that shift, and without shift."""
        under = self.claim(self.learner, "error under the shift", at=self.shifted)
        return under, self.claim(self.learner, "error without shift", at=-1)


def error_against_shift(
    *, learner: str, runs: float, rng: np.random.Generator, **setting: Unpack[Setting]
) -> Iterator[ShiftChart]:
    """Yield a learner's mean excess error against σ.

    smoothness: the reader's σ, marked and computed as well. Raises `ParameterError`.
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
        in_headline=(here if here < places[-1] else places[0], places[-1]),
        samples=n,
    )
    pace, streams = Pace(), Streams(rng)
    shifts = tuple(task.shift for task in problems)
    public = tuple(
        pair.draw(pair.public, min(m, _MOST_SHOWN), streams.at(simulation.planned, 1.0))
        for pair in shifts
    )

    def chart(done: int) -> ShiftChart:
        return ShiftChart(
            **vars(simulation.chart(done)),
            shifts=shifts,
            public=public,
            label_noise=problem.label_noise,
        )

    for run in range(simulation.planned):
        for place, sigma in enumerate(places):
            simulation.run(place, problems[place], [learner], n, m, streams.at(run, sigma))
            if pace.due() or (run == 0 and place == places.size - 1):
                yield chart(run)
    yield chart(simulation.planned)
