"""Bounded and Gaussian noise side by side, each the smallest of its shape for the same privacy."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtri_exp

from dpviz.maths import gaussian
from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.bounded_noise import shaped_noise
from dpviz.maths.logspace import log1mexp
from dpviz.results.evidence import (
    Axis,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Result,
    Source,
    Subject,
)

_POINTS = 161
_ONE_BY_ONE = 300  # more dots than that are a smear
_OUTERMOST = 60  # of the others, which are drawn for being far out
_RARE = 1e-3  # how rarely the largest Gaussian error lies beyond the axis


@dataclass(frozen=True, eq=False, kw_only=True)
class Calibrated(Chart):
    """Two noise densities of equal privacy, in units of the sensitivity.

    radius: R, the least radius of the bounded noise; sigma: σ, the least standard deviation of
    the Gaussian noise; delta: δ, of all k answers together; exceeded: the probability that one of
    k Gaussian errors exceeds R; beyond: how many of them do, on average.
    """

    radius: float
    sigma: float
    delta: float
    queries: int
    exceeded: float
    beyond: float


@dataclass(frozen=True, eq=False)
class Draw:
    """The errors of k answers: some of them one by one, and the largest of the others.

    errors: signed errors in the order drawn; all k of them, or the first 300. outermost: of the
    others the largest sixty, signed, the largest first; or the largest and 59 more of those
    beyond the radius of the bounded noise, where so many are.
    """

    errors: FloatArray
    outermost: FloatArray = field(default_factory=lambda: np.empty(0))

    @property
    def drawn(self) -> FloatArray:
        """All that are known."""
        return np.concatenate([self.errors, self.outermost])

    @property
    def largest(self) -> float:
        """The signed error of largest size among all k."""
        every = self.drawn
        return float(every[np.argmax(np.abs(every))]) if every.size else math.nan


@dataclass(frozen=True, eq=False)
class CalibratedDraws(Result):
    """Two noises of equal privacy, and k answers drawn from each.

    guess: how many Gaussian errors a reader predicted beyond R; NaN for no prediction.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "part": "density, answer (an error drawn), outermost (of the others) or largest",
            "noise": "bounded or gaussian",
        }
    )

    noise: Calibrated
    bounded: Draw
    gaussian: Draw
    guess: float = math.nan

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return all that is plotted, one row a point.

        part: "density", "answer" (an error drawn), "outermost" (of those not drawn one by one) or
        "largest" (of all k); noise: "bounded" or "gaussian"; density is NaN for draws.
        """
        parts: list[tuple[str, str, FloatArray, FloatArray | None]] = [
            ("density", curve.key, curve.x, curve.y) for curve in self.noise.curves
        ]
        for name, draw in {"bounded": self.bounded, "gaussian": self.gaussian}.items():
            parts.append(("answer", name, draw.errors, None))
            parts.append(("outermost", name, draw.outermost, None))
            parts.append(("largest", name, np.array([draw.largest]), None))
        return {
            "part": np.concatenate([np.full(x.size, part) for part, _, x, _ in parts]),
            "noise": np.concatenate([np.full(x.size, name) for _, name, x, _ in parts]),
            "error": np.concatenate([x for *_, x, _ in parts]),
            "density": np.concatenate(
                [np.full(x.size, math.nan) if y is None else y for *_, x, y in parts]
            ),
        }


def noise_densities(
    *, epsilon: float, delta: float, queries: int, power: float, shape: str = "power"
) -> Calibrated:
    """Return the least noise that makes k adaptive queries (ε, δ)-DP, bounded and Gaussian.

    shape, power: the family of the bounded noise (see `dpviz.maths.bounded_noise.shaped_noise`).
    Neighbouring data sets substitute one person; the sensitivity is 1. The radius is the certified
    upper end, hence private. Raises `ParameterError` outside the table of limits.
    """
    noise = shaped_noise(shape, power=power)
    radius = minimal_radius(noise, epsilon=epsilon, delta=delta, queries=queries).upper
    sigma = float(gaussian.minimal_sigma(epsilon=epsilon, delta=delta, queries=queries))
    rare = float(gaussian.max_error(sigma, queries=queries, failure_probability=_RARE))
    span = max(1.05 * radius, rare)
    inside = np.linspace(-1, 1, _POINTS)
    # Next to a wide axis the Gaussian can be a spike: most of its points follow σ, not the axis.
    error = np.union1d(np.linspace(-5, 5, _POINTS) * sigma, np.linspace(-span, span, 21))
    error = error[np.abs(error) <= span]
    curves = (
        Curve(
            "bounded",
            "Bounded noise",
            Subject.BOUNDED,
            Evidence.EXACT,
            Source("Dagan & Kur", "Section 2, with the least radius"),
            radius * inside,
            noise.density(inside) / radius,
        ),
        Curve(
            "gaussian",
            "Gaussian noise",
            Subject.GAUSSIAN,
            Evidence.EXACT,
            Source("Balle & Wang 2018", "Algorithm 1"),
            error,
            np.exp(-((error / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi)),
        ),
    )
    chart = Chart(
        Axis("error", "Error of one answer", log=False, unit="Δ"),
        Axis("density", "Probability density", log=False, unit="1/Δ"),
        curves,
    )
    one = math.exp(float(log_ndtr(-radius / sigma)) + math.log(2))
    exceeded = -math.expm1(queries * math.log1p(-one))
    more = {"queries": int(queries), "exceeded": exceeded, "beyond": queries * one}
    return Calibrated.of(chart, radius=radius, sigma=sigma, delta=delta, **more)


def noise_draws(
    *,
    epsilon: float,
    delta: float,
    queries: int,
    shape: str,
    power: float,
    rng: np.random.Generator,
) -> CalibratedDraws:
    """Return the noises of `noise_densities`, and the errors of k answers drawn from each.

    At most 300 answers are drawn one by one. Of the others only the largest sixty are drawn, as
    the order statistics that they are: if E₁, E₂, … are exponential, the tails of the largest of n
    errors, from the smallest tail, are 1 − exp(−E₁/n − … − Eⱼ/(n − j + 1)) (Rényi). Where all of
    these lie beyond R, 59 of those that do are drawn at random in place of the largest but one, …
    So what is drawn has exactly the joint law it would have if every answer were drawn. Raises
    `ParameterError` outside the table of limits.
    """
    family = shaped_noise(shape, power=power)
    noise = noise_densities(epsilon=epsilon, delta=delta, queries=queries, power=power, shape=shape)
    first = min(noise.queries, _ONE_BY_ONE)
    others = noise.queries - first
    # Streams of their own: another shape of the bounded noise leaves the Gaussian draws in place,
    # and other parameters stretch both.
    streams = rng.spawn(4)
    bounded, tails = family.sample(streams[0], first), _largest_tails(others, streams[2])
    edges = 1 - family.edge_from_log_tail(tails - math.log(2))
    normal = streams[1].normal(size=first)
    normal_tails = _largest_tails(others, streams[3])
    outside = math.log(2) + float(log_ndtr(-noise.radius / noise.sigma))
    if normal_tails.size == _OUTERMOST and normal_tails[-1] < outside:
        least = math.exp(normal_tails[0])
        more = least + (math.exp(outside) - least) * streams[3].random(_OUTERMOST - 1)
        normal_tails[1:] = np.log(more)
    return CalibratedDraws(
        noise,
        Draw(noise.radius * bounded, noise.radius * edges * _signs(edges.size, streams[2])),
        Draw(
            noise.sigma * normal,
            -noise.sigma
            * ndtri_exp(normal_tails - math.log(2))
            * _signs(normal_tails.size, streams[3]),
        ),
    )


def _largest_tails(others: int, rng: np.random.Generator) -> FloatArray:
    """Return ln P(|error| > x) at the largest x of so many errors, the largest x first."""
    size = min(others, _OUTERMOST)
    spacings = rng.exponential(size=size) / (others - np.arange(size))
    tails: FloatArray = np.asarray(log1mexp(-np.cumsum(spacings)), dtype=float)
    return tails


def _signs(size: int, rng: np.random.Generator) -> FloatArray:
    return rng.choice([-1.0, 1.0], size=size)
