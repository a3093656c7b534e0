"""The mean of samples from a Gaussian, with Gaussian noise, and the exact law of its distances.

The items are standard normal. To be private the mechanism cuts each off to [−2, 2] and rounds it to
quarters: so it takes one of 17 values, and one item moves the sum by 4 at most. Noise with standard
deviation σ·4 is added to the sum; the mean is that over n. As rounding is part of the mechanism,
the difference of the sums of two samples lies on a lattice, and its law is exact.
"""

import math
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.fft import fft, ifft, next_fast_len
from scipy.optimize import brentq
from scipy.special import logsumexp, ndtr

from dpviz.maths.distance_mechanism import Outputs, Pair
from dpviz.maths.lattice_law import LatticeLaw
from dpviz.maths.sum_mechanisms import GaussianCount
from dpviz.results.caching import cached
from dpviz.results.evidence import FloatArray

CLIP = 2.0
"""Where samples are cut off, in their standard deviations."""
_STEPS = 4  # to which a standard deviation is rounded
RANGE = round(2 * CLIP * _STEPS)
"""The steps by which one item can move the sum."""
_TILTS = (0.0, 5.0, 10.0)  # standard deviations from the middle, around which a law is computed
_FEW = 64  # items, up to which convolutions are quick
_REACH = 9.0  # on either side of each, where less than 1e-18 is left


@dataclass(frozen=True)
class GaussianMean(GaussianCount):
    """The mean of clipped, rounded samples plus Gaussian noise; distances count quarters.

    sigma: σ, in units of the sensitivity. The divergence is that of `GaussianCount` at the
    difference of the sums over the sensitivity. Raises `ParameterError`.
    """

    name = "mean of Gaussian samples"

    def item_epsilon(self, delta: ArrayLike = 0.0) -> FloatArray:
        """Return the least ε for which the mechanism is (ε, delta)-DP, at distance `RANGE`."""
        return GaussianCount(self.sigma).item_epsilon(delta)

    def log_divergence(self, distance: ArrayLike, *, epsilon: ArrayLike) -> FloatArray:
        """Return ln d_ε between the outputs on sums so many quarters apart."""
        return super().log_divergence(np.asarray(distance) / RANGE, epsilon=epsilon)

    def least_epsilon(self, distance: ArrayLike, *, delta: ArrayLike) -> FloatArray:
        """Return the least ε′ at which sums so many quarters apart are close."""
        return super().least_epsilon(np.asarray(distance) / RANGE, delta=delta)

    def farthest(self, *, epsilon: ArrayLike, delta: ArrayLike) -> FloatArray:
        """Return the most quarters within (epsilon, delta), on the safe side."""
        return RANGE * super().farthest(epsilon=epsilon, delta=delta)

    def distance_law(self, samples: int, rate: float) -> LatticeLaw:  # noqa: ARG002
        """Return the law of |Σx − Σx'| in quarters; the rate of coins is without effect."""
        return gaussian_difference_law(samples)

    def most_apart(self, samples: int) -> int:
        """Return the quarters between the sums of two data sets at the two ends."""
        return samples * RANGE

    def farthest_pair(self, samples: int) -> Pair:
        """Return the two data sets at the two ends."""
        return Pair(-CLIP * samples, CLIP * samples, samples)

    def draw(self, samples: int, rate: float, rng: np.random.Generator) -> Pair:  # noqa: ARG002
        """Draw two samples: their sums, and in how many places they differ."""
        steps, law = item_law()
        values = steps / _STEPS
        first = rng.multinomial(samples, law)
        both = rng.multinomial(first, law)  # of each value in the first, the values in the second
        differ = samples - int(np.trace(both))
        return Pair(float(first @ values), float((both @ values).sum()), differ)

    def distance(self, pair: Pair) -> float:
        """Return the difference of the sums in quarters."""
        return _STEPS * super().distance(pair)

    def outputs(self, pair: Pair) -> Outputs:
        """Return the two laws of the noisy sum, in units of the sensitivity."""
        scaled = Pair(pair.first / (2 * CLIP), pair.second / (2 * CLIP), pair.hamming)
        return replace(super().outputs(scaled), label="Noisy sum, in ranges of one sample")


def item_law() -> tuple[FloatArray, FloatArray]:
    """Return the values of one clipped, rounded sample, in quarters, and their probabilities."""
    values = np.arange(-RANGE // 2, RANGE // 2 + 1)
    ends = ndtr((values[:-1] + 0.5) / _STEPS)
    return values.astype(float), np.diff(np.concatenate([[0.0], ends, [1.0]]))


def difference_variance() -> float:
    """Return the variance of the difference of two items, in squares of the sensitivity."""
    values, law = item_law()
    return 2 * float(law @ values**2) / RANGE**2


@cached(6 * 2**20)  # 2 MB of a million samples
def gaussian_difference_law(samples: int) -> LatticeLaw:
    """Return the law of |Σx − Σx'| of two samples of so many items, in quarters.

    Of few items it is an n-fold convolution, which adds positive numbers only. Of more it comes by
    Fourier transforms, of the law and of two tilts of it towards the tail. Each of these gives a
    relative precision of 1e-7 or better around its own middle. There, what lies more than 15
    standard deviations out, less than 1e-48, is left out.
    """
    _, law = item_law()
    one = np.convolve(law, law[::-1])
    if samples <= _FEW:
        whole = reduce(np.convolve, [one] * samples)
        return _folded(np.log(whole[whole.size // 2 :]))
    steps = np.arange(one.size, dtype=np.intp) - RANGE
    deviation = math.sqrt(samples * float(one @ steps.astype(float) ** 2))
    most = math.ceil((_TILTS[-1] + 5) * deviation)
    log_pmf = np.full(most + 1, -math.inf)
    for tilt in _TILTS:
        low, part = _around(one, steps, samples, round(tilt * deviation), deviation)
        places = low + np.arange(part.size)
        near = (places >= max(round((tilt - 2.5) * deviation), 0)) & (places <= most)
        log_pmf[places[near]] = part[near]
    return _folded(log_pmf)


def _folded(log_pmf: FloatArray) -> LatticeLaw:
    """Return the law of the absolute value, from the log masses of a symmetric one from 0 on."""
    both = log_pmf + np.where(np.arange(log_pmf.size) > 0, math.log(2), 0.0)
    return LatticeLaw(0, both - logsumexp(both))


def _around(
    one: FloatArray, steps: NDArray[np.intp], samples: int, middle: int, deviation: float
) -> tuple[int, FloatArray]:
    """Return the log masses of the sum around a place, and the first place they stand for."""

    def mean(theta: float) -> float:
        weights = one * np.exp(theta * (steps - RANGE))
        return float(weights @ steps / weights.sum())

    theta = float(brentq(lambda t: mean(t) * samples - middle, -1e-9, 40.0, xtol=1e-15))
    log_scale = float(logsumexp(theta * steps, b=one))
    tilted = one * np.exp(theta * steps - log_scale)
    reach = math.ceil(_REACH * deviation) + 1
    size = next_fast_len(2 * reach + 1)
    wave = np.zeros(size)
    np.add.at(wave, steps % size, tilted)
    law = ifft(fft(wave) ** samples).real
    places = np.arange(middle - reach, middle + reach + 1)
    masses = law[places % size]
    log_masses = np.log(np.maximum(masses, 1e-16 * masses.max()))
    return int(places[0]), log_masses - theta * places + samples * log_scale
