"""Which of two Gaussians is likelier where: the sets of the Scheffé scores, and their mass.

For Gaussians h and g the set W = {φ_h > φ_g} is {z: a·f(z) + c > 0}, where f(z) lists the
coordinates of z and, if covariances differ, their products: a half-space or a quadric.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtr

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError

# Directions of the quadrature. Where the log ratio vanishes at the mean, a share of a ray jumps at
# up to four angles: the mass of a set errs by up to 0.01 there, and by less than 0.002 elsewhere.
_ANGLES = 96
_TINY = 1e-300


def features(points: ArrayLike, *, products: bool) -> FloatArray:
    """Return f(z) of points z in rows: the coordinates, and all products of two of them."""
    z = np.asarray(points, dtype=float)
    if not products:
        return z
    rows, columns = np.triu_indices(z.shape[-1])
    return np.concatenate([z, z[..., rows] * z[..., columns]], axis=-1)


def log_ratio(
    mean: FloatArray, precision: FloatArray, means: FloatArray, precisions: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return a and c with log φ_h(z) − log φ_g(z) = a·f(z) + c, for one h and every g.

    mean, precision: of h (d,), (d, d); means, precisions: of the g. f has the products.
    """
    rows, columns = np.triu_indices(mean.size)
    twice = np.where(rows == columns, 0.5, 1.0)
    change = (precisions - precision)[:, rows, columns] * twice
    pull = np.einsum("gij,gj->gi", precisions, means)
    linear = precision @ mean - pull
    level = np.einsum("gi,gi->g", pull, means) - mean @ precision @ mean
    scale = np.linalg.slogdet(precision)[1] - np.linalg.slogdet(precisions)[1]
    return np.concatenate([linear, change], axis=1), (level + scale) / 2


def mass_of_wins(
    mean: FloatArray, covariance: FloatArray, means: FloatArray, precisions: FloatArray
) -> FloatArray:
    """Return the probability under N(mean, covariance) of being likelier there than under each g.

    In one or two dimensions. Along a ray from the mean the log ratio is a quadratic, so the part of
    the ray that belongs to W is known; in two dimensions the rays are averaged over equal angles.
    Raises `ParameterError`.
    """
    d = mean.size
    if d not in (1, 2):
        raise ParameterError("mean", "in one or two dimensions", mean)
    root = np.linalg.cholesky(covariance)
    away = mean - means
    twisted = np.einsum("ji,gjk,kl->gil", root, precisions, root) - np.eye(d)
    tilt = np.einsum("ji,gjk,gk->gi", root, precisions, away)
    level = np.einsum("gi,gij,gj->g", away, precisions, away)
    level -= np.linalg.slogdet(covariance)[1] + np.linalg.slogdet(precisions)[1]
    rays = _directions(d)
    square = np.einsum("ri,gij,rj->gr", rays, twisted, rays)
    return np.asarray(_winning_share(square, tilt @ rays.T, level[:, None], d).mean(axis=1))


def _directions(dimension: int) -> FloatArray:
    if dimension == 1:
        return np.array([[1.0], [-1.0]])
    angles = (np.arange(_ANGLES) + 0.5) * 2 * np.pi / _ANGLES
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _winning_share(a: FloatArray, b: FloatArray, c: FloatArray, dimension: int) -> FloatArray:
    """Return the probability of a r² + 2 b r + c > 0 for the length r of a normal vector."""
    a = np.where(a == 0, _TINY, a)
    under = b * b - a * c
    middle = -(b + np.copysign(np.sqrt(np.maximum(under, 0)), b))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        first, second = middle / a, np.where(middle == 0, 0.0, c / middle)
    low, high = (_below(end, dimension) for end in (np.fmin(first, second), np.fmax(first, second)))
    between: NDArray[np.float64] = np.where(under > 0, high - low, 0.0)
    return np.where(a > 0, 1 - between, between)


def _below(length: FloatArray, dimension: int) -> FloatArray:
    """Return the probability that a standard normal vector is no longer."""
    capped = np.clip(length, 0, 1e6)
    return np.asarray(chdtr(dimension, capped * capped))
