"""Figures of people, of whom a hand chooses some: four panels that answer to it.

Dots to choose from, and beside them what kind of people they are; below, what a control does, and
what comes out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz.plot.axes import Scale, settings, settings_across
from dpviz.plot.dots import Dots
from dpviz.plot.hand import Hand
from dpviz.plot.ink import LINE
from dpviz.plot.spec import Figure, Trace, bar, scatter
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray

_LEFT, _RIGHT = 0.54, 0.46  # of the width, with what stands beside the panels of that column
_MARGINS = {"l": 48, "r": 24}
_ABOVE, _BELOW = 8, 3.3  # pixels between title and panel; sizes of type below a panel
_UPPER = 0.55  # of the height that the panels share
_STACKED = (162, 122)  # pixels of upper and lower panels on a phone
_PROJECTED = 1000  # pixels of a projector's width: on narrower ones words are no larger
_NUMBER = 22  # pixels above the highest dots, for how many people they are
_FADED = 0.25
_NAME = 20  # characters beside a bar, at most
_APART = 1.15  # sizes of type from name to name
_ROW = 30  # pixels of a bar with its name above it
_CHARACTER = 0.52  # of the size of type
CONTROL, DOTS, KINDS, OUTCOME = "", "2", "3", "4"
"""The panels, by what the names of their axes end with; a handle is in the first one."""


@dataclass(frozen=True)
class Panel:
    """One of four. title: two lines above it. x, y: the settings of its axes."""

    title: tuple[str, str]
    x: Mapping[str, Any]
    y: Mapping[str, Any]
    traces: Sequence[Trace]
    shapes: Sequence[Mapping[str, Any]] = ()
    notes: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class Places:
    """Where the panels of a theme stand, in pixels and in shares of what the margins leave."""

    height: float
    margin: Mapping[str, float]
    heights: Mapping[str, float]
    across: Mapping[str, tuple[float, float]]
    upwards: Mapping[str, tuple[float, float]]
    titles: Mapping[str, float]
    width: float

    def size(self, panel: str) -> tuple[float, float]:
        """Return how wide a panel is at least, and how high."""
        start, end = self.across[panel]
        return (end - start) * self.width, self.heights[panel]

    @classmethod
    def of(cls, theme: Theme, after: Sequence[str], names: Mapping[str, Sequence[str]]) -> "Places":
        """Return where they stand in a theme.

        after: below the dots on a phone, the panel that the sentence is about, and the other one.
        names: what stands beside each of the panels on the right.
        """
        size = theme.font_size
        above, below = 2 * LINE * (size - 1) + _ABOVE, _BELOW * size
        stacked = theme.compact and not theme.room
        if stacked:
            order = (DOTS, after[0], KINDS, after[1])
            heights: dict[str, float] = dict(zip(order, (*_STACKED, *_STACKED), strict=True))
            height: float = sum(heights.values()) + len(order) * (above + below)
            rows: list[tuple[str, ...]] = [(name,) for name in order]
        else:
            height = theme.height
            free = max(height - 2 * (above + below), 60)
            upper, lower = _UPPER * free, (1 - _UPPER) * free
            rows = [(DOTS, KINDS), (CONTROL, OUTCOME)]
            heights = {DOTS: upper, KINDS: upper, CONTROL: lower, OUTCOME: lower}
        inner, top = height - above - below, height - above
        upwards: dict[str, tuple[float, float]] = {}
        for row in rows:
            foot = top - heights[row[0]]
            ends = (max((foot - below) / inner, 0.0), min((top - below) / inner, 1.0))
            upwards |= dict.fromkeys(row, ends)
            top = foot - above - below
        wide = (_PROJECTED if theme.scale > 1 else theme.width) - sum(_MARGINS.values())
        across = dict.fromkeys((CONTROL, DOTS), (0.0, 1.0 if stacked else _LEFT))
        for panel, words in names.items():
            longest = min(max(map(len, words), default=0), _NAME)
            beside = min((12 + _CHARACTER * size * longest) / wide, _RIGHT - 0.15)
            across[panel] = (0.0 if stacked else 1 - _RIGHT + beside, 1.0)
        starts = 0.0 if stacked else _LEFT + 0.04
        titles = {CONTROL: 0.0, DOTS: 0.0, KINDS: starts, OUTCOME: starts}
        margin = {**_MARGINS, "t": above, "b": below}
        return cls(height, margin, heights, across, upwards, titles, wide)


def panelled(
    theme: Theme, places: Places, panels: Mapping[str, Panel], meta: Mapping[str, Any]
) -> Figure:
    """Return the four panels as one figure; meta: what a hand takes hold of."""
    figure = Figure()
    layout: dict[str, Any] = {}
    shapes, notes = [], []
    for number, panel in panels.items():
        x, y = f"x{number}", f"y{number}"
        figure.add_traces({**trace, "xaxis": x, "yaxis": y} for trace in panel.traces)
        domain = {"domain": list(places.across[number]), "anchor": y}
        layout[f"xaxis{number}"] = {**panel.x, **domain}
        layout[f"yaxis{number}"] = {
            **panel.y,
            "domain": list(places.upwards[number]),
            "anchor": x,
        }
        whole = {"xref": x, "yref": f"{y} domain", "y0": 0, "y1": 1, "type": "line"}
        shapes += [{**whole, **shape} for shape in panel.shapes]
        notes += [{"xref": x, "yref": y, "showarrow": False, **note} for note in panel.notes]
        notes.append(
            {
                "text": "<br>".join(panel.title),
                "align": "left",
                "font": {"size": theme.font_size - 1},
                "x": places.titles[number],
                "xref": "paper",
                "xanchor": "left",
                "y": places.upwards[number][1],
                "yref": "paper",
                "yanchor": "bottom",
                "yshift": _ABOVE / 2,
                "showarrow": False,
            }
        )
    return figure.update_layout(
        template=theme.template(),
        height=places.height,
        margin=dict(places.margin),
        barmode="overlay",
        hovermode="closest",
        showlegend=False,
        shapes=shapes,
        annotations=notes,
        meta=dict(meta),
        dragmode=False,
        **layout,
    )


def asked(theme: Theme, words: str, ask: str, *, brush: bool = False) -> str:
    """Return words, and on a page what a hand is asked to do there. brush: whether with that."""
    can = theme.labels and (theme.brushes or not brush)
    return "; ".join(filter(None, (words, ask if can else "")))


def dots_panel(
    theme: Theme,
    places: Places,
    dots: Dots,
    hand: Hand,
    *,
    title: tuple[str, str],
    axis: Mapping[str, Any],
    colors: Sequence[str],
    said: Sequence[str],
    rules: Sequence[float] = (),
) -> Panel:
    """Return the dots, faint those that are not chosen, and the groups' numbers.

    colors, said: of each dot, in the order of `Dots.seen`; said on a page alone, where somebody
    may read it. rules: where dashed lines stand.
    """
    rows, tops = dots.rows(), float(dots.tops.max())
    at = {key: np.array([row[key] for row in rows]) for key in ("x", "y", "group")}
    across, high = places.size(DOTS)
    tall = (high - _NUMBER) / tops
    wide = 0.9 * across / dots.groups / dots.across
    first, last = hand.groups or (0, dots.groups - 1)
    chosen = (at["group"] >= first) & (at["group"] <= last)
    traces = []
    for color in dict.fromkeys(colors):
        for faint in (True, False):
            here = np.flatnonzero((np.array(colors) == color) & (chosen != faint))
            if here.size:
                looks = {"color": color, "size": 0.87 * min(tall, wide)}
                there = {"x": at["x"][here], "y": at["y"][here]}
                words: dict[str, Any] = {"hoverinfo": "skip"}
                if theme.labels:
                    text = [said[place] for place in here.tolist()]
                    words = {"text": text, "hovertemplate": "%{text}<extra></extra>"}
                trace = scatter(**there, mode="markers", marker=looks, **words)
                traces.append(trace | ({"opacity": _FADED} if faint else {}))
    numbers = [
        {
            "x": column["x"],
            "y": column["y"],
            "text": f"{column['people']:,}",
            "yanchor": "bottom",
            "bgcolor": theme.background,
            "font": {"size": theme.font_size - 1, "color": theme.muted},
        }
        for column in dots.columns()
    ]
    dashed = {"color": theme.text, "width": 2 * theme.scale, "dash": "dash"}
    up = {"range": [0, tops * high / (high - _NUMBER)], "visible": False}
    shapes = [{"x0": rule, "x1": rule, "line": dashed} for rule in rules]
    return Panel(title, axis, up, traces, shapes, numbers)


def across_dots(scale: Scale, places: Places, theme: Theme) -> dict[str, Any]:
    """Return the settings of the axis below dots, with ticks that do not touch."""
    return settings_across(scale, places.size(DOTS)[0], theme) | _titled(scale)


def brushed(edges: FloatArray) -> dict[str, Any]:
    """Return what a browser must know of the dots to choose some: their groups' ends."""
    return {"axes": [f"x{DOTS}", f"y{DOTS}"], "edges": edges.tolist()}


def rows_in(height: float, theme: Theme) -> int:
    """Return how many rows with a name each have room in so many pixels."""
    return max(int(height / (_APART * (theme.font_size - 1))), 2)


def shares(
    theme: Theme,
    title: tuple[str, str],
    rows: Sequence[tuple[str, str]],
    now: Sequence[float],
    all_: Sequence[float] | None,
    said: Sequence[str],
    height: float = 150.0,
) -> Panel:
    """Return a bar of each kind, and where it differs a line where everybody is.

    rows: name and colour of each; said: of each when pointed at. all_: None without a choice.
    """
    count = len(rows)
    many = np.arange(count)
    # On a phone names stand above their bars: beside them they would take half of its width.
    is_above = theme.compact and height / count >= _ROW
    bars = many + 0.22 if is_above else many
    traces = [
        bar(
            x=np.asarray(now, dtype=float),
            y=bars,
            orientation="h",
            width=0.44 if is_above else 0.72,
            marker={"color": [color for _, color in rows]},
            customdata=list(said),
            hovertemplate="%{customdata}<extra></extra>",
        )
    ]
    if all_ is not None:
        tall = min((0.34 if is_above else 0.6) * height / count, 20)
        looks = {"symbol": "line-ns-open", "size": tall}
        line = {"color": theme.text, "width": 3 * theme.scale}
        mark = {**looks, "color": theme.text, "line": line}
        everybody = np.asarray(all_, dtype=float)
        traces.append(scatter(x=everybody, y=many, mode="markers", marker=mark, hoverinfo="skip"))
    small = {"size": theme.font_size - 1, "color": theme.muted}
    names = [name if len(name) <= _NAME else f"{name[: _NAME - 1]}…" for name, _ in rows]
    step = -(-count // rows_in(height, theme))  # of more kinds than have room some are named
    notes = [
        {"x": 0, "y": place, "text": name, "xanchor": "left", "yanchor": "bottom", "font": small}
        for place, name in enumerate(names)
    ]
    return Panel(
        title,
        {"range": [0, 1], "tickvals": [0, 0.5, 1], "ticktext": ["0%", "50%", "100%"]},
        {"range": [count - 0.5, -0.5], "tickvals": many[::step].tolist(), "ticktext": names[::step]}
        | {"showticklabels": not is_above},
        traces,
        notes=notes if is_above else (),
    )


def curves(
    theme: Theme,
    title: tuple[str, str],
    scales: tuple[Scale, Scale],
    lines: Sequence[tuple[FloatArray, FloatArray, str, str]],
    here: int,
    whole: Sequence[tuple[FloatArray, FloatArray]] = (),
    level: float | None = None,
    size: tuple[float, float] = (300.0, 150.0),
) -> Panel:
    """Return curves along a control, where it stands, and faint what everybody's would be.

    lines: x, y, colour, and what a point says, with %{y} for its value. level: dashed.
    size: of the panel, in pixels.
    """
    wide = 2.5 * theme.scale
    faint = {"color": theme.muted, "width": wide}
    traces = [
        scatter(x=x, y=y, mode="lines", line=faint, opacity=0.6, hoverinfo="skip") for x, y in whole
    ]
    for x, y, color, said in lines:
        line = {"color": color, "width": wide}
        traces.append(scatter(x=x, y=y, mode="lines", line=line, hovertemplate=said))
    marks = []
    for x, y, color, _ in lines:
        looks = {"color": color, "size": 10 * theme.scale}
        at = {"x": x[[here]], "y": y[[here]]}
        marks.append(scatter(**at, mode="markers", marker=looks, hoverinfo="skip"))
    place = float(lines[0][0][here])
    rule = {"color": theme.text, "width": 2 * theme.scale}
    shapes = [{"x0": place, "x1": place, "line": rule}]
    if level is not None:
        ends = {"x": lines[0][0][[0, -1]], "y": np.full(2, level)}
        dashed = {"color": theme.text, "width": wide, "dash": "dash"}
        traces.append(scatter(**ends, mode="lines", line=dashed, hoverinfo="skip"))
    across, up = scales
    axis = settings_across(across, size[0], theme) | _titled(across)
    return Panel(title, axis, settings(up, size[1]), [*traces, *marks], shapes)


def _titled(scale: Scale) -> dict[str, Any]:
    return {"title": {"text": scale.axis.label}, "showgrid": False}


def range_of(groups: int, hand: Hand) -> int:
    """Return the number, from 1, of a range among the `intervals` of so many groups; 0: all."""
    if hand.groups is None:
        return 0
    first, last = hand.groups
    return 1 + first * groups - first * (first - 1) // 2 + last - first
