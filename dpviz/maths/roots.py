"""Roots of many functions at once, each in its own bracket."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dpviz.results.evidence import FloatArray

_CLOSE = 4 * np.finfo(float).eps  # relative, between the ends at last
_TINY = 4 * np.finfo(float).tiny
_MOST_STEPS = 400


class Roots(NamedTuple):
    """The best point known of each function, its value, and the two ends around the root.

    x, f_x: NaN where the function has the same sign at both ends; bracket: ascending.
    """

    x: FloatArray
    f_x: FloatArray
    bracket: tuple[FloatArray, FloatArray]


def find_roots(
    function: Callable[..., FloatArray],
    ends: tuple[FloatArray, FloatArray],
    args: tuple[FloatArray, ...] = (),
) -> Roots:
    """Return where a function of x and `args`, element by element, changes its sign.

    ends: where it has different signs. Chandrupatla's method (1997): bisection, and inverse
    quadratic interpolation where that is safe. To rounding, as `scipy.optimize.elementwise`, whose
    generality costs ten times as much as the steps of a few functions.
    """
    x1, x2, *args_ = np.broadcast_arrays(*ends, *args)
    x1, x2 = (np.array(x, dtype=float) for x in (x1, x2))
    f1, f2 = function(x1, *args_), function(x2, *args_)
    open_ = (f1 != 0) & (f2 != 0)
    is_bracket = ~open_ | (np.sign(f1) != np.sign(f2))
    open_ &= is_bracket
    share = np.full(x1.shape, 0.5)
    with np.errstate(all="ignore"):
        for _ in range(_MOST_STEPS):
            x = np.where(open_, x1 + share * (x2 - x1), x1)
            f = np.where(open_, function(x, *args_), f1)
            same = np.sign(f) == np.sign(f1)
            x3, f3 = np.where(same, x1, x2), np.where(same, f1, f2)
            x2, f2 = np.where(same | ~open_, x2, x1), np.where(same | ~open_, f2, f1)
            x1, f1 = x, f
            near = np.where(np.abs(f1) < np.abs(f2), x1, x2)
            least = 0.5 * (np.abs(near) * _CLOSE + _TINY) / np.abs(x2 - x1)
            open_ &= (least <= 0.5) & (f1 != 0) & (f2 != 0)
            if not open_.any():
                break
            xi, phi = (x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2)
            alpha = (x3 - x1) / (x2 - x1)
            curved = f1 / (f1 - f2) * f3 / (f3 - f2) - alpha * f1 / (f3 - f1) * f2 / (f2 - f3)
            safe = (phi**2 < xi) & ((1 - phi) ** 2 < 1 - xi)
            share = np.clip(np.where(safe, curved, 0.5), least, 1 - least)
    first = np.abs(f1) < np.abs(f2)
    best, value = np.where(first, x1, x2), np.where(first, f1, f2)
    return Roots(
        np.where(is_bracket, best, np.nan),
        np.where(is_bracket, value, np.nan),
        (np.minimum(x1, x2), np.maximum(x1, x2)),
    )
