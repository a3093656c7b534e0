r"""The Gaussian mechanism, calibrated exactly (Balle & Wang 2018, the analytic mechanism).

k answers, each of sensitivity Δ, with noise N(0, σ²) each: the k-dimensional query has ℓ₂
sensitivity Δ√k, and with μ = Δ√k/σ the least δ is (Balle & Wang, Theorem 8)

    δ(ε) = Φ(−a) − e^ε Φ(−b),   a = ε/μ − μ/2,   b = ε/μ + μ/2,

for any neighbouring relation under which Δ is the sensitivity, and for adaptive queries too.
The difference cancels badly: at ε = 1e-7, δ = 1e-300 the two terms agree in nine digits. With
the density φ and Mills' ratio M(x) = Φ(−x)/φ(x), e^ε φ(b) = φ(a) turns it into

    δ(ε) = φ(a)·(M(a) − M(b)),   M(a) − M(b) = ∫₀^∞ e^(−a·t − t²/2) (1 − e^(−μ·t)) dt,

where nothing cancels.
"""

from __future__ import annotations  # so that help() shows ArrayLike, not all it may be

import math

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import ArrayLike
from scipy.special import erfcx, log_ndtr, ndtr, ndtri, ndtri_exp

from dpviz.maths.logspace import log_failure_of_each
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import WIDE_EPSILON, ParameterError, validate, validate_array

# The margin by which a calibrated σ, or ln δ, is moved to the private side: above the error of
# ln δ (at most 1e-12; d ln σ / d ln δ ≤ 1), far below what any figure shows.
_SAFETY = 2e-12
_NODES, _WEIGHTS = leggauss(32)
_NODES, _WEIGHTS = (_NODES + 1) / 2, _WEIGHTS / 2


def minimal_sigma(
    *, epsilon: ArrayLike, delta: ArrayLike, queries: ArrayLike, sensitivity: ArrayLike = 1.0
) -> FloatArray:
    """Return the least standard deviation σ for which k noisy answers are (ε, δ)-DP.

    The arguments broadcast; σ has the unit of the sensitivity. The result is private, and at
    most a few times 1e-12 (relative) above the least σ that is.
    Raises `ParameterError` outside the table of limits, but for ε, which may be up to 100.
    Source: Balle & Wang 2018, Algorithm 1.
    """
    eps, target, k, unit = np.broadcast_arrays(
        validate_array("epsilon", epsilon, WIDE_EPSILON),
        validate_array("delta", delta),
        validate_array("queries", queries),
        validate_array("sensitivity", sensitivity),
    )
    sigma: FloatArray = unit * np.sqrt(k) / largest_mu(eps, target) * (1 + _SAFETY)
    return sigma


def textbook_sigma(
    *, epsilon: float, delta: float, queries: float, sensitivity: float = 1.0
) -> float:
    """Return the σ of textbooks, √(2k·ln(1.25/δ))·Δ/ε, which is proven to be private for ε < 1.

    Raises `ParameterError`, also from ε = 1 on. Source: Dwork & Roth 2014, Theorem A.1.
    """
    loss, unit = validate("epsilon", epsilon), validate("sensitivity", sensitivity)
    if loss >= 1:
        raise ParameterError("epsilon", "below 1 for the σ of textbooks", epsilon)
    log_odds = math.log(1.25 / validate("delta", delta))
    return unit * math.sqrt(2 * validate("queries", queries) * log_odds) / loss


def log_privacy_delta(
    sigma: ArrayLike, *, epsilon: ArrayLike, queries: ArrayLike, sensitivity: ArrayLike = 1.0
) -> FloatArray:
    """Return ln δ, for the least δ at which k answers with noise N(0, σ²) are (ε, δ)-DP.

    sigma and sensitivity have the same unit; the arguments broadcast. No underflow: the result
    is as accurate where δ itself is 0 in floating point. Raises `ParameterError` outside the
    table of limits. Source: Balle & Wang 2018, Theorem 8.
    """
    mu = (
        validate_array("sensitivity", sensitivity)
        * np.sqrt(validate_array("queries", queries))
        / validate_array("sigma", sigma)
    )
    at = validate_array("epsilon", epsilon, WIDE_EPSILON)
    return log_delta_of_mu(*np.broadcast_arrays(at, mu))[0]


def privacy_delta(
    sigma: ArrayLike, *, epsilon: ArrayLike, queries: ArrayLike, sensitivity: ArrayLike = 1.0
) -> FloatArray:
    """Return the least δ at which k answers with noise N(0, σ²) are (ε, δ)-DP.

    The exponential of `log_privacy_delta`, with the same arguments.
    """
    log_delta = log_privacy_delta(sigma, epsilon=epsilon, queries=queries, sensitivity=sensitivity)
    return np.exp(log_delta)


def max_error(
    sigma: ArrayLike, *, queries: ArrayLike, failure_probability: ArrayLike
) -> FloatArray:
    """Return the error that the largest of k errors |N(0, σ²)| exceeds with probability β.

    queries: k; failure_probability: β; the arguments broadcast, and the result has the unit of
    sigma. It is σ·z with 2Φ(−z) = 1 − (1 − β)^(1/k), solved through the logarithm of the tail.
    Raises `ParameterError` outside the table of limits.
    """
    scale = validate_array("sigma", sigma)
    k = validate_array("queries", queries)
    beta = validate_array("failure_probability", failure_probability)
    return -scale * ndtri_exp(log_failure_of_each(beta, k) - math.log(2))


def largest_mu(epsilon: FloatArray, delta: FloatArray) -> FloatArray:
    """Return the μ at which δ(ε) is delta: the kernel of `minimal_sigma`, for any ε > 0.

    epsilon, delta: of one shape; delta from 1e-300 to 0.5. Not checked against the table, as ε
    may be that of whole data sets.
    """
    # Newton's method for ln δ as a function of ln μ, which is increasing and concave: from a μ
    # that is too small it ascends and never overshoots. Φ(−a) = δ is such a start.
    log_target, start = np.log(delta), -ndtri(delta)
    log_mu = np.log(2 * epsilon / (start + np.sqrt(start**2 + 2 * epsilon)))
    for _ in range(60):
        log_delta, slope = log_delta_of_mu(epsilon, np.exp(log_mu))
        step = (log_target - log_delta) / slope
        log_mu = log_mu + step
        if np.all(np.abs(step) < 1e-14):
            break
    return np.exp(log_mu)


def log_delta_of_mu(epsilon: FloatArray, mu: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return ln δ and its derivative by ln μ, which is μ·φ(a)/δ, for any ε ≥ 0 and μ > 0.

    epsilon, mu: of one shape, not checked. ln δ is the logarithm of the hockey-stick divergence
    between N(0, 1) and N(μ, 1), in both directions.
    """
    a, b = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    log_phi = -(a**2) / 2 - math.log(2 * math.pi) / 2
    # M(b) far enough below M(a): a plain difference. So it is for a < 0 unless μ is tiny.
    far = 90 / (np.abs(a) + np.sqrt(a**2 + 90))
    plain = ((a < 0) & (mu > 1e-3)) | (mu * far > 8)
    inverse = np.where(a < 0, np.exp(log_phi) / ndtr(np.abs(a)), 1 / _mills(np.maximum(a, 0.0)))
    apart = log_ndtr(-a) + np.log1p(-np.where(plain, _mills(b) * inverse, 0.0))
    # M(b) close to M(a): the integral, cut where e^(−a·t − t²/2) = e^−45.
    t = far[..., None] * _NODES
    integrand = -np.expm1(-mu[..., None] * t) * np.exp(-t * (a[..., None] + t / 2))
    together = log_phi + np.log(far * (integrand @ _WEIGHTS))
    log_delta = np.where(plain, apart, together)[()]
    return log_delta, np.exp(np.log(mu) + log_phi - log_delta)


def least_epsilon(mu: FloatArray, delta: FloatArray) -> FloatArray:
    """Return the least ε ≥ 0 at which N(0, 1) and N(μ, 1) are (ε, δ)-close; any μ > 0.

    mu, delta: of one shape, not checked; delta from 1e-300 to 0.5. The root is moved to the
    private side.
    """
    # Newton's method for ln δ as a function of ε, which falls and is concave: from an ε that is
    # too large it descends and never overshoots. δ(ε) ≤ Φ(−a) gives such a start.
    log_target = np.log(delta) - _SAFETY
    epsilon = mu * (mu / 2 - ndtri(delta)) * (1 + 1e-11)
    for _ in range(60):
        log_delta, slope = _log_delta_falling(epsilon, mu)
        excess = log_delta - log_target
        epsilon = np.maximum(epsilon + excess / slope, 0.0)
        if np.all((np.abs(excess) <= _SAFETY / 4) | (epsilon == 0)):
            break
    return epsilon * (1 + 1e-15)


def _log_delta_falling(epsilon: FloatArray, mu: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return ln δ, and how fast it falls with ε: e^ε Φ(−b)/δ, where e^ε Φ(−b) = φ(a)·M(b)."""
    a, b = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    log_delta = log_delta_of_mu(epsilon, mu)[0]
    log_phi = -(a**2) / 2 - math.log(2 * math.pi) / 2
    return log_delta, _mills(b) * np.exp(log_phi - log_delta)


def _mills(x: FloatArray) -> FloatArray:
    """Return Mills' ratio Φ(−x)/φ(x), for x ≥ 0."""
    return math.sqrt(math.pi / 2) * erfcx(x / math.sqrt(2))
