"""Shift: what the error and the privacy loss are as private data move away from the public."""

from dataclasses import replace

import numpy as np

from dpviz.plot.panels import stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import downwards, readable, upwards
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Chart, Curve, Evidence
from dpviz.scene.view import View
from dpviz.topics.public_data.excess_errors_shown import compared, digits_at, error_notes
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
    digits = digits_at(curve, 0), digits_at(curve, -1)
    errors = compared(chart.task, float(curve.y[0]), float(curve.y[-1]), "without shift", digits)
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
    beside = ""
    if np.isfinite(loss.y).any():
        proved = loss.evidence is Evidence.UPPER
        end = float(np.nanmax(loss.y if proved else loss.interval[0]))
        size = f"at most {upwards(end)}" if proved else f"at least {downwards(end)} (95%)"
        promised = readable(float(chart.privacy.curve("promised").y[0]))
        beside = f"; the largest loss of the pair shown is {size}, where ε = {promised}"
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
        "one example has either label, and the loss is estimated from draws, with intervals "
        "that all hold together with probability 95%. For Algorithm 3 one example changes, and the "
        "loss is an upper bound: that of the noisy values, of which the release shows less.",
        *error_notes(chart),
    ]


def figure(chart: ShiftChart, theme: Theme) -> Figure:
    """Draw the error against σ, and below it the privacy loss."""
    return stacked(theme, chart, replace(chart.privacy, curves=_drawable(chart.privacy)))


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
