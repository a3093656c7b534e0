"""The least noise that keeps a promise, for each mechanism, and the least ε of given noise."""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri

from dpviz.maths import divergence, gaussian
from dpviz.maths.accounting.answer import LogBounds
from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.accounting.search import RootSearch
from dpviz.maths.bounded_noise import PowerNoise
from dpviz.results.evidence import Bracket
from dpviz.results.parameters import LIMITS, ParameterError, validate
from dpviz.results.refining import Steps, in_steps
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

UNLIMITED = ("gaussian", "bounded")
"""The mechanisms that keep no ε with δ = 0."""

_WIDTH = 5e-4  # of bounds on ln ε
_NEXT_TO_NONE = 1e-9  # an ε
_FEW = 30  # answers, for which few strings of them decide
_RARE = 1e-9  # false alarms
_SLOPES = (0.6, 1.5, 3.0, 5.0)  # in standard deviations of the loss


def capitalised_noise(mechanism: str) -> str:
    """Return the name of a noise as a sentence begins with it."""
    name = NOISES[mechanism]
    return name[0].upper() + name[1:]


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


def largest_loss(mechanism: str, *, epsilon: float, delta: float, queries: int) -> float:
    """Return the largest privacy loss of k answers with the least (ε, δ)-DP noise, or inf.

    That is the least ε at which they need no δ: pure noise that was made for δ > 0 has one above
    ε; Gaussian and bounded noise have none. The rest as for `least_noise`.
    """
    if mechanism in UNLIMITED:
        return math.inf
    return least_noise(
        mechanism, epsilon=epsilon, delta=delta, queries=queries, power=LIMITS["power"].default
    ).largest_loss


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
    gain = abs(-mu * float(ndtri(min(max(alarm, _RARE), 1 - _RARE))) - mu**2 / 2)
    places = sorted({gain, *(mu * z for z in _SLOPES)})
    return (0.0, *(place for place in places if 0 < place < release.largest_loss))


class _AnswersTogether:
    """log δ of all answers of a release, by ε. Its bounds are as narrow as they are."""

    def __init__(self, release: Release) -> None:
        self._release = release
        self._nearby = release.nearby() if isinstance(release, ShiftedGeometric) else None
        self._known: dict[float, LogBounds] = {}

    def bounds(
        self, epsilon: float, _goal: float = 0.0, _tolerance: float = 0.0
    ) -> Steps[LogBounds]:
        """Return certified bounds."""
        yield from ()
        if epsilon not in self._known:
            if self._nearby is not None:
                ends = self._nearby.bounds(epsilon)
            else:
                low, high = self._release.log_delta(np.array([epsilon]))
                ends = float(low[0]), float(high[0])
            self._known[epsilon] = LogBounds(*ends)
        return self._known[epsilon]

    def rough(self, _epsilon: float, _goal: float) -> None:
        """Return nothing: bounds are quick."""


def likely_epsilon(release: LaplaceRelease, delta: float) -> float:
    """Return about the ε that the loss of all answers together exceeds with probability δ.

    By the central limit theorem. One answer's loss is ε₀ − 2y with y = 0 in half of all cases, of
    density e^(−y)/2 up to ε₀, and else ε₀.
    """
    end = math.exp(-release.loss)
    mean = -math.expm1(-release.loss) / 2
    variance = max(1 - end * (1 + release.loss) - mean**2, 0.0)
    spread = 2 * math.sqrt(release.count * variance)
    return release.count * (release.loss - 2 * mean) - spread * float(ndtri(delta))


@in_steps
def least_epsilon(release: Release, delta: float, start: float | None = None) -> Steps[Bracket]:
    """Return bounds on the least ε ≥ 0 at which the release is (ε, δ)-DP; inf where none is.

    The upper end is private. Bounded noise is looked at up to ε = 300; what is beyond counts as
    none. start: a guess at ε, for speed only.
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

    together = _AnswersTogether(release)
    most = FARTHEST if math.isinf(release.largest_loss) else release.largest_loss
    search = RootSearch(together, goal=goal, width=_WIDTH, span=(_NEXT_TO_NONE, most))
    guess = start or 1.0
    found = yield from search.steps(guess if guess < most else 0.9 * most)
    if found is None:
        return Bracket(search.known_too_little, math.inf)
    private, broken = found
    if private > broken:
        return Bracket(broken, private)
    yield
    at_none = yield from together.bounds(0.0)
    return Bracket(0.0, 0.0 if at_none.upper <= goal else private)
