"""How to read a curve: what each kind of evidence says, with the numbers of the example."""

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.marks import Band
from dpviz.plot.panels import Charted, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import downwards, percent, readable, upwards
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Chart, Curve, Evidence
from dpviz.scene.view import View
from dpviz.topics.home.views.how_to_read_a_curve import DELTA, how_to_read_a_curve

_SENTENCES = {
    "exact": "A solid line is exact: the number itself, up to rounding, not a bound on it.",
    "certified": "A band is certified: one bound is rounded down and one up, so the exact curve "
    "lies between them.",
    "simulated": "Points with intervals come from random games. An interval misses the exact curve "
    "one time in twenty.",
    "limit": "A line of dashes and dots is a limit with all its constants: the truth tends to it, "
    "and may differ from it far from the limit.",
    "shape": "A dashed line is a shape: its constants are dropped, so only how it falls means "
    "anything.",
    "published": "A dotted line is a formula as published. It turns grey where the assumption of "
    "its theorem fails.",
}


def takeaway(chart: Chart) -> str:
    """Say what the other curve is; of a proven bound, how far above the truth it lies."""
    exact, last = chart.curve("exact"), chart.curves[-1]
    if len(chart.curves) > 2:
        return (
            "All these curves are about one number: how often the best attacker guesses right, "
            f"{_here(chart, exact)} at σ = {readable(chart.here)}."
        )
    if last.key == "upper":
        return (
            f"The lower line is exact: the best attacker is right {_here(chart, exact)} of the "
            f"time. The upper line is a bound from one ε: at most {_here(chart, last)}."
        )
    return _SENTENCES[last.key]


def figure(chart: Chart, theme: Theme) -> Figure:
    """Draw it; between the truth and a bound that lies well above it, shade the difference."""
    exact, last = chart.curve("exact"), chart.curves[-1]
    if len(chart.curves) > 2 or last.key != "upper":
        return draw(chart, theme)
    gap = Band(exact.x, exact.y, last.y, about=last.subject, seen=0.12)
    return stacked(theme, Charted(chart, [gap]))


def detail(chart: Chart) -> str:
    """State the truth at the reader's σ, and what the other curve makes of it."""
    exact, last = chart.curve("exact"), chart.curves[-1]
    if len(chart.curves) > 2:
        last = chart.curve("upper")
    at, truth = f"At σ = {readable(chart.here)}", _here(chart, exact)
    if last.key == "simulated":
        return _simulated(chart, last)
    if last.key == "exact":
        return f"{at} the best attacker is right {truth} of the time."
    if last.key == "certified":
        low, high = (last.part(end)[_place(chart, last)] for end in ("_lower", "_upper"))
        return f"{at} the truth, {truth}, lies between {downwards(low)}% and {upwards(high)}%."
    given = _here(chart, last)
    if last.key == "upper":
        return (
            f"{at} the truth, {truth}, is at most {given}: so much the ε of this noise allows at "
            f"δ = {readable(DELTA)}. The gap comes from keeping one pair (ε, δ) of all that this "
            "noise has."
        )
    if last.key == "published":
        return (
            f"{at} the truth is {truth}; with the ε that the textbook gives this noise at δ = "
            f"{readable(DELTA)}, an attacker can be right {given} of the time. Where that ε "
            "exceeds 1 the assumption of its theorem fails."
        )
    return f"{at} the truth is {truth}, where this line is at {given}."


def _simulated(chart: Chart, simulated: Curve) -> str:
    """Say where the games next to the reader's σ put the truth."""
    exact, point = chart.curve("exact"), int(np.abs(np.log(simulated.x / chart.here)).argmin())
    low, high = (percent(simulated.part(end)[point] / 100) for end in ("_lower", "_upper"))
    true = float(np.interp(simulated.x[point], exact.x, exact.y)) / 100
    return (
        f"At σ = {readable(simulated.x[point], 2)} the games put it between {low} and {high}; such "
        f"an interval misses the truth, {percent(true)}, one time in twenty."
    )


def _place(chart: Chart, curve: Curve) -> int:
    return int(np.searchsorted(curve.x, chart.here))


def _here(chart: Chart, curve: Curve) -> str:
    """Write what a curve has at the reader's σ, a bound rounded up."""
    value = float(curve.y[_place(chart, curve)])
    if curve.evidence in (Evidence.UPPER, Evidence.PUBLISHED):
        return f"{upwards(value)}%"
    return percent(value / 100)


VIEW = View(
    key="reading",
    title="How to read a curve",
    compute=how_to_read_a_curve,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    parameters=("kind", "sigma", "seed"),
    idle=lambda values: () if values["kind"] in ("simulated", "all") else ("seed",),
    defaults={"kind": "upper"},
    why="All curves are about one number: how often the best attacker guesses right whether you "
    "are in the data. The more noise, the nearer it is to tossing a coin. What differs is how well "
    "the number is known, and each kind of knowledge is drawn in one way on all pages.",
)
