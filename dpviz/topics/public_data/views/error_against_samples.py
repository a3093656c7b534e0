"""Errors by simulation as private examples are added."""

from collections.abc import Iterator
from typing import Unpack

import numpy as np

from dpviz.maths.streams import Streams
from dpviz.results.evidence import Axis
from dpviz.results.parameters import validate
from dpviz.results.refining import Pace
from dpviz.topics.public_data.excess_errors import ErrorChart, Simulation, places_with
from dpviz.topics.public_data.experiment import Setting, is_affordable, settle
from dpviz.topics.public_data.learners import LEARNERS, suits
from dpviz.topics.public_data.tasks import MOST_HALFPLANE_SAMPLES

_STEPS = np.array([float(f"{m}e{e}") for e in range(1, 5) for m in (3, 10)])
_MOST_SAMPLES = 10**5


def error_against_samples(
    *, runs: float, rng: np.random.Generator, **setting: Unpack[Setting]
) -> Iterator[ErrorChart]:
    """Yield the mean excess error of every learner that suits the task, against n.

    samples: the reader's n, marked and computed as well. Every run draws fresh private and public
    data, the same for all learners. Raises `ParameterError`.
    """
    problem, budget, here, m = settle(setting)
    most = MOST_HALFPLANE_SAMPLES if problem.plane else _MOST_SAMPLES
    steps = np.append(_STEPS[most > _STEPS], most)
    simulation = Simulation(
        axis=Axis("samples", "private examples n"),
        places=places_with(here, steps),
        here=here,
        task=problem,
        budget=budget,
        planned=int(validate("runs", runs)),
        in_headline=(here,),
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
