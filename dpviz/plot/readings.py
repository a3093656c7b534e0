"""What is read off a drawing by pointing at it: where its values are, and what each says in words.

A figure says it as plotly has it, in the `hovertemplate` of a trace; what has none, says nothing.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dpviz.plot.coordinates import axis_of
from dpviz.plot.ink import UNSEEN, Array
from dpviz.plot.picture import Picture
from dpviz.plot.schemes import inked
from dpviz.plot.spec import Trace
from dpviz.plot.text import readable

_VALUE = re.compile(r"%\{(\w++)(?::([^{}]*+))?\}")
_FORMAT = re.compile(r",?\.(\d++)~?([efgr])")
_EXTRA = "<extra></extra>"


def scales(picture: Picture) -> dict[str, list[float]]:
    """Return for each axis its range in plotly's units, its ends in pixels, and 1 if it is log."""
    return {
        key.replace("axis", ""): [axis.low, axis.high, axis.start, axis.end, float(axis.log)]
        for key, axis in picture.paper.axes.items()
    }


def readings(traces: Sequence[Trace], picture: Picture) -> list[dict[str, Any]]:
    """Return what is read off a drawing, curve by curve, as a browser needs it.

    places: of its points, or the corners of its bars and cells, in tenths of pixels. said: what
    each says, as plotly's text; null where there is none. way: "line", "steps" or "points", "" for
    bars and cells. at: what stands above all values at one x, if they are read together.
    key, color, width: of a curve that the figure is not about, and how it looks when pointed at.
    """
    return [
        _reading(trace, picture.places[number], _title(trace, picture.layout))
        for number, trace in enumerate(traces)
        if "hovertemplate" in trace
        and trace.get("hoverinfo") != "skip"
        and number in picture.places
        and picture.places[number].size
    ]


def _reading(trace: Trace, places: Array, title: str) -> dict[str, Any]:
    finite = np.isfinite(places.sum(axis=1))
    at = np.rint(10 * np.clip(np.nan_to_num(places), -1e5, 1e5)).astype(int)
    texts = [
        words if there else None for words, there in zip(_texts(trace), list(finite), strict=True)
    ]
    found: dict[str, Any] = {
        "axes": [trace.get("xaxis", "x"), trace.get("yaxis", "y")],
        "way": _way(trace),
        "places": at.tolist(),
        "said": texts,
        "color": _color(trace),
    }
    if title:
        found["at"] = [_filled(title, {"x": x}) for x in trace["x"]]
    about = dict(trace.get("meta", {}))
    return found | {key: inked(part) if key == "color" else part for key, part in about.items()}


def _way(trace: Trace) -> str:
    if trace["type"] != "scatter":
        return ""
    if "lines" not in trace.get("mode", "lines"):
        return "points"
    return "steps" if trace.get("line", {}).get("shape") == "hv" else "line"


def _color(trace: Trace) -> str:
    """Return the colour of what is pointed at, "" for one that is not seen or of each its own."""
    found = trace.get("line", {}).get("color") or trace.get("marker", {}).get("color")
    return inked(found) if isinstance(found, str) and found != UNSEEN else ""


def _title(trace: Trace, layout: Mapping[str, Any]) -> str:
    axis = layout.get(axis_of(trace, "x"), {})
    return str(axis.get("unifiedhovertitle", {}).get("text", ""))


def _texts(trace: Trace) -> Iterator[str]:
    template = trace["hovertemplate"].replace(_EXTRA, "")
    if trace["type"] == "heatmap":
        rows, columns = np.shape(trace["z"])
        for row in range(rows):
            for column in range(columns):
                cell = {"x": trace["x"][column], "y": trace["y"][row]}
                cell |= {k: trace[k][row][column] for k in ("z", "customdata") if k in trace}
                yield _filled(template, cell)
        return
    many = {key: trace[key] for key in ("x", "y", "text", "customdata") if key in trace}
    for index in range(len(trace["x"])):
        yield _filled(
            template,
            {key: part if isinstance(part, str) else part[index] for key, part in many.items()},
        )


def _filled(template: str, values: Mapping[str, Any]) -> str:
    return _VALUE.sub(lambda found: _written(values[found[1]], found[2] or ""), template)


def _written(value: Any, how: str) -> str:
    """Return a value in words, with as many digits as plotly's format asks for."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | np.integer):
        return (f"{value:,}" if abs(int(value)) > 9999 else f"{value}").replace("-", "−")
    number = float(value)
    if (shape := _FORMAT.fullmatch(how)) and shape[2] == "f" and math.isfinite(number):
        return f"{number:.{shape[1]}f}".replace("-", "−")
    return readable(number, int(shape[1]) if shape else 3)
