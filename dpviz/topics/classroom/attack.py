"""A class attacks: each gets answers from one of two worlds, and guesses which.

A count of 60 others, and of you or not, is published with Laplace noise of scale 1/ε, which is
(ε, 0)-DP for the substitution of one person; a fair coin decides about you.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.intervals import clopper_pearson
from dpviz.results.evidence import Bracket, FloatArray
from dpviz.results.parameters import ParameterError, validate

GUESSES = 5
"""Answers that each of the class gets."""
OTHERS = 60
INSIDE, OUTSIDE = "i", "o"
"""The two guesses, as letters."""


def dealt_answers(
    rng: np.random.Generator, *, epsilon: float, count: int = GUESSES
) -> tuple[NDArray[np.bool_], FloatArray]:
    """Return in which of `count` answers the person is, and the answers, to one decimal.

    Rounding what is published makes nothing less private.
    """
    scale = 1 / validate("epsilon", epsilon)
    inside = rng.random(count) < 0.5
    answers: FloatArray = np.round(OTHERS + inside + rng.laplace(0.0, scale, count), 1)
    return inside, answers


@dataclass(frozen=True)
class ClassScore:
    """What the guesses of a class came to.

    hits of `present` answers with the person; alarms of `absent` ones without. The shares'
    intervals have a confidence of at least 95% if each answer is accused independently with the
    same probability (Clopper & Pearson 1934).
    """

    hits: int
    present: int
    alarms: int
    absent: int

    def __post_init__(self) -> None:
        for name, part, whole in (
            ("hits", self.hits, self.present),
            ("alarms", self.alarms, self.absent),
        ):
            if not 0 <= part <= whole:
                raise ParameterError(name, f"a whole number from 0 to {whole}", part)

    @property
    def right(self) -> int:
        """How many guesses were right."""
        return self.hits + self.absent - self.alarms

    @property
    def guesses(self) -> int:
        """How many there were."""
        return self.present + self.absent

    def shares(self) -> tuple[Bracket, Bracket]:
        """Return the intervals of the shares of hits and of false alarms."""
        low, high = clopper_pearson([self.hits, self.alarms], [self.present, self.absent])
        hit, alarm = (Bracket(float(a), float(b)) for a, b in zip(low, high, strict=True))
        return hit, alarm
