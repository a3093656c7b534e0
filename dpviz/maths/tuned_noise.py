"""Tuned noise: bounded noise with three parameters, which comes close to what is possible at all.

    f(u) = −b·ln(1 − u²) + a·(1 − u²)^−p,   density ∝ (1 − u²)^b · e^(−a·(1 − u²)^−p).

Dagan & Kur's family is b = 0, a = 1. The power of 1 − u² makes a density that hardly reveals a
shift of many answers: (1 − u²)² alone has Fisher information 10, where no density on (−1, 1)
has less than π². But it leaves too much mass next to the ends, where a shift is revealed for
certain; the barrier a·(1 − u²)^−p takes it away, and costs little where a is small.

Why the accountant holds for it, unchanged. Both terms are power series in u² with coefficients
≥ 0: −ln(1 − u²) = Σ u^(2j)/j and (1 − u²)^−p = Σ C(p + j − 1, j)·u^(2j). Hence f is even,
convex, and infinite at the ends: the noise is log-concave. So the loss f(u + v) − f(u) rises
with u, for every shift v > 0; the best test between the noise and its shift is a half-line, and
on a half-line a larger shift is told apart better still: the pair (U, U shifted by Δ/R)
dominates every smaller shift. Products and adaptive choices keep domination, so that k adaptive
answers are dominated by the k-fold product of that pair, which is attained
(`dpviz.maths.accounting.calibration`). The proven quadrature bounds of
`dpviz.maths.accounting.quadrature` rest on nothing but the signs of those coefficients.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.polynomial.legendre import leggauss

from dpviz.maths.bounded_noise import BoundedNoise
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import validate

_MOST_STEPS = 60


def _two_panels(share: float = 0.12) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights on [0, 1]: 32 on the first part, 32 on the rest."""
    nodes, weights = leggauss(32)
    nodes, weights = (nodes + 1) / 2, weights / 2
    return (
        np.append(share * nodes, share + (1 - share) * nodes),
        np.append(share * weights, (1 - share) * weights),
    )


@dataclass(frozen=True)
class TunedNoise(BoundedNoise):
    """f(u) = −b·ln(1 − u²) + a·(1 − u²)^−p: log-concave for all b ≥ 0, a > 0, p > 0.

    barrier: a, from 1e-12 to 1000; bulk: b, from 0 to 100; power: p, from 0.5 to 8.
    Raises `ParameterError` outside.
    """

    barrier: float
    bulk: float
    power: float

    # Where the tail is a power for long, the integrand has detail at the start of a long range.
    _tail_rule: ClassVar[tuple[FloatArray, FloatArray]] = _two_panels()

    def __post_init__(self) -> None:
        for name in ("barrier", "bulk", "power"):
            object.__setattr__(self, name, validate(name, getattr(self, name)))

    def _exponent(self, m: FloatArray) -> FloatArray:
        wall = self.barrier * m**-self.power
        return wall - self.bulk * np.log(m) if self.bulk else wall

    def _slope(self, m: FloatArray) -> FloatArray:
        return self.barrier * self.power * m ** (-self.power - 1) + self.bulk / m

    def _increment(self, m: FloatArray, log_ratio: FloatArray) -> FloatArray:
        wall = self.barrier * m**-self.power * np.expm1(self.power * log_ratio)
        return wall + self.bulk * log_ratio if self.bulk else wall

    def _log_ratio(self, m: FloatArray, increment: FloatArray) -> FloatArray:
        """Newton's method: the increment is convex in the log ratio, and the start too large.

        Each of the two terms alone bounds the log ratio from above.
        """
        wall = self.barrier * m**-self.power
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            x = np.log1p(increment / wall) / self.power
            if self.bulk:
                x = np.fmin(x, increment / self.bulk)
            for _ in range(_MOST_STEPS if self.bulk else 0):
                rise = wall * np.expm1(self.power * x)
                slope = self.bulk + self.power * (rise + wall)
                step = (rise + self.bulk * x - increment) / slope
                x = x - np.where(np.isfinite(step), step, 0.0)
                if not np.any(np.abs(step) > 1e-15 * x):
                    break
        return x

    @property
    def _curvature(self) -> float:
        return self.bulk + self.barrier * self.power
