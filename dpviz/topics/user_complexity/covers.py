"""Covers of families of distributions in d dimensions, with covering radii that are proven.

A cover at radius ρ is a finite set of candidates such that every member of the family is within
total variation distance ρ of one of them. All are grids; what a grid cell is worth in total
variation is exact for product distributions and Gaussians of known covariance, and bounded for
Gaussians of unknown covariance. Ghazi, Kamath et al. 2023, Theorems 42 to 46, ask for ρ = 0.1α.
"""

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from dpviz.results.evidence import FloatArray
from dpviz.results.refining import pause

FREQUENT, RARE = 0.7, 0.3
"""Between these lie the chances of a 1 in each coordinate of the product distributions."""
KNOWN_REACH = 1.5
"""R: how long the mean of a Gaussian of known covariance I is at most."""
BOUNDED_REACH = 1.0
"""R, where the covariance is unknown as well."""
STRETCH = 2.0
"""κ: the unknown covariance lies between I and κI."""

_LEAST_STEP = 0.25  # steps of the means, in units of the radius, below which there are too many
_LOWEST, _HIGHEST = (math.asin(math.sqrt(rate)) for rate in (RARE, FREQUENT))


@dataclass(frozen=True, eq=False)
class ProductCover:
    """Product distributions on {0, 1}^d: rates[j, i], the chance that candidate j's bit i is 1."""

    rates: FloatArray
    radius: float


@dataclass(frozen=True, eq=False)
class GaussianCover:
    """Gaussians in d dimensions: means (candidates, d), covariances (candidates, d, d)."""

    means: FloatArray
    covariances: FloatArray
    radius: float


def product_laws(rates: ArrayLike) -> FloatArray:
    """Return the probability of every point of {0, 1}^d, along the last axis.

    rates: (..., d). Bit i of a point's number is its coordinate i.
    """
    chances = np.asarray(rates, dtype=float)
    laws = np.ones((*chances.shape[:-1], 1))
    for i in range(chances.shape[-1]):
        chance = chances[..., i : i + 1]
        laws = np.concatenate([laws * (1 - chance), laws * chance], axis=-1)
    return laws


def product_levels(count: int) -> tuple[FloatArray, FloatArray]:
    """Return the middles of `count` equal steps of asin √p, as rates, and the ends of the steps."""
    ends = np.linspace(_LOWEST, _HIGHEST, count + 1)
    return np.sin((ends[1:] + ends[:-1]) / 2) ** 2, np.sin(ends) ** 2


@lru_cache(maxsize=64)
def product_radius(dimension: int, levels: int) -> float:
    """Return the largest distance of a product distribution from its cell's candidate, exactly.

    Total variation distance from a fixed distribution is convex in each rate by itself, since a
    product distribution is linear in it: so it is largest in a corner of the cell. By symmetry one
    order of the coordinates stands for all.
    """
    middles, ends = product_levels(levels)
    corners = np.array(list(itertools.product((0, 1), repeat=dimension)))
    worst = 0.0
    for cell in itertools.combinations_with_replacement(range(levels), dimension):
        pause()
        place = np.array(cell)
        apart = product_laws(ends[place + corners]) - product_laws(middles[place])
        worst = max(worst, float(np.abs(apart).sum(axis=-1).max()) / 2)
    return worst


def product_cover(dimension: int, radius: float, most: int) -> ProductCover | None:
    """Return a cover of the product distributions on {0, 1}^d with rates from 0.3 to 0.7.

    With as few steps in each coordinate as reach the radius; None if that makes more than `most`
    candidates.
    """
    levels = 1
    while levels**dimension <= most:
        reached = product_radius(dimension, levels)
        if reached <= radius:
            return ProductCover(_grid(product_levels(levels)[0], dimension), reached)
        levels += 1
    return None


def known_distance(shift: ArrayLike) -> FloatArray:
    """Return the total variation distance of N(0, I) and N(v, I) for |v| = shift, exactly."""
    half = np.asarray(shift, dtype=float) / 2
    return np.asarray(ndtr(half) - ndtr(-half))


def known_cover(dimension: int, radius: float, most: int) -> GaussianCover | None:
    """Return a cover of the Gaussians N(μ, I) with |μ| ≤ `KNOWN_REACH` in d dimensions.

    The middles of cubes: no mean is farther than half a diagonal from that of its cube. None if
    there are more than `most`.
    """
    means, half = _ball(dimension, KNOWN_REACH, 2 * float(ndtri((1 + radius) / 2)))
    if len(means) > most:
        return None
    same = np.broadcast_to(np.eye(dimension), (len(means), dimension, dimension))
    return GaussianCover(means, same, float(known_distance(half)))


def bounded_cover(dimension: int, radius: float, most: int) -> GaussianCover | None:
    """Return a cover of the N(μ, Σ) with |μ| ≤ `BOUNDED_REACH` and I ⪯ Σ ⪯ `STRETCH`·I.

    Means are middles of cubes, covariances the exponentials of middles of boxes of log Σ. Of all
    numbers of steps that reach the radius, those with the fewest candidates; None if they are more
    than `most`. Its own radius is the bound of `_bounded_radius`.
    """
    cover, fewest = None, most + 1
    for steps in itertools.count(1):
        boxes, slack = _log_covariances(dimension, steps)
        pause()
        if len(boxes) >= fewest:
            return cover
        farthest = _farthest_mean(dimension, slack, radius)
        if farthest <= _LEAST_STEP * radius:
            continue
        means, half = _ball(dimension, BOUNDED_REACH, farthest)
        if len(means) * len(boxes) < fewest:
            fewest = len(means) * len(boxes)
            cover = GaussianCover(
                np.repeat(means, len(boxes), axis=0),
                np.tile(_exponentials(boxes), (len(means), 1, 1)),
                _bounded_radius(dimension, slack, half),
            )
    raise AssertionError  # the loop ends with a return


def _grid(levels: ArrayLike, dimension: int) -> FloatArray:
    """Return all points whose coordinates are among the levels, one a row."""
    axes = np.meshgrid(*[np.asarray(levels, dtype=float)] * dimension, indexing="ij")
    return np.stack(axes, axis=-1).reshape(-1, dimension)


def _ball(dimension: int, reach: float, half: float) -> tuple[FloatArray, float]:
    """Return the middles of cubes that cover a ball about 0, and their half diagonal, ≤ half."""
    count = max(1, math.ceil(reach * math.sqrt(dimension) / half - 1e-9))
    side = 2 * reach / count
    middles = _grid((np.arange(count) + 0.5) * side - reach, dimension)
    nearest = np.maximum(np.abs(middles) - side / 2, 0)
    inside = np.linalg.norm(nearest, axis=1) <= reach * (1 + 1e-12)
    return middles[inside], side * math.sqrt(dimension) / 2


def _log_covariances(dimension: int, steps: int) -> tuple[FloatArray, float]:
    """Return the middles of boxes that cover all A with 0 ⪯ A ⪯ ln κ, and how far they reach.

    Boxes have `steps` parts in each entry of A: from 0 to ln κ on the diagonal, ±½ln κ elsewhere.
    By Weyl's inequality a box that meets the set has a middle whose eigenvalues are beyond it by no
    more than the box's half diagonal in the Frobenius norm; all such are kept.
    """
    top = math.log(STRETCH)
    rows, columns = np.triu_indices(dimension)
    entries = _grid((np.arange(steps) + 0.5) * top / steps, len(rows))
    entries[:, rows != columns] -= top / 2
    middles = np.zeros((len(entries), dimension, dimension))
    middles[:, rows, columns] = middles[:, columns, rows] = entries
    slack = dimension * top / (2 * steps)  # off-diagonal entries count twice: d² in all
    values = np.linalg.eigvalsh(middles)
    near = (values[:, 0] >= -slack) & (values[:, -1] <= top + slack)
    return middles[near], slack


def _exponentials(matrices: FloatArray) -> FloatArray:
    values, vectors = np.linalg.eigh(matrices)
    return np.asarray((vectors * np.exp(values)[:, None, :]) @ vectors.swapaxes(1, 2))


def _overlap_log(dimension: int, slack: float) -> float:
    """Return a lower bound on the log of ∫√(pq) for centred Gaussians with |A − B| ≤ slack.

    A: 0 ⪯ A ⪯ ln κ; both are logarithms of covariances. On the way from A to B all eigenvalues
    stay within an interval of length w = ln κ + √2·slack (Hoffman & Wielandt 1953), so the
    eigenvalues of log(e^(−A/2) e^B e^(−A/2)) have squares that sum to δ² at most, with
    δ = slack·sinh(w/2)/(w/2): the derivative of e^A in the invariant metric has the entries of dA
    times sinh(x)/x with |x| ≤ w/2. The overlap is Π cosh(l/2)^(−1/2) over these eigenvalues l, and
    least if they are equal, as ln cosh √x is concave.
    """
    half = (math.log(STRETCH) + math.sqrt(2) * slack) / 2
    delta = slack * math.sinh(half) / half
    return -dimension / 2 * math.log(math.cosh(delta / (2 * math.sqrt(dimension))))


def _farthest_mean(dimension: int, slack: float, radius: float) -> float:
    """Return how far apart the means may be so that the bound stays within radius; 0 for none."""
    left = _overlap_log(dimension, slack) - 0.5 * math.log1p(-(radius**2))
    return math.sqrt(max(0.0, 8 * left * (1 + math.exp(-slack)) / 2))


def _bounded_radius(dimension: int, slack: float, half: float) -> float:
    """Return √(1 − B²) with B ≤ ∫√(pq), a bound on the distance: covariances, then means.

    Half the sum of both covariances, of which one is at least I, the other at least e^(−slack)·I,
    bounds what the means' distance takes from the overlap.
    """
    least = (1 + math.exp(-slack)) / 2
    log_overlap = _overlap_log(dimension, slack) - half**2 / (8 * least)
    return math.sqrt(-math.expm1(2 * log_overlap))
