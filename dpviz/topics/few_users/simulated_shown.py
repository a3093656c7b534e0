"""How simulated probabilities are written and drawn."""

import math
from dataclasses import replace

from dpviz.plot.marks import Dots, Line, Mark
from dpviz.plot.panels import Charted, Handle, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import agreeing, chance, counted
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Chart, Result
from dpviz.topics.few_users.simulated import Measured

_FOOT = -0.12  # where the axis begins: a grip on it hides no point at 0


def pairs_alike(result: Result, shared: Measured, own: Measured) -> str:
    """Say how many pairs of users pick alike with shared darts, and how many with own coins.

    While pairs come in, how many there are is said before it.
    """
    hits = round(shared.value * shared.trials)
    alone = round(own.value * own.trials)
    verb = agreeing(hits, "picks", "pick")
    first, second = (f"{count:,}" if count else "none" for count in (hits, alone))
    beside = "as" if hits == alone else second
    if result.going_on:
        return f"{first} {verb} alike with shared darts, {beside} with own coins."
    pairs = f"{first.capitalize()} of {counted(shared.trials, 'pair', digits=7)} of users"
    return f"{pairs} {verb} alike with shared darts, {beside} with coins of their own."


def with_interval(value: Measured) -> str:
    """Write a simulated probability with its interval."""
    if math.isnan(value.value):
        return "unknown as yet"
    low, high = chance(value.lower), chance(value.upper)
    return f"{chance(value.value)} ({low} to {high})"


def of_the_headline(chart: Chart, theme: Theme) -> Figure:
    """Draw the curves that the headline is about, each at its place: joined, with intervals.

    What they measure says the axis. The others are in the table; beside each other all would
    stand away from their own x.
    """
    curves = [curve for curve in chart.curves if curve.key in chart.in_headline]
    marks = list[Mark]()
    for curve in curves:
        if curve.lower is not None and curve.upper is not None:
            off = curve.y - curve.lower, curve.upper - curve.y
            marks.append(Line(curve.x, curve.y, about=curve, wide=1.5))
            marks.append(Dots(curve.x, curve.y, about=curve, off=off, size=1, thick=1.5, caps=0))
    alone = tuple(
        replace(curve, label=curve.label.rpartition(", ")[2], lower=None, upper=None)
        for curve in curves
    )
    footed = replace(chart, y=replace(chart.y, base=_FOOT))
    shown = Charted(replace(footed, curves=alone), marks, handle=Handle(chart.x.name, chart.here))
    return stacked(theme, shown if curves else footed)
