"""The least noise that keeps a promise, for each mechanism, and the least ε of given noise."""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq

from dpviz.maths import divergence, gaussian
from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.bounded_noise import PowerNoise
from dpviz.results.evidence import Bracket
from dpviz.results.parameters import ParameterError, validate
from dpviz.topics.promise.releases import (
    BoundedRelease,
    GaussianRelease,
    GeometricRelease,
    LaplaceRelease,
    Release,
    ResponseRelease,
)

MECHANISMS = {
    "gaussian": "Gaussian",
    "laplace": "Laplace",
    "bounded": "Bounded",
    "response": "Coin flips",
    "geometric": "Geometric",
}
"""The mechanisms by name, and how a reader sees them."""


@lru_cache(maxsize=64)
def least_noise(
    mechanism: str, *, epsilon: float, delta: float, queries: int, power: float
) -> Release:
    """Return k answers with as little noise as (ε, δ)-DP for all of them together allows.

    mechanism: one of `MECHANISMS`; power: p of bounded noise, without effect on the others.
    Neighbouring data sets substitute one person, who moves each answer by at most 1 (for
    randomised response: replaces a bit). Where a bound is certified the private end is taken.
    Raises `ParameterError`.
    """
    eps, failure = validate("epsilon", epsilon), validate("delta", delta)
    k = int(validate("queries", queries))
    if mechanism == "gaussian":
        return GaussianRelease(float(gaussian.largest_mu(np.array(eps), np.array(failure))))
    if mechanism == "bounded":
        noise = PowerNoise(power)
        radius = minimal_radius(noise, epsilon=eps, delta=failure, queries=k).upper
        return BoundedRelease(noise, 1 / radius, k)
    if mechanism == "laplace":
        return LaplaceRelease(_laplace_loss(eps, failure, k), k)
    kinds = {"response": ResponseRelease, "geometric": GeometricRelease}
    if mechanism not in kinds:
        raise ParameterError("mechanism", f"one of {', '.join(MECHANISMS)}", mechanism)
    return kinds[mechanism](_response_loss(eps, failure, k), k)


def _laplace_loss(epsilon: float, delta: float, count: int) -> float:
    """Return the largest ε₀ for which k Laplace answers of scale 1/ε₀ are (ε, δ)-DP."""
    if count == 1:
        return epsilon - 2 * math.log1p(-delta)
    at = np.array([epsilon])
    return _largest(
        lambda loss: float(LaplaceRelease(loss, count).log_delta(at)[1][0]), epsilon, delta, count
    )


def _response_loss(epsilon: float, delta: float, count: int) -> float:
    """Return the largest ε₀ for which k bits of ε₀-randomised response are (ε, δ)-DP."""
    if count == 1:  # p − e^ε·(1 − p) = δ
        return math.log(math.exp(epsilon) + delta) - math.log1p(-delta)
    return _largest(
        lambda loss: float(
            divergence.log_randomized_response(count, bit_epsilon=loss, epsilon=epsilon)
        ),
        epsilon,
        delta,
        count,
    )


def _largest(
    log_delta: Callable[[float], float], epsilon: float, delta: float, count: int
) -> float:
    """Return the largest ε₀ with log_delta(ε₀) ≤ ln δ, on the private side of the root."""
    goal = math.log(delta)
    low = epsilon / count  # then no output has a loss above ε
    high = 2 * low
    while log_delta(high) <= goal:
        low, high = high, 2 * high

    def excess(log_loss: float) -> float:
        return max(log_delta(math.exp(log_loss)), 2 * goal - 50) - goal

    width = 1e-7
    root = brentq(excess, math.log(low), math.log(high), xtol=width)
    while excess(root) > 0 and root > math.log(low):
        root -= width
    return math.exp(max(root, math.log(low)))


def least_epsilon(release: Release, delta: float) -> Bracket:
    """Return bounds on the least ε ≥ 0 at which the release is (ε, δ)-DP; inf where none is.

    The upper end is private.
    """
    goal = math.log(validate("delta", delta))
    if isinstance(release, GaussianRelease):
        exact = float(gaussian.least_epsilon(np.array(release.mu), np.array(delta)))
        return Bracket(exact, exact)
    if isinstance(release, ResponseRelease):
        exact = float(
            divergence.randomized_response_epsilon(
                release.count, bit_epsilon=release.loss, delta=delta
            )
        )
        return Bracket(exact, exact)
    if isinstance(release, BoundedRelease) and release.log_floor > goal:
        return Bracket(math.inf, math.inf)

    def bounds(epsilon: float) -> tuple[float, float]:
        low, high = release.log_delta(np.array([epsilon]))
        return float(low[0]) - goal, float(high[0]) - goal

    return _root(bounds, release.largest_loss, goal)


def _root(
    bounds: Callable[[float], tuple[float, float]], most: float, goal: float
) -> Bracket:
    """Return bounds on the ε where ln δ(ε) − goal, which falls, is 0; at most `most`."""
    if bounds(0.0)[1] <= 0:
        return Bracket(0.0, 0.0)
    low, high = 0.0, min(most, 0.1)
    while high < most and bounds(high)[1] > 0:
        low, high = high, min(2 * high, most)

    def excess(epsilon: float) -> float:
        return max(bounds(epsilon)[1], goal - 50)

    private = brentq(excess, low, high, xtol=1e-12, rtol=1e-5) if high < most else high
    if high == most and bounds(low)[1] > 0:
        private = brentq(excess, low, most * (1 - 1e-12), rtol=1e-5)
    step = max(1e-5 * private, 1e-12)
    while bounds(private)[1] > 0:
        private = min(private + step, most)
    broken = private - step
    while broken > 0 and bounds(broken)[0] <= 0:
        step *= 2
        broken = private - step
    return Bracket(max(broken, 0.0), private)
