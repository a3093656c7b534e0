"""View: success probability against the number of users, in four models."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from dpviz.maths.streams import Streams
from dpviz.results.evidence import (
    Axis,
    Bracket,
    Chart,
    Claim,
    Curve,
    Evidence,
    FloatArray,
    Mark,
    SoFar,
    Source,
    Subject,
)
from dpviz.results.papers import CS
from dpviz.results.parameters import validate
from dpviz.results.refining import Pace
from dpviz.topics.few_users.learners_by_name import (
    DELTA,
    EPSILON,
    EXAMPLES_PER_USER,
    USERS,
    Learners,
    LearnerSetting,
    learners_by_name,
    spread_values,
)
from dpviz.topics.few_users.models import (
    MODELS,
    SUBJECTS,
    THEOREMS,
    dispersion_by_name,
    least_users,
    release,
    success_ceiling,
    theorem_users,
)
from dpviz.topics.few_users.problems import most_served
from dpviz.topics.few_users.simulated import (
    Measured,
    claimed_enough,
    least_enough,
    simulated_curve,
)

BOUNDS = {
    "all": "no private learner above",
    "proper": "no proper private learner above",
    "none": "",
}
"""Whom the packing argument binds, and the label of its line."""

_POINTS = 14
_FARTHEST = 600  # users drawn, unless the reader has more
_LARGE = 300  # users: larger groups come in every second run
_BLOCK = 100  # users simulated at once; fewer of a slow learner
_ABOUT = ("approximate", "local")  # the models of the headline
_UPRIGHT = 21  # points of an upright line, for its label to choose from


@dataclass(frozen=True, eq=False, kw_only=True)
class SuccessChart(Chart):
    """How often each model releases a good hypothesis, against n.

    measured: by model, at the reader's n. enough: by model, the least simulated n at which the
    share of successes reaches 1 − β, infinite if none does; known: by model, what the 95%
    intervals at each n, and `least`, tell of it. shapes: by model, the theorem's number
    of users times the constant. least: the fewest users the packing argument allows for 1 − β, and
    bounds: whom it binds, one of `BOUNDS`. served: of how many targets no function serves more, and
    least_any: the fewest users that leaves to learners of any output. epsilon, delta: of every
    model. dispersion: r of each bucket of the shuffle model.
    """

    measured: Mapping[str, Measured]
    enough: Mapping[str, float]
    known: Mapping[str, Claim]
    shapes: Mapping[str, float]
    least: int
    bounds: str
    served: int
    least_any: int
    epsilon: float
    delta: float
    beta: float
    dispersion: float

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The users who are enough with a trusted server, and without."""
        return tuple(self.known[model] for model in _ABOUT)


def success_against_users(
    *,
    examples_per_user: float,
    users: float,
    epsilon: float,
    delta: float,
    dispersion: str,
    constant: float,
    runs: float,
    rng: np.random.Generator,
    **setting: Unpack[LearnerSetting],
) -> Iterator[SuccessChart]:
    """Yield the share of successful runs in four models against n, from ever more runs.

    A run draws a target, the darts and all users' examples anew; the first n users' picks
    go to each of the four private votes. runs: how many. dispersion: where the shuffle model's r
    comes from (`DISPERSIONS`). constant: C, of the theorems' shapes. Raises `ParameterError`.
    """
    m, here = int(EXAMPLES_PER_USER.validate(examples_per_user)), int(USERS.validate(users))
    eps, allowed = EPSILON.validate(epsilon), DELTA.validate(delta)
    scale, count = validate("constant", constant), int(validate("runs", runs))
    learners = learners_by_name(setting, examples=m)
    r = dispersion_by_name(dispersion, epsilon=eps / 2, delta=allowed / 2, beta=learners.beta)
    question = _Question(learners, here, eps, allowed, scale, r)
    sizes = question.sizes
    hits = np.zeros((len(MODELS), sizes.size))
    tries = np.zeros(sizes.size)

    def chart(done: float, whole: int) -> SuccessChart:
        # Until every size has been tried, none can be called enough, or too few.
        made = max(whole, 1) if tries.all() else 0
        return _chart(question, hits, tries, done, SoFar(made, "run", count))

    pace, streams, block = Pace(), Streams(rng), _BLOCK // learners.effort
    for run in range(1, count + 1):
        draws = streams.at(run)
        learner, seed = learners.draw(draws), int(draws.integers(2**31))
        good = learners.good(learner)
        picks = np.empty(0, dtype=np.int64)
        for i, n in enumerate(sizes.astype(int)):
            if n > _LARGE and run % 2 != 0 and n != here and count > 1:
                continue
            while n > picks.size:
                coins = streams.at(run, 1 + picks.size // block)
                more = learner.picks(block, examples=m, seed=seed, rng=coins)
                picks = np.append(picks, more)
                if tries[0] and pace.due():
                    yield chart((run - 1 + i / sizes.size) / count, run - 1)
            tries[i] += 1
            for row, model in enumerate(MODELS):
                chosen = release(
                    model,
                    picks[:n],
                    hypotheses=learners.hypotheses,
                    epsilon=eps,
                    delta=allowed,
                    rng=streams.at(run, n, 1 + row),
                    dispersion=r,
                )
                hits[row, i] += chosen >= 0 and good[chosen]
        if run in (1, count) or pace.due():
            yield chart(run / count, run)


@dataclass(frozen=True, eq=False)
class _Question:
    """What the reader asks of all four models. here: n; constant: C; dispersion: r."""

    learners: Learners
    here: int
    epsilon: float
    delta: float
    constant: float
    dispersion: float

    @property
    def sizes(self) -> FloatArray:
        """The numbers of users tried."""
        grid = spread_values(USERS.minimum, max(_FARTHEST, self.here), _POINTS)
        return np.unique(np.append(grid, self.here))

    @property
    def shapes(self) -> dict[str, float]:
        """The theorems' numbers of users, by model."""
        return {
            model: self.constant
            * theorem_users(
                model,
                dimension=math.log(self.learners.hypotheses),
                epsilon=self.epsilon,
                delta=self.delta,
                beta=self.learners.beta,
            )
            for model in MODELS
        }


def _chart(
    question: _Question, hits: FloatArray, tries: FloatArray, done: float, so_far: SoFar
) -> SuccessChart:
    learners, sizes, shapes = question.learners, question.sizes, question.shapes
    simulated = {
        model: simulated_curve(model, label, SUBJECTS[model], sizes, hits=hits[row], tries=tries)
        for row, (model, label) in enumerate(MODELS.items())
    }
    at, goal = int(np.flatnonzero(sizes == question.here)[0]), 1 - learners.beta
    enough = {m: least_enough(sizes, curve.y, goal) for m, curve in simulated.items()}
    least = least_users(
        targets=len(learners.targets),
        epsilon=question.epsilon,
        delta=question.delta,
        beta=learners.beta,
    )
    bounds = _bounds(learners)
    proven = Bracket(1.0 if bounds == "none" else max(float(least), 1.0), math.inf)
    known = {
        m: claimed_enough(MODELS[m], sizes, hits[row], tries, goal, proven)
        for row, m in enumerate(MODELS)
    }
    return SuccessChart(
        x=Axis("users", "Users, n"),
        y=Axis(
            "success",
            "Probability of an error of at most α",
            log=False,
            base=0.0,
            reach=1.0,
            chance=True,
        ),
        curves=(
            *simulated.values(),
            *_ceiling(question),
            *_theorems(shapes, float(sizes[-1])),
        ),
        here=float(question.here),
        in_headline=_ABOUT,
        marks=tuple(
            Mark(
                n,
                float(simulated[m].y[sizes == n][0]),
                f"{n:,.0f} users",
                SUBJECTS[m],
            )
            for m in _ABOUT
            if math.isfinite(n := known[m].upper) and n in sizes
        ),
        measured={m: Measured.of(int(hits[i, at]), int(tries[at])) for i, m in enumerate(MODELS)},
        enough=enough,
        known=known,
        shapes=shapes,
        least=least,
        bounds=bounds,
        served=_served(learners),
        least_any=least_users(
            targets=len(learners.targets) / _served(learners),
            epsilon=question.epsilon,
            delta=question.delta,
            beta=learners.beta,
        ),
        epsilon=question.epsilon,
        delta=question.delta,
        beta=learners.beta,
        dispersion=question.dispersion,
        done=done,
        so_far=so_far,
    )


def _ceiling(question: _Question) -> list[Curve]:
    """Return the success above which no private learner comes: proper ones, and all of them."""
    bounds, targets = _bounds(question.learners), len(question.learners.targets)
    served = _served(question.learners)
    rows = [("ceiling", bounds, 1)] if bounds != "none" else []
    if bounds == "proper" and targets > served:
        rows.append(("ceiling_any", "all", served))
    fine = spread_values(1, float(question.sizes[-1]), 200)
    return [
        Curve(
            key=key,
            label=BOUNDS[who],
            subject=Subject.LOWER_BOUND,
            evidence=Evidence.UPPER,
            source=Source(CS, "Lemma 34, group privacy over a packing"),
            x=fine,
            y=success_ceiling(
                fine, targets=targets / most, epsilon=question.epsilon, delta=question.delta
            ),
            weight=0.6 if most > 1 else 1.0,
        )
        for key, who, most in rows
    ]


def _served(learners: Learners) -> int:
    """Return how many targets one function can serve at most."""
    if len(learners.targets) < 2:
        return len(learners.targets)
    return most_served(
        learners.concept, bits=learners.bits, alpha=learners.alpha, targets=learners.targets
    )


def _bounds(learners: Learners) -> str:
    """Return whom the packing argument binds: with a single target, nobody."""
    if len(learners.targets) < 2:
        return "none"
    return "all" if _served(learners) == 1 else "proper"


def _theorems(shapes: Mapping[str, float], farthest: float) -> list[Curve]:
    """Return the theorems' numbers of users as upright lines; equal ones share a line."""
    by_number: dict[float, list[str]] = {}
    for model, n in shapes.items():
        by_number.setdefault(n, []).append(model)
    return [
        Curve(
            key=f"theorem_{'_'.join(models)}",
            label=" and ".join(THEOREMS[model] for model in models),
            subject=SUBJECTS[models[0]],
            evidence=Evidence.ASYMPTOTIC,
            source=Source(CS, " and ".join(THEOREMS[model] for model in models)),
            x=np.full(_UPRIGHT, n),
            y=np.linspace(0.0, 1.0, _UPRIGHT),
            weight=0.6,
        )
        for n, models in by_number.items()
        if 1 <= n <= farthest
    ]
