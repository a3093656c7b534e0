"""What the choice of the noise shows besides p: the shapes, and errors against σ along k."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpviz.maths import gaussian
from dpviz.maths.accounting.tuning import TunedChoice
from dpviz.maths.bounded_noise import MINIMAL_FISHER_INFORMATION, PowerNoise
from dpviz.maths.noise_converse import least_radius
from dpviz.maths.tuned_noise import TunedNoise
from dpviz.results.evidence import (
    Axis,
    Bracket,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Source,
    Subject,
)
from dpviz.topics.bounded_noise.views.error_rivals import CONVERSE, TUNED

_POINTS = 161
_PAPER = Source("Dagan & Kur", "Section 2")
_HUBER = Source("Huber 1974", "least Fisher information on an interval: cosine-squared")
DECADES = tuple(10.0**i for i in range(11))
"""The k at which noises are compared, beside the reader's."""


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
    )


@dataclass(frozen=True)
class AlongQueries:
    """What is measured along k, in units of the Gaussian σ of the same privacy."""

    epsilon: float
    delta: float
    objective: str
    failure_probability: float
    axis: str

    def chart(self, known: Mapping[float, TunedChoice], here: float) -> Chart:
        """Return the chart of the tuned noises and best powers known, by k."""
        counts = np.array(sorted(known))
        sigma = gaussian.minimal_sigma(epsilon=self.epsilon, delta=self.delta, queries=counts)
        choices = [known[k] for k in sorted(known)]
        curves = [
            _certified("tuned", "Tuned", TUNED, counts, [c.best.measure for c in choices], sigma),
            _certified(
                "power",
                "(1 − u²)^−p, best p",
                Source("dpviz.maths.accounting", "exact version of Dagan & Kur, Lemma 10.2"),
                counts,
                [c.power.measure for c in choices],
                sigma,
            ),
        ]
        curves += self._floors(counts, sigma) if self.objective == "hard" else self._rival(counts)
        return Chart(
            Axis("queries", "Number of queries k"),
            Axis("ratio", self.axis, unit="σ"),
            tuple(curves),
            here=here,
        )

    def _floors(self, counts: FloatArray, sigma: FloatArray) -> list[Curve]:
        """Return what no bounded noise comes below: proven, and as k → ∞."""
        privacy = {"epsilon": self.epsilon, "delta": self.delta}
        bounds = np.array([least_radius(**privacy, queries=k) for k in counts])
        return [
            Curve(
                "converse",
                "No bounded noise below",
                Subject.LOWER_BOUND,
                Evidence.LOWER,
                CONVERSE,
                counts,
                bounds / sigma,
            ),
            Curve(
                "floor",
                "π, the floor as k → ∞",
                Subject.LOWER_BOUND,
                Evidence.ASYMPTOTIC,
                _HUBER,
                counts,
                np.full(counts.shape, math.sqrt(MINIMAL_FISHER_INFORMATION)),
            ),
        ]

    def _rival(self, counts: FloatArray) -> list[Curve]:
        """Return Gaussian noise, in units of its own σ."""
        ratio = np.ones(counts.shape)
        if self.objective == "quantile":
            ratio = gaussian.max_error(
                1.0, queries=counts, failure_probability=self.failure_probability
            )
        source = Source("Balle & Wang 2018", "Algorithm 1")
        return [
            Curve("gaussian", "Gaussian", Subject.GAUSSIAN, Evidence.EXACT, source, counts, ratio)
        ]


def _certified(
    key: str,
    label: str,
    source: Source,
    x: FloatArray,
    brackets: list[Bracket],
    unit: FloatArray,
) -> Curve:
    """Return a curve through certified bounds, drawn at the private end."""
    lower, upper = (np.array([getattr(b, end) for b in brackets]) for end in ("lower", "upper"))
    weight = 1.4 if key == "tuned" else 0.7
    ends = upper / unit, lower / unit, upper / unit
    return Curve(key, label, Subject.BOUNDED, Evidence.CERTIFIED, source, x, *ends, weight=weight)
