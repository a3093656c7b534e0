"""How close the outputs on two fresh samples are: exact probabilities, quantiles, expectations.

x and x' are independent, each of `samples` independent Bernoulli(rate) bits. Outputs are close if
A(x) ≈_{ε′,δ′} A(x') (Ghazi, Kamath et al. 2023, Definition 12, whose data sets are neighbours if
one bit is substituted). The divergence depends on a distance of x and x' alone whose law is exact,
so nothing is simulated.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from dpviz.maths.finite_exponential import FiniteExponential, Mechanism
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import LIMITS, ParameterError, validate


def log_far_probability(
    mechanism: Mechanism, *, samples: float, rate: float, epsilon: ArrayLike, delta: float
) -> FloatArray:
    """Return ln Pr[A(x) and A(x') are not (epsilon, delta)-close], −inf where it is 0.

    As `closeness_probability`, but without the rounding of probabilities next to 1.
    """
    n, p, allowed = _sample(samples, rate, delta)
    eps = closeness_epsilon(epsilon)
    if isinstance(mechanism, FiniteExponential):
        return _log_far_pairs(mechanism, n, p, eps, allowed)
    law = mechanism.distance_law(n, p)
    return law.log_above(mechanism.farthest(epsilon=eps, delta=allowed))


def closeness_probability(
    mechanism: Mechanism, *, samples: float, rate: float, epsilon: ArrayLike, delta: float
) -> FloatArray:
    """Return Pr[A(x) ≈_{ε′,δ′} A(x')], exactly, for x, x' ~ Bernoulli(rate)^samples.

    samples: n, up to 1e6 (1000 for `FiniteExponential`); epsilon: ε′, an array or a number;
    delta: δ′. Raises `ParameterError` outside the table of limits.
    """
    log_far = log_far_probability(
        mechanism, samples=samples, rate=rate, epsilon=epsilon, delta=delta
    )
    return 0.0 - np.expm1(log_far)


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


def log_expected_divergence(
    mechanism: Mechanism, *, samples: float, rate: float, epsilon: float
) -> float:
    """Return ln E[d_ε′(A(x) ‖ A(x'))], the left side of Lemma 14, exactly.

    epsilon: ε′. Both directions have the same expectation. Raises `ParameterError`.
    """
    n, p, _ = _sample(samples, rate, LIMITS["closeness_delta"].default)
    eps = float(closeness_epsilon(epsilon))
    if isinstance(mechanism, FiniteExponential):
        law = mechanism.pairs(n, p)
        masses = np.exp(law.log_pmf)
        expected = 0.0
        for log_row in mechanism.log_rows(law.values).T:
            gain = -np.expm1(np.minimum(eps - np.subtract.outer(log_row, log_row), 0.0))
            expected += float((masses * np.exp(log_row)) @ gain @ masses)
        return math.log(expected) if expected > 0 else -math.inf
    return min(mechanism.log_expected_divergence(n, p, eps), 0.0)


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


def closeness_epsilon(epsilon: ArrayLike) -> FloatArray:
    """Return ε′ validated; an error names it `epsilon`, as the functions here do."""
    limit = replace(LIMITS["closeness_epsilon"], name="epsilon")
    try:
        values = np.asarray(epsilon, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(limit.name, limit.allowed, epsilon) from None
    bad = ~((values >= limit.minimum) & (values <= limit.maximum))
    if bad.any():
        raise ParameterError(limit.name, limit.allowed, float(values[bad].flat[0]))
    return values


def _sample(samples: float, rate: float, delta: float) -> tuple[int, float, float]:
    return (
        int(validate("samples", samples)),
        validate("rate", rate),
        replace(LIMITS["closeness_delta"], name="delta").validate(delta),
    )


def _log_far_pairs(
    mechanism: FiniteExponential, samples: int, rate: float, epsilon: FloatArray, delta: float
) -> FloatArray:
    values, masses = pair_losses(mechanism, samples=samples, rate=rate, delta=delta)
    # what is left beyond each ε′, in one pass: each pair counts for the ε′ below its own
    order = np.argsort(epsilon, axis=None)
    place = np.searchsorted(epsilon.ravel()[order], values, side="right")
    place = np.where(values > epsilon.max(), epsilon.size, place)
    left = np.bincount(place, weights=masses, minlength=epsilon.size + 1)
    far = np.empty(epsilon.size)
    far[order] = np.cumsum(left[::-1])[::-1][1:]
    with np.errstate(divide="ignore"):
        log_far: FloatArray = np.log(np.minimum(far, 1.0)).reshape(epsilon.shape)[()]
    return log_far
