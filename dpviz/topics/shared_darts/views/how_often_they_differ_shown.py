"""How often they differ: shared darts, one shared number, and coins of one's own."""

from dataclasses import replace

from dpviz.plot.chart import draw
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance, hundredths, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Mark
from dpviz.results.parameters import Limit
from dpviz.scene.asking import PERCENT, value_at_here
from dpviz.scene.view import Sketch, View
from dpviz.topics.shared_darts.bells_shown import BELLS, notes
from dpviz.topics.shared_darts.views.how_often_they_differ import (
    DisagreementChart,
    how_often_they_differ,
)

_GAMES = Limit("guess", "of 100", "games in which the picks differ", 0, 100, 50, log=False, step=1)


def takeaway(chart: DisagreementChart) -> str:
    """Compare the two extremes at the reader's bells: shared darts and own coins."""
    return (
        f"With shared darts two people pick differently in {hundredths(chart.outputs)}% of "
        f"games, with coins of their own in {hundredths(chart.independent)}%."
    )


def detail(chart: DisagreementChart) -> str:
    """State the three probabilities, and the bound where it says something."""
    bound = ""
    if 2 * chart.distance < 1:
        bound = f" (at most {readable(2 * chart.distance)}, twice the total variation)"
    return (
        f"At total variation {readable(chart.distance)} shared darts lead to different picks with "
        f"probability {chance(chart.outputs)}{bound}, one shared uniform number with "
        f"{chance(chart.inverse)}, and coins of their own with {chance(chart.independent)}."
    )


def figure(chart: DisagreementChart, theme: Theme) -> Figure:
    """Draw the chart, with what the sentence tells marked at the reader's own distance."""
    said = {"outputs": chart.outputs, "independent": chart.independent}
    marks = tuple(
        Mark(chart.distance, said[curve.key], f"{hundredths(said[curve.key])}%", curve.subject)
        for curve in chart.curves
        if curve.key in said
    )
    return draw(replace(chart, marks=(*marks, *chart.marks)), theme)


VIEW = View(
    key="disagreement",
    title="How often they differ",
    compute=how_often_they_differ,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    parameters=(*BELLS, "seed"),
    notes=notes,
    sketch=Sketch(
        question="Two people's distributions drift apart. Draw how often shared "
        "darts give them different values.",
        curve="outputs",
    ),
    prediction=value_at_here(
        "Two people pick from their own distributions, with the same darts. In how many "
        "games of a hundred will the picks differ?",
        _GAMES,
        "outputs",
        hidden=("darts", "bound", "least", "simulated"),
        scale=PERCENT,
        answer=lambda games: f"in {hundredths(games / 100)} of a hundred",
    ),
)
