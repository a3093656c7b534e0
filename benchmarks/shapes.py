"""How near tuned noise is to the best: a richer shape, tuned as well, against four parameters.

    f(u) = −b·ln(1 − θu²) + a·m^−p + s(m),   m = 1 − u²,

with a cubic spline s through seven points, kept such that f is convex. Both are searched with the
same estimate of R, the spline from the tuned noise on, by random steps with a stated seed; then the
accountant is asked for both. Its proven quadrature bounds rest on the family of tuned noise, so
that for the spline the radius is a number, not a certificate. `python -m benchmarks.shapes` prints
a row for each of 21 settings.
"""

import argparse
import itertools
import math
import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from benchmarks.options import parsed
from dpviz.maths import gaussian
from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.accounting.estimate import Family, least_radii
from dpviz.maths.accounting.tuning import tuned_noise
from dpviz.maths.bounded_noise import BoundedNoise
from dpviz.maths.tuned_noise import TunedNoise
from dpviz.results.evidence import FloatArray

_COUNTS = (10, 30, 100, 300, 1000, 10**4, 10**5)
_PRIVACY = ((0.1, 1e-10), (1.0, 1e-5), (0.3, 1e-30))
_KNOTS = np.array([0.0, 0.03, 0.1, 0.25, 0.5, 0.75, 1.0])
_TRIALS, _SEED = 24, 1
_BASIS = CubicSpline(_KNOTS, np.eye(_KNOTS.size))
_STRIDES = np.array([1.0, 0.2, 0.2, 0.5, *[0.15] * 6])


@dataclass(frozen=True)
class SplineNoise(BoundedNoise):
    """Tuned noise with a spline in m = 1 − u² added to f; values: at all knots but m = 1."""

    base: TunedNoise
    values: tuple[float, ...]

    @cached_property
    def spline(self) -> CubicSpline:
        """Return s, which is 0 at m = 1."""
        return CubicSpline(_KNOTS, [*self.values, 0.0])

    @cached_property
    def is_convex(self) -> bool:
        """Whether f is convex, on a dense grid."""
        u = np.linspace(0, 1, 4001)[:-1]
        f = self._exponent(1 - u**2)
        return bool(np.all(np.diff(f, 2) >= -1e-12 * np.abs(f[1:-1]))) and bool(f[1] >= f[0])

    def _exponent(self, m: FloatArray) -> FloatArray:
        return self.base._exponent(m) + self.spline(m)

    def _slope(self, m: FloatArray) -> FloatArray:
        return self.base._slope(m) - self.spline(m, 1)

    def _increment(self, m: FloatArray, log_ratio: FloatArray) -> FloatArray:
        change = self.spline(m * np.exp(-log_ratio)) - self.spline(m)
        return self.base._increment(m, log_ratio) + change

    def _log_ratio(self, m: FloatArray, increment: FloatArray) -> FloatArray:
        m, increment = np.broadcast_arrays(m, increment)
        low, high = np.zeros(m.shape), self.base._log_ratio(m, increment + 2 * self._reach)
        for _ in range(60):
            middle = (low + high) / 2
            less = self._increment(m, middle) < increment
            low, high = np.where(less, middle, low), np.where(less, high, middle)
        return (low + high) / 2

    @property
    def _reach(self) -> float:
        return float(np.abs(self.spline(np.linspace(0, 1, 201))).max())

    @property
    def _curvature(self) -> float:
        return self.base._curvature - float(self.spline(1.0, 1))


class _Splines(Family):
    """Many such noises at once; bulk is 1, and the spline and b are in what stands for 1 − θu²."""

    at: FloatArray
    powers: FloatArray

    def __init__(self, at: FloatArray) -> None:
        """Set up rows of log a, log b, log p, log(1/θ − 1) and the values of the spline."""
        columns = np.exp(at[:, :4])[..., None]
        super().__init__(
            columns[:, 0], np.ones((len(at), 1)), columns[:, 2], 1 / (1 + columns[:, 3])
        )
        object.__setattr__(self, "at", at)
        object.__setattr__(self, "powers", columns[:, 1])

    def rows(self, chosen: NDArray[np.intp]) -> "_Splines":
        """Return some of the noises."""
        return _Splines(self.at[chosen])

    def _spline(self, m: FloatArray, order: int = 0) -> FloatArray:
        values: FloatArray = np.einsum("nij,nj->ni", _BASIS(m, order)[..., :-1], self.at[:, 4:])
        return values

    def inner(self, m: FloatArray) -> FloatArray:
        """Return (1 − θu²)^b·e^(−s)."""
        m = np.broadcast_to(m, (len(self.at), m.shape[-1]))
        inner: FloatArray = super().inner(m) ** self.powers * np.exp(-self._spline(m))
        return inner

    def bulk_slope(self, m: FloatArray) -> FloatArray:
        """Return the slope of its logarithm along ln m."""
        slope: FloatArray = self.powers * self.cut * m / super().inner(m) - m * self._spline(m, 1)
        return slope

    def climb(self, m: FloatArray, log_ratio: FloatArray) -> FloatArray:
        """Return by how much −ln of it is more at m·e^(−log_ratio) than at m."""
        size = (len(self.at), log_ratio.shape[-1])
        m, log_ratio = np.broadcast_to(m, size), np.broadcast_to(log_ratio, size)
        inner = super().inner(m)
        change = self.cut * m / inner * np.expm1(-log_ratio)
        left = super().inner(m * np.exp(-log_ratio)) / inner
        climb = np.where(change > -0.5, -np.log1p(np.maximum(change, -0.5)), -np.log(left))
        bent = self._spline(m * np.exp(-log_ratio)) - self._spline(m)
        risen: FloatArray = self.powers * climb + bent
        return risen


def _noise(at: FloatArray) -> SplineNoise:
    barrier, bulk, power = np.exp(at[:3])
    base = TunedNoise(float(barrier), float(bulk), float(power), float(1 / (1 + math.exp(at[3]))))
    return SplineNoise(base, tuple(at[4:]))


def compare(
    queries: float, epsilon: float, delta: float, rounds: int
) -> tuple[float, float, float, float]:
    """Return R/σ of the best power, of tuned noise and of the spline, and by how much it gains.

    rounds: of random steps.
    """
    privacy: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "queries": queries}
    sigma = float(gaussian.minimal_sigma(**privacy))
    choice = tuned_noise(epsilon=epsilon, delta=delta, queries=queries)
    tuned = choice.best
    odds = max(1 / tuned.noise.cut - 1, 1e-6)
    shape = [tuned.noise.barrier, tuned.noise.bulk, tuned.noise.power, odds]
    at, rng, stride = np.append(np.log(shape), np.zeros(6)), np.random.default_rng(_SEED), 1.0
    start = math.log(tuned.radius.upper)
    best = float(least_radii(_Splines(at[None]), **privacy, start=start).log_radii[0])
    low, high = np.log([2e-12, 0.05, 0.5, 1e-9]), np.log([900, 99, 8, 90])
    for _ in range(rounds):
        trials = at + stride * _STRIDES * rng.normal(size=(_TRIALS, at.size))
        trials[:, :4] = np.clip(trials[:, :4], low, high)
        trials = trials[[_noise(trial).is_convex for trial in trials]]
        if not len(trials):
            stride *= 0.9
            continue
        values = least_radii(_Splines(trials), **privacy, start=best).log_radii
        i = int(np.argmin(values))
        if values[i] < best:
            at, best, stride = trials[i], float(values[i]), min(1.1 * stride, 1.0)
        else:
            stride *= 0.9
    richer = minimal_radius(_noise(at), **privacy, start=math.exp(best)).upper
    own = tuned.radius.upper
    return choice.power.radius.upper / sigma, own / sigma, richer / sigma, 1 - richer / own


def report(settings: int, rounds: int) -> None:
    """Print a row for each of so many settings."""
    print(
        f"{'k':>10s} {'ε':>6s} {'δ':>8s} {'best p':>8s} {'tuned':>8s} {'spline':>8s} {'gain':>8s}"
    )
    for (epsilon, delta), queries in list(itertools.product(_PRIVACY, _COUNTS))[:settings]:
        start = time.process_time()
        power, tuned, richer, gain = compare(queries, epsilon, delta, rounds)
        spent = time.process_time() - start
        print(
            f"{queries:10d} {epsilon:6g} {delta:8.0e} {power:8.4f} {tuned:8.4f} {richer:8.4f} "
            f"{100 * gain:7.2f}% {spent:6.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shapes", description=__doc__)
    parser.add_argument("--settings", type=int, default=len(_PRIVACY) * len(_COUNTS))
    parser.add_argument("--rounds", type=int, default=150, help="of random steps")
    options = parsed(parser, settings=1, rounds=2)
    report(options.settings, options.rounds)
