"""Figures as plain data: traces, layout and frames in dicts, named as plotly.js names them.

Nothing is checked here, for that takes longer than computing what most figures show; tests put
every figure through plotly's own check.
"""

import base64
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from dpviz.plot.text import raised

Trace = dict[str, Any]

_WHOLE = ("u1", "i1", "u2", "i2", "u4", "i4")  # what a browser's typed arrays hold
_SMALL, _LARGE = 1e-37, 1e38  # float32 keeps its seven digits from the one to the other
_FEW = 32  # fewer numbers are not worth packing
_AXIS_WORDS = ("title", "unifiedhovertitle")
_NARROW = 1e-3  # spans below this share of the largest number need more than seven digits


class Figure:
    """Traces, layout and frames, with the few operations that figures need.

    Parts of a layout are merged as deep as they are mappings, and None takes a part away.
    """

    def __init__(self, data: Iterable[Trace] = ()) -> None:
        self.data: list[Trace] = list(data)
        self.layout: dict[str, Any] = {}
        self.frames: Sequence[dict[str, Any]] = []

    def add_traces(self, traces: Iterable[Trace]) -> None:
        """Draw more traces, above those there are."""
        self.data.extend(traces)

    def add_shape(self, **parts: Any) -> None:
        """Draw a line or a box that is no data."""
        self.layout["shapes"] = [*self.layout.get("shapes", ()), parts]

    def add_annotation(self, *looks: Mapping[str, Any], **parts: Any) -> None:
        """Write words; the parts take precedence over the looks."""
        note = {key: value for look in looks for key, value in look.items()} | parts
        self.layout["annotations"] = [*self.layout.get("annotations", ()), note]

    def update_layout(self, **parts: Any) -> "Figure":
        """Change the layout, and return this figure."""
        self.layout = merged(self.layout, parts)
        return self

    def with_exponents(self) -> "Figure":
        """Return this figure with the exponents in its words raised: for ``2^d`` a small d."""
        data = [trace | _raised(trace, "name", "hovertemplate") for trace in self.data]
        layout = dict(self.layout)
        if "annotations" in layout:
            layout["annotations"] = [n | _raised(n, "text") for n in layout["annotations"]]
        for key, axis in self.layout.items():
            if key[1:5] == "axis":
                words = {part: axis[part] for part in _AXIS_WORDS if "text" in axis.get(part, ())}
                raised_words = {part: one | _raised(one, "text") for part, one in words.items()}
                layout[key] = axis | raised_words
        figure = Figure(data)
        figure.layout, figure.frames = layout, self.frames
        return figure

    def json(self) -> bytes:
        """Return the figure as JSON, its arrays as typed ones in base64, which may hold NaN."""
        spec: dict[str, object] = {
            "data": [_on_screen(trace, trace) for trace in self.data],
            "layout": self.layout,
        }
        if self.frames:
            spec["frames"] = [frame | {"data": self._changes(frame)} for frame in self.frames]
        return orjson.dumps(spec, default=_written)

    def _changes(self, frame: dict[str, Any]) -> list[Trace]:
        """Return what a frame changes, for the screen."""
        changed = (self.data[number] for number in frame["traces"])
        return [_on_screen(*pair) for pair in zip(frame["data"], changed, strict=True)]

    def plain(self) -> dict[str, Any]:
        """Return what `json` writes in Python's own types, for libraries that want those."""
        return dict(orjson.loads(self.json()))


def scatter(**parts: Any) -> Trace:
    """Return a trace of points, a line or words; a point at the end of an axis is seen whole."""
    whole = {"cliponaxis": False} if parts.get("mode") == "markers" else {}
    return {"type": "scatter"} | whole | parts


def bar(**parts: Any) -> Trace:
    """Return a trace of bars."""
    return {"type": "bar"} | parts


def merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return `old` with the parts of `new`, merged as deep as both are mappings, without None."""
    result = dict(old)
    for key, value in new.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, Mapping):
            before = result.get(key)
            result[key] = merged(before if isinstance(before, Mapping) else {}, value)
        else:
            result[key] = value
    return result


def _raised(words: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """Return those of the words that are there, their exponents raised."""
    return {key: raised(words[key]) for key in keys if words.get(key)}


def _on_screen(part: Trace, trace: Trace) -> Trace:
    """Return a part of a trace with the coordinates that nobody reads as short as they may be."""
    shown = "" if trace.get("hoverinfo") == "skip" else trace.get("hovertemplate", "%{x}%{y}")
    unread = [key for key in ("x", "y") if key in part and f"%{{{key}" not in shown]
    return part | {key: _short(part[key]) for key in unread}


def _short(values: object) -> object:
    """Return numbers as float32 if no screen shows the difference, as they are otherwise.

    Seven digits are too few for numbers close to each other and far from 0, and no small or large
    number of a logarithmic axis may be lost.
    """
    if not isinstance(values, np.ndarray) or values.dtype != np.float64 or values.size < _FEW:
        return values
    finite = values[np.isfinite(values)]
    sizes = np.abs(finite[finite != 0])
    if sizes.size:
        largest = sizes.max()
        if sizes.min() < _SMALL or largest > _LARGE:
            return values
        if 0 < finite.max() - finite.min() < _NARROW * largest:
            return values
    return values.astype(np.float32)


def _written(value: object) -> object:
    """Return the JSON form of numpy's arrays and numbers."""
    if isinstance(value, np.ndarray):
        return _typed(value)
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a figure can't hold a {type(value).__name__}")


def _typed(array: NDArray[Any]) -> object:
    if array.dtype.kind not in "iuf" or not array.size:
        return array.tolist()
    kind = array.dtype.str[1:]
    if array.dtype.kind in "iu":
        low, high = array.min(), array.max()
        kind = next((k for k in _WHOLE if np.iinfo(k).min <= low and high <= np.iinfo(k).max), "f8")
    elif kind not in ("f4", "f8"):
        kind = "f8"
    data = np.ascontiguousarray(array, dtype=f"<{kind}").data
    written = {"dtype": kind, "bdata": base64.b64encode(data).decode()}
    if array.ndim > 1:
        written["shape"] = ", ".join(map(str, array.shape))
    return written
