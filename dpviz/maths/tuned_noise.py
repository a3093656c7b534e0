"""Tuned noise: bounded noise with four parameters, which comes close to what is possible at all.

    f(u) = −b·ln(1 − θu²) + a·(1 − u²)^−p,   density ∝ (1 − θu²)^b · e^(−a·(1 − u²)^−p).

Dagan & Kur's family is b = 0, a = 1. The power of 1 − θu² makes a density that hardly reveals a
shift of many answers: (1 − u²)² alone has Fisher information 10, where no density on (−1, 1) has
less than π². But with θ = 1 it leaves too much mass next to the ends, where a shift is revealed for
certain. The barrier a·(1 − u²)^−p takes it away, and costs little where a is small.

With few answers a single one must not reveal much either. So the slope of f, which is the loss of
an answer in units of the shift, should stay about as small next to the ends as δ allows. That is
what θ < 1 is for: f climbs to −b·ln(1 − θ), about ln 1/δ, with a bounded slope, and a small barrier
cuts the noise off there, where it is already rare.

Why the accountant holds for it, unchanged. Both terms are power series in u² with coefficients ≥ 0:
−ln(1 − θu²) = Σ θ^j·u^(2j)/j and (1 − u²)^−p = Σ C(p + j − 1, j)·u^(2j). Hence f is even, convex,
and infinite at the ends: the noise is log-concave. So the loss f(u + v) − f(u) rises with u, for
every shift v > 0, and the best test between the noise and its shift is a half-line. On a half-line
a larger shift is told apart better still. Hence the pair (U, U shifted by Δ/R) dominates every
smaller shift. Products and adaptive choices keep domination, so that k adaptive answers are
dominated by the k-fold product of that pair, which is attained
(`dpviz.maths.accounting.calibration`). The proven quadrature bounds of
`dpviz.maths.accounting.quadrature` rest on nothing but the signs of those coefficients.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.polynomial.legendre import leggauss

from dpviz.maths.bounded_noise import BoundedNoise
from dpviz.results.evidence import FloatArray
from dpviz.results.limit import Limit
from dpviz.results.parameters import LIMITS

SHAPE: Mapping[str, Limit] = MappingProxyType(
    {name: LIMITS[name] for name in ("barrier", "bulk", "cut")}
    | {"power": replace(LIMITS["power"], minimum=0.05, meaning="power of the barrier")}
)
"""The ranges of a, b, θ and p; a barrier may rise more slowly than noise that is nothing else."""
_MOST_STEPS = 60


def _panels(*edges: float) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights on [0, 1]: 32 on each part between these edges."""
    nodes, weights = leggauss(32)
    ends = np.array([0.0, *edges, 1.0])
    lengths = np.diff(ends)[:, None]
    return (ends[:-1, None] + lengths * (nodes + 1) / 2).ravel(), (lengths * weights / 2).ravel()


@dataclass(frozen=True)
class TunedNoise(BoundedNoise):
    """f(u) = −b·ln(1 − θu²) + a·(1 − u²)^−p: log-concave for all b ≥ 0, a > 0, p > 0, θ ≤ 1.

    barrier: a, from 1e-12 to 1000; bulk: b, from 0 to 100; power: p, from 0.05 to 8; cut: θ, from
    0.01 to 1. Raises `ParameterError` outside.
    """

    barrier: float
    bulk: float
    power: float
    cut: float = 1.0

    # Where the tail is a power for long, the integrand has detail at the start of a long range;
    # where a low barrier is steep, somewhere in the midst of it.
    _tail_rule: ClassVar[tuple[FloatArray, FloatArray]] = _panels(0.04, 0.15, 0.4, 0.7)

    def __post_init__(self) -> None:
        for name, limit in SHAPE.items():
            object.__setattr__(self, name, limit.validate(getattr(self, name)))

    def _inner(self, m: FloatArray) -> FloatArray:
        """Return 1 − θu²."""
        return m if self.cut == 1 else 1 - self.cut + self.cut * m

    def _exponent(self, m: FloatArray) -> FloatArray:
        wall = self.barrier * m**-self.power
        return wall - self.bulk * np.log(self._inner(m)) if self.bulk else wall

    def _slope(self, m: FloatArray) -> FloatArray:
        wall = self.barrier * self.power * m ** (-self.power - 1)
        return wall + self.bulk * self.cut / self._inner(m)

    def _increment(self, m: FloatArray, log_ratio: FloatArray) -> FloatArray:
        wall = self.barrier * m**-self.power * np.expm1(self.power * log_ratio)
        return wall + self.bulk * self._climb(m, log_ratio) if self.bulk else wall

    def _climb(self, m: FloatArray, log_ratio: FloatArray) -> FloatArray:
        """Return −ln(1 − θu²) at m·e^(−log_ratio) minus that at m; concave in log_ratio."""
        if self.cut == 1:
            return log_ratio
        inner = self._inner(m)
        change = self.cut * m / inner * np.expm1(-log_ratio)
        left = self._inner(m * np.exp(-log_ratio)) / inner
        near = np.abs(change) < 0.5
        climb: FloatArray = -np.where(
            near, np.log1p(np.where(near, change, 0.0)), np.log(np.where(near, 1.0, left))
        )
        return climb

    def _log_ratio(self, m: FloatArray, increment: FloatArray) -> FloatArray:
        """Newton's method, in a bracket: the wall alone bounds the log ratio from above."""
        m, increment = np.broadcast_arrays(m, increment)
        wall = self.barrier * m**-self.power
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            high = np.log1p(increment / wall) / self.power
            if not self.bulk:
                return high
            if self.cut == 1:  # the increment is convex in the log ratio, and the start too large
                high = np.fmin(high, increment / self.bulk)
            x, low = high, np.zeros_like(high)
            for _ in range(_MOST_STEPS):
                excess = self._increment(m, x) - increment
                low, high = np.where(excess < 0, x, low), np.where(excess < 0, high, x)
                shifted = m * np.exp(-x)
                slope = self.power * self.barrier * shifted**-self.power
                slope = slope + self.bulk * self.cut * shifted / self._inner(shifted)
                root = x - excess / slope
                root = np.where((root >= low) & (root <= high), root, (low + high) / 2)
                step, x = np.abs(root - x), root
                if not np.any(step > 1e-15 * x):
                    break
        return x

    @property
    def _curvature(self) -> float:
        return self.bulk * self.cut + self.barrier * self.power
