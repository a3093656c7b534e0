r"""The exact law of a sum of independent steps +1, 0 and −1, deep into its tails.

Two data sets of n fair or unfair coins differ in their sums by such a walk, and the privacy loss
of randomised response is one. With up, down and stay = 1 − up − down the probabilities of a step,
the masses g_k of the sum are the coefficients of (down/z + stay + up·z)^n. Because this power
P = Q^n satisfies Q·P' = n·Q'·P, three neighbouring masses are tied by

    up·(n − k + 1)·g_{k−1} = stay·k·g_k + down·(n + k + 1)·g_{k+1}.

For k > 0 all terms are positive: eliminating from the far end towards the centre adds positive
numbers only, and every mass comes out to nearly full relative precision, however small. In matrix
form this is a tridiagonal system, one call of LAPACK for all k; and g_{−k} = (down/up)^k·g_k.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import solve_banded
from scipy.optimize import brentq

from dpviz.maths.logspace import log_binomial_pmf
from dpviz.results.caching import cached
from dpviz.results.evidence import FloatArray

# Masses below e^−640 are left out, so that none under- or overflows next to the largest.
_DEPTH = 640.0


@dataclass(frozen=True, eq=False)
class LatticeLaw:
    """A law on consecutive whole numbers: first, first + 1, …; log_pmf: their log masses."""

    first: int
    log_pmf: FloatArray

    @cached_property
    def values(self) -> FloatArray:
        """The whole numbers that carry mass."""
        return self.first + np.arange(self.log_pmf.size, dtype=float)

    @cached_property
    def log_tail(self) -> FloatArray:
        """The logarithm of P(K > k) for each k of `values`; −inf at the last."""
        above = np.logaddexp.accumulate(self.log_pmf[:0:-1])[::-1]
        return np.append(np.minimum(above, 0.0), -math.inf)

    def log_above(self, threshold: FloatArray) -> FloatArray:
        """Return the logarithm of P(K > threshold)."""
        place = np.floor(np.asarray(threshold, dtype=float)) - self.first
        last = self.log_pmf.size - 1
        inside = self.log_tail[np.clip(place, 0, last).astype(int)]
        log_above: FloatArray = np.where(place < 0, 0.0, inside)[()]
        return log_above

    def quantile(self, failure_probability: float) -> float:
        """Return the least k with P(K > k) ≤ failure_probability."""
        return self.first + float(np.argmax(self.log_tail <= math.log(failure_probability)))


def walk_law(steps: int, *, up: float, down: float) -> LatticeLaw:
    """Return the law of the sum of `steps` independent steps, with up ≥ down > 0.

    up, down: the probabilities of +1 and −1, with 4·up·down ≤ (1 − up − down)², as for a
    difference of two coins: then LAPACK's elimination needs no row swapped. Masses below
    about e^−640 are left out.
    """
    walk = _Walk(steps, up, down)
    low, _ = walk.end(-1)
    log_masses = np.log(walk.masses(max(low, 0)))
    if low < 0:
        mirrored = log_masses[1 : 1 - low] + math.log(down / up) * np.arange(1, 1 - low)
        log_masses = np.concatenate([mirrored[::-1], log_masses])
    top = log_masses.max()
    log_masses -= top + math.log(np.exp(log_masses - top).sum())
    return LatticeLaw(low, log_masses)


@cached(4 * 2**20)  # 0.6 MB of a million samples
def difference_law(samples: int, *, rate: float) -> LatticeLaw:
    """Return the law of |Σx − Σx'|, for independent x, x' ~ Bernoulli(rate)^samples.

    The difference is a walk of `samples` steps, up and down with rate·(1 − rate) each.
    """
    step = rate * (1 - rate)
    law = walk_law(samples, up=step, down=step)
    log_pmf = law.log_pmf[-law.first :].copy()
    log_pmf[1:] += math.log(2)
    log_pmf.flags.writeable = False  # the cache hands it to all
    return LatticeLaw(0, log_pmf)


def binomial_law(count: int, probability: float) -> LatticeLaw:
    """Return the law Binomial(count, probability), but for masses below about e^−640."""
    reach = _DEPTH / 3 + math.sqrt((_DEPTH / 3) ** 2 + 2 * _DEPTH * count * probability)
    low = max(math.floor(count * probability - reach), 0)
    high = min(math.ceil(count * probability + reach), count)
    log_odds = math.log(probability) - math.log1p(-probability)
    log_pmf = log_binomial_pmf(np.arange(low, high + 1), count, log_odds=log_odds)
    seen = np.flatnonzero(log_pmf > -_DEPTH)
    return LatticeLaw(low + int(seen[0]), log_pmf[seen[0] : seen[-1] + 1])


@dataclass(frozen=True)
class _Walk:
    steps: int
    up: float
    down: float

    def end(self, sign: int) -> tuple[int, float]:
        """Return the last k on a side whose log mass Chernoff's bound leaves above −`_DEPTH`.

        And the tilt e^(tilt·k) that moves the mean there.
        """
        if self._tilted(sign * 300.0)[1] <= _DEPTH:
            return sign * self.steps, sign * math.inf
        tilt = brentq(lambda t: self._tilted(t)[1] - _DEPTH, 0.0, sign * 300.0, xtol=1e-12)
        mean = self._tilted(tilt)[0]
        k = math.ceil(mean) if sign > 0 else math.floor(mean)
        return min(max(k, -self.steps), self.steps), tilt

    def _tilted(self, tilt: float) -> tuple[float, float]:
        """Return the mean of the tilted walk, and Chernoff's bound on −log of the mass there."""
        raised, lowered = self.up * math.exp(tilt), self.down * math.exp(-tilt)
        total = 1 - self.up - self.down + raised + lowered
        mean = self.steps * (raised - lowered) / total
        return mean, tilt * mean - self.steps * math.log(total)

    def masses(self, anchor: int) -> FloatArray:
        """Return the masses from `anchor` ≥ 0 to the far end, in units of that at the anchor."""
        n, up, down = self.steps, self.up, self.down
        high, tilt = self.end(1)
        k = np.arange(high, anchor, -1, dtype=float)  # from the far end inwards
        if not k.size:
            return np.ones(1)
        # Each row is a little lighter than the one before, lest LAPACK swap rows where its pivot
        # and the entry below are equal up to rounding: they are for a rate of 1/2.
        weight = np.exp(-min(0.1, 500 / k.size) * np.arange(k.size))
        bands = np.zeros((3, k.size))
        bands[0, 1:] = (-up * (n - k + 1) * weight)[:-1]
        bands[1] = (1 - up - down) * k * weight
        bands[1, 0] += down * (n + high + 1) * math.exp(-tilt)  # the mass beyond the end
        bands[2, :-1] = (down * (n + k + 1) * weight)[1:]
        right = np.zeros(k.size)
        right[-1] = up * (n - anchor) * weight[-1]
        masses = solve_banded((1, 1), bands, right, check_finite=False)[::-1]
        return np.append(1.0, masses)
