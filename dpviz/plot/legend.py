"""The legend of a figure as HTML, for narrow screens, where inside the figure it would crowd it."""

from html import escape

import plotly.graph_objects as go

_BORDERS = {"solid": "solid", "dash": "dashed", "dot": "dotted"}


def legend_html(figure: go.Figure) -> str:
    """Return a list of the named traces of `figure`, each with its line, point or box."""
    items = [_item(trace) for trace in figure.data if trace.name and trace.showlegend is not False]
    return f'<ul class="legend">{"".join(items)}</ul>'


def _item(trace: go.Scatter | go.Bar) -> str:
    if isinstance(trace, go.Bar):
        sign = f'<span style="color: {trace.marker.color}">■</span>'
    elif trace.mode == "markers":
        sign = f'<span style="color: {trace.marker.color}">●</span>'
    else:
        border = f"{trace.line.width:g}px {_BORDERS[trace.line.dash or 'solid']} {trace.line.color}"
        sign = f'<span style="border-top: {border}"></span>'
    return f"<li>{sign}{escape(trace.name)}</li>"
