"""Scores of candidates in which each user's part is clipped: their threshold and sensitivity.

Ghazi, Kamath et al. 2023, Appendix E.1. A candidate is compared with another by a number for each
example, the sum over a user's examples is clipped to [−τ, τ], and the users' sums are added.
Neighbouring data sets differ in all examples of one user (substitution).
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate


def largest_move(
    rows: ArrayLike, *, examples_per_user: float, low: ArrayLike, high: ArrayLike
) -> FloatArray:
    """Return how far one user can move Σᵢ clip(sum of a row over user i's examples), at most.

    rows: one for each pair, or candidate, and a number for each cell; low, high: the ends of what
    a user may count, numbers or arrays of one shape, which the result has as well. Neighbouring
    data sets differ in one user (substitution), who holds up to m examples. Clipping is monotone,
    so a user's part goes from clip(m·least) to clip(m·greatest), 0 included, and both ends are
    attained; the largest distance over the rows is returned. For Scheffé scores a row takes two
    values that differ by 1: that is at most min(2τ, m), and m without clipping. Raises
    `ParameterError`.
    """
    values, m = np.asarray(rows, dtype=float), validate("examples_per_user", examples_per_user)
    ends = (np.asarray(end, dtype=float)[..., None] for end in (low, high))
    bottom, top = np.broadcast_arrays(*ends)
    least = np.clip(m * np.minimum(values.min(axis=-1), 0), bottom, top)
    greatest = np.clip(m * np.maximum(values.max(axis=-1), 0), bottom, top)
    return np.asarray((greatest - least).max(axis=-1))


def theorem_threshold(*, alpha: float, examples_per_user: float, constant: float = 1.0) -> float:
    """Return τ = C·(αm + √(m·ln(1/α))) of Theorem 37, where C is "sufficiently large".

    Raises `ParameterError`.
    """
    a, m = validate("alpha", alpha), validate("examples_per_user", examples_per_user)
    scale = validate("constant", constant)
    return scale * (a * m + math.sqrt(m * math.log(1 / a)))


def clipped_difference_scores(scores: ArrayLike, *, threshold: float) -> FloatArray:
    """Return the score max over k of Σᵢ clip(sᵢ(j) − sᵢ(k)) of every candidate j, Theorem 37.

    scores: sᵢ(j), a row for each user and a column for each candidate, low is good; threshold: τ,
    at which the difference that one user makes is cut off on both sides. One user (substitution)
    moves every score by at most 2τ. Raises `ParameterError`.
    """
    rows = np.asarray(scores)
    if rows.ndim != 2 or not rows.size or not np.all(np.isfinite(rows)):
        raise ParameterError("scores", "a row of finite numbers for each user", scores)
    if not 0 < threshold < math.inf:
        raise ParameterError("threshold", "a positive number", threshold)
    candidates = rows.shape[1]
    totals = np.zeros((candidates, candidates))
    for j in range(1, candidates):
        leads: FloatArray = rows[:, :j] - rows[:, [j]]
        against = np.clip(leads, -threshold, threshold).sum(axis=0)
        totals[:j, j], totals[j, :j] = against, -against
    return np.asarray(totals.max(axis=1))
