"""What anyone can learn: the best attacker, in a sentence and a figure."""

from dataclasses import replace

from dpviz.plot.marks import Text, to_both_axes
from dpviz.plot.panels import Charted, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import downwards, readable, upwards
from dpviz.plot.theme import Theme
from dpviz.scene.view import View
from dpviz.topics.home.views.best_attacker import DELTA, BestAttacker, best_attacker


def takeaway(chart: BestAttacker) -> str:
    """State how often the best attacker is right."""
    [best] = chart.landmarks
    return (
        "A coin decided whether you are in the data. With Gaussian noise of "
        f"ε = {readable(chart.epsilon)} and δ = {readable(DELTA)}, nobody guesses right more than "
        f"{upwards(best.y)}% of the time."
    )


def detail(chart: BestAttacker) -> str:
    """State which noise the attacker faces: ε alone does not say how often one is right."""
    [best] = chart.landmarks
    return (
        f"The best attacker is right {readable(best.y)}% of the time, as half of those asked about "
        "are in the data; where fewer are, fewer accusations are right, as the view Odds shows. "
        "The noise is the least that keeps this ε with δ = "
        f"{readable(DELTA)}. Another noise may reveal more at the same ε."
    )


def figure(chart: BestAttacker, theme: Theme) -> Figure:
    """Draw it lower than other figures: the ways in stand below it."""
    [best] = chart.landmarks
    named = replace(best, text=f"right {upwards(best.y)}% of the time")
    curves = tuple(
        replace(curve, label=f"{curve.label}: right 50%") if curve.key == "blind" else curve
        for curve in chart.curves
    )
    chart = replace(chart, curves=curves, landmarks=(named,))
    rates = Text(f"{upwards(best.y)}%", 0, best.y), Text(f"{downwards(best.x)}%", best.x, 0)
    beside = [replace(rate, to="NE", shift=(4, 2), about="muted") for rate in rates]
    return stacked(theme, Charted(chart, [*to_both_axes(best.x, best.y), *beside]), tall=0.72)


VIEW = View(
    key="attackers",
    title="What anyone can learn",
    compute=best_attacker,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    parameters=("epsilon",),
    pulled={"epsilon": "ε = #"},
    why="An answer with noise could almost as well have come from data without you, so nobody can "
    "be sure that you took part. The more noise, the more alike the two worlds are, and the nearer "
    "the best attacker comes to tossing a coin.",
)
