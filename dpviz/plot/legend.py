"""What stands below a figure as HTML: its legend, and the switch that shows all of its curves.

The legend is for narrow screens, where inside the figure it would crowd it.
"""

from html import escape

from dpviz.plot.ink import DASHES
from dpviz.plot.spec import Figure, Trace
from dpviz.plot.text import counted, raised

# What a point looks like, by plotly's name of it.
_POINTS = {"square": "■", "circle-open": "○", "square-open": "□", "diamond": "◆"}
_POINTS |= {"line-ns-open": "|", "x-thin-open": "×"}


def legend_html(figure: Figure) -> str:
    """Return a list of the named traces of `figure`, each with its line, point or box."""
    named = [trace for trace in figure.data if trace.get("name")]
    items = [_item(trace) for trace in named if trace.get("showlegend") is not False]
    return f'<ul class="legend">{"".join(items)}</ul>'


def also_html(figure: Figure) -> str:
    """Return the switch that shows the curves that `figure` is not about, too.

    Nothing for a figure of which a reader has no choice; see `dpviz.plot.focus`.
    """
    labels = figure.layout.get("meta", {}).get("labels")
    more = len({trace["meta"]["key"] for trace in figure.data if "meta" in trace})
    if not labels or not (more or labels == "all"):
        return ""
    words = counted(more, "more curve") if more else "All curves"
    checked = "true" if labels == "all" else "false"
    switch = f'type="button" class="all-labels" role="switch" aria-checked="{checked}"'
    return f'<div class="also-drawn"><button {switch}>{words}</button></div>'


def _item(trace: Trace) -> str:
    if trace["type"] == "bar":
        sign = f'<span style="color: {trace["marker"]["color"]}">■</span>'
    elif trace.get("mode") == "markers":
        symbol = trace["marker"].get("symbol", "circle")
        point = _POINTS.get(symbol, "●") if isinstance(symbol, str) else "●"
        sign = f'<span style="color: {trace["marker"]["color"]}">{point}</span>'
    else:
        sign = _line(trace["line"])
    return f"<li>{sign}<span>{raised(escape(trace['name']))}</span></li>"


def _line(looks: Trace) -> str:
    """Return a short piece of a line."""
    width = looks["width"]
    dashes = DASHES.get(looks.get("dash", "solid"), "none")
    return (
        f'<svg width="28" height="{width:g}" aria-hidden="true"><line x2="100%" y1="50%" y2="50%" '
        f'stroke="{looks["color"]}" stroke-width="{width:g}" stroke-dasharray="{dashes}"/></svg>'
    )
