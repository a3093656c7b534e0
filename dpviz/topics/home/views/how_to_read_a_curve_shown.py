"""How to read a curve: what each kind of evidence says, with the numbers of the example."""

from dataclasses import replace

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.marks import Band, Rule, Text
from dpviz.plot.panels import Charted, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Chart, Curve
from dpviz.scene.view import View
from dpviz.topics.home.views.how_to_read_a_curve import how_to_read_a_curve

_FAR = ("upper", "published")
"""Curves that lie well above the exact one."""


def takeaway(chart: Chart) -> str:
    """Say what the last of the curves is; of all of them, compare truth and theorem."""
    exact, last = chart.curve("exact"), chart.curves[-1]
    if len(chart.curves) > 2:
        place, at, _ = _near_one(exact, chart.curve("published"))
        factor = _times(chart.curve("published").y[place] / exact.y[place])
        return f"{at} the textbook formula allows {factor} the true δ."
    if last.key == "upper":
        return _bounded(exact, last)
    return {
        "exact": "A solid line is exact: the number itself, up to rounding, not a bound on it.",
        "certified": "A band is certified: one bound is rounded down and one up, so the exact "
        "curve lies between them.",
        "simulated": "Points with intervals come from random draws. An interval misses the exact "
        "curve one time in twenty.",
        "limit": "A line of dashes and dots is a limit with all its constants: the truth tends "
        "to it, and may differ from it far from the limit.",
        "shape": "A dashed line is a shape: its constants are dropped, so only how it falls means "
        "anything.",
        "published": "A dotted line is a formula as published. It turns grey where the assumption "
        "of its theorem fails.",
    }[last.key]


def _bounded(exact: Curve, bound: Curve) -> str:
    """Say what a proven bound is by how far above the truth it lies."""
    place, at, _ = _near_one(exact, bound)
    return (
        f"A proven bound is never too low, but can be far too high: {at[0].lower()}{at[1:]}, "
        f"{_times(bound.y[place] / exact.y[place])} the truth."
    )


def figure(chart: Chart, theme: Theme) -> Figure:
    """Draw it; beside a curve that lies well above the truth, how far, at one ε and in between."""
    exact, last = chart.curve("exact"), chart.curves[-1]
    if len(chart.curves) > 2 or last.key not in _FAR:
        return draw(chart, theme)
    place, _, _ = _near_one(exact, last)
    x, low, high = float(exact.x[place]), exact.y[place], last.y[place]
    known, about = np.isfinite(last.y), last.subject
    truths = np.where(np.isfinite(exact.y), exact.y, np.nanmin(exact.y))[known]  # or below the axis
    far = f"<b>× {readable(high / low, 2)}</b>"
    gap = [
        Band(exact.x[known], truths, last.y[known], about=about, seen=0.12),
        Rule(x=x, y=(low, high), wide=5, about=about),
        Text(far, x, float(np.sqrt(high * low)), to="E", shift=(6, -4), about=about),
    ]
    return stacked(theme, Charted(replace(chart, here=x), gap))


def detail(chart: Chart) -> str:
    """State the true δ near ε = 1, and what the last of the curves makes of it."""
    exact, last = chart.curve("exact"), chart.curves[-1]
    if len(chart.curves) > 2:
        last = chart.curve("published")
    if last.key == "simulated":
        return _simulated(exact, last)
    place, at, truth = _near_one(exact, last)
    if last.key == "exact":
        return f"{at} the least δ is {truth}."
    if last.key == "certified":
        low, high = _interval(last, place)
        return f"{at} the truth, {truth}, lies between {low} and {high}."
    given = readable(last.y[place], 2)
    if last.key == "upper":
        return (
            f"{at} the truth, {truth}, is at most {given}. On its own a bound does not say how far "
            "above the truth it lies."
        )
    if last.key in ("limit", "shape"):
        return f"{at} the truth is {_times(exact.y[place] / last.y[place])} as large."
    return (
        f"{at} the true δ is {truth}, and the paper's formula gives {given}, "
        f"{_times(last.y[place] / exact.y[place])} as much; beyond ε = 1 its assumption fails."
    )


def _simulated(exact: Curve, simulated: Curve) -> str:
    if not simulated.x.size:
        return "Here too few of the random draws count to say anything."
    point = int(np.abs(simulated.x - 1).argmin())
    low, high = _interval(simulated, point)
    true = exact.y[int(np.abs(exact.x - simulated.x[point]).argmin())]
    return (
        f"At ε = {readable(simulated.x[point], 2)} the draws put δ between {low} and {high}; such "
        f"an interval misses the truth, {readable(true, 2)}, one time in twenty."
    )


def _interval(curve: Curve, place: int) -> tuple[str, str]:
    low, high = (readable(curve.part(end)[place], 2) for end in ("_lower", "_upper"))
    return low, high


def _near_one(exact: Curve, other: Curve) -> tuple[int, str, str]:
    """Return the place next to ε = 1 at which both are drawn, its ε in words, and the true δ."""
    both = other.y if other.x is exact.x else exact.y
    drawn = np.flatnonzero(np.isfinite(exact.y) & np.isfinite(both))
    place = int(drawn[np.abs(exact.x[drawn] - 1).argmin()])
    return place, f"At ε = {readable(exact.x[place], 2)}", readable(exact.y[place], 2)


def _times(ratio: float) -> str:
    return f"{readable(ratio, 2)} times"


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
    why="Privacy promises that no probability grows by more than a factor, e^ε, but for δ, which "
    "is added to each. All curves are about one number: the least δ that a Gaussian noise can "
    "promise. What differs is how well it is known, and each kind of knowledge is drawn in one way "
    "on all pages.",
)
