"""How large an error k answers carry, bounded against Gaussian noise of the same privacy.

The setting of Dagan & Kur, Section 5 and Figure 1, with the least radius that is private (exact)
beside the radius of their own method.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import log_ndtr

from dpviz.maths import dagan_kur as published
from dpviz.maths import gaussian
from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.bounded_noise import BoundedNoise, max_error, shaped_noise
from dpviz.results.evidence import (
    Axis,
    Bracket,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Mark,
    Source,
    Subject,
)
from dpviz.results.parameters import ParameterError, validate
from dpviz.results.refining import Pace

AXES = {
    "queries": Axis("queries", "Number of queries k"),
    "epsilon": Axis("epsilon", "Privacy loss ε"),
    "delta": Axis("delta", "Failure probability δ"),
}
UNITS = {
    "ratio": Axis("error", "Error", log=False, unit="Δ√(k ln 1/δ)/ε"),
    "absolute": Axis("error", "Error", unit="Δ"),
}
QUANTILES = ("corrected", "published")

# Figure 1 of the paper shows k from 100 and ε up to 1; a little more lies around it.
_RANGES = {"queries": (10.0, 1e10), "epsilon": (1e-7, 10.0), "delta": (1e-250, 1e-2)}
_POINTS = 61
_STEPS = (15, 3, 1)
_PATIENCE = 0.15  # seconds

_EXACT = Source("dpviz.maths.accounting", "exact version of Dagan & Kur, Lemma 10.2")


@dataclass(frozen=True, eq=False)
class ErrorComparison:
    """Both kinds of noise at the reader's parameters, and along one of them.

    radius: certified bounds on the least radius, in units of Δ; bounded_error and gaussian_error:
    what the largest of k errors exceeds with probability β; published_radius: Dagan & Kur's
    upper bound; exceeded: the probability that a Gaussian error exceeds the radius.
    """

    chart: Chart
    epsilon: float
    delta: float
    queries: float
    failure_probability: float
    radius: Bracket
    bounded_error: float
    gaussian_error: float
    published_radius: float
    exceeded: float

    def columns(self) -> dict[str, NDArray[np.float64]]:
        """Return the plotted numbers."""
        return self.chart.columns()


def error_curves(
    *,
    against: str,
    epsilon: float,
    delta: float,
    queries: float,
    shape: str,
    power: float,
    failure_probability: float,
    units: str,
    quantile: str,
    show_published: bool,
    show_shapes: bool,
    constant: float,
) -> Iterator[ErrorComparison]:
    """Yield the largest error among k answers along one parameter, coarse to fine.

    against: the parameter on the x-axis ("queries", "epsilon" or "delta"); the other two, like
    p = power, keep their value. failure_probability: β; "corrected" quantiles are the exact
    ones, "published" those behind the paper's Figure 1 (see `dpviz.maths.dagan_kur`). units:
    "absolute" counts errors in Δ, "ratio" in Δ√(k ln 1/δ)/ε. constant: the hidden constant of
    the asymptotic shapes. Δ, the sensitivity, is the most by which substituting one person's
    record moves an answer. Raises `ParameterError`.
    """
    for name, value, allowed in (
        ("against", against, AXES),
        ("units", units, UNITS),
        ("quantile", quantile, QUANTILES),
    ):
        if value not in allowed:
            raise ParameterError(name, f"one of {', '.join(allowed)}", value)
    beta = validate("failure_probability", failure_probability)
    line = _Line(
        against,
        {
            "epsilon": validate("epsilon", epsilon),
            "delta": validate("delta", delta),
            "queries": validate("queries", queries),
        },
        shaped_noise(shape, power=power),
        beta,
    )
    style = _Style(units, quantile, show_published, show_shapes, validate("constant", constant))
    here = line.here()
    x = line.grid()
    known: dict[int, _Point] = {}
    pace = Pace(_PATIENCE)
    for step in _STEPS:
        for i in range(0, _POINTS, step):
            if i not in known:
                near = _nearest(known, i)
                known[i] = line.point(x[i], start=None if near is None else near.ratio)
            # What takes longer than the eye is shown as it grows; the last result is the same.
            if len(known) > 2 and pace.due():
                yield replace(here, chart=_chart(line, style, _in_order(known)))
    points = _in_order(known)
    if show_published:
        yield replace(here, chart=_chart(line, style, points))
    pace = Pace(2 * _PATIENCE)
    marks = _crossings(line, style, points)
    for i in range(_POINTS if show_published else 0):
        points[i] = line.with_published(points[i])
        if pace.due():
            yield replace(here, chart=_chart(line, style, points, marks))
    yield replace(here, chart=_chart(line, style, points, marks))


def _nearest(known: "dict[int, _Point]", i: int) -> "_Point | None":
    return known[min(known, key=lambda j: abs(j - i))] if known else None


def _in_order(known: "dict[int, _Point]") -> "list[_Point]":
    return [known[i] for i in sorted(known)]


@dataclass(frozen=True)
class _Style:
    """What the reader wants to see of the comparison."""

    units: str
    quantile: str
    show_published: bool
    show_shapes: bool
    constant: float


@dataclass(frozen=True)
class _Point:
    """What is known at one x: the privacy parameters, the least σ and the least radius."""

    x: float
    epsilon: float
    delta: float
    queries: float
    sigma: float
    radius: Bracket
    published: float = math.nan

    @property
    def ratio(self) -> float:
        """R/σ, which varies slowly."""
        return self.radius.upper / self.sigma


@dataclass(frozen=True)
class _Line:
    """The line in parameter space along which the curves run."""

    against: str
    fixed: dict[str, float]
    noise: BoundedNoise
    failure_probability: float

    def grid(self) -> FloatArray:
        """Return the x-values."""
        low, high = _RANGES[self.against]
        grid: FloatArray = np.geomspace(low, high, _POINTS)
        if self.against == "delta":  # errors change with √ln(1/δ): most where δ is large
            first, last = math.sqrt(-math.log(low)), math.sqrt(-math.log(high))
            grid = np.exp(-(np.linspace(first, last, _POINTS) ** 2))
        grid[[0, -1]] = low, high
        return np.round(grid) if self.against == "queries" else grid

    def point(self, x: float, *, start: float | None = None) -> _Point:
        """Compute the point at x; `start` is a guess at R/σ."""
        at = self.fixed | {self.against: float(x)}
        sigma = float(gaussian.minimal_sigma(**at))
        guess = None if start is None else start * sigma
        return _Point(float(x), **at, sigma=sigma, radius=_radius(self.noise, **at, start=guess))

    def with_published(self, point: _Point) -> _Point:
        """Return the point with Dagan & Kur's bound on the radius."""
        at = {"epsilon": point.epsilon, "delta": point.delta, "queries": point.queries}
        return replace(point, published=_published_radius(self.noise, **at))

    def here(self) -> ErrorComparison:
        """Return the comparison at the reader's own parameters, without a chart."""
        point = self.with_published(self.point(self.fixed[self.against]))
        tail = {"queries": point.queries, "failure_probability": self.failure_probability}
        one = math.log(2) + float(log_ndtr(-point.ratio))
        return ErrorComparison(
            chart=Chart(AXES[self.against], UNITS["absolute"], ()),
            **self.fixed,
            failure_probability=self.failure_probability,
            radius=point.radius,
            bounded_error=float(max_error(self.noise, point.radius.upper, **tail)),
            gaussian_error=float(gaussian.max_error(point.sigma, **tail)),
            published_radius=point.published,
            exceeded=-math.expm1(point.queries * math.log1p(-math.exp(one))),
        )


# A reader who moves along the x-axis leaves the curve as it is: only the first time costs.
_radius = lru_cache(maxsize=4096)(minimal_radius)
_published_radius = lru_cache(maxsize=4096)(published.dagan_kur_radius)


def _crossings(line: _Line, style: _Style, points: list[_Point]) -> tuple[Mark, ...]:
    """Find where the bounded errors cross the Gaussian one of the reader's β, by root finding."""
    beta = line.failure_probability

    def gaussian_error(point: _Point) -> float:
        return float(
            gaussian.max_error(point.sigma, queries=point.queries, failure_probability=beta)
        )

    def certain(point: _Point) -> float:
        return math.log(point.radius.upper / gaussian_error(point))

    def likely(point: _Point) -> float:
        error = max_error(
            line.noise, point.radius.upper, queries=point.queries, failure_probability=beta
        )
        return math.log(float(error) / gaussian_error(point))

    marks = []
    for gap, words in (
        (certain, "with certainty"),
        (likely, f"at {_percent(beta)}"),
    ):
        values = [gap(point) for point in points]
        for left, right, low, high in zip(points, points[1:], values, values[1:], strict=False):
            if (low > 0) == (high > 0):
                continue

            def at(log_x: float, gap: Any = gap, left: _Point = left) -> float:
                x = math.exp(log_x)
                x = round(x) if line.against == "queries" else x
                return float(gap(line.point(x, start=left.ratio)))

            log_x = brentq(at, math.log(left.x), math.log(right.x), xtol=1e-3)
            crossing = line.point(
                math.ceil(math.exp(log_x)) if line.against == "queries" else math.exp(log_x),
                start=left.ratio,
            )
            side = "from" if high < 0 else "until"
            unit = _unit(style, [crossing])[0]
            text = f"{side} here bounded wins {words}"
            marks.append(Mark(crossing.x, gaussian_error(crossing) / unit, text, Subject.BOUNDED))
    return tuple(marks)


def _unit(style: _Style, points: list[_Point]) -> FloatArray:
    """Return the unit of the y-axis at each point, in Δ."""
    if style.units == "absolute":
        return np.ones(len(points))
    return np.array([math.sqrt(p.queries * -math.log(p.delta)) / p.epsilon for p in points])


def _chart(line: _Line, style: _Style, points: list[_Point], marks: tuple[Mark, ...] = ()) -> Chart:
    x = np.array([p.x for p in points])
    unit = _unit(style, points)
    k = np.array([p.queries for p in points])
    sigma = np.array([p.sigma for p in points])
    lower = np.array([p.radius.lower for p in points])
    upper = np.array([p.radius.upper for p in points])
    beta = line.failure_probability

    def bounded(radius: FloatArray) -> FloatArray:
        return max_error(line.noise, radius, queries=k, failure_probability=beta)

    curves = [
        Curve(
            "bounded_certain",
            "Bounded, certain",
            Subject.BOUNDED,
            Evidence.CERTIFIED,
            _EXACT,
            x,
            upper / unit,
            lower / unit,
            upper / unit,
            weight=1.4,
        ),
        Curve(
            f"bounded_{beta:g}",
            f"Bounded, {_percent(beta)}",
            Subject.BOUNDED,
            Evidence.CERTIFIED,
            _EXACT,
            x,
            bounded(upper) / unit,
            bounded(lower) / unit,
            bounded(upper) / unit,
        ),
    ]
    if style.show_published and any(not math.isnan(p.published) for p in points):
        published_radius = np.array([p.published for p in points])
        curves.append(
            Curve(
                "bounded_published",
                "Bounded, as published",
                Subject.BOUNDED,
                Evidence.PUBLISHED,
                Source("Dagan & Kur", "Algorithms 1 and 2"),
                x,
                published_radius / unit,
            )
        )
        if style.quantile == "published":
            known = np.isfinite(published_radius)
            conservative = np.full(k.shape, math.nan)
            conservative[known] = published.dagan_kur_bounded_max_error(
                line.noise, published_radius[known], queries=k[known], failure_probability=beta
            )
            curves.append(
                Curve(
                    "bounded_published_quantile",
                    f"Bounded, {_percent(beta)}, as published",
                    Subject.BOUNDED,
                    Evidence.PUBLISHED,
                    Source("Dagan & Kur", "Section 10, code"),
                    x,
                    conservative / unit,
                )
            )
    exact = style.quantile == "corrected"
    quantile = gaussian.max_error if exact else published.dagan_kur_gaussian_max_error
    source = ("Balle & Wang 2018", "Algorithm 1") if exact else ("Dagan & Kur", "Figure 1")
    curves += [
        Curve(
            f"gaussian_{level:g}",
            f"Gaussian, {_percent(level)}",
            Subject.GAUSSIAN,
            Evidence.EXACT if exact else Evidence.PUBLISHED,
            Source(*source),
            x,
            quantile(sigma, queries=k, failure_probability=level) / unit,
            weight=1.2 if level == beta else 0.7,
        )
        for level in sorted({0.5, beta, 1e-3, 1e-6}, reverse=True)
    ]
    if style.show_shapes:
        curves += _shapes(style.constant, points, x, unit)
    here = line.fixed[line.against]
    return Chart(AXES[line.against], UNITS[style.units], tuple(curves), marks, here=here)


def _percent(beta: float) -> str:
    """Return 1 − β in per cent, in as many digits as β needs."""
    return f"{100 * (1 - beta):.12g}%"


def _shapes(constant: float, points: list[_Point], x: FloatArray, unit: FloatArray) -> list[Curve]:
    """Return the asymptotic rates the paper compares with, constants dropped."""
    k = np.array([p.queries for p in points])
    delta = np.array([p.delta for p in points])
    epsilon = np.array([p.epsilon for p in points])
    rate = np.sqrt(k * -np.log(delta)) / epsilon
    with np.errstate(invalid="ignore", divide="ignore"):
        twice = np.log(np.log(k))
        thrice = np.log(twice)
        rates = (
            (
                "rate_su16",
                "√(log log k)",
                Subject.EARLIER,
                Source("Steinke & Ullman 2016", "quoted by Dagan & Kur, Section 1"),
                rate * np.sqrt(np.where(twice > 0, twice, np.nan)),
                None,
                "",
            ),
            (
                "rate_gz20",
                "√(log log log k)",
                Subject.EARLIER,
                Source("Ganesh & Zhao 2020", "quoted by Dagan & Kur, Section 1"),
                rate * np.sqrt(np.where(thrice > 0, thrice, np.nan)),
                None,
                "",
            ),
            (
                "rate_lower",
                "no mechanism is below",
                Subject.LOWER_BOUND,
                Source("Steinke & Ullman 2016", "quoted by Dagan & Kur, Section 1"),
                rate,
                -np.log(delta) <= k,
                "δ ≥ e^−k",
            ),
            (
                "rate_unimodal",
                "no unimodal bounded noise is below",
                Subject.LOWER_BOUND,
                Source("Dagan & Kur", "Theorem 8.1"),
                -np.log(delta) * np.log(k),
                epsilon == 1,
                "ε = 1",
            ),
        )
    return [
        Curve(
            key,
            label,
            subject,
            Evidence.ASYMPTOTIC,
            source,
            x,
            constant * values / unit,
            holds=holds,
            assumption=assumption,
        )
        for key, label, subject, source, values, holds, assumption in rates
    ]
