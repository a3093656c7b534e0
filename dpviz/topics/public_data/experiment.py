"""What a lesson and the simulations are given: a task, how much data, what a learner may spend."""

from typing import TypedDict

from dpviz.results.parameters import ParameterError, validate
from dpviz.topics.public_data.learners import Budget
from dpviz.topics.public_data.shift import shifted
from dpviz.topics.public_data.tasks import (
    FEW_HALFPLANE_POINTS,
    FEW_HALFPLANE_SAMPLES,
    MOST_HALFPLANE_POINTS,
    MOST_HALFPLANE_SAMPLES,
    Task,
)

_SLOW = "whose exact optimiser takes time"


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
        _check_small("samples", n, MOST_HALFPLANE_SAMPLES, _SLOW)
        _check_small("public_points", m, MOST_HALFPLANE_POINTS, _SLOW)
    return task, budget, n, m


def is_affordable(learner: str, task: Task, *, samples: float, points: float) -> bool:
    """Whether a run takes seconds: Algorithm 2 calls the optimiser over half-planes J times."""
    few = samples <= FEW_HALFPLANE_SAMPLES and points <= FEW_HALFPLANE_POINTS
    return few or learner != "perturbation" or not task.plane


def check_affordable(learner: str, task: Task, *, samples: int, points: int) -> None:
    """Raise `ParameterError` unless `is_affordable`."""
    if is_affordable(learner, task, samples=samples, points=points):
        return
    calls = "whose exact optimiser Algorithm 2 calls J times"
    _check_small("samples", samples, FEW_HALFPLANE_SAMPLES, calls)
    _check_small("public_points", points, FEW_HALFPLANE_POINTS, calls)


def _check_small(name: str, value: int, most: int, why: str) -> None:
    if value > most:
        allowed = f"at most {most:,} for half-planes, {why}"
        raise ParameterError(name, allowed, value)
