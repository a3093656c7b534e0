"""Bounded noise for the accountant `dp_accounting`, to be composed with its other mechanisms.

This module alone needs that package (`pip install dp-accounting`). Its events (`DpEvent`) are a
closed list that its accountants know by name. Its `PrivacyLossDistribution` composes with
everything, and that is what `bounded_noise_pld` returns.

The loss of one answer is put on the lattice of multiples of `interval`. Pessimistic: the mass of a
bin is spread to its two ends, and the mass under the shifted data is kept ("connect the dots",
Doroshenko et al. 2022). This only raises δ. What lies beyond the last bin counts as an infinite
loss, and what lies below the first as the least one. Optimistic: losses are rounded down. Masses
are integrals over one bin each, by Gauss-Legendre, with an error of about 1e-13 in all.
"""

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.optimize.elementwise import find_root

from dpviz.maths.accounting.answer import Problem
from dpviz.maths.bounded_noise import BoundedNoise
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate

if TYPE_CHECKING:
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

_NODES, _WEIGHTS = leggauss(8)
_PANELS = 64  # at least, so that eight nodes do for each
_HIGHEST = 60.0  # losses above it count as infinite: δ is less than e^(ε − 60) off
_SURVEY = 4096  # places between which the ends of bins are bracketed


def bounded_noise_pld(
    noise: BoundedNoise,
    radius: float,
    *,
    sensitivity: float = 1.0,
    pessimistic: bool = True,
    interval: float = 1e-4,
    tail: float = 1e-15,
) -> "PrivacyLossDistribution":
    """Return the privacy loss distribution of one answer with bounded noise.

    noise: the shape, such as `PowerNoise` or `TunedNoise`; radius: R; sensitivity: Δ, the most by
    which a neighbouring data set moves the answer, in the unit of R. The neighbouring relation is
    the one Δ is for: substitution of a person, or adding and removing one; since the noise is
    symmetric, one distribution serves both directions. Compose only with mechanisms of the same
    relation. pessimistic: whether δ is bounded from above, or from below. interval: the step of
    the lattice, the same for all that is composed; tail: the mass that may count as revealed.

    `result.self_compose(k).compose(other)` is then private against adaptive questions as well.
    Raises `ParameterError`, also where R is at most Δ/2: nothing is hidden there.
    """
    shift = validate("sensitivity", sensitivity) / validate("radius", radius)
    for name, value, most in (("interval", interval, 1.0), ("tail", tail, 0.1)):
        if not 0 < value <= most:
            raise ParameterError(name, f"a number above 0, at most {most:g}", value)
    if shift >= 2:
        raise ParameterError("radius", "more than half the sensitivity", radius)
    problem = Problem(noise, shift, epsilon=1.0, queries=1)
    first, edges = _panels(problem, interval, tail)
    masses, rises = _integrals(problem, edges, interval, first)
    beyond = math.exp(problem.log_tails(float(edges[-1]))[0])
    law = np.zeros(masses.size + 1)
    if pessimistic:
        law[:-1] += masses - rises
        law[1:] += rises
        law[0] += max(1 - beyond - masses.sum(), 0.0)
    else:
        law[:-1] += masses
        infinite = math.exp(float(noise.log_tail_from_edge(shift)))
        law[-2] += max(beyond - infinite, 0.0)
        beyond = infinite
    lattice = {first + i: float(mass) for i, mass in enumerate(law) if mass > 0}
    # An optional package, which the app neither needs nor loads.
    from dp_accounting.pld.pld_pmf import create_pmf
    from dp_accounting.pld.privacy_loss_distribution import (
        PrivacyLossDistribution,
    )

    return PrivacyLossDistribution(
        create_pmf(lattice, interval, beyond, pessimistic_estimate=pessimistic)
    )


def _panels(problem: Problem, interval: float, tail: float) -> tuple[int, FloatArray]:
    """Return the number of the first bin, and panels in y: none crosses an end of a bin."""
    edge = float(problem.noise.edge_from_log_tail(math.log(tail)))
    gap = max(edge - problem.shift, 1e-12 * problem.shift)
    low = max(problem.left_end, -problem.coordinate(edge))
    y = np.linspace(low, problem.coordinate(gap), _SURVEY)
    loss, _density = problem.losses(y)
    kept = np.flatnonzero(np.abs(loss) <= _HIGHEST)
    y, loss = y[kept], loss[kept]
    levels = np.arange(math.floor(loss[0] / interval) + 1, math.ceil(loss[-1] / interval))
    right = np.clip(np.searchsorted(loss, interval * levels), 1, loss.size - 1)
    ends = np.empty(0)
    if levels.size:

        def excess(at: FloatArray, level: FloatArray) -> FloatArray:
            return problem.losses(at)[0] - level

        found = find_root(excess, (y[right - 1], y[right]), args=(interval * levels,))
        ends = np.asarray(found.x)
    even = np.linspace(y[0], y[-1], _PANELS + 1)
    return math.floor(loss[0] / interval), np.unique(np.concatenate([even, ends]))


def _integrals(
    problem: Problem, edges: FloatArray, interval: float, first: int
) -> tuple[FloatArray, FloatArray]:
    """Return for each bin its mass, and which part of it belongs to the upper end."""
    lengths = np.diff(edges)[:, None]
    y = edges[:-1, None] + lengths * (_NODES + 1) / 2
    loss, log_density = problem.losses(y)
    mass = np.exp(log_density) * lengths * _WEIGHTS / 2
    # all nodes of a panel are in the bin of its middle one
    bins = np.floor(loss[:, _NODES.size // 2] / interval).astype(int)
    over = np.clip(loss - interval * bins[:, None], 0.0, interval)
    rise = mass * np.expm1(-over) / math.expm1(-interval)
    count = int(bins[-1]) - first + 1
    return (
        np.bincount(bins - first, mass.sum(axis=1), count).astype(float),
        np.bincount(bins - first, rise.sum(axis=1), count).astype(float),
    )
