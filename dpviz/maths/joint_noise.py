r"""Bounded noise drawn together: only the largest of the k errors is paid for.

The noise. In units of Δ, x in [−R, R]^k has a density ∝ e^(ε⌊R − max_i |x_i|⌋): the K-norm
mechanism of the largest error, in steps, and cut off. With r_j = R − j for all whole j from 0 to
below R it is a mixture of uniform laws on the cubes [−r_j, r_j]^k, as steps are sums of cubes:

    weight of cube j ∝ (e^(εj) − e^(ε(j−1)))·(r_j/R)^k for j ≥ 1, and 1 for j = 0.

So it is drawn as a cube, then k independent numbers in it; and all sums here are over cubes, of
positive terms. With S the sum of these weights,

    δ = (1 − (1 − 1/(2R))^k)/S, exactly, adaptive or not, for R ≥ 1/2; below it is 1.

The proof, for either order of two neighbouring data sets. They differ in one person's record, which
moves each answer by at most Δ = 1, all of them at once. Later questions may depend on earlier
answers. Under one data set the outputs are y = a(y) + x, where a_i depends on y_1, …, y_(i−1)
alone, under the other y = a′(y) + x. Outputs to noise, x = y − a(y), is triangular with Jacobian 1.
So the density of the outputs is p(x) under the first and p(x + v) under the second, where v_i = a_i
− a′_i depends on x_1, …, x_(i−1) alone, and |v_i| ≤ 1. (A randomised analyst: for each of her
coins, and δ is their average.)

1. If x and x + v are both in the cube, max |x_i| moves by at most 1, its ⌊R − ·⌋ too, and
   p(x) ≤ e^ε·p(x + v). So the positive part of p(x) − e^ε·p(x + v) is p(x) where x + v leaves the
   cube, and 0 elsewhere: δ of this analyst is P(|x_i + v_i| > R for some i).
2. That asks for s_i·x_i > R − 1 for some i, s_i the sign of v_i, which depends on x_1, …, x_(i−1);
   v_i = 0 asks for nothing. Given all |x_i|, the signs of the x_i are independent and fair, and so
   are those of the s_i·x_i. Hence (s_i·x_i) has the law of x, and δ ≤ P(max x_i > R − 1). The shift
   v = (1, …, 1) reaches it.
3. Where x_i > R − 1 for some i, R ≥ 1/2, the cube drawn was the outermost, j = 0, as r_j ≤ R − 1
   for all others. It is drawn with probability 1/S, and then 1 − (1 − 1/(2R))^k remains.

For k = 1 it is end staircase noise (`dpviz.maths.optimal_noise`). As R grows, the numerator falls
and each term of S rises; as ε grows S rises; as k grows S falls and the numerator rises. So δ is
monotone in R, ε and k, continuous in R, and the least R of given ε, δ and k is one bisection.

The sum. e^(εj)·(1 − j/R)^k is log-concave in j. There may be 10¹³ terms. Only some below e^(−75) of
the largest are left out of the lower bound, and bounded in the upper one. What is left is added up
term by term, or, where there are too many, in blocks: on a block the logarithm lies above its chord
and below a tangent, so that geometric sums are bounds from both sides. The lower bound on S is used
where privacy is promised.

At fixed ε and δ, R grows like k: where R = ck and k grows, the numerator tends to 1 − e^(−1/(2c))
and S to (1 − e^(−1/c))/(1 − e^(ε−1/c)), so that δ tends to (1 − e^(ε−1/c))/(1 + e^(−1/(2c))), for c
below 1/ε. That of independent noise grows like √k: for many answers it is smaller.

Sources. The cut, the exact δ and its proof are our own, as far as we know. Nearest relatives: the
K-norm mechanism of Hardt & Talwar 2010, "On the geometry of differential privacy", for δ = 0;
Steinke & Ullman 2016, "Between pure and approximate differential privacy", who use it for the
largest error; staircases for any norm, optimal for δ = 0, of Kulesza, Suresh & Wang 2025, "General
staircase mechanisms for optimal differential privacy", and of Melbourne, Diaz & Asoodeh 2026, arXiv
2601.14597. What each gives, and what not: docs/notes/bounded-noise.md, section 8.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import ArrayLike

from dpviz.maths.logspace import log1mexp, log_sum_exp
from dpviz.results.evidence import Bracket, FloatArray, Source
from dpviz.results.parameters import LIMITS, ParameterError, validate

SOURCE = Source(
    "Hardt & Talwar 2010", "K-norm noise, of the largest error and cut off: dpviz.maths.joint_noise"
)
"""Where it comes from; the cut is our own."""
MOST_QUERIES = 100_000
"""From there on independent noise was less than half as large wherever it was tried."""

_MOST = "1e15"
MOST_STEPS = float(_MOST)
"""The largest R/Δ: whole numbers up to there are exact."""

_DEPTH = 75.0  # e^−75 times 1e15 terms is nothing beside the largest
_BLOCKS = 2**15
_ROUNDING = 1e-15  # of each logarithm, relative to what it is computed from
_STEPS_OUT = tuple(10.0**power for power in range(-13, 0))
_HALVINGS = 100
_NEAR = 1e-3  # of the way from the peak: so near is near enough to where terms are left out
_ULP = 2.0**-51


@dataclass(frozen=True, eq=False)
class _Cubes:
    """The cubes j ≥ 1 that count, in blocks from `starts` on: logs of e^(εj)·(r_j/R)^k.

    sizes: how many cubes each has; below, above: log bounds on the sum of each; slopes: by how much
    its logarithm rises with j. rest: log of a bound on all that is left out.
    """

    starts: FloatArray
    sizes: FloatArray
    below: FloatArray
    above: FloatArray
    slopes: FloatArray
    rest: float


@dataclass(frozen=True)
class JointNoise:
    """Noise for k answers drawn together, of density ∝ e^(ε⌊R − max|x_i|⌋) on [−R, R]^k.

    epsilon: ε in [1e-7, 10]; queries: k from 1 to `MOST_QUERIES`; radius: R in units of Δ, the most
    by which substituting one person moves an answer, above 0 and at most `MOST_STEPS`; all here is
    in these units. Raises `ParameterError`. Source: the module docstring.
    """

    epsilon: float
    queries: float
    radius: float

    def __post_init__(self) -> None:
        validate("epsilon", self.epsilon)
        _validated_queries(self.queries)
        if not 0 < self.radius <= MOST_STEPS:
            raise ParameterError("radius", f"above 0 and at most {_MOST} Δ here", self.radius)

    # ---- privacy -----------------------------------------------------------------------

    @cached_property
    def log_delta(self) -> Bracket:
        """Bounds on the logarithm of the least δ with which the noise is (ε, δ)-DP."""
        if self.radius <= 0.5:
            return Bracket(0.0, 0.0)
        share = float(log1mexp(self.queries * math.log1p(-0.5 / self.radius)))
        low, high = (max(self._lift + log_sum, 0.0) for log_sum in self._log_sum)
        lost = _ROUNDING * (100 + abs(share) + self._lift)
        return Bracket(share - high - lost, min(share - low + lost, 0.0))

    @property
    def delta(self) -> Bracket:
        """Bounds on the least δ; both may underflow."""
        return Bracket(math.exp(self.log_delta.lower), math.exp(self.log_delta.upper))

    # ---- the law -----------------------------------------------------------------------

    def log_density(self, x: ArrayLike) -> FloatArray:
        """Return the logarithm of the density at x, whose last axis holds the k errors; or −inf."""
        room = self.radius - np.max(np.abs(np.asarray(x, dtype=float)), axis=-1)
        steps = self.epsilon * (np.floor(np.maximum(room, 0.0)) - self._last)
        height = -self._log_sum[0] - self.queries * math.log(2 * self.radius)
        return np.where(room >= 0, height + steps, -math.inf)

    def cdf(self, x: ArrayLike) -> FloatArray:
        """Return P(error ≤ x) for the error of one answer."""
        values: FloatArray = np.asarray(x, dtype=float)
        return np.asarray(0.5 + np.sign(values) * self._within(np.abs(values)) / 2)

    def quantile(self, q: ArrayLike) -> FloatArray:
        """Return the x with P(error of one answer ≤ x) = q, for q from 0 to 1."""
        q = _probabilities(q)
        size: FloatArray = self._solved(self._within, np.abs(2 * q - 1))
        return np.sign(2 * q - 1) * size

    def largest_cdf(self, y: ArrayLike) -> FloatArray:
        """Return P(max |x_i| ≤ y) for the largest of the k errors."""
        inner: FloatArray = np.clip(np.asarray(y, dtype=float), 0.0, self.radius)
        first = self._first_inside(inner)
        with np.errstate(divide="ignore"):
            share = self.queries * np.log(inner / self.radius)
        rest = share + self.epsilon * (first - 1 - self._last)
        inside = np.where(first > 0, np.exp(np.minimum(rest - self._log_sum[0], 0.0)), 0.0)
        return np.minimum(self._tail(first) + inside, 1.0)

    def largest_quantile(self, q: ArrayLike) -> FloatArray:
        """Return the y with P(max |x_i| ≤ y) = q, for q from 0 to 1."""
        return self._solved(self.largest_cdf, _probabilities(q))

    @cached_property
    def deviation(self) -> float:
        """The standard deviation of the error of one answer."""
        square = self._outermost * self.radius**2
        square += float(np.sum(self._weights * self._half_widths**2))
        return math.sqrt(square / 3)

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw the k errors `size` times, a row each: a cube, then k independent numbers in it.

        Where there are more than some 30,000 cubes, one is drawn by the bound of its block, which
        is nearer to its law than 1e-5. Floating-point numbers keep no promise of privacy by
        themselves.
        """
        ends = np.append(self._outermost, self._weights).cumsum()
        chosen = ends[-1] * rng.random(size)
        place = np.minimum(np.searchsorted(ends, chosen, side="right"), ends.size - 1)
        block = np.maximum(place - 1, 0)
        if ends.size > 1:
            cubes = self._cubes
            rise = cubes.slopes[block] * cubes.sizes[block]
            u = rng.random(size)
            level = np.abs(rise) < 1e-9
            safe = np.where(level, 1.0, rise)
            share = np.where(level, u, np.log1p(u * np.expm1(safe)) / safe)
            within = np.minimum(np.floor(share * cubes.sizes[block]), cubes.sizes[block] - 1)
            cube = np.where(place > 0, cubes.starts[block] + within, 0.0)
        else:
            cube = np.zeros(size)
        half = (self.radius - cube)[:, None]
        return rng.uniform(-1.0, 1.0, size=(size, int(self.queries))) * half

    # ---- sums over cubes ---------------------------------------------------------------

    @cached_property
    def _last(self) -> float:
        """The j of the innermost cube."""
        return max(math.ceil(self.radius) - 1.0, 0.0)

    @property
    def _lift(self) -> float:
        """What is left out of logarithms so that they keep their digits: ε times the last j."""
        return self.epsilon * self._last

    def _logs(self, j: FloatArray) -> FloatArray:
        """Return ε(j − last j) + k·log(1 − j/R)."""
        left = (self.radius - j) / self.radius
        near = j < self.radius / 2
        logs = np.where(near, np.log1p(-np.where(near, j, 0.0) / self.radius), np.log(left))
        return np.asarray(self.epsilon * (j - self._last) + self.queries * logs)

    def _log(self, j: float) -> float:
        """Return the same of one j, which takes a twentieth of the time of an array of one."""
        left = (self.radius - j) / self.radius
        log = math.log1p(-j / self.radius) if j < self.radius / 2 else math.log(left)
        return self.epsilon * (j - self._last) + self.queries * log

    @cached_property
    def _cubes(self) -> _Cubes:
        last = self._last
        if last < 1:
            none = np.empty(0)
            return _Cubes(none, none, none, none, none, -math.inf)
        peak = min(max(self.radius - self.queries / self.epsilon, 1.0), last)
        level = self._log(peak) - _DEPTH
        low = math.floor(self._crossing(1.0, peak, level))
        high = math.ceil(self._crossing(last, peak, level))
        count = min(_BLOCKS, high - low + 1)
        starts = np.unique(np.rint(np.linspace(low, high, count)))
        sizes = np.append(np.diff(starts), 1.0)
        logs = self._logs(starts)
        slopes = np.append(np.diff(logs), 0.0) / sizes
        centre = starts + (sizes - 1) / 2
        steepness = self.epsilon - self.queries / (self.radius - centre)
        many = sizes > 1
        below = logs + np.where(many, _log_geometric(slopes, sizes), 0.0)
        # Σ e^(t·(j − centre)) over a block
        spread = _log_geometric(steepness, sizes) - steepness * (sizes - 1) / 2
        above = np.where(many, self._logs(centre) + spread, logs)
        rest = level + math.log(self.radius) if low > 1 or high < last else -math.inf
        return _Cubes(starts, sizes, below, above, slopes, rest)

    def _crossing(self, outer: float, peak: float, level: float) -> float:
        """Return where the logs rise above a level between an end and their peak, or that end."""
        if self._log(outer) >= level:
            return outer
        inner = peak
        for _ in range(_HALVINGS):
            middle = (outer + inner) / 2
            if self._log(middle) >= level:
                inner = middle
            else:
                outer = middle
            if abs(outer - inner) <= _NEAR * abs(inner - peak):
                break
        return outer

    @cached_property
    def _log_sum(self) -> tuple[float, float]:
        """Bounds on log S, less the lift."""
        cubes = self._cubes
        if cubes.starts.size == 0:
            return 0.0, 0.0
        gain = math.log(-math.expm1(-self.epsilon))
        low = float(np.logaddexp(-self._lift, gain + log_sum_exp(cubes.below)))
        every = np.logaddexp(log_sum_exp(cubes.above), cubes.rest)
        high = float(np.logaddexp(-self._lift, gain + every))
        shrunk = self.queries * -math.log((self.radius - float(cubes.starts[-1])) / self.radius)
        farthest = self.epsilon * (self._last - float(cubes.starts[0]))
        lost = _ROUNDING * (100 + farthest + shrunk)
        return low - lost, max(high, low) + lost

    @property
    def _outermost(self) -> float:
        """The probability of the cube j = 0."""
        return math.exp(min(-self._lift - self._log_sum[0], 0.0))

    @cached_property
    def _weights(self) -> FloatArray:
        """The probability of each block of cubes; the rest is that of the cube j = 0."""
        gain = math.log(-math.expm1(-self.epsilon))
        return np.exp(self._cubes.below + gain - self._log_sum[0])

    @cached_property
    def _half_widths(self) -> FloatArray:
        """The r in the middle of each block."""
        return self.radius - self._cubes.starts - (self._cubes.sizes - 1) / 2

    def _first_inside(self, y: FloatArray) -> FloatArray:
        """Return the least j with r_j ≤ y; R − y alone would be rounded to a whole number first."""
        whole, inner = np.floor(self.radius), np.floor(y)
        return np.asarray(whole - inner + np.ceil((self.radius - whole) - (y - inner)))

    def _tail(self, first: FloatArray) -> FloatArray:
        """Return the probability of the cubes from `first` on."""
        return np.where(first <= 0, 1.0, self._between(first, self._weights))

    def _between(self, first: FloatArray, values: FloatArray) -> FloatArray:
        """Return the sum of the values of blocks from cube `first` on."""
        cubes = self._cubes
        if cubes.starts.size == 0:
            return np.zeros_like(first)
        places = np.append(cubes.starts, cubes.starts[-1] + cubes.sizes[-1])
        beyond = np.append(values[::-1].cumsum()[::-1], 0.0)
        return np.asarray(np.interp(first, places, beyond))

    def _within(self, y: FloatArray) -> FloatArray:
        """Return P(|error of one answer| ≤ y), for y ≥ 0."""
        y = np.clip(y, 0.0, self.radius)
        first = self._first_inside(y)
        steep = self._weights / self._half_widths
        wider = steep.sum() - self._between(first, steep) + self._outermost / self.radius
        return np.minimum(self._tail(first) + np.where(first > 0, y * wider, 0.0), 1.0)

    def _solved(self, law: Callable[[FloatArray], FloatArray], q: FloatArray) -> FloatArray:
        """Return the y with law(y) = q, from above."""
        low, high = np.zeros_like(q), np.full_like(q, self.radius)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            enough = law(middle) >= q
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return high


def joint_radius(
    *, epsilon: float, delta: float, queries: float, sensitivity: float = 1.0
) -> Bracket:
    """Return certified bounds on the least radius at which noise drawn together is (ε, δ)-DP.

    epsilon: ε in [1e-7, 10]; delta: δ in [1e-300, 0.5]; queries: k adaptive answers, from 1 to
    `MOST_QUERIES`, each moved by up to sensitivity (Δ) when one person is substituted, all at once.
    Of noise of this shape: the upper end is private, the lower one is not. Raises `ParameterError`.
    Source: the module docstring.
    """
    loss, goal = validate("epsilon", epsilon), math.log(validate("delta", delta))
    unit, k = validate("sensitivity", sensitivity), _validated_queries(queries)

    def bounds(radius: float) -> Bracket:
        return JointNoise(loss, k, radius).log_delta

    low, high = 0.5, k + (k - goal) / loss
    while bounds(high).upper > goal:
        low, high = high, 2 * high
    root = _root(lambda r: bounds(r).upper - goal, low, high)
    upper = next(r for r in _outwards(root, 1) if bounds(r).upper < goal)
    lower = next((r for r in _outwards(root, -1) if bounds(r).lower > goal), 0.5)
    return Bracket(unit * lower * (1 - _ULP), unit * upper * (1 + _ULP))


def joint_noise(*, epsilon: float, delta: float, queries: float) -> JointNoise:
    """Return the noise drawn together of least radius that is (ε, δ)-DP, rounded to that side.

    Parameters and errors as `joint_radius`, in units of Δ.
    """
    radius = joint_radius(epsilon=epsilon, delta=delta, queries=queries).upper
    return JointNoise(float(epsilon), _validated_queries(queries), radius)


def joint_epsilon(*, radius: float, delta: float, queries: float) -> Bracket | None:
    """Return certified bounds on the least ε at which noise drawn together is (ε, δ)-DP.

    radius: R in units of Δ, as in `JointNoise`; delta, queries: as in `joint_radius`. The noise is
    that of each ε. `upper` is private; `lower` is not, or is the end of the table of limits, as
    both are where its least ε is enough. None where its largest is not certified to be. Raises
    `ParameterError`.
    """
    goal, limit = math.log(validate("delta", delta)), LIMITS["epsilon"]

    def bounds(epsilon: float) -> Bracket:
        inside = min(max(epsilon, limit.minimum), limit.maximum)
        return JointNoise(inside, queries, radius).log_delta

    if bounds(limit.maximum).upper > goal:
        return None
    if bounds(limit.minimum).upper <= goal:
        return Bracket(limit.minimum, limit.minimum)
    root = _root(lambda e: bounds(e).upper - goal, limit.minimum, limit.maximum)
    upper = next(e for e in (*_outwards(root, 1), limit.maximum) if bounds(e).upper <= goal)
    lower = next((e for e in _outwards(root, -1) if bounds(e).lower > goal), limit.minimum)
    return Bracket(min(lower, upper), min(upper, limit.maximum))


def _root(excess: Callable[[float], float], low: float, high: float) -> float:
    """Return a root between two positive numbers, on a scale of their logarithms."""
    ends = math.log(low), math.log(high)
    return math.exp(
        scipy.optimize.brentq(lambda t: excess(math.exp(t)), *ends, xtol=1e-14, rtol=1e-14)
    )


def _outwards(root: float, way: int) -> list[float]:
    """Return numbers further and further from a root, on one side."""
    return [root, *(root * (1 + way * step) for step in _STEPS_OUT)]


def _log_geometric(slope: FloatArray, count: FloatArray) -> FloatArray:
    """Return log Σ e^(slope·i) over i = 0, …, count − 1."""
    t = np.abs(slope)
    # the largest term times (1 − e^(−t·count))/(1 − e^(−t))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(np.expm1(-t * count) / np.expm1(-t))
    ratio = np.where(t > 0, ratio, np.log(count))
    return np.asarray(ratio + np.maximum(slope, 0.0) * (count - 1))


def _validated_queries(queries: float) -> float:
    k = validate("queries", queries)
    if k > MOST_QUERIES:
        raise ParameterError("queries", f"at most {MOST_QUERIES:,} here", queries)
    return k


def _probabilities(q: ArrayLike) -> FloatArray:
    levels = np.asarray(q, dtype=float)
    if not np.all((levels >= 0) & (levels <= 1)):
        raise ParameterError("q", "a number from 0 to 1", q)
    return levels
