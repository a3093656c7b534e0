"""What a lesson and the simulations are given: a task, how much data, what a learner may spend."""

from typing import TypedDict

import numpy as np

from dpviz.results.parameters import ParameterError, validate
from dpviz.topics.public_data.learners import Budget
from dpviz.topics.public_data.shift import shifted
from dpviz.topics.public_data.tasks import MOST_HALFPLANE_POINTS, MOST_HALFPLANE_SAMPLES, Task


class Setting(TypedDict):
    """A task with its data, and a budget.

    task, noise, family: by name (`dpviz.topics.public_data`); samples, public_points: n and m;
    family,
    smoothness: how far private data are from public ones, σ in (0, 1]; label_noise: of the task;
    the others as for `Budget`.
    """

    task: str
    noise: str
    samples: float
    public_points: float
    epsilon: float
    delta: float
    family: str
    smoothness: float
    label_noise: float
    eta: float
    averages: float


def settle(setting: Setting) -> tuple[Task, Budget, int, int]:
    """Return the task, the budget, n and m. Raises `ParameterError`."""
    shift = shifted(setting["family"], setting["smoothness"])
    task = Task(setting["task"], shift, setting["label_noise"])
    averages = int(validate("averages", setting["averages"]))
    budget = Budget(
        setting["epsilon"], setting["delta"], setting["noise"], setting["eta"], averages
    )
    n = int(validate("samples", setting["samples"]))
    m = int(validate("public_points", setting["public_points"]))
    if task.plane:
        _check_small("samples", n, MOST_HALFPLANE_SAMPLES)
        _check_small("public_points", m, MOST_HALFPLANE_POINTS)
    return task, budget, n, m


def _check_small(name: str, value: int, most: int) -> None:
    if value > most:
        reason = "whose exact optimiser takes time (n + m)² log(n + m)"
        raise ParameterError(name, f"at most {most} for half-planes, {reason}", value)


class Streams:
    """Chance for every run at every place, all from one generator.

    What happens at one place depends on the place and on nothing else: where the reader's own place
    is moved, the points of all others stay where they are.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._base = int(rng.integers(2**63))

    def at(self, run: int, place: float) -> np.random.Generator:
        """Return the generator of one run at one place."""
        bits = int(np.float64(place).view(np.uint64))
        return np.random.default_rng([self._base, run, bits])
