"""Shift: where private and public data lie, and what the error is as they move apart."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.plot import partial_chart
from dpviz.plot.marks import Bars, Dots, Mark, Rule, tinted
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import percent, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Curve, Subject
from dpviz.scene.view import View
from dpviz.topics.public_data.excess_errors_shown import (
    compared,
    digits_at,
    error_notes,
    written,
)
from dpviz.topics.public_data.experiment_shown import (
    SETTING,
    idle_of_learner,
    learners_that_suit,
    most_of_task,
)
from dpviz.topics.public_data.learners import LEARNERS
from dpviz.topics.public_data.learners_shown import CALLED
from dpviz.topics.public_data.views.error_against_shift import ShiftChart, error_against_shift

_BETWEEN = 0.3  # opacity of the bars that the sentence is not about
_SAID, _UNSAID = 0.5, 0.2  # of the private data's place, in rows that it is about and in others
_THERE: dict[str, Any] = {"symbol": "line-ns-open", "edge": 2.0}  # points among private data
_AWAY: dict[str, Any] = {"symbol": "line-ns-open", "about": "muted", "seen": 0.5}  # others
_HIGH = 0.5  # of a bar, in rows
_PRIVATE = Subject.USER_LEVEL
_SHORT = 0.7  # of the axis of errors, as long as no bar is longer
_LEAST = 5.0  # percent that the axis of errors reaches at least
_SQUARED = 0.5  # how far that of squared errors does


def takeaway(chart: ShiftChart) -> str:
    """State the error under the reader's shift, or the strongest, and without shift."""
    curve, row = chart.curve(chart.learner), chart.shifted
    if not np.isfinite(curve.y[[row, -1]]).all():
        return "The first runs are under way."
    digits = (2, 2)
    if chart.going_on:  # as many as the runs to come will leave
        digits = digits_at(curve, row), digits_at(curve, -1)
    sigma = float(curve.x[row])
    where = f"may be {readable(1 / sigma)} times as dense as public data"
    beside = "without shift"
    if chart.family == "window":
        where, beside = f"crowd into {percent(sigma)} of the public range", "if they fill it all"
    under, none = float(curve.y[row]), float(curve.y[-1])
    errors = compared(chart.task, under, none, beside, digits)
    return f"If private data {where}, {CALLED[chart.learner]} {errors}."


def detail(chart: ShiftChart) -> str:
    """State the error at every σ named, and what is known of the privacy."""
    curve, privacy = chart.curve(chart.learner), chart.private[chart.learner]
    known = np.isfinite(curve.y)
    if not known[-1]:
        return ""
    promise = "It stays private at every σ"
    if privacy == "broken":
        promise = "With Gaussian weights nothing is proved of its privacy, at any σ"
    errors = [f"{readable(float(curve.y[known][-1]))} without shift"]
    if curve.x[0] < chart.here < 1:
        errors.append(f"{readable(chart.value(chart.learner))} at σ = {readable(chart.here)}")
    errors.append(f"{readable(float(curve.y[0]))} at σ = {readable(float(curve.x[0]))}")
    return f"{LEARNERS[chart.learner]}: excess error {', '.join(errors)}. {promise}."


def notes(chart: ShiftChart) -> list[str]:
    """Say what σ is, and what is drawn."""
    plane = " Only the first feature shifts." if chart.task == "halfplanes" else ""
    return [
        "σ is exact: the largest number for which the private density is at most 1/σ times the "
        "public one (Definition 3). The theorems on accuracy need σ, those on privacy do not: "
        "their proofs do not ask where the public points lie.",
        "Left: the green bars are where private data are denser than public data, ticks are the "
        f"public points of one draw, a hundred of them at most.{plane} Right: means of all runs.",
        *error_notes(chart),
    ]


def figure(chart: ShiftChart, theme: Theme) -> Figure:
    """Draw for each σ where the data lie, and beside that the error."""
    return stacked(theme, [_places(chart), _errors(chart, theme)], tall=0.9)


def _rows(chart: ShiftChart) -> NDArray[np.intp]:
    """Return the row of each σ: without shift on top."""
    return np.arange(len(chart.shifts))[::-1]


def _said(chart: ShiftChart) -> NDArray[np.bool_]:
    """Return which σ the sentence is about."""
    return np.isin(np.arange(len(chart.shifts)), [chart.shifted, len(chart.shifts) - 1])


def _places(chart: ShiftChart) -> Panel:
    """Return a line for each σ, with the private data's place on it and public points."""
    sigmas, rows = chart.curve(chart.learner).x, _rows(chart)
    names = [_named(chart, float(sigma)) for sigma in sigmas[::-1]]
    names[0] = "fill all" if chart.family == "window" else "no shift"
    for row in rows[_said(chart)]:
        names[row] = f"<b>{names[row]}</b>"
    marks: list[Mark] = []
    drawn = zip(chart.shifts, chart.public, rows.tolist(), _said(chart), strict=True)
    for pair, points, row, said in drawn:
        denser = pair.private >= np.maximum(pair.public, 1e-12)
        starts, long = pair.edges[:-1][denser], np.diff(pair.edges)[denser]
        inside = denser[np.clip(np.searchsorted(pair.edges, points) - 1, 0, denser.size - 1)]
        marks += [
            Rule(y=row, wide=1, about="grid", below=True),
            Bars(
                np.full(starts.size, row),
                long,
                base=starts,
                lying=True,
                wide=_HIGH,
                about=_PRIVATE,
                seen=_SAID if said else _UNSAID,
            ),
            *(
                Dots(points[these], np.full(points[these].size, row), size=13, **looks)
                for these, looks in ((~inside, _AWAY), (inside, _THERE))
            ),
        ]
    private = tinted("where the private data are", _PRIVATE)
    return Panel(
        Side(0.0, 1.0, "Feature, x", grid=False),
        Side.rows(names),
        marks,
        above=(f"Public points (ticks), and {private}", f"Ticks: public;<br>{private}"),
        wide=1.1,
    )


def _named(chart: ShiftChart, sigma: float) -> str:
    """Name a shift by how much of the range the private data fill, or how dense they may be."""
    if chart.family == "window":
        return f"fill {percent(sigma)}"
    return f"{readable(1 / sigma)} × as dense"


def _errors(chart: ShiftChart, theme: Theme) -> Panel:
    """Return the mean error at each σ as a bar; what is not known yet as before, faded."""
    before, now = partial_chart.stand_in(chart, theme.before), chart.curve(chart.learner)
    curves = () if before is None else before.curves
    old = next((one for one in curves if one.key == now.key), None)
    squared = chart.task == "regression"
    whole = _SQUARED if squared else max(100 * (1 - 2 * chart.label_noise), _LEAST)
    high = _unit(chart) * np.nanmax(now.interval[1], initial=0.0)
    most = _SHORT * whole if high < 0.9 * _SHORT * whole else whole
    known, ends = np.isfinite(now.y), _said(chart)
    marks: list[Mark | None] = [
        _bars(chart, old, ~known, partial_chart.FADED)
        if old is not None and np.array_equal(old.x, now.x)
        else None,
        _bars(chart, now, known & ends, 1.0),
        _bars(chart, now, known & ~ends, _BETWEEN),
        _means(chart, now, known),
    ]
    what, short = "<b>Worse</b> than the best, in percentage points", "Worse, points"
    if squared:
        what, short = "<b>Squared error</b> above the least", "Squared error"
    rows = Side.rows([""] * len(chart.shifts))
    return Panel(Side(0.0, most), rows, marks, above=(what, short))


def _bars(chart: ShiftChart, curve: Curve, which: NDArray[np.bool_], seen: float) -> Bars:
    """Return the means at some σ."""
    return Bars(
        _rows(chart)[which],
        _unit(chart) * curve.y[which],
        lying=True,
        wide=_HIGH,
        about=curve.subject,
        seen=seen,
        said="%{x:.3g}",
    )


def _means(chart: ShiftChart, curve: Curve, which: NDArray[np.bool_]) -> Dots | None:
    """Return their intervals, with what the bars say beside them."""
    rows, unit = _rows(chart)[which], _unit(chart)
    mean, low, high = (unit * part[which] for part in (curve.y, *curve.interval))
    if not rows.size:
        return None
    said = [written(chart.task, float(value)) for value in mean / unit]
    words = [f"\N{NO-BREAK SPACE}{one}" for one in said]
    return Dots(
        high, rows, size=1, words=words, to="middle right", about="text",
        off=(high - low, 0 * high), across=True, thick=1.5, caps=4,
    )  # fmt: skip


def _unit(chart: ShiftChart) -> float:
    """Return in what errors are drawn: percent, or squares."""
    return 1.0 if chart.task == "regression" else 100.0


VIEW = View(
    key="shift",
    title="Shift",
    compute=error_against_shift,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    why="Public points where the private data are not leave wide gaps where narrow ones are "
    "needed, so the error grows. Privacy rests on the noise alone, whatever the public points are.",
    parameters=(*SETTING, "runs", "seed"),
    in_sight=("smoothness", "samples", "learner"),
    idle=idle_of_learner,
    offers=learners_that_suit,
    most=most_of_task,
    defaults={"smoothness": 0.1},
)
