"""Arithmetic on logarithms of tiny numbers; what scipy.special already has is not repeated here."""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, gammaln, log_expit

from dpviz.results.evidence import FloatArray

_SMALL = np.arange(1.0, 17.0)
# of 1 to 16, behind an entry for 0 that nobody asks for
_STIRLING_ERRORS = np.append(
    0.0,
    gammaln(_SMALL + 1) - (_SMALL + 0.5) * np.log(_SMALL) + _SMALL - math.log(2 * math.pi) / 2,
)


def log1mexp(x: ArrayLike) -> FloatArray:
    """Return log(1 − eˣ) for x ≤ 0, accurate to rounding at both ends.

    Identity: log(1 − eˣ) = log(−expm1(x)) = log1p(−eˣ); the first form is accurate for
    x > −log 2, the second below (Mächler 2012, "Accurately computing log(1 − exp(−|a|))").
    At x = 0 the result is −inf.
    """
    x = np.asarray(x, dtype=float)
    with np.errstate(divide="ignore"):
        near = np.log(-np.expm1(np.maximum(x, -1.0)))
        far = np.log1p(-np.exp(np.minimum(x, -0.5)))
    result: FloatArray = np.where(x > -math.log(2), near, far)[()]
    return result


def log_sum_exp(logs: ArrayLike, axis: int | None = None) -> FloatArray:
    """Return the logarithm of the sum of e^logs, over all or along an axis; −inf for no mass.

    As `scipy.special.logsumexp`, of real numbers without weights, in a tenth of its time where
    there are few of them.
    """
    x = np.asarray(logs, dtype=float)
    top = np.max(x, axis=axis, keepdims=True)
    unit = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore", over="ignore"):
        result: FloatArray = np.log(np.sum(np.exp(x - unit), axis=axis, keepdims=True)) + unit
    return np.squeeze(result, axis=axis)[()]


def log_failure_of_each(failure_probability: ArrayLike, count: ArrayLike) -> FloatArray:
    """Return log p, where `count` events of probability p each are all avoided but for β.

    Identity: 1 − (1 − p)^count = β = failure_probability for independent events, hence
    log p = log(1 − e^(log1p(−β)/count)).
    """
    return log1mexp(np.log1p(-np.asarray(failure_probability)) / np.asarray(count))


def log_binomial_pmf(successes: ArrayLike, count: ArrayLike, *, log_odds: ArrayLike) -> FloatArray:
    """Return log P(K = successes), K ~ Binomial(count, p), p = 1/(1 + e^−log_odds).

    Identity (Loader 2000, "Fast and accurate computation of binomial probabilities"): with
    Stirling's formula for the factorials, what is large in them cancels on paper, and left is the
    deviance k·log(k/(np)) + (n − k)·log((n − k)/(nq)). Absolute error about 1e-15·|k − np|.
    """
    k, n, odds = (np.asarray(value, dtype=float) for value in (successes, count, log_odds))
    p, q = expit(odds), expit(-odds)
    inside = (k > 0) & (k < n)
    k_in, n_in = np.where(inside, k, 1.0), np.where(inside, n, 2.0)
    excess = k_in - n_in * p
    deviance = k_in * np.log1p(excess / (n_in * p)) + (n_in - k_in) * np.log1p(-excess / (n_in * q))
    scale = np.log(n_in / (2 * math.pi * k_in * (n_in - k_in))) / 2
    errors = _stirling_error(np.maximum(n, 1.0)) - _stirling_error(k_in)
    errors = errors - _stirling_error(n_in - k_in)
    # at the ends p^n or q^n
    ends = k * log_expit(odds) + (n - k) * log_expit(-odds)
    log_pmf: FloatArray = np.where(inside, scale + errors - deviance, ends)[()]
    return log_pmf


def _stirling_error(n: FloatArray) -> FloatArray:
    """Return log n! − log(√(2πn)·(n/e)^n), for whole n ≥ 1."""
    s = 1 / np.maximum(n, 16.0) ** 2
    series = (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))) / n
    return np.where(n < 16, _STIRLING_ERRORS[np.minimum(n, 16.0).astype(int)], series)
