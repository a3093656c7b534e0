r"""What no independent noise of one law can do to two data sets: a bound from one pair of them.

The claim. Each of k answers is the true value plus noise, drawn independently from one law P on
[−R, R], the same for every answer; nothing else is asked of P. If one pair of neighbouring data
sets moves all answers by Δ, and their answers are (ε, δ)-indistinguishable, then R is at least what
`one_pair_radius` returns.

The proof. Let X have the law P and G_j = P(X > R − jΔ), so that G_0 = 0, and G_N = 1 for
N = ⌊2R/Δ⌋ + 1, as then R − NΔ < −R. Look at one of the two data sets, with its answers moved so
that they are X_1, …, X_k; those of the other are X_1 + Δ, …, X_k + Δ. The test "at least a answers
exceed R − jΔ" accepts the first with probability α_a(G_j) and the second with α_a(G_(j+1)), where
α_a(G) = P(Bin(k, G) ≥ a), because X + Δ > R − jΔ is X > R − (j + 1)Δ. The same pair serves for
every j: only the test's threshold changes. With h(α) = min(δ + e^ε·α, 1 − e^(−ε)·(1 − δ − α)), the
largest power of a test of level α, privacy says

    α_a(G_(j+1)) ≤ h(α_a(G_j))   for a = 1, …, k.

α_a rises with G, hence G_(j+1) ≤ φ(G_j), where φ(G) is the least, over a, of the G′ with
α_a(G′) = h(α_a(G)). φ rises too, so φ∘…∘φ(0), N times, is at least G_N = 1. If N is the least
number of steps for which that can be, then ⌊2R/Δ⌋ + 1 ≥ N, and R ≥ (N − 1)Δ/2.

Half the way is enough. Exchange successes and failures, a test and its complement, the two data
sets: φ(G) ≥ G′ exactly if φ(1 − G′) ≥ 1 − G. So with x_j = φ^j(0), i + j steps lead from 0 to 1
exactly if x_i ≥ 1 − x_j. If x_n < 1/2 ≤ x_(n+1), then N = 2n + 1 if x_(n+1) ≥ 1 − x_n, and
2n + 2 if not.

Several steps at once. α_a(G_(j+m)) ≤ h∘…∘h(α_a(G_j)), m times, with one a: a weaker chain, but a
valid one. h has two lines. With c = δ/(e^ε − 1) the first multiplies α + c by e^ε, the second
1 − α + c by e^(−ε); they meet at α = (1 − δ)/(1 + e^ε). Any a may be left out as well, so that
only some near the best are tried. Both are done where steps are many; what it costs is below 1%.
All is moved to the safe side by more than rounding can do, and every inverse of α_a is checked by
α_a itself.

What it is worth. One answer: it equals the bound of chains of shifts
(`dpviz.maths.noise_converse`), which needs as many people as steps. For 2 to some 1000 answers it
is mostly the larger, by a factor of 3 at ε = 0.1, δ = 1e-10, k = 10. As k → ∞ it seems to tend to
πσ/2 (not proved), σ being the Gaussian noise of the same privacy. For φ moves the mean of a normal
law by what Gaussian noise may: k^(−1/2) of the way from 0 to π in the angle whose cosine is 1 − 2G.

What is open. Noises that differ from answer to answer, and tests with more thresholds than two
(`dpviz.maths.two_cuts_converse`, for symmetric noise), unless answers are so many that
`dpviz.maths.score_converse` says more.
"""

import math
from functools import lru_cache

import numpy as np
from scipy.special import betainc, betaincc, betainccinv, betaincinv, betaln

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import validate
from dpviz.results.refining import pause

MOST_ANSWERS = 10_000
"""Up to how many answers are counted; of more, only so many are, which proves less."""

_ALL = 40  # answers up to which every a is tried
_GROWTH, _FINE = 0.05, 0.006  # of log 1/c, by which log(α + c) may grow in steps taken at once
_FEW = 100  # answers up to which it may grow less
_MOVE = 0.1  # of α, at most, in such steps
_FIRST = 0.1  # of what a pair of successes needs to count, up to which one success is best
_OFFSETS = np.array([-16.0, -8.0, -4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0, 8.0, 16.0])
_STRIDE = 0.04  # of the deviation of Bin(k, G), between two a that are tried
_SAFETY, _ROUNDED = 1e-10, 1e-11  # of a probability, and of a rate: far above rounding
_MOST_STEPS = 30


def one_pair_radius(
    *, epsilon: float, delta: float, queries: float, sensitivity: float = 1.0
) -> float:
    """Return a radius such that no independent noise of one law and a smaller one is (ε, δ)-DP.

    epsilon: ε in [1e-7, 10]; delta: δ in [1e-300, 0.5]; queries: k answers, each moved by up to
    sensitivity (Δ) when one person is substituted, and in all of them at once. A proven lower
    bound, in the unit of Δ, by one pair of neighbouring data sets. From more than `MOST_ANSWERS`
    answers that many are looked at. Raises `ParameterError`. Source: the module docstring.
    """
    unit = validate("sensitivity", sensitivity)
    queries = validate("queries", queries)
    privacy = validate("epsilon", epsilon), validate("delta", delta)
    return unit * _half_steps(*privacy, min(math.floor(queries), MOST_ANSWERS))


@lru_cache(maxsize=4096)
def _half_steps(epsilon: float, delta: float, queries: int) -> float:
    """Return (N − 1)/2."""
    chain = _Chain(epsilon, delta, queries)
    rate, steps, near, at_once = 0.0, 0, 1.0, chain.first()
    while True:
        pause()
        further, found, level = chain.step(rate, near, at_once)
        if further < 0.5:
            near = found + queries * (further - rate)  # as many above the mean
            rate, steps = further, steps + at_once
            at_once = chain.at_once(level)
        elif at_once > 1:
            at_once //= 2
        else:
            break
    return steps + (0.0 if further >= 1 - rate else 0.5)


def after_one_step(rate: float, epsilon: float, delta: float, queries: int) -> float:
    """Return φ(G) or more, G = rate."""
    return _Chain(epsilon, delta, queries).step(rate, queries * rate + 1, 1)[0]


class _Chain:
    """Steps of the chain for given ε, δ and k."""

    def __init__(self, epsilon: float, delta: float, queries: int) -> None:
        self._epsilon, self._queries = epsilon, queries
        self._offset = delta / math.expm1(epsilon)  # c
        share = _FINE if queries <= _FEW else _GROWTH
        self._growth = share * max(-math.log(self._offset), 20.0)
        self._log_kink = math.log((1 - delta) / (1 + math.exp(epsilon)) + self._offset)

    def first(self) -> int:
        """Return how many steps from 0 can be taken at once, as no a but 1 is of use in them."""
        if self._offset > 1e-3:
            return 1
        return max(int(math.log(max(_FIRST * math.sqrt(2 / self._offset), 1)) / self._epsilon), 1)

    def at_once(self, level: float) -> int:
        """Return how many steps may be taken at once from α of the best a."""
        return max(int(min(self._growth, _MOVE / (level + self._offset)) / self._epsilon), 1)

    def step(self, rate: float, near: float, steps: int) -> tuple[float, float, float]:
        """Return a bound on G after so many steps, the a that proves it, and α of it before.

        near: an a that was the best before. The bound is 1 where a test may be perfect.
        """
        a = self._tried(rate, near)
        rest = self._queries - a + 1
        level: FloatArray = np.asarray(betainc(a, rest, rate), dtype=float)
        missed: FloatArray = np.asarray(betaincc(a, rest, rate), dtype=float)
        bounds = self._rates(a, *self._after(level, missed, steps))
        i = int(np.argmin(bounds))
        return float(bounds[i]), float(a[i]), float(level[i])

    def _tried(self, rate: float, near: float) -> FloatArray:
        if rate == 0:
            return np.ones(1)
        if self._queries <= _ALL:
            return np.arange(1.0, self._queries + 1)
        stride = max(_STRIDE * math.sqrt(self._queries * rate * (1 - rate)), 1.0)
        return np.unique(np.clip(np.rint(near + _OFFSETS * stride), 1, self._queries))

    def _after(
        self, level: FloatArray, missed: FloatArray, steps: int
    ) -> tuple[FloatArray, FloatArray]:
        """Return bounds on α and 1 − α after so many steps: up the first line, then the second."""
        c, epsilon = self._offset, self._epsilon
        ups = np.clip(np.ceil((self._log_kink - np.log(level + c)) / epsilon), 0, steps)
        downs = steps - ups
        up = level + (level + c) * np.expm1(ups * epsilon)
        left = np.where(ups > 0, 1 - up, missed)
        left = np.where(downs > 0, left + (left + c) * np.expm1(-downs * epsilon), left)
        left = left - _SAFETY * missed
        return np.where(downs > 0, 1 - left, up * (1 + _SAFETY)), left

    def _rates(self, a: FloatArray, level: FloatArray, missed: FloatArray) -> FloatArray:
        """Return G with α_a(G) ≥ level, hardly more; missed: 1 − level; 1 where none is found."""
        rest = self._queries - a + 1
        low = level < 0.5
        inverse = np.where(
            low,
            betaincinv(a, rest, np.clip(level, 0, 1)),
            betainccinv(a, rest, np.clip(missed, 0, 1)),
        )
        if np.isnan(inverse).any():  # of tiny levels SciPy finds none
            inverse = np.where(np.isnan(inverse), self._climbed(a, level), inverse)
        found = np.minimum(inverse * (1 + _ROUNDED), 1.0)
        reached = np.where(
            low, betainc(a, rest, found) >= level, betaincc(a, rest, found) <= missed
        )
        rates: FloatArray = np.where((missed > 0) & reached, found, 1.0)
        return rates

    def _climbed(self, a: FloatArray, level: FloatArray) -> FloatArray:
        """Return G with α_a(G) = level, by Newton's method on logarithms.

        log α_a is concave in log G, so that it climbs; it begins at C(k, a)·G^a, which is above α.
        """
        rest = self._queries - a + 1
        log_density = -betaln(a, rest)
        with np.errstate(all="ignore"):
            goal = np.log(level)
            log_rate = (goal + np.log(a) - log_density) / a
            for _ in range(_MOST_STEPS):
                rate = np.exp(log_rate)
                reached = betainc(a, rest, rate)
                slope = np.exp(log_density + a * log_rate + (rest - 1) * np.log1p(-rate)) / reached
                move = (goal - np.log(reached)) / slope
                log_rate = log_rate + move
                if not np.any(np.abs(move) > 1e-13):
                    break
        climbed: FloatArray = np.exp(log_rate)
        return climbed
