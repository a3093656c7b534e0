"""How close, how likely: the probability that two outputs are close, and each promise."""

import math
from dataclasses import replace

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Curve
from dpviz.scene.view import View
from dpviz.topics.perfect_generalization.item_privacy_shown import holds_here, notes
from dpviz.topics.perfect_generalization.mechanisms_shown import (
    CLOSE,
    ITEM,
    idle_controls,
)
from dpviz.topics.perfect_generalization.views.how_close_how_likely import (
    ClosenessChart,
    how_close_how_likely,
)

_PLACES = 12  # along a line, where its name may stand


def takeaway(chart: ClosenessChart) -> str:
    """State how far apart the outputs are at most, beside group privacy."""
    sure = readable(100 * (1 - _beta(chart)), 13)
    promised = (
        f"group privacy promises {readable(chart.group)}"
        if holds_here(chart, "group")
        else "group privacy promises nothing"
    )
    return (
        f"One private algorithm runs on two fresh samples: in {sure}% of such pairs the outputs "
        f"differ by no more than ε′ = {readable(chart.needed)}; {promised}."
    )


def detail(chart: ClosenessChart) -> str:
    """State the ε′ that is enough for most pairs, beside what the theorems promise."""
    sure = readable(1 - _beta(chart), 13)
    sentence = (
        f"With probability {sure} the outputs on two fresh samples are (ε′, δ′)-close at "
        f"ε′ = {readable(chart.needed)}; group privacy "
    )
    if not holds_here(chart, "group"):
        sentence += "promises nothing at this δ′"
    else:
        sentence += f"promises {readable(chart.group)}"
        if chart.needed > 0:
            times = readable(chart.group / chart.needed)
            sentence += ", as much" if times == "1" else f", {times} times as much"
    return f"{sentence}, and Theorem 13{_promised(chart)}."


def _promised(chart: ClosenessChart) -> str:
    shape = f"{readable(chart.theorem_13)} up to its hidden constant"
    if not holds_here(chart, "theorem_13"):
        shape = f", whose assumptions fail here, would say {shape}"
    else:
        shape = f" promises {shape}"
    if math.isfinite(chart.derived):
        return f"{shape} ({readable(chart.derived)} with the constants of its proof)"
    return f"{shape} (its proof gives nothing here)"


def _beta(chart: ClosenessChart) -> float:
    return 1 - chart.marks[0].y


def figure(chart: ClosenessChart, theme: Theme) -> Figure:
    """Draw the exact staircase, and each promise as a line up to the probability it states."""
    stems = tuple(_stem(curve) if curve.key != "exact" else curve for curve in chart.curves)
    drawn = draw(replace(chart, curves=stems), theme)
    for trace in drawn.data:
        if len(trace["x"]) > 2:
            trace["line"]["shape"] = "hv"
    return drawn


def _stem(curve: Curve) -> Curve:
    """Return a vertical line from 0 to the single point of the curve, with places for its name."""
    holds = curve.holds
    return replace(
        curve,
        x=np.repeat(curve.x, _PLACES),
        y=np.linspace(0.0, float(curve.y[0]), _PLACES),
        holds=None if holds is None else np.repeat(holds, _PLACES),
    )


VIEW = View(
    key="closeness",
    title="How close, how likely",
    compute=how_close_how_likely,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("mechanism", "samples", *ITEM, *CLOSE, "delta", "constant"),
    idle=idle_controls,
)
