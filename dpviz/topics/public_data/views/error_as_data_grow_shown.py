"""More data: public points may be too few and too many, private examples are never too many."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.marks import Line, Mark, Part, Span, Text
from dpviz.plot.panels import Charted, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import agreeing, counted, from_to, readable, upwards
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Curve, FloatArray
from dpviz.scene.codec import Value
from dpviz.scene.view import Sketch, View
from dpviz.topics.public_data.excess_errors import NON_PRIVATE, ErrorChart
from dpviz.topics.public_data.excess_errors_shown import compared, digits_at, error_notes, told
from dpviz.topics.public_data.experiment_shown import (
    LEARNING,
    REST,
    SIZES,
    idle_of_learner,
    idle_of_shift,
    learners_that_suit,
    most_of_task,
)
from dpviz.topics.public_data.learners import LEARNERS
from dpviz.topics.public_data.learners_shown import CALLED
from dpviz.topics.public_data.tasks import TASKS
from dpviz.topics.public_data.views.error_as_data_grow import (
    BOUNDED,
    best_points,
    error_as_data_grow,
    tied_places,
)

_CALLED = CALLED | {NON_PRIVATE: "the optimiser alone, without privacy,"}
_FOOT = 0.1  # of the axis, below 0: a grip on it hides no small error
_EDGE = 1.06  # times: how far the stretch reaches past the first and the last number in it
_BESIDE = 0.78  # of the axis, from which on words have no room
_UNDER_WAY = "The first runs are under way."


def _along_points(chart: ErrorChart) -> bool:
    return chart.x.name == "public_points"


def takeaway(chart: ErrorChart) -> str:
    """State the best number of public points, or the error at the reader's n beside no privacy."""
    if not _along_points(chart):
        excess, plain = chart.value(chart.learner), chart.value(NON_PRIVATE)
        if math.isnan(excess) or math.isnan(plain):
            return _UNDER_WAY
        errors = compared(chart.task, excess, plain, "without privacy", _digits_here(chart))
        return f"With {chart.here:,.0f} private examples {CALLED[chart.learner]} {errors}."
    best, curve = best_points(chart), chart.curve(chart.learner)
    if best is None:
        return _UNDER_WAY
    known = curve.x[np.isfinite(curve.y)]
    thing = "grid cell" if chart.learner == "rspm" else "public point"
    tied = tied_places(chart, best)
    if tied.size in (0, known.size):
        return f"Which number of {thing}s is best, these runs do not tell."
    least, most = tied[0] == known[0], tied[-1] == known[-1]
    cells = chart.learner not in BOUNDED
    coarse = "fewer leave wide gaps" if cells else "fewer say too little"
    noisy = "more add noise"
    why = noisy if least else coarse if most else f"{coarse}, {noisy}"
    found = _best(tied, known, thing)
    return f"{found} best for this learner, of the numbers tried: {why}."


def _best(tied: FloatArray, known: FloatArray, thing: str) -> str:
    """Say which of the places known may be best, and of what so many are."""
    if tied[0] == known[0]:
        return f"{readable(tied[-1])} or fewer {thing}s are"
    if tied[-1] == known[-1]:
        return f"{readable(tied[0])} or more {thing}s are"
    if tied.size == 1:
        return f"{counted(tied[0], thing)} {agreeing(tied[0], 'is', 'are')}"
    return f"{_between(tied)} {thing}s are"


def _between(tied: FloatArray) -> str:
    """Write the first place and the last."""
    return from_to(readable(tied[0]), readable(tied[-1]))


def _digits_here(chart: ErrorChart) -> tuple[int, int]:
    """Return how many digits are known of the errors at the reader's n: private, and not."""
    private, plain = (
        digits_at(curve, int(np.flatnonzero(curve.x == chart.here)[0]))
        for curve in (chart.curve(chart.learner), chart.curve(NON_PRIVATE))
    )
    return private, plain


def detail(chart: ErrorChart) -> str:
    """State the best m and what too many cost, or every learner's error and its calls."""
    if not _along_points(chart):
        return _all_errors(chart)
    best, curve = best_points(chart), chart.curve(chart.learner)
    if best is None:
        return ""
    last = int(np.flatnonzero(np.isfinite(curve.y))[-1])
    beside = ""
    if curve.x[last] > best.x:
        beside = f"; with {curve.x[last]:,.0f} it was {told(chart, float(curve.y[last]))}"
    cells = agreeing(best.x, "public point", "public points")
    if chart.learner == "rspm":
        cells = agreeing(best.x, "cell of the grid", "cells of the grid")
    return (
        f"The least mean excess error of {LEARNERS[chart.learner]}, {told(chart, best.y)}, came "
        f"with m = {best.x:,.0f} {cells}{beside}.{_proved(chart)}"
    )


def _proved(chart: ErrorChart) -> str:
    """State what the error of Algorithm 2 or 3 is proved not to exceed at the reader's m."""
    if chart.learner not in BOUNDED:
        return ""
    total, quiet = (
        chart.value(key) if any(curve.key == key for curve in chart.curves) else math.nan
        for key in ("bound", "bound_quiet")
    )
    where = f"At m = {chart.here:,.0f}"
    if math.isnan(quiet):
        return f" {where} nothing is proved of its error."
    if math.isnan(total):
        return (
            f" {where} nothing is proved of its error with so much noise; if the projection had "
            f"none, it would be at most {told(chart, quiet, upwards)} with probability 0.95."
        )
    return (
        f" {where} its error is proved to be at most {told(chart, total, upwards)} with "
        "probability 0.95, and "
        f"would be at most {told(chart, quiet, upwards)} if the projection had no noise."
    )


def _all_errors(chart: ErrorChart) -> str:
    if math.isnan(chart.value(NON_PRIVATE)):
        return ""
    errors = [
        f"{_CALLED[name]} {told(chart, chart.value(name))} ({counted(calls, 'call', digits=7)})"
        for name, calls in chart.calls.items()
        if not math.isnan(chart.value(name))
    ]
    return (
        f"{TASKS[chart.task]} from n = {chart.here:,.0f} private examples, mean excess error and "
        f"calls to the optimiser: {'; '.join(errors)}."
    )


def notes(chart: ErrorChart) -> list[str]:
    """Say how the points were made, and what is proved of them."""
    bounded = _along_points(chart) and chart.learner in BOUNDED
    return [*error_notes(chart), *(_bounds(chart) if bounded else [])]


def _bounds(chart: ErrorChart) -> list[str]:
    """Say what the bounds on the error of Algorithms 2 and 3 rest on."""
    convex = (
        "“Proved, at most” is Lemmas 12 to 16 with all constants, by a proof of our own for "
        "squared loss and this task. With probability 0.95 over data and noise a run's error "
        "does not exceed it. The thin line is the same without noise before the projection."
    )
    if chart.task == "regression":
        return [convex]
    return [
        convex,
        "Lemma 15 treats f̄ as a function of the class, which a mean of functions ±1 is not. "
        "For classes that are not convex the lemma is false as stated: with three blocks to "
        "choose from, each minimiser takes one, and the function nearest to their mean takes "
        "none. Here every label is that of the target up to noise, and then a bound holds. It "
        "needs private data wherever public data are, and thousands of minimisers J before it "
        "says anything.",
    ]


def figure(chart: ErrorChart, theme: Theme) -> Figure:
    """Draw the errors; along m with the stretch shaded that may be best, once that is told."""
    curves = tuple(map(_named, chart.curves))
    if not _along_points(chart):
        return draw(replace(chart, curves=curves), theme)
    private = tuple(curve for curve in curves if curve.key != NON_PRIVATE)
    footed = replace(chart.y, base=-_FOOT * chart.y.reach)
    shown = replace(chart, y=footed, curves=private, in_headline=(chart.learner, "bound"))
    errors = chart.curve(chart.learner)
    known = np.isfinite(errors.y)
    joining = Line(errors.x[known], errors.y[known], about=errors, wide=1.5)
    return stacked(theme, Charted(shown, [*_stretches(chart), joining]))


def _named(curve: Curve) -> Curve:
    """Return a learner's curve with the name that sentences have for it."""
    if curve.key not in LEARNERS:
        return curve
    called = CALLED[curve.key].removeprefix("the ")
    return replace(curve, label=curve.label.replace(LEARNERS[curve.key], called))


def _stretches(chart: ErrorChart) -> list[Mark]:
    """Return where m may be best, where it is too small, and where too large."""
    best, curve = best_points(chart), chart.curve(chart.learner)
    tied = tied_places(chart, best) if best else np.empty(0)
    known = curve.x[np.isfinite(curve.y)]
    if tied.size in (0, known.size):
        return []
    low, high = (int(np.searchsorted(known, end)) for end in (tied[0], tied[-1]))
    ends = float(tied[0]) / _EDGE, float(tied[-1]) * _EDGE
    marks: list[Mark] = [
        Span(x=ends, about=curve.subject, seen=0.15),
        Text(
            f"<b>best:</b><br>{_between(tied)}",
            math.sqrt(ends[0] * ends[1]),
            Part(1),
            to="S",
            shift=(0, -4),
        ),
    ]
    along = math.log(ends[1] / known[0]) / math.log(known[-1] / known[0])
    if low > 0:
        few = "too few:<br>wide gaps" if chart.learner not in BOUNDED else "too few"
        marks.append(Text((few, "too few"), ends[0], Part(1), to="SW", shift=(-4, -4)))
    if high < known.size - 1 and along < _BESIDE:
        many = "too many:<br>noise", "too many"
        marks.append(Text(many, ends[1], Part(1), to="SE", shift=(4, -4)))
    return marks


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect: along n all learners are drawn."""
    if values["more"] == "private":
        return {"learner"} | idle_of_shift(values)
    return idle_of_learner(values) | idle_of_shift(values)


VIEW = View(
    key="points",
    title="More data",
    compute=error_as_data_grow,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    why="A private learner may only release a function that the public points can tell apart: few "
    "points leave wide gaps. But each point is one more place where noise has to hide what the "
    "private data favour. More private examples drown the noise; more public points call for it.",
    parameters=("more", *LEARNING, *SIZES, "smoothness", *REST, "runs", "seed"),
    in_sight=("samples", "more", "epsilon"),
    idle=idle_controls,
    offers=learners_that_suit,
    most=most_of_task,
    defaults={"runs": 60},
    sketch=Sketch(
        question="Draw how the excess error of a private learner falls as private examples are "
        "added.",
        curve="rrspm",
        applies=lambda values: values["more"] == "private" and values["task"] != "regression",
    ),
)
