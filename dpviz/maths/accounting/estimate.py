"""About the least radius of many tuned noises at once: to choose between them, not to certify.

Each noise is put on a grid of the coordinate y of `dpviz.maths.accounting.answer`, in which its
density falls off doubly exponentially, so that the trapezoid rule converges fast. The answers
beyond a cut are charged with all their mass. The others contribute about

    δ_G = (1/2πi) ∫ M(s)^k·e^(−sε) / (s(s + 1)) ds

on the vertical line through the saddle point c, by the trapezoid rule with a step in units of
1/w, w² = k·(log M)″(c) + c⁻² + (1 + c)⁻²; a first comparison of far noises does with Laplace's
approximation. One answer needs neither: δ is a sum over the grid. Where δ is tiny and the tail
heavy, the tilted law of the sum has two peaks, with one large loss and without: there losses are
cut so low that one is left, where Laplace's approximation holds, and what the largest loss adds is
summed by bands (`_bands`). Near the best noise the estimates err by a few parts in a thousand, for
less than 20 answers by one in a hundred (tested).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from dpviz.maths.logspace import log_failure_of_each
from dpviz.results.evidence import FloatArray

_NODES = 128
_TAIL = (leggauss(8)[0] + 1) / 2, leggauss(8)[1] / 2
_SHARES = np.array([1.0, 100.0]), np.array([10.0, 1e4])
"""The mass beyond the cut times k, in units of δ: the cuts tried for few answers, and for many."""
_MANY, _SMOOTH = 20, 500  # answers, between which the contour below the lowest cut is followed
_MOST_CUTS = np.array([0.002, 0.02])  # the same where δ is large
DEEP = 1e-6
"""δ, below which the largest loss is looked at in bands, where its tail is heavy."""

LARGE = 0.02
"""δ, above which R depends so much on it that Laplace's approximation leads astray."""

# k times the mass beyond the cuts between bands, as a power of δ.
_DEPTHS = np.array([0.85, 0.7, 0.55, 0.4, 0.25])
_STEEPEST = 600.0
_TILTS = np.linspace(0.0, 1.0, 9)[1:]
_LOW = 0.2
_STEP = 0.6
_HEIGHTS_OF_CONTOUR, _VANISHED = (47, 200), (1e-5, 1e-7)  # for small δ, and for large ones
_HEIGHTS = 80  # places among which a grid's end is looked for
_FADED = 15.0  # what lies beyond a grid has less than e^−15·δ/k of the mass
_LARGEST_TILT = 600.0  # in units of one over the largest loss
_MOST_STEPS, _MOST_NEWTON = 12, 12
_DONE, _CLOSE = 1e-3, 0.01  # what the last step may still change in log R
_LEAST = math.log(0.51)  # of log R, with Δ = 1: below, the two laws do not overlap


@dataclass(frozen=True, eq=False)
class Family:
    """Tuned noises, one a row: a, b, p and θ, each of shape (n, 1)."""

    barrier: FloatArray
    bulk: FloatArray
    power: FloatArray
    cut: FloatArray

    @classmethod
    def of(
        cls,
        barrier: ArrayLike,
        bulk: ArrayLike,
        power: ArrayLike,
        cut: ArrayLike = 1.0,
    ) -> "Family":
        """Set up columns from arrays of one shape."""
        columns = np.broadcast_arrays(barrier, bulk, power, cut)
        return cls(*(np.asarray(values, dtype=float)[:, None] for values in columns))

    def inner(self, m: FloatArray) -> FloatArray:
        """Return 1 − θu²."""
        return 1 - self.cut + self.cut * m

    def bulk_slope(self, m: FloatArray) -> FloatArray:
        """Return the slope of ln(1 − θu²) along ln m."""
        return self.cut * m / self.inner(m)

    def rows(self, chosen: NDArray[np.intp]) -> "Family":
        """Return some of the noises."""
        columns = self.barrier, self.bulk, self.power, self.cut
        return Family(*(column[chosen] for column in columns))

    def climb(self, m: FloatArray, log_ratio: FloatArray) -> FloatArray:
        """Return by how much −ln(1 − θu²) is more at m·e^(−log_ratio) than at m."""
        inner = self.inner(m)
        change = self.cut * m / inner * np.expm1(-log_ratio)
        left = self.inner(m * np.exp(-log_ratio)) / inner
        near = np.log1p(np.maximum(change, -0.5))
        climb = np.where(change > -0.5, -near, -np.log(np.maximum(left, 1e-300)))
        return np.where(self.cut == 1, log_ratio, climb)

    def heights(self, depth: float) -> FloatArray:
        """Return a y beyond which the density of y is smaller than at 0 by e^−depth."""
        ratio = depth * np.linspace(0, 1, _HEIGHTS) ** 3
        with np.errstate(over="ignore"):
            wall = self.barrier * np.expm1(np.minimum(self.power * ratio, 700.0))
        fall = ratio + wall + self.bulk * self.climb(np.array(1.0), ratio)
        last: FloatArray = ratio[np.argmax(fall >= depth, axis=1)][:, None]
        return 0.5 * last + 0.7

    def shares(self, objective: str, *, queries: float, failure_probability: float) -> FloatArray:
        """Return the measure of each noise of radius 1: 1, its 1 − β bound, or its deviation."""
        count = self.barrier.size
        if objective == "hard":
            return np.ones(count)
        y = self.heights(60.0 + math.log(queries)) * np.linspace(0, 1, _NODES)
        log_m = -2 * np.log(np.cosh(y))
        log_inner = np.log(self.inner(np.exp(log_m)))
        mass = log_m + self.bulk * log_inner - self.barrier * np.expm1(-self.power * log_m)
        mass = np.exp(mass)
        mass[:, 0] /= 2
        mass /= mass.sum(axis=1, keepdims=True)
        if objective == "deviation":
            deviation: FloatArray = np.sqrt((mass * np.tanh(y) ** 2).sum(axis=1))
            return deviation
        goal = float(log_failure_of_each(failure_probability, queries))
        beyond = np.cumsum(mass[:, ::-1], axis=1)[:, ::-1] - mass / 2
        log_tail = np.log(np.maximum(beyond, 1e-300))
        edges = [np.interp(-goal, -tail, at) for tail, at in zip(log_tail, y, strict=True)]
        quantile: FloatArray = np.tanh(np.array(edges))
        return quantile


@dataclass(frozen=True, eq=False)
class _Answer:
    """One answer of each noise: losses, probabilities, and the mass beyond each node."""

    loss: FloatArray
    mass: FloatArray
    beyond: FloatArray

    @classmethod
    def of(cls, noises: Family, log_radius: FloatArray, heights: FloatArray) -> "_Answer":
        """Put the noises on their grids, for the shifts v = 1/R; heights: where those end."""
        a, b, p = noises.barrier, noises.bulk, noises.power
        v = np.exp(-log_radius)[:, None]
        y = heights * np.linspace(-1, 1, _NODES)
        small = np.exp(-2 * np.abs(y))
        ends = (2 - v) / (1 + small), (2 - v) * small / (1 + small)
        above, gap = np.where(y > 0, ends, ends[::-1])
        m = above * (gap + v)
        wall = a * m**-p
        drop = v * (above - gap) / m
        near = np.minimum(drop, 0.5)
        kept = np.maximum(gap * (above + v) / m, 1e-300)
        log_ratio = np.where(drop < 0.5, -np.log1p(-near), -np.log(kept))
        loss = wall * np.expm1(np.minimum(p * log_ratio, 700.0)) + b * noises.climb(m, log_ratio)
        log_mass = np.log(above * gap) - wall + b * np.log(noises.inner(m))
        top = log_mass.max(axis=1, keepdims=True)
        mass = np.exp(log_mass - top)
        step = (y[:, 1:2] - y[:, :1]) / (1 - v / 2)
        # a wall may be too far out to be felt: then the law goes on beyond the grid, and is dear
        rest = (2 - v) / (1 + np.exp(3 * y[:, -1:] - y[:, -2:-1]))
        infinite = _tail(noises, v + rest, top) / step
        total = mass.sum(axis=1, keepdims=True) + infinite
        mass, infinite = mass / total, infinite / total
        beyond = np.cumsum(np.hstack([infinite, mass[:, :0:-1]]), axis=1)[:, ::-1]
        return cls(loss, mass, beyond)

    def charged(self, epsilon: float, spread: FloatArray) -> FloatArray:
        """Return about what an answer beyond each node adds to δ.

        spread: s, where the losses of the others sum to about N(s²/2, s²).
        """
        short = epsilon - self.loss
        ends = ndtr(-short / spread + spread / 2), ndtr(-short / spread - spread / 2)
        part = self.mass * np.maximum(ends[0] - np.exp(np.minimum(short, 700.0)) * ends[1], 0.0)
        part = np.hstack([self.beyond[:, -1:], part[:, :0:-1]])
        charge: FloatArray = np.cumsum(part, axis=1)[:, ::-1]
        return charge


def _tail(noises: Family, v: FloatArray, top: FloatArray) -> FloatArray:
    """Return the mass of u > 1 − v, over e^top; there the loss is infinite, or next to it.

    At u = 1 − v·t the density is about that at t = 1 times t^(n − 1): Gauss's rule in t^n.
    """
    a, b, p = noises.barrier, noises.bulk, noises.power
    m = v * (2 - v)
    rise = (b * noises.bulk_slope(m) + p * a * m**-p) * (2 - 2 * v) / (2 - v)
    n = 1 + np.maximum(rise, 0.0)
    t = _TAIL[0] ** (1 / n)
    m = v * t * (2 - v * t)
    density = np.exp(b * np.log(noises.inner(m)) - a * m**-p - top - (n - 1) * np.log(t))
    mass: FloatArray = (density * _TAIL[1]).sum(axis=1, keepdims=True) * v / n
    return mass


@dataclass(frozen=True, eq=False)
class Estimates:
    """About log R of each noise; inf where none was found, or the noise was left behind.

    guesses: the last step of each, whether it came to an end or not. slopes, tilts: what an
    estimate of noises nearby may start from.
    """

    log_radii: FloatArray
    guesses: FloatArray
    slopes: FloatArray
    tilts: FloatArray


def least_radii(
    noises: Family,
    *,
    epsilon: float,
    delta: float,
    queries: float,
    start: ArrayLike,
    slope: ArrayLike = 2.0,
    tilt: ArrayLike = math.nan,
    log_shares: ArrayLike = 0.0,
    least: ArrayLike = math.inf,
    margin: float = 1.0,
    is_rough: bool = False,
    is_deep: bool = False,
) -> Estimates:
    """Return about log R of the least private radius of each noise, with Δ = 1.

    start: a guess at log R; slope, tilt: what the estimate of a noise nearby says. Noises that are
    certain to come more than the margin above the best are left as soon as that shows. Compared is
    log R + log_shares; least: the best known before, of each or of all. is_deep: for noises whose
    losses have heavy tails, see `_bands`.
    """
    goal = math.log(delta)
    depth = math.log(queries) - goal + _FADED
    count = noises.barrier.size
    shares = np.broadcast_to(np.asarray(log_shares, dtype=float), count)
    roots = _Roots(np.array(np.broadcast_to(start, count), dtype=float), slope)
    is_deep = is_deep and delta < DEEP
    cuts = 1 + _DEPTHS.size if is_deep else _SHARES[0].size
    tilts = np.array(np.broadcast_to(tilt, (count, cuts)), dtype=float)
    heights = noises.heights(depth)
    active = np.arange(count)
    for _ in range(_MOST_STEPS):
        # noises that are far from any good may leave the range of floating point
        with np.errstate(all="ignore"):
            answer = _Answer.of(noises.rows(active), roots.t[active], heights[active])
            if queries == 1:
                log_delta = _one(answer, epsilon)
            else:
                log_delta, tilts[active] = _composed(
                    answer, epsilon, delta, queries, tilts[active], is_rough, is_deep
                )
            roots.move(active, np.log(np.maximum(-log_delta, 1e-9) / -goal))
        best = np.min(roots.t + shares, where=roots.change <= _DONE, initial=math.inf)
        best = np.minimum(best, least)
        left = roots.low + shares >= best + margin
        active = np.flatnonzero((roots.change > _DONE) & ~left)
        if not active.size:
            break
    return Estimates(roots.settled, roots.t, roots.slopes, tilts)


class _Roots:
    """The secant method on h(t) = log(log δ(R)/log δ), t = log R, nearly a line: many at once."""

    def __init__(self, t: FloatArray, slope: ArrayLike) -> None:
        self.t, self.slopes = t, np.array(np.broadcast_to(slope, t.size), dtype=float)
        self.low, self._high = np.full(t.size, _LEAST), np.full(t.size, math.inf)
        self.change, self._before, self._last = (np.full(t.size, math.inf) for _ in range(3))

    def move(self, rows: NDArray[np.intp], h: FloatArray) -> None:
        """Take a step in these rows, which have the values h."""
        at = self.t[rows]
        self.low[rows] = low = np.where(h < 0, at, self.low[rows])
        self._high[rows] = high = np.where(h < 0, self._high[rows], at)
        apart = at - self._before[rows]
        moved = np.isfinite(apart) & (np.abs(apart) > 1e-7)
        slope = np.clip((h - self._last[rows]) / np.where(moved, apart, 1.0), 0.3, 30.0)
        self.slopes[rows] = slope = np.where(moved, slope, self.slopes[rows])
        self._before[rows], self._last[rows] = at, h
        root = at + np.clip(-h / slope, -1.5, 1.5)
        middle = np.where(high < math.inf, (low + high) / 2, at + 1)
        self.t[rows] = root = np.where((root > low) & (root < high), root, middle)
        self.change[rows] = np.abs(root - at)

    @property
    def settled(self) -> FloatArray:
        """The roots, and inf where none was found."""
        settled: FloatArray = np.where(
            np.isfinite(self.t) & (self.change < _CLOSE), self.t, math.inf
        )
        return settled


def _one(answer: _Answer, epsilon: float) -> FloatArray:
    """Return log δ of one answer."""
    over = np.maximum(-np.expm1(epsilon - answer.loss), 0.0)
    delta = (answer.mass * over).sum(axis=1) + answer.beyond[:, -1]
    result: FloatArray = np.log(np.maximum(delta, 1e-320))
    return result


def _composed(
    answer: _Answer,
    epsilon: float,
    delta: float,
    queries: float,
    tilt: FloatArray,
    is_rough: bool,
    is_deep: bool,
) -> tuple[FloatArray, FloatArray]:
    """Return about log δ, and the saddle points, a start for next time.

    The least over the cuts, as every one of them gives a bound.
    """
    share = _SHARES[queries >= _MANY]
    limit = np.minimum(delta * share, _MOST_CUTS) / queries
    if is_deep:
        limit = np.append(delta * share[0], delta**_DEPTHS) / queries
    enough = answer.beyond[:, None, :] <= limit[:, None]
    last = np.where(enough.any(axis=2), np.argmax(enough, axis=2), _NODES - 1)
    inside = np.arange(_NODES) <= last[..., None]
    loss = np.where(inside, answer.loss[:, None, :], 0.0)
    mass = np.where(inside, answer.mass[:, None, :], 0.0)
    cut = np.take_along_axis(answer.beyond, last, axis=1)
    spread = np.sqrt(queries * (mass * loss**2).sum(axis=2))
    charged = np.take_along_axis(answer.charged(epsilon, spread[:, -1:]), last, axis=1)
    tilt = np.where(np.isfinite(tilt), tilt, np.maximum(epsilon / spread**2, 1 / spread))
    c, log_mgf, width = _saddles(loss, mass, cut, epsilon, queries, tilt)
    inside_cut = queries * log_mgf - c * epsilon
    log_cut = np.log(np.maximum(charged, 1e-320)) + math.log(queries)
    laplace = inside_cut - np.log(c * (1 + c) * width * math.sqrt(2 * math.pi))
    if is_deep:  # below the lowest cut the tilted law has one peak, which Laplace's method needs
        bands = _bands(answer, last, loss, mass, cut, c, epsilon, queries)
        rest = laplace[:, -1:]
        if _MANY <= queries < _SMOOTH:
            low = loss[:, -1:], mass[:, -1:], c[:, -1:], width[:, -1:]
            rest = inside_cut[:, -1:] + np.log(_integral(*low, epsilon, queries, False))
        parts = np.hstack([log_cut[:, :1], bands, rest])
        return np.logaddexp.reduce(parts, axis=1), c
    if is_rough:
        inside_cut = laplace
    else:
        inside_cut += np.log(_integral(loss, mass, c, width, epsilon, queries, delta > LARGE))
    return np.logaddexp(inside_cut, log_cut).min(axis=1), c


def _bands(
    answer: _Answer,
    last: NDArray[np.intp],
    loss: FloatArray,
    mass: FloatArray,
    cut: FloatArray,
    c: FloatArray,
    epsilon: float,
    k: float,
) -> FloatArray:
    """Return about log of the parts of δ in which the largest loss lies between two cuts.

    For each cut but the first, between it and the one above. The other answers are below that:
    given the largest loss l, they are to sum to more than ε − l. That has about Laplace's
    approximation at the nearest of a grid of tilts, as far as Chernoff's bound allows.
    """
    above = slice(None, -1)
    t = c[:, above, None] * _TILTS
    loss, mass = loss[:, above, None, :], mass[:, above, None, :]
    growth = np.expm1(np.minimum(t[..., None] * loss, _STEEPEST))
    growth *= mass
    first = growth.sum(axis=-1) - cut[:, above, None]
    growth += mass
    total = growth.sum(axis=-1)
    mean = (growth * loss).sum(axis=-1) / total
    variance = np.maximum((growth * loss**2).sum(axis=-1) / total - mean**2, 0.0)
    log_mgf = np.where(first > -0.5, np.log1p(np.maximum(first, -0.5)), np.log(total))
    bend = k * variance + t**-2 + (1 + t) ** -2
    chernoff = t * np.log(t) - (1 + t) * np.log1p(t)
    laplace = -np.log(t * (1 + t) * np.sqrt(2 * math.pi * bend))
    exponent = (k - 1) * log_mgf + np.minimum(chernoff, laplace)
    slope = (k - 1) * mean - 1 / t - 1 / (1 + t)
    least = int(last[:, 1:].min()) + 1  # below, there is no node of a band
    short = epsilon - answer.loss[:, least:]
    short = short[:, None, None, :]
    off = (slope[..., None] - short) ** 2 / bend[..., None]  # twice what the next tilt would gain
    nearest = np.argmin(off, axis=2)[:, :, None]
    chance = exponent[..., None] - t[..., None] * short - np.minimum(off, 1.0) / 2
    chance = np.minimum(np.take_along_axis(chance, nearest, axis=2)[:, :, 0], 0.0)
    nodes = np.arange(least, _NODES)
    between = (nodes > last[:, 1:, None]) & (nodes <= last[:, :-1, None])
    log_mass = np.log(answer.mass[:, None, least:])
    parts = np.where(between, log_mass + chance, -np.inf)
    found: FloatArray = np.logaddexp.reduce(parts, axis=2, initial=-math.inf) + math.log(k)
    return found


def _integral(
    loss: FloatArray,
    mass: FloatArray,
    c: FloatArray,
    width: FloatArray,
    epsilon: float,
    k: float,
    is_large: bool,
) -> FloatArray:
    """Return the contour integral of δ_G through the saddle points, over its peak."""
    step = _STEP / width
    law = mass * np.exp(c[..., None] * (loss - loss.max(axis=-1, keepdims=True)))
    law /= law.sum(axis=-1, keepdims=True)
    mean = (law * loss).sum(axis=-1, keepdims=True)
    turn = np.exp(1j * step[..., None] * (loss - mean))
    ahead = np.exp(1j * step * (k * mean[..., 0] - epsilon))
    total = 0.5 / (c * (1 + c))
    turned, moved, s = law * turn, ahead, c + 1j * step
    for _ in range(_HEIGHTS_OF_CONTOUR[is_large]):
        power = turned.sum(axis=-1) ** k
        total += (power * moved / (s * (1 + s))).real
        if np.abs(power).max() < _VANISHED[is_large]:
            break
        turned *= turn
        moved, s = moved * ahead, s + 1j * step
    integral = total * step / math.pi
    laplace = 1 / (c * (1 + c) * width * math.sqrt(2 * math.pi))
    chernoff = np.exp(c * np.log(c) - (1 + c) * np.log1p(c))
    result: FloatArray = np.clip(integral, _LOW * laplace, chernoff)
    return result


def _saddles(
    loss: FloatArray, mass: FloatArray, cut: FloatArray, epsilon: float, k: float, c: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the saddle points c, log M there, and the widths w: Newton's method in a bracket."""
    # where k answers cannot reach ε there is no saddle point, and next to nothing inside the cut
    low, high = np.zeros(c.shape), _LARGEST_TILT / loss.max(axis=2)
    c = np.minimum(c, high / 2)
    for _ in range(_MOST_NEWTON):
        used = c
        rise = c[..., None] * loss
        top = rise.max(axis=2)
        law = mass * np.exp(rise - top[..., None])
        total = law.sum(axis=2)
        mean = (law * loss).sum(axis=2) / total
        variance = np.maximum((law * loss**2).sum(axis=2) / total - mean**2, 0.0)
        slope = k * mean - epsilon - 1 / c - 1 / (1 + c)
        low, high = np.where(slope < 0, c, low), np.where(slope < 0, high, c)
        c = used - slope / (k * variance + used**-2 + (1 + used) ** -2)
        middle = np.where(low > 0, np.sqrt(low * np.minimum(high, 16 * low)), used / 4)
        c = np.where((c > low) & (c < high), c, middle)
        if np.all(np.abs(c - used) < 1e-2 * used):
            break
    growth = (mass * np.expm1(np.minimum(used[..., None] * loss, 600.0))).sum(axis=2) - cut
    accurate = (top < 500) & (growth > -0.5)
    log_mgf = np.where(accurate, np.log1p(np.maximum(growth, -0.5)), top + np.log(total))
    return used, log_mgf, np.sqrt(k * variance + used**-2 + (1 + used) ** -2)
