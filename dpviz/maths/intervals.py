"""Confidence intervals of simulated probabilities and means."""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, stdtrit

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate

LEVEL = 0.95
"""The confidence of every interval drawn around a simulated probability or mean."""

_CAP = 0.5  # the largest bet; see `mean_interval`


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


def mean_interval(
    values: FloatArray, *, failure_probability: float = 1 - LEVEL
) -> tuple[FloatArray, FloatArray]:
    """Return lower and upper ends for the mean of [0, 1]-valued runs, valid at any time.

    values: independent runs along the first axis; one interval for each other index. It may be
    computed after every run, and the runs stopped whenever it is narrow enough: with probability
    at least 1 − failure_probability all of them hold. The predictable plug-in empirical Bernstein
    confidence sequence of Waudby-Smith & Ramdas 2024, Theorem 2, with its running intersection.
    """
    log_term = math.log(2 / validate("failure_probability", failure_probability))
    x = np.asarray(values, dtype=float)
    t = np.arange(1, x.shape[0] + 1).reshape(-1, *[1] * (x.ndim - 1))
    means = (0.5 + np.cumsum(x, axis=0)) / (t + 1)
    variances = (0.25 + np.cumsum((x - means) ** 2, axis=0)) / (t + 1)
    before = np.concatenate([np.full((1, *x.shape[1:]), 0.5), means[:-1]])
    variance_before = np.concatenate([np.full((1, *x.shape[1:]), 0.25), variances[:-1]])
    bets = np.minimum(np.sqrt(2 * log_term / (variance_before * t * np.log1p(t))), _CAP)
    cost = np.cumsum((x - before) ** 2 * (-np.log1p(-bets) - bets), axis=0)
    weight = np.cumsum(bets, axis=0)
    centre = np.cumsum(bets * x, axis=0) / weight
    radius = (log_term + cost) / weight
    lower = np.clip(np.max(centre - radius, axis=0), 0, 1)
    upper = np.clip(np.min(centre + radius, axis=0), 0, 1)
    return lower, np.maximum(lower, upper)
