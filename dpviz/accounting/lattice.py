"""Few queries: the losses are rounded to a lattice, and δ is found by exact convolution."""

import math

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.interpolate import CubicSpline

from dpviz.accounting.answer import ROUNDING, LogBounds, Rule
from dpviz.accounting.band import Band
from dpviz.evidence import FloatArray

_MOST_BINS = 60_000
_MOST_SITES = 1 << 17
_WIDEST = 0.05  # of a quadrature panel, in y
_FINE, _COARSE = leggauss(3), leggauss(2)


def log_bounds(band: Band, tolerance: float, target: float) -> LogBounds:
    """Return certified bounds on log of the band's part of δ.

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
        bounds, spread = lattice.log_bounds(target, sites)
        if spread <= 2 * tolerance or lattice.is_finest:
            break
        step *= max(math.sqrt(tolerance / spread), 0.1)
    return bounds


class Lattice:
    """The losses of one answer, each spread to the two points of a lattice next to it.

    P and Q are the masses of a bin [g, g + h] under the two data sets, z = e^−l. Since
    (1 − e^ε·z₁⋯z_k)₊ is convex in each z, δ grows when a bin is spread to its two ends with P
    and Q kept ("connect the dots", Doroshenko et al. 2022): δ_h is an upper bound. It grows
    again, and by about three times as much, when the odd points are spread to the even ones: a
    convex function is a mixture of kinks, and a kink at a distance x from an even point costs
    x(h − x) in the first step and xh in the second. The lower end takes the whole of the second
    step off: δ_h − (δ_2h − δ_h). For one answer with a kink at any x that is a bound; for k it
    is one unless the kinks keep to the even points, against which there is no proof, but a
    margin of three and a lattice many times finer than the law.
    """

    def __init__(self, band: Band, step: float, negligible: float) -> None:
        """Choose the bins, `step` wide or somewhat less; the lowest k·x of mass may be lost."""
        self._band = band
        problem, top = band.problem, band.top.loss
        unseen = np.searchsorted(np.cumsum(band.law), 0.02 * negligible / problem.queries)
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

    def log_bounds(self, target: float, sites: float) -> tuple[LogBounds, float]:
        """Return bounds on log of the band's part of δ, and the relative effect of the lattice.

        target: the aliasing, in units of the band's peak, if the convolution runs on a circle
        of at least so many sites.
        """
        c, k, h = self._band.c, self._band.problem.queries, self.step
        self._points = self._band.top.loss - h * np.arange(self.bins, -1.0, -1.0)
        self._is_part = np.arange(self.bins) >= (self.bins - self._above if self._above else 0)
        self._y = self._coordinates()
        count = 2 * int(next_fast_len(math.ceil(sites / 2) + 1, real=True))
        atoms, part = self._spread(_FINE)
        other, other_part = self._spread(_COARSE)
        raised = self._raise_rest(atoms, part)
        total, error, peak = self._sum(atoms, part, h, count)
        # a change of the law by x (in all) changes δ by at most k·x·max over x of (1 − e^−x)e^−cx
        change = max(_distance(atoms, other), _distance(part, other_part))
        worst = math.exp(self._band.log_ways + c * math.log(c) - (1 + c) * math.log1p(c))
        error += float(k * change * worst)
        double, rounding, other_peak = self._sum(
            self._doubled(atoms), self._doubled(part), 2 * h, count // 2
        )
        spread = max(double * math.exp(other_peak - peak) - total, 0.0)
        upper = total + error
        error += rounding + float(k * raised * worst)
        error += 1.2 * target * math.exp(self._band.peak - peak)
        lower = total - spread - error
        return LogBounds(peak + _log(lower), peak + _log(upper)), spread / max(total, 1e-300)

    def _coordinates(self) -> FloatArray:
        """Return the coordinates y of the lattice points, up to rounding."""
        band, points = self._band, self._points
        y = np.linspace(band.nodes.y[0] - 1, band.top.y, 400)
        loss, _density = band.problem.losses(y)
        seen = max(int(np.searchsorted(loss, points[0])) - 4, 0)
        inverse = CubicSpline(loss[seen:], y[seen:])
        found = inverse(points)
        found -= (band.problem.losses(found)[0] - points) * inverse(points, 1)
        found[-1] = band.top.y
        result: FloatArray = np.maximum.accumulate(found)
        return result

    def _spread(self, rule: Rule) -> tuple[FloatArray, FloatArray]:
        """Return the tilted law of an answer on the lattice, and the part of it above A.

        In units of e^(c·B).
        """
        problem, c, g = self._band.problem, self._band.c, self._points
        panels = np.maximum(np.ceil(np.diff(self._y) / _WIDEST), 1).astype(int)
        first = np.cumsum(panels) - panels
        half = np.repeat(np.diff(self._y) / (2 * panels), panels)
        number = np.arange(half.size) - np.repeat(first, panels)
        nodes, weights = rule[0][:, None], rule[1][:, None]
        at = np.repeat(self._y[:-1], panels) + half * (2 * number + 1 + nodes)
        loss, log_density = problem.losses(at)
        mass = half * weights * np.exp(log_density)
        share = np.expm1(np.repeat(g[:-1], panels) - loss) / math.expm1(-self.step)
        low = np.add.reduceat((mass * (1 - share)).sum(axis=0), first) * np.exp(
            c * (g[:-1] - g[-1])
        )
        high = np.add.reduceat((mass * share).sum(axis=0), first) * np.exp(c * (g[1:] - g[-1]))
        atoms = np.append(low, 0.0) + np.append(0.0, high)
        part = np.append(low * self._is_part, 0.0) + np.append(0.0, high * self._is_part)
        return atoms, part

    def _raise_rest(self, atoms: FloatArray, part: FloatArray) -> float:
        """Raise what lies below all bins to the lowest point; return its share of the law."""
        g = self._points
        log_above, _shifted = self._band.problem.log_tails(float(self._y[0]))
        below = -math.expm1(log_above) * math.exp(self._band.c * (g[0] - g[-1]))
        atoms[0] += below
        part[0] += below if self._is_part[0] else 0.0
        return below / float(atoms.sum())

    def _doubled(self, atoms: FloatArray) -> FloatArray:
        """Return a law on every other point, up to the last, with the same P and Q."""
        c, h = self._band.c, self.step
        if atoms.size % 2 == 0:
            atoms = np.append(0.0, atoms)
        even, odd = atoms[::2].copy(), atoms[1::2]
        even[1:] += odd * (math.exp(c * h) / (1 + math.exp(-h)))
        even[:-1] += odd * (math.exp(-c * h) / (1 + math.exp(h)))
        return even

    def _sum(
        self, atoms: FloatArray, part: FloatArray, step: float, count: int
    ) -> tuple[float, float, float]:
        """Return δ of the lattice plus aliases, its rounding error, and log of their unit.

        Convolution on a circle of `count` sites adds the aliases e^(jcP)·δ(ε + jP), all ≥ 0.
        """
        k, epsilon = self._band.problem.queries, self._band.problem.epsilon
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


def _distance(law: FloatArray, other: FloatArray) -> float:
    """Return the relative distance of two laws."""
    return float(np.abs(law - other).sum() / law.sum())


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
