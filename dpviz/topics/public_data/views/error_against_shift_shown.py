"""Shift: what the error and the privacy loss are as private data move away from the public."""

from dataclasses import replace

import numpy as np

from dpviz.plot.axes import Scale, settings
from dpviz.plot.chart import draw
from dpviz.plot.spec import Figure
from dpviz.plot.steady import steady_y
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Chart, Curve, Evidence
from dpviz.scene.view import View
from dpviz.topics.public_data.excess_errors_shown import compared, error_notes
from dpviz.topics.public_data.experiment_shown import (
    SETTING,
    idle_of_learner,
    learners_that_suit,
    most_of_task,
)
from dpviz.topics.public_data.learners import LEARNERS
from dpviz.topics.public_data.learners_shown import CALLED
from dpviz.topics.public_data.views.error_against_shift import ShiftChart, error_against_shift


def takeaway(chart: ShiftChart) -> str:
    """State the error with and without shift, and that privacy does not depend on it."""
    curve, privacy = chart.curve(chart.learner), chart.private[chart.learner]
    if not np.isfinite(curve.y[[0, -1]]).all():
        return "The first runs are under way."
    promise = "" if privacy == "broken" else " It stays private."
    errors = compared(chart.task, float(curve.y[0]), float(curve.y[-1]), "without shift")
    return f"Under the strongest shift {CALLED[chart.learner]} {errors}.{promise}"


def detail(chart: ShiftChart) -> str:
    """State the error at every σ named, and what is known of the privacy."""
    curve, privacy = chart.curve(chart.learner), chart.private[chart.learner]
    known = np.isfinite(curve.y)
    if not known[-1]:
        return ""
    promise = "It stays private at every σ"
    if privacy == "broken":
        promise = "With Gaussian weights nothing is proved of its privacy, at any σ"
    loss = chart.privacy.curve("loss")
    measured = loss.y[np.isfinite(loss.y)]
    how_known = "is at most" if loss.evidence is Evidence.UPPER else "was measured at up to"
    beside = (
        f"; the loss of the pair shown {how_known} {readable(float(measured.max()))}, where "
        f"ε = {readable(float(chart.privacy.curve('promised').y[0]))}"
        if measured.size
        else ""
    )
    errors = [f"{readable(float(curve.y[known][-1]))} without shift"]
    if curve.x[0] < chart.here < 1:
        errors.append(f"{readable(chart.value(chart.learner))} at σ = {readable(chart.here)}")
    errors.append(f"{readable(float(curve.y[0]))} at σ = {readable(float(curve.x[0]))}")
    return f"{LEARNERS[chart.learner]}: excess error {', '.join(errors)}. {promise}{beside}."


def notes(chart: ShiftChart) -> list[str]:
    """Say what σ is, and what was measured."""
    return [
        "σ is exact: the largest number for which the private density is at most 1/σ times the "
        "public one (Definition 3). The theorems on accuracy need σ, those on privacy do not.",
        "The privacy loss shown is that of one pair; others may lose more. For RRSPM and RSPM "
        "one example has either label, and the loss is estimated from draws, with 95% "
        "intervals. For Algorithm 3 one example changes, and the loss is an upper bound: that "
        "of the noisy values, of which the release shows less.",
        *error_notes(chart),
    ]


def figure(chart: ShiftChart, theme: Theme) -> Figure:
    """Draw the error against σ, and below it the privacy loss."""
    drawn = draw(chart, theme)
    lower = draw(replace(chart.privacy, curves=_drawable(chart.privacy)), theme.below)
    share = 0.30
    gap = 0.26 if theme.scale > 1 else 0.17
    height = theme.height + (160 if theme.compact else 60 if theme.room else 120)
    plot = height - drawn.layout["margin"]["t"] - drawn.layout["margin"]["b"]
    drawn.update_layout(
        yaxis={"domain": [share + gap, 1]},
        height=height,
        xaxis={"anchor": "y", "title": {"text": ""}},
    )
    drawn.layout["shapes"] = [line | {"yref": "y domain"} for line in drawn.layout["shapes"]]
    drawn.add_traces(trace | {"xaxis": "x2", "yaxis": "y2"} for trace in lower.data)
    heights = np.concatenate([np.zeros(1), *(trace["y"] for trace in lower.data)])
    top = float(np.nanmax(heights)) or 1.0
    scale = Scale(chart.privacy.y, -0.1 * top, 1.15 * top)
    if theme.below.held is not None:
        scale = steady_y(scale, theme.below.held[1], theme.in_parts)
    across = drawn.layout["xaxis"]
    drawn.update_layout(
        xaxis2={"type": "log", "range": across["range"], "anchor": "y2"}
        | {"tickvals": across["tickvals"], "ticktext": across["ticktext"]}
        | {"title": {"text": "Smoothness σ (1: no shift)"}},
        yaxis2=settings(scale, share * plot) | {"domain": [0, share], "anchor": "x2"},
    )
    words = "one pair" if theme.compact else "one pair of neighbouring data sets"
    drawn.add_annotation(
        text=f"Privacy loss of {words}, and ε (dotted)",
        bgcolor=theme.background,
        x=0,
        xref="paper",
        xanchor="left",
        y=share,
        yref="paper",
        yanchor="bottom",
        showarrow=False,
        font={"color": theme.text},
    )
    return drawn


def _drawable(chart: Chart) -> tuple[Curve, ...]:
    return tuple(curve for curve in chart.curves if np.isfinite(curve.y).any())


VIEW = View(
    key="shift",
    title="Shift",
    compute=error_against_shift,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    why="Public points where the private data are not leave a coarse net where a fine one is "
    "needed, so the error grows. Privacy rests on the noise alone, whatever the public points are.",
    parameters=(*SETTING, "runs", "seed"),
    in_sight=("smoothness", "samples", "learner"),
    idle=idle_of_learner,
    offers=learners_that_suit,
    most=most_of_task,
    defaults={"smoothness": 0.1},
    first_seconds=1.0,
)
