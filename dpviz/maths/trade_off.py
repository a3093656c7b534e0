r"""Trade-off functions: what every attacker who tests for one person can reach.

An attacker sees an output and says "in" or "out". Drawn from Q (the data without the person) a
false "in" has probability α; drawn from P (with the person) a true one has probability β, the hit
rate. The largest hit rate at each α, H(α), is concave, and 1 − H is the trade-off function of Dong,
Roth & Su 2022. It holds as much as the privacy profile δ(ε) = sup_S P(S) − e^ε·Q(S):

    H(α) = inf over all real ε of δ(ε) + e^ε·α.

For ε < 0 one needs δ_rev, the profile of the reversed pair, δ(−ε) = 1 − e^(−ε)·(1 − δ_rev(ε)). All
pairs here are symmetric (a reflection swaps P and Q), so that δ_rev = δ and H is as well the curve
of the attacker who tests the other way round.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, ndtr, ndtri

from dpviz.maths.logspace import log_binomial_pmf
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError


@dataclass(frozen=True, eq=False)
class PrivacyProfile:
    """Certified bounds on δ(ε) of a symmetric pair, at ascending ε of any sign."""

    epsilon: FloatArray
    lower: FloatArray
    upper: FloatArray


def two_sided(epsilon: FloatArray, lower: FloatArray, upper: FloatArray) -> PrivacyProfile:
    """Return the profile of a symmetric pair at ±ε, from bounds on δ at ascending ε ≥ 0.

    δ(−ε) = (1 − e^(−ε)) + e^(−ε)·δ(ε): a sum of positive terms. ε = 0 appears once.
    """
    twice = slice(int(epsilon[0] == 0), None)
    flipped = epsilon[twice][::-1]

    def both(delta: FloatArray) -> FloatArray:
        return np.concatenate([delta_at_minus(flipped, delta[twice][::-1]), delta])

    return PrivacyProfile(np.concatenate([-flipped, epsilon]), both(lower), both(upper))


def delta_at_minus(epsilon: ArrayLike, delta: ArrayLike) -> FloatArray:
    """Return δ(−ε) of a symmetric pair from δ = δ(ε), for ε ≥ 0."""
    eps = np.asarray(epsilon, dtype=float)
    result: FloatArray = -np.expm1(-eps) + np.exp(-eps) * np.asarray(delta, dtype=float)
    return result


def hit_bounds(profile: PrivacyProfile, false_alarms: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return certified bounds on H(α) from finitely many points of the profile.

    false_alarms: α from 0 to 1, of any shape. The upper bound is the least of the lines δ(ε) +
    e^ε·α. For the lower one, some attacker attains δ at each of the ε, on the line that belongs to
    it, and the lines of the other ε leave an interval to the attacker's α. Whoever flips a coin
    between two attackers reaches all points between them. Raises `ParameterError`.
    """
    a = _probabilities(false_alarms)
    slope, low, high = np.exp(profile.epsilon), profile.lower, profile.upper
    least = np.minimum((high + np.multiply.outer(a, slope)).min(axis=-1), 1.0)
    first, last = _where_attained(slope, low, high)
    # From the steepest line to the flattest, α grows; at the ends nobody and everybody is accused.
    slopes = np.concatenate([slope[::-1], [0.0]])
    starts = np.concatenate([low[::-1], [1.0]])
    x0 = np.concatenate([[0.0], first[::-1]])
    x1 = np.concatenate([last[::-1], [1.0]])
    before = np.concatenate([[math.inf], slopes[:-1]]), np.concatenate([[0.0], starts[:-1]])
    y0 = np.minimum(_line(before, x0), starts + slopes * x0)
    y1 = np.minimum(_line(before, x1), starts + slopes * x1)
    at = a[..., None]
    width = np.where(x1 > x0, x1 - x0, 1.0)
    chord = y0 + (y1 - y0) * np.clip((at - x0) / width, 0.0, 1.0)
    covered = (at >= x0) & (at <= x1)
    reached = np.where(covered, chord, math.inf).min(axis=-1)
    reached = np.where(np.isfinite(reached), reached, a)
    return np.clip(np.maximum(reached, a), 0.0, least), least


def _line(before: tuple[FloatArray, FloatArray], x: FloatArray) -> FloatArray:
    """Return the height of the steeper lines at x; that of the first, vertical one at 0 is 0."""
    slope, start = before
    with np.errstate(invalid="ignore"):
        rise = np.where(np.isinf(slope), np.where(x > 0, math.inf, 0.0), slope * x)
    height: FloatArray = start + rise
    return height


def _where_attained(
    slope: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return bounds on the α at which each line touches H."""
    with np.errstate(divide="ignore", invalid="ignore"):
        # entry (i, j): where line i, at its lowest, leaves line j, at its highest
        meet = (high[None, :] - low[:, None]) / (slope[:, None] - slope[None, :])
    steeper = slope[None, :] > slope[:, None]
    flatter = slope[None, :] < slope[:, None]
    first = np.where(steeper, meet, 0.0).max(axis=1)
    last = np.where(flatter, meet, 1.0).min(axis=1)
    first = np.clip(first, 0.0, 1.0)
    return first, np.clip(np.maximum(last, first), 0.0, 1.0)


def promised_hits(false_alarms: ArrayLike, *, epsilon: float, delta: float) -> FloatArray:
    """Return the largest hit rate that (ε, δ)-DP leaves to anybody (Wasserman & Zhou 2010).

    min(1, δ + e^ε·α, 1 − e^−ε·(1 − δ − α)): attained by some mechanism. Raises `ParameterError`.
    """
    a = _probabilities(false_alarms)
    other = delta_at_minus(epsilon, delta) + math.exp(-epsilon) * a
    hits: FloatArray = np.minimum(np.minimum(delta + math.exp(epsilon) * a, other), 1.0)
    return hits


def gaussian_hits(false_alarms: ArrayLike, *, mu: float) -> FloatArray:
    """Return H of N(0, 1) against N(μ, 1), which is Φ(Φ⁻¹(α) + μ) (Dong, Roth & Su 2022)."""
    a = _probabilities(false_alarms)
    hits: FloatArray = np.where(a >= 1, 1.0, ndtr(ndtri(a) + mu))
    return hits


def laplace_hits(false_alarms: ArrayLike, *, loss: float) -> FloatArray:
    """Return H of Laplace noise against the same moved by `loss` times its scale.

    e^ε·α up to α = e^−ε/2, then 1 − e^−ε/(4α) up to α = ½, then 1 − e^−ε·(1 − α).
    """
    a = _probabilities(false_alarms)
    kept = math.exp(-loss)
    middle = 1 - kept / (4 * np.clip(a, kept / 2, 0.5))
    hits: FloatArray = np.where(
        a < kept / 2, a / kept, np.where(a <= 0.5, middle, 1 - kept * (1 - a))
    )
    return hits


@dataclass(frozen=True, eq=False)
class Corners:
    """The corners of a piecewise linear H, by ascending α, from (0, 0) to (1, 1)."""

    false_alarms: FloatArray
    hits: FloatArray

    def at(self, false_alarms: ArrayLike) -> FloatArray:
        """Return H(α): between two corners the attacker flips a coin."""
        a = _probabilities(false_alarms)
        return np.interp(a, self.false_alarms, self.hits)

    @property
    def gaussian_mu(self) -> float:
        """The least μ with H ≤ Φ(Φ⁻¹(α) + μ): at a corner, as that curve is concave."""
        return float(mu_at(self.false_alarms, self.hits).max())


def response_corners(count: int, *, loss: float) -> Corners:
    """Return H of `count` bits that randomised response keeps with probability e^ε/(1 + e^ε).

    Binomial(k, p) against Binomial(k, 1 − p). The same pair describes k counts with two-sided
    geometric noise at sensitivity 1: each shows an attacker only on which side of the middle it is.
    """
    j = np.arange(count, -1.0, -1.0)
    alarms, hits = (
        np.minimum(np.cumsum(np.exp(log_binomial_pmf(j, count, log_odds=odds))), 1.0)
        for odds in (-loss, loss)
    )
    alarms[-1] = hits[-1] = 1.0
    return Corners(np.append(0.0, alarms), np.append(0.0, hits))


def mu_at(false_alarms: FloatArray, hits: FloatArray) -> FloatArray:
    """Return the μ of the Gaussian pair that has these hits at these false alarms.

    The pair is symmetric, so the half with α ≤ 1 − H is enough; beyond it the result is 0.
    """
    inside = (false_alarms > 0) & (false_alarms <= 1 - hits)
    safe = np.where(inside, false_alarms, 0.5), np.where(inside, hits, 0.5)
    gaps: FloatArray = ndtri(safe[1]) - ndtri(safe[0])
    return gaps


def response_mu(loss: float) -> float:
    """Return the μ of Gaussian DP that ε-DP promises: 2·Φ⁻¹(e^ε/(1 + e^ε))."""
    return float(2 * ndtri(expit(loss)))


def precision(prior: ArrayLike, *, hits: ArrayLike, false_alarms: ArrayLike) -> FloatArray:
    """Return how often an accusation is right, π·H/(π·H + (1 − π)·α), for a suspicion π before.

    Where nobody is accused, it returns π.
    """
    pi, hit, alarm = (np.asarray(v, dtype=float) for v in (prior, hits, false_alarms))
    right, wrong = pi * hit, (1 - pi) * alarm
    accused = right + wrong
    result: FloatArray = np.where(accused > 0, right / np.where(accused > 0, accused, 1.0), pi)
    return result


def posterior(prior: ArrayLike, *, loss: ArrayLike) -> FloatArray:
    """Return a suspicion after an output that is e^loss times as likely with the person.

    The odds π/(1 − π) are multiplied by e^loss.
    """
    pi = np.asarray(prior, dtype=float)
    with np.errstate(divide="ignore"):
        after: FloatArray = expit(np.log(pi) - np.log1p(-pi) + np.asarray(loss, dtype=float))
    return after


def _probabilities(values: ArrayLike) -> FloatArray:
    array = np.asarray(values, dtype=float)
    if not np.all((array >= 0) & (array <= 1)):
        raise ParameterError("false_alarms", "a number from 0 to 1", values)
    return array
