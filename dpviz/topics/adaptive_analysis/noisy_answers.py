"""What answers the queries: noise whose scale privacy sets, and how large its errors are.

A scale is in units of the sensitivity Δ = 1/n of a statistical query. For Gaussian noise it is
σ(ε, δ, k) = √k·σ(ε, δ, 1), exactly. For bounded noise it is the radius R = r·σ, where the ratio
r varies slowly with the parameters.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import ndtri_exp

from dpviz.maths import gaussian
from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.accounting.inverse import most_queries
from dpviz.maths.bounded_noise import BoundedNoise
from dpviz.maths.dagan_kur import dagan_kur_radius
from dpviz.maths.logspace import log_failure_of_each
from dpviz.results.evidence import Evidence, FloatArray
from dpviz.results.parameters import LIMITS

MOST_QUERIES = LIMITS["queries"].maximum
"""The k up to which radii are computed."""


class Answers(ABC):
    """A mechanism that adds independent noise to the sample's means."""

    certain_too: ClassVar[bool]  # whether the noise has a hard bound

    @property
    @abstractmethod
    def log_ratio_of_many(self) -> float:
        """The limit of log scale/σ as the number of queries grows."""

    @abstractmethod
    def log_share(self, log_queries: FloatArray, sample_failure: FloatArray) -> FloatArray:
        """Return log of what the largest error exceeds with the given probability, per scale.

        Any real number of queries will do.
        """

    @abstractmethod
    def log_ratio(self, *, epsilon: float, delta: float, queries: float, near: float) -> float:
        """Return log of scale/σ, up to 1e-3 or so; near: a guess."""

    @abstractmethod
    def count(
        self, target: float, *, epsilon: float, delta: float, sample_failure: float, guess: float
    ) -> tuple[float, Evidence]:
        """Return a k for which errors are certified to be within the target, and the evidence.

        target: in units of Δ; sample_failure: 0 for certainty; guess: at k, for speed.
        """


@dataclass(frozen=True)
class GaussianAnswers(Answers):
    """Gaussian noise of the least σ that is private (Balle & Wang 2018)."""

    certain_too = False

    @property
    def log_ratio_of_many(self) -> float:
        """Return 0: the scale is σ."""
        return 0.0

    def log_share(self, log_queries: FloatArray, sample_failure: FloatArray) -> FloatArray:
        """Solve for the quantile of one error through its tail."""
        log_tail = log_failure_of_each(sample_failure, np.exp(log_queries)) - math.log(2)
        return np.log(-ndtri_exp(log_tail))

    def log_ratio(
        self,
        *,
        epsilon: float,  # noqa: ARG002
        delta: float,  # noqa: ARG002
        queries: float,  # noqa: ARG002
        near: float,  # noqa: ARG002
    ) -> float:
        """Return 0: the scale is σ."""
        return 0.0

    def count(
        self, target: float, *, epsilon: float, delta: float, sample_failure: float, guess: float
    ) -> tuple[float, Evidence]:
        """Step down from the guess until the closed form agrees; any k is in its reach."""
        sigma = float(gaussian.minimal_sigma(epsilon=epsilon, delta=delta, queries=1))
        failure = np.array(sample_failure)

        def enough(k: float) -> bool:
            log_k = math.log(k)
            share = float(self.log_share(np.array(log_k), failure))
            return math.log(sigma) + log_k / 2 + share <= math.log(target)

        k = math.floor(guess)
        while k and not enough(k):
            k = min(k - 1, math.floor(k * (1 - 1e-12)))
        return float(k), Evidence.LOWER


@dataclass(frozen=True)
class BoundedAnswers(Answers):
    """Bounded noise of the least radius that is private.

    noise: its shape. published: take Dagan & Kur's bound on the radius instead of the exact one.
    certain: insist on sample_failure = 0, as Dagan & Kur do (Section 9): no error ever exceeds
    the radius. Otherwise the better of certainty and a small sample_failure is taken.
    """

    noise: BoundedNoise
    published: bool = False
    certain: bool = False

    certain_too = True

    @property
    def log_ratio_of_many(self) -> float:
        """Half the logarithm of the Fisher information of the shape."""
        return 0.5 * math.log(self.noise.fisher_information)

    def log_share(self, log_queries: FloatArray, sample_failure: FloatArray) -> FloatArray:
        """Solve for the quantile of one error through its tail."""
        log_tail = log_failure_of_each(sample_failure, np.exp(log_queries)) - math.log(2)
        return np.log1p(-self.noise.edge_from_log_tail(log_tail))

    def log_ratio(self, *, epsilon: float, delta: float, queries: float, near: float) -> float:
        """Compute R/σ."""
        if queries >= MOST_QUERIES and not self.published:
            return self.log_ratio_of_many
        at = {"epsilon": epsilon, "delta": delta, "queries": min(queries, MOST_QUERIES)}
        sigma = float(gaussian.minimal_sigma(**at))
        if self.published:
            return math.log(dagan_kur_radius(self.noise, **at) / sigma)
        radius = minimal_radius(self.noise, **at, start=math.exp(near) * sigma)
        return math.log(radius.midpoint / sigma)

    def count(
        self, target: float, *, epsilon: float, delta: float, sample_failure: float, guess: float
    ) -> tuple[float, Evidence]:
        """Ask the accountant; the limit of R/σ where k is beyond it."""
        log_share = 0.0
        if sample_failure:
            log_guess = np.array(math.log(max(guess, 1.0)))
            log_share = float(self.log_share(log_guess, np.array(sample_failure)))
        if guess > MOST_QUERIES:
            return self._count_of_many(target, epsilon, delta, log_share), Evidence.LIMIT
        if self.published:
            return self._published_count(target, epsilon, delta, sample_failure, guess)
        count = self._certified_count(target, epsilon, delta, sample_failure, guess)
        return count, Evidence.LOWER

    def _count_of_many(
        self, target: float, epsilon: float, delta: float, log_share: float
    ) -> float:
        """Invert R = r·σ with the r of very many queries."""
        sigma = float(gaussian.minimal_sigma(epsilon=epsilon, delta=delta, queries=1))
        near = self.log_ratio_of_many
        log_r = self.log_ratio(epsilon=epsilon, delta=delta, queries=MOST_QUERIES, near=near)
        log_k = 2 * (math.log(target / sigma) - log_r - log_share)
        return float(math.floor(math.exp(log_k)))

    def _certified_count(
        self, target: float, epsilon: float, delta: float, sample_failure: float, guess: float
    ) -> float:
        """Count with radii up to the one at which k errors meet the target.

        sample_failure may be below the table of limits: hence the radius is set here, and what
        is counted is how many queries are private with that radius.
        """
        k, best = max(float(math.floor(guess)), 1.0), 0.0
        for _ in range(6):
            radius = target
            if sample_failure:
                log_k = np.array(math.log(k))
                radius /= math.exp(float(self.log_share(log_k, np.array(sample_failure))))
            if radius <= 1:  # in units of Δ: half of one answer's mass is moved out, δ ≥ 1/2
                break
            most = most_queries(self.noise, target=radius, epsilon=epsilon, delta=delta, start=k)
            if most is None:
                break
            if not sample_failure:
                return most.lower
            # fewer queries may have a larger radius: the lesser of the two is private
            best = max(best, min(k, most.lower))
            if abs(most.lower - k) <= 1e-6 * k:
                break
            k = most.lower
        return best

    def _published_count(
        self, target: float, epsilon: float, delta: float, sample_failure: float, guess: float
    ) -> tuple[float, Evidence]:
        """Secant search for the largest k, whose lower end is settled."""
        low, high, k = 0.0, math.inf, max(math.floor(guess), 1.0)
        for _ in range(20):
            radius = dagan_kur_radius(self.noise, epsilon=epsilon, delta=delta, queries=k)
            excess = math.log(radius / target)
            if sample_failure:
                log_k = np.array(math.log(k))
                excess += float(self.log_share(log_k, np.array(sample_failure)))
            low, high = (k, high) if excess <= 0 else (low, k)
            if high - low <= 1 or low == MOST_QUERIES:
                break
            root = k * math.exp(max(min(-excess / 0.5, 2.0), -2.0))
            if low and root - low < 1e-6 * low:
                break
            # aim a little to the safe side, unless the other side is what is missing
            root = math.floor(root * (1 - 3e-7)) if low < root - 1 else math.ceil(root)
            k = min(max(root, low + 1), high - 1, MOST_QUERIES)
        return float(low), Evidence.PUBLISHED
