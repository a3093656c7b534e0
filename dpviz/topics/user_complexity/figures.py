"""The figure of users against m: the bounds, and a strip that names the dominating terms."""

from dataclasses import replace

from dpviz.plot.axes import Scale
from dpviz.plot.chart import draw
from dpviz.plot.spec import Figure
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Curve
from dpviz.results.papers import CS
from dpviz.topics.user_complexity.views.users import UsersChart

# Pixels below the plot at which the strip's heading and its bar begin, and where it ends.
_HEADING, _BAR, _END = 56, 78, 104


def users_figure(chart: UsersChart, theme: Theme) -> Figure:
    """Return the figure of `chart`, with a strip below that names the dominating terms."""
    if theme.scale > 1:  # so large, the words at the crossings cover curves; the strip has the same
        crossings = {crossing.x for crossing in chart.crossings}
        chart = replace(chart, marks=tuple(m for m in chart.marks if m.x not in crossings))
    figure = draw(chart, theme)
    margin = figure.layout["margin"]
    heading, bar, end = (round(theme.scale * pixels) for pixels in (_HEADING, _BAR, _END))
    room = end + 4 - margin["b"]
    figure.update_layout(height=figure.layout["height"] + room, margin={"b": margin["b"] + room})
    low, high = figure.layout["xaxis"]["range"]
    scale = Scale(chart.x, low, high)
    pixels = (theme.width - margin["l"] - margin["r"]) / (high - low)
    figure.add_annotation(
        _below(heading),
        text=f"Largest term of {theorem(chart.curve(chart.primary))}",
        x=0,
        xref="paper",
        xanchor="left",
        yanchor="top",
        font={"size": theme.font_size - 1, "color": theme.muted},
    )
    for number, stretch in enumerate(chart.stretches):
        start = max(scale.position(stretch.start), low)
        stop = min(scale.position(stretch.stop), high)
        if start >= stop:
            continue
        figure.add_shape(
            type="rect",
            x0=10**start,
            x1=10**stop,
            yref="paper",
            ysizemode="pixel",
            yanchor=0,
            y0=-bar,
            y1=-end,
            fillcolor=theme.subjects[chart.curve(chart.primary).subject],
            opacity=0.16 if number % 2 == 0 else 0.36,
            line={"width": 0},
        )
        fits = 0.5 * theme.font_size * len(stretch.term) + 8 < pixels * (stop - start)
        figure.add_annotation(
            _below((bar + end) / 2),
            text=stretch.term if fits else "…",
            hovertext=stretch.term,
            x=(start + stop) / 2,
            yanchor="middle",
        )
    return figure


def _below(pixels: float) -> dict[str, object]:
    return {"y": 0, "yref": "paper", "yshift": -pixels, "showarrow": False}


def theorem(curve: Curve) -> str:
    """Name the theorem behind a curve, with its year if it is from the earlier paper."""
    return f"{curve.source.item} (2021)" if curve.source.paper == CS else curve.source.item
