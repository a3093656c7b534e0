"""Bounded and Gaussian noise side by side, each the smallest of its shape for the same privacy."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtri_exp

from dpviz.maths import gaussian
from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.bounded_noise import shaped_noise
from dpviz.maths.joint_noise import MOST_QUERIES, joint_noise
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
_RARE = 1e-3  # how rarely the largest Gaussian error lies beyond the axis


@dataclass(frozen=True, eq=False, kw_only=True)
class Calibrated(Chart):
    """Two noise densities of equal privacy, in units of the sensitivity.

    radius: R, the least radius of the bounded noise; sigma: σ, the least standard deviation of
    the Gaussian noise; exceeded: the probability that one of k Gaussian errors exceeds R.
    """

    radius: float
    sigma: float
    queries: int
    exceeded: float


@dataclass(frozen=True, eq=False)
class Draw:
    """The errors of k answers: some of them one by one, and the largest of all.

    errors: signed errors in the order drawn; all k of them, or the first 300.
    largest: the signed error of largest size among all k.
    """

    errors: FloatArray
    largest: float


@dataclass(frozen=True, eq=False)
class CalibratedDraws(Result):
    """Two noises of equal privacy, and k answers drawn from each.

    together: answers with noise that is drawn for all of them together; together_radius: what none
    of its errors exceeds. None and NaN beyond the answers that it is computed for. guess: how
    often, in percent, a reader predicted that the largest Gaussian error exceeds R; NaN for no
    prediction.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "part": "density, answer (an error drawn) or largest (of all k)",
            "noise": "bounded, together (drawn for all answers) or gaussian",
        }
    )

    noise: Calibrated
    bounded: Draw
    gaussian: Draw
    together: Draw | None = None
    together_radius: float = math.nan
    guess: float = math.nan

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return all that is plotted, one row a point.

        part: "density", "answer" (an error drawn) or "largest" (of all k); noise: "bounded",
        "together" or "gaussian"; density is NaN for draws.
        """
        parts: list[tuple[str, str, FloatArray, FloatArray | None]] = [
            ("density", curve.key, curve.x, curve.y) for curve in self.noise.curves
        ]
        draws = {"bounded": self.bounded, "together": self.together, "gaussian": self.gaussian}
        for name, draw in draws.items():
            if draw is None:
                continue
            parts.append(("answer", name, draw.errors, None))
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
    return Calibrated.of(chart, radius=radius, sigma=sigma, queries=int(queries), exceeded=exceeded)


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

    At most 300 answers are drawn one by one. Of the others only the largest error is drawn, by
    inverting its distribution P(largest ≤ x) = (1 − P(|error| > x))^(k − 300) through the tail. So
    the errors and the largest of all k have exactly the joint law they would have if every answer
    were drawn. Of noise drawn together all k errors are drawn, up to `MOST_QUERIES`. Raises
    `ParameterError` outside the table of limits.
    """
    family = shaped_noise(shape, power=power)
    noise = noise_densities(epsilon=epsilon, delta=delta, queries=queries, power=power, shape=shape)
    first = min(noise.queries, _ONE_BY_ONE)
    others = noise.queries - first

    def bounded_edge(log_tail: float) -> float:
        return noise.radius * (1 - float(family.edge_from_log_tail(log_tail - math.log(2))))

    def gaussian_edge(log_tail: float) -> float:
        return -noise.sigma * float(ndtri_exp(log_tail - math.log(2)))

    # Streams of their own: another shape of the bounded noise leaves the Gaussian draws in place,
    # and other parameters stretch both.
    streams = rng.spawn(5)
    bounded = noise.radius * family.sample(streams[0], first)
    normal = noise.sigma * streams[1].normal(size=first)
    draws = (
        _with_largest(bounded, bounded_edge, others, streams[2]),
        _with_largest(normal, gaussian_edge, others, streams[3]),
    )
    if noise.queries > MOST_QUERIES:
        return CalibratedDraws(noise, *draws)
    joint = joint_noise(epsilon=epsilon, delta=delta, queries=noise.queries)
    [row] = joint.sample(streams[4], 1)
    together = Draw(row[:first], float(row[np.argmax(np.abs(row))]))
    return CalibratedDraws(noise, *draws, together, joint.radius)


def _with_largest(
    errors: FloatArray,
    edge: Callable[[float], float],
    others: int,
    rng: np.random.Generator,
) -> Draw:
    """Add the largest of `others` further errors; edge: the x with ln P(|error| > x) given."""
    largest = float(errors[np.argmax(np.abs(errors))])
    # −ln V is exponential for V uniform, and V = (1 − P(|error| > x))^others.
    log_tail = float(log1mexp(-rng.exponential() / max(others, 1)))
    unseen = edge(log_tail) * rng.choice([-1.0, 1.0])
    return Draw(errors, unseen if others and abs(unseen) > abs(largest) else largest)
