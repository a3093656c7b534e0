"""Independent reference values: mpmath at 25 digits or more, from the definitions."""

import math
from collections.abc import Callable
from functools import cache

import mpmath as mp
import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy import integrate, optimize, stats

from dpviz.maths.bounded_noise import BoundedNoise, IteratedExponentialNoise, PowerNoise

NOISES = (
    PowerNoise(0.5),
    PowerNoise(1),
    PowerNoise(2),
    PowerNoise(3.7),
    PowerNoise(8),
    IteratedExponentialNoise(),
)


def exponent(noise: BoundedNoise) -> Callable[[mp.mpf], mp.mpf]:
    """f as a function of the distance 1 - u, as printed in the paper."""

    def f(distance: mp.mpf) -> mp.mpf:
        m = distance * (2 - distance)
        if m <= 0:
            return mp.inf
        if isinstance(noise, PowerNoise):
            return m ** -mp.mpf(noise.power)
        return mp.exp(mp.exp(1 / m)) if m > 0.05 else mp.inf

    return f


def scaled_tail(noise: BoundedNoise, distance: float) -> mp.mpf:
    """The integral of e^(f(1-d) - f) over the last `distance` before the end, d = distance <= 1.

    Gauss-Legendre on pieces over which the distance and e^-f fall by bounded factors.
    """
    f = exponent(noise)
    end = mp.mpf(float(distance))
    with mp.workdps(25):  # of 40 digits the rule would have twice as many nodes
        base = f(end)
        breaks = [end]
        while f(breaks[-1]) - base < 120:
            d = breaks[-1]
            step = d / 2
            while f(d - step) - f(d) > 8:
                step /= 2
            breaks.append(d - step)
        return mp.quad(lambda d: mp.exp(base - f(d)), breaks[::-1], method="gauss-legendre")


@cache
def log_normaliser(noise: BoundedNoise) -> mp.mpf:
    return mp.log(2 * scaled_tail(noise, 1.0)) - exponent(noise)(mp.mpf(1))


def log_tail_from_edge(noise: BoundedNoise, distance: float) -> mp.mpf:
    d = mp.mpf(float(distance))
    if d > 1:
        return mp.log1p(-mp.exp(log_tail_from_edge(noise, float(2 - d))))
    return mp.log(scaled_tail(noise, distance)) - exponent(noise)(d) - log_normaliser(noise)


def expectation(noise: BoundedNoise, g: Callable[[mp.mpf], mp.mpf]) -> mp.mpf:
    """E[g(1 - U)] for g symmetric about 1, by pieces of the half line."""
    f = exponent(noise)
    breaks = [mp.mpf(0)] + [mp.mpf(2) ** -j for j in range(16, -1, -1)]
    low = mp.mpf(0.001) if isinstance(noise, PowerNoise) and noise.power < 1 else mp.mpf(0.01)
    breaks = [low * b + (1 - low) * b for b in breaks]

    def weighted(h: Callable[[mp.mpf], mp.mpf]) -> mp.mpf:
        return mp.quad(lambda d: h(d) * mp.exp(-f(d)) if f(d) < 1e4 else mp.mpf(0), breaks)

    return weighted(g) / weighted(lambda _: mp.mpf(1))


def log_gaussian_delta(sigma: float, epsilon: float, queries: int) -> mp.mpf:
    """ln of Balle & Wang's δ as printed, at sensitivity 1, with digits to spare."""
    scale = max(epsilon * sigma / math.sqrt(queries), math.sqrt(queries) / sigma, 1.0)
    with mp.workdps(60 + 2 * int(math.log10(scale) ** 2 / 4 + 2 * math.log10(scale))):
        mu = mp.sqrt(queries) / mp.mpf(float(sigma))
        eps = mp.mpf(float(epsilon))

        def tail(x: mp.mpf) -> mp.mpf:
            return mp.erfc(x / mp.sqrt(2)) / 2

        return mp.log(tail(eps / mu - mu / 2) - mp.exp(eps) * tail(eps / mu + mu / 2))


def graded(low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss's rule on panels that halve towards both ends."""
    left = 2.0 ** -np.arange(36, 0, -1)
    edges = low + (high - low) * np.concatenate([[0.0], left, 1 - left[-2::-1], [1.0]])
    x, w = leggauss(20)
    half = np.diff(edges)[:, None] / 2
    return ((edges[:-1, None] + half) + half * x).ravel(), (half * w).ravel()


def truncated_log_mgf(
    noise: PowerNoise, radius: float, mass: float
) -> tuple[Callable[[float], float], float]:
    """Return λ ↦ log E[e^(λX)] on |U| ≤ L, P(|U| > L) = mass, by Gauss's rule; and max X."""
    shift, log_z = 1 / radius, float(log_normaliser(noise))

    def density(u: float) -> float:
        return math.exp(-((1 - u * u) ** -noise.power) - log_z) if u < 1 else 0.0

    def surplus(u: float) -> float:
        tail = integrate.quad(density, u, 1, epsabs=0, epsrel=1e-12)[0]
        return 2 * tail / mass - 1

    cut = optimize.brentq(surplus, 0.1, 0.999)

    u, weight = graded(-cut, cut)
    f, moved = (1 - u * u) ** -noise.power, (1 - (u + shift) ** 2) ** -noise.power

    def log_mgf(tilt: float) -> float:
        return math.log(float(weight @ np.exp(-f - log_z + tilt * (moved - f))))

    return log_mgf, (1 - (cut + shift) ** 2) ** -noise.power - (1 - cut**2) ** -noise.power


def chernoff_integral(
    noise: PowerNoise, radius: float, epsilon: float, delta: float, queries: int
) -> float:
    """Algorithm 1's δ₂ as printed: a minimum over λ for every t, and a plain integral over t."""
    log_mgf, largest = truncated_log_mgf(noise, radius, 0.01 * delta / queries)

    def deviation_bound(t: float) -> float:
        found = optimize.minimize_scalar(
            lambda x: queries * log_mgf(math.exp(x)) - math.exp(x) * t,
            bounds=(-10, math.log(600 / largest)),
            options={"xatol": 1e-6},
        )
        return math.exp(min(found.fun, 0.0) + epsilon - t)

    return float(integrate.quad(deviation_bound, epsilon, epsilon + 40, epsabs=0, epsrel=1e-7)[0])


def chernoff_once(
    noise: PowerNoise, radius: float, epsilon: float, delta: float, queries: int, share: float
) -> float:
    """Chernoff's bound on E[(1 − e^(ε − Λ))₊] on |U_i| ≤ L, its constant maximised numerically."""
    log_mgf, largest = truncated_log_mgf(noise, radius, share * delta / queries)
    x = np.geomspace(1e-9, 60, 20001)

    def log_bound(log_tilt: float) -> float:
        c = math.exp(log_tilt)
        constant = float((np.log(-np.expm1(-x)) - c * x).max())
        return queries * log_mgf(c) - c * epsilon + constant

    span = (-10, math.log(600 / largest))
    return math.exp(optimize.minimize_scalar(log_bound, bounds=span).fun)


def gaussian_delta_by_quadrature(sigma, epsilon):
    """δ as the hockey-stick divergence of N(0, σ²) and N(1, σ²), from its definition."""
    p, q = stats.norm(0, sigma), stats.norm(1, sigma)
    crossing = 0.5 - sigma**2 * epsilon
    return integrate.quad(lambda x: p.pdf(x) - np.exp(epsilon) * q.pdf(x), -np.inf, crossing)[0]
