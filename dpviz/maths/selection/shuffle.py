"""Counting and selection in the shuffle model, with negative binomial noise.

Lemmas 36 to 38, Theorem 39 and Corollary 40 of Ghazi, Kumar & Manurangsi 2021. One count from
above is Corollary 40 (the bits), one from below Lemma 38 (the bits flipped); selection
(Lemma 36) and the histogram (Lemma 37) count every item from below.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from scipy.optimize import brentq

from dpviz.maths.selection.counts import largest_law, validate_counts
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate

_NEGLIGIBLE = 1e-13  # mass of the noise beyond which exact laws end


def theorem_dispersion(delta: float) -> float:
    """Return r = 3(1 + ln(1/δ)), enough for privacy (Theorem 39)."""
    return 3 * (1 - math.log(validate("delta", delta)))


def proof_dispersion(delta: float, failure_probability: float) -> float:
    """Return r = ⌈1000(1 + ln(1/(βδ)))⌉, the constant of the proof of Corollary 40."""
    beta = validate("failure_probability", failure_probability)
    return float(math.ceil(1000 * (1 - math.log(beta) - math.log(validate("delta", delta)))))


@lru_cache(maxsize=256)
def least_dispersion(epsilon: float, delta: float) -> float:
    """Return the least r for which one count is exactly (ε, δ)-private, to six digits, upwards."""

    def log_delta(r: float) -> float:
        return NegativeBinomialSum(epsilon, r).log_privacy_delta()

    return _least(log_delta, delta, 1e-9, theorem_dispersion(delta))


@lru_cache(maxsize=256)
def least_exchange_dispersion(epsilon: float, delta: float) -> float:
    """Return the least r >= 1 for which selection is exactly (ε, δ)-private, as `least_dispersion`.

    To exchange an item changes two buckets, whose counts are looked at together
    (`exchange_delta`); each bucket has p of ε/2, as in Lemma 36.
    """

    def log_delta(r: float) -> float:
        lost = exchange_delta(NegativeBinomialSum(epsilon / 2, r), epsilon)
        return math.log(lost) if lost > 0 else -math.inf

    apart = least_dispersion(epsilon / 2, validate("delta", delta) / 2)
    return _least(log_delta, delta, 1.0, max(apart, 1.0))


def _least(
    log_delta: Callable[[float], float], delta: float, smallest: float, enough: float
) -> float:
    """Return where ln δ(r) falls to that of delta, which it has done at `enough`."""
    goal = math.log(validate("delta", delta))
    low, high = math.log(smallest), math.log(enough)
    if log_delta(smallest) <= goal:
        return smallest
    root = brentq(lambda log_r: log_delta(math.exp(log_r)) - goal, low, high, xtol=1e-7)
    return min(math.exp(root) * (1 + 1e-6), enough)


def exchange_delta(bucket: "NegativeBinomialSum", epsilon: float) -> float:
    """Return δ at ε when one user's item is exchanged: of two totals, one falls and one rises.

    The totals (X + 1, Y) against (X, Y + 1) for X, Y of NB(r, p): with masses f, the sum over x, y
    of [f(x − 1) f(y) − e^ε f(x) f(y − 1)]₊. The ratio f(x − 1)/f(x) = x/(p(x + r − 1)) rises with
    x for r >= 1, so for each y the x that count are those above a threshold. The other direction is
    the same by symmetry. Raises `ParameterError`.
    """
    odds, r = math.exp(validate("epsilon", epsilon)), bucket.dispersion
    if r < 1:
        raise ParameterError("dispersion", "a number from 1", r)
    y = np.arange(math.ceil((r - 1) / (odds - 1)) + 1, dtype=float)
    with np.errstate(invalid="ignore"):
        share = np.where(y > 0, odds * y / (y + r - 1), 0.0)
    y, share = y[share < 1], share[share < 1]
    above = np.floor(share * (r - 1) / (1 - share))
    law = r, bucket.success
    likely, before = (stats.nbinom.pmf(at, *law) for at in (y, y - 1))
    least, more = (stats.nbinom.sf(at, *law) for at in (above - 1, above))
    return float((likely * least - odds * before * more).sum())


@dataclass(frozen=True)
class NegativeBinomialSum:
    """Counting bits: every user sends their bit and some noise as equal messages, and they mix.

    The randomiser (Algorithm 7) sends x_i + NB(r/n, p) messages with p = e^(−0.2ε); all the
    analyser (Algorithm 8) sees is their total, Σ x_i + NB(r, p), never below the truth. NB(r, p)
    has mean r·p/(1 − p). `underestimate` counts zeros instead of ones (Lemma 38), never above the
    truth. Privacy: under substitution of one bit.
    Source: Ghazi, Kumar & Manurangsi 2021, Theorem 39, Corollary 40, Lemma 38.

    epsilon: ε, of which p depends; dispersion: r > 0.
    """

    epsilon: float
    dispersion: float

    def __post_init__(self) -> None:
        validate("epsilon", self.epsilon)
        if not 0 < self.dispersion < math.inf:
            raise ParameterError("dispersion", "a positive number", self.dispersion)

    @property
    def success(self) -> float:
        """1 − p, the parameter numpy and SciPy ask for."""
        return -math.expm1(-0.2 * self.epsilon)

    @property
    def mean_noise(self) -> float:
        """The noise messages of all users together, on average: r·p/(1 − p)."""
        return self.dispersion * math.exp(-0.2 * self.epsilon) / self.success

    def randomise(self, bits: ArrayLike, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return how many messages each user sends (Algorithm 7)."""
        array = np.asarray(bits, dtype=np.int64)
        if array.ndim != 1 or not array.size or not np.all((array == 0) | (array == 1)):
            raise ParameterError("bits", "zeros and ones, one for each user", bits)
        return array + rng.negative_binomial(self.dispersion / array.size, self.success, array.size)

    def analyse(self, messages: ArrayLike) -> int:
        """Return the number of messages received, an estimate from above (Algorithm 8)."""
        return int(np.sum(messages))

    def overestimate(self, bits: ArrayLike, rng: np.random.Generator) -> int:
        """Return an estimate of the number of ones that is never below it (Corollary 40)."""
        return self.analyse(self.randomise(bits, rng))

    def underestimate(self, bits: ArrayLike, rng: np.random.Generator) -> int:
        """Return an estimate of the number of ones that is never above it (Lemma 38)."""
        array = np.asarray(bits, dtype=np.int64)
        return array.size - self.overestimate(1 - array, rng)

    def noise_pmf(self, size: int) -> FloatArray:
        """Return the masses of 0, …, size − 1 noise messages."""
        return np.asarray(stats.nbinom.pmf(np.arange(size), self.dispersion, self.success))

    def noise_quantile(self, failure_probability: float) -> int:
        """Return the least number that the noise exceeds with probability at most β: the error."""
        beta = validate("failure_probability", failure_probability)
        return int(stats.nbinom.isf(beta, self.dispersion, self.success))

    def log_privacy_delta(self, epsilon: float | None = None) -> float:
        """Return ln δ, exactly: the larger divergence of the total and the same total plus 1.

        epsilon: of the divergence; the mechanism's own unless given. One direction: the masses
        f(y) and f(y − 1) of totals have the ratio p(y + r − 1)/y, which is larger than e^ε for
        small y. The other: the ratio of f(y − 1) to f(y) tends to 1/p, far below e^ε.
        """
        eps = self.epsilon if epsilon is None else validate("epsilon", epsilon)
        p, r = math.exp(-0.2 * self.epsilon), self.dispersion
        last = p * (r - 1) / (math.exp(eps) - p)
        y = np.arange(math.floor(max(last, 0.0)) + 1, dtype=float)
        lost = 0.0
        if r < 1 or eps < 0.2 * self.epsilon:
            lost = self._reverse(eps)
        with np.errstate(divide="ignore"):
            ratio = np.where(y > 0, y / (p * (y + r - 1)), 0.0)
            gaps = np.log(-np.expm1(np.minimum(eps + np.log(ratio), 0.0)))
        logs = stats.nbinom.logpmf(y, r, self.success) + gaps
        forward = float(np.logaddexp.reduce(logs))
        return max(forward, math.log(lost) if lost > 0 else -math.inf)

    def _reverse(self, eps: float) -> float:
        """Return Σ [f(y − 1) − e^ε f(y)]₊, positive only if r < 1 or the ε given is small."""
        end = int(stats.nbinom.isf(1e-18, self.dispersion, self.success)) + 2
        f = stats.nbinom.pmf(np.arange(end), self.dispersion, self.success)
        return float(np.maximum(f[:-1] - math.exp(eps) * f[1:], 0.0).sum())


@dataclass(frozen=True)
class ShuffleSelection:
    """Selection bucket by bucket: count every item from below, and take the largest (Lemma 36).

    For each item u a user sends one message if they do *not* hold it, and NB(r/n, p) more as noise,
    all marked with u. The estimate of c_u is n less the messages marked with u (Lemma 38). No count
    is overestimated, so an item nobody holds never beats a count that stays positive. A user whose
    item is substituted changes two buckets, so each gets ε/2 and δ/2.

    epsilon, delta: of the whole; dispersion: r of each bucket, that of Theorem 39 unless given.
    """

    epsilon: float
    delta: float
    universe: int
    dispersion: float | None = None

    def __post_init__(self) -> None:
        if not self.universe >= 1:
            raise ParameterError("universe", "a whole number from 1", self.universe)
        validate("delta", self.delta)
        validate("epsilon", self.epsilon / 2)

    @cached_property
    def bucket(self) -> NegativeBinomialSum:
        """The protocol of one bucket."""
        r = self.dispersion
        return NegativeBinomialSum(
            self.epsilon / 2, theorem_dispersion(self.delta / 2) if r is None else r
        )

    def estimates(self, counts: ArrayLike, rng: np.random.Generator) -> FloatArray:
        """Return estimates of all counts, none above the truth.

        The noise of a bucket is drawn at once, as n users' shares add up to NB(r, p).
        """
        array = self._counts(counts)
        bucket = self.bucket
        noise = rng.negative_binomial(bucket.dispersion, bucket.success, array.size)
        return (array - noise).astype(float)

    def histogram(self, counts: ArrayLike, rng: np.random.Generator) -> FloatArray:
        """Return estimates of all counts, none above the truth nor below 0 (Lemma 37).

        All errors together need the quantile at β/n: only items that somebody holds can have one.
        """
        return np.maximum(self.estimates(counts, rng), 0.0)

    def select(self, counts: ArrayLike, rng: np.random.Generator) -> int:
        """Return the item of the largest estimate."""
        return int(self.estimates(counts, rng).argmax())

    def error(self, failure_probability: float) -> int:
        """Return by how much at most the selected item falls short, with probability 1 − β."""
        return self.bucket.noise_quantile(failure_probability)

    def law(self, counts: ArrayLike) -> FloatArray:
        """Return the law of `select`, but for a mass of 1e-13 of each bucket's noise."""
        array = self._counts(counts)
        bucket = self.bucket
        size = int(stats.nbinom.isf(_NEGLIGIBLE, bucket.dispersion, bucket.success)) + 2
        noise, top = bucket.noise_pmf(size), int(array.max())
        pmf = np.zeros((array.size, size + top))
        for row, count in zip(pmf, array, strict=True):
            row[count : count + size] = noise[::-1]  # values −size + 1, …, top
        return largest_law(pmf)

    def _counts(self, counts: ArrayLike) -> NDArray[np.int64]:
        array = validate_counts(counts)
        if array.size != self.universe:
            raise ParameterError("counts", f"{self.universe} counts, one for each item", counts)
        return array
