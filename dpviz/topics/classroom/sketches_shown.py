"""The axes that a sketch is drawn over, and one's own sketch over a figure."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from dpviz.plot.axes import title
from dpviz.plot.marks import Line, Plot, drawn
from dpviz.plot.spec import Figure
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, Chart
from dpviz.topics.classroom.sketches import Plane, Side, fractions, is_sketch


def plane_of(chart: Chart, figure: Figure) -> Plane:
    """Return the axes of the figure of a chart, without anything that is drawn between them."""
    x, y = (figure.layout[name] for name in ("xaxis", "yaxis"))
    return Plane(_side(chart.x, x), _side(chart.y, y))


def _side(axis: Axis, settings: Mapping[str, Any]) -> Side:
    low, high = map(float, settings["range"])
    log = settings.get("type") == "log"
    pairs = zip(settings["tickvals"], settings["ticktext"], strict=True)
    ticks = tuple((float(np.log10(at) if log else at), str(text)) for at, text in pairs)
    return Side(axis.name, title(axis), low, high, log, ticks)


def with_sketch(figure: Figure, plane: Plane, text: str, theme: Theme) -> Figure:
    """Return a figure with a sketch over it, if the text is one."""
    if is_sketch(text):
        y = plane.y.values(fractions([text]))[0]
        line = Line(plane.places, y, dash="dot", about="muted", name="as you drew it")
        drawn([line], Plot(theme, traces=figure.data))
    return figure
