"""How the sketches of a class are drawn, and one's own over a figure."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from dpviz.plot.axes import title
from dpviz.plot.spec import Figure, Trace, scatter
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, Chart, ChartResult, FloatArray, Result, Subject
from dpviz.topics.classroom.sketches import Plane, Side, fractions, is_sketch
from dpviz.topics.classroom.views.sketches import ClassSketches

_FAINT, _LEAST = 1.0, 0.3  # of opacity: of one sketch alone, and of one among hundreds
_THIN = 1.2


def sketches_figure(result: ClassSketches, theme: Theme) -> Figure:
    """Return the axes, each sketch as a thin line, quartiles of all, and the curve if revealed."""
    figure, plane = Figure(), result.plane
    own = theme.subjects[Subject.USER_LEVEL]
    for vote, heights in enumerate(result.rounds, 1):
        last = vote == len(result.rounds)
        name = "sketches" if len(result.rounds) == 1 else f"vote {vote}"
        if len(heights):
            color = own if last else theme.muted
            figure.add_traces([_thin(plane.places, heights, color, theme, name)])
    if result.count > 1 and np.isfinite(result.middle).any():
        figure.add_traces(_middle(plane.places, result.middle, own, theme))
    if result.exact is not None:
        x, y = result.exact
        line = {"color": theme.text, "width": 3.5 * theme.scale, "dash": "solid"}
        figure.add_scatter(x=x, y=y, mode="lines", name=result.label, line=line, hoverinfo="skip")
    return figure.update_layout(
        template=theme.template(),
        height=theme.height,
        margin={"l": 90, "r": 20, "t": 3 * theme.font_size, "b": 110},
        showlegend=not theme.compact and bool(figure.data),
        hovermode=False,
        xaxis=_axis(plane.x),
        yaxis=_axis(plane.y) | {"title": {"text": ""}},
        annotations=[_above(plane.y.title)],
    )


def chart_of(result: Result) -> Chart:
    """Return the chart of a result that has one."""
    if isinstance(result, ChartResult):
        return result.chart
    if isinstance(result, Chart):
        return result
    raise TypeError(f"a {type(result).__name__} has no chart to draw over")


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
        line = {"color": theme.muted, "width": 2.5 * theme.scale, "dash": "dot"}
        parts: Trace = {"mode": "lines", "name": "as you drew it", "line": line}
        figure.add_traces([scatter(x=plane.places, y=y, hoverinfo="skip", **parts)])
    return figure


def _thin(x: FloatArray, heights: FloatArray, color: str, theme: Theme, name: str) -> Trace:
    """Return all sketches as one line with gaps between them."""
    gapped = np.column_stack([heights, np.full(len(heights), np.nan)]).ravel()
    return scatter(
        x=np.tile(np.append(x, np.nan), len(heights)),
        y=gapped,
        mode="lines",
        name=name,
        opacity=max(_LEAST, _FAINT / np.sqrt(len(heights))),
        line={"color": color, "width": _THIN * theme.scale, "dash": "solid"},
        hoverinfo="skip",
    )


def _middle(x: FloatArray, rows: FloatArray, color: str, theme: Theme) -> list[Trace]:
    """Return the median, and the band between the quartiles."""
    low, median, high = (row[np.isfinite(rows[1])] for row in rows)
    there = x[np.isfinite(rows[1])]
    line = {"color": color, "width": 2.5 * theme.scale, "dash": "dash"}
    band: dict[str, Any] = {"fill": "toself", "fillcolor": color, "opacity": 0.15}
    return [
        scatter(
            x=np.concatenate([there, there[::-1]]),
            y=np.concatenate([high, low[::-1]]),
            mode="lines",
            line={"width": 0, "color": color, "dash": "solid"},
            hoverinfo="skip",
            showlegend=False,
            **band,
        ),
        scatter(x=there, y=median, mode="lines", name="median", line=line, hoverinfo="skip"),
    ]


def _above(text: str) -> dict[str, Any]:
    """Return words above the plot, where every figure says what its y-axis measures."""
    place = {"x": 0, "xref": "paper", "xanchor": "left", "y": 1, "yref": "paper"}
    return place | {"text": text, "yanchor": "bottom", "yshift": 8, "showarrow": False}


def _axis(side: Side) -> dict[str, Any]:
    values = [10**at if side.log else at for at, _ in side.ticks]
    settings: dict[str, Any] = {
        "title": {"text": side.title},
        "range": [side.low, side.high],
        "tickvals": values,
        "ticktext": [text for _, text in side.ticks],
    }
    return settings | ({"type": "log"} if side.log else {})
