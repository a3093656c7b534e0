"""Errors by simulation: against n, against m, and as private data move away from the public."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Unpack

import numpy as np

from dpviz.maths.intervals import LEVEL, student_half_width
from dpviz.maths.streams import Streams
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Mark, Source, Subject
from dpviz.results.papers import PD
from dpviz.results.parameters import LIMITS, validate
from dpviz.results.refining import Pace, pause
from dpviz.topics.public_data.algorithms import Labelled
from dpviz.topics.public_data.experiment import Setting, check_affordable, is_affordable, settle
from dpviz.topics.public_data.learners import (
    LEARNERS,
    Budget,
    check_suits,
    claim,
    learn,
    source,
    subject,
    suits,
)
from dpviz.topics.public_data.measured_loss import counted_log_ratio, perturb_loss, worst_output
from dpviz.topics.public_data.shift import CENTRE, shifted
from dpviz.topics.public_data.tasks import (
    FEW_HALFPLANE_POINTS,
    MOST_HALFPLANE_POINTS,
    MOST_HALFPLANE_SAMPLES,
    Task,
)

_NON_PRIVATE = "non-private"
_LEAST_SAMPLES, _MOST_SAMPLES = 30, 10**5
_MOST_POINTS = 1000
_BETA = 0.05  # of Lemmas 22 and 23
_DRAWS = 10_000  # of the output, for a measured privacy loss
_MOST_DRAWN = 4e5  # weights for all of them
_ROUND = np.array([float(f"{m}e{e}") for e in range(-2, 6) for m in (1, 3)])
_FINE = np.array([float(f"{m}e{e}") for e in range(4) for m in (1, 2, 3, 6)])


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


@dataclass(frozen=True, eq=False, kw_only=True)
class ShiftChart(ErrorChart):
    """The same as σ falls; privacy: the measured privacy loss beside ε, a chart of its own."""

    privacy: Chart

    def columns(self) -> dict[str, np.ndarray]:
        """Return the error, and the privacy loss beside it."""
        return super().columns() | self.privacy.columns()


@dataclass
class _Tally:
    """Excess errors, a list for each learner and place on the axis."""

    places: FloatArray
    found: dict[str, list[list[float]]] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)

    def add(self, name: str, place: int, excess: float) -> None:
        self.found.setdefault(name, [[] for _ in self.places])[place].append(excess)

    def curve(self, name: str, noise: str) -> Curve:
        """Return the means so far, with intervals from 3 runs on.

        Student's t for the logarithm of the mean (delta method): errors are positive.
        """
        lists = self.found[name]
        mean, low, high = np.full((3, len(lists)), np.nan)
        for i, values in enumerate(lists):
            if not values:
                continue
            mean[i] = low[i] = high[i] = np.mean(values)
            if len(values) > 2 and mean[i] > 0:
                half = student_half_width(np.std(values, ddof=1), len(values))
                factor = math.exp(half / mean[i])
                low[i], high[i] = mean[i] / factor, mean[i] * factor
        private = name != _NON_PRIVATE
        broken = private and claim(name, noise) == "broken"
        label = LEARNERS.get(name, "without privacy") + (", not proved private" if broken else "")
        return Curve(
            key=name.replace("-", "_"),
            label=label,
            subject=subject(name, noise) if private else Subject.LOWER_BOUND,
            evidence=Evidence.SIMULATED,
            source=source(name) if private else Source(PD, "Definition 4"),
            x=self.places,
            y=mean,
            lower=low,
            upper=high,
        )


def error_against_samples(
    *, runs: float, rng: np.random.Generator, **setting: Unpack[Setting]
) -> Iterator[ErrorChart]:
    """Yield the mean excess error of every learner that suits the task, against n.

    samples: the reader's n, marked and computed as well. Every run draws fresh private and public
    data, the same for all learners. Raises `ParameterError`.
    """
    problem, budget, here, m = settle(setting)
    most = MOST_HALFPLANE_SAMPLES if problem.plane else _MOST_SAMPLES
    steps = np.unique(np.append(_ROUND[(_ROUND >= _LEAST_SAMPLES) & (most > _ROUND)], most))
    tally = _Tally(_with(here, steps))
    names = [name for name in LEARNERS if suits(name, problem)]
    count, pace, streams = int(validate("runs", runs)), Pace(), Streams(rng)

    def chart(done: int) -> ErrorChart:
        axis = Axis("samples", "private examples n")
        return _error_chart(tally, axis, here, problem, budget.noise, done, count)

    for run in range(count):
        for place, n in enumerate(tally.places):
            few = [x for x in names if is_affordable(x, problem, samples=n, points=m)]
            _one_run(tally, place, problem, few, int(n), m, budget, streams.at(run, n))
            if pace.due() or (run == 0 and place == tally.places.size - 1):
                yield chart(run)
    yield chart(count)


def error_against_points(
    *,
    learner: str,
    constant: float,
    runs: float,
    rng: np.random.Generator,
    **setting: Unpack[Setting],
) -> Iterator[ErrorChart]:
    """Yield a learner's mean excess error against m at fixed n, with RRSPM's two lemmas.

    Theorem 10 adds up four terms, (183): what the projection onto the public points costs (Lemma
    22), how far the private sample's losses are from the true ones, once for f̃ and once for the
    best function on the sample (Theorem 9, twice), and what the weights cost (Lemma 23).
    constant: the hidden constant of Lemma 22 and Theorem 9; Lemma 23 has its own. Each at
    β = 0.05 and left out above 1, where it says nothing. Raises `ParameterError`.
    """
    problem, budget, n, here = settle(setting)
    check_suits(learner, problem)
    shape = validate("constant", constant)
    check_affordable(learner, problem, samples=n, points=here)
    plane_most = FEW_HALFPLANE_POINTS if learner == "perturbation" else MOST_HALFPLANE_POINTS
    most = plane_most if problem.plane else _MOST_POINTS
    tally = _Tally(_with(here, _FINE[most >= _FINE]))
    lemmas = _lemmas(problem, n, budget, shape) if learner == "rrspm" else ()
    count, pace, streams = int(validate("runs", runs)), Pace(), Streams(rng)

    def chart(done: int) -> ErrorChart:
        axis = Axis("public_points", "public points m")
        return _error_chart(tally, axis, here, problem, budget.noise, done, count, lemmas)

    for run in range(count):
        for place, m in enumerate(tally.places):
            _one_run(tally, place, problem, [learner], n, int(m), budget, streams.at(run, m))
            if pace.due() or (run == 0 and place == tally.places.size - 1):
                yield chart(run)
    yield chart(count)


def _lemmas(task: Task, n: int, budget: Budget, constant: float) -> tuple[Curve, ...]:
    """Return the terms of (183), Theorem 10's proof, and their sum.

    Lemma 22 and Theorem 9 are shapes, Lemma 23 has its constant. The sum: Lemma 22, Theorem 9
    for f̃ and again for the best function on the sample, Lemma 23.
    """
    m = np.geomspace(1, _MOST_POINTS, 121)
    sigma = task.shift.smoothness
    capacity = task.dimension + math.log(1 / _BETA)
    rounding = constant * np.sqrt(capacity / m) / sigma
    sampling = np.full(m.shape, 2 * constant * math.sqrt(capacity / n))
    # 2·m·max|ξ| in the summed loss, on both sides; |ξ| ≤ scale·log(m/β) for all, Laplace
    noise = 4 * m**2 * np.log(m / _BETA) / (budget.epsilon * n)
    total, shape = rounding + sampling + noise, Evidence.ASYMPTOTIC
    curves = []
    for key, label, values, evidence, item, weight in (
        ("lemma_22", "cost of projection (Lemma 22)", rounding, shape, "Lemma 22", 0.8),
        ("theorem_9", "cost of sampling (Theorem 9, twice)", sampling, shape, "Theorem 9", 0.8),
        ("lemma_23", "cost of noise (Lemma 23)", noise, Evidence.PUBLISHED, "Lemma 23", 0.8),
        ("lemmas", "their sum (Theorem 10)", total, shape, "Theorem 10, (183)", 1.0),
    ):
        if budget.noise == "gaussian" and key in ("lemma_23", "lemmas"):
            continue
        curves.append(
            Curve(
                key=key,
                label=label,
                subject=Subject.ITEM_LEVEL,
                evidence=evidence,
                source=Source(PD, item),
                x=m,
                y=np.where(values <= 1, values, np.nan),
                weight=weight,
                second=key == "theorem_9",
            )
        )
    return tuple(curves)


def error_against_shift(
    *, learner: str, runs: float, rng: np.random.Generator, **setting: Unpack[Setting]
) -> Iterator[ShiftChart]:
    """Yield a learner's mean excess error against σ, and its measured privacy loss.

    smoothness: the reader's σ, marked and computed as well. The loss is that of one pair of
    neighbouring data sets. RRSPM and RSPM on the line: a single example at the centre, labelled 1
    or −1, so that nothing else hides it; |ln P(o)/P′(o)| of one output o, a lower bound on their
    ε. Up to 10,000 draws of the output for each choose o, as many more give the 95% interval.
    Algorithm 3: that of the noisy numbers for f̄ and f̄′, data drawn and one example changed, an
    upper bound for this pair, as the release shows less. Others: not measured.
    Raises `ParameterError`.
    """
    problem, budget, n, m = settle(setting)
    here = problem.shift.smoothness
    least = LIMITS["smoothness"].minimum
    places = _with(here, _ROUND[(least <= _ROUND) & (_ROUND <= 1)])
    problems = [replace(problem, shift=shifted(setting["family"], float(s))) for s in places]
    check_suits(learner, problem)
    check_affordable(learner, problem, samples=n, points=m)
    tally = _Tally(places)
    losses = np.full((3, places.size), np.nan)
    count, pace, streams = int(validate("runs", runs)), Pace(), Streams(rng)

    def chart(done: int) -> ShiftChart:
        axis = Axis("smoothness", "smoothness σ")
        errors = _error_chart(tally, axis, here, problem, budget.noise, done, count)
        return ShiftChart(
            **vars(errors), privacy=_privacy_chart(places, losses.copy(), here, budget, learner)
        )

    for run in range(count):
        # The loss comes after the first errors, so that these are soon to be seen.
        for step in range(2 * places.size if run == 0 else places.size):
            again, place = divmod(step, places.size)
            chance = streams.at(run + again * count, places[place])
            if not again:
                _one_run(tally, place, problems[place], [learner], n, m, budget, chance)
            else:
                losses[:, place] = _measured_loss(learner, problems[place], n, m, budget, chance)
            if pace.due() or (run == 0 and step == places.size - 1):
                yield chart(run)
    yield chart(count)


def _with(here: float, steps: FloatArray) -> FloatArray:
    """Return the steps and the reader's place, without steps that would hide behind it."""
    apart = np.abs(np.log(steps / here)) > 0.25
    return np.unique(np.append(steps[apart], here))


def _one_run(
    tally: _Tally,
    place: int,
    task: Task,
    names: list[str],
    n: int,
    m: int,
    budget: Budget,
    rng: np.random.Generator,
) -> None:
    """Draw data, run every learner and the non-private optimiser on it, note their errors."""
    private, public = task.private_data(n, rng), task.public_data(m, rng)
    for name in names:
        pause()
        outcome = learn(name, task, private=private, public=public, budget=budget, rng=rng)
        tally.add(name, place, float(task.excess(outcome.learned.released)[0]))
        tally.calls[name] = outcome.calls
    optimum = task.oracle().minimize(private.loss(1 / n))
    tally.add(_NON_PRIVATE, place, float(task.excess(optimum[None])[0]))
    tally.calls[_NON_PRIVATE] = 1


def _error_chart(
    tally: _Tally,
    axis: Axis,
    here: float,
    task: Task,
    noise: str,
    runs: int,
    planned: int,
    others: tuple[Curve, ...] = (),
) -> ErrorChart:
    curves = tuple(tally.curve(key, noise) for key in tally.found)
    return ErrorChart(
        x=axis,
        y=Axis("excess", "excess error"),
        curves=(*curves, *others),
        here=here,
        task=task.name,
        calls=dict(tally.calls),
        runs=runs,
        done=runs / planned,
        private={key: claim(key, noise) for key in tally.found if key != _NON_PRIVATE},
    )


def _measured_loss(
    learner: str, task: Task, n: int, m: int, budget: Budget, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Return bounds on the privacy loss for a pair of neighbouring data sets, and an estimate."""
    public = task.public_data(m, rng)
    if learner == "regularization":
        private = task.private_data(n, rng)
        changed = int(np.argmin(np.abs(private.x - CENTRE)))
        other = private.y.copy()
        other[changed] = -np.sign(other[changed])
        pair = (private, Labelled(private.x, other))
        found = [
            learn(learner, task, private=data, public=public, budget=budget, rng=rng)
            for data in pair
        ]
        apart = found[0].learned.on_public - found[1].learned.on_public
        loss = perturb_loss(apart / found[0].scale, budget)
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
        counts[1][worst], counts[3][worst], draws=draws, failure_probability=1 - LEVEL
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
        x=Axis("smoothness", "smoothness σ"),
        y=Axis("privacy_loss", "privacy loss", log=False),
        curves=(promised, measured),
        here=here,
    )


def best_points(chart: ErrorChart, learner: str) -> Mark | None:
    """Return where a learner's error is least along m, if it is known."""
    curve = chart.curve(learner)
    known = np.isfinite(curve.y)
    if not known.any():
        return None
    at = int(np.nanargmin(curve.y))
    return Mark(float(curve.x[at]), float(curve.y[at]), f"least at m = {curve.x[at]:,.0f}")
