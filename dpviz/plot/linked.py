"""Figures of people to brush where no server answers, in Vega-Lite: for notebooks, and to explore.

They are the same panels with the same marks, as these are for every range of groups: a browser
computes nothing, it looks up which of them is brushed.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np
import orjson
from numpy.typing import ArrayLike

from dpviz.plot.dots import Heaps
from dpviz.plot.hand import NOBODY, Hand
from dpviz.plot.ink import plain_lines
from dpviz.plot.marks import Bars, Dots, Line, Mark, Part, Plot, Rule, Text, written
from dpviz.plot.panels import Panel, Side
from dpviz.plot.theme import Theme

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
MEDIA_TYPE = "application/vnd.vegalite.v5+json"
"""By which notebooks know such a specification: JupyterLab 4 draws none that says it is of v6."""

_WIDTHS, _HEIGHTS = (506, 264), (204, 166)  # pixels of the panels
_FADED = 0.25
_PARAMS = {
    "first": "brush.x ? clamp(ceil((brush.x[0] - middle) / step), 0, count) : count",
    "last": "brush.x ? clamp(floor((brush.x[1] - middle) / step), -1, count - 1) : -1",
    "which": "first > last ? 0 : 1 + first * count - first * (first - 1) / 2 + last - first",
}
"""The brushed groups, and the number of their range as `range_of` numbers them."""
_CHANNELS = {"said": "tooltip"}  # others are called as what they show
_ABOVE, _HALO = 4, 5  # pixels between words and their place, and around them
_ANCHORS = {"E": "left", "W": "right", "N": "bottom", "S": "top"}


def brushed(
    theme: Theme, panels: Callable[[Hand], Sequence[Sequence[Panel]]], groups: int
) -> dict[str, Any]:
    """Return a specification of panels in which groups of people are brushed.

    panels: two rows of two, as they are where a hand has chosen some; dots are in the first one.
    """
    ends = [(first, last) for first in range(groups) for last in range(first, groups)]
    hands = [NOBODY, *map(Hand, ends)]
    states = list(zip(*([p for row in panels(hand) for p in row] for hand in hands), strict=True))
    dots = next(mark.dots for mark in states[0][0].marks if isinstance(mark, Heaps))
    step = float(dots.edges[1] - dots.edges[0])
    values: dict[str, Any] = {"middle": float(dots.middles[0]), "step": step, "count": groups}
    values["titles"] = [
        [plain_lines(written(p.above, theme, brushes=True)) for p in every] for every in states
    ]
    area = {"fill": theme.muted, "fillOpacity": 0.1, "stroke": theme.muted}
    select = {"type": "interval", "encodings": ["x"], "mark": area}
    return {
        "$schema": SCHEMA,
        "config": look(theme),
        "params": [
            *({"name": name, "value": value} for name, value in values.items()),
            {"name": "brush", "select": select, "views": ["dots"]},
            *({"name": name, "expr": expression} for name, expression in _PARAMS.items()),
        ],
        "concat": [
            {"title": {"text": {"expr": f"titles[{place}][which]"}}}
            | _panel(every, theme, _WIDTHS[place % 2], _HEIGHTS[place // 2])
            for place, every in enumerate(states)
        ],
        "columns": 2,
        "bounds": "flush",
        "spacing": {"row": 6 * theme.font_size + 6, "column": 110},
    }


def chart(specification: Mapping[str, Any]) -> Any:
    """Return the same as a chart of Altair."""
    import altair as alt  # takes a while

    return alt.Chart.from_dict(dict(specification))


def _panel(states: Sequence[Panel], theme: Theme, width: int, height: int) -> dict[str, Any]:
    """Return a panel, of which there is one for everybody and for each range."""
    on = Plot(theme, width, height, states[0].x, states[0].y)
    sides = {
        "x": _side([p.x for p in states], theme, {"width": width}),
        "y": _side([p.y for p in states], theme, {"height": height}),
    }
    heaps = [mark for mark in states[0].marks if isinstance(mark, Heaps)]
    layers = [_dots(heaps, on)] if heaps else []
    others = zip(*([m for m in p.marks if not isinstance(m, Heaps)] for p in states), strict=True)
    drawn = sorted(map(_Drawn, filter(any, others)), key=lambda one: isinstance(one.known, Text))
    for _, some in groupby(drawn, key=lambda one: (one.there, _looks(one.known, theme))):
        alike = list(some)
        layers += [_layer(alike, own, theme) for own in _looks(alike[0].known, theme)]
    for layer in layers:
        for letter, side in sides.items():
            if letter in layer["encoding"]:
                layer["encoding"][letter] |= side
    return {"width": width, "height": height, "layer": layers}


def _side(sides: Sequence[Side], theme: Theme, size: Mapping[str, int]) -> dict[str, Any]:
    """Return an axis that has room for what is shown of any range; size: its pixels."""
    low, high = min(side.low for side in sides), max(side.high for side in sides)
    side = replace(sides[0], low=low, high=high)
    scale: dict[str, Any] = {"domain": [10.0**end if side.log else end for end in (low, high)]}
    scale |= {"nice": False, "zero": False} | ({"type": "log"} if side.log else {})
    if not side.shown:
        return {"scale": scale, "axis": None}
    known = side.settings(theme, **size)
    values, texts = (orjson.dumps(known[key]).decode() for key in ("tickvals", "ticktext"))
    axis = {"values": known["tickvals"], "labelExpr": f"{texts}[indexof({values}, datum.value)]"}
    return {
        "scale": scale,
        "axis": axis | {"grid": side.grid, "title": written(side.title, theme) or None},
    }


def _dots(heaps: Sequence[Heaps], on: Plot) -> dict[str, Any]:
    """Return the dots, faint those that are not brushed."""
    rows = [
        {"x": row["x"], "y": row["y"], "group": row["group"], "said": heap.said[place]}
        | {"color": heap.color(on.theme)}
        for heap in heaps
        for place, row in enumerate(heap.dots.rows())
        if heap.shown[place]
    ]
    among = "!which || (datum.group >= first && datum.group <= last)"
    faint = {"condition": {"test": among, "value": 1}, "value": _FADED}
    size = {"type": "circle", "size": 0.8 * heaps[0].size(on) ** 2}
    encoding = _encoding({"x": "x", "y": "y", "said": "said", "color": "color"})
    return {"name": "dots", "data": {"values": rows}, "mark": size} | {
        "encoding": encoding | {"opacity": faint}
    }


class _Drawn:
    """A mark as it is for everybody and for each range, of which some may have none.

    known: one that is there. there: which are.
    """

    def __init__(self, marks: Sequence[Mark | None]) -> None:
        self.known = next(mark for mark in marks if mark)
        self.marks = [mark or self.known for mark in marks]
        self.there = [mark is not None for mark in marks]


def _layer(alike: Sequence[_Drawn], own: Mapping[str, Any], theme: Theme) -> dict[str, Any]:
    """Return marks that look alike: a row for each point, with lists of what is not always so."""
    rows, varied = list[dict[str, list[Any]]](), set[str]()
    for drawn in alike:
        tables = [_columns(mark, theme) for mark in drawn.marks]
        varied |= {key for key in tables[0] if any(t[key] != tables[0][key] for t in tables)}
        count = len(next(iter(tables[0].values())))
        rows += [{key: [t[key][at] for t in tables] for key in tables[0]} for at in range(count)]
    now = {key: f"now_{key}" if key in varied else key for key in rows[0]}
    there = orjson.dumps(alike[0].there).decode()
    return {
        "data": {
            "values": [{k: all_ if k in varied else all_[0] for k, all_ in r.items()} for r in rows]
        },
        "transform": [
            *([] if all(alike[0].there) else [{"filter": f"{there}[which]"}]),
            *({"calculate": f"datum.{key}[which]", "as": now[key]} for key in sorted(varied)),
        ],
        "mark": dict(own),
        "encoding": _encoding(now),
    }


def _encoding(fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the channels that show these fields."""
    found: dict[str, Any] = {}
    for key, name in fields.items():
        kind = "quantitative" if key in ("x", "y") else "nominal"
        found[_CHANNELS.get(key, key)] = {"field": name} | (
            {"type": kind} if not key.endswith("2") else {}
        )
    if "color" in found:
        found["color"] |= {"scale": None}
    return found


def _columns(mark: Mark, theme: Theme) -> dict[str, list[Any]]:
    """Return the numbers and words of a mark, by what shows them."""
    match mark:
        case Line() | Dots():
            return {"x": _plain(mark.x), "y": _plain(mark.y)}
        case Bars():  # which lie
            at, half = np.asarray(mark.at, dtype=float), np.asarray(mark.wide) / 2
            ends = {"x": _plain(0 * at), "x2": _plain(mark.long), "y": _plain(at - half)}
            said, colors = list(mark.said), mark.color(theme)
            return ends | {"y2": _plain(at + half), "said": said, "color": colors}
        case Text():
            return {"x": _plain([mark.x]), "y": _plain([mark.y]), "text": [mark.words]}
        case Rule():
            found: dict[str, list[Any]] = {}
            for letter, where in (("x", mark.x), ("y", mark.y)):
                if not isinstance(where, tuple):
                    found[letter] = _plain(where)
                elif not isinstance(where[0], Part):
                    found |= {letter: _plain(where[0]), f"{letter}2": _plain(where[1])}
            return found
    raise TypeError(f"no figure to brush has a {type(mark).__name__}")


def _plain(values: ArrayLike) -> list[float | None]:
    """Return numbers as JSON has them, in so many digits as are seen."""
    found = map(float, np.ravel(values))
    return [None if math.isnan(value) else float(f"{value:.6g}") for value in found]


def _looks(mark: Mark, theme: Theme) -> list[dict[str, Any]]:
    """Return how a mark looks, and below it what keeps others off it."""
    own: dict[str, Any] = {"opacity": mark.seen}
    if not isinstance(mark, Bars):
        own["color"] = mark.color(theme)
    match mark:
        case Line() | Rule():
            own |= {"type": "line" if isinstance(mark, Line) else "rule", "clip": True}
            own |= {"strokeWidth": mark.wide}
            return [own | ({"strokeDash": [6, 4]} if mark.dash != "solid" else {})]
        case Text():
            for sides, way, middle in (("WE", "align", "center"), ("NS", "baseline", "middle")):
                own[way] = next((_ANCHORS[one] for one in mark.to if one in sides), middle)
            own |= {"type": "text", "dx": mark.shift[0], "dy": -_ABOVE - mark.shift[1]}
            halo = own | {"stroke": theme.background, "strokeWidth": _HALO}
            return [halo, own] if mark.backed else [own]
        case Dots():
            return [own | {"type": "point", "filled": True, "size": 90}]
    return [own | {"type": "rect"}]


def look(theme: Theme) -> dict[str, Any]:
    """Return the config of Vega-Lite that looks like the other figures."""
    size = theme.font_size
    axis = {
        "labelColor": theme.muted,
        "titleColor": theme.text,
        "gridColor": theme.grid,
        "domain": False,
        "ticks": False,
        "labelFontSize": size - 1,
        "titleFontSize": size - 1,
        "titleFontWeight": "normal",
        "labelPadding": 6,
    }
    return {
        "font": theme.font,
        "background": theme.background,
        "view": {"stroke": None},
        "axis": axis,
        "text": {"fontSize": size - 1, "color": theme.text},
        "title": {
            "anchor": "start",
            "color": theme.text,
            "fontSize": size - 1,
            "fontWeight": "normal",
            "offset": 8,
        },
    }
