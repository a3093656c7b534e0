"""Covers: finitely many distributions on k categories that come near to every distribution.

Distances are total variation, half the sum of absolute differences.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.cluster.vq import kmeans2

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import LIMITS

CANDIDATES = LIMITS["candidates"]
DOMAIN = LIMITS["domain_size"].narrowed(maximum=16, default=2)
"""Categories for which there are covers."""

_COARSEST = 0.25
_POOL = 4000
_WITHIN = 0.95


@dataclass(frozen=True, eq=False)
class Cover:
    """Candidate distributions, one a row, and how near they come.

    radius: the distance within which every distribution has a candidate, exactly (`exact`), or
    within which 95% of distributions drawn uniformly have one.
    """

    points: FloatArray
    radius: float
    exact: bool


@lru_cache(maxsize=32)
def cover(domain_size: int, candidates: int) -> Cover:
    """Return a cover of all distributions on k categories, with at most `candidates` of them.

    The distributions whose shares are multiples of 1/s, as in Theorem 43 of Ghazi, Kamath et al.
    2023 (there s = ⌈10k/α⌉); where so few candidates would leave some distribution farther
    than 0.25 away: cluster centres of distributions drawn uniformly, always the same ones. Raises
    `ParameterError`.
    """
    k, most = int(DOMAIN.validate(domain_size)), int(CANDIDATES.validate(candidates))
    scale = lattice_scale(k, most)
    if k == 2 or (scale and lattice_radius(k, scale) <= _COARSEST):
        return Cover(_compositions(scale, k) / scale, lattice_radius(k, scale), exact=True)
    rng = np.random.default_rng(0)
    pool = rng.dirichlet(np.ones(k), _POOL)
    points, _ = kmeans2(pool, most, minit="++", rng=rng, iter=20)
    fresh = rng.dirichlet(np.ones(k), _POOL)
    nearest = np.min([total_variation(fresh, point) for point in points], axis=0)
    return Cover(points, float(np.quantile(nearest, _WITHIN)), exact=False)


def total_variation(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the total variation distance of distributions along the last axis."""
    return np.asarray(np.abs(first - second).sum(axis=-1) / 2)


def lattice_scale(domain_size: int, candidates: int) -> int:
    """Return the largest s for which few enough distributions have shares in multiples of 1/s.

    At most `candidates` of them; 0 if s = 1 already gives more.
    """
    scale = 0
    while math.comb(scale + domain_size, domain_size - 1) <= candidates:
        scale += 1
    return scale


def lattice_radius(domain_size: int, scale: int) -> float:
    """Return the largest distance of a distribution on k categories from all multiples of 1/s.

    Rounding the largest remainders up is best. It moves the sum of the other remainders, which is
    at most r(k − r)/k in units of 1/s when r are rounded up: reached if all remainders are r/k.
    """
    rounded_up = range(min(domain_size, scale) + 1)
    return max(r * (domain_size - r) for r in rounded_up) / (domain_size * scale)


def _compositions(total: int, parts: int) -> FloatArray:
    """Return every way to write `total` as an ordered sum of `parts` counts, one a row."""
    if parts == 1:
        return np.array([[float(total)]])
    rows = [
        np.insert(_compositions(total - first, parts - 1), 0, first, axis=1)
        for first in range(total + 1)
    ]
    return np.concatenate(rows)
