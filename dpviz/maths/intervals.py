"""Confidence intervals of simulated probabilities and means."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, stdtrit

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError

LEVEL = 0.95
"""The confidence of every interval drawn around a simulated probability or mean."""


def clopper_pearson(
    successes: ArrayLike, trials: ArrayLike, *, level: float = LEVEL
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of an interval that holds the probability with confidence >= level.

    Exact at any number of independent trials (Clopper & Pearson 1934); without trials it is
    [0, 1]. level: between 0 and 1. Raises `ParameterError`.
    """
    hits, tries = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    if not np.all((hits >= 0) & (hits <= tries)):
        raise ParameterError("successes", "a number from 0 to trials", successes)
    if not 0 < level < 1:
        raise ParameterError("level", "a number between 0 and 1", level)
    tail = (1 - level) / 2
    with np.errstate(invalid="ignore"):
        low = np.where(hits > 0, betaincinv(np.maximum(hits, 1), tries - hits + 1, tail), 0.0)
        misses = np.maximum(tries - hits, 1)
        high = np.where(hits < tries, betaincinv(hits + 1, misses, 1 - tail), 1.0)
    return low, high


def student_half_width(deviation: ArrayLike, trials: int, *, level: float = LEVEL) -> FloatArray:
    """Return half the width of Student's interval around a mean of independent trials.

    Exact for normal trials, otherwise for many. deviation: the standard deviation of one trial,
    estimated from these (divided by trials − 1); trials: at least 2; level: between 0 and 1.
    Raises `ParameterError`.
    """
    if trials < 2:
        raise ParameterError("trials", "at least 2", trials)
    if not 0 < level < 1:
        raise ParameterError("level", "a number between 0 and 1", level)
    quantile = float(stdtrit(trials - 1, (1 + level) / 2))
    half: FloatArray = quantile / np.sqrt(trials) * np.asarray(deviation, dtype=float)
    return half
