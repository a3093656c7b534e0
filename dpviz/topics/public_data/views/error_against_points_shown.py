"""More public points: too few are coarse, too many need noise."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.scene.codec import Value
from dpviz.scene.view import View
from dpviz.topics.public_data.excess_errors import ErrorChart
from dpviz.topics.public_data.excess_errors_shown import error_notes
from dpviz.topics.public_data.experiment_shown import (
    LEARNING,
    REST,
    SIZES,
    idle_of_learner,
    idle_of_shift,
)
from dpviz.topics.public_data.learners import LEARNERS
from dpviz.topics.public_data.views.error_against_points import best_points, error_against_points


def takeaway(chart: ErrorChart) -> str:
    """State the best number of public points."""
    best, curve = best_points(chart), chart.curve(chart.learner)
    if best is None:
        return "Nothing computed yet."
    known = curve.x[np.isfinite(curve.y)]
    points = f"{best.x:,.0f} public point{'' if best.x == 1 else 's'}"
    if best.x == known[0]:
        return f"{points} served best, the fewest tried: with more the noise grows."
    if best.x == known[-1]:
        return f"{points} served best, the most tried: with fewer the grid is coarse."
    return (
        f"About {points} served best: with fewer the candidates are too coarse, with more the "
        "noise grows."
    )


def detail(chart: ErrorChart) -> str:
    """State the best m, and what too many points cost."""
    best, curve = best_points(chart), chart.curve(chart.learner)
    if best is None:
        return "Nothing computed yet."
    known = curve.y[np.isfinite(curve.y)]
    last = float(curve.x[np.isfinite(curve.y)][-1])
    beside = (
        f"with {last:,.0f} it was {readable(float(known[-1]))}: more points need more noise."
        if last > best.x
        else "no more were tried."
    )
    return (
        f"{LEARNERS[chart.learner]} did best with m = {best.x:,.0f} public points, excess error "
        f"{readable(best.y)}; {beside}"
    )


def notes(chart: ErrorChart) -> list[str]:
    """Say what the lemmas' curves are."""
    return [
        *error_notes(chart),
        "Theorem 10 adds up four terms: what the projection onto m public points costs (Lemma 22), "
        "how far the private sample is from its distribution, twice (Theorem 9), and what the "
        "weights cost (Lemma 23). The first three are shapes, their constant on a slider. Each "
        "bound holds with probability 0.95; above 1 it says nothing and is left out.",
    ]


def figure(chart: ErrorChart, theme: Theme) -> Figure:
    """Draw the error against m, its least place marked."""
    mark = best_points(chart)
    return draw(replace(chart, marks=(mark,)) if mark else chart, theme)


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect: the hidden constant is that of RRSPM's lemmas."""
    idle = set() if values["learner"] == "rrspm" else {"constant"}
    return idle | idle_of_learner(values) | idle_of_shift(values)


VIEW = View(
    key="points",
    title="More public points",
    compute=error_against_points,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(*LEARNING, *SIZES, "constant", "smoothness", *REST, "runs", "seed"),
    idle=idle_controls,
    first_seconds=1.0,
)
