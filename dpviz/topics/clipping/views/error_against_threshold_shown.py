"""Choosing τ: the expected error of the answer at every threshold, and at the best."""

import math
from dataclasses import replace

import numpy as np

from dpviz.plot.marks import Mark, Text
from dpviz.plot.panels import Charted, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.results.parameters import Limit
from dpviz.scene.asking import value_at_here
from dpviz.scene.view import Sketch, View
from dpviz.topics.clipping.tasks_shown import TASK, USERS, idle_controls, largest_threshold
from dpviz.topics.clipping.views.error_against_threshold import (
    ThresholdChart,
    error_against_threshold,
)

_ARM = 0.04  # of the axis: where the left arm is named
_WORSE = 1.2  # times the least error, from which on an arm has a name
_OFF = {"SE": (0.0, -12.0), "NW": (0.0, 8.0)}
_ERROR = Limit("guess", "", "expected error, 0 to 1", 0, 1, 0.1, log=False, step=0.01)


def takeaway(chart: ThresholdChart) -> str:
    """State the error at the reader's τ, beside that at the best τ, or without clipping."""
    here, least, without = (readable(chart.errors[name]) for name in ("here", "least", "unclipped"))
    tau = f"τ = {readable(chart.here)}"
    if chart.here >= chart.unclipped:
        best = "" if here == least else f"; the least on this curve is {least}"
        return f"The threshold {tau} clips no one: the expected error is {here}{best}."
    error = f"Clipped at {tau} the expected error is {here}"
    if here == without:
        best = "the least on this curve" if here == least else f"at the best τ drawn, {least}"
        return f"{error}, as without clipping; {'it is ' if here == least else ''}{best}."
    if here == least:
        return f"{error}, the least on this curve; without clipping it is {without}."
    return f"{error}; at the best τ drawn it is {least}."


def detail(chart: ThresholdChart) -> str:
    """State which τ is the best, and what the paper's and the reader's give."""
    errors = chart.errors
    best = f"The best τ, {readable(chart.least)}, gives the error {readable(errors['least'])}"
    yours = f"Yours, {readable(chart.here)}, gives {readable(errors['here'])}"
    if math.isclose(chart.proposed, chart.least):
        return f"{best}; it is the τ that the paper proposes. {yours}."
    return (
        f"{best}. The paper proposes {readable(chart.proposed)}, which gives "
        f"{readable(errors['proposed'])}. {yours}."
    )


def notes(chart: ThresholdChart) -> list[str]:
    """Say what the curves are."""
    errors = chart.errors
    lines = [
        "The curve is exact for the data set of this seed; the dots are means over fresh data sets "
        "of as many users.",
        f"At your τ = {readable(chart.here)} the expected error is {readable(errors['here'])}. No "
        f"clipping is τ = m = {readable(chart.unclipped)}.",
        "The best τ is read off the data, which a private analysis could not do. Theorem 37 "
        "(Section 4 where labels are correct) proposes one that does not depend on them.",
    ]
    if chart.full < chart.unclipped:
        lines.append(
            f"From τ = {readable(chart.full)} on the noise is that without clipping: between some "
            "two candidates, no user can move a score further."
        )
    if any(curve.key == "published" for curve in chart.curves):
        lines.append(
            "The solid curve and the dots divide by the exact sensitivity. The paper divides by "
            "2τ, which is more than a user can move a score once τ exceeds m/2 or so. Its own "
            f"algorithm, at its τ, has the error {readable(errors['published'])}."
        )
    if chart.runs:
        lines.append(
            f"{chart.runs:,} fresh data sets. Each interval holds with probability 95% at "
            "all times at once (an empirical Bernstein confidence sequence)."
        )
    return lines


def figure(chart: ThresholdChart, theme: Theme) -> Figure:
    """Draw the chart, its marks with their errors, and say why its arms rise.

    What is as good as the reader's τ is not said beside it once more.
    """
    here = readable(chart.errors["here"])
    marks = [
        replace(mark, text=f"{mark.text}: {readable(mark.y)}")
        if mark.subject is not Subject.LOWER_BOUND
        else mark
        for mark in chart.landmarks
        if readable(mark.y) != here or mark.x == chart.unclipped
    ]
    return stacked(theme, Charted(replace(chart, landmarks=tuple(marks)), _arms(chart)))


def _arms(chart: ThresholdChart) -> list[Mark]:
    """Name what makes the error larger at either side of the best τ, where it does."""
    known = [curve for curve in chart.curves if curve.key == "exact"]
    if not known:  # it is to be predicted
        return []
    [curve], least = known, chart.errors["least"]
    x, y = np.log(curve.x), curve.y
    left = x[0] + _ARM * (x[-1] - x[0])
    arms = (
        ("cuts too much", left, "SE", y[0], math.log(chart.least) - left),
        ("too much noise", 0.4 * math.log(chart.least) + 0.6 * x[-1], "NW", y[-1], 0.0),
    )
    return [
        Text(words, math.exp(at), float(np.interp(at, x, y)), to=to, shift=_OFF[to], roomy=True)
        for words, at, to, end, room in arms
        if end > _WORSE * least and room >= 0 and x[-1] - math.log(chart.least) > 2 * _ARM
    ]


VIEW = View(
    key="threshold",
    title="Choosing τ",
    compute=error_against_threshold,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    defaults={"examples_per_user": 1000, "threshold": 100.0},
    parameters=(*USERS, "alpha", "constant", *TASK, "seed"),
    in_sight=("threshold", "examples_per_user", "epsilon"),
    pulled={"threshold": "τ = #"},
    why="To the right hardly anyone is clipped, and the noise has to hide a user who could "
    "count with all m examples. To the left the noise is small, but clipped scores say less "
    "about which candidate is the best. A good τ, if there is one, lies between.",
    idle=idle_controls,
    most=largest_threshold,
    first_seconds=0.5,
    sketch=Sketch(
        question="Draw the error of the answer as users are clipped less and less, from left to "
        "right.",
        curve="exact",
    ),
    prediction=value_at_here(
        "Each user counts at most τ, and the choice is private. How large will the error of its "
        "answer be on average?",
        _ERROR,
        "exact",
        hidden=("published", "simulated"),
        answer=lambda error: readable(error),
    ),
)
