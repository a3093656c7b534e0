"""Panels: axes with marks on them, or charts, above each other and beside each other.

How much paper each gets, and what stands around it, follows from what it says: headings above,
numbers and a title below, numbers on the left. Panels are drawn as if each were alone, then set
into one figure.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from dpviz.plot import axes
from dpviz.plot.axes import Scale
from dpviz.plot.chart import draw, traces
from dpviz.plot.ink import LINE, plain_lines
from dpviz.plot.labels import BELOW
from dpviz.plot.marks import Mark, Plot, Words, drawn, written
from dpviz.plot.play import Frames, play_button
from dpviz.plot.spec import Figure
from dpviz.plot.steady import steady_y
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, Chart, Curve

_BOTH = 1.26  # heights of one figure, for several panels above each other
_BETWEEN = 34  # pixels of numbers below a panel that has another one below it
_TICKS = 30  # pixels of numbers below the last panel, without a title
_STRIPS = 0.4  # of the height of all panels in a low place, for those with a height of their own
_EDGE = 16  # pixels beside a panel at least
_AIR = 8  # pixels above and below a heading
_BESIDE = 0.05  # of the width, between panels beside each other
_PLAY = 40  # pixels below all, for the button that plays
_INSIDE = {"x": 1, "xanchor": "right", "y": 1, "yref": "paper", "yanchor": "top"}
_INSIDE |= {"orientation": "v"}
_AROUND = 56  # pixels of words above and below a chart


@dataclass(frozen=True)
class Side:
    """An axis of a panel, with its ends in plotly's units.

    ticks: places and words of its own. grid, numbers: whether there are lines at its ticks, and
    what these say. shown: whether there is anything to see of it. held: whether it stands
    still while a control moves.
    """

    low: float
    high: float
    title: Words = ""
    _: KW_ONLY
    log: bool = False
    ticks: Sequence[tuple[float, Words]] | None = None
    grid: bool = True
    numbers: bool = True
    shown: bool = True
    held: bool = False

    @classmethod
    def around(
        cls, values: Any, title: Words = "", *, room: float = 0.02, log: bool = False, **more: Any
    ) -> "Side":
        """Return one that holds values, wider by a share of them at both ends."""
        scale = Scale.of(Axis("", "", log=log), np.ravel(values).astype(float), room)
        return cls(scale.low, scale.high, title, log=log, **more)

    @classmethod
    def bare(cls, low: float, high: float) -> "Side":
        """Return one of which nothing is seen."""
        return cls(low, high, shown=False)

    @classmethod
    def rows(cls, names: Sequence[Words]) -> "Side":
        """Return one of rows with names, from above."""
        return cls(len(names) - 0.5, -0.5, ticks=list(enumerate(names)), grid=False)

    @classmethod
    def whole(cls, low: float, high: float, title: Words = "") -> "Side":
        """Return one of whole numbers, which has no ticks between them."""
        values, texts = axes.even_ticks(low, high)
        ticks = [(at, said) for at, said in zip(values, texts, strict=True) if at % 1 == 0]
        return cls(low, high, title, ticks=ticks)

    @property
    def scale(self) -> Scale:
        """The same as ticks are chosen for."""
        return Scale(Axis("", "", log=self.log), self.low, self.high)

    def holds(self, value: float) -> bool:
        """Whether a value lies inside it."""
        return self.scale.holds(value)

    def settled(self, held: Sequence[tuple[float, float]] | None, place: int) -> "Side":
        """Return it where it was before, while a control moves."""
        if not self.held or held is None or len(held) <= place:
            return self
        kept = steady_y(self.scale, held[place])
        return replace(self, low=kept.low, high=kept.high)

    def settings(self, theme: Theme, *, width: float = 0.0, height: float = 0.0) -> dict[str, Any]:
        """Return plotly's settings of it: level and so wide, or upright and so high."""
        found: dict[str, Any] = {"range": [self.low, self.high]}
        if self.log:
            found["type"] = "log"
        if not self.shown:
            return found | {"visible": False, "fixedrange": True}
        if self.ticks is not None:
            values, texts = zip(*self.ticks, strict=True) if self.ticks else ((), ())
            said = [written(text, theme) for text in texts]
            found |= {"tickvals": list(values), "ticktext": said}
        elif width:
            found |= axes.settings_across(self.scale, width, theme)
        else:
            found |= axes.settings(self.scale, height / theme.scale)
        found |= {} if self.grid else {"showgrid": False}
        return found | ({} if self.numbers else {"showticklabels": False})


@dataclass(frozen=True)
class Handle:
    """What a hand drags on a page: the value of a parameter, by its line at x or a grip at (x, y).

    more: what else the browser must know, see dpviz/scripts/handle.js.
    """

    key: str
    x: float
    y: float | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def meta(self) -> dict[str, Any]:
        """Return it as a figure has it."""
        there = {"line": True} if self.y is None else {"y": self.y}
        return {"key": self.key, "x": self.x, **there, **self.more}


@dataclass(frozen=True, eq=False)
class _Place(ABC):
    """What can be drawn among others.

    share: of the height that is left for it, or pixels: so many. aside, roomy: as of a mark.
    """

    _: KW_ONLY
    share: float = 1.0
    pixels: float = 0.0
    aside: bool = False
    roomy: bool = False

    @abstractmethod
    def over(self, theme: Theme) -> float:
        """Return how many pixels of words are above it."""

    @abstractmethod
    def under(self, theme: Theme, *, last: bool) -> float:
        """Return how many pixels of words are below it."""

    def left_out(self, theme: Theme) -> bool:
        """Return whether a place has no room for it."""
        return (self.aside and theme.labels == "only") or (self.roomy and theme.crowded_place)

    @abstractmethod
    def draw(self, theme: Theme, *, part: float, last: bool) -> Figure:
        """Return it as a figure of its own; part: of the width that a figure has."""


@dataclass(frozen=True, eq=False)
class Panel(_Place):
    """Two axes with marks on them, some of which may be None.

    above: what it is, in one or more lines. handle: what a hand drags in it on a page: the key of a
    parameter, and where its line or its grip is. stacked: whether bars at one place stand on each
    other. inside: whether the names of what is drawn stand in the panel.
    """

    x: Side
    y: Side
    marks: Sequence[Mark | None]
    _: KW_ONLY
    above: Words = ""
    handle: Handle | None = None
    stacked: bool = False
    inside: bool = False

    def _headings(self, theme: Theme) -> list[str]:
        """Return what stands above it, line below line; last a free one for names of lines."""
        called = any(mark is not None and mark.on_top for mark in self.marks)
        texts = [written(one, theme) for one in (self.above, self.y.title)]
        return [text for text in texts if text] + [" "] * called

    def over(self, theme: Theme) -> float:
        """Return how many pixels of words are above it."""
        lines = sum(len(plain_lines(text)) for text in self._headings(theme))
        return theme.px(_AIR) + math.ceil(LINE * theme.font_size * lines)

    def under(self, theme: Theme, *, last: bool) -> float:
        """Return how many pixels of words are below it."""
        if not (self.x.shown and self.x.numbers):
            return theme.px(_AIR)
        if written(self.x.title, theme):
            return theme.px(BELOW)
        return theme.px(_TICKS if last else _BETWEEN)

    def draw(self, theme: Theme, *, part: float, last: bool) -> Figure:
        """Return it as a figure of its own."""
        over, under = self.over(theme), self.under(theme, last=last)
        height = theme.height - over - under
        x, y = self.x.settled(theme.held, 0), self.y.settled(theme.held, 1)
        up = y.settings(theme, height=height)
        longest = max(map(len, up.get("ticktext", ())), default=0)
        left = max(round(_EDGE + 0.5 * theme.font_size * longest), theme.left)
        width = part * (theme.width - left - _EDGE)
        across = x.settings(theme, width=width) | {"title": {"text": written(x.title, theme)}}
        on = drawn(self.marks, Plot(theme, width, height, x, y))
        headings, foot = list[dict[str, Any]](), _AIR / 2
        for text in reversed(self._headings(theme)):
            note = axes.y_title(text, theme, left, up=round(foot))
            headings += [note | {"align": "left"}] if text.strip() else []
            foot += LINE * theme.font_size * len(plain_lines(text))
        figure = Figure(on.traces).update_layout(
            template=theme.template(),
            height=theme.height,
            margin={"l": left, "r": _EDGE, "t": over, "b": under},
            barmode="stack" if self.stacked else "overlay",
            hovermode="closest",
            showlegend=not theme.compact and any(trace["showlegend"] for trace in on.traces),
            xaxis=across,
            yaxis=up,
            annotations=[*reversed(headings), *on.notes],
            shapes=on.shapes,
        )
        if self.inside:
            figure.layout["legend"] = _INSIDE
        if self.handle is not None and theme.labels:
            figure.update_layout(meta={"drag": self.handle.meta}, dragmode=False)
        return figure


@dataclass(frozen=True, eq=False)
class Plotted(Mark):
    """A curve of a chart on a panel, as charts draw it."""

    curve: Curve
    chart: Chart

    def draw(self, on: Plot) -> None:
        """Draw it."""
        on.traces += traces(self.curve, self.chart, on.theme)


@dataclass(frozen=True, eq=False)
class Charted(_Place):
    """A chart among panels, with marks on it."""

    chart: Chart
    marks: Sequence[Mark | None] = ()

    def over(self, theme: Theme) -> float:
        """Return about how many pixels of words are above it."""
        return theme.px(_AROUND)

    def under(self, theme: Theme, *, last: bool) -> float:
        """Return how many pixels of words are below it, but for a legend."""
        return theme.px(BELOW if last else _BETWEEN)

    def draw(self, theme: Theme, *, part: float, last: bool) -> Figure:
        """Return it as a figure of its own; above another one without a title below."""
        saved = 0 if last else theme.px(BELOW) - theme.px(_BETWEEN)
        share = theme.share * (theme.height + saved) / theme.height
        figure = draw(self.chart, replace(theme, share=share))
        margin = figure.layout["margin"]
        if not last:
            more = {"height": figure.layout["height"] - saved, "margin": {"b": margin["b"] - saved}}
            figure.update_layout(xaxis={"title": {"text": ""}}, **more)
        x, y = (
            Side(*figure.layout[name]["range"], log=axis.log)
            for name, axis in (("xaxis", self.chart.x), ("yaxis", self.chart.y))
        )
        width = theme.width - margin["l"] - margin["r"]
        on = drawn(self.marks, Plot(theme, part * width, theme.height, x, y))
        figure.add_traces(on.traces)
        for what, marked in (("shapes", on.shapes), ("annotations", on.notes)):
            figure.layout[what] = [*figure.layout.get(what, ()), *marked]
        return figure


Row = Panel | Charted | Chart | Sequence[Panel | Charted | Chart]
"""What stands in one row: one, or several beside each other."""


def stacked(theme: Theme, *rows: Row | None, tall: float = 0.0, beside: int = 9) -> Figure:
    """Return panels and charts as one figure, from above; those beside each other in one row.

    None leaves out one. tall: how many times as high as a usual figure all are that share a height,
    where it is not to fill a place that it is given; 0 for as much as they need. beside: how many
    stand beside each other on a phone at most.
    """
    kept = _kept(theme, rows, beside if theme.compact and not theme.room else 9)
    several, wrapped = len(kept) > 1 or len(kept[0]) > 1, len(kept) > len(rows)
    theme = theme.crowded() if several else theme
    last = len(kept) - 1
    around = [
        max(p.over(theme) for p in row) + max(p.under(theme, last=number == last) for p in row)
        for number, row in enumerate(kept)
    ]
    fixed = [float(theme.px(row[0].pixels)) for row in kept]
    shares = [0.0 if pixels else row[0].share for row, pixels in zip(kept, fixed, strict=True)]
    whole = float(theme.height)
    if theme.scale == 1:  # a projector's height is given
        strips = [a + high for a, high in zip(around, fixed, strict=True) if high]
        whole *= tall or (_BOTH if len(kept) > len(strips) + 1 else 1.0)
        whole = whole * (2 if wrapped else 1) + sum(strips)
    if theme.room:
        less = _STRIPS * (whole - sum(around)) / (sum(fixed) or 1.0)
        fixed = [min(less, 1.0) * high for high in fixed]
    free = max(whole - sum(around) - sum(fixed), 0.0) / (sum(shares) or 1.0)
    figures = []
    for number, row in enumerate(kept):
        high = around[number] + fixed[number] + shares[number] * free
        own = replace(theme.below if number else theme, share=theme.share * high / theme.height)
        start, end = across(0, len(kept[0]) if wrapped else len(row))
        figures.append([panel.draw(own, part=end - start, last=number == last) for panel in row])
    if not several:
        return figures[0][0]
    charts = [
        (p.chart, f)
        for row, drawn in zip(kept, figures, strict=True)
        for p, f in zip(row, drawn, strict=True)
        if isinstance(p, Charted)
    ]
    for chart, figure in charts[1:]:  # along the same they have the same axis
        if chart.x.name == charts[0][0].x.name:
            title = figure.layout["xaxis"]["title"]
            figure.layout["xaxis"] = charts[0][1].layout["xaxis"] | {"title": title}
    return _together(kept, figures, theme, len(kept[0]) if wrapped else 0)


def played(
    theme: Theme,
    at: Callable[[int], Sequence[Row | None]],
    stops: Sequence[int],
    *,
    each: int,
    tall: float = 0.0,
) -> Figure:
    """Return panels as they are at the last stop, with a button that plays them at all stops.

    at: what is drawn at a stop: the same marks, other numbers. each: milliseconds. While a control
    moves nobody plays; and a place that shows the headline alone has no button.
    """
    figure = stacked(theme, *at(stops[-1]), tall=tall)

    @cache
    def first() -> Figure:
        return stacked(theme, *at(stops[0]), tall=tall)

    def still(stop: int) -> dict[str, Any]:
        now = stacked(theme, *at(stop), tall=tall)
        traces = zip(figure.data, now.data, first().data, strict=True)
        # What differs at first is in all of them: plotly.js leaves what a frame does not say.
        changed = [
            {
                key: part
                for key, part in after.items()
                if not (_same(part, last.get(key)) and _same(last.get(key), begun.get(key)))
            }
            for last, after, begun in traces
        ]
        words = {key: now.layout[key] for key in ("annotations", "shapes")}
        every = list(range(len(changed)))
        return {"name": str(stop), "traces": every, "data": changed, "layout": words}

    return with_button(figure, theme, Frames(stops, still), each)


def with_button(
    figure: Figure, theme: Theme, frames: Sequence[dict[str, Any]], each: int
) -> Figure:
    """Add a button below a figure that plays frames, of so many milliseconds each."""
    if theme.labels == "only":
        return figure
    if theme.held is None:
        figure.frames = frames
    below, room = figure.layout["margin"]["b"], theme.px(_PLAY)
    return figure.update_layout(
        height=figure.layout["height"] + room,
        margin={"b": below + room},
        updatemenus=[play_button(theme.crowded(), frame=each, pad=0) | {"pad": {"t": below}}],
    )


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and np.array_equal(one, other)
    return bool(one == other)


def _kept(theme: Theme, rows: Sequence[Row | None], most: int) -> list[list[Panel | Charted]]:
    """Return what a place has room for, row by row."""
    found: list[list[Panel | Charted]] = []
    for row in rows:
        every = [row] if isinstance(row, Panel | Charted | Chart) else list(row or ())
        panels = [Charted(one) if isinstance(one, Chart) else one for one in every]
        own = [one for one in panels if not one.left_out(theme)]
        found += [own[at : at + most] for at in range(0, len(own), most)]
    return found


def _together(
    rows: Sequence[Sequence[Panel | Charted]],
    figures: Sequence[Sequence[Figure]],
    theme: Theme,
    columns: int,
) -> Figure:
    """Return figures that were drawn each alone as one, in rows from above.

    columns: how many panels each row has room for, 0 for those it has.
    """
    margins = [[figure.layout["margin"] for figure in row] for row in figures]
    left, right = (max(m[side] for row in margins for m in row) for side in "lr")
    gap = (left - _AIR) / (theme.width - left - right)  # for the numbers of the next one
    tops = [max(m["t"] for m in row) for row in margins]
    last = len(rows) - 1
    unders = [max(p.under(theme, last=n == last) for p in row) for n, row in enumerate(rows)]
    # Charts that have no room for labels make room for a legend, of which there is one.
    legend = max(row[0]["b"] - under for row, under in zip(margins, unders, strict=True))
    shares = [row[0].share for row in rows]
    plots = [
        row[0].layout["height"] - margin[0]["t"] - margin[0]["b"] + legend * share / sum(shares)
        for row, margin, share in zip(figures, margins, shares, strict=True)
    ]
    high = sum(plots) + sum(unders[:-1]) + sum(tops[1:])
    whole, number, top = Figure(), 0, 0.0
    meta: dict[str, Any] = {}
    for row, plot, above, under in zip(figures, plots, [0, *tops[1:]], unders, strict=True):
        top += above
        up = (max(1 - (top + plot) / high, 0.0), 1 - top / high)
        top += plot + under
        for place, figure in enumerate(row):
            number += 1
            side = across(place, columns or len(row), gap)
            near = {"ticklabelstandoff": theme.px(18) - 9}  # low: numbers keep off each other
            figure.layout["xaxis"] |= near
            _add(whole, figure, str(number) if number > 1 else "", side, up, left)
            meta = {**figure.layout.get("meta", {}), **meta}
    first = figures[0][0].layout
    every = [figure.layout for row in figures for figure in row]
    names = [trace.get("name") for trace in whole.data]
    for place, trace in enumerate(whole.data):  # one legend names the curves of all
        if trace.get("name") in names[:place] and trace.get("name"):
            trace["showlegend"] = False
    chosen: dict[str, Any] = {"meta": meta} if meta else {}
    chosen |= {"dragmode": False} if "drag" in meta else {}
    modes = {layout.get("barmode", "overlay") for layout in every}
    return whole.update_layout(
        template=theme.template(),
        height=high + tops[0] + unders[-1] + legend,
        margin={"l": left, "r": right, "t": tops[0], "b": unders[-1] + legend},
        hovermode=first["hovermode"],
        barmode="stack" if "stack" in modes else "overlay",
        showlegend=any(layout["showlegend"] for layout in every),
        **chosen,
    )


def across(place: int, count: int, gap: float = _BESIDE) -> tuple[float, float]:
    """Return from where to where one of so many panels beside each other is, in shares."""
    wide = (1 - gap * (count - 1)) / count
    return place * (wide + gap), place * (wide + gap) + wide


def _add(
    whole: Figure,
    figure: Figure,
    number: str,
    across: tuple[float, float],
    up: tuple[float, float],
    left: float,
) -> None:
    """Add a figure to others, on axes of this number, which have these parts of the paper."""
    refs = {"x": f"x{number}", "y": f"y{number}"}
    if number:
        for trace in figure.data:
            trace |= {"xaxis": refs["x"], "yaxis": refs["y"]}
    whole.add_traces(figure.data)
    layout = figure.layout
    own = left - layout["margin"]["l"]
    for what in ("annotations", "shapes"):
        moved = [_moved(part, number, across, up, own) for part in layout.get(what, ())]
        whole.layout[what] = [*whole.layout.get(what, ()), *moved]
    whole.layout[f"xaxis{number}"] = layout["xaxis"] | {"domain": across, "anchor": refs["y"]}
    whole.layout[f"yaxis{number}"] = layout["yaxis"] | {"domain": up, "anchor": refs["x"]}
    if "legend" in layout:
        whole.layout["legend"] = layout["legend"]


def _moved(
    part: dict[str, Any],
    number: str,
    across: tuple[float, float],
    up: tuple[float, float],
    shift: float,
) -> dict[str, Any]:
    """Return an annotation or a shape of one panel in terms of the figure of all."""
    moved = dict(part)
    for letter, (low, high) in (("x", across), ("y", up)):
        ref = part.get(f"{letter}ref", letter)
        if ref != "paper":
            moved[f"{letter}ref"] = ref.replace(letter, f"{letter}{number}", 1)
            continue
        for key in (letter, f"{letter}0", f"{letter}1"):
            if key in part:
                moved[key] = low + (high - low) * part[key]
    if part.get("xref") == "paper" and "xshift" in part:
        moved["xshift"] = part["xshift"] - shift
    return moved
