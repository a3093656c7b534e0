"""Words at the points and bars of a picture, where a figure says that they are."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.plot.ink import Array, Svg
from dpviz.plot.spec import Trace
from dpviz.plot.theme import Theme

_OFF = {"left": -1, "right": 1, "center": 0, "top": -1, "bottom": 1, "middle": 0}
_FACING = {"left": "right", "right": "left", "top": "bottom", "bottom": "top"}
_FACING |= {"center": "center", "middle": "middle"}
_PAD = 3  # pixels between the end of a bar and its words


def point_words(place: Svg, trace: Trace, x: Array, y: Array, theme: Theme) -> None:
    """Write words at points: on them or beside, above or below them, off their markers."""
    count = x.size
    positions = each(trace.get("textposition", "middle center"), count)
    colors = each(trace.get("textfont", {}).get("color", theme.text), count)
    sizes = each(trace.get("marker", {}).get("size", 6), count)
    rows = zip(each(trace["text"], count), positions, colors, sizes, strict=True)
    for at, (text, position, color, size) in zip(np.stack([x, y]).T.tolist(), rows, strict=True):
        if not text or not all(map(math.isfinite, at)):
            continue
        down, across = position.split()
        off = size / 1.6 + 1 if "markers" in trace["mode"] else 0
        spot = at[0] + off * _OFF[across], at[1] + off * _OFF[down]
        place.words(text, spot, theme.font_size, color, (_FACING[across], _FACING[down]))


def bar_words(
    place: Svg, trace: Trace, middle: Array, head: Array, back: NDArray[np.bool_], theme: Theme
) -> None:
    """Write words behind the ends of bars; they may leave the axes.

    middle: of the bars' widths. head: where they end. back: which go to the left, or upwards.
    """
    lying, texts = trace.get("orientation") == "h", trace["text"]
    ends = np.stack([middle, head], axis=1).tolist()
    for text, (at, end), backwards in zip(texts, ends, back.tolist(), strict=True):
        if math.isfinite(at) and math.isfinite(end):
            end_at = end + (-_PAD if backwards else _PAD)
            to = (end_at, at) if lying else (at, end_at)
            anchor = ("right" if backwards else "left", "middle")
            if not lying:
                anchor = ("center", "bottom" if backwards else "top")
            place.words(text, to, theme.font_size, theme.text, anchor)


def each(value: Any, count: int) -> Sequence[Any]:
    """Return what each of so many points has: its own, or what all have."""
    if isinstance(value, str) or np.ndim(value) == 0:
        return [value] * count
    return list(value)
