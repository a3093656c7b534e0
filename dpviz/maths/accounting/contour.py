"""Many queries: δ_G by the trapezoid rule on a vertical line through the saddle point."""

import math
from typing import NamedTuple

import finufft
import numpy as np
from numpy.typing import NDArray
from scipy.special import expm1, log1p

from dpviz.maths.accounting import quadrature
from dpviz.maths.accounting.answer import FINE, ROUNDING, LogBounds, Nodes
from dpviz.maths.accounting.band import Band
from dpviz.results.evidence import FloatArray
from dpviz.results.refining import Steps

ComplexArray = NDArray[np.complex128]

_MOST_PANELS = 500
_RADIANS_A_PANEL = 40.0
_MOST_NODES = 50_000
_MOST_DIRECT = 150_000  # pairs of nodes; above, the fast transform is faster
_BLOCK = 2**19  # turns between two pauses, about as fast as any number
_VARIATION, _SQUARES = 2.0, 0.8  # margins of two estimates that the height rests on
_TRANSFORM = 1e-13  # absolute error of the fast transform, for a law of total mass 1


class _Wrong(NamedTuple):
    """Bounds on the quadrature errors in M, in the mass, and in J, in units of M(c)."""

    mgf: float
    mass: float
    part: float


class Contour:
    """The band's part of δ, in units of the integrand's peak."""

    def __init__(self, band: Band, target: float) -> None:
        """Choose step and height so that each error is at most `target` or so."""
        self._band, self._target = band, target
        self._spacing = 2 * math.pi / band.period(target)
        self._height = self._choose_height()

    def log_bounds(self) -> Steps[LogBounds]:
        """Return certified bounds on log of the band's part of δ, with pauses.

        Where the height that is needed is out of reach, there is no point in trying.
        """
        if self._height == math.inf:
            return LogBounds(-math.inf, self._band.log_chernoff)
        band, k = self._band, self._band.problem.queries
        self._count = int(self._height / self._spacing) + 2
        s = band.c + 1j * self._spacing * np.arange(self._count)
        kernel = self._spacing / math.pi / (s * (s + 1))
        kernel[0] /= 2
        size = np.abs(kernel)
        edges, wrong = self._panels(float(size.sum()))
        fine = Nodes(band.problem, edges, band.top.log_mass, FINE)
        integrand, peak, slack = yield from self._integrand(fine, wrong)
        total = float((integrand * kernel).real.sum())
        sizes = float(np.abs(integrand) @ size)
        rounding = k * fine.mgf_rounding(band.c)
        rounding += ROUNDING * (abs(peak) + band.c * band.problem.epsilon + 99)
        error = self._target + sizes * rounding + float(slack @ size)
        # aliasing only adds: at most 1.2 targets (see Band.period)
        lower, upper = total - error - 1.2 * self._target, total + error
        return LogBounds(peak + _log(lower), peak + _log(upper))

    def _panels(self, weight: float) -> tuple[FloatArray, _Wrong]:
        """Return panel edges, and how far the sums over their nodes are from the integrals.

        weight: the sum of |kernel|. The panels are as many as it takes to keep the error in δ, by
        k·|M|^(k−1) times that in M, below the target.
        """
        band = self._band
        edges = self._edges()
        low = math.inf if band.low is None else band.low
        share = 0.1 * self._target / (band.problem.queries * weight * edges.size)
        goal = _log(share) + band.log_mgf

        def goals(left: FloatArray) -> FloatArray:
            return goal + np.where(left >= low, math.log(band.share), 0.0)

        edges, errors = quadrature.refined(
            band.problem,
            edges,
            tilt=band.c,
            height=self._spacing * self._count,
            goals=goals,
            most=_MOST_PANELS,
        )
        # in units of M(c), for which the survey's value is good enough
        errors = 1.1 * np.exp(np.minimum(errors - band.log_mgf, 600.0))
        of_mgf, of_mass = errors.sum(axis=1)
        return edges, _Wrong(of_mgf, of_mass, errors[:, edges[:-1] >= low].sum())

    def _integrand(
        self, nodes: Nodes, wrong: _Wrong
    ) -> Steps[tuple[ComplexArray, float, FloatArray]]:
        """Return W(c + it)·e^(−itε) over its peak, log of the peak, and the errors.

        The peak is M(c)^k, or k·J(c)·M(c)^(k−1), times e^(−cε). The errors are those of the
        quadrature and of rounding.
        """
        band, k = self._band, self._band.problem.queries
        law = nodes.tilted(band.c)
        angle = self._spacing * (nodes.loss - band.problem.epsilon / k)
        direct = self._count * law.size < _MOST_DIRECT or k > 1e6
        turn = self._direct_sums if direct else self._fast_sums
        change = yield from turn(law, angle)  # φ − 1, so that nothing is lost when k is 1e10
        power = np.exp(k * log1p(change))
        log_mgf = float(nodes.log_mgf(np.array([band.c]))[0])
        peak = k * log_mgf - band.c * band.problem.epsilon
        largest = np.abs(1 + change)
        yield
        if band.low is not None:
            law = np.where(nodes.y > band.low, law, 0.0)
            share = float(law.sum())
            part = (yield from turn(law, angle)) + share
            yield
            rest = 1 + change - part
            small = np.abs(part) < 0.5 * largest
            ratio = np.where(small, part / np.where(small, 1 + change, 1.0), 0.0)
            power = np.where(small, -power * expm1(k * log1p(-ratio)), power - rest**k)
            power /= share * k
            largest = np.maximum(largest, np.abs(rest))
            peak += math.log(share * k)
        deviation = float(band.law @ np.abs(band.nodes.loss - band.problem.epsilon / k))
        angles = self._spacing * np.arange(self._count) * deviation
        if direct:
            rounding = ROUNDING * np.minimum(angles, 2.0)
        else:  # its frequencies are centred: every term takes a part in half of all turns
            rounding = np.full(self._count, _TRANSFORM + ROUNDING * angles[-1])
        turns = angles + self._spacing * np.arange(self._count) * band.problem.epsilon / k
        of_mgf = wrong.mgf + wrong.mass * np.minimum(turns, 2.0)
        with np.errstate(over="ignore"):
            if band.low is None:
                return power, peak, k * (rounding + of_mgf) * (largest + of_mgf) ** (k - 1)
            # |dW/dJ| ≤ k·max^(k−1), |dW/dM| ≤ k(k − 1)|J|·max^(k−2), in units of share·k
            of_part = wrong.part / share + wrong.mass
            most = largest + of_mgf + share * of_part
            slack = k * (rounding + of_mgf) * (1 + of_part) * most ** (k - 2)
            return power, peak, slack + of_part * most ** (k - 1)

    def _direct_sums(self, law: FloatArray, angle: FloatArray) -> Steps[ComplexArray]:
        """Return Σ law·(e^(i·n·angle) − 1) for all n, by products of baby and giant steps.

        With a pause between two blocks of nodes.
        """
        baby = math.isqrt(self._count)
        giant = math.ceil(self._count / baby)
        sums = np.zeros((giant, baby), dtype=complex)
        size = max(_BLOCK // giant, 1)
        for start in range(0, law.size, size):
            if start:
                yield
            block = slice(start, start + size)
            small = _turn(np.arange(baby), angle[block])
            large = _turn(np.arange(giant), baby * angle[block])
            weighted = small * law[block]
            sums += large @ weighted.T + (large @ law[block])[:, None] + weighted.sum(axis=1)
        return sums.ravel()[: self._count]

    def _fast_sums(self, law: FloatArray, angle: FloatArray) -> Steps[ComplexArray]:
        """Return the same by a nonuniform fast Fourier transform, with an error of 1e-13."""
        yield
        middle = self._count // 2  # the transform centres its frequencies
        strength = (law * np.exp(1j * middle * angle)).astype(complex)
        points = angle - 2 * math.pi * np.round(angle / (2 * math.pi))  # exact for small angles
        sums: ComplexArray = finufft.nufft1d1(
            points, strength, self._count, eps=1e-14, isign=1, nthreads=1
        )
        sums -= law.sum()
        return sums

    def _edges(self) -> FloatArray:
        """Return panel edges such that e^(itl) turns equally little on each, up to t = T."""
        band, nodes = self._band, self._band.nodes
        left = 2 * nodes.y[0] - nodes.y[1]
        ends = np.concatenate([[left], nodes.y, [band.top.y]])
        loss = np.concatenate([nodes.loss[:1], nodes.loss, nodes.loss[-1:]])
        law = band.law.copy()
        law[band.first :] /= band.share
        mass = np.concatenate([[0.0], law, [0.0]])
        negligible = 1e-3 * self._target * band.c * band.width / law.size
        seen = np.maximum(mass[1:], mass[:-1]) > negligible
        turns = self._height * np.diff(loss) * seen / _RADIANS_A_PANEL
        demand = np.cumsum(turns + 2 * np.diff(ends) / (ends[-1] - ends[0]))
        demand = np.concatenate([[0.0], demand])
        count = min(math.ceil(demand[-1]), _MOST_PANELS)
        edges: FloatArray = np.interp(np.linspace(0.0, demand[-1], count + 1), demand, ends)
        return edges if band.low is None else np.sort(np.append(edges, band.low))

    def _choose_height(self) -> float:
        """Return T such that the trapezoid sum beyond T is at most one target; inf if too high.

        With φ = M(c + it)/M(c), |W| ≤ k·|J(c + it)|·M(c)^(k−1)·max|φ|^(k−1), the maximum over the
        laws with and without J. On each of a chain of intervals of t, |φ| is bounded in three ways.
        One is the truncated second moment. Another is its value at one end plus its slope (at most
        the standard deviation of l) times the length. The third is the total variation of the
        tilted density, which also ends the chain.
        """
        band, nodes, law = self._band, self._band.nodes, self._band.law
        density = np.exp(nodes.log_density + band.c * nodes.loss - band.log_mgf)
        rise = np.diff(nodes.loss) / np.diff(nodes.y)
        density = (density[1:] + density[:-1]) / 2 / rise
        variation = _variation(density)
        start = 1 / band.width
        octaves = math.log2(max(variation / start, 1)) + 3
        octaves = math.ceil(octaves)
        ends = start * np.exp2(np.arange(octaves * 8 + 1) / 8)
        t, following = ends[:-1], ends[1:]
        log_phi = self._log_phi_by_moments(t, math.pi / following)
        centred = nodes.loss - band.mean
        slope = math.sqrt(float(law @ centred**2)) * (1 + 1e-6)  # at least E|l − mean|
        value = _magnitudes(t, centred, law, band.first)
        beyond_value = np.log(value + slope * (following - t))
        log_phi = np.minimum(log_phi, beyond_value)
        log_phi = np.minimum(log_phi, np.log(np.minimum(variation / t, 1.0)))
        weights = np.append(1 / t - 1 / following, 1 / following[-1])
        weights += self._spacing / np.append(t, following[-1]) ** 2
        power = band.problem.queries - (0 if band.low is None else 1)
        between = np.exp(power * np.append(log_phi, log_phi[-1]))
        if band.first:
            ends_of_part = _variation(density[band.first :]) / band.share
            between *= np.minimum(ends_of_part / np.append(t, following[-1]), 1.0)
        left_out = np.cumsum((between * weights / math.pi)[::-1])[::-1]
        possible = (left_out <= self._target) & (ends <= _MOST_NODES * self._spacing)
        return float(ends[np.argmax(possible)]) if possible.any() else math.inf

    def _log_phi_by_moments(self, t: FloatArray, reach: FloatArray) -> FloatArray:
        """Return a bound on log|φ(t)| from E[D²; |D| ≤ reach], D the difference of two losses.

        It counts the pairs in one of a set of disjoint or overlapping intervals, no longer than
        the reach, each by itself; the best of them is part of the expectation. Losses above A
        are left out, so that it holds with and without J.
        """
        band = self._band
        rest = slice(0, band.first or None)
        loss, law = band.nodes.loss[rest], band.law[rest]
        first = np.arange(0, loss.size, max(1, loss.size // 32))
        last = np.searchsorted(loss, loss[first, None] + reach, side="right")
        sums = [np.append(0.0, np.cumsum(law * (loss - band.mean) ** i)) for i in range(3)]
        mass, one, two = (total[last] - total[first, None] for total in sums)
        square = _SQUARES * np.maximum(2 * (mass * two - one**2), 0).max(axis=0)
        result: FloatArray = 0.5 * np.log1p(-np.minimum(2 * (t / math.pi) ** 2 * square, 1 - 1e-12))
        return result


def _variation(density: FloatArray) -> float:
    """Return the total variation of a density that is cut off at its ends, with a margin."""
    return _VARIATION * float(np.abs(np.diff(density)).sum() + density[0] + density[-1])


def _magnitudes(t: FloatArray, loss: FloatArray, law: FloatArray, first: int) -> FloatArray:
    """Return |Σ law·e^(itl)| at t in eighths of octaves; that up to node `first`, if larger.

    From one octave to the next the unit numbers are squared, which is faster than the
    exponential and loses one bit each time.
    """
    turned = np.exp(1j * np.multiply.outer(t[:8], loss))
    below = np.where(np.arange(law.size) < (first or law.size), law, 0.0)
    weights = np.stack([law, below]).astype(complex)
    sums = []
    for _ in range(t.size // 8):
        sums.append(turned @ weights.T)
        turned *= turned
    value: FloatArray = np.abs(np.concatenate(sums)).max(axis=1)
    return value


def _turn(n: NDArray[np.int_], angle: FloatArray) -> ComplexArray:
    """Return e^(i·n·angle) − 1 for all pairs, accurate for small angles."""
    turned = np.multiply.outer(n, angle)
    result = np.empty(turned.shape, dtype=complex)
    np.sin(turned, out=result.imag)
    turned /= 2
    np.sin(turned, out=turned)
    np.multiply(turned, turned, out=turned)
    np.multiply(turned, -2, out=result.real)
    return result


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf
