"""What a chart in part shows, while a control moves or a computation goes on: nothing false.

A line is drawn through points that are close enough to tell the curve between them; other points
are drawn as points. Behind them, and for curves of which nothing is known yet, stands the curve of
the figure before, faded. So curves, labels and axes stay while the new ones come.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dpviz.plot import obstacles
from dpviz.plot.axes import Scale
from dpviz.results.evidence import Chart, Curve, Evidence, FloatArray, Landmark

FADED = 0.3  # opacity of a curve that the figure before showed
_WITHIN = 1.5  # pixels between a curve and the line through its points, by estimate: half a line
_FEWEST = 5  # points that a curve needs before its gaps can be judged
_AS_FINE = 0.8  # share of the points of its predecessor with which a curve replaces it
_AS_LONG = 0.97  # share of its length along x
_TALL = 500  # pixels of a plot, about the highest there is
_MANY = 60  # points from which on a curve without a predecessor is joined
_NUMBERS = re.compile(r"[\d.,×−⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+")


@dataclass(frozen=True, eq=False)
class PartialCurve:
    """A curve of a chart, as far as it is known.

    now: what is known of it, None for nothing. joined: whether lines join its points, or until that
    is judged, whether there are as many as before. before: the curve of the figure before, which
    stands in, faded; None where none is needed, or there is none.
    """

    now: Curve | None
    joined: bool = True
    before: Curve | None = None

    @property
    def key(self) -> str:
        """The key of the curve, as the newest figure has it."""
        return (self.now or self.labelled).key

    @property
    def stands(self) -> bool:
        """Whether the curve of the figure before is this one, all of it."""
        now, before = self.now, self.before
        if now is None or before is None:
            return False
        return bool(now.depends) and now.depends == before.depends

    @property
    def labelled(self) -> Curve:
        """The curve at whose end the label stands."""
        curve = self.before or self.now
        assert curve is not None
        return curve


def stand_in(chart: Chart, before: Sequence[Chart]) -> Chart | None:
    """Return which chart of the figure before is this one: on its axes, with most of its curves."""
    keys = {curve.key for curve in chart.curves}
    candidates = [one for one in before if _same_axes(one, chart)]
    return max(candidates, key=lambda one: len(keys & {c.key for c in one.curves}), default=None)


def begun(chart: Chart, before: Chart | None) -> list[PartialCurve]:
    """Return the curves of a chart in part, each with the one before if that knows more."""
    curves = [curve for curve in chart.curves if np.isfinite(curve.y).any()]
    if before is None or (curves and _elsewhere(curves, before.curves)):
        return [PartialCurve(curve) for curve in chart.curves]
    after = {id(then): now for now, then in _pairs(curves, before.curves)}
    parts = []
    for then in before.curves:
        now = after.get(id(then))
        fine = now is not None and _points(now) >= _AS_FINE * _points(then)
        simulated = now is not None and now.evidence is Evidence.SIMULATED
        # Until points get to where their label stands, it stays with those of the figure before.
        there = now is not None and _last(now) >= _last(then)
        parts.append(
            PartialCurve(now, joined=fine, before=None if fine and simulated and there else then)
        )
    old = {id(now) for now in after.values()}
    return [*parts, *(PartialCurve(curve) for curve in curves if id(curve) not in old)]


def drawn_by_now(chart: Chart) -> Chart:
    """Return a chart in part with the curves alone that may stand in for others, as lines.

    They are judged on axes of their own.
    """
    if not chart.curves:
        return chart
    x, y = (
        Scale.of(axis, np.concatenate([getattr(curve, name) for curve in chart.curves]), 0.0)
        for axis, name in ((chart.x, "x"), (chart.y, "y"))
    )
    parts = [_judged(PartialCurve(curve), x, y, _TALL) for curve in chart.curves]
    kept = tuple(part.now for part in parts if part.joined and part.now is not None)
    return replace(chart, curves=kept)


def judged(parts: Sequence[PartialCurve], x: Scale, y: Scale, height: float) -> list[PartialCurve]:
    """Return the parts, each joined if its points are close enough on these axes.

    height: of the plot, in pixels.
    """
    return [_judged(part, x, y, height) for part in parts]


def landmarks(chart: Chart, before: Chart | None) -> tuple[Landmark, ...]:
    """Return the landmarks of the figure before that stand in for those not known yet."""
    if before is None:
        return ()
    texts = {numberless(one.text) for one in chart.landmarks}
    return tuple(one for one in before.landmarks if numberless(one.text) not in texts)


def numberless(text: str) -> str:
    """Return what words say, whatever the numbers in them."""
    return _NUMBERS.sub("", text)


def _judged(part: PartialCurve, x: Scale, y: Scale, height: float) -> PartialCurve:
    if part.now is None or part.now.evidence is Evidence.SIMULATED:
        return part
    if part.joined and _points(part.now) > _MANY:
        return PartialCurve(part.now)
    points = obstacles.points(part.now, x, y)
    close = points.shape[1] >= _FEWEST and _gap(points, y, height) <= _WITHIN
    if part.now.steps:  # it may jump wherever it is not known
        close = bool(np.isfinite(part.now.y).all())
    if part.before is None:
        return replace(part, joined=close)
    then = obstacles.points(part.before, x, y)[0]
    reach = np.ptp(points[0]) if points.size else 0.0  # all of it may be outside the axes
    long = part.joined or not then.size or reach >= _AS_LONG * np.ptp(then)
    return PartialCurve(part.now) if close and long else replace(part, joined=False)


def _gap(points: FloatArray, y: Scale, height: float) -> float:
    """Return about how far, in pixels, a smooth curve is from the lines between its points.

    By its curvature at each point, told by the two neighbours: a curve is f″h²/8 from a chord of
    width h.
    """
    steps = np.diff(points[0])
    if (steps <= 0).any():  # no function of x
        return 0.0
    before, after = steps[:-1], steps[1:]
    slopes = np.diff(points[1]) / steps
    curvature = 2 * np.abs(np.diff(slopes)) / (before + after)
    gaps = curvature * np.maximum(before, after) ** 2 / 8
    return float(gaps.max(initial=0.0)) * height / (y.high - y.low)


def _same_axes(one: Chart, other: Chart) -> bool:
    """Whether both measure the same, however far their axes go."""
    measured = [(c.x.name, c.y.name, c.y.label, c.y.unit, c.y.log) for c in (one, other)]
    return measured[0] == measured[1]


def _elsewhere(now: Sequence[Curve], then: Sequence[Curve]) -> bool:
    """Return whether less than half of what is looked at was in sight before."""
    (low, high), (left, right) = map(_span, (now, then))
    return min(high, right) - max(low, left) < (high - low) / 2


def _span(curves: Sequence[Curve]) -> tuple[float, float]:
    """Return from where to where curves are known, in logarithms if that may be."""
    finite = np.concatenate([np.empty(0), *(curve.x[np.isfinite(curve.y)] for curve in curves)])
    if (finite > 0).all():
        finite = np.log(finite)
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)


def _last(curve: Curve) -> float:
    return float(curve.x[np.isfinite(curve.y)].max(initial=-math.inf))


def _points(curve: Curve) -> int:
    return int(np.isfinite(curve.y).sum())


def _pairs(now: Sequence[Curve], then: Sequence[Curve]) -> list[tuple[Curve, Curve]]:
    """Return which curve is which: by the key, else the first of its kind that is left.

    Some keys name a parameter, and change with it.
    """
    by_key = {curve.key: curve for curve in then}
    pairs = [(curve, by_key[curve.key]) for curve in now if curve.key in by_key]
    left = [curve for curve in then if curve.key not in {one.key for one, _ in pairs}]
    for curve in now:
        if curve.key in by_key:
            continue
        like = next((other for other in left if _kind(other) == _kind(curve)), None)
        if like is not None:
            left.remove(like)
            pairs.append((curve, like))
    return pairs


def _kind(curve: Curve) -> tuple[object, ...]:
    return curve.subject, curve.evidence, curve.source, curve.second
