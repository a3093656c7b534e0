"""The bounds as Dagan & Kur publish them, to be drawn beside the exact values.

Their Algorithms 1 and 2 (Section 10) bound the least private radius from above; the figures of
Section 5 put it next to quantiles of their own choice. Both are reproduced here as they are, apart
from two slips in the printed pseudo-code, which the derivation above it shows. The truncation L has
P(|Y| > L) ≤ δ₁/k (not δ₁), and the exponent of `deviationBound` is k·log(MGF) − λ·t (not k·MGF −
λ·t).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import ArrayLike
from scipy.optimize import brentq, minimize_scalar
from scipy.optimize.elementwise import find_root
from scipy.special import ndtri

from dpviz.maths.bounded_noise import BoundedNoise
from dpviz.maths.gaussian import minimal_sigma
from dpviz.maths.logspace import log1mexp, log_failure_of_each
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import validate, validate_array
from dpviz.results.refining import pause

# δ₁ = 0.01·δ, the setting Algorithm 1 suggests.
_TRUNCATED_SHARE = 0.01
_SHARES = 1e-6, 0.95  # of δ, between which the best is searched
_LEAST_TILT = -600.0  # ln c: if the best is smaller, δ is bounded by 1 and nothing else
_STEEP = 30.0  # of λX: from here on e^(λX) − 1 is e^(λX)
# The margin on ln δ₂ that covers quadrature and rounding (doubling both rules moves it by 1e-9).
_SAFETY = 1e-8


def _rule(order: int) -> tuple[FloatArray, FloatArray]:
    nodes, weights = leggauss(order)
    return (nodes + 1) / 2, weights / 2


_NODES, _WEIGHTS = _rule(16)
_TILT_NODES, _TILT_WEIGHTS = _rule(32)


def dagan_kur_radius(
    noise: BoundedNoise,
    *,
    epsilon: float,
    delta: float,
    queries: float,
    sensitivity: float = 1.0,
) -> float:
    """Return Dagan & Kur's upper bound on the least radius R that is (ε, δ)-DP for k queries.

    The bound of their Algorithms 1 and 2: truncate the noise where it has mass δ₁/k, and bound the
    deviations of the privacy loss by Chernoff's bound, optimised over λ for every t. Then integrate
    over t, and search R. R has the unit of the sensitivity, and is valid for any neighbouring
    relation under which that is the sensitivity, and for adaptive queries.

    The numbers are those of the paper's algorithm, not of the authors' program, whose quadrature
    drifts as k grows. At ε = 0.1, δ = 1e-10, p = 2 it drifts to R/σ = 4.53 at k = 1e10, where the
    algorithm itself stays at 4.21. Raises `ParameterError` outside the table of limits.
    """
    test = _Test.of(noise, epsilon, delta, queries)
    unit = validate("sensitivity", sensitivity)
    return unit * test.least_radius(_log_deviation_integral)


@dataclass(frozen=True)
class ProofRadii:
    """The least radii, in the unit of Δ, that pass Algorithm 1 with ever more of its steps.

    chernoff: truncated where that is best, one Chernoff bound on δ itself; share: the part of δ
    that is set aside for the truncation there. split: the same with the 1% that the paper sets
    aside. published: with a Chernoff bound on every tail of Λ, integrated, as printed.
    """

    chernoff: float
    share: float
    split: float
    published: float


def dagan_kur_steps(
    noise: BoundedNoise, *, epsilon: float, delta: float, queries: float, sensitivity: float = 1.0
) -> ProofRadii:
    """Return the radius that each step of Algorithm 1 asks for; from step to step none falls.

    What comes first loses nothing: Lemma 10.1 holds with equality (the integral over t > ε of
    P(Λ > t)·e^(ε − t) is δ), and the largest shift of Lemma 10.3 is one that occurs. Then answers
    beyond L are charged with all their mass, δ₁, because the moment generating function M would
    be infinite; and with (1 − e^−x)₊ ≤ e^(cx)·c^c/(1 + c)^(1+c), for every c > 0, those inside with

        δ_G ≤ inf_c M(c)^k·e^(−cε)·c^c/(1 + c)^(1+c).

    The paper bounds each tail by S(t) = inf_λ M(λ)^k·e^(−λt) instead, and integrates. That is never
    better. As log S and x ↦ log(1 − e^−x) are concave, the bound above is sup_x
    S(ε + x)·(1 − e^−x), by Fenchel's duality. As S falls, the integral of S(ε + s)·e^−s over s from
    0 to x alone is at least as much.

    The best share is that of a search over one number. Parameters and errors as for
    `dagan_kur_radius`. Source: Dagan & Kur, Section 10.
    """
    unit = validate("sensitivity", sensitivity)
    test = _Test.of(noise, epsilon, delta, queries)
    split = test.least_radius(_log_chernoff)
    radii = {_TRUNCATED_SHARE: split}

    def radius(log_share: float) -> float:
        share = math.exp(log_share)
        other = _Test.of(noise, epsilon, delta, queries, share)
        radii[share] = other.least_radius(_log_chernoff, near=min(radii.values()))
        return math.log(radii[share])

    bounds = math.log(_SHARES[0]), math.log(_SHARES[1])
    minimize_scalar(radius, bounds=bounds, method="bounded", options={"maxiter": 10})
    best = min(radii, key=lambda share: radii[share])
    published = max(split, test.least_radius(_log_deviation_integral, near=split))
    return ProofRadii(unit * radii[best], best, unit * split, unit * published)


@dataclass(frozen=True)
class _Test:
    """Algorithm 1 for one noise: what it truncates, and what it compares its bounds with.

    edge: 1 − L; log_share: log of δ₁/k; log_budget: log of δ − δ₁.
    """

    noise: BoundedNoise
    epsilon: float
    delta: float
    queries: float
    edge: float
    log_share: float
    log_budget: float

    @classmethod
    def of(
        cls,
        noise: BoundedNoise,
        epsilon: float,
        delta: float,
        queries: float,
        share: float = _TRUNCATED_SHARE,
    ) -> "_Test":
        """Validate the parameters, and truncate; share: δ₁/δ."""
        eps, k = validate("epsilon", epsilon), validate("queries", queries)
        delta = validate("delta", delta)
        log_share = math.log(delta) + math.log(share) - math.log(k)
        edge = float(noise.edge_from_log_tail(log_share - math.log(2)))
        log_budget = math.log(delta) + math.log1p(-share)
        return cls(noise, eps, delta, k, edge, log_share, log_budget)

    def least_radius(self, log_bound: "_LogBound", near: float | None = None) -> float:
        """Return the least R, with Δ = 1, at which a bound on δ inside L is within the budget.

        near: a guess, for speed.
        """
        cache: dict[float, float] = {}  # the ends, which brentq asks for again, and the root

        def excess(log_radius: float) -> float:
            if log_radius not in cache:
                pause()
                cache[log_radius] = excess_there(log_radius)
            return cache[log_radius]

        def excess_there(log_radius: float) -> float:
            shift = math.exp(-log_radius)
            if shift >= self.edge:  # L + Δ ≥ R: the test fails by itself
                return -self.log_budget
            loss = _TruncatedLoss.of(self.noise, shift, self.edge, self.log_share)
            bound = log_bound(loss, self.epsilon, self.queries)
            return max(bound + _SAFETY - self.log_budget, -1e4)

        low = -math.log(self.edge)
        if near is None:
            sigma = float(
                minimal_sigma(epsilon=self.epsilon, delta=self.delta, queries=self.queries)
            )
            near = sigma * math.sqrt(self.noise.fisher_information)
        high = max(low + 0.01, math.log(near))
        step = 0.1
        while excess(high) > 0:
            low, high, step = high, high + step, 2 * step
        root = float(brentq(excess, low, high, xtol=1e-11, rtol=1e-14))
        while excess(root) > 0:
            root += 1e-10
        return math.exp(root)


def dagan_kur_gaussian_max_error(
    sigma: ArrayLike, *, queries: ArrayLike, failure_probability: ArrayLike
) -> FloatArray:
    """Return the Gaussian error quantile behind Dagan & Kur's Figure 1 and Section 5.

    It is σ·Φ⁻¹(2(1 − β)^(1/k) − 1), with β = failure_probability and k = queries; the arguments
    broadcast. It is too small: the true bound, `dpviz.maths.gaussian.max_error`, has
    (1 + (1 − β)^(1/k))/2 instead (at k = 1000 and β = 0.05, this one fails with probability
    0.19). NaN where it is not positive, (1 − β)^(1/k) ≤ 3/4 (only at k ≤ 2).
    Raises `ParameterError` outside the table of limits.
    """
    scale = validate_array("sigma", sigma)
    k = validate_array("queries", queries)
    beta = validate_array("failure_probability", failure_probability)
    # through the tail: 1 − (2(1 − β)^(1/k) − 1) = 2(1 − (1 − β)^(1/k))
    quantile = -ndtri(2 * np.exp(log_failure_of_each(beta, k)))
    return scale * np.where(quantile > 0, quantile, math.nan)


def dagan_kur_bounded_max_error(
    noise: BoundedNoise, radius: ArrayLike, *, queries: ArrayLike, failure_probability: ArrayLike
) -> FloatArray:
    """Return the conservative quantile of the bounded noise behind Dagan & Kur's figures.

    It is R·L with (2 − 2L)·density(L) = β/k: the density falls, so each of the k errors
    exceeds it with probability at most β/k. The exact one is `dpviz.maths.bounded_noise.max_error`.
    The arguments broadcast; the result has the unit of the radius R.
    Raises `ParameterError` outside the table of limits.
    """
    scale = validate_array("radius", radius)
    k = validate_array("queries", queries)
    beta = validate_array("failure_probability", failure_probability)
    log_mass = np.log(beta) - np.log(k) - math.log(2)

    def surplus(log_distance: FloatArray, log_mass: FloatArray) -> FloatArray:
        distance = np.exp(log_distance)
        log_density = -noise.exponent(distance, 2 - distance) - noise.log_normaliser
        return np.maximum(log_distance + log_density - log_mass, -1e3)

    # 1 − L lies between e^−20 and 1 for all β/k ≥ 1e-22: the surplus changes its sign.
    distance: FloatArray = np.exp(find_root(surplus, (-20.0, 0.0), args=(log_mass,)).x)
    return scale * (1 - distance)


@dataclass(frozen=True, eq=False)
class _TruncatedLoss:
    """X = f(U + v) − f(U) on |U| ≤ L, as a discrete variable on quadrature nodes."""

    values: FloatArray
    log_masses: FloatArray
    log_share: float

    @classmethod
    def of(
        cls, noise: BoundedNoise, shift: float, edge: float, log_share: float
    ) -> "_TruncatedLoss":
        """Set up the nodes, for a shift v below the distance edge = 1 − L.

        Gauss-Legendre on panels at most 1/8 wide. They shrink geometrically towards u = L, where
        e^(λX) piles up (on a scale proportional to 1 − L − v), and towards u = −L, where the
        density of small powers has detail.
        """
        gap, length = edge - shift, 2 * (1 - edge)
        right = gap * 1e-8 * 4.0 ** np.arange(64)
        left = length - max(edge, 1e-6) * 4.0 ** np.arange(16)
        even = np.linspace(0, length, 1 + math.ceil(8 * length))
        right, left = right[right < even[1]], left[left > even[-2]]
        breaks = np.sort(np.concatenate([right, even, left]))
        widths = np.diff(breaks)[:, None]
        inward = (breaks[:-1, None] + widths * _NODES).ravel()
        one_minus_u, one_plus_u = edge + inward, 2 - edge - inward
        log_density = -noise.exponent(one_minus_u, one_plus_u) - noise.log_normaliser
        return cls(
            noise.loss(one_minus_u, one_plus_u, shift),
            log_density + np.log(widths * _WEIGHTS).ravel(),
            log_share,
        )

    def mean(self, tilt: float) -> float:
        """Return the derivative of log E[e^(λX)] by λ, as `cumulants` does."""
        exponents = self.log_masses + tilt * self.values
        masses = np.exp(exponents - exponents.max())
        return float(masses @ self.values / masses.sum())

    def cumulants(self, tilts: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return log E[e^(λX)] and its first two derivatives by λ, for each λ in `tilts`.

        The first is of order 1/k where it matters: that is why log1p and expm1 are used.
        """
        rise = tilts[:, None] * self.values
        if rise.max() <= _STEEP:
            usual = np.exp(self.log_masses)
            growth = usual * np.expm1(rise)
            more = growth.sum(axis=1) - math.exp(self.log_share)
            return np.log1p(more), *self._moments(usual + growth)
        exponents = self.log_masses + rise
        top = np.maximum(exponents.max(axis=1), 0.0)
        masses = np.exp(exponents - top[:, None])
        steep = rise > _STEEP
        growth = np.exp(self.log_masses) * np.expm1(np.where(steep, 0.0, rise))
        small = np.where(steep, masses, growth).sum(axis=1) - math.exp(self.log_share)
        logs = np.where(top > 0, top + np.log(masses.sum(axis=1)), np.log1p(small))
        return logs, *self._moments(masses)

    def _moments(self, masses: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and variance of X by rows of masses, which need not add up to 1."""
        total = masses.sum(axis=1)
        mean = masses @ self.values / total
        middle = mean[mean.size // 2]  # near all means, so that the squares lose no digits
        aside = (self.values - middle) ** 2
        return mean, masses @ aside / total - (mean - middle) ** 2


def _log_deviation_integral(loss: _TruncatedLoss, epsilon: float, k: float) -> float:
    """Return the logarithm of Algorithm 1's δ₂, the integral of S(t)·e^(ε − t) over t > ε.

    S(t) = exp(min over λ ≥ 0 of k·K(λ) − λ·t), K = log MGF. The minimum is attained where
    t = k·K'(λ), so that the integral can be taken over λ instead, without any minimisation: it
    is that of e^g·k·K''(λ) = −e^g·g'/(λ + 1) with g(λ) = k·K − (λ + 1)·k·K' + ε. Each panel is
    held between its lower and upper sums, and the rest from some λ on is at most e^g/(λ + 1),
    which is added.
    """
    largest = float(loss.values.max())
    if k * largest <= epsilon:
        return -math.inf  # the sum of the losses never exceeds ε
    if not largest < 1e100:  # its cube would overflow
        return 0.0  # e^(λX) overflows; S(t) ≤ 1 bounds the integral by 1

    log_mgf, mean, variance = (k * float(c[0]) for c in loss.cumulants(np.zeros(1)))
    head, tilt, exponent = -math.inf, 0.0, log_mgf
    if mean > epsilon:  # up to t = k·K'(0), λ = 0 is best
        head = log_mgf + float(log1mexp(epsilon - mean))
        exponent += epsilon - mean
    else:
        tilt = _best_tilt(loss, epsilon / k, (epsilon - mean) / variance, 1e6 / largest)
        log_mgf, mean, variance = (k * float(c[0]) for c in loss.cumulants(np.array([tilt])))
        exponent = log_mgf - tilt * epsilon

    total, level, start = 0.0, 0.0, log_mgf - (tilt + 1) * mean
    rest = 1 / (1 + tilt)
    while rest > 1e-11 * total:
        # a step over which g falls by about 8, and at most by 16
        step = 16 / variance / (math.hypot(1 + tilt, 4 / math.sqrt(variance)) + 1 + tilt)
        while True:
            tilts = tilt + min(step, 1 + tilt) * np.append(_TILT_NODES, 1.0)
            log_mgfs, means, variances = (k * c for c in loss.cumulants(tilts))
            levels = log_mgfs - (tilts + 1) * means - start
            if level - levels[-1] <= 16:
                break
            step /= 2
        area = float((np.exp(levels[:-1]) * variances[:-1]) @ _TILT_WEIGHTS) * (tilts[-1] - tilt)
        mass = math.exp(level) - math.exp(levels[-1])
        total += min(max(area, mass / (1 + tilts[-1])), mass / (1 + tilt))
        tilt, level, variance = float(tilts[-1]), float(levels[-1]), float(variances[-1])
        rest = math.exp(level) / (1 + tilt)
    return float(np.logaddexp(head, exponent + math.log(total + rest)))


def _best_tilt(loss: _TruncatedLoss, mean: float, guess: float, largest: float) -> float:
    """Return the λ at which K' is `mean`, the best one for t = k·mean; at most `largest`.

    (Any λ gives a valid bound; beyond `largest` the bound is too small to matter.)
    """

    def surplus(log_tilt: float) -> float:
        return loss.mean(math.exp(log_tilt)) / mean - 1

    low = high = math.log(min(guess, largest))
    while surplus(low) > 0:
        low -= 1.0
    while surplus(high) < 0 and high < math.log(largest):
        high += 1.0
    if surplus(high) <= 0:
        return largest
    return math.exp(float(brentq(surplus, low, high, xtol=1e-12, rtol=1e-14)))


def _log_chernoff(loss: _TruncatedLoss, epsilon: float, k: float) -> float:
    """Return the logarithm of inf_c M(c)^k·e^(−cε)·c^c/(1 + c)^(1+c), a bound on δ inside L.

    Its logarithm is convex in c, so that the best c is where the slope is 0; any c bounds δ.
    """
    largest = float(loss.values.max())
    if k * largest <= epsilon:
        return -math.inf
    if not largest < 1e100:  # its cube would overflow
        return 0.0

    def slope(log_tilt: float) -> float:
        return k * loss.mean(math.exp(log_tilt)) - epsilon - math.log1p(math.exp(-log_tilt))

    low = high = math.log(1e6 / largest)
    while slope(low) > 0:
        low, high = low - 3.0, low
        if low < _LEAST_TILT:
            return 0.0
    log_tilt = float(brentq(slope, low, high, xtol=1e-10)) if low < high else high
    c = math.exp(log_tilt)
    log_mgf = float(loss.cumulants(np.array([c]))[0][0])
    return min(k * log_mgf - c * epsilon + c * log_tilt - (1 + c) * math.log1p(c), 0.0)


_LogBound = Callable[[_TruncatedLoss, float, float], float]
