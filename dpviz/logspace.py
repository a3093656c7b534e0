"""Arithmetic on logarithms of tiny numbers; what scipy.special already has is not repeated here."""

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
    return np.where(x > -np.log(2), near, far)[()]
