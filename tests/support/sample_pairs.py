"""How close the outputs on two fresh samples are, summed over all pairs of samples."""

import math

import numpy as np
import pytest
from scipy import stats

from dpviz.maths.finite_exponential import FiniteExponential
from dpviz.maths.randomized_response import RandomizedResponse
from dpviz.maths.sum_mechanisms import GaussianCount, GeometricCount

MECHANISMS = (
    GeometricCount(0.3),
    GaussianCount(2.5),
    RandomizedResponse(0.4),
    FiniteExponential(0.8, (0.0, 2.0, 3.5, 7.0)),
)
named = pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: m.name)


def pairs(mechanism, n, rate, epsilon):
    """The mass of each kind of pair of samples, and ln d_ε in both directions, by scipy's laws."""
    sums = stats.binom.pmf(np.arange(n + 1), n, rate)
    match mechanism:
        case FiniteExponential():
            masses, x = np.outer(sums, sums).ravel(), np.indices((n + 1, n + 1)).reshape(2, -1)
            ways = ((x[0], x[1]), (x[1], x[0]))
            return masses, [mechanism.log_divergence(*way, epsilon=epsilon) for way in ways]
        case RandomizedResponse():
            masses = stats.binom.pmf(np.arange(n + 1), n, 2 * rate * (1 - rate))
        case _:
            masses = np.convolve(sums, sums[::-1])[n:]
            masses[1:] *= 2
    return masses, [mechanism.log_divergence(np.arange(n + 1.0), epsilon=epsilon)] * 2


def close_share(mechanism, *, samples, rate, epsilon, delta):
    """How likely two fresh samples have close outputs, for each ε′: a sum over all pairs."""

    def one(eps):
        masses, (forward, backward) = pairs(mechanism, samples, rate, eps)
        return masses[np.maximum(forward, backward) <= math.log(delta)].sum()

    return np.vectorize(one, otypes=[float])(epsilon)


def expected_divergence(mechanism, *, samples, rate, epsilon):
    """The left side of Lemma 14, a sum over all pairs."""
    masses, (forward, _) = pairs(mechanism, samples, rate, epsilon)
    return masses @ np.exp(forward)
