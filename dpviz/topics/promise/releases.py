"""k answers of one mechanism, as an attacker sees them: with one person, or without.

Each answer is a number that substituting one person's record moves by at most 1 (the sensitivity),
with noise; or, for randomised response, the person's own bit. For each mechanism the worst pair of
data sets is known, symmetric, and the same for all k answers, also if they are adaptive.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from dpviz.maths import divergence, gaussian, loss_laws, trade_off
from dpviz.maths.accounting.answer import LogBounds, Problem
from dpviz.maths.accounting.composition import log_delta
from dpviz.maths.bounded_noise import BoundedNoise
from dpviz.maths.logspace import log1mexp
from dpviz.results.evidence import Evidence, FloatArray, Source, Subject
from dpviz.results.refining import Steps, whole

Bounds = tuple[FloatArray, FloatArray]

_TOLERANCE = 5e-3  # in ln δ, where that is certified
_GRID = 36
FARTHEST = 300.0  # an ε beyond which e^ε is no number to reckon with
_LEAST = math.log(1e-12)  # ln δ where a profile may end


class Release(Protocol):
    """What all mechanisms have in common."""

    @property
    def subject(self) -> Subject:
        """The colour of its curves."""

    @property
    def evidence(self) -> Evidence:
        """Whether δ(ε) is exact or bounded from both sides."""

    @property
    def source(self) -> Source:
        """Where the exact value comes from."""

    @property
    def largest_loss(self) -> float:
        """The largest privacy loss of all answers together; inf if there is none."""

    @property
    def gaussian_mu(self) -> float:
        """The least μ for which it is μ-Gaussian DP; inf if no μ will do."""

    def log_delta(self, epsilon: FloatArray) -> Bounds:
        """Return bounds on ln δ at ascending ε ≥ 0; equal if it is exact."""

    def hits(self, false_alarms: FloatArray) -> Bounds:
        """Return bounds on the best attacker's hit rates; equal if they are exact."""

    def of_rows(self, rows: int) -> "Release":
        """Return the same answers, as seen by who looks for a person with so many rows."""


@dataclass(frozen=True)
class GaussianRelease:
    """k answers with Gaussian noise: N(0, 1) against N(μ, 1), μ = √k/σ."""

    mu: float
    subject = Subject.GAUSSIAN
    evidence = Evidence.EXACT
    source = Source("Dong, Roth & Su 2022", "with Balle & Wang 2018, Theorem 8")
    largest_loss = math.inf

    @property
    def gaussian_mu(self) -> float:
        """μ itself."""
        return self.mu

    def log_delta(self, epsilon: FloatArray) -> Bounds:
        """In closed form."""
        value, _ = gaussian.log_delta_of_mu(epsilon, np.full(epsilon.shape, self.mu))
        return value, value

    def hits(self, false_alarms: FloatArray) -> Bounds:
        """In closed form."""
        hits = trade_off.gaussian_hits(false_alarms, mu=self.mu)
        return hits, hits

    def of_rows(self, rows: int) -> "GaussianRelease":
        """M rows move every answer m times as far."""
        return GaussianRelease(rows * self.mu)


@dataclass(frozen=True)
class ResponseRelease:
    """k bits under randomised response, each kept with probability e^ε₀/(1 + e^ε₀)."""

    loss: float
    count: int
    subject = Subject.RESPONSE
    evidence = Evidence.EXACT
    source = Source("Kairouz, Oh & Viswanath 2015", "Theorem 3.3")

    @property
    def largest_loss(self) -> float:
        """All bits kept."""
        return self.count * self.loss

    @cached_property
    def _corners(self) -> trade_off.Corners:
        return trade_off.response_corners(self.count, loss=self.loss)

    @property
    def gaussian_mu(self) -> float:
        """At a corner."""
        return self._corners.gaussian_mu

    def log_delta(self, epsilon: FloatArray) -> Bounds:
        """Sum a binomial law."""
        value = divergence.log_randomized_response(
            self.count, bit_epsilon=self.loss, epsilon=epsilon
        )
        return value, value

    def hits(self, false_alarms: FloatArray) -> Bounds:
        """Sum two binomial laws."""
        hits = self._corners.at(false_alarms)
        return hits, hits

    def of_rows(self, rows: int) -> "Release":
        """M rows are m bits, each asked k times."""
        return ResponseRelease(self.loss, self.count * rows)


@dataclass(frozen=True)
class ByProfile(ABC):
    """A release whose hit rates follow from its privacy profile.

    at: the ε at which the profile is looked at, ascending from 0; where none are given, at so many
    that the bounds on the hit rates are narrow.
    """

    at: tuple[float, ...] = field(default=(), kw_only=True)
    source = Source("Dong, Roth & Su 2022", "on a certified privacy profile")
    evidence = Evidence.CERTIFIED

    @property
    @abstractmethod
    def largest_loss(self) -> float:
        """The largest privacy loss of all answers together; inf if there is none."""

    @abstractmethod
    def log_delta_steps(self, epsilon: FloatArray) -> Steps[Bounds]:
        """Compute bounds on ln δ at ascending ε ≥ 0, with a pause every few of them."""

    def log_delta(self, epsilon: FloatArray) -> Bounds:
        """Return bounds on ln δ at ascending ε ≥ 0."""
        return whole(self.log_delta_steps(epsilon))

    @property
    def profile(self) -> trade_off.PrivacyProfile:
        """δ(ε) from both sides, for ε of both signs, down to about 1e-13."""
        return whole(self.profile_steps())

    @property
    def is_profiled(self) -> bool:
        """Whether the profile is known already."""
        return bool(self._profiles)

    def profile_steps(self) -> Steps[trade_off.PrivacyProfile]:
        """Compute the profile with pauses, or return it if it is known."""
        if not self._profiles:
            epsilon = np.array(self.at)
            if not self.at:
                last = yield from self._last_epsilon()
                epsilon = last * np.linspace(0.0, 1.0, _GRID) ** 1.5
            low, high = yield from self.log_delta_steps(epsilon)
            self._profiles.append(trade_off.two_sided(epsilon, np.exp(low), np.exp(high)))
        return self._profiles[0]

    @cached_property
    def _profiles(self) -> list[trade_off.PrivacyProfile]:
        """The one profile, once it is known."""
        return []

    def _last_epsilon(self) -> Steps[float]:
        last, most = 0.02, self.largest_loss
        while last < most and last < FARTHEST:
            _, high = yield from self.log_delta_steps(np.array([last]))
            if high[0] <= _LEAST:
                break
            last *= 2
        return min(last, most, 2 * FARTHEST)

    def hits(self, false_alarms: FloatArray) -> Bounds:
        """From the profile, see `dpviz.maths.trade_off.hit_bounds`."""
        return trade_off.hit_bounds(self.profile, false_alarms)


@dataclass(frozen=True)
class LaplaceRelease(ByProfile):
    """k answers with Laplace noise of scale 1/ε₀."""

    loss: float
    count: int
    subject = Subject.LAPLACE

    @property
    def evidence(self) -> Evidence:  # type: ignore[override]
        """One answer is known in closed form."""
        return Evidence.EXACT if self.count == 1 else Evidence.CERTIFIED

    @property
    def largest_loss(self) -> float:
        """All answers on the far side."""
        return self.count * self.loss

    @property
    def gaussian_mu(self) -> float:
        """From the upper end of the hit rates; that of ε-DP for one answer, which attains it."""
        if self.count == 1:
            return trade_off.response_mu(self.loss)
        alarms = np.concatenate([np.geomspace(1e-9, 0.5, 200), [0.6, 0.8]])
        gaps = trade_off.mu_at(alarms, self.hits(alarms)[1])
        return float(gaps.max())

    def log_delta_steps(self, epsilon: FloatArray) -> Steps[Bounds]:
        """On a lattice of losses, some ε at a time."""

        def bounds(part: FloatArray) -> tuple[FloatArray, ...]:
            return loss_laws.laplace_log_delta_bounds(
                self.loss, count=self.count, epsilon=part, tolerance=_TOLERANCE
            )

        return _piecewise(bounds, epsilon)

    def hits(self, false_alarms: FloatArray) -> Bounds:
        """In closed form for one answer."""
        if self.count > 1:
            return super().hits(false_alarms)
        hits = trade_off.laplace_hits(false_alarms, loss=self.loss)
        return hits, hits

    def of_rows(self, rows: int) -> "LaplaceRelease":
        """M rows move every answer m times as far."""
        return LaplaceRelease(rows * self.loss, self.count)


@dataclass(frozen=True)
class GeometricRelease(ResponseRelease):
    """k counts with two-sided geometric noise: one person shows only on which side a count is."""

    source = Source(
        "Ghosh, Roughgarden & Sundararajan 2012", "with randomised response's exact law"
    )
    subject = Subject.LAPLACE

    def of_rows(self, rows: int) -> "Release":
        """M rows move every count by m."""
        return ShiftedGeometric(self.loss, self.count, rows) if rows > 1 else self


@dataclass(frozen=True)
class ShiftedGeometric(ByProfile):
    """k counts with two-sided geometric noise that a person moves by `shift`."""

    loss: float
    count: int
    shift: int
    subject = Subject.LAPLACE

    @property
    def largest_loss(self) -> float:
        """All counts on the far side."""
        return self.count * self.loss * self.shift

    @property
    def gaussian_mu(self) -> float:
        """That of pure privacy with the largest loss: an upper bound."""
        return trade_off.response_mu(self.largest_loss)

    def log_delta_steps(self, epsilon: FloatArray) -> Steps[Bounds]:
        """On a lattice of losses."""
        law = self._law

        def bounds(part: FloatArray) -> tuple[FloatArray, ...]:
            return loss_laws.log_delta_bounds(law, count=self.count, epsilon=part)

        return _piecewise(bounds, epsilon)

    def nearby(self) -> loss_laws.NearbyDelta:
        """Return the same for a search."""
        return loss_laws.NearbyDelta(self._law, count=self.count)

    @property
    def _law(self) -> loss_laws.LossLaw:
        return loss_laws.geometric_law(self.loss, self.shift)

    def of_rows(self, rows: int) -> "Release":
        """M times as many rows."""
        return ShiftedGeometric(self.loss, self.count, self.shift * rows)


@dataclass(frozen=True)
class BoundedRelease(ByProfile):
    """k answers with noise on (−R, R); shift: 1/R, how far a person moves an answer."""

    noise: BoundedNoise
    shift: float
    count: int
    subject = Subject.BOUNDED
    gaussian_mu = math.inf

    @property
    def largest_loss(self) -> float:
        """Infinite: near the end of its range an answer gives the person away."""
        return math.inf

    @property
    def log_floor(self) -> float:
        """Log of the probability of answers that only one of the data sets can give."""
        one = float(self.noise.log_tail_from_edge(min(self.shift, 2.0)))
        return one + math.log(self.count) if one < -40 else _log_any(one, self.count)

    def log_delta_steps(self, epsilon: FloatArray) -> Steps[Bounds]:
        """By the accountant of `dpviz.maths.accounting`."""
        if self.shift >= 2:
            return np.zeros(epsilon.shape), np.zeros(epsilon.shape)
        bounds = []
        for e in epsilon.tolist():
            yield
            with np.errstate(over="ignore"):
                bounds.append(self._bounds(e))
        return _falling([b.lower for b in bounds], [b.upper for b in bounds])

    @cached_property
    def _found_at(self) -> dict[float, LogBounds]:
        return {}

    def _bounds(self, epsilon: float) -> LogBounds:
        if epsilon not in self._found_at:
            problem = Problem(self.noise, self.shift, max(epsilon, 1e-12), self.count)
            bounds = log_delta(problem, _TOLERANCE / 10)
            if epsilon not in self.at:
                return bounds
            self._found_at[epsilon] = bounds  # asked for again, and no more than a few
        return self._found_at[epsilon]

    def of_rows(self, rows: int) -> "BoundedRelease":
        """M rows move every answer m times as far."""
        return BoundedRelease(self.noise, rows * self.shift, self.count)


def _piecewise(
    bounds: Callable[[FloatArray], tuple[FloatArray, ...]], epsilon: FloatArray
) -> Steps[Bounds]:
    """Compute bounds at five ε at a time, which are near each other."""
    pieces = []
    for part in np.array_split(epsilon, -(-epsilon.size // 5)):
        yield
        pieces.append(bounds(part))
    low, high = (np.concatenate(side) for side in zip(*pieces, strict=True))
    return _falling(low, high)


def _falling(low: ArrayLike, high: ArrayLike) -> Bounds:
    """Return bounds that fall as δ does: one at some ε holds at those beyond, or before."""
    lower = np.maximum.accumulate(np.asarray(low)[::-1])[::-1]
    return lower, np.minimum.accumulate(np.asarray(high))


def _log_any(log_one: float, count: int) -> float:
    """Return log(1 − (1 − p)^count)."""
    if log_one >= 0:
        return 0.0
    return math.log(-math.expm1(count * float(log1mexp(log_one))))
