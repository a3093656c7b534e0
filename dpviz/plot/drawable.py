"""What `dpviz.plot.picture` can draw of a figure: all else is an error, not something else drawn.

A part that a picture leaves out on purpose (what is read as one hovers, what is clicked) is named
here as well: a part nobody has thought of is found by the tests, which draw every kind of state.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from dpviz.plot.ink import DASHES, ON_PAPER, SYMBOLS
from dpviz.plot.spec import Trace

_COMMON = {"type", "x", "y", "xaxis", "yaxis", "name", "legend", "showlegend", "opacity"}
_COMMON |= {"hoverinfo", "hovertemplate", "customdata", "text", "cliponaxis", "meta"}
_PARTS = {
    "scatter": {"mode", "line", "marker", "textposition", "textfont", "fill", "fillcolor"}
    | {"error_x", "error_y"},
    "bar": {"base", "width", "offset", "orientation", "marker", "textposition", "textfont"},
    "heatmap": {"z", "zmin", "zmax", "colorscale", "showscale"},
}
_MODES = {"lines", "markers", "text"}
_INNER = {  # what parts of a trace may say
    "line": {"color", "width", "dash", "shape"},
    "marker": {"color", "size", "symbol", "opacity", "line"},
    "error_x": {"array", "arrayminus", "thickness", "width", "color"},
    "error_y": {"array", "arrayminus", "thickness", "width", "color"},
    "textfont": {"color"},
}
_WORDS = {  # of a part, "" where it says none
    "line.dash": {"", *DASHES, *ON_PAPER, "solid"},
    "line.shape": {"", "linear", "hv", "hvh"},
    "marker.symbol": {"", *SYMBOLS},
    "fill": {"", "toself", "tozeroy", "tonexty"},
    "orientation": {"", "h"},
}
_BAR_TEXTS = {"outside"}
_SHAPES = {"line", "rect"}
_AXES = {"", "linear", "log"}
_BARMODES = {"", "stack", "overlay"}


class UnknownPartError(ValueError):
    """A picture would draw a part of a figure as something else."""


def check(data: Iterable[Trace], layout: Mapping[str, Any]) -> None:
    """Raise UnknownPartError for a figure with a part that would be drawn as something else."""
    for trace in data:
        kind = trace["type"]
        if kind not in _PARTS:
            raise UnknownPartError(f"a picture knows no trace of type {kind!r}")
        _check(kind, trace, _COMMON | _PARTS[kind])
        for part in _INNER.keys() & trace.keys():
            _check(f"{kind}.{part}", trace[part], _INNER[part])
        for name, words in _WORDS.items():
            part, _, inner = name.partition(".")
            found = trace.get(part, "")
            found = found.get(inner, "") if inner and found else found
            _check(f"{kind}.{name}", {found or ""} if isinstance(found, str) else found, words)
        if kind == "scatter":
            _check("the mode of a scatter", trace.get("mode", "unsaid").split("+"), _MODES)
        if kind == "bar" and "text" in trace:
            place = trace.get("textposition", "unsaid")
            _check("bar.textposition", {place} if isinstance(place, str) else place, _BAR_TEXTS)
        if kind == "heatmap" and len(trace["colorscale"]) != 2:
            raise UnknownPartError("a picture knows no colour scale of more than two colours")
    for shape in layout.get("shapes", ()):
        _check("shape.type", {shape["type"]}, _SHAPES)
        modes = {shape.get(f"{letter}sizemode", "scaled") for letter in "xy"}
        _check("shape.sizemode", modes, {"scaled"})
    for key, axis in layout.items():
        if key[1:5] == "axis":
            _check(f"{key}.type", {axis.get("type") or ""}, _AXES)
            if not axis.get("range"):
                raise UnknownPartError(f"a picture knows no {key} without a range")
    _check("barmode", {layout.get("barmode", "")}, _BARMODES)


def _check(what: str, found: Iterable[str], words: Iterable[str]) -> None:
    if unknown := set(found).difference(words):
        raise UnknownPartError(f"a picture knows no {what} with {', '.join(sorted(unknown))}")
