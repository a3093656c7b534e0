r"""Noise on whole numbers for k answers that are whole numbers, exactly composed; Δ = 1.

It is admissible where every answer is a whole number that one person moves by at most 1: counts.
Then it hides all there is to hide; of any other answer it would betray the part behind the decimal
point. All laws here are log-concave and symmetric, so that the shift by 1 is the worst one, and it
is attained in all k answers at once. (Where one person moves counts by up to a whole Δ > 1, noise
on whole numbers is finer in units of Δ: the larger Δ, the more it is like noise on all numbers.)

* Truncated geometric noise has masses c·q^|x|, q = e^(−λ), on −R, …, R. Next to itself shifted
  by 1 the losses are λ and −λ, or infinite at the last x, of mass p = c·q^R. Given that it is
  finite the loss is that of randomised response with the parameter λ: k answers have

      δ(ε) = 1 − (1 − p)^k + (1 − p)^k·δ_rr(ε),

  with δ_rr that of k randomised responses, a binomial sum. Solved for q^R, and so for R. Ghosh,
  Roughgarden & Sundararajan (2009) is R = ∞. One answer: λ = ε, and no noise on whole numbers of
  any shape keeps to a smaller R. For (ε, δ)-DP lets masses next to each other grow only by
  p_(x+1) ≤ e^ε·p_x + d_x, with all d_x together at most δ. All of δ at the first x makes the most
  of it, from both sides. So 1 ≤ Σ p_x is at most what truncated geometric noise of the same R,
  λ = ε and p = δ would sum to.

* Discrete Gaussian noise (Canonne, Kamath & Steinke 2020) has masses ∝ e^(−x²/2σ²) on all whole
  numbers. Its losses (2x + 1)/2σ² lie on a lattice, so that k answers are a convolution. What lies
  beyond a cut where k answers have less than e^(−20)·δ is charged in full. Where σ is large, the
  sum S of all k errors is nearly Gaussian, of variance kσ²: `log_delta_wide` says how nearly.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammainc, log_ndtr

from dpviz.maths import gaussian
from dpviz.maths.accounting.answer import log_any_of
from dpviz.maths.laplace_rivals import largest_private, least_below, validated_rival
from dpviz.maths.logspace import log1mexp, log_failure_of_each
from dpviz.maths.loss_laws import LossLaw, geometric_law, log_delta_bounds
from dpviz.results.evidence import Bracket, FloatArray
from dpviz.results.parameters import ParameterError

MOST_SITES = 2.0**17
"""Of a convolution of discrete Gaussian noise; beyond it is Gaussian noise, but for rounding."""

_WIDE = 2.0**12  # a σ from which a sum over whole numbers is an integral, to all digits
_SUMMED = 2.0**20  # terms
_BEYOND = 20.0
_PLACES = 13
_NARROW = 3.0  # a σ up to which the sum of errors may not be nearly Gaussian
_LARGEST_TAIL = 60.0


@dataclass(frozen=True)
class GeometricNoise:
    """Noise with masses ∝ e^(−decay·|x|) on the whole numbers from −radius to radius.

    decay: λ > 0; radius: R, a whole number ≥ 1, or inf for all whole numbers.
    """

    decay: float
    radius: float

    @property
    def log_end(self) -> float:
        """The logarithm of the mass of the last x, which one of two neighbours never shows."""
        if math.isinf(self.radius):
            return -math.inf
        return -self.decay * self.radius - self._log_total

    @property
    def _log_total(self) -> float:
        """Log of the sum of e^(−λ|x|): (1 + q − 2·q^(R + 1))/(1 − q)."""
        last = -self.decay * (self.radius + 1)
        over = 1 + math.exp(-self.decay) - 2 * math.exp(last)
        return math.log(over) - math.log(-math.expm1(-self.decay))

    def max_error(self, *, queries: float, failure_probability: float) -> float:
        """Return the least whole number that the largest of k errors exceeds with at most β."""
        each = float(log_failure_of_each(failure_probability, queries))
        last = math.exp(-self.decay * (self.radius + 1))
        # 2·(q^(x + 1) − q^(R + 1))/(1 − q)/total = tail
        half = math.log(-math.expm1(-self.decay) / 2) + self._log_total
        x = -math.log(math.exp(each + half) + last) / self.decay - 1
        return float(min(max(math.ceil(x - 1e-9), 0), self.radius))

    @property
    def standard_deviation(self) -> float:
        """The standard deviation of one error."""
        if math.isinf(self.radius):
            return 1 / (math.sqrt(2) * math.sinh(self.decay / 2))
        if self.radius <= _SUMMED:
            x = np.arange(1.0, self.radius + 1)
            squares = float(np.exp(-self.decay * x) @ x**2)
        else:  # the integral, and half the last term: Euler and Maclaurin's next is 1/R² of it
            last = self.radius**2 * math.exp(-self.decay * self.radius)
            inside = float(gammainc(3.0, self.decay * self.radius))
            squares = 2 * inside / self.decay**3 + last / 2
        return math.sqrt(2 * squares * math.exp(-self._log_total))

    def log_delta(self, *, epsilon: float, queries: float) -> float:
        """Return an upper bound on log δ of k answers: the exact value, up to rounding."""
        return _with_ends(_log_responses(self.decay, epsilon, queries), self.log_end, queries)


@dataclass(frozen=True)
class DiscreteGaussian:
    """Noise with masses ∝ e^(−x²/(2·sigma²)) on all whole numbers; sigma: σ > 0."""

    sigma: float

    @cached_property
    def _masses(self) -> FloatArray:
        """The masses of 0, 1, 2, …, as far as a computer has numbers for them."""
        x = np.arange(math.ceil(_LARGEST_TAIL * self.sigma) + 2.0)
        mass = np.exp(-(x**2) / (2 * self.sigma**2))
        return np.asarray(mass / (2 * mass[1:].sum() + 1))

    @property
    def standard_deviation(self) -> float:
        """The standard deviation of one error, a little below σ."""
        if self.sigma > _WIDE:
            return self.sigma
        x = np.arange(float(self._masses.size))
        return math.sqrt(2 * float(self._masses @ x**2))

    def max_error(self, *, queries: float, failure_probability: float) -> float:
        """Return the least whole number that the largest of k errors exceeds with at most β."""
        if self.sigma > _WIDE:  # half a place more than a Gaussian error hides what sums differ by
            at = {"queries": queries, "failure_probability": failure_probability}
            return math.ceil(float(gaussian.max_error(self.sigma, **at)))
        each = math.exp(float(log_failure_of_each(failure_probability, queries)))
        beyond = 2 * np.cumsum(self._masses[:0:-1])[::-1]  # P(|X| > x) for x = 0, 1, …
        return float(np.argmax(beyond <= each))

    def sites(self, queries: float) -> float:
        """Return about how many places a convolution of k answers takes."""
        return 2 * self.sigma * math.sqrt(90 * queries) + 60 * self._reach(-1.0, queries)

    def _reach(self, log_delta: float, queries: float) -> float:
        """Return an x beyond which k answers lie with less than e^−20·δ."""
        return math.ceil(1 + self.sigma * math.sqrt(2 * (math.log(queries) - log_delta + _BEYOND)))

    def log_delta(self, *, epsilon: float, queries: float, near: float = -30.0) -> float:
        """Return an upper bound on log δ of k answers: nearly exact where log δ is above `near`."""
        reach = self._reach(near, queries)
        x = np.arange(-reach, reach)  # the shifted law is one to the left of this one
        log_mass = -((x + 0.5) ** 2 + 0.25) / (2 * self.sigma**2)
        inside = np.arange(1.0, reach)
        log_total = math.log1p(2 * float(np.exp(-(inside**2) / (2 * self.sigma**2)).sum()))
        law = LossLaw(1 / self.sigma**2, log_mass - log_total)
        _, high = log_delta_bounds(law, count=int(queries), epsilon=np.array([epsilon]))
        # P(|X| ≥ reach) is at most twice its first mass over one minus the largest ratio of two
        ratio = -(2 * reach + 1) / (2 * self.sigma**2)
        log_end = math.log(2) - reach**2 / (2 * self.sigma**2) - log_total
        log_end = min(log_end - float(log1mexp(ratio)), 0.0)
        return float(np.logaddexp(high[0], log_any_of(log_end, queries)))


def log_delta_wide(
    sigma: float, *, epsilon: float, queries: float, sensitivity: float = 1.0
) -> tuple[float, float]:
    """Return bounds on log δ of k answers with discrete Gaussian noise, close where σ√k is large.

    The loss of all answers is (2ΔS + kΔ²)/(2σ²), S the sum of their errors. So δ is P(S ≥ m) −
    e^ε·P(S ≥ m + kΔ) for the first m whose loss exceeds ε. The law of S is that of one discrete
    Gaussian number of variance kσ² times e^(±τ), τ ≤ 10k·e^(−π²σ²) (Kairouz, Liu & Steinke 2021).
    Each of its sums is an integral from m − 1/2 on, up to an eighth of how much the
    slope of the density varies there (the midpoint rule, place by place). And m − 1/2 is at most
    half a place from where the integrals give the Gaussian δ, which is the largest they give.
    sensitivity: Δ, a whole number.
    """
    at = {"epsilon": epsilon, "queries": queries, "sensitivity": sensitivity}
    log_delta = float(gaussian.log_privacy_delta(sigma, **at))
    spread = sigma * math.sqrt(queries)
    mu = sensitivity * math.sqrt(queries) / sigma
    first, step = epsilon / mu - mu / 2, 1 / spread
    second = first + mu

    def log_density(z: float) -> float:
        return -(z**2) / 2 - 0.5 * math.log(2 * math.pi)

    def log_variation(z: float) -> float:
        """Of the slope of the normal density from z on, where z may be a step less."""
        low = z - step
        return math.log(low) + log_density(low) if low >= 1 else math.log(4) + log_density(1.0)

    tau = math.log(10 * queries) - (math.pi * sigma) ** 2
    sums = np.logaddexp(log_variation(first), epsilon + log_variation(second))
    moved = math.log(math.expm1(sensitivity / (2 * sigma**2))) - math.log(2 * spread)
    terms = [
        float(sums) - math.log(8) - 2 * math.log(spread),
        math.log(4) + tau + float(log_ndtr(step - first)),
        moved + log_density(max(abs(first) - step, 0.0)),
    ]
    apart = float(np.logaddexp.reduce(terms)) - log_delta
    low = math.log1p(-math.exp(apart)) if apart < 0 else -math.inf
    return log_delta + low, min(log_delta + float(np.logaddexp(0.0, apart)), 0.0)


def wide_discrete_gaussian(
    *, epsilon: float, delta: float, queries: float, sensitivity: float = 1.0
) -> Bracket:
    """Return bounds on the least σ of discrete Gaussian noise that is (ε, δ)-DP for k counts.

    For σ from 3 on. `upper` is private, `lower` is not: 0 where that was not found.
    """
    at = {"epsilon": epsilon, "queries": queries, "sensitivity": sensitivity}
    least = float(gaussian.minimal_sigma(**at, delta=delta))
    goal, step = math.log(delta), 1e-9
    while step < 1 and log_delta_wide(least * (1 + step), **at)[1] > goal:
        step *= 2
    if least < _NARROW or step >= 1:
        raise ParameterError("queries", "more, or epsilon less: σ is small here", queries)
    below = [
        share for share in (1e-9, 1e-6, 1e-4) if log_delta_wide(least * (1 - share), **at)[0] > goal
    ]
    return Bracket(least * (1 - below[0]) if below else 0.0, least * (1 + step))


def geometric_noise(*, epsilon: float, delta: float, queries: float) -> GeometricNoise:
    """Return the least geometric noise on all whole numbers that is (ε, δ)-DP for k counts.

    queries: at most `dpviz.maths.laplace_rivals.MOST_QUERIES`. Certified to be private.
    Raises `ParameterError`.
    """
    epsilon, log_delta, queries = validated_rival(epsilon, delta, queries)
    return GeometricNoise(_largest_decay(epsilon, log_delta, queries), math.inf)


def truncated_geometric_noise(*, epsilon: float, delta: float, queries: float) -> GeometricNoise:
    """Return truncated geometric noise of the least radius found that is (ε, δ)-DP for k counts.

    Certified to be private. For one count no noise on whole numbers of any shape has a smaller
    radius; for more counts another λ may do better. Parameters as above.
    """
    epsilon, log_delta, queries = validated_rival(epsilon, delta, queries)
    if queries == 1:
        return GeometricNoise(epsilon, _radius(epsilon, epsilon, log_delta, queries))
    largest = math.log(_largest_decay(epsilon, log_delta, queries))

    def reach(below: float) -> float:
        return _reach(math.exp(largest - math.exp(below)), epsilon, log_delta, queries)

    below = least_below(reach, epsilon, queries, largest, _PLACES, 20)
    decay = math.exp(largest - math.exp(below))
    return GeometricNoise(decay, _radius(decay, epsilon, log_delta, queries))


def discrete_gaussian_noise(
    *, epsilon: float, delta: float, queries: float
) -> DiscreteGaussian | None:
    """Return the least discrete Gaussian noise that is (ε, δ)-DP for k counts.

    None where the convolution would take more than `MOST_SITES`: σ is large there, and
    `wide_discrete_gaussian` finds it. Certified to be private. Parameters as above.
    """
    epsilon, log_delta, queries = validated_rival(epsilon, delta, queries)
    sigma = float(gaussian.minimal_sigma(epsilon=epsilon, delta=delta, queries=queries))
    if DiscreteGaussian(sigma).sites(queries) > MOST_SITES:
        return None

    def log_delta_at(rate: float) -> float:
        noise = DiscreteGaussian(1 / rate)
        return noise.log_delta(epsilon=epsilon, queries=queries, near=log_delta)

    return DiscreteGaussian(1 / largest_private(log_delta_at, 1 / sigma, log_delta))


def _log_responses(decay: float, epsilon: float, queries: float) -> float:
    """Return an upper bound on log δ_rr, exact up to rounding."""
    if epsilon >= queries * decay:
        return -math.inf
    law = geometric_law(decay, 1)
    return float(log_delta_bounds(law, count=int(queries), epsilon=np.array([epsilon]))[1][0])


def _with_ends(log_responses: float, log_end: float, queries: float) -> float:
    """Return log(1 − (1 − p)^k + (1 − p)^k·δ_rr)."""
    if log_end == -math.inf:
        return log_responses
    kept = queries * float(log1mexp(log_end))
    return float(np.logaddexp(log_any_of(log_end, queries), kept + log_responses))


def _largest_decay(epsilon: float, log_delta: float, queries: float) -> float:
    """Return the largest λ at which k randomised responses are (ε, δ)-DP."""
    pure = epsilon / queries * (1 - 1e-12)  # private, whatever is rounded
    return largest_private(lambda decay: _log_responses(decay, epsilon, queries), pure, log_delta)


def _reach(decay: float, epsilon: float, log_delta: float, queries: float) -> float:
    """Return the R, not a whole number, at which truncated geometric noise is (ε, δ)-DP."""
    responses = _log_responses(decay, epsilon, queries)
    if responses >= log_delta:
        return 1e300
    # (1 − p)^k = (1 − δ)/(1 − δ_rr)
    kept = (float(log1mexp(log_delta)) - float(log1mexp(responses))) / queries
    p, q = -math.expm1(kept), math.exp(-decay)
    if p <= 0:
        return 1e300
    # p = c·q^R with 1/c = (1 + q − 2·q^(R + 1))/(1 − q)
    power = p * (1 + q) / (-math.expm1(-decay) + 2 * p * q)
    return -math.log(power) / decay


def _radius(decay: float, epsilon: float, log_delta: float, queries: float) -> float:
    """Return the least whole R that is certified to be private."""
    radius = max(math.ceil(_reach(decay, epsilon, log_delta, queries) - 1e-6), 1)
    while GeometricNoise(decay, radius).log_delta(epsilon=epsilon, queries=queries) > log_delta:
        radius += 1
    return float(radius)
