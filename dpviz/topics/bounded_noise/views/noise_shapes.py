"""The shapes of noise on (−1, 1): tuned, two of the paper's, and the one of least information."""

import math

import numpy as np

from dpviz.maths.bounded_noise import PowerNoise
from dpviz.maths.tuned_noise import TunedNoise
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Mark, Source, Subject
from dpviz.topics.bounded_noise.views.error_rivals import TUNED

_POINTS = 161
_PAPER = Source("Dagan & Kur", "Section 2")
_HUBER = Source("Huber 1974", "least Fisher information on an interval: cosine-squared")


def shapes_chart(noise: TunedNoise) -> Chart:
    """Return the densities of tuned noise, of p = 1 and 2, and of cos²(πu/2), on (−1, 1)."""
    u = np.linspace(-1, 1, _POINTS)

    def curve(key: str, label: str, source: Source, density: FloatArray, weight: float) -> Curve:
        return Curve(key, label, Subject.BOUNDED, Evidence.EXACT, source, u, density, weight=weight)

    floor = Curve(
        "cosine",
        "cos²(πu/2), least Fisher information",
        Subject.LOWER_BOUND,
        Evidence.EXACT,
        _HUBER,
        u,
        np.cos(math.pi * u / 2) ** 2,
    )
    return Chart(
        Axis("u", "Error, in units of the largest possible", log=False),
        Axis("density", "Probability density", log=False),
        (
            curve("tuned", "Tuned", TUNED, noise.density(u), 1.4),
            curve("power_1", "p = 1", _PAPER, PowerNoise(1.0).density(u), 0.7),
            curve("power_2", "p = 2", _PAPER, PowerNoise(2.0).density(u), 0.7),
            floor,
        ),
        tuple(
            # all curves end at the same two points: a word at the peak tells them apart
            Mark(0.0, float(PowerNoise(power).density(0.0)), f"p = {power:g}", Subject.BOUNDED)
            for power in (1.0, 2.0)
        ),
    )
