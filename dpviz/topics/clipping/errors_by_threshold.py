"""Expected errors on given users at many thresholds τ, exactly, and their curves."""

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import Curve, Evidence, FloatArray, Landmark, Source, Subject
from dpviz.results.papers import UL
from dpviz.topics.clipping.simulation import Scorer, selection_laws
from dpviz.topics.clipping.tasks import Task

WORTH = 0.9
"""Clipping helps where it brings the error to at most this part of the error without it."""

_OWN = Source("dpviz.topics.clipping")
_SMALLEST_PART = 300  # of m, down to which τ goes


def threshold_grid(examples_per_user: int, count: int, fixed: FloatArray) -> FloatArray:
    """Return `count` thresholds up to m, and the fixed ones, however small they are."""
    m = float(examples_per_user)
    low = min(max(m / _SMALLEST_PART, 0.1), 0.5 * m, float(fixed.min()))
    return np.unique(np.concatenate([np.geomspace(low, m, count), fixed]))


def errors_on(
    data: NDArray[np.int64], task: Task, examples_per_user: int, taus: FloatArray, epsilon: float
) -> tuple[FloatArray, FloatArray]:
    """Return the exact expected error on given users at each τ: exact sensitivity, and 2τ."""
    scorer = Scorer(task, examples_per_user=examples_per_user, thresholds=taus)
    return errors_of_scores(scorer.scores_of(data), task, examples_per_user, taus, epsilon)


def errors_of_scores(
    scores: FloatArray, task: Task, examples_per_user: int, taus: FloatArray, epsilon: float
) -> tuple[FloatArray, FloatArray]:
    """Return the same, given the scores at each τ: (τ, candidates)."""
    own = task.sensitivities(taus, examples_per_user=examples_per_user)
    stated = np.array([task.published_sensitivity(tau) for tau in taus.tolist()])
    exact, published = (
        selection_laws(scores, sensitivities=moved, epsilon=epsilon) @ task.errors
        for moved in (own, stated)
    )
    return exact, published


def exact_curve(
    key: str, label: str, subject: Subject, x: FloatArray, y: FloatArray, weight: float = 1.0
) -> Curve:
    """Return a curve of numbers that are computed, not simulated."""
    return Curve(key, label, subject, Evidence.EXACT, _OWN, x, y, weight=weight)


def published_curve(taus: FloatArray, error: FloatArray) -> Curve:
    """Return the curve of the paper's own algorithm, which divides by 2τ."""
    return Curve(
        "published",
        "as published, Δ = 2τ",
        Subject.USER_LEVEL,
        Evidence.PUBLISHED,
        Source(UL, "Theorem 37, Δ = 2τ"),
        taus,
        error,
        weight=0.8,
    )


def best_and_last(taus: FloatArray, error: FloatArray) -> tuple[Landmark, ...]:
    """Mark the best threshold, and the error without clipping; nothing where no τ is better.

    The headline says that, and at the end of the curve words would cover it.
    """
    least = int(error.argmin())
    if least == taus.size - 1:
        return ()
    return (
        Landmark(float(taus[least]), float(error[least]), "best τ", Subject.USER_LEVEL),
        Landmark(float(taus[-1]), float(error[-1]), "no clipping", Subject.DANGER),
    )
