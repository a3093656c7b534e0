"""The legend of a figure as HTML, for narrow screens, where inside the figure it would crowd it."""

from html import escape

from dpviz.plot.spec import Figure, Trace

# What a point looks like, by plotly's name of it.
_POINTS = {"square": "■", "circle-open": "○", "square-open": "□", "diamond": "◆"}
_POINTS |= {"line-ns-open": "|", "x-thin-open": "×"}
_BORDERS = {"solid": "solid", "dash": "dashed", "dot": "dotted"}


def legend_html(figure: Figure) -> str:
    """Return a list of the named traces of `figure`, each with its line, point or box."""
    named = [trace for trace in figure.data if trace.get("name")]
    items = [_item(trace) for trace in named if trace.get("showlegend") is not False]
    return f'<ul class="legend">{"".join(items)}</ul>'


def _item(trace: Trace) -> str:
    if trace["type"] == "bar":
        sign = f'<span style="color: {trace["marker"]["color"]}">■</span>'
    elif trace.get("mode") == "markers":
        symbol = trace["marker"].get("symbol", "circle")
        point = _POINTS.get(symbol, "●") if isinstance(symbol, str) else "●"
        sign = f'<span style="color: {trace["marker"]["color"]}">{point}</span>'
    else:
        line = trace["line"]
        border = f"{line['width']:g}px {_BORDERS[line.get('dash', 'solid')]} {line['color']}"
        sign = f'<span style="border-top: {border}"></span>'
    return f"<li>{sign}<span>{escape(trace['name'])}</span></li>"
