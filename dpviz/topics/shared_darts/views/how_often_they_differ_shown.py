"""How often they differ: shared darts, one shared number, and coins of one's own."""

from collections.abc import Mapping

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.text import agreeing, chance, counted, hundredths, percent, readable, upwards
from dpviz.results.parameters import Limit
from dpviz.scene.asking import PERCENT, value_at_here
from dpviz.scene.codec import Value
from dpviz.scene.view import Sketch, View
from dpviz.topics.shared_darts.bells_shown import BELLS, notes
from dpviz.topics.shared_darts.views.how_often_they_differ import (
    DisagreementChart,
    how_often_they_differ,
)

_ROUNDING = 1e-12
_GAMES = Limit("guess", "of 100", "games in which the picks differ", 0, 100, 50, log=False, step=1)


def takeaway(chart: DisagreementChart) -> str:
    """Compare shared darts with own coins, or so many of them with endless ones."""
    endless, differ = _games(chart.outputs), "Ann and Ben differ in"
    if not chart.along_darts:
        alone = _games(chart.independent)
        than = "the same as drawing alone" if alone == endless else f"drawing alone, in {alone}"
        if alone != endless and _nearer_is_better(chart):
            return (
                "The nearer the bells, the less often Ann and Ben differ with shared darts: here "
                f"in {endless}; {than}."
            )
        return f"With shared darts {differ} {endless}; {than}."
    few = _games(chart.limited)
    than = "the same as with endless ones" if few == endless else f"with endless ones, in {endless}"
    return f"With {counted(chart.here, 'shared dart', digits=7)} {differ} {few}; {than}."


def _games(share: float) -> str:
    """Say in how many games something happens that has this probability."""
    return f"{percent(share)} of games" if share else "no game"


def _nearer_is_better(chart: DisagreementChart) -> bool:
    """Tell whether picks differ more often at each larger distance drawn: not for all bells."""
    curve = chart.curve("outputs")
    heights = curve.y[np.lexsort((curve.y, curve.x))]
    return bool(np.all(np.diff(heights) >= -_ROUNDING) and heights[-1] > heights[0])


def detail(chart: DisagreementChart) -> str:
    """State the exact probabilities, with the bound on them or how many darts are enough."""
    if chart.along_darts:
        verb = agreeing(chart.enough, "is", "are")
        return (
            f"With T = {readable(chart.here, 7)} the picks differ with probability "
            f"{chance(chart.limited)}, with endless darts {chance(chart.outputs)}. Anyone "
            "without a hit tosses coins of their own; with own coins alone the picks differ "
            f"with probability {chance(chart.independent)}. "
            f"{counted(chart.enough, 'shared dart', digits=7)} {verb} enough for a hit below "
            f"either curve with probability at least {chance(1 - chart.missed)}; this number "
            f"grows like that of the outcomes, {chart.outcomes}."
        )
    bound = ""
    if 2 * chart.distance < 1:
        bound = f" (at most {upwards(2 * chart.distance)}, twice the total variation)"
    return (
        f"At total variation {readable(chart.distance)} shared darts lead to different picks with "
        f"probability {chance(chart.outputs)}{bound}, one shared uniform number with "
        f"{chance(chart.inverse)}, and coins of their own with {chance(chart.independent)}."
    )


def as_they_move_apart(values: Mapping[str, Value]) -> bool:
    """Tell whether x is the distance of the bells."""
    return values["along"] == "gap"


VIEW = View(
    key="disagreement",
    title="How often they differ",
    compute=how_often_they_differ,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    parameters=("along", "darts", *BELLS, "seed"),
    in_sight=("gap", "darts", "along"),
    idle=lambda values: {"darts"} if as_they_move_apart(values) else (),
    notes=notes,
    sketch=Sketch(
        question="Two people's distributions drift apart. Draw how often shared "
        "darts give them different values.",
        curve="outputs",
        applies=as_they_move_apart,
    ),
    prediction=value_at_here(
        "Two people pick from their own distributions, with the same darts. In how many "
        "games of a hundred will the picks differ?",
        _GAMES,
        "outputs",
        hidden=("darts", "bound", "least", "simulated"),
        scale=PERCENT,
        answer=lambda games: f"in {hundredths(games / 100)} of a hundred",
        applies=as_they_move_apart,
    ),
)
