"""A band: the part of δ_G in which the largest of the k losses lies between two levels."""

import math

import numpy as np

from dpviz.maths.accounting.answer import FINE, Cut, Nodes, Problem, log_sum
from dpviz.results.evidence import FloatArray


class Band:
    """The k answers with all losses at most B, the largest of them above a level A.

    Their transform is W(s) = M(s)^k − (M(s) − J(s))^k, with M that of one answer below B and J
    the part of it above A; without a level A it is M^k. The contour runs through the saddle
    point c of the bound J·M^(k−1) ≤ W·(1 or k). Real tilts need few nodes: this is a survey.
    """

    def __init__(
        self, problem: Problem, top: Cut, low: float | None = None, guess: float | None = None
    ) -> None:
        """Survey a band; low: the coordinate of A; guess: a tilt to start from."""
        self.problem, self.top, self.low = problem, top, low
        left = min(problem.left_end, top.y - 1)
        edges = problem.survey(left, top.y)
        if low is not None:
            edges = np.append(problem.survey(left, low), top.y)
        self.nodes = Nodes(problem, edges, top.log_mass, FINE)
        self.first = 0 if low is None else int(np.searchsorted(self.nodes.y, low))
        self.log_ways = 0.0 if low is None else problem.log_queries
        self.c = self._saddle(guess)
        self.law = self.nodes.tilted(self.c)
        self.share = float(self.law[self.first :].sum())  # J/M at the saddle
        self.log_mgf = float(self.nodes.log_mgf(np.array([self.c]))[0])
        self.mean = float(self.law @ self.nodes.loss)
        variance = float(self.law @ (self.nodes.loss - self.mean) ** 2)
        self.width = math.sqrt(problem.queries * variance + self.c**-2 + (1 + self.c) ** -2)
        self.peak = float(self.log_bound(np.array([self.c]))[0]) - self.c * problem.epsilon

    def log_bound(self, a: FloatArray) -> FloatArray:
        """Return log of a bound on W at real points, J·M^(k−1) times the number of ways."""
        k, log_mgf = self.problem.queries, self.nodes.log_mgf(a)
        if self.low is None:
            return k * log_mgf
        part = np.multiply.outer(a, self.nodes.loss[self.first :])
        log_part = log_sum(part + self.nodes.log_mass[self.first :])
        return self.log_ways + log_part + (k - 1) * log_mgf

    @property
    def log_chernoff(self) -> float:
        """Log of Chernoff's bound on this part of δ: peak times max over x of (1 − e^−x)e^−cx."""
        return self.peak + self.c * math.log(self.c) - (1 + self.c) * math.log1p(self.c) + 1e-9

    @property
    def log_laplace(self) -> float:
        """Log of this part of δ, up to a few units where its tilted law has one peak."""
        return self.peak - math.log(self.c * (1 + self.c) * self.width) - 0.92

    def period(self, target: float) -> float:
        """Return P with aliasing at most 1.2 targets, in units of the peak.

        With Chernoff's bound at a = c ± Δ, the aliases on one side form a geometric series of
        ratio e^(−PΔ); PΔ ≥ 1 and a first term of at most target/e bound it by 0.6 targets.
        """
        c = self.c
        step = min(c, 1 / self.width, 1 / max(self.top.loss, 1e-300))
        offsets = step * np.array([0.3, 1, 2, 3, 5, 8, 12, 20, 40, 80, 200])
        below = offsets[offsets < c]
        a = np.concatenate([c + offsets, c - below])
        log_alias = self.log_bound(a) - a * self.problem.epsilon - self.peak
        log_alias += a * np.log(a) - (1 + a) * np.log1p(a)
        log_alias = np.append(log_alias, self._log_mass() - self.peak)  # a = 0: δ ≤ P(band)
        distance = np.concatenate([offsets, below, [c]])
        needed = np.maximum(log_alias - math.log(target) + 1, 1) / distance
        return float(max(needed[: offsets.size].min(), needed[offsets.size :].min()))

    def _log_mass(self) -> float:
        """Return log of a bound on the probability of the band."""
        if self.low is None:
            return 0.0
        return self.log_ways + self.problem.log_tails(self.low)[0]

    def _saddle(self, guess: float | None) -> float:
        """Minimise the convex log(J·M^(k−1)) − sε − log s − log(1 + s), s > 0, by Newton's method.

        Any tilt is valid; one far beyond the losses' own scale would only underflow.
        """
        k, epsilon, loss = self.problem.queries, self.problem.epsilon, self.nodes.loss
        largest = max(float(loss[-1]), 1e-140)  # the squares of tilts stay finite
        low, high = 0.0, 5e3 / largest
        if guess is None:
            spread = self.problem.shift * math.sqrt(k * self.problem.noise.usual_information)
            guess = min(max(epsilon / spread**2, 1 / spread), 100 / largest)
        s = min(guess, high / 2)
        for _ in range(100):
            mean, variance = self._cumulants(s, 0)
            slope = (k - 1) * mean - epsilon - 1 / s - 1 / (1 + s)
            curvature = (k - 1) * variance + s**-2 + (1 + s) ** -2
            if self.first:
                mean, variance = self._cumulants(s, self.first)
            slope, curvature = slope + mean, curvature + variance
            low, high = (low, s) if slope > 0 else (s, high)
            trial = s - slope / curvature
            if not low < trial < high:
                trial = s / 4 if low == 0 else math.sqrt(low * high)
            if abs(trial - s) <= 1e-3 * s:
                return trial
            s = trial
        return s

    def _cumulants(self, tilt: float, first: int) -> tuple[float, float]:
        """Return the mean and variance of the loss, from one node on, under a tilted law."""
        law, loss = self.nodes.tilted(tilt, first), self.nodes.loss[first:]
        mean = float(law @ loss)
        return mean, float(law @ (loss - mean) ** 2)
