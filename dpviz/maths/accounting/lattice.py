"""Few queries: the losses are rounded to a lattice, and δ is found by exact convolution."""

import math
from typing import NamedTuple

import numpy as np
import scipy
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft

from dpviz.maths.accounting.answer import ROUNDING, LogBounds, Rule
from dpviz.maths.accounting.band import Band
from dpviz.results.evidence import FloatArray
from dpviz.results.refining import Steps

_MOST_BINS = 60_000
_MOST_SITES = 1 << 17
_WIDEST = 0.05  # of a quadrature panel, in y
_MOST_BEND, _STRAIGHT = 8.0, 0.4  # of a bin, and of a quadrature panel
_FLAT = 1e-12  # a rise of the loss, as a share of all of it, that no spline is put through
_MISSED, _HALVINGS = 1e-6, 50  # in bins: what is bisected
_FINE, _COARSE = leggauss(4), leggauss(3)


def log_bounds(band: Band, tolerance: float, target: float) -> Steps[LogBounds]:
    """Return certified bounds on log of the band's part of δ, with pauses.

    tolerance: the relative error that the lattice may cause; target: the aliasing, in units of
    the band's peak. Where the tilted law has two peaks, the lattice has to be finer than the
    tilt alone tells.
    """
    c = band.c
    step = math.sqrt(4 * tolerance / (band.problem.queries * c * (1 + c)))
    bounds = LogBounds(-math.inf, band.log_chernoff)
    for _ in range(3):
        lattice = Lattice(band, step, tolerance)
        sites = band.period(target) / lattice.step
        if max(lattice.bins / _MOST_BINS, sites / _MOST_SITES) > 2:
            break
        bounds, spread = yield from lattice.log_bounds(target, sites)
        if spread <= 2 * tolerance or lattice.is_finest:
            break
        step *= max(math.sqrt(tolerance / spread), 0.1)
        yield
    return bounds


class Law(NamedTuple):
    """Masses on the lattice points: of all answers below B, and of those above A."""

    atoms: FloatArray
    part: FloatArray


class Lattice:
    """The losses of one answer on a lattice, in two ways: δ grows in one, and falls in the other.

    P and Q are the masses of a set of answers under the two data sets, z = e^−l = Q/P.

    * Upper law. Since (1 − e^ε·z₁⋯z_k)₊ is convex in each z, δ grows when the bin [g, g + h] is
      spread to its two ends with P and Q kept ("connect the dots", Doroshenko et al. 2022).
    * Lower law. An answer in the bin is announced as "g" or "g + h", at random, the likelier the
      nearer: a post-processing, which only lowers δ. What is announced as g comes from the bins
      on both sides, a little more than g from one, a little less from the other. Of the latter
      only a share is kept, such that the mean of z is at most e^−g; the rest of it is announced
      as g − h. Then losses are rounded down, to g and g − h, which lowers δ again. All of that
      is of second order in h.

    Answers above the level A and below it are announced apart, so that the bands stay bands.
    """

    def __init__(self, band: Band, step: float, negligible: float) -> None:
        """Choose the bins, `step` wide or somewhat less; the lowest k·x of mass may be lost."""
        self._band = band
        problem, top = band.problem, band.top.loss
        # what lies below all bins is raised to the lowest point: under a steep tilt that is far
        # more than the tilted law has there
        with np.errstate(divide="ignore"):
            raised = np.log(np.cumsum(band.nodes.mass)) + band.c * band.nodes.loss - band.log_mgf
        unseen = np.searchsorted(raised, math.log(0.02 * negligible / problem.queries))
        bottom = float(band.nodes.loss[max(int(unseen) - 1, 0)])
        self.is_finest = step <= (top - bottom) / _MOST_BINS
        step = max(step, (top - bottom) / _MOST_BINS)
        above = 0  # bins above the level A, which lies on the lattice
        if band.low is not None:
            level = float(problem.losses(np.array(band.low))[0])
            above = math.ceil((top - level) / step)
            step = (top - level) / above
        self.step, self.bins = step, max(math.ceil((top - bottom) / step), above, 2)
        self._above = above

    def log_bounds(self, target: float, sites: float) -> Steps[tuple[LogBounds, float]]:
        """Return bounds on log of the band's part of δ, and the relative effect of the lattice.

        With pauses between the two ways to find the laws, and the convolutions.

        target: the aliasing, in units of the band's peak, if the convolution runs on a circle
        of at least so many sites.
        """
        c, k, h = self._band.c, self._band.problem.queries, self.step
        self._points = self._band.top.loss - h * np.arange(self.bins, -1.0, -1.0)
        self._is_part = np.arange(self.bins) >= (self.bins - self._above if self._above else 0)
        self._y = self._coordinates()
        count = 2 * int(next_fast_len(math.ceil(sites / 2) + 1, real=True))
        upper_law, lower_law = self._laws(_FINE)
        if not upper_law.atoms.any():  # all masses underflow
            return LogBounds(-math.inf, self._band.log_chernoff), 0.0
        yield
        other_upper, other_lower = self._laws(_COARSE)
        yield
        raised = self._raise_rest(upper_law)
        upper, error, peak = self._sum(upper_law, count)
        yield
        lower, other_error, other_peak = self._sum(lower_law, count)
        lower *= math.exp(other_peak - peak)
        # a change of the law by x (in all) changes δ by at most k·x·max over x of (1 − e^−x)e^−cx
        change = max(_distance(upper_law, other_upper), _distance(lower_law, other_lower))
        worst = math.exp(self._band.log_ways + c * math.log(c) - (1 + c) * math.log1p(c))
        error = max(error, other_error) + float(k * change * worst)
        alias = 1.2 * target * math.exp(self._band.peak - peak)
        bounds = LogBounds(peak + _log(lower - error - alias), peak + _log(upper + error))
        spread = max(upper - lower + 2 * error - float(k * raised * worst), 0.0)
        return bounds, spread / max(upper, 1e-300)

    def _coordinates(self) -> FloatArray:
        """Return the coordinates y of the lattice points; the least y for points below all losses.

        A spline through the inverse, and Newton's method; bisection where the losses are so flat,
        next to their infimum, that those lead astray.
        """
        band, points = self._band, self._points
        y = np.linspace(band.nodes.y[0] - 1, band.top.y, 400)
        loss = np.maximum.accumulate(band.problem.losses(y)[0])
        place = np.clip(np.searchsorted(loss, points), 1, y.size - 1)
        low, high = y[place - 1], y[place]
        with np.errstate(invalid="ignore"):  # far out losses may be −∞
            rises = np.diff(loss, prepend=loss[0]) > _FLAT * (points[-1] - points[0])
        rises[: max(int(place[0]) - 5, 0)] = False
        inverse = scipy.interpolate.CubicSpline(loss[rises], y[rises])
        heights = np.clip(inverse(points), low, high)
        heights -= (band.problem.losses(heights)[0] - points) * inverse(points, 1)
        heights = np.clip(heights, low, high)
        off = np.abs(band.problem.losses(heights)[0] - points) > _MISSED * self.step
        if off.any():
            low, high, goal = low[off], high[off], points[off]
            for _ in range(_HALVINGS):
                middle = (low + high) / 2
                less = band.problem.losses(middle)[0] < goal
                low, high = np.where(less, middle, low), np.where(less, high, middle)
            heights[off] = low
        heights[-1] = band.top.y
        result: FloatArray = np.maximum.accumulate(np.minimum(heights, band.top.y))
        return result

    def _laws(self, rule: Rule) -> tuple[Law, Law]:
        """Return the tilted upper and lower law of an answer, in units of e^(c·B)."""
        problem, c, g = self._band.problem, self._band.c, self._points
        bends = self._bends()
        panels = np.maximum(np.diff(self._y) / _WIDEST, np.abs(bends) / _STRAIGHT)
        panels = np.maximum(np.ceil(panels), 1).astype(int)
        first = np.cumsum(panels) - panels
        half = np.repeat(np.diff(self._y) / (2 * panels), panels)
        number = np.arange(half.size) - np.repeat(first, panels)
        nodes, weights = rule[0][:, None], rule[1][:, None]
        at = np.repeat(self._y[:-1], panels) + half * (2 * number + 1 + nodes)
        loss, log_density = problem.losses(at)
        mass = half * weights * np.exp(log_density)
        over = loss - np.repeat(g[:-1], panels)  # how far into the bin
        share = np.expm1(-over) / math.expm1(-self.step)

        def of_bins(masses: FloatArray) -> FloatArray:
            total: FloatArray = np.add.reduceat(masses.sum(axis=0), first)
            return total

        tilt = np.exp(c * (g - g[-1]))
        left, right = of_bins(mass * (1 - share)) * tilt[:-1], of_bins(mass * share) * tilt[1:]
        upper = self._law(left, right)
        bends = np.repeat(bends, panels)
        share = np.expm1(bends * over / self.step) / np.expm1(bends)
        left, right = of_bins(mass * (1 - share)), of_bins(mass * share)
        # P − e^g·Q of what is announced as g: the surplus from above, the lack from below
        surplus = of_bins(mass * (share - 1) * np.expm1(-over))
        lack = of_bins(mass * share * np.expm1(self.step - over))
        kept = np.zeros(right.size)
        is_inner = self._is_part[1:] == self._is_part[:-1]
        kept[:-1] = is_inner * np.minimum(surplus[1:] / np.maximum(lack[:-1], 1e-300), 1.0)
        lower = self._law((left + (1 - kept) * right) * tilt[:-1], kept * right * tilt[1:])
        return upper, lower

    def _bends(self) -> FloatArray:
        """Return twice the fall of log P from bin to bin.

        Chances that are bent by that much make lack and surplus about the same.
        """
        lengths = np.maximum(np.diff(self._y), 1e-300)
        _loss, log_density = self._band.problem.losses((self._y[1:] + self._y[:-1]) / 2)
        bends = np.clip(-2 * np.gradient(log_density + np.log(lengths)), -_MOST_BEND, _MOST_BEND)
        result: FloatArray = np.where(np.abs(bends) < 1e-6, 1e-6, bends)
        return result

    def _law(self, left: FloatArray, right: FloatArray) -> Law:
        """Return the law that has these masses at the left and right ends of the bins."""
        atoms = np.append(left, 0.0) + np.append(0.0, right)
        part = np.append(left * self._is_part, 0.0) + np.append(0.0, right * self._is_part)
        return Law(atoms, part)

    def _raise_rest(self, law: Law) -> float:
        """Raise what lies below all bins to the lowest point; return its share of the law."""
        g = self._points
        problem = self._band.problem
        log_above, _shifted = problem.log_tails(float(self._y[0]))
        loss = float(problem.losses(self._y[:1])[0][0])
        lowest = min(int(np.searchsorted(g, loss)), g.size - 1)  # of the points not below them
        below = -math.expm1(log_above) * math.exp(self._band.c * (g[lowest] - g[-1]))
        law.atoms[lowest] += below
        law.part[lowest] += below if self._is_part[0] else 0.0
        return below / float(law.atoms.sum())

    def _sum(self, on_lattice: Law, count: int) -> tuple[float, float, float]:
        """Return δ of the lattice plus aliases, its rounding error, and log of their unit.

        Convolution on a circle of `count` sites adds the aliases e^(jcP)·δ(ε + jP), all ≥ 0.
        """
        atoms, part = on_lattice
        if not part.any():  # nothing is announced as above A
            return 0.0, 0.0, 0.0
        k, epsilon, step = self._band.problem.queries, self._band.problem.epsilon, self.step
        c, top = self._band.c, self._band.top.loss
        mass, share = float(atoms.sum()), float(part.sum())
        peak = (k - 1) * math.log(mass) + math.log(share) + k * c * top - c * epsilon
        one = rfft(_wrapped(atoms / mass, count))
        some = rfft(_wrapped(part / share, count)) * (share / mass)
        law = irfft(_difference_of_powers(one, some, int(k)), count) * (mass / share)
        period = count * step
        lowest = k * (top - step * (atoms.size - 1)) - epsilon
        over = np.remainder(lowest + step * np.arange(count), period)
        weight = np.exp(-c * over) / -math.expm1(-c * period)
        weight -= np.exp(-(c + 1) * over) / -math.expm1(-(c + 1) * period)
        norm = max(float(np.linalg.norm(atoms)) / mass, float(np.linalg.norm(part)) / share)
        rounding = ROUNDING * (k + 1) * math.log2(count) * norm * float(np.linalg.norm(weight))
        return float(law @ weight), math.exp(self._band.log_ways) * rounding, peak


def _distance(law: Law, other: Law) -> float:
    """Return the relative distance of two laws, in all or in the parts above A."""
    return max(
        float(np.abs(a - b).sum() / max(a.sum(), 1e-300)) for a, b in zip(law, other, strict=True)
    )


def _wrapped(values: FloatArray, count: int) -> FloatArray:
    """Return the values summed on a circle of `count` sites."""
    rows = -(-values.size // count)
    padded = np.pad(values, (0, rows * count - values.size))
    total: FloatArray = padded.reshape(rows, count).sum(axis=0)
    return total


def _difference_of_powers(
    a: NDArray[np.complex128], j: NDArray[np.complex128], k: int
) -> NDArray[np.complex128]:
    """Return aᵏ − (a − j)ᵏ without cancellation, by the binary digits of k."""
    b = a - j
    of_a, of_b, result = np.ones_like(a), np.ones_like(a), np.zeros_like(a)
    for digit in f"{k:b}":
        result = result * (of_a + of_b)
        of_a, of_b = of_a**2, of_b**2
        if digit == "1":
            result = result * a + of_b * j
            of_a, of_b = of_a * a, of_b * b
    return result


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf
