"""Bounded noise: symmetric, log-concave densities on (−1, 1) that vanish at the ends.

The noise that a mechanism adds is R·U, where U has the density e^(−f(u))/Z of one of the families
here (Dagan & Kur, Section 2). R is the radius: every error is at most R.

All families depend on u through m = 1 − u² alone. Near the ends 1 − u and f(u + v) − f(u) would
lose all their digits. So the methods that matter to an accountant take the distances 1 − u and
1 + u to the two ends, and compute differences of f from the ratio of the two m.
"""

from __future__ import annotations  # so that help() shows ArrayLike, not all it may be

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import ArrayLike, NDArray

from dpviz.maths.logspace import log1mexp, log_failure_of_each
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate, validate_array

MINIMAL_FISHER_INFORMATION = math.pi**2
"""The least Fisher information of any density on (−1, 1), attained by cos²(πu/2).

(Huber 1974, "Fisher information and spline interpolation"; the ground state of a particle
in a box.) Its root π is the smallest limit of R/σ as the number of queries grows.
"""

# e^−45 is 3e-20: what lies further up than this cannot be seen in a double.
_NEGLIGIBLE = 45.0
_HALF_GRID = 512
_USUAL = 12.0  # by which f may exceed f(0)
_EDGES = 96  # distances tried
_NODES, _WEIGHTS = leggauss(32)
_NODES, _WEIGHTS = (_NODES + 1) / 2, _WEIGHTS / 2


class BoundedNoise(ABC):
    """Noise on (−1, 1) with density e^(−f(u))/Z, f even and convex, f → ∞ at the ends."""

    # A family states f through m = 1 − u², with three one-line formulas and their inverse.

    @abstractmethod
    def _exponent(self, m: FloatArray) -> FloatArray:
        """Return f where 1 − u² = m; +inf at m = 0."""

    @abstractmethod
    def _slope(self, m: FloatArray) -> FloatArray:
        """Return −df/dm."""

    @abstractmethod
    def _increment(self, m: FloatArray, log_ratio: FloatArray) -> FloatArray:
        """Return f at m·e^(−log_ratio) minus f at m, without cancellation."""

    @abstractmethod
    def _log_ratio(self, m: FloatArray, increment: FloatArray) -> FloatArray:
        """Return the log_ratio at which `_increment` is `increment`; its inverse."""

    @property
    @abstractmethod
    def _curvature(self) -> float:
        """Return f''(0)/2."""

    # ---- what an accountant needs ------------------------------------------------------

    def exponent(self, one_minus_u: ArrayLike, one_plus_u: ArrayLike) -> FloatArray:
        """Return f(u), given the distances 1 − u and 1 + u; +inf at and beyond the ends."""
        m = np.asarray(one_minus_u, dtype=float) * np.asarray(one_plus_u, dtype=float)
        with np.errstate(divide="ignore", over="ignore"):
            return self._exponent(np.maximum(m, 0.0))

    def loss(self, one_minus_u: ArrayLike, one_plus_u: ArrayLike, shift: ArrayLike) -> FloatArray:
        """Return the privacy loss f(u + v) − f(u) of one answer, for a shift v > 0.

        one_minus_u, one_plus_u: distances to the ends, positive and summing to 2 (up to
        rounding); shift: v. The three broadcast. The result is +inf where u + v ≥ 1 and −inf
        where f(u) overflows. Nothing cancels: errors stay within a few ulp of the arguments,
        measured against (|u| + v)·f'; only next to the zero at u = −v/2 is the relative error
        larger.
        """
        below, v = np.asarray(one_minus_u, dtype=float), np.asarray(shift, dtype=float)
        return self.loss_from_gap(np.maximum(below - v, 0.0), one_plus_u, v, below)

    def loss_from_gap(
        self,
        gap: ArrayLike,
        one_plus_u: ArrayLike,
        shift: ArrayLike,
        below: FloatArray | None = None,
    ) -> FloatArray:
        """Return `loss`, given the distance (1 − v) − u to infinite loss, however short it is.

        below: 1 − u, where that is known. In gap + v a gap below 1e-16·v would vanish.
        """
        gap, above = np.asarray(gap, dtype=float), np.asarray(one_plus_u, dtype=float)
        v = np.asarray(shift, dtype=float)
        below = gap + v if below is None else below
        with np.errstate(divide="ignore", over="ignore"):
            m = below * above
            drop = v * (above - below + v) / m
            kept = gap * (above + v) / m
            small = drop < 0.5
            log_ratio = np.where(
                small, -np.log1p(-np.where(small, drop, 0.0)), -np.log(np.where(small, 1.0, kept))
            )
            return self._increment(m, log_ratio)

    @cached_property
    def log_normaliser(self) -> float:
        """The logarithm of Z, the integral of e^(−f) over (−1, 1)."""
        return math.log(math.fsum(self._masses)) - float(self._exponent(np.array(1.0)))

    def log_tail_from_edge(self, distance: ArrayLike) -> FloatArray:
        """Return log P(U > 1 − distance), for distances from 0 to 2.

        The error is at most about 1e-13 plus one ulp of f(1 − distance).
        """
        d = np.clip(np.asarray(distance, dtype=float), 0.0, 2.0)
        return self._reflect(self._log_upper_tail(np.minimum(d, 2.0 - d)), d > 1)

    def edge_from_log_tail(self, log_mass: ArrayLike) -> FloatArray:
        """Return the distance whose `log_tail_from_edge` is log_mass.

        Newton's method. log P is increasing and concave in the distance (the noise is
        log-concave), so from a start below the solution it ascends to it and never
        overshoots; such a start solves e^(−f)/Z = mass, since P(U > 1 − d) ≤ d·density ≤ density.
        A step from a residual r in log P leaves one of the order r².
        Raises `ParameterError` where log_mass > 0.
        """
        log_p = np.asarray(log_mass, dtype=float)
        if not np.all(log_p <= 0):
            raise ParameterError("log_mass", "at most 0", log_mass)
        upper = log_p > -math.log(2)
        target = np.minimum(self._reflect(log_p, upper), -math.log(2))
        d = self.edge_from_exponent(-target - self.log_normaliser)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            for _ in range(60):
                log_tail = self._log_upper_tail(d)
                log_density = -self._exponent(d * (2 - d)) - self.log_normaliser
                residual = target - log_tail
                step = residual * np.exp(log_tail - log_density)
                d = np.minimum(d + np.where(np.isfinite(step), step, 0.0), 1.0)
                if not np.any(np.abs(residual) > 1e-8 - 1e-15 * target):
                    break
        edge: FloatArray = np.where(upper, 2.0 - d, d)[()]
        return edge

    def edge_from_exponent(self, exponent: ArrayLike) -> FloatArray:
        """Return the distance d with f(1 − d) = exponent; 1 where the exponent is below f(0)."""
        value = np.asarray(exponent, dtype=float)
        one = np.ones_like(value)
        with np.errstate(over="ignore", invalid="ignore"):
            m = np.exp(-self._log_ratio(one, np.maximum(value - self._exponent(one), 0.0)))
        distance: FloatArray = m / (1 + np.sqrt(1 - m))
        return distance

    def edge_of_mass(self, log_mass: float) -> float:
        """Return a distance d from the end, about the largest, with log P(U > 1 − d) ≤ log_mass.

        The density rises with the distance: P(U > 1 − d) ≤ d·density(1 − d), which rises, too.
        """
        safe = float(self.edge_from_exponent(-log_mass - self.log_normaliser))
        d = safe ** np.linspace(1, 0, _EDGES)
        with np.errstate(divide="ignore", over="ignore"):
            bound = np.log(d) - self._exponent(d * (2 - d)) - self.log_normaliser
        small = np.flatnonzero(bound <= log_mass)
        return float(d[small[-1]]) if small.size else safe

    def slope_beyond(self, log_mass: float) -> float:
        """Return f'(u) at the u with log P(U > u) = log_mass, at most log(1/2)."""
        d = float(self.edge_from_log_tail(log_mass))
        return 2 * (1 - d) * float(self._slope(np.array(d * (2 - d))))

    # ---- the distribution --------------------------------------------------------------

    def log_density(self, u: ArrayLike) -> FloatArray:
        """Return the logarithm of the density at u; −inf outside (−1, 1)."""
        u = np.asarray(u, dtype=float)
        return -self.exponent(np.maximum(1 - u, 0.0), np.maximum(1 + u, 0.0)) - self.log_normaliser

    def density(self, u: ArrayLike) -> FloatArray:
        """Return the density at u; 0 outside (−1, 1)."""
        return np.exp(self.log_density(u))

    def log_tail(self, u: ArrayLike) -> FloatArray:
        """Return log P(U > u)."""
        inside: FloatArray = np.clip(np.asarray(u, dtype=float), -1.0, 1.0)
        return self._reflect(self._log_upper_tail(1 - np.abs(inside)), inside < 0)

    def log_symmetric_tail(self, u: ArrayLike) -> FloatArray:
        """Return log P(|U| > u), for u ≥ 0."""
        return np.minimum(math.log(2) + self.log_tail(u), 0.0)

    def quantile(self, q: ArrayLike) -> FloatArray:
        """Return the u with P(U ≤ u) = q, for q from 0 to 1."""
        q = np.asarray(q, dtype=float)
        if not np.all((q >= 0) & (q <= 1)):
            raise ParameterError("q", "a number from 0 to 1", q)
        with np.errstate(divide="ignore"):
            edge = self.edge_from_log_tail(np.log(np.minimum(q, 1 - q)))
        return np.copysign(1 - edge, q - 0.5)

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> FloatArray:
        """Draw independent values of U; exact, by rejection from a Gaussian.

        f is a power series in u² with positive coefficients, so f(u) − f(0) ≥ c·u² with
        c = f''(0)/2, and a Gaussian of variance 1/(2c) is an envelope (more than half is kept).
        """
        count = math.prod(np.atleast_1d(size).tolist())
        accepted = np.empty(0)
        while accepted.size < count:
            missing = count - accepted.size
            u = rng.normal(scale=math.sqrt(0.5 / self._curvature), size=2 * missing + 16)
            u = u[np.abs(u) < 1]
            with np.errstate(over="ignore"):
                rise = self._increment(np.ones_like(u), -np.log1p(-(u**2)))
            excess = rise - self._curvature * u**2
            accepted = np.concatenate([accepted, u[rng.exponential(size=u.size) > excess]])
        return accepted[:count].reshape(size)

    @cached_property
    def fisher_information(self) -> float:
        """E[f'(U)²], the Fisher information about a shift of U."""
        return math.fsum(self._masses * self._slopes**2) / math.fsum(self._masses)

    @cached_property
    def usual_information(self) -> float:
        """The Fisher information without the rarest u, where slopes say little about most losses.

        At a thin barrier the rarest u make up most of it.
        """
        usual = self._increment(np.ones_like(self._grid), 2 * np.log(np.cosh(self._grid))) < _USUAL
        return math.fsum((self._masses * self._slopes**2)[usual]) / math.fsum(self._masses)

    @cached_property
    def _slopes(self) -> FloatArray:
        """F' on the nodes of `_grid`."""
        slopes: FloatArray = 2 * np.tanh(self._grid) * self._slope(np.cosh(self._grid) ** -2)
        return slopes

    @cached_property
    def standard_deviation(self) -> float:
        """Standard deviation of U."""
        square = np.tanh(self._grid) ** 2
        return math.sqrt(math.fsum(self._masses * square) / math.fsum(self._masses))

    # ---- quadrature --------------------------------------------------------------------

    _tail_rule: ClassVar[tuple[FloatArray, FloatArray]] = _NODES, _WEIGHTS

    @cached_property
    def _grid(self) -> FloatArray:
        """The nodes x ≥ 0 of a trapezoid rule in x = artanh u.

        In x the density is analytic and falls off doubly exponentially, so that the trapezoid
        rule converges geometrically; this grid is 4 times as fine as double precision asks.
        """
        depth = _NEGLIGIBLE + 30
        ratio = np.linspace(0.0, depth, 601)  # of m; the mass falls by as much, and f on top
        with np.errstate(over="ignore"):
            fall = ratio + self._increment(np.ones_like(ratio), ratio)
        seen = np.isfinite(fall)
        last = math.acosh(math.exp(0.5 * float(np.interp(depth, fall[seen], ratio[seen]))))
        return np.linspace(0.0, last, _HALF_GRID + 1)

    @cached_property
    def _masses(self) -> FloatArray:
        """e^(f(0) − f) times the weights, both halves together, on the nodes of `_grid`."""
        x = self._grid
        rise = self._increment(np.ones_like(x), 2 * np.log(np.cosh(x)))
        masses: FloatArray = np.exp(-rise) * np.cosh(x) ** -2 * (2 * x[1])
        masses[0] /= 2
        return masses

    def _log_upper_tail(self, d: FloatArray) -> FloatArray:
        """Return log P(U > 1 − d) for d from 0 to 1.

        With distance d·e^(−t), the tail is e^(−f(1 − d)) times the integral over t of
        d·e^(−t)·e^(−rise), rise = f(1 − d·e^(−t)) − f(1 − d). It is cut where the rise is
        negligible; in between the integrand is entire and Gauss-Legendre converges fast.
        """
        d = d[..., None]
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            m = d * (2 - d)
            base = self._exponent(m)
            log_ratio = np.minimum(self._log_ratio(m, np.array(_NEGLIGIBLE)), _NEGLIGIBLE)
            m_end = m * np.exp(-log_ratio)
            d_end = m_end / (1 + np.sqrt(1 - m_end))
            # (d - d_end)·(2 - d - d_end) = m - m_end, which does not cancel
            near = -np.log1p((2 - d) * np.expm1(-log_ratio) / (2 - d - d_end))
            length = np.where(log_ratio < 1, near, np.log(d / d_end))
            nodes, weights = self._tail_rule
            t = length * nodes
            rise = self._increment(m, t - np.log1p(-d * np.expm1(-t) / (2 - d)))
            integral = (np.exp(-rise - t) @ weights) * (length * d)[..., 0]
            log_tail = np.log(integral) - base[..., 0] - self.log_normaliser
        return np.where(np.isfinite(base[..., 0]), log_tail, -np.inf)

    @staticmethod
    def _reflect(log_mass: FloatArray, where: NDArray[np.bool_]) -> FloatArray:
        """Return log_mass, with the logarithm of the complement at the places `where`."""
        complement = log1mexp(np.where(where, log_mass, -1.0))
        result: FloatArray = np.where(where, complement, log_mass)[()]
        return result


@dataclass(frozen=True)
class PowerNoise(BoundedNoise):
    """f(u) = (1 − u²)^−p (Dagan & Kur, Corollary 2.3; log-concave for every p > 0).

    power: p, from 0.5 to 8. Raises `ParameterError` outside.
    """

    power: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "power", validate("power", self.power))

    def _exponent(self, m: FloatArray) -> FloatArray:
        return m**-self.power

    def _slope(self, m: FloatArray) -> FloatArray:
        return self.power * m ** (-self.power - 1)

    def _increment(self, m: FloatArray, log_ratio: FloatArray) -> FloatArray:
        return m**-self.power * np.expm1(self.power * log_ratio)

    def _log_ratio(self, m: FloatArray, increment: FloatArray) -> FloatArray:
        return np.log1p(increment * m**self.power) / self.power

    @property
    def _curvature(self) -> float:
        return self.power


@dataclass(frozen=True)
class IteratedExponentialNoise(BoundedNoise):
    """f(u) = exp(exp(1/(1 − u²))) (Dagan & Kur, Corollary 2.3: the widest range of δ)."""

    def _exponent(self, m: FloatArray) -> FloatArray:
        return np.exp(np.exp(1 / m))

    def _slope(self, m: FloatArray) -> FloatArray:
        return np.exp(np.exp(1 / m) + 1 / m) / m**2

    def _increment(self, m: FloatArray, log_ratio: FloatArray) -> FloatArray:
        log_f: FloatArray = np.exp(1 / m)
        log_rise: FloatArray = log_f * np.expm1(np.expm1(log_ratio) / m)
        return np.exp(log_f) * np.expm1(log_rise)

    def _log_ratio(self, m: FloatArray, increment: FloatArray) -> FloatArray:
        log_f: FloatArray = np.exp(1 / m)
        return np.log1p(m * np.log1p(np.log1p(increment * np.exp(-log_f)) / log_f))

    @property
    def _curvature(self) -> float:
        return math.exp(math.e + 1)


def max_error(
    noise: BoundedNoise, radius: ArrayLike, *, queries: ArrayLike, failure_probability: ArrayLike
) -> FloatArray:
    """Return the error that the largest of k errors |R·U| exceeds with probability β, exactly.

    radius: R; queries: k; failure_probability: β; they broadcast, and the result has the unit
    of the radius. At β = 0 it would be R itself. It solves P(|U| > x/R) = 1 − (1 − β)^(1/k)
    through the tail. Raises `ParameterError` outside the table of limits.
    """
    scale = validate_array("radius", radius)
    k = validate_array("queries", queries)
    beta = validate_array("failure_probability", failure_probability)
    log_tail = log_failure_of_each(beta, k) - math.log(2)
    return scale * (1.0 - noise.edge_from_log_tail(log_tail))


SHAPES = {"power": "(1 − u²)^−p", "iterated": "exp(exp(1/(1 − u²)))"}
"""The families by name: what `shaped_noise` accepts, and how their f is written."""


def named_noise(noise: BoundedNoise | str) -> BoundedNoise:
    """Return noise by the name that `dpviz.radius` has for it: "power" with p = 2, or "iterated".

    Noise itself is returned as it is. Raises `ParameterError` for any other name.
    """
    if isinstance(noise, BoundedNoise):
        return noise
    shape = "power" if noise == "bounded" else noise  # as `dpviz.compare` has it
    if shape not in SHAPES:
        allowed = f"{', '.join(SHAPES)} or bounded noise; for tuned noise see dpviz.tuned_noises"
        raise ParameterError("noise", allowed, noise)
    return shaped_noise(shape, power=2.0)


def shaped_noise(shape: str, *, power: float) -> BoundedNoise:
    """Return the noise of the named family; `power` is used by the family "power" only."""
    if shape not in SHAPES:
        raise ParameterError("shape", f"one of {', '.join(SHAPES)}", shape)
    return PowerNoise(power) if shape == "power" else IteratedExponentialNoise()
