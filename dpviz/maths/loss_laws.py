r"""Exact composition of Laplace, randomised response and geometric noise, on a lattice of losses.

The two laws of one answer, P with a person and Q without, are symmetric: what has the loss l under
P has −l under Q. Hence both come from one symmetric measure h of the losses,

    P(dl) = e^(l/2)·h(dl),    Q(dl) = e^(−l/2)·h(dl),

and k answers from its k-fold convolution: δ(ε) is the integral of (e^(Λ/2) − e^(ε − Λ/2))₊ over it.

* Randomised response and geometric noise have losses on a lattice: the convolution is exact.
* Laplace noise has atoms at ±ε₀ and the density e^(−ε₀/2)/4 between them. Cut into bins of width w:
  who learns the bin alone knows less (a post-processing), and its loss is the middle of the bin,
  with weight e^(−ε₀/2)·sinh(w/4): δ from below. Moved to the two ends of the bin with P and Q kept
  ("connect the dots", Doroshenko et al. 2022), e^(−ε₀/2)·tanh(w/4)/2 to each: δ from above.

The convolution runs on a circle (FFT) under a tilt that puts the mass near ε, so that δ keeps its
digits however small it is. What is wrapped round has mass below e^−45; rounding gets the margin of
`dpviz.maths.accounting.answer.ROUNDING` times the magnitudes summed.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft

from dpviz.maths.accounting.answer import ROUNDING
from dpviz.maths.logspace import log1mexp
from dpviz.results.evidence import FloatArray
from dpviz.results.refining import pause

_UNSEEN = 45.0
_FADED = 60.0
_NARROW = 1e-4  # in ln δ
_LARGEST_TILT = 1e6
_FINEST = 4_000.0  # bins, times the root of the number of answers


@dataclass(frozen=True, eq=False)
class LossLaw:
    """The measure h of one answer's losses, symmetric: log weights `step` apart, around 0."""

    step: float
    log_weights: FloatArray

    @cached_property
    def losses(self) -> FloatArray:
        """The losses, ascending."""
        n = self.log_weights.size - 1
        return self.step * (np.arange(n + 1.0) - n / 2)

    @property
    def largest(self) -> float:
        """The largest loss of one answer."""
        return float(self.losses[-1])

    def tilted(self, tilt: float) -> tuple[float, FloatArray]:
        """Return log of the sum of weights·e^(tilt·l), and the probabilities these make."""
        return normalised(self.log_weights + tilt * self.losses)

    def moments(self, tilt: float) -> tuple[float, float]:
        """Return the mean and the variance of the tilted loss."""
        _, mass = self.tilted(tilt)
        mean = float(mass @ self.losses)
        return mean, float(mass @ (self.losses - mean) ** 2)


def normalised(logs: FloatArray) -> tuple[float, FloatArray]:
    """Return log of the sum of e^logs, and the probabilities that these make."""
    top = float(logs.max())
    mass = np.exp(logs - top)
    total = float(mass.sum())
    return top + math.log(total), mass / total


def geometric_law(loss: float, shift: int) -> LossLaw:
    """Return h of a count with geometric noise, mass ∝ e^(−loss·|x|), that moves by `shift` ≥ 1.

    The losses are loss·(shift − 2i) for 0 ≤ i ≤ shift.
    """
    # between the two centres P·Q, and so h, is the same everywhere
    log_weights = np.full(shift + 1, -loss * shift / 2 + math.log(math.tanh(loss / 2)))
    log_weights[[0, -1]] = -loss * shift / 2 - math.log1p(math.exp(-loss))
    return LossLaw(2 * loss, log_weights)


def laplace_laws(loss: float, bins: int) -> tuple[LossLaw, LossLaw]:
    """Return two laws between which one answer with Laplace noise lies, losses up to `loss`.

    bins: into how many the losses between −loss and loss are cut. Both have the step of half a bin.
    """
    width = 2 * loss / bins
    lower = np.full(2 * bins + 1, -math.inf)
    upper = np.full(2 * bins + 1, -math.inf)
    # sinh(w/4) in logarithms, as bins may be wide
    lower[1::2] = width / 4 + math.log(-math.expm1(-width / 2) / 2)
    lower[[0, -1]] = math.log(0.5)
    upper[::2] = math.log(math.tanh(width / 4))
    upper[[0, -1]] = math.log(0.5 + math.tanh(width / 4) / 2)
    return LossLaw(width / 2, lower - loss / 2), LossLaw(width / 2, upper - loss / 2)


def log_delta_bounds(law: LossLaw, *, count: int, epsilon: FloatArray) -> tuple[FloatArray, ...]:
    """Return bounds on ln δ(ε) of `count` answers: the error of rounding, and no other.

    epsilon: ascending, ≥ 0, near each other: one tilt serves them all.
    """
    eps = np.atleast_1d(np.asarray(epsilon, dtype=float))
    low, high = np.full(eps.shape, -math.inf), np.full(eps.shape, -math.inf)
    possible = eps < count * law.largest * (1 - 1e-15)
    if not possible.any():
        return low, high
    centre = float(eps[possible][(np.count_nonzero(possible) - 1) // 2])
    around = _Convolved.around(law, count, centre).log_delta_bounds(eps[possible])
    low[possible], high[possible] = around
    return low, high


class NearbyDelta:
    """Bounds on ln δ of `count` answers at one ε after another, for a search.

    One convolution serves as long as its rounding does not show: another begins where the bounds
    would be farther apart than 1e-4.
    """

    def __init__(self, law: LossLaw, *, count: int) -> None:
        self._law, self._count = law, count
        self._last: _Convolved | None = None

    def bounds(self, epsilon: float) -> tuple[float, float]:
        """Return the bounds at ε ≥ 0."""
        if epsilon >= self._count * self._law.largest * (1 - 1e-15):
            return -math.inf, -math.inf
        pause()
        at = np.array([epsilon])
        if self._last is not None:
            low, high = self._last.log_delta_bounds(at)
            if high[0] - low[0] <= _NARROW:
                return float(low[0]), float(high[0])
        self._last = _Convolved.around(self._law, self._count, epsilon)
        low, high = self._last.log_delta_bounds(at)
        return float(low[0]), float(high[0])


@dataclass(frozen=True, eq=False)
class _Convolved:
    """What `convolved` returns, under a tilt that puts the mass near some ε."""

    tilt: float
    losses: FloatArray
    masses: FloatArray
    log_unit: float
    noise: float

    @classmethod
    def around(cls, law: LossLaw, count: int, epsilon: float) -> "_Convolved":
        """Convolve under the tilt that is best at ε."""
        pause()
        tilt = saddle(law, count, epsilon)
        return cls(tilt, *convolved(law, count, tilt))

    def log_delta_bounds(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return bounds on ln δ, certified at any ε, and narrow near that of the tilt."""
        gap = self.tilt - 0.5
        # below ε nothing counts, and far above it no more than e^−60 of the masses, which sum to 1
        ends = float(epsilon.min()), float(epsilon.max()) + _FADED / gap
        seen = slice(*np.searchsorted(self.losses, ends))
        over = np.maximum(self.losses[None, seen] - epsilon[:, None], 0.0)
        gain = np.exp(-gap * over) * -np.expm1(-over)
        value = gain @ self.masses[seen]
        margin = self.noise * np.sqrt((gain**2).sum(axis=1)) + math.exp(-_UNSEEN)
        unit = self.log_unit - gap * epsilon
        with np.errstate(divide="ignore"):
            low = unit + np.log(np.maximum(value - margin, 0.0))
            return low, np.minimum(unit + np.log(value + margin), 0.0)


def saddle(law: LossLaw, count: int, epsilon: float) -> float:
    """Return the tilt t > ½ under which Λ lies about ε + 1/(t − ½) + 1/(t + ½)."""

    def excess(log_gap: float) -> float:
        gap = math.exp(log_gap)
        return count * law.moments(0.5 + gap)[0] - 1 / gap - 1 / (1 + gap) - epsilon

    low, high = -30.0, math.log(_LARGEST_TILT)
    if excess(high) <= 0:
        return 0.5 + _LARGEST_TILT
    return 0.5 + math.exp(scipy.optimize.brentq(excess, low, high, xtol=1e-3))


def convolved(law: LossLaw, count: int, tilt: float) -> tuple[FloatArray, FloatArray, float, float]:
    """Return the losses Λ, their tilted masses, log of the unit of these, and their rounding error.

    The unit is that of e^(Λ/2)·h at Λ = 0: masses·e^(unit − (tilt − ½)·Λ) is P.
    """
    log_total, mass = law.tilted(tilt)
    mean, variance = law.moments(tilt)
    # Bernstein: beyond this distance from the mean lies less than e^−45
    third = 2 * _UNSEEN * law.largest / 3
    reach = third + math.sqrt(third**2 + 2 * _UNSEEN * count * variance)
    last = (mass.size - 1) * count  # the highest place of a sum
    sites = min(last + 1, 2 * math.ceil(reach / law.step) + 3)
    size = int(next_fast_len(max(sites, mass.size), real=True))
    place = np.zeros(size)
    place[: mass.size] = mass  # the lowest loss at site 0
    power = irfft(raised(rfft(place), count), size)
    middle = round(mean / law.step * count + last / 2)
    first = max(middle - (size - 1) // 2, 0)
    index = first + np.arange(min(size, last - first + 1))
    noise = ROUNDING * (count + 1) * math.log2(size) * float(np.linalg.norm(mass))
    masses = np.maximum(power[index % size], 0.0)
    losses = law.step * (index - last / 2)
    return np.asarray(losses), np.asarray(masses), count * log_total, noise


def raised(values: NDArray[np.complex128], count: int) -> NDArray[np.complex128]:
    """Return values to the power of a whole number, by its binary digits: faster than `**`."""
    result = values
    for digit in f"{count:b}"[1:]:
        result = result * result
        if digit == "1":
            result *= values
    return result


def laplace_log_delta_bounds(
    loss: float, *, count: int, epsilon: FloatArray, tolerance: float = 1e-3
) -> tuple[FloatArray, FloatArray]:
    """Return bounds on ln δ(ε) of `count` answers with Laplace noise, losses up to `loss` each.

    epsilon: ascending, ≥ 0, near each other. The bins are halved until the bounds are within the
    tolerance of each other, or finer ones do not help. One answer is known in closed form,
    δ = 1 − e^((ε − loss)/2).
    """
    eps = np.atleast_1d(np.asarray(epsilon, dtype=float))
    if count == 1:
        exact = log1mexp(np.minimum((eps - loss) / 2, 0.0))
        return exact, exact
    bins, before = 8, math.inf
    while True:
        below, above = laplace_laws(loss, bins)
        low, _ = log_delta_bounds(below, count=count, epsilon=eps)
        _, high = log_delta_bounds(above, count=count, epsilon=eps)
        finite = np.isfinite(low) & np.isfinite(high)
        gap = float((high[finite] - low[finite]).max()) if finite.any() else 0.0
        # where rounding is most of the gap, finer bins do not help
        if gap <= tolerance or gap > 0.6 * before or bins > _FINEST / math.sqrt(count):
            return low, high
        # the gap falls with the square of the width
        bins, before = math.ceil(1.1 * bins * max(math.sqrt(gap / tolerance), 1.5)), gap
