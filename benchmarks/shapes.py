"""How near tuned noise is to the best: a richer shape, tuned as well, against the three parameters.

    f(u) = −b·ln m + a·m^−p + s(m),   m = 1 − u²,

with a cubic spline s through seven points, kept such that f is convex. Both are searched with the
same estimate of R; then the accountant is asked for both. Its proven quadrature bounds rest on the
family of tuned noise, so that for the spline the radius is a number, not a certificate.
`python -m benchmarks.shapes` prints a row for each of six settings.
"""

import math
import time
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq, minimize

from dpviz.maths import gaussian
from dpviz.maths.accounting.answer import Problem
from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.accounting.composition import rough_log_delta
from dpviz.maths.accounting.tuning import tuned_noise
from dpviz.maths.bounded_noise import BoundedNoise
from dpviz.maths.tuned_noise import TunedNoise
from dpviz.results.evidence import FloatArray

SETTINGS = (
    (10, 0.1, 1e-10),
    (100, 0.1, 1e-10),
    (1000, 1.0, 1e-5),
    (10**4, 0.1, 1e-10),
    (10**6, 0.1, 1e-10),
    (10**6, 1.0, 1e-30),
)
_KNOTS = np.array([0.0, 0.03, 0.1, 0.25, 0.5, 0.75, 1.0])
_EVALUATIONS = 500


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


def _estimate(noise: BoundedNoise, setting: tuple[float, float, float], at: float) -> float:
    """Return about log R, from Laplace's approximation of δ; at: a guess."""
    queries, epsilon, delta = setting
    goal = math.log(delta)

    def excess(log_radius: float) -> float:
        problem = Problem(noise, math.exp(-log_radius), epsilon, queries)
        return rough_log_delta(problem, goal) - goal

    return float(brentq(excess, at - 0.3, at + 0.3, xtol=1e-6))


def compare(queries: float, epsilon: float, delta: float) -> tuple[float, float, float, float]:
    """Return R/σ of the best power, of tuned noise and of the spline, and by how much it gains."""
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    sigma = float(gaussian.minimal_sigma(**privacy))
    choice = tuned_noise(epsilon=epsilon, delta=delta, queries=queries)
    tuned = choice.best
    start = np.array([math.log(x) for x in (tuned.noise.barrier, tuned.noise.bulk)] + [0.0] * 6)
    guess = math.log(tuned.radius.upper)

    def noise_at(x: FloatArray) -> SplineNoise:
        base = TunedNoise(math.exp(x[0]), math.exp(x[1]), tuned.noise.power)
        return SplineNoise(base, tuple(x[2:]))

    def log_radius(x: FloatArray) -> float:
        noise = noise_at(x)
        if not noise.is_convex:
            return 1e3
        try:
            return _estimate(noise, (queries, epsilon, delta), guess)
        except ValueError:  # no root so near
            return 1e2

    steps = np.diag([0.3, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2])
    found = minimize(
        log_radius,
        start,
        method="Nelder-Mead",
        options={
            "initial_simplex": np.vstack([start, start + steps]),
            "maxfev": _EVALUATIONS,
            "xatol": 1e-3,
            "fatol": 1e-6,
        },
    )
    richer = minimal_radius(noise_at(found.x), **privacy, start=tuned.radius.upper).upper
    own = tuned.radius.upper
    return choice.power.radius.upper / sigma, own / sigma, richer / sigma, 1 - richer / own


def report() -> None:
    """Print a row for each setting."""
    print(
        f"{'k':>10s} {'ε':>6s} {'δ':>8s} {'best p':>8s} {'tuned':>8s} {'spline':>8s} {'gain':>8s}"
    )
    for queries, epsilon, delta in SETTINGS:
        start = time.process_time()
        power, tuned, richer, gain = compare(queries, epsilon, delta)
        spent = time.process_time() - start
        print(
            f"{queries:10d} {epsilon:6g} {delta:8.0e} {power:8.4f} {tuned:8.4f} {richer:8.4f} "
            f"{100 * gain:7.2f}% {spent:6.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    report()
