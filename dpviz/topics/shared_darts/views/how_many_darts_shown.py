"""How many darts: what a limited supply of shared darts costs."""

from dpviz.plot.chart import draw
from dpviz.plot.text import chance, counted, hundredths
from dpviz.scene.view import View
from dpviz.topics.shared_darts.bells_shown import BELLS, notes
from dpviz.topics.shared_darts.views.how_many_darts import SupplyChart, how_many_darts


def takeaway(chart: SupplyChart) -> str:
    """Compare so many shared darts with endless ones."""
    few, endless = (hundredths(value) for value in (chart.limited, chart.endless))
    than = "as with endless ones" if few == endless else f"with endless ones in {endless}%"
    return (
        f"With {counted(chart.here, 'shared dart', digits=7)} the two pick differently in {few}% "
        f"of games, {than}."
    )


def detail(chart: SupplyChart) -> str:
    """State how many darts are enough, and what that grows with."""
    verb = "is" if chart.enough == 1 else "are"
    return (
        f"Whoever none of the darts hits uses coins of their own; with those alone the two differ "
        f"with probability {chance(chart.independent)}. "
        f"{counted(chart.enough, 'shared dart', digits=7)} {verb} enough that the chance to hit "
        f"nobody at all is {chance(chart.missed)} at most: a number that grows like that of the "
        f"outcomes, {chart.outcomes}."
    )


VIEW = View(
    key="supply",
    title="How many darts",
    compute=how_many_darts,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    parameters=("darts", *BELLS, "seed"),
    notes=notes,
)
