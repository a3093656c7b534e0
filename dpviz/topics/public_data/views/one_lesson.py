"""One lesson: private and public data, the function between, and the function released."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import Evidence, FloatArray, Origin, Result
from dpviz.results.refining import Pace, paused, whole
from dpviz.topics.public_data.algorithms import Labelled
from dpviz.topics.public_data.experiment import Setting, check_affordable, settle
from dpviz.topics.public_data.learners import Budget, Outcome, learn_in_turn, source
from dpviz.topics.public_data.tasks import Task

_REDRAWS = 40
_MOST_NUMBERS = 4e6
_MOST_LOOKED_AT = 5e4  # points of the half-plane's searches together
_GRID = 401
_CELLS = 61
_MOST_DOTS = 600


@dataclass(frozen=True, eq=False)
class Lesson(Result):
    """A learner's run on a task, and what fresh noise would have made of the same data.

    private: at most 600 of the examples, for drawing; public: the public points; grid: places, on
    the line or in the square; between: f̄ there; released: the function, parameters; redraws:
    those of further runs, `planned` in all; noisy_excess: of f̃, before the projection, NaN of other
    learners than RRSPM and RSPM; excess: of `released`; spread: those of the redraws;
    optimum_excess: of the non-private minimiser, NaN while it is not known.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "part": "private or public points, or a function on the grid",
            "x": "feature",
            "x2": "second feature, if there is one",
            "y": "label, or the value of the function",
        }
    )

    task: Task
    learner: str
    budget: Budget
    samples: int
    private: Labelled
    public: FloatArray
    grid: FloatArray
    between: FloatArray
    outcome: Outcome
    released: FloatArray
    redraws: FloatArray
    planned: int
    noisy_excess: float
    excess: float
    spread: FloatArray
    optimum_excess: float

    @property
    def origins(self) -> tuple[Origin, ...]:
        """One run of the learner."""
        return (Origin(Evidence.SIMULATED, source(self.learner)),)

    def values(self, functions: FloatArray) -> FloatArray:
        """Return functions of the class on the grid, one row each."""
        return self.task.oracle().predict(functions, self.grid)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return what is drawn: dots with their labels, functions as points of the grid."""
        lines = {
            "between": self.between,
            "released": self.values(self.released[None])[0],
            "target": self.values(self.task.target[None])[0],
        }
        unlabelled = np.full(len(self.public), np.nan)
        parts = [("private", self.private.x, self.private.y), ("public", self.public, unlabelled)]
        parts += [(name, self.grid, values) for name, values in lines.items()]
        places = [np.atleast_2d(x.T) for _, x, _ in parts]
        return {
            "part": np.concatenate([np.full(len(y), name) for name, _, y in parts]),
            "x": np.concatenate([x[0] for x in places]),
            "x2": np.concatenate(
                [x[1] if len(x) > 1 else np.full(x[0].size, np.nan) for x in places]
            ),
            "y": np.concatenate([y for *_, y in parts]),
        }


def _before_projection(problem: Task, outcome: Outcome) -> float:
    """Return the excess error of what noisy weights lead to, NaN where noise comes later."""
    if not math.isnan(outcome.rho):
        return math.nan
    return float(problem.excess(outcome.learned.intermediate[0]).mean())


def one_lesson(
    *, learner: str, rng: np.random.Generator, **setting: Unpack[Setting]
) -> Iterator[Lesson]:
    """Yield a run of a learner on data drawn from a task, and up to 40 with fresh noise.

    If runs take long, the first comes at once, then the error without privacy, then the other runs
    one by one. learner: by name (`dpviz.topics.public_data`). Raises `ParameterError`.
    """
    problem, budget, n, m = settle(setting)
    check_affordable(learner, problem, samples=n, points=m)
    private, public = problem.private_data(n, rng), problem.public_data(m, rng)
    runs = 1 + _redraws(problem, learner, n, m, budget.averages)
    turns = learn_in_turn(
        learner, problem, private=private, public=public, budget=budget, runs=runs, rng=rng
    )
    outcome, pace = whole(next(turns)), Pace()
    dots = rng.choice(n, _MOST_DOTS, replace=False) if n > _MOST_DOTS else np.arange(n)
    grid = _square_grid() if problem.plane else (np.arange(_GRID) + 0.5) / _GRID
    oracle, excesses = problem.oracle(), problem.excess(outcome.learned.released)
    lesson = Lesson(
        task=problem,
        learner=learner,
        budget=budget,
        samples=n,
        private=Labelled(private.x[dots], private.y[dots]),
        public=public,
        grid=grid,
        between=oracle.predict(outcome.learned.intermediate[0], grid).mean(axis=0),
        outcome=outcome,
        released=outcome.learned.released[0],
        redraws=outcome.learned.released[1:],
        planned=runs - 1,
        noisy_excess=_before_projection(problem, outcome),
        excess=float(excesses[0]),
        spread=excesses[1:],
        optimum_excess=math.nan,
        done=len(excesses) / (runs + 1),
    )
    if len(lesson.redraws) < lesson.planned:
        yield lesson
    optimum = yield from paused(oracle.minimizing(private.loss(1 / n)), pace, lesson)
    lesson = replace(
        lesson,
        optimum_excess=float(problem.excess(optimum[None])[0]),
        done=(1 + len(excesses)) / (runs + 1),
    )
    for turn in turns:
        yield lesson
        outcome = yield from paused(turn, pace, lesson)
        excesses = problem.excess(outcome.learned.released)
        lesson = replace(
            lesson,
            outcome=outcome,
            redraws=outcome.learned.released[1:],
            spread=excesses[1:],
            done=(1 + len(excesses)) / (runs + 1),
        )
    yield lesson


def _redraws(task: Task, learner: str, samples: int, points: int, averages: int) -> int:
    """Return how many further draws of the noise can be afforded."""
    if learner != "perturbation":
        few = _MOST_LOOKED_AT / (samples + 20 * points) if task.plane else _REDRAWS
        return int(np.clip(few, 3, _REDRAWS))
    size = averages * points * (points if task.plane else 1)
    return int(np.clip(_MOST_NUMBERS / size, 4, _REDRAWS))


def _square_grid() -> FloatArray:
    side = np.linspace(0, 1, _CELLS)
    return np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
