"""What the shuffled messages of a class say, and from which class on shuffling pays."""

import math
from dataclasses import dataclass

import numpy as np

from dpviz.results.evidence import Axis, Chart, Curve, Evidence, Source, Subject
from dpviz.results.papers import CS
from dpviz.results.parameters import ParameterError
from dpviz.topics.classroom.survey import (
    GEOMETRIC,
    ShuffledCount,
    central_half_width,
    survey_half_width,
)

_SIZES = (10, 14, 20, 30, 42, 60, 85, 120, 170, 240, 340, 480, 680, 1000, 1400, 2000)
_LOCAL = Source("dpviz.topics.classroom", "exact 95% intervals of randomised response")
_SHUFFLED = Source(CS, "Theorem 39, with the least r")


@dataclass(frozen=True, eq=False, kw_only=True)
class ClassShuffle(Chart):
    """What the shuffled messages of a class say.

    answers of users; estimate, low, high: of how many say yes; true_delta: the exact δ with so
    many answers; turning: the class from which on the shuffle model is narrower than the local
    one, NaN for none up to 2,000.
    """

    users: int
    answers: int
    epsilon: float
    delta: float
    true_delta: float
    estimate: float
    low: int
    high: int
    turning: float


def class_shuffle(
    *, total: int, answers: int, users: int, epsilon: float, delta: float
) -> ClassShuffle:
    """Return what the total of shuffled messages says, and how precise each model is by size.

    total: messages in all, from `answers` of the `users` the noise was planned for; epsilon,
    delta: of all of them together. Neighbouring data sets substitute one answer. Raises
    `ParameterError`.
    """
    n, room = int(answers), int(users)
    count = ShuffledCount(room, n, epsilon, delta)
    if not total >= 0:
        raise ParameterError("total", "a whole number from 0", total)
    chart = _models(n, ShuffledCount(room, room, epsilon, delta).half_width(), epsilon)
    local, shuffled = (chart.curve(key) for key in ("local", "shuffle"))
    wins = local.x[local.y > shuffled.y]
    low, high = count.interval(int(total))
    return ClassShuffle.of(
        chart,
        users=room,
        answers=n,
        epsilon=epsilon,
        delta=delta,
        true_delta=count.true_delta,
        estimate=count.estimate(int(total)),
        low=low,
        high=high,
        turning=float(wins[0]) if wins.size else math.nan,
    )


def _models(answers: int, shuffled: float, epsilon: float) -> Chart:
    """Return how precise each model is, by the size of the class."""
    x = np.array(sorted({*_SIZES, max(answers, 2)}), dtype=float)
    local = np.array([survey_half_width(int(size), epsilon=epsilon) for size in x])
    central = float(central_half_width(epsilon=epsilon))
    models = (
        ("local", "Randomised on each phone", Subject.RESPONSE, _LOCAL, local),
        ("shuffle", "Shuffled", Subject.USER_LEVEL, _SHUFFLED, np.full(x.size, shuffled)),
        ("central", "Trusted curator", Subject.LAPLACE, GEOMETRIC, np.full(x.size, central)),
    )
    return Chart(
        Axis("users", "Size of the class"),
        Axis("half_width", "Half the 95% interval, in people", log=False),
        tuple(
            Curve(key, label, subject, Evidence.EXACT, source, x, y)
            for key, label, subject, source, y in models
        ),
        here=float(answers),
    )
