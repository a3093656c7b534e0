"""What plain noise on averages does: the baseline that clipped selection has to beat."""

import numpy as np
from numpy.typing import ArrayLike

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate


def laplace_scale(domain_size: int, *, users: float, epsilon: float) -> float:
    """Return the scale of the noise on each share of the users' mean distribution.

    Every user counts as the distribution of their own examples. Substitution of a user moves the
    mean by at most 2/n in sum over the categories, and a single share by 1/n; so the scale is
    2/(nε), and 1/(nε) for two categories, of which only one gets noise and the other is the rest.
    The Laplace mechanism, ε-DP for users however many examples they hold. Raises
    `ParameterError`.
    """
    moved = 1 if domain_size == 2 else 2
    return moved / (validate("users", users) * validate("epsilon", epsilon))


def laplace_error(
    means: ArrayLike, truth: ArrayLike, *, users: float, epsilon: float
) -> FloatArray:
    """Return half the expected sum of |noisy share − true share|, exactly.

    means: the users' mean distributions, categories along the last axis; truth: the true shares.
    Noisy shares are cut to [0, 1]; for two categories the error is the total variation distance.
    For x = mean + Laplace(b), E|x − p| = |a| + b·e^(−|a|/b) with a = mean − p, and cutting x off
    saves what lies outside, (b/2)(e^(−mean/b) + e^(−(1 − mean)/b)). Raises `ParameterError`.
    """
    mean, p = np.asarray(means, dtype=float), np.asarray(truth, dtype=float)
    if mean.shape[-1:] != p.shape or not np.all((mean >= 0) & (mean <= 1 + 1e-12)):
        raise ParameterError("means", "shares from 0 to 1, as many as the truth has", means)
    b = laplace_scale(p.size, users=users, epsilon=epsilon)
    off = np.abs(mean - p)
    outside = 0.5 * b * (np.exp(-mean / b) + np.exp(-(1 - mean) / b))
    return np.asarray((off + b * np.exp(-off / b) - outside).sum(axis=-1) / 2)
