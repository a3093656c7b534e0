"""How close the outputs on two fresh samples are: exact quantiles of the privacy loss.

x and x' are independent, each of `samples` independent Bernoulli(rate) bits. Outputs are close if
A(x) ≈_{ε′,δ′} A(x') (Ghazi, Kamath et al. 2023, Definition 12, whose data sets are neighbours if
one bit is substituted). The divergence depends on a distance of x and x' alone whose law is exact,
so nothing is simulated.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dpviz.maths.distance_mechanism import DistanceMechanism
from dpviz.maths.finite_exponential import FiniteExponential, Mechanism
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import LIMITS, validate


def divergence_quantile(
    mechanism: Mechanism, *, samples: float, rate: float, delta: float, failure_probability: float
) -> float:
    """Return the least ε′ with Pr[A(x) ≈_{ε′,δ′} A(x')] ≥ 1 − β.

    delta: δ′; failure_probability: β. Raises `ParameterError` outside the table of limits.
    """
    quantiles = divergence_quantiles(
        mechanism,
        samples=samples,
        rate=rate,
        delta=delta,
        failure_probabilities=[failure_probability],
    )
    return float(quantiles[0])


def divergence_quantiles(
    mechanism: Mechanism,
    *,
    samples: float,
    rate: float,
    delta: float,
    failure_probabilities: Sequence[float],
) -> FloatArray:
    """Return `divergence_quantile` for several β at the cost of one law."""
    n, p, allowed = _sample(samples, rate, delta)
    betas = [validate("failure_probability", beta) for beta in failure_probabilities]
    if isinstance(mechanism, FiniteExponential):
        values, masses = pair_losses(mechanism, samples=n, rate=p, delta=allowed)
        order = np.argsort(values)
        above = np.append(np.cumsum(masses[order][:0:-1])[::-1], 0.0)
        return values[order][[int(np.argmax(above <= beta)) for beta in betas]]
    law = mechanism.distance_law(n, p)
    return mechanism.least_epsilon([law.quantile(beta) for beta in betas], delta=allowed)


def loss_quantile(
    mechanism: Mechanism, *, samples: float, rate: float, failure_probability: float
) -> float:
    """Return an ε′ with Pr[no output is more than e^ε′ times as likely on x as on x'] ≥ 1 − β.

    Group privacy at the quantile of the distance; inf where it promises nothing without a δ, or
    there is no such distance. Raises `ParameterError` outside the table of limits.
    """
    n, p = validate("samples", samples), validate("rate", rate)
    beta = validate("failure_probability", failure_probability)
    if isinstance(mechanism, FiniteExponential):
        return math.inf
    return surely_within(mechanism, mechanism.distance_law(int(n), p).quantile(beta))


def surely_within(mechanism: DistanceMechanism, distance: float) -> float:
    """Return an ε′ within which every output is at a distance, by group privacy; inf if none."""
    return distance * float(mechanism.item_epsilon()) if distance else 0.0


def pair_losses(
    mechanism: FiniteExponential, *, samples: int, rate: float, delta: float
) -> tuple[FloatArray, FloatArray]:
    """Return the least ε′ of every pair of sums, and the probability of the pair.

    As two flat arrays; pairs of different sums stand for both orders.
    """
    law = mechanism.pairs(samples, rate)
    least = mechanism.least_epsilon(law.values, law.values, delta=delta)
    masses = np.exp(np.add.outer(law.log_pmf, law.log_pmf))
    upper = np.triu_indices(law.values.size)
    twice = np.where(upper[0] < upper[1], 2.0, 1.0)
    return least[upper], twice * masses[upper]


def _sample(samples: float, rate: float, delta: float) -> tuple[int, float, float]:
    return (
        int(validate("samples", samples)),
        validate("rate", rate),
        replace(LIMITS["closeness_delta"], name="delta").validate(delta),
    )
