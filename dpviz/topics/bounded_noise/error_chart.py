"""The error curves as a chart: bounded noise, Gaussian noise, rates, and where they cross."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

from dpviz.maths import dagan_kur as published
from dpviz.maths import gaussian
from dpviz.maths.accounting import calibration
from dpviz.maths.bounded_noise import max_error
from dpviz.results.evidence import (
    Axis,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Landmark,
    Source,
    Subject,
)
from dpviz.topics.bounded_noise.error_points import DRAFT, Line, Point, in_order
from dpviz.topics.bounded_noise.tuned_and_converse import converse_curve

AXES = {
    "queries": Axis("queries", "Queries answered, k"),
    "epsilon": Axis("epsilon", "Privacy loss, ε"),
    "delta": Axis("delta", "Slack added to every probability, δ"),
}
UNITS = {
    "ratio": Axis("error", "Error", log=False, unit="Δ√(k ln 1/δ)/ε"),
    "absolute": Axis("error", "Error", unit="Δ"),
    "gaussian": Axis("error", "Limit on all errors (Gaussian noise’s is 1)", relative=True),
}
QUANTILES = ("corrected", "published")

CERTAINLY = "with certainty"
"""How sure bounded noise wins at the crossing that its hard bound has."""
_TRIED, _NEAR = 4, 0.2  # radii that foresee crossings, and how near to one of them is known well
_FINE = 65  # places between which a gap that is foreseen is straight
_BELOW = 0.995  # of the k at which limits cross, where the bounded one is still clearly above
_PAPER = "quoted by Dagan & Kur, Section 1"


@dataclass(frozen=True)
class Style:
    """What the reader wants to see of the comparison."""

    units: str
    quantile: str
    show_published: bool
    show_shapes: bool
    constant: float
    show_converse: bool = False


def chart(
    line: Line,
    style: Style,
    points: Sequence[Point],
    marks: tuple[Landmark, ...] = (),
    more: Sequence[Point] = (),
) -> Chart:
    """Return the curves through the points; those that need no radius go through more of them."""
    seen = _Seen.of(line, style, points)
    wide = _Seen.of(line, style, in_order([*more, *points])) if more else seen
    curves = seen.bounded()
    if style.show_published and not np.isnan(seen.published).all():
        curves += seen.as_published()
    curves += wide.gaussian()
    if style.show_shapes:
        curves += wide.rates()
    if style.show_converse:
        curves.append(converse_curve(points, seen.unit))
    here = line.fixed[line.against]
    depends = repr((line.depends, style))
    curves = [replace(curve, depends=depends) for curve in curves]
    headline = ("bounded_certain", f"gaussian_{line.failure_probability:g}")
    return Chart(AXES[line.against], UNITS[style.units], tuple(curves), marks, here, headline)


@dataclass(frozen=True, eq=False)
class _Seen:
    """Points as columns: the privacy parameters, σ, the radii, and the unit of the y-axis."""

    line: Line
    style: Style
    x: FloatArray
    epsilon: FloatArray
    delta: FloatArray
    queries: FloatArray
    sigma: FloatArray
    lower: FloatArray
    upper: FloatArray
    published: FloatArray
    unit: FloatArray

    @classmethod
    def of(cls, line: Line, style: Style, points: Sequence[Point]) -> "_Seen":
        """Set the columns up."""
        names = ("x", "epsilon", "delta", "queries", "sigma", "published")
        columns = {name: np.array([getattr(p, name) for p in points]) for name in names}
        lower = np.array([p.radius.lower for p in points])
        upper = np.array([p.radius.upper for p in points])
        unit = unit_of(line, style, points)
        return cls(line, style, lower=lower, upper=upper, unit=unit, **columns)

    def bounded(self) -> list[Curve]:
        """Return what bounded errors never exceed, and what they seldom do."""
        beta = self.line.failure_probability

        def likely(radius: FloatArray) -> FloatArray:
            noise, k = self.line.noise, self.queries
            return max_error(noise, radius, queries=k, failure_probability=beta) / self.unit

        above, below = self.upper / self.unit, self.lower / self.unit
        most, least = likely(self.upper), likely(self.lower)
        looks = (Subject.BOUNDED, Evidence.CERTIFIED, calibration.SOURCE, self.x)
        return [
            Curve(
                "bounded_certain",
                "Bounded, one by one, certain",
                *looks,
                above,
                below,
                above,
                weight=1.4,
            ),
            Curve(f"bounded_{beta:g}", f"Bounded, {percent(beta)}", *looks, most, least, most),
        ]

    def as_published(self) -> list[Curve]:
        """Return the same by Dagan & Kur's bound on the radius."""
        beta, radius = self.line.failure_probability, self.published
        looks = (Subject.BOUNDED, Evidence.PUBLISHED)
        curves = [
            Curve(
                "bounded_published",
                "Bounded, as published",
                *looks,
                Source("Dagan & Kur", "Algorithms 1 and 2"),
                self.x,
                radius / self.unit,
            )
        ]
        if self.style.quantile == "published":
            finite = np.isfinite(radius)
            conservative = np.full(radius.shape, math.nan)
            conservative[finite] = published.dagan_kur_bounded_max_error(
                self.line.noise,
                radius[finite],
                queries=self.queries[finite],
                failure_probability=beta,
            )
            curves.append(
                Curve(
                    "bounded_published_quantile",
                    f"Bounded, {percent(beta)}, as published",
                    *looks,
                    Source("Dagan & Kur", "Section 10, code"),
                    self.x,
                    conservative / self.unit,
                )
            )
        return curves

    def gaussian(self) -> list[Curve]:
        """Return the Gaussian error at the reader's β and at three others."""
        beta, k = self.line.failure_probability, self.queries
        exact = self.style.quantile == "corrected"
        quantile = gaussian.max_error if exact else published.dagan_kur_gaussian_max_error
        source = ("Balle & Wang 2018", "Algorithm 1") if exact else ("Dagan & Kur", "Figure 1")
        return [
            Curve(
                f"gaussian_{level:g}",
                f"Gaussian, {percent(level)}",
                Subject.GAUSSIAN,
                Evidence.EXACT if exact else Evidence.PUBLISHED,
                Source(*source),
                self.x,
                quantile(self.sigma, queries=k, failure_probability=level) / self.unit,
                weight=1.2 if level == beta else 0.55 if level == 0.5 else 0.75,
                second=level == 1e-3 != beta,
            )
            for level in sorted({0.5, beta, 1e-3, 1e-6}, reverse=True)
        ]

    def rates(self) -> list[Curve]:
        """Return the asymptotic rates the paper compares with, constants dropped."""
        logs = np.log(self.queries), -np.log(self.delta)
        rate = np.sqrt(self.queries * logs[1]) / self.epsilon
        with np.errstate(invalid="ignore", divide="ignore"):
            twice = np.log(logs[0])
            thrice = np.log(twice)
            earlier = [
                rate * np.sqrt(np.where(value > 0, value, np.nan)) for value in (twice, thrice)
            ]
        su16, gz20 = Source("Steinke & Ullman 2016", _PAPER), Source("Ganesh & Zhao 2020", _PAPER)
        unimodal = Source("Dagan & Kur", "Theorem 8.1")
        return [
            self._rate("rate_su16", "√(log log k)", su16, earlier[0]),
            self._rate("rate_gz20", "√(log log log k)", gz20, earlier[1]),
            self._floor(
                "rate_lower", "no mechanism", su16, rate, logs[1] <= self.queries, "δ ≥ e^−k"
            ),
            self._floor(
                "rate_unimodal",
                "no unimodal bounded noise",
                unimodal,
                logs[0] * logs[1],
                self.epsilon == 1,
                "ε = 1",
            ),
        ]

    def _rate(self, key: str, label: str, source: Source, values: FloatArray) -> Curve:
        y = self.style.constant * values / self.unit
        return Curve(key, label, Subject.EARLIER, Evidence.ASYMPTOTIC, source, self.x, y)

    def _floor(
        self,
        key: str,
        who: str,
        source: Source,
        values: FloatArray,
        holds: NDArray[np.bool_],
        assumption: str,
    ) -> Curve:
        drawn = self._rate(key, f"{who} is below", source, values)
        return replace(drawn, subject=Subject.LOWER_BOUND, holds=holds, assumption=assumption)


def crossings(line: Line, style: Style, points: Sequence[Point]) -> tuple[Landmark, ...]:
    """Find where the bounded errors cross the Gaussian one of the reader's β, by root finding."""
    ratios = np.array([p.log_ratio for p in points])
    gaps = _gaps(line, np.array([p.queries for p in points]))
    return tuple(
        _mark(style, line, _crossing(line, words, points[i], points[i + 1]), words, gap[i + 1] < 0)
        for words, gap in ((words, ratios + gap) for words, gap in gaps.items())
        for i in _changes(gap)
    )


def winning(
    line: Line, points: Sequence[Point], marks: Sequence[Landmark]
) -> tuple[float, float] | None:
    """Return up to which k bounded noise's hard bound is certified above, from which on below.

    Than the Gaussian error of the reader's β, at the points and at both k, which are round and
    beside the crossing. Those are (0, first) where it always is below, (last, infinity) where it
    never is. None along other parameters, and where some point is undecided or they change twice.
    """
    if line.against != "queries":
        return None
    computed = {point.x: point for point in points}
    for mark in marks:
        if mark.text.endswith(CERTAINLY):
            x, step = mark.x, 10.0 ** math.floor(math.log10(mark.x) - 1)
            left = max((p for p in points if p.x < x), key=lambda p: p.x)
            right = min((p for p in points if p.x >= x), key=lambda p: p.x)
            for end in (math.floor(_BELOW * x / step) * step, math.ceil(x / step) * step):
                if left.x < end < right.x:
                    computed[end] = line.point(end, left, right)
    ordered = in_order(list(computed.values()))
    gaussian_errors = [_gaussian_error(line, point) for point in ordered]
    pairs = list(zip(ordered, gaussian_errors, strict=True))
    above = [point.radius.lower > error for point, error in pairs]
    below = [point.radius.upper < error for point, error in pairs]
    first = sum(above)
    if above != sorted(above, reverse=True) or not all(below[first:]):
        return None
    low = ordered[first - 1].x if first else 0.0
    return low, ordered[first].x if first < len(ordered) else math.inf


def crossings_foreseen(line: Line, style: Style, points: Sequence[Point]) -> tuple[Landmark, ...]:
    """Return the same to within a few pixels and in moments: what a note stands at meanwhile.

    points: of a draft, whose ends alone count: wherever between them the reader is, it is the same.
    Radii are computed where crossings seem to be, and told between them by their ratio to σ.
    """
    computed = [points[0], points[-1]]
    fine = _Fine.between(line, *computed)
    for _ in range(_TRIED):
        places = _place(line, np.array([p.x for p in computed]))
        found = np.array([x for x, *_ in fine.crossings(computed)])
        apart = np.abs(_place(line, found)[:, None] - places).min(axis=1)
        if apart.max(initial=0.0) < _NEAR:
            break
        x = float(found[np.argmax(apart)])
        computed = in_order([*computed, line.point(x, width=DRAFT)])
    closing = fine.crossings(computed)
    at = line.without_radii(np.array([x for x, *_ in closing]))
    return tuple(
        _mark(style, line, point, words, wins)
        for point, (_, words, wins) in zip(at, closing, strict=True)
    )


@dataclass(frozen=True)
class _Fine:
    """Many places of a line, in order: where `_place` has them, x there, the gaps at R = σ."""

    line: Line
    place: FloatArray
    x: FloatArray
    gaps: Mapping[str, FloatArray]

    @classmethod
    def between(cls, line: Line, first: Point, last: Point) -> "_Fine":
        ends = _place(line, np.array([first.x, last.x]))
        place = np.linspace(ends[0], ends[1], _FINE)
        x = np.clip(_at_place(line, place), first.x, last.x)
        is_whole = line.against == "queries"
        queries = np.round(x) if is_whole else np.full(x.shape, line.fixed["queries"])
        return cls(line, place, x, _gaps(line, queries))

    def crossings(self, computed: Sequence[Point]) -> list[tuple[float, str, bool]]:
        """Return where gaps seem to close, which, and whether bounded errors are less from there.

        The ratio of radius and σ is told between known points, not proven.
        """
        line, x, place = self.line, self.x, self.place
        at = _place(line, np.array([p.x for p in computed]))
        ratio = PchipInterpolator(at, [math.log(p.radius.midpoint / p.sigma) for p in computed])(
            place
        )
        found = []
        for words, rest in self.gaps.items():
            gap = ratio + rest
            for i in _changes(gap):
                closes = place[i] + (place[i + 1] - place[i]) * gap[i] / (gap[i] - gap[i + 1])
                there = min(max(float(_at_place(line, closes)), x[i]), x[i + 1])
                to = float(math.ceil(there)) if line.against == "queries" else there
                found.append((to, words, gap[i + 1] < 0))
        return found


def _place(line: Line, x: FloatArray) -> FloatArray:
    """Return where on a line the ratio of radius and σ changes about evenly."""
    return -np.log(-np.log(x)) if line.against == "delta" else np.log(x)


def _at_place(line: Line, place: FloatArray) -> FloatArray:
    """Return the inverse of `_place`."""
    return np.exp(-np.exp(-place)) if line.against == "delta" else np.exp(place)


def _changes(gap: FloatArray) -> list[int]:
    """Return after which of its places a gap opens or closes."""
    found: list[int] = np.flatnonzero((gap[:-1] > 0) != (gap[1:] > 0)).tolist()
    return found


def _gaps(line: Line, queries: FloatArray) -> dict[str, FloatArray]:
    """Return by how much log R/σ is below the gap that it leaves, by how sure the errors are.

    A gap is by how much the bounded errors exceed the Gaussian one, in logarithms.
    """
    beta = line.failure_probability
    tail: dict[str, Any] = {"queries": queries, "failure_probability": beta}
    certain = -np.log(gaussian.max_error(1.0, **tail))
    likely = certain + np.log(max_error(line.noise, 1.0, **tail))
    return {CERTAINLY: certain, f"at {percent(beta)}": likely}


def _mark(style: Style, line: Line, crossing: Point, words: str, wins: bool) -> Landmark:
    """Return the note at a crossing; wins: whether bounded noise does after it, or before."""
    y = _gaussian_error(line, crossing) / unit_of(line, style, [crossing])[0]
    side = "from" if wins else "until"
    text = f"{side} here bounded wins {words}"
    return Landmark(crossing.x, y, text, Subject.BOUNDED, roomy=words != CERTAINLY)


def _crossing(line: Line, words: str, left: Point, right: Point) -> Point:
    """Return the point between two others at which a gap closes; at whole k the one after it."""
    is_whole = line.against == "queries"
    ends = {math.log(end.x): end for end in (left, right)}

    def at(log_x: float) -> float:
        x = math.exp(log_x)
        point = ends.get(log_x) or line.point(round(x) if is_whole else x, left, right)
        return point.log_ratio + float(_gaps(line, np.array([point.queries]))[words][0])

    root = math.exp(brentq(at, min(ends), max(ends), xtol=1e-3))
    x = min(max(root, left.x), right.x)  # as far as rounding goes
    return line.point(math.ceil(x) if is_whole else x, left, right)


def _gaussian_error(line: Line, point: Point) -> float:
    tail = {"queries": point.queries, "failure_probability": line.failure_probability}
    return float(gaussian.max_error(point.sigma, **tail))


def unit_of(line: Line, style: Style, points: Sequence[Point]) -> FloatArray:
    """Return the unit of the y-axis at each point, in Δ."""
    if style.units == "absolute":
        return np.ones(len(points))
    if style.units == "gaussian":
        sigma, queries = (
            np.array([getattr(p, key) for p in points]) for key in ("sigma", "queries")
        )
        beta = line.failure_probability
        most = gaussian.max_error(sigma, queries=queries, failure_probability=beta)
        return np.asarray(most, dtype=float)
    return np.array([math.sqrt(p.queries * -math.log(p.delta)) / p.epsilon for p in points])


def percent(beta: float) -> str:
    """Return 1 − β in per cent, in as many digits as β needs."""
    return f"{100 * (1 - beta):.12g}%"
