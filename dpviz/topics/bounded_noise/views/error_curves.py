"""How large an error k answers carry, bounded against Gaussian noise of the same privacy.

The setting of Dagan & Kur, Section 5 and Figure 1, with the least radius that is private (exact)
beside the radius of their own method.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import log_ndtr

from dpviz.maths import gaussian
from dpviz.maths.bounded_noise import shaped_noise
from dpviz.results.evidence import Bracket, Chart, Curve, FloatArray, Landmark
from dpviz.results.parameters import ParameterError, validate
from dpviz.results.refining import Pace, paused
from dpviz.topics.bounded_noise.error_chart import (
    AXES,
    QUANTILES,
    UNITS,
    Style,
    chart,
    crossings,
    crossings_foreseen,
    unit_of,
    winning,
)
from dpviz.topics.bounded_noise.error_points import OWN_DRAFT, Line, Point
from dpviz.topics.bounded_noise.tuned_and_converse import (
    together_curve,
    together_radius,
    tuned_curves,
)

_FIRST = 3  # points of the first curves


@dataclass(frozen=True, eq=False, kw_only=True)
class ErrorComparison(Chart):
    """Both kinds of noise at the reader's parameters, and along one of them.

    radius: certified bounds on the least radius, in units of Δ; gaussian_error: what the largest
    of k errors exceeds with probability β; published_radius: Dagan & Kur's upper bound, NaN in
    the first result; exceeded: the probability that a Gaussian error exceeds the radius. wins:
    see `winning`, None until it is known.
    """

    epsilon: float
    delta: float
    queries: float
    failure_probability: float
    radius: Bracket
    gaussian_error: float
    published_radius: float
    exceeded: float
    wins: tuple[float, float] | None = None


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
    show_tuned: bool = False,
    show_converse: bool = False,
) -> Iterator[ErrorComparison]:
    """Yield the largest error among k answers along one parameter, coarse to fine.

    against: the parameter on the x-axis ("queries", "epsilon" or "delta"); the other two, like
    p = power, keep their value. failure_probability: β; "corrected" quantiles are the exact
    ones, "published" those behind the paper's Figure 1 (see `dpviz.maths.dagan_kur`). units:
    "absolute" counts errors in Δ, "ratio" in Δ√(k ln 1/δ)/ε, "gaussian" in what the largest of k
    Gaussian errors exceeds with probability β. constant: the hidden constant of
    the asymptotic shapes. show_tuned: the radius of the best tuned noise as well
    (`dpviz.maths.accounting.tuning`); show_converse: the radius below which no independent noise is
    private (`dpviz.maths.noise_converse`). With the former comes noise drawn together
    (`dpviz.maths.joint_noise`), up to twice the bounded noise. The first result has three points
    with radii, between certified bounds that are `OWN_DRAFT` and `DRAFT` apart; then all are as
    narrow as in the last.
    Δ, the sensitivity, is the most by which substituting one person's record moves an answer.
    Raises `ParameterError`.
    """
    for name, value, allowed in (
        ("against", against, AXES),
        ("units", units, UNITS),
        ("quantile", quantile, QUANTILES),
    ):
        if value not in allowed:
            raise ParameterError(name, f"one of {', '.join(allowed)}", value)
    beta = validate("failure_probability", failure_probability)
    line = Line(
        against,
        {
            "epsilon": validate("epsilon", epsilon),
            "delta": validate("delta", delta),
            "queries": validate("queries", queries),
        },
        shaped_noise(shape, power=power),
        beta,
    )
    size = validate("constant", constant)
    points: list[Point] = []
    style = Style(units, quantile, show_published, show_shapes, size, show_converse)
    pace, x = Pace(), line.fixed[against]
    own = line.point(x, width=OWN_DRAFT)
    more = line.without_radii(line.grid())
    draft = line.draft(own)
    marks = crossings_foreseen(line, style, draft)
    shown = _compared(line, own, chart(line, style, draft, marks, more))
    yield shown
    own = line.with_published((yield from paused(line.point_steps(x), pace, shown)))
    for more_points in line.points(own):
        points = more_points or points
        if not pace.due():
            continue
        if more_points is not None and len(more_points) > _FIRST:
            shown = _compared(line, own, chart(line, style, more_points, marks, more))
        yield shown
    marks = crossings(line, style, points)
    wins = winning(line, points, marks)
    for drawn in _finished(line, style, points, marks, pace, show_tuned=show_tuned):
        yield replace(_compared(line, own, drawn), wins=wins)


def _finished(
    line: Line,
    style: Style,
    points: list[Point],
    marks: tuple[Landmark, ...],
    pace: Pace,
    *,
    show_tuned: bool,
) -> Iterator[Chart]:
    """Yield the chart of all points as what the reader wants beside them is computed."""
    if style.show_published:
        yield chart(line, style, points, marks)
        for i, point in enumerate(points):
            points[i] = line.with_published(point)
            if pace.due():
                yield chart(line, style, points, marks)
    whole = chart(line, style, points, marks)
    if not show_tuned:
        yield whole
        return
    unit = unit_of(line, style, points)
    for tuned in tuned_curves(points, unit):
        yield replace(whole, curves=(*whole.curves, tuned))
    radii = []
    for point in points:
        radii.append(together_radius(point.epsilon, point.delta, point.queries))
        if pace.due():
            yield replace(whole, curves=(*whole.curves, tuned))
    yield replace(whole, curves=(*whole.curves, tuned, _together(points, radii, unit)))


def _together(points: Sequence[Point], radii: Sequence[Bracket | None], unit: FloatArray) -> Curve:
    """Return what noise drawn together never exceeds, along the points."""
    pairs = zip(radii, unit.tolist(), strict=True)
    ratios = [r and Bracket(r.lower / one, r.upper / one) for r, one in pairs]
    beside = np.array([point.radius.upper for point in points]) / unit
    curve = together_curve(np.array([point.x for point in points]), ratios, beside)
    return replace(curve, label="Drawn together, certain", weight=0.7)


def _compared(line: Line, point: Point, drawn: Chart) -> ErrorComparison:
    """Return a chart with the comparison at the reader's own parameters, which is `point`."""
    beta = line.failure_probability
    tail = {"queries": point.queries, "failure_probability": beta}
    fixed: dict[str, Any] = line.fixed
    one = math.log(2) + float(log_ndtr(-point.radius.upper / point.sigma))
    return ErrorComparison.of(
        drawn,
        **fixed,
        failure_probability=beta,
        radius=point.radius,
        gaussian_error=float(gaussian.max_error(point.sigma, **tail)),
        published_radius=point.published,
        exceeded=-math.expm1(point.queries * math.log1p(-math.exp(one))),
    )
