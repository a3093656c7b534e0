"""Certified bounds on log δ for k answers together."""

import math
from typing import NamedTuple

import numpy as np

from dpviz.maths.accounting import lattice
from dpviz.maths.accounting.answer import (
    NEARLY_ONE,
    ROUNDING,
    Cut,
    LogBounds,
    Problem,
    choose_cut,
    cut_at,
    one_query,
)
from dpviz.maths.accounting.band import Band
from dpviz.maths.accounting.contour import Contour
from dpviz.results.refining import Steps, in_steps

_FEW_QUERIES = 30
_MOST_STEPS = 20
_NEGLIGIBLE = -700.0  # log δ: less than any δ of the table of limits


def log_delta(problem: Problem, tolerance: float, goal: float | None = None) -> LogBounds:
    """Return certified bounds on log δ.

    goal: bounds that are rough, but on one side of it, will do.

    tolerance: the error in log δ that each of a handful of sources may contribute, as far as
    the work it takes is bearable. Where log δ < −700, an upper bound is enough.
    """
    if problem.is_apart:
        return LogBounds(NEARLY_ONE, 0.0)
    if problem.queries == 1:
        return one_query(problem)
    scale = -10.0 if goal is None else goal
    for _ in range(8 if goal is None else 0):
        (scale, _cut), before = rough_log_delta(problem, scale), scale
        if abs(scale - before) < 4:
            break
    descent, lower, upper = 10.0, -math.inf, 0.0
    scales = [scale]
    for _ in range(20):
        bounds, _cut = composed(problem, scale, tolerance)
        lower, upper = max(lower, bounds.lower), min(upper, bounds.upper)
        if upper < _NEGLIGIBLE:
            return LogBounds(-math.inf, upper)
        if upper - lower < 30 * tolerance:
            break
        is_settled = goal is not None and not lower <= goal < upper
        if is_settled and (upper - lower < 1 or len(scales) > 2):
            break
        # errors are in units of e^scale: far below they swamp δ, far above there are too many
        if upper < scale:
            scale, descent = min(upper, scale - descent), 1.5 * descent
        elif min(abs(upper - other) for other in scales) > 1:
            scale = upper
        else:
            scale, descent = (max(lower, upper - descent) + upper) / 2, 1.5 * descent
        scales.append(scale)
    return LogBounds(lower, upper)


def rough_log_delta(problem: Problem, scale: float, near: Cut | None = None) -> tuple[float, Cut]:
    """Return log δ by Laplace's approximation at the saddle point, and the cut.

    It is good to a few units if it is about `scale`, and below that if log δ is. near: the cut of
    a neighbouring problem.
    """
    cut = choose_cut(problem, scale - 7, near)
    if problem.queries * cut.loss <= problem.epsilon:
        return cut.log_any, cut
    laplace = Band(problem, cut).log_laplace
    return min(0.0, float(np.logaddexp(laplace, cut.outside(problem.epsilon)))), cut


@in_steps
def composed(
    problem: Problem, scale: float, tolerance: float, near: Cut | None = None
) -> Steps[tuple[LogBounds, Cut]]:
    """Return bounds on log δ for k ≥ 2, with errors of about `tolerance` times e^scale.

    Returns the cut as well: it may serve a neighbouring problem, as `near`.
    """
    cut = choose_cut(problem, math.log(tolerance) + scale, near)
    outside = cut.outside(problem.epsilon)
    if problem.queries * cut.loss <= problem.epsilon:  # then Λ ≤ ε on G, and δ_G = 0
        return LogBounds(outside, cut.log_any), cut
    inside = yield from _sum_of_bands(Band(problem, cut), max(outside, scale), tolerance)
    upper = min(
        float(np.logaddexp(inside.upper, cut.log_any)),
        float(np.logaddexp(np.logaddexp(inside.upper, outside), cut.log_price)),
    )
    return LogBounds(float(np.logaddexp(inside.lower, outside)), min(upper, 0.0)), cut


def _sum_of_bands(undivided: Band, scale: float, tolerance: float) -> Steps[LogBounds]:
    """Return bounds on log δ_G, from bands of the largest loss where one does not do.

    With heavy-tailed losses and a tiny δ, under the tilt, Λ is small if no answer is extreme and
    far above ε if one is. What little lies between the two is δ_G: less than rounding errors of the
    peak. Between closer levels of the largest loss the tilted law has a single peak.
    """
    parts = [_estimated(undivided)]
    for _ in range(_MOST_STEPS):
        total = _total(parts)
        unit = max(scale, total.lower)
        widths = [_exp(part.bounds.upper - unit) - _exp(part.bounds.lower - unit) for part in parts]
        # far above the scale it only matters that δ is
        if sum(widths) <= (20 * tolerance if total.lower < scale + 3 else 0.5):
            break
        part = parts.pop(int(np.argmax(widths)))
        # rounding errors of its peak may swamp a band: no need to compute it
        noise = part.band.log_laplace + math.log(100 * ROUNDING)
        if part.is_computed or noise > unit + math.log(20 * tolerance):
            parts += [_estimated(half) for half in _split(part.band)]
        else:
            yield
            bounds = yield from _bounds(part.band, unit, tolerance)
            parts.append(_Part(part.band, bounds, True))
    return _total(parts)


class _Part(NamedTuple):
    """A band, bounds on log of its part of δ, and whether better ones are to be had."""

    band: Band
    bounds: LogBounds
    is_computed: bool


def _estimated(band: Band) -> _Part:
    """Return a band with the bounds that cost nothing."""
    return _Part(band, LogBounds(-math.inf, band.log_chernoff), False)


def _total(parts: list[_Part]) -> LogBounds:
    """Return bounds on log of the sum."""
    lower = np.logaddexp.reduce([part.bounds.lower for part in parts])
    upper = np.logaddexp.reduce([part.bounds.upper for part in parts])
    return LogBounds(float(lower), float(upper))


def _bounds(band: Band, scale: float, tolerance: float) -> Steps[LogBounds]:
    """Return certified bounds on log of the band's part of δ; errors in units of e^scale."""
    if band.share < 1e-280:  # under its own tilt the band has no mass to integrate
        return LogBounds(-math.inf, band.log_chernoff)
    target = tolerance * _exp(scale - band.peak)
    if band.problem.queries < _FEW_QUERIES:
        spare = _exp(min(max(scale - band.log_laplace - 3, 0.0), 20.0))  # Laplace is rough
        rough = min(4 * tolerance * spare, 0.5)
        bounds = yield from lattice.log_bounds(band, rough, target)
    else:
        bounds = yield from Contour(band, target).log_bounds()
    upper = min(bounds.upper, band.log_chernoff)
    return LogBounds(min(bounds.lower, upper), upper)


def _split(band: Band) -> tuple[Band, Band]:
    """Split a band: at the valley of its tilted law, or halfway between its levels."""
    loss, y = band.nodes.loss, band.nodes.y
    density = band.nodes.log_density + band.c * loss - np.log(np.gradient(loss, y))
    first = max(band.first, int(np.searchsorted(loss, 0.0)))
    valley = first + int(np.argmin(density[first:]))
    middle = float(np.interp((loss[first] + loss[-1]) / 2, loss, y))
    if band.low is None and first < valley < loss.size - 1:
        middle = float(y[valley])
    return (
        Band(band.problem, cut_at(band.problem, middle), band.low, band.c),
        Band(band.problem, band.top, middle, band.c),
    )


def _exp(x: float) -> float:
    return math.exp(min(max(x, -700.0), 700.0))
