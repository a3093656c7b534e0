"""How simulated probabilities are written and drawn."""

import math
from dataclasses import replace
from typing import Any

from dpviz.plot.marks import Dots, Mark
from dpviz.plot.panels import Charted, Handle, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance, percent
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Chart
from dpviz.topics.few_users.simulated import Measured

_FOOT = -0.12  # where the axis begins: a grip on it hides no point at 0


def the_same(shared: Measured, own: Measured) -> str:
    """Say how many pairs of users pick the same with shared darts, and how many with own coins."""
    pairs = f"{percent(shared.value)} of pairs of users pick the same hypothesis"
    if own.value == shared.value:
        return f"{pairs}, with shared darts or coins of their own."
    return f"{pairs} with shared darts, {percent(own.value)} with coins of their own."


def with_interval(value: Measured) -> str:
    """Write a simulated probability with its interval."""
    if math.isnan(value.value):
        return "unknown as yet"
    low, high = chance(value.lower), chance(value.upper)
    return f"{chance(value.value)} ({low} to {high})"


def of_the_headline(chart: Chart, theme: Theme, **place: Any) -> Figure:
    """Draw the curves that the headline is about, each at its place: points with intervals.

    What they measure says the axis. The others are in the table; beside each other all would
    stand away from their own x. place: more of how the chart stands.
    """
    curves = [curve for curve in chart.curves if curve.key in chart.in_headline]
    marks = list[Mark]()
    for curve in curves:
        if curve.lower is not None and curve.upper is not None:
            off = curve.y - curve.lower, curve.upper - curve.y
            marks.append(Dots(curve.x, curve.y, about=curve, off=off, size=1, thick=1.5, caps=0))
    alone = tuple(
        replace(curve, label=curve.label.rpartition(", ")[2], lower=None, upper=None)
        for curve in curves
    )
    label = f"{chart.y.label}; bars: 95% intervals"
    footed = replace(chart, y=replace(chart.y, base=_FOOT, label=label))
    handle = Handle(chart.x.name, chart.here)
    shown = Charted(replace(footed, curves=alone), marks, handle=handle, **place)
    return stacked(theme, shown if curves else footed)
