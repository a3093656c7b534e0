"""How many private examples the theorems ask for as the error α shrinks: shapes.

Constants and polylogarithms are hidden in all of them; the loss is 1-Lipschitz.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpviz.results.evidence import FloatArray, Source, Subject
from dpviz.results.papers import PD
from dpviz.results.parameters import LIMITS
from dpviz.topics.public_data.theorem_settings import Demand

BASSILY = "Bassily, Moran & Alon 2019"


@dataclass(frozen=True)
class Rate:
    """One shape n(α).

    power: the power of 1/α that leads as α → 0; size: n for α and the parameters; family: which
    learner it belongs to, "general", "yardstick" or one of `SETTINGS`.
    """

    key: str
    label: str
    subject: Subject
    source: Source
    power: float
    family: str
    size: Callable[[FloatArray, Demand], FloatArray]


def _theorem_6(a: FloatArray, q: Demand) -> FloatArray:
    first = q.log_beta**6 / (q.sigma**12 * a**14)
    second = q.log_beta**4.5 * q.log_delta**1.5 / (q.sigma**9 * a**10)
    size: FloatArray = q.dimension**5 / q.epsilon**3 * np.maximum(first, second)
    return size


def _theorem_7(a: FloatArray, q: Demand) -> FloatArray:
    first = q.log_beta**2 / (q.sigma**4 * a**5)
    second = q.log_beta**1.5 * math.sqrt(q.log_delta) / (q.sigma**3 * a**4)
    size: FloatArray = q.dimension / q.epsilon * np.maximum(first, second)
    return size


def _theorem_7_pure(a: FloatArray, q: Demand) -> FloatArray:
    shape = max(q.dimension**2 * math.sqrt(q.log_beta), q.log_beta**2.5)
    size: FloatArray = shape / (q.sigma**5 * q.epsilon * a**6)
    return size


def _theorem_10(a: FloatArray, q: Demand) -> FloatArray:
    return q.dimension**2 * q.log_beta / (a**5 * q.sigma**4 * q.epsilon)


def _theorem_4(a: FloatArray, q: Demand) -> FloatArray:
    # (21) does not print σ; m ~ (d + log 1/β)/(α²σ²) and m^(3/2)/(εn) = α give the third power.
    return q.dimension**2 * math.sqrt(q.log_delta) * q.log_beta / (a**4 * q.sigma**3 * q.epsilon)


def _realizable(a: FloatArray, q: Demand) -> FloatArray:
    # m ~ d/(ασ) in the realisable case: σ² for m², as α³ is α·α² there.
    return q.dimension**2 * q.log_beta / (a**3 * q.sigma**2 * q.epsilon)


def _realizable_approximate(a: FloatArray, q: Demand) -> FloatArray:
    numerator = q.dimension**2 * math.sqrt(q.log_delta) * q.log_beta
    size: FloatArray = numerator / (a**2.5 * q.sigma**1.5 * q.epsilon)
    return size


def _non_private(a: FloatArray, q: Demand) -> FloatArray:
    return (q.dimension + q.log_beta) / a**2


def _inefficient(a: FloatArray, q: Demand) -> FloatArray:
    # the exponential mechanism over a cover of about (1/α)^d functions
    cover = q.dimension * np.log(1 / a) + q.log_beta
    size: FloatArray = (q.dimension + q.log_beta) / a**2 + cover / (q.epsilon * a)
    return size


RATES: tuple[Rate, ...] = (
    Rate("theorem_6", "any class, Algorithm 2", Subject.PERTURBED, Source(PD, "Theorem 6"),
         14, "general", _theorem_6),
    Rate("theorem_7", "convex, Algorithm 3", Subject.GAUSSIAN, Source(PD, "Theorem 7, (131)"),
         5, "convex", _theorem_7),
    Rate("theorem_7_pure", "convex, pure", Subject.LAPLACE, Source(PD, "Theorem 7, (133)"),
         6, "convex", _theorem_7_pure),
    Rate("theorem_10", "RRSPM, pure", Subject.LAPLACE, Source(PD, "Theorem 10"),
         5, "classification", _theorem_10),
    Rate("theorem_4", "RRSPM, Gaussian (refuted)", Subject.DANGER,
         Source(PD, "Theorem 4, (21)"), 4, "classification", _theorem_4),
    Rate("realizable", "RRSPM, realisable", Subject.LAPLACE, Source(PD, "Remark 1"),
         3, "realizable", _realizable),
    Rate("realizable_gaussian", "realisable, Gaussian (refuted)", Subject.DANGER,
         Source(PD, "Remark 1"), 2.5, "realizable", _realizable_approximate),
    Rate("inefficient", "inefficient, private", Subject.EARLIER, Source(BASSILY),
         2, "yardstick", _inefficient),
    Rate("non_private", "without privacy", Subject.LOWER_BOUND, Source(PD, "Section 3"),
         2, "yardstick", _non_private),
)  # fmt: skip
"""Every sample complexity the page compares."""

SETTINGS = {
    "classification": "Classification",
    "realizable": "Realisable classification",
    "convex": "Convex regression",
}
"""Which of `RATES` are drawn together; Algorithm 2 and the yardsticks always are."""

ALPHA = LIMITS["alpha"].narrowed(minimum=0.001, meaning="error on public data, or of the learner")
"""The errors the shapes are drawn for."""
