"""Which curves a chart is about: they are strong and labelled, all others thin and grey.

A chart of one or two curves is about them. Of more, those of its headline are; without a headline
that names some, all. A page shows the others, and names them, where a reader points at them or asks
for all: dpviz/scripts/focus.js. Pictures and files, which nobody can point at, have all curves
as they are, with their labels.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from dpviz.results.evidence import Chart, Evidence

Labels = Literal["", "few", "all", "only"]
"""Which curves have labels: the few of the headline, or all as a reader wants; "" for no choice.

"only": those of the headline, and no others are drawn.
"""
MOST_NAMED = 2


def protagonists(chart: Chart, drawn: Sequence[str]) -> frozenset[str] | None:
    """Return the keys of the curves that a chart is about, None for all it has.

    drawn: those of all curves, with the ones of the figure before that stand in for some.
    """
    named = [key for key in chart.in_headline if key in drawn][:MOST_NAMED]
    return frozenset(named) if named and len(drawn) > MOST_NAMED else None


def alone(chart: Chart) -> Chart:
    """Return a chart of the curves that it is about, without all others."""
    about = protagonists(chart, [curve.key for curve in chart.curves])
    if about is None:
        return chart
    return replace(chart, curves=tuple(curve for curve in chart.curves if curve.key in about))


def width(evidence: Evidence) -> float:
    """Return the width of a curve that a chart is not about; points have a size in widths."""
    return 1.6 if evidence is Evidence.SIMULATED else 1.0
