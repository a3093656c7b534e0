"""The guesses of a class against what any attacker can reach."""

from dataclasses import dataclass

import numpy as np

from dpviz.maths.trade_off import laplace_hits
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, Source, Subject
from dpviz.results.parameters import validate
from dpviz.topics.classroom.attack import ClassScore

_POINTS = 201
_CLASS = Source("dpviz.topics.classroom", "the class's own guesses, exact 95% intervals")
_EXACT = Source("Dong, Roth & Su 2022", "the trade-off function of Laplace noise")


@dataclass(frozen=True, eq=False, kw_only=True)
class ClassAttack(Chart):
    """Hits and false alarms of a class. best: how often the best attacker is right, from 0 to 1."""

    score: ClassScore
    epsilon: float
    best: float


def class_attack(
    *, hits: int, present: int, alarms: int, absent: int, epsilon: float
) -> ClassAttack:
    """Return what the guesses of a class came to, against every attacker.

    hits of `present` answers with the person, and alarms of `absent` ones without. An answer is
    a count with Laplace noise of scale 1/ε. Neighbouring data sets substitute one person. Raises
    `ParameterError`.
    """
    loss = validate("epsilon", epsilon)
    score = ClassScore(int(hits), int(present), int(alarms), int(absent))
    x = np.linspace(0.0, 1.0, _POINTS)
    best = laplace_hits(x, loss=loss)
    curves = [
        Curve("best", "Best attacker", Subject.LAPLACE, Evidence.EXACT, _EXACT, x, best),
        Curve("blind", "Blind guessing", Subject.ITEM_LEVEL, Evidence.EXACT, _EXACT, x, x),
    ]
    if score.present and score.absent:
        hit, _ = score.shares()
        point = np.array([score.hits / score.present])
        curves.append(
            Curve(
                "class",
                "This class",
                Subject.USER_LEVEL,
                Evidence.SIMULATED,
                _CLASS,
                np.array([score.alarms / score.absent]),
                point,
                np.array([min(hit.lower, point[0])]),
                np.array([max(hit.upper, point[0])]),
            )
        )
    chart = Chart(
        Axis("false_alarms", "False alarms: said “with you”, but it was without", log=False),
        Axis("hits", "Hits: said “with you”, and it was", log=False, reach=1),
        tuple(curves),
    )
    right = float((1 + (best - x).max()) / 2)
    return ClassAttack.of(chart, score=score, epsilon=loss, best=right)
