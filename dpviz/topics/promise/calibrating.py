"""The least noise that keeps a promise, for each mechanism, and the least ε of given noise."""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri

from dpviz.maths import divergence, gaussian
from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.accounting.search import Steps, whole
from dpviz.maths.bounded_noise import PowerNoise
from dpviz.results.evidence import Bracket
from dpviz.results.parameters import LIMITS, ParameterError, validate
from dpviz.topics.promise.releases import (
    FARTHEST,
    BoundedRelease,
    GaussianRelease,
    GeometricRelease,
    LaplaceRelease,
    Release,
    ResponseRelease,
    ShiftedGeometric,
)

MECHANISMS = {
    "gaussian": "Gaussian",
    "laplace": "Laplace",
    "bounded": "Bounded",
    "response": "Coin flips",
    "geometric": "Geometric",
}
"""The mechanisms by name, and how a control shows them."""

NOISES = {
    "gaussian": "Gaussian noise",
    "laplace": "Laplace noise",
    "bounded": "bounded noise",
    "response": "randomised response",
    "geometric": "geometric noise",
}
"""The mechanisms by name, as they stand in a sentence."""

_SETTLED = 1e-3  # in ln δ
_TOP = 0.999  # of the largest loss: an ε so near to it need not be distinguished from it
_MOST_TRIES = 60
_FEW = 30  # answers, for which few strings of them decide
_RARE = 1e-9  # false alarms
_SLOPES = (0.6, 1.5, 3.0, 5.0)  # in standard deviations of the loss


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
    """Return the largest ε₀ ≤ 10 for which k bits of ε₀-randomised response are (ε, δ)-DP."""
    if count == 1:  # p − e^ε·(1 − p) = δ
        exact = math.log(math.exp(epsilon) + delta) - math.log1p(-delta)
        return min(exact, LIMITS["epsilon"].maximum)
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
    # many answers are nearly Gaussian
    mu = float(gaussian.largest_mu(np.array(epsilon), np.array(delta)))
    high = max(1.02 * mu / math.sqrt(count), 1.02 * low)
    if 0.96 * high > low and log_delta(0.96 * high) <= goal:
        low = 0.96 * high
    while log_delta(high) <= goal:
        low, high = high, 1.5 * high

    def excess(log_loss: float) -> float:
        return max(log_delta(math.exp(log_loss)), 2 * goal - 50) - goal

    width = 1e-7 if count <= _FEW else 1e-5
    root = brentq(excess, math.log(low), math.log(high), xtol=width)
    while excess(root) > 0 and root > math.log(low):
        root -= width
    return math.exp(max(root, math.log(low)))


def few_places(release: Release, epsilon: float, delta: float, alarm: float) -> tuple[float, ...]:
    """Return the few ε that tell most about the hit rates, ascending from 0.

    A line of slope e^ε touches the hit rates of Gaussian noise of the same privacy, Φ(Φ⁻¹(α) + μ),
    at ln of its slope, −μ·Φ⁻¹(α) − μ²/2: here at the attacker's α, and at others around it.
    """
    mu = float(gaussian.largest_mu(np.array(epsilon), np.array(delta)))
    own = abs(-mu * float(ndtri(min(max(alarm, _RARE), 1 - _RARE))) - mu**2 / 2)
    places = sorted({own, *(mu * z for z in _SLOPES)})
    return (0.0, *(place for place in places if 0 < place < release.largest_loss))


def least_epsilon(release: Release, delta: float, start: float | None = None) -> Bracket:
    """Return bounds on the least ε ≥ 0 at which the release is (ε, δ)-DP; inf where none is.

    The upper end is private. Bounded noise is looked at up to ε = 300; what is beyond counts as
    none. start: a guess at ε, for speed only.
    """
    return whole(least_epsilon_steps(release, delta, start))


def least_epsilon_steps(
    release: Release, delta: float, start: float | None = None
) -> Steps[Bracket]:
    """Compute `least_epsilon` with a pause between two evaluations of δ."""
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

    nearby = release.nearby() if isinstance(release, ShiftedGeometric) else None

    def bounds(epsilon: float) -> tuple[float, float]:
        if nearby is not None:
            ends = nearby.bounds(epsilon)
            return ends[0] - goal, ends[1] - goal
        low, high = release.log_delta(np.array([epsilon]))
        return float(low[0]) - goal, float(high[0]) - goal

    return (yield from _root(bounds, release.largest_loss, start or 1.0))


def _root(
    bounds: Callable[[float], tuple[float, float]], most: float, start: float
) -> Steps[Bracket]:
    """Return bounds on the ε ≤ most where the bounds on ln δ(ε) − goal, which fall, reach 0.

    The secant method finds the root; then certified values settle a point on each side of it.
    """
    below, above = 0.0, most
    epsilon, slope = min(start, 0.9 * most, FARTHEST if math.isinf(most) else most), 0.0
    if start > 0.3 * most and bounds(_TOP * most)[0] > 0:
        return Bracket(_TOP * most, most)
    before: tuple[float, float] | None = None
    for _ in range(_MOST_TRIES):
        yield
        low, high = bounds(epsilon)
        value = max((low + high) / 2 if math.isfinite(low) else high, -900.0)
        if value <= 0 and below == 0 and above == most and bounds(0.0)[1] <= 0:
            return Bracket(0.0, 0.0)
        below, above = (epsilon, above) if value > 0 else (below, epsilon)
        if before is not None and epsilon != before[0] and value != before[1]:
            slope = (value - before[1]) / (epsilon - before[0])
        if (abs(value) < _SETTLED and slope < 0) or above - below < 1e-9 * epsilon:
            break
        before = epsilon, value
        target = epsilon - value / slope if slope < 0 else epsilon * (1.05 if value > 0 else 0.95)
        if not below < target < min(above, 3 * epsilon):
            target = 2 * epsilon if math.isinf(above) else (below + above) / 2
        epsilon = target
        if epsilon > FARTHEST and math.isinf(most):
            return Bracket(below, math.inf)
    wide = high - low if math.isfinite(low) else 0.0
    width = max((abs(value) + wide) / max(-slope * epsilon, 1e-3), 1e-6)
    yield
    lower = yield from _settled(lambda w: epsilon * (1 - w), lambda e: bounds(e)[0] > 0, width, 0.0)
    yield
    upper = yield from _settled(
        lambda w: epsilon * (1 + w), lambda e: bounds(e)[1] <= 0, width, most
    )
    return Bracket(lower, upper)


def _settled(
    place: Callable[[float], float], holds: Callable[[float], bool], width: float, end: float
) -> Steps[float]:
    """Return the nearest place at which it holds for certain; it does at the end."""
    while True:
        at = place(width)
        if width >= 1 or (end > 0 and at >= end):
            return end
        if holds(at):
            return at
        yield
        width *= 2
