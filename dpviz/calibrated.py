"""Bounded and Gaussian noise side by side, each as small as the same privacy allows."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from dpviz.accounting import minimal_radius
from dpviz.evidence import Axis, Chart, Curve, Evidence, Mark, Source, Subject
from dpviz.gaussian import minimal_sigma
from dpviz.noise import PowerNoise

_POINTS = 241


@dataclass(frozen=True, eq=False)
class Calibrated:
    """Two noise densities of equal privacy, in units of the sensitivity.

    radius: R, the least radius of the bounded noise; sigma: σ, the least standard deviation of
    the Gaussian noise; exceeded: the probability that one of k Gaussian errors exceeds R.
    """

    chart: Chart
    radius: float
    sigma: float
    queries: int
    exceeded: float

    def columns(self) -> dict[str, NDArray[np.float64]]:
        """Return the plotted densities."""
        return self.chart.columns()


def noise_densities(*, epsilon: float, delta: float, queries: int, power: float) -> Calibrated:
    """Return the least noise that makes k adaptive queries (ε, δ)-DP, bounded and Gaussian.

    power: p in f(u) = (1 − u²)^−p. Neighbouring data sets substitute one person; the
    sensitivity is 1. Raises `ParameterError` outside the table of limits.
    """
    noise = PowerNoise(power)
    radius = minimal_radius(noise, epsilon=epsilon, delta=delta, queries=queries).upper
    sigma = float(minimal_sigma(epsilon=epsilon, delta=delta, queries=queries))
    error = np.linspace(-1.15 * radius, 1.15 * radius, _POINTS)
    inside = np.abs(error) < radius
    bounded = np.full(_POINTS, np.nan)
    bounded[inside] = noise.density(error[inside] / radius) / radius
    gaussian = np.exp(-((error / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi))
    curves = (
        Curve(
            "bounded",
            "Bounded noise",
            Subject.BOUNDED,
            Evidence.EXACT,
            Source("Dagan & Kur", "Section 2, with the least radius"),
            error,
            bounded,
        ),
        Curve(
            "gaussian",
            "Gaussian noise",
            Subject.GAUSSIAN,
            Evidence.EXACT,
            Source("Balle & Wang 2018", "Algorithm 1"),
            error,
            gaussian,
        ),
    )
    chart = Chart(
        Axis("error", "Error of one answer", log=False, unit="Δ"),
        Axis("density", "Probability density", log=False, unit="1/Δ"),
        curves,
        (Mark(radius, 0.0, "no error beyond this", Subject.BOUNDED),),
    )
    one = math.exp(float(log_ndtr(-radius / sigma)) + math.log(2))
    exceeded = -math.expm1(queries * math.log1p(-one))
    return Calibrated(chart, radius, sigma, queries, exceeded)
