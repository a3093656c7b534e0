"""One answer: its privacy loss under the worst shift, its quadrature nodes, and the cut."""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy
from numpy.polynomial.legendre import leggauss

from dpviz.maths.bounded_noise import BoundedNoise
from dpviz.maths.logspace import log1mexp
from dpviz.results.evidence import FloatArray

Rule = tuple[FloatArray, FloatArray]
FINE, COARSE = leggauss(64), leggauss(48)
ROUNDING = 1e-15
"""Margin for rounding errors, relative to the sum of the magnitudes involved."""
NEARLY_ONE = -5e-18  # less than ln(1 − e^_NOTHING)
_NOTHING = -40.0  # the logarithm of a mass
_LONG = 4.0  # panel, in y
_MOST_HALVINGS = 1000
_RTOL = 4 * np.finfo(float).eps  # the least that `brentq` takes


@dataclass(frozen=True)
class Problem:
    """One pair of output laws: the noise, the shift v = Δ/R, and the (ε, k) it is judged by."""

    noise: BoundedNoise
    shift: float
    epsilon: float
    queries: float

    @property
    def log_queries(self) -> float:
        """The logarithm of k."""
        return math.log(self.queries)

    @property
    def is_apart(self) -> bool:
        """Whether the two laws have less than e^−40 in common, so that δ is as good as 1."""
        if self.shift >= 2:
            return True
        inside = np.array([2 - self.shift])
        return self.shift > 1 and float(self.noise.log_tail_from_edge(inside)[0]) < _NOTHING

    @cached_property
    def left_end(self) -> float:
        """The coordinate y below which lies less than e^−40/k of the mass."""
        return -self.coordinate(self.noise.edge_of_mass(-45 - self.log_queries))

    @staticmethod
    def survey(left: float, right: float) -> FloatArray:
        """Return panel edges for a survey: three panels, or more where the range is long."""
        return np.linspace(left, right, max(4, math.ceil((right - left) / _LONG) + 1))

    def distances(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return 1 + u and (1 − v) − u for the coordinate y, in which both ends are at ±∞."""
        span = 2 - self.shift
        return span / (1 + np.exp(-2 * y)), span / (1 + np.exp(2 * y))

    def coordinate(self, gap: float) -> float:
        """Return the y ≥ 0.2 whose (1 − v) − u, the distance to infinite loss, is `gap`.

        Wider gaps are taken for 0.4 of the whole range.
        """
        span = 2 - self.shift
        return 0.5 * math.log(span / min(gap, 0.4 * span) - 1)

    def losses(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the loss l(u) and the log density of y, for U at the coordinate y."""
        above, gap = self.distances(y)
        loss = self.noise.loss_from_gap(gap, above, self.shift)
        exponent = self.noise.exponent(gap + self.shift, above)
        jacobian = np.log(above * gap / (1 - self.shift / 2))
        return loss, jacobian - exponent - self.noise.log_normaliser

    def log_tails(self, y: float) -> tuple[float, float]:
        """Return log P(U > u) and log P(U > u + v), the latter under the shifted data."""
        _, gap = self.distances(np.array(y))
        tails = self.noise.log_tail_from_edge(np.array([gap + self.shift, gap]))
        return float(tails[0]), float(tails[1])


@dataclass(frozen=True)
class LogBounds:
    """Bounds on log δ, or on a part of it, as certain as `dpviz.maths.accounting` says."""

    lower: float
    upper: float

    def nearest(self, value: float) -> float:
        """Return the middle of narrow bounds, and of wide ones the point nearest to `value`."""
        if self.upper - self.lower < 1:
            return (self.lower + self.upper) / 2
        return min(max(value, self.lower), self.upper)


def one_query(problem: Problem) -> LogBounds:
    """δ for k = 1: the integral of 1 − e^(ε − l) over the answers whose loss exceeds ε."""
    # Where f exceeds 740 the density underflows: no need to look beyond.
    high = problem.coordinate(float(problem.noise.edge_from_exponent(740.0)))
    low = _coordinate_of_epsilon(problem, high)
    values = []
    for nodes, weights in (FINE, COARSE):
        x = (np.arange(6)[:, None] + (nodes + 1) / 2).ravel() / 6
        y = low + 20.0 * x**2
        loss, log_density = problem.losses(y)
        loss = np.where(log_density > -1e300, loss, math.inf)
        with np.errstate(divide="ignore"):
            terms = log_density + np.log(np.tile(weights / 12, 6) * 40 * x)
            # next to the root, rounding can leave the loss a little below ε
            terms += np.log(np.maximum(-np.expm1(problem.epsilon - loss), 0.0))
        rest, _shifted = problem.log_tails(float(y[-1]))
        values.append(float(log_sum(np.append(terms, rest))))
    margin = abs(values[0] - values[1]) + ROUNDING * (100 + abs(values[0]))
    # far out the two rules may differ by anything; but δ is at most the mass whose loss exceeds ε
    most, _shifted = problem.log_tails(low - 1e-12 * max(1.0, abs(low)))
    upper = min(values[0] + margin, most + ROUNDING * (100 + abs(most)))
    return LogBounds(min(values[0] - margin, upper), upper)


def _coordinate_of_epsilon(problem: Problem, high: float) -> float:
    """Return the coordinate y in [−high, high] at which the loss is ε; the end next to it if none.

    High losses, which may be infinite, and low ones count as 1 above ε, and below.
    """

    def excess(y: float) -> float:
        loss, _density = problem.losses(np.array(y))
        return min(max(float(loss) - problem.epsilon, -1.0), 1.0)

    if excess(-high) >= 0:
        return -high
    if excess(high) <= 0:
        return high
    return float(
        scipy.optimize.brentq(excess, -high, high, xtol=1e-15, rtol=_RTOL, maxiter=_MOST_HALVINGS)
    )


class Nodes:
    """Quadrature nodes below some edge: the losses of an answer, and the masses they stand for.

    edges: panel edges in y; log_cut: log P(U is beyond the last edge).
    """

    def __init__(self, problem: Problem, edges: FloatArray, log_cut: float, rule: Rule) -> None:
        x, w = rule
        lengths = np.diff(edges)
        self.y = (edges[:-1, None] + lengths[:, None] * (x + 1) / 2).ravel()
        self.loss, self.log_density = problem.losses(self.y)
        self.log_mass = self.log_density + np.log(np.multiply.outer(lengths, w / 2).ravel())
        self.mass = np.exp(self.log_mass)
        self.cut_mass = math.exp(log_cut)

    def log_mgf(self, tilts: FloatArray) -> FloatArray:
        """Return log M at several real points.

        M − 1 is the sum of e^(sl) − 1, less the mass cut off: accurate when M is within 1e-15
        of 1, as it is for k = 1e10.
        """
        exponent = np.multiply.outer(tilts, self.loss)
        if float(exponent.max()) < 600:
            growth = np.expm1(exponent) @ self.mass - self.cut_mass
            if float(growth.min()) > -0.5:
                return np.log1p(growth)
        return log_sum(exponent + self.log_mass)

    def mgf_rounding(self, tilt: float) -> float:
        """Return a margin for the rounding errors in log M at one point."""
        exponent = tilt * self.loss
        if float(exponent.max()) < 600:
            sizes = float(self.mass @ np.abs(np.expm1(exponent)))
            if sizes < 0.5:
                return 2 * ROUNDING * sizes
        return ROUNDING * (2 + float(self.tilted(tilt) @ np.abs(exponent)))

    def tilted(self, tilt: float, first: int = 0) -> FloatArray:
        """Return the probabilities of the nodes, from the first on, tilted by e^(tilt·l)."""
        return normalised(self.log_mass[first:] + tilt * self.loss[first:])


# ---- the cut ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cut:
    """Where the losses are cut, and what the answers beyond the cut contribute to δ."""

    y: float  # the coordinate of L
    loss: float  # B = l(L)
    log_mass: float  # log τ = log P(U > L)
    log_any: float  # log P(not G)
    log_any_shifted: float  # log Q(not G)
    log_price: float = math.inf  # log X
    level: float = 0.0  # the coordinate that the bound behind X splits at

    def outside(self, epsilon: float) -> float:
        """Return log of the part P(not G) − e^ε·Q(not G) of δ (−inf where it is negative)."""
        b = epsilon + self.log_any_shifted
        return self.log_any + float(log1mexp(b - self.log_any)) if b < self.log_any else -math.inf


def cut_at(problem: Problem, y: float) -> Cut:
    """Return the cut at the coordinate y."""
    log_mass, log_shifted = problem.log_tails(y)
    loss, _density = problem.losses(np.array(y))
    log_any, log_any_shifted = (log_any_of(p, problem.queries) for p in (log_mass, log_shifted))
    return Cut(y, float(loss), log_mass, log_any, log_any_shifted)


_SIGNIFICANCES = np.geomspace(0.3, 60, 20)[:, None]
_TRIES = 12


def choose_cut(problem: Problem, log_goal: float, near: Cut | None = None) -> Cut:
    """Cut as low as the price X ≤ e^log_goal allows.

    A low cut keeps the tilted law narrow. The candidates are quadrature nodes; sums over the
    nodes on their two sides estimate the price of each, before the price of one is certified.
    near: the cut of a problem so near that it may serve here, too; its price is certified anew.
    """
    if near is not None:
        cut = _priced(problem, near.y, near.level)
        if near.log_price - 3 <= cut.log_price <= log_goal + 1:
            return cut
    noise, epsilon, log_k = problem.noise, problem.epsilon, problem.log_queries
    # Beyond this gap e^ε·Q(not G) is small enough for certain.
    last = problem.coordinate(noise.edge_of_mass(log_goal - epsilon - log_k))
    log_mass, log_shifted = problem.log_tails(last)
    nodes = Nodes(problem, problem.survey(problem.left_end, last), log_mass, FINE)
    log_tail = _log_sums_from(nodes.log_mass, log_mass)
    log_shifted_tail = _log_sums_from(nodes.log_mass - nodes.loss, log_shifted)
    over = nodes.loss - epsilon
    a = _SIGNIFICANCES / _spread(problem)
    log_mgf = nodes.mass * np.expm1(np.minimum(a * nodes.loss, 700.0))
    log_mgf = np.log1p(np.maximum(np.cumsum(log_mgf, axis=1) - np.exp(log_tail), -0.999))
    chance = np.zeros(over.size)
    levels = nodes.y.copy()
    for share in (0.25, 0.5, 1.0):
        level = np.searchsorted(nodes.loss, share * over) - 1
        chernoff = ((problem.queries - 1) * log_mgf[:, level] - a * over).min(axis=0)
        bound = np.logaddexp(log_k + log_tail[level], chernoff)
        levels = np.where(bound < chance, nodes.y[level], levels)
        chance = np.minimum(bound, chance)
    price = np.where(
        over < 0, log_tail, np.minimum(epsilon + log_shifted_tail, chance - over + log_tail)
    )
    good = np.flatnonzero((log_k + price <= log_goal) & (nodes.y > 0))
    for i in good[: _TRIES * 2 : 2]:
        cut = _priced(problem, float(nodes.y[i]), float(levels[i]))
        if cut.log_price <= log_goal + 1:
            return cut
    cut = cut_at(problem, last)
    return replace(cut, log_price=epsilon + cut.log_any_shifted)


def _priced(problem: Problem, y: float, level: float) -> Cut:
    """Return the cut at the coordinate y with its price."""
    cut = cut_at(problem, y)
    return replace(cut, log_price=_log_excess(problem, cut, level), level=level)


def _log_excess(problem: Problem, cut: Cut, level: float) -> float:
    """Return log X; level: the coordinate of the largest loss that Chernoff's bound is for."""
    epsilon = problem.epsilon
    over = cut.loss - epsilon
    if over <= 0:
        return cut.log_any
    by_shift = epsilon + cut.log_any_shifted
    chance = log_chance(problem, over, level)
    return min(by_shift, -over + problem.log_queries + cut.log_mass + min(0.0, chance))


def log_chance(problem: Problem, loss: float, level: float) -> float:
    """Return log of a bound on P(the losses of k − 1 answers sum to more than `loss`).

    Either one of them lies above the coordinate `level`, or Chernoff's bound holds.
    """
    log_tail, _shifted = problem.log_tails(level)
    edges = problem.survey(problem.left_end, level)
    nodes = Nodes(problem, edges, log_tail, FINE)
    a = _SIGNIFICANCES[:, 0] / _spread(problem)
    chernoff = (problem.queries - 1) * nodes.log_mgf(a) - a * loss
    return float(np.logaddexp(problem.log_queries + log_tail, chernoff.min()))


def _spread(problem: Problem) -> float:
    """Return about the standard deviation of Λ."""
    return problem.shift * math.sqrt(problem.queries * problem.noise.usual_information)


def log_any_of(log_p: float, count: float) -> float:
    """Return log(1 − (1 − p)^count): at least one of `count` independent events of chance p."""
    if log_p + math.log(count) < -40:
        return log_p + math.log(count)
    return float(log1mexp(count * log1mexp(min(log_p, 0.0))))


# ---- sums of exponentials --------------------------------------------------------------------


def log_sum(logs: FloatArray) -> FloatArray:
    """Return the logarithm of the sum of e^logs along the last axis."""
    top = logs.max(axis=-1)
    result: FloatArray = top + np.log(np.exp(logs - top[..., None]).sum(axis=-1))
    return result


def _log_sums_from(logs: FloatArray, rest: float) -> FloatArray:
    """Return, for each i, the logarithm of e^rest + the sum of e^logs from i on."""
    sums: FloatArray = np.logaddexp.accumulate(np.append(logs, rest)[::-1])[::-1]
    return sums[:-1]


def normalised(logs: FloatArray) -> FloatArray:
    """Return e^logs over its sum."""
    mass: FloatArray = np.exp(logs - logs.max())
    mass /= mass.sum()
    return mass
