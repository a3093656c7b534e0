"""Arithmetic on logarithms of tiny numbers; what scipy.special already has is not repeated here."""

import math

import numpy as np
from numpy.typing import ArrayLike

from dpviz.evidence import FloatArray


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


def log_failure_of_each(failure_probability: ArrayLike, count: ArrayLike) -> FloatArray:
    """Return log p, where `count` events of probability p each are all avoided but for β.

    Identity: 1 − (1 − p)^count = β = failure_probability for independent events, hence
    log p = log(1 − e^(log1p(−β)/count)).
    """
    return log1mexp(np.log1p(-np.asarray(failure_probability)) / np.asarray(count))
