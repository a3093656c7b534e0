"""What a run costs: calls of the optimiser, exactly, and their seconds, measured."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from dpviz.maths.streams import Streams
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, SoFar, Source, Subject
from dpviz.results.papers import PD
from dpviz.results.parameters import ParameterError, validate
from dpviz.results.refining import Pace, Steps, paused
from dpviz.topics.public_data.algorithms import (
    Labelled,
    Perturbation,
    perturbed_learner,
    regularized_learner,
    rrspm,
    rspm,
)
from dpviz.topics.public_data.learners import LEARNERS, calls_of_a_run, source, subject, suits
from dpviz.topics.public_data.noise_levels import laplace_weights
from dpviz.topics.public_data.oracles.oracle import ERMOracle
from dpviz.topics.public_data.oracles.timed import seconds_of_calls
from dpviz.topics.public_data.shift import shifted
from dpviz.topics.public_data.tasks import Task

ALONG = {"samples": "Private examples, n", "public_points": "Public points, m"}
"""What the cost may be drawn along."""

_LABEL_NOISE = 0.1
_STEPS = {
    "samples": np.array([10.0, 100.0, 1000.0, 1e4, 1e5]),
    "public_points": np.array([1.0, 10.0, 100.0, 1000.0, 1e4]),
}
_ROUNDS = 3  # data sets, of whose times the median is shown
_APART = 0.25  # of the logarithm, from the reader's place
_GAMMA = 1.0  # noise of the projection: as much as the values of a function
_HERE = Source("this app", "measured on this machine")


@dataclass(frozen=True, eq=False, kw_only=True)
class CostChart(Chart):
    """Calls of the optimiser in one run of every learner that suits the task.

    seconds: the same for the processor seconds of a run; learners: which they are; rounds: how
    many data sets were timed.
    """

    seconds: Chart
    task: str
    learners: tuple[str, ...]
    samples: int
    public_points: int
    averages: int
    rounds: int

    def columns(self) -> dict[str, np.ndarray]:
        """Return the calls, and the seconds beside them."""
        return super().columns() | self.seconds.columns()


def headliners(task: str) -> tuple[str, str]:
    """Return the learner with the fewest calls that uses public points, and the one with most."""
    return "regularization" if task == "regression" else "rrspm", "perturbation"


def functions_on_points(task: str, points: FloatArray) -> FloatArray:
    """Return how many ways there are to label m points in general position, exactly.

    A private learner without an optimiser, the exponential mechanism, gives each of them a score.
    Thresholds and intervals: as many as blocks of neighbours can be cut off. Half-planes: Cover
    1965. Infinite for linear regression, whose class is not finite on any number of points.
    """
    m = np.asarray(points, dtype=float)
    counts: dict[str, FloatArray] = {
        "thresholds": m + 1,
        "intervals": m * (m + 1) / 2 + 1,
        "halfplanes": m**2 - m + 2,
        "regression": np.full(m.shape, math.inf),
    }
    return counts[task]


def cost_of_a_run(
    *,
    task: str,
    along: str,
    samples: float,
    public_points: float,
    epsilon: float,
    eta: float,
    averages: float,
    rng: np.random.Generator,
) -> Iterator[CostChart]:
    """Yield the calls of a run along n or m, at once, and their seconds as they are measured.

    along: one of `ALONG`; samples, public_points: the reader's n and m. Seconds are those
    of one thread on the processor: medians over three data sets with a tenth of the labels wrong,
    and the least and the most. Algorithm 2 is timed with J = 1, and the time of its first call
    counts J times. No two results are alike. Raises `ParameterError`.
    """
    problem = Task(task, shifted("window", 1.0), _LABEL_NOISE)
    if along not in ALONG:
        raise ParameterError("along", f"one of {', '.join(ALONG)}", along)
    run = _Run(problem, validate("epsilon", epsilon), validate("eta", eta))
    n, m = int(validate("samples", samples)), int(validate("public_points", public_points))
    averages = int(validate("averages", averages))
    here, steps = (n if along == "samples" else m), _STEPS[along]
    places = np.unique(np.append(steps[np.abs(np.log(steps / here)) > _APART], here))
    sizes = [(int(x), m) if along == "samples" else (n, int(x)) for x in places]
    names = tuple(name for name in LEARNERS if suits(name, problem))
    times = np.full((_ROUNDS, len(names), places.size), np.nan)
    pace, streams = Pace(), Streams(rng)

    def chart(done: int) -> CostChart:
        axis = Axis(along, ALONG[along])
        return CostChart(
            x=axis,
            y=Axis("calls", "Calls of the optimiser in a run", base=1.0),
            curves=_calls(names, problem, along, places, m, averages),
            here=here,
            in_headline=tuple(f"{name}_calls" for name in headliners(task)),
            seconds=_seconds(names, axis, places, here, times, task),
            task=task,
            learners=names,
            samples=n,
            public_points=m,
            averages=averages,
            rounds=done // places.size,
            done=done / (_ROUNDS * places.size),
            so_far=SoFar(int(np.isfinite(times[:, 0, places == here]).sum()), "data set", _ROUNDS),
        )

    shown = chart(0)
    yield shown
    for step in range(_ROUNDS * places.size):
        data_set, place = divmod(step, places.size)
        timing = run.seconds(names, *sizes[place], averages, streams.at(data_set, places[place]))
        times[data_set, :, place] = yield from paused(timing, pace, shown)
        if pace.due() or step == places.size - 1:
            shown = chart(step + 1)
            yield shown
    yield chart(_ROUNDS * places.size)


def _seconds(
    names: tuple[str, ...],
    axis: Axis,
    places: FloatArray,
    here: float,
    times: FloatArray,
    task: str,
) -> Chart:
    """Return the median of what was measured so far, with the least and the most."""
    middle, timed = np.full(times.shape[1:], np.nan), np.isfinite(times).any(axis=0)
    middle[timed] = np.nanmedian(times[:, timed], axis=0)
    every = zip(names, middle, np.fmin.reduce(times), np.fmax.reduce(times), strict=True)
    return Chart(
        x=axis,
        y=Axis("seconds", "Seconds of a run, measured on this machine"),
        curves=tuple(
            Curve(
                f"{name}_seconds", _named(name), subject(name, "laplace"), Evidence.SIMULATED,
                _HERE, places, *spread,
            )
            for name, *spread in every
        ),
        here=here,
        in_headline=tuple(f"{name}_seconds" for name in headliners(task)),
    )  # fmt: skip


def _named(learner: str) -> str:
    """Return a learner's name without its number, which its curve of calls has as its source."""
    return LEARNERS[learner].partition(" (")[0]


def _calls(
    names: tuple[str, ...], task: Task, along: str, places: FloatArray, m: int, averages: int
) -> tuple[Curve, ...]:
    """Return the calls of each learner, and what it takes without an optimiser."""
    learners = [
        Curve(
            f"{name}_calls", _named(name), subject(name, "laplace"), Evidence.EXACT,
            source(name), places, np.full(places.shape, calls_of_a_run(name, averages), float),
        )
        for name in names
    ]  # fmt: skip
    points = places if along == "public_points" else np.full(places.shape, float(m))
    scores = functions_on_points(task.name, points)
    if not np.isfinite(scores).all():
        return tuple(learners)
    without = Curve(
        "scores", "without an optimiser: functions to score", Subject.ITEM_LEVEL, Evidence.EXACT,
        Source(PD, "Section 3"), places, scores, weight=0.8,
    )  # fmt: skip
    return (*learners, without)


@dataclass(frozen=True)
class _Run:
    """A task with what the perturbations depend on: ε and η."""

    task: Task
    epsilon: float
    eta: float

    def seconds(
        self, names: tuple[str, ...], n: int, m: int, averages: int, rng: np.random.Generator
    ) -> Steps[list[float]]:
        """Take the seconds of a run of each learner on the same data, with pauses."""
        private, public = self.task.private_data(n, rng), self.task.public_data(m, rng)
        totals = []
        for name in names:
            oracle = self.task.grid_oracle(m) if name == "rspm" else self.task.oracle()
            learn = partial(self._learn, name, private, public)
            first, *projection = yield from seconds_of_calls(learn, oracle, rng.spawn(1)[0])
            repeated = averages if name == "perturbation" else 1
            totals.append(repeated * first + sum(projection))
        return totals

    def _learn(
        self,
        name: str,
        private: Labelled,
        public: FloatArray,
        oracle: ERMOracle,
        rng: np.random.Generator,
    ) -> None:
        m = len(public)
        scale = float(laplace_weights(m, epsilon=self.epsilon))
        if name == "rspm":
            points = self.task.grid_oracle(m).identification
            rspm(oracle, private, identification=points, scale=scale, rng=rng)
        elif name == "rrspm":
            rrspm(oracle, private, public=public, scale=scale, rng=rng)
        elif name == "regularization":
            regularized_learner(oracle, private, public=public, eta=self.eta, gamma=_GAMMA, rng=rng)
        else:
            once = Perturbation(self.eta, 1)
            perturbed_learner(
                oracle, private, public=public, perturbation=once, gamma=_GAMMA, rng=rng
            )
