r"""Answers of different kinds together: their privacy losses on one lattice, δ from both sides.

Each answer is given by a pair of laws, P with a person and Q without, whose privacy profile no
neighbouring pair exceeds (it dominates). The product of such pairs dominates all answers together,
adaptive or not (Zhu, Dong & Wang 2022, Theorem 10), so that

    δ(ε) = E[(1 − e^(ε − Λ))₊],   Λ the sum of the losses ln dP/dQ, under P.

* Gaussian answers among them are one: μ² adds up. That one is never rounded. With its profile
  δ_μ, which is known for every real ε, δ(ε) = E[δ_μ(ε − Λ)], where Λ is the sum of the others.
* The other losses are put on a lattice of step h. From above: what lies between two points is moved
  to both, with P and Q kept ("connect the dots", Doroshenko et al. 2022); this only raises δ. From
  below: who is told the bin alone knows less, and its loss is the middle of the bin and a little D,
  of the order h². Atoms off the lattice stay where they are, and the law from above serves: it is
  off by a D within h, of a mean of the order h². Either way the true sum is at least the lattice's
  plus the sum of the D, and by Bernstein's inequality this sum is below its mean by more than
  t = f·L/3 + √((f·L/3)² + 2·V·L), L = ln 1/β, with probability at most β: V is its variance, and no
  D is below its mean by more than f. So δ(ε) is at least the lattice's at ε + t − mean, minus β; β
  is a millionth of δ.

The convolution is one product of Fourier transforms, under a tilt that puts the mass near ε. What
is wrapped round is bounded by Chernoff, and rounding has the margin of
`dpviz.maths.accounting.answer.ROUNDING` times the magnitudes summed: not interval arithmetic.
Masses of bins of a density are Gauss-Legendre integrals whose errors are below that.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import erfcx, log_ndtr

from dpviz.maths.accounting.answer import ROUNDING, log_any_of
from dpviz.maths.gaussian import log_delta_of_mu
from dpviz.maths.logspace import log1mexp
from dpviz.maths.loss_laws import normalised, raised
from dpviz.results.evidence import FloatArray

_UNSEEN = 36.0
_LOG_BETA = math.log(1e-6)  # relative to δ
_ALIGNED = 1e-14  # relative: steps that are as near to a multiple are one
_FADED = 60.0  # terms below e^−60 are charged, not added up
_PLAIN = 1e-2  # μ from which the two terms of a Gaussian profile keep their digits
_LEAST_TILT, _LARGEST_TILT = 1e-9, 1e6


@dataclass(frozen=True, eq=False)
class Losses:
    """The losses of one answer under P: lowest + step·places, which ascend from 0, and infinity.

    log_masses may sum to less than 1 with e^log_infinite: what is left out counts as −∞.
    """

    lowest: float
    step: float
    places: NDArray[np.int64]
    log_masses: FloatArray
    log_infinite: float = -math.inf

    @classmethod
    def dense(
        cls, lowest: float, step: float, log_masses: FloatArray, log_infinite: float = -math.inf
    ) -> "Losses":
        """Return losses at every place; those without mass are left out."""
        places = np.flatnonzero(log_masses > -math.inf)
        first = int(places[0])
        kept = log_masses[places]
        return cls(lowest + step * first, step, places - first, kept, log_infinite)

    @cached_property
    def values(self) -> FloatArray:
        """The finite losses, ascending."""
        return np.asarray(self.lowest + self.step * self.places, dtype=np.float64)

    @property
    def last(self) -> int:
        """The last place."""
        return int(self.places[-1])

    @property
    def highest(self) -> float:
        """The largest finite loss."""
        return self.lowest + self.step * self.last

    def tilted(self, tilt: float) -> tuple[float, FloatArray]:
        """Return log E[e^(tilt·l); l finite] and the law under that tilt."""
        return normalised(self.log_masses + tilt * self.values)

    def moments(self, tilt: float) -> tuple[float, float]:
        """Return log E[e^(tilt·l)] and its derivative."""
        log_total, mass = self.tilted(tilt)
        return log_total, float((mass * self.values).sum())


class Rounded(NamedTuple):
    """Losses on a lattice: `above` raises δ; `below` lowers it, but for D.

    The true loss is that of `below` plus D. mean, variance: of D, the latter at most so large.
    fall: how far D may be below its mean.
    """

    above: Losses
    below: Losses
    mean: float = 0.0
    variance: float = 0.0
    fall: float = 0.0

    @property
    def step(self) -> float:
        """The step of both."""
        return self.above.step


class Group(NamedTuple):
    """So many answers alike."""

    losses: Rounded
    answers: int


def onto(rounded: Rounded, step: float) -> Rounded:
    """Return the losses on a lattice of another step: as they are if theirs is a multiple of it."""
    ratio = rounded.step / step
    times = round(ratio)
    if times >= 1 and abs(ratio - times) <= _ALIGNED * ratio:
        return rounded._replace(
            above=_thinned(rounded.above, step, times), below=_thinned(rounded.below, step, times)
        )
    above, _, _ = _connected(rounded.above, step)
    below, mean, variance = _connected(rounded.below, step)
    return Rounded(
        above,
        below,
        rounded.mean + mean,
        (math.sqrt(rounded.variance) + math.sqrt(variance)) ** 2,
        rounded.fall + step,
    )


def _thinned(law: Losses, step: float, times: int) -> Losses:
    """Return the same law on a lattice that is `times` as fine."""
    return replace(law, step=step, places=law.places * times)


def _connected(law: Losses, step: float) -> tuple[Losses, float, float]:
    """Return the law with each atom moved to two points, its P and Q kept; the highest is one.

    And the mean and a bound on the variance of D, the loss less the point it is moved to.
    """
    place = (law.values - law.highest) / step
    left = np.floor(place)
    over = (place - left) * step
    rise = np.expm1(-over) / math.expm1(-step)
    index = left.astype(np.int64)
    top = float(law.log_masses.max())
    mass = np.exp(law.log_masses - top)
    places, of = np.unique(np.concatenate([index, index + 1]), return_inverse=True)
    moved = np.bincount(of, np.concatenate([mass * (1 - rise), mass * rise]))
    there = moved > 0
    places, log_masses = places[there], np.log(moved[there]) + top
    lowest = law.highest + step * float(places[0])
    share = mass * math.exp(top)
    mean = float((share * (over - step * rise)).sum())
    square = float((share * ((1 - rise) * over**2 + rise * (step - over) ** 2)).sum())
    found = Losses(lowest, step, places - places[0], log_masses, law.log_infinite)
    return found, mean, square


class Sum(NamedTuple):
    """Log of the unit and slope of the tilted sum of all losses: K(c) and K′(c)."""

    log_total: float
    mean: float


def cumulants(groups: Sequence[Group], mu: float, tilt: float, *, above: bool = True) -> Sum:
    """Return log E[e^(cΛ)] and its derivative in c, of all that is finite."""
    total, mean = (tilt**2 + tilt) * mu**2 / 2, (tilt + 0.5) * mu**2
    for group in groups:
        law = group.losses.above if above else group.losses.below
        one, slope = law.moments(tilt)
        total, mean = total + group.answers * one, mean + group.answers * slope
    return Sum(total, mean)


def saddle(groups: Sequence[Group], mu: float, epsilon: float) -> float:
    """Return the tilt c > 0 at which Λ lies about ε + 1/c + 1/(1 + c)."""

    def excess(log_c: float) -> float:
        c = math.exp(log_c)
        return cumulants(groups, mu, c).mean - 1 / c - 1 / (1 + c) - epsilon

    return math.exp(bisected(excess, math.log(_LEAST_TILT), math.log(_LARGEST_TILT), 1e-2))


def window(groups: Sequence[Group], tilt: float) -> tuple[float, float]:
    """Return between which losses Λ lies under the tilt, without the Gaussian, but for e^−36."""
    at = cumulants(groups, 0.0, tilt)
    lowest = sum(group.answers * group.losses.above.lowest for group in groups)
    highest = sum(group.answers * group.losses.above.highest for group in groups)
    ends = []
    for sign, last in ((-1.0, lowest), (1.0, highest)):

        def excess(log_s: float, sign: float = sign) -> float:
            s = sign * math.exp(log_s)
            there = cumulants(groups, 0.0, tilt + s)
            return s * there.mean - (there.log_total - at.log_total) - _UNSEEN

        log_s = bisected(excess, -30.0, 25.0, 1e-3)
        s = sign * math.exp(log_s)
        there = cumulants(groups, 0.0, tilt + s)
        end = (there.log_total - at.log_total + _UNSEEN) / s
        ends.append(max(end, last) if sign < 0 else min(end, last))
    return ends[0], ends[1]


def bisected(excess: Callable[[float], float], low: float, high: float, width: float) -> float:
    """Return about where a rising function is 0, or the end next to it."""
    while high - low > width:
        middle = (low + high) / 2
        if excess(middle) < 0:
            low = middle
        else:
            high = middle
    return high


class Composed:
    """δ of groups of answers and of one Gaussian: bounds on ln δ at any ε, narrow near one.

    The groups are on lattices of one step. tilt: the best for the ε of interest.
    """

    def __init__(self, groups: Sequence[Group], mu: float, tilt: float) -> None:
        self._groups, self._mu, self.tilt = tuple(groups), mu, tilt
        self._above, self._below = (self._convolved(above=above) for above in (True, False))

    def log_above(self, epsilon: float) -> float:
        """Return an upper bound on ln δ(ε)."""
        return self._above.log_bounds(epsilon)[1]

    def log_below(self, epsilon: float, log_delta: float) -> float:
        """Return a lower bound on ln δ(ε); log_delta: about what ln δ is."""
        if self._is_exact:
            return self._below.log_bounds(epsilon - self._drift)[0]
        log_beta = log_delta + _LOG_BETA
        found = self._below.log_bounds(epsilon + self.slack(log_beta))[0]
        return found + float(log1mexp(log_beta - found)) if found > log_beta else -math.inf

    def slack(self, log_beta: float) -> float:
        """Return by how much the sum of all D is below 0 with probability at most β."""
        variance = sum(group.answers * group.losses.variance for group in self._groups)
        third = max(group.losses.fall for group in self._groups) * -log_beta / 3
        return third + math.sqrt(third**2 - 2 * log_beta * variance) - self._drift

    @property
    def _drift(self) -> float:
        """The mean of the sum of all D."""
        return sum(group.answers * group.losses.mean for group in self._groups)

    @property
    def _is_exact(self) -> bool:
        """Whether all D are what their mean says."""
        return all(group.losses.fall == 0 for group in self._groups)

    def log_bounds(self, epsilon: float) -> tuple[float, float]:
        """Return bounds on ln δ(ε)."""
        high = self.log_above(epsilon)
        return min(self.log_below(epsilon, high), high), high

    def _convolved(self, *, above: bool) -> "_Convolved":
        laws = [
            (group.losses.above if above else group.losses.below, group.answers)
            for group in self._groups
        ]
        return _Convolved(laws, self._mu, self.tilt, log_infinite(self._groups, above=above))


def log_infinite(groups: Sequence[Group], *, above: bool) -> float:
    """Return log of the chance that some loss is infinite."""
    found = -math.inf
    for group in groups:
        law = group.losses.above if above else group.losses.below
        if law.log_infinite > -math.inf:
            more = log_any_of(law.log_infinite, group.answers) + float(log1mexp(found))
            found = min(float(np.logaddexp(found, more)), 0.0)
    return found


class _Convolved:
    """The tilted law of the sum of all losses but the Gaussian's, and δ from it."""

    def __init__(
        self, laws: Sequence[tuple[Losses, int]], mu: float, tilt: float, infinite: float
    ) -> None:
        self._mu, self._tilt, self._infinite = mu, tilt, infinite
        self._log_unit = (tilt**2 + tilt) * mu**2 / 2
        self._losses: FloatArray = np.zeros(1)
        self._masses: FloatArray = np.ones(1)
        self._noise, self._alias, self._lost = 0.0, math.exp(-_FADED) if mu else 0.0, 0.0
        if laws:
            self._convolve(laws)

    def _convolve(self, laws: Sequence[tuple[Losses, int]]) -> None:
        step, tilt = laws[0][0].step, self._tilt
        groups = [Group(Rounded(law, law), count) for law, count in laws]
        low, high = window(groups, tilt)
        lowest = sum(count * law.lowest for law, count in laws)
        places = sum(count * law.last for law, count in laws) + 1
        sites = min(places, math.ceil((high - low) / step) + 3)
        size = int(next_fast_len(sites, real=True))
        spectrum, error = np.ones(size // 2 + 1, dtype=complex), 1.0
        for law, count in laws:
            log_total, mass = law.tilted(tilt)
            self._log_unit += count * log_total
            size_of_losses = count * float((mass * np.abs(law.values)).sum())
            self._lost += ROUNDING * abs(count * log_total) + _ALIGNED * tilt * size_of_losses
            spectrum *= raised(rfft(np.bincount(law.places % size, mass, size)), count)
            error += (count + 1) * _norm(mass)
        found = irfft(spectrum, size)
        first = max(math.floor((low - lowest) / step) - 1, 0)
        index = first + np.arange(min(size, places - first))
        self._masses = np.maximum(found[index % size], 0.0)
        self._losses = np.asarray(lowest + step * index, dtype=np.float64)
        self._noise = ROUNDING * error * math.log2(size)
        self._alias += 2 * math.exp(-_UNSEEN) if places > size else 0.0

    def log_bounds(self, epsilon: float) -> tuple[float, float]:
        """Return ln δ(ε) less and more the error of rounding and of what is wrapped round."""
        gain = self._gain(epsilon)
        value = float((gain * self._masses).sum())
        margin = self._noise * _norm(gain) + self._alias + ROUNDING * value
        unit = self._log_unit - self._tilt * epsilon
        lost = self._lost + ROUNDING * (100 + abs(self._log_unit) + self._tilt * epsilon)
        low = unit + math.log(value - margin) - lost if value > margin else -math.inf
        high = unit + math.log(value + margin) + lost if value + margin > 0 else -math.inf
        return (
            float(np.logaddexp(low, self._infinite)),
            min(float(np.logaddexp(high, self._infinite)), 0.0),
        )

    def _gain(self, epsilon: float) -> FloatArray:
        """Return e^(c·x)·δ_μ(x) for x = ε − Λ, in the unit E[e^(c·loss)] of the Gaussian."""
        x, c, mu = epsilon - self._losses, self._tilt, self._mu
        if mu == 0:
            over = np.maximum(-x, 0.0)
            return np.asarray(np.exp(-c * over) * -np.expm1(-over))
        scale = c * x - (c**2 + c) * mu**2 / 2
        seen = scale + _log_tail(x, mu) > -2 * _FADED
        gain = np.zeros(x.size)
        gain[seen] = np.exp(scale[seen] + log_profile(x[seen], mu))
        return gain


def _norm(values: FloatArray) -> float:
    """Return the root of the sum of squares; by one thread."""
    return math.sqrt(float((values * values).sum()))


def _log_tail(x: FloatArray, mu: float) -> FloatArray:
    """Return a bound on ln δ_μ(x): −a²/2 where a = x/μ − μ/2 is positive."""
    return -(np.maximum(x / mu - mu / 2, 0.0) ** 2) / 2


def log_profile(x: FloatArray, mu: float) -> FloatArray:
    """Return ln δ_μ(x) of Gaussian noise, at any real x."""
    if mu < _PLAIN:
        size, sign = np.abs(x), x < 0
        found = log_delta_of_mu(size, np.full(x.shape, mu))[0]
        # with the laws exchanged: δ(−x) = 1 − e^−x + e^−x·δ(x)
        with np.errstate(divide="ignore"):
            other = np.logaddexp(np.where(sign, log1mexp(-size), -math.inf), found - size)
        return np.where(sign, other, found)
    a, b = x / mu - mu / 2, x / mu + mu / 2
    right = a > 0
    near = np.where(right, a, 0.0) / math.sqrt(2)
    ratio = erfcx(near) - erfcx(near + mu / math.sqrt(2))
    log_right = np.log(ratio / 2) - near**2
    left = np.where(right, 0.0, 1.0)
    log_left = log_ndtr(-a * left)
    log_left = log_left + log1mexp(np.minimum(left * x + log_ndtr(-b) - log_left, 0.0))
    return np.where(right, log_right, log_left)
