"""Panels: axes with marks on them, or charts, above each other and beside each other.

How much paper each gets, and what stands around it, follows from what it says: headings above,
numbers and a title below, numbers on the left. Panels are drawn as if each were alone, then set
into one figure.
"""

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from dpviz.plot import axes
from dpviz.plot.axes import Scale
from dpviz.plot.chart import draw, traces
from dpviz.plot.ink import LINE, plain_lines
from dpviz.plot.labels import BELOW
from dpviz.plot.marks import Line, Mark, Part, Plot, Rule, Text, Words, drawn, written
from dpviz.plot.spec import Figure
from dpviz.plot.steady import steady_x, steady_y
from dpviz.plot.theme import Theme
from dpviz.plot.together import first, spans, together
from dpviz.results.evidence import Axis, Chart, Curve

_BOTH = 1.26  # heights of one figure, for several panels above each other
_BETWEEN = 34  # pixels of numbers below a panel that has another one below it
_TICKS = 30  # pixels of numbers below the last panel, without a title
_GRIP = 6.5  # pixels beside a number at least, of a grip at the end of its axis
_HAND = "□□□□□"  # as wide as the grip of a line, off which other words keep
_STRIPS = 0.4  # of the height of all panels in a low place, for those with a height of their own
_LEGEND = 22  # pixels of names below a panel
_EDGE = 16  # pixels beside a panel at least
_CLEAR = 1.08  # times its last number, up to where an axis goes that has words above it
_AIR = 8  # pixels above and below a heading
_BESIDE = 0.05  # of the width, between panels beside each other
_INSIDE = {"x": 1, "xanchor": "right", "y": 1, "yref": "paper", "yanchor": "top"}
_INSIDE |= {"orientation": "v"}
_SPARE = 0.25  # of its length, which an axis gets that gives way to a movement
_AROUND = 56  # pixels of words above and below a chart


@dataclass(frozen=True)
class Side:
    """An axis of a panel, with its ends in plotly's units.

    ticks: places and words of its own; order: that in which they are named as long as there is
    room, if they are rows. grid, numbers: whether there are lines at its ticks, and
    what these say. shown: whether there is anything to see of it. held: whether it stands
    still while a control moves.
    """

    low: float
    high: float
    title: Words = ""
    _: KW_ONLY
    log: bool = False
    ticks: Sequence[tuple[float, Words]] | None = None
    order: tuple[int, ...] = ()
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
    def rows(cls, names: Sequence[Words], weights: ArrayLike = ()) -> "Side":
        """Return one of rows with names, from above.

        weights: of each, by which some are named where there is no room for all.
        """
        ticks = list(enumerate(names))
        order = tuple(np.argsort(-np.asarray(weights), kind="stable").tolist())
        return cls(len(names) - 0.5, -0.5, ticks=ticks, grid=False, order=order)

    @classmethod
    def whole(cls, low: float, high: float, title: Words = "") -> "Side":
        """Return one of whole numbers, which has no ticks between them."""
        values, texts = axes.even_ticks(low, high)
        ticks = [(at, text) for at, text in zip(values, texts, strict=True) if at % 1 == 0]
        return cls(low, high, title, ticks=ticks)

    @classmethod
    def rising(cls, most: float, title: Words = "", **more: Any) -> "Side":
        """Return one from 0 to above the most, whose last number keeps clear of words above it."""
        high = 1.15 * most
        last = float(axes.even_ticks(0.0, high)[0][-1])
        return cls(0.0, max(high, _CLEAR * last), title, **more)

    @classmethod
    def shared(cls) -> "Side":
        """Return the one of the panel above, whose numbers stand there."""
        return cls(math.nan, math.nan, grid=False, numbers=False)

    def below(self, above: Mapping[str, Any] | None) -> "Side":
        """Return it below another one, as plotly has that."""
        if above is None or not math.isnan(self.low):
            return self
        low, high = above["range"]
        return replace(self, low=low, high=high, log=above.get("type") == "log")

    @property
    def scale(self) -> Scale:
        """The same as ticks are chosen for."""
        return Scale(Axis("", "", log=self.log), self.low, self.high)

    def holds(self, value: float) -> bool:
        """Whether a value lies inside it."""
        return self.scale.holds(value)

    def settled(self, theme: Theme, place: int) -> "Side":
        """Return it where it was before, while a control moves."""
        if not self.held or theme.held is None or len(theme.held) <= place:
            return self
        before = theme.held[place]
        if place:
            kept = steady_y(self.scale, before, theme.in_parts)
        elif before[0] <= self.low and self.high <= before[1]:
            kept = steady_x(self.scale, before, theme.in_parts)
        else:  # an end that gives way gets room for the steps to come
            spare = _SPARE * (self.high - self.low)
            low = self.low - spare * (self.low < before[0])
            kept = replace(self.scale, low=low, high=self.high + spare * (self.high > before[1]))
        return replace(self, low=kept.low, high=kept.high)

    def _named(self, line: float) -> list[int]:
        """Return which rows are named, each of which needs such a part of the height."""
        rows = list[int]()
        for row in self.order or range(len(self.ticks or ())):
            if all(abs(row - other) >= line * (self.low - self.high) for other in rows):
                rows.append(row)
        return sorted(rows)

    def settings(self, theme: Theme, *, width: float = 0.0, height: float = 0.0) -> dict[str, Any]:
        """Return plotly's settings of it: level and so wide, or upright and so high."""
        found: dict[str, Any] = {"range": [self.low, self.high]}
        if self.log:
            found["type"] = "log"
        if not self.shown:
            return found | {"visible": False, "fixedrange": True}
        if self.ticks is not None:
            values, texts = zip(*self.ticks, strict=True) if self.ticks else ((), ())
            parts = [written(text, theme) for text in texts]
            found |= {"tickvals": list(values), "ticktext": parts}
            rows = [] if width else self._named((theme.font_size + 1) / max(height, 1))
            if rows:
                found |= {
                    key: [found[key][row] for row in rows] for key in ("tickvals", "ticktext")
                }
        elif width:
            found |= axes.settings_across(self.scale, width, theme)
        else:
            found |= axes.settings(self.scale, height / theme.scale)
        found |= {} if self.grid else {"showgrid": False}
        return found | ({} if self.numbers else {"showticklabels": False})


@dataclass(frozen=True)
class Handle:
    """What a hand drags on a page: the value of a parameter, by its line at x or a grip at (x, y).

    more: what else the browser must know, see dpviz/scripts/handle.js ("grip": a y).
    """

    key: str
    x: float
    y: float | None = None
    more: Mapping[str, Any] = field(default_factory=dict)
    kind: ClassVar = "drag"

    @property
    def meta(self) -> dict[str, Any]:
        """Return it as a figure has it."""
        there = {"line": True} if self.y is None else {"y": self.y}
        return {"key": self.key, "x": self.x, **there, **self.more}


@dataclass(frozen=True, eq=False)
class _Place(ABC):
    """What can be drawn among others.

    share: of the height that is left for it, or pixels: so many; wide: how much of the width, among
    those beside it. aside, roomy: as of a mark. broad: whether a phone alone leaves it out. full:
    of words, so that a projector has no room for larger ones.
    """

    _: KW_ONLY
    share: float = 1.0
    wide: float = 1.0
    pixels: float = 0.0
    aside: bool = False
    roomy: bool = False
    broad: bool = False
    full: bool = False

    @abstractmethod
    def over(self, theme: Theme) -> float:
        """Return how many pixels of words are above it."""

    @abstractmethod
    def under(self, theme: Theme, *, last: bool) -> float:
        """Return how many pixels of words are below it."""

    def left_out(self, theme: Theme) -> bool:
        """Return whether a place has no room for it."""
        headline = self.aside and theme.labels == "only"
        return headline or (self.roomy and theme.crowded_place) or (self.broad and theme.compact)

    @abstractmethod
    def draw(self, theme: Theme, *, part: float, last: bool) -> Figure:
        """Return it as a figure of its own; part: of the width that a figure has."""


@dataclass(frozen=True, eq=False)
class Panel(_Place):
    """Two axes with marks on them, some of which may be None.

    above: what it is, in one or more lines. handle: what a hand drags in it on a page.
    stacked: whether bars at one place stand on each other. inside: whether the names of what is
    drawn stand in the panel. square: whether a step is as long along both axes; what room that
    leaves is on the right or below.
    """

    x: Side
    y: Side
    marks: Sequence[Mark | None]
    _: KW_ONLY
    above: Words = ""
    handle: Handle | None = None
    stacked: bool = False
    inside: bool = False
    square: bool = False

    def _headings(self, theme: Theme) -> list[str]:
        """Return what stands above it, line below line."""
        texts = [written(one, theme) for one in (self.above, self.y.title)]
        return [text for text in texts if text]

    def over(self, theme: Theme) -> float:
        """Return how many pixels of words are above it."""
        lines = sum(len(plain_lines(text)) for text in self._headings(theme))
        high = math.ceil(LINE * theme.font_size * lines)
        return theme.px(_AIR) + high + _line_on_top(self.marks, theme)

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
        there = [mark for mark in self.marks if mark is not None and not mark.left_out(theme)]
        named = not theme.compact and any(mark.name and mark.listed for mark in there)
        under += theme.px(_LEGEND) if named and not self.inside else 0.0
        height = theme.height - over - under
        x, y = self.x.settled(theme, 0), self.y.settled(theme, 1)
        up = y.settings(theme, height=height)
        longest = max(map(len, up.get("ticktext", ())), default=0)
        left = max(round(_EDGE + 0.5 * theme.font_size * longest), theme.left)
        width = part * (theme.width - 2 * _EDGE) - (left - _EDGE)
        across = x.settings(theme, width=width) | {"title": {"text": written(x.title, theme)}}
        on = drawn(self.marks, Plot(theme, width, height, x, y))
        headings, foot = list[dict[str, Any]](), _AIR / 2 + _line_on_top(self.marks, theme)
        for text in reversed(self._headings(theme)):
            note = axes.y_title(text, theme, left, up=round(foot))
            headings.append(note | {"align": "left"})
            foot += LINE * theme.font_size * len(plain_lines(text))
        figure = Figure(on.traces).update_layout(
            template=theme.template(),
            height=theme.height,
            margin={"l": left, "r": _EDGE, "t": over, "b": under},
            barmode="stack" if self.stacked else "overlay",
            hovermode="closest",
            showlegend=named,
            xaxis=across,
            yaxis=up,
            annotations=[*reversed(headings), *on.notes],
            shapes=on.shapes,
        )
        if self.square:
            figure.update_layout(
                xaxis={"constrain": "domain", "constraintoward": "left"},
                yaxis={"constrain": "domain", "constraintoward": "top", "scaleanchor": "x"},
            )
        if self.inside:
            figure.layout["legend"] = _INSIDE
        if self.handle is not None and theme.labels:
            figure.update_layout(meta={self.handle.kind: self.handle.meta}, dragmode=False)
        return figure


@dataclass(frozen=True, eq=False)
class Plotted(Mark):
    """A curve of a chart on a panel, as charts draw it; in the legend if it has a name here.

    Faded, it is not pointed at.
    """

    curve: Curve
    chart: Chart

    def draw(self, on: Plot) -> None:
        """Draw it."""
        looks: dict[str, Any] = {"name": self.name} if self.name else {"showlegend": False}
        looks |= {"opacity": self.seen, "hoverinfo": "skip"} if self.seen < 1 else {}
        drawn = traces(self.curve, self.chart, on.theme)
        on.traces += [{"showlegend": bool(trace.get("name"))} | trace | looks for trace in drawn]


@dataclass(frozen=True, eq=False)
class Charted(_Place):
    """A chart among panels, with marks on it.

    handle: as of a panel, in place of the chart's own. ticks: of its x-axis, if others. titled:
    whether its title stays below it where others follow. earlier: what of a chart of the figure
    before may stand in for it, if not all.
    """

    chart: Chart
    marks: Sequence[Mark | None] = ()
    _: KW_ONLY
    handle: Handle | None = None
    ticks: Sequence[tuple[float, str]] | None = None
    titled: bool = False
    earlier: Callable[[Chart], Chart] | None = None

    def over(self, theme: Theme) -> float:
        """Return about how many pixels of words are above it."""
        return theme.px(_AROUND) + _line_on_top(self.marks, theme)

    def under(self, theme: Theme, *, last: bool) -> float:
        """Return how many pixels of words are below it, but for a legend."""
        return theme.px(BELOW if last or self.titled else _BETWEEN)

    def draw(self, theme: Theme, *, part: float, last: bool) -> Figure:
        """Return it as a figure of its own; above another one without a title below."""
        saved = theme.px(BELOW) - self.under(theme, last=last)
        row = _line_on_top(self.marks, theme)
        share = theme.share * (theme.height + saved - row) / theme.height
        if self.earlier is not None:
            theme = replace(theme, before=tuple(map(self.earlier, theme.before)))
        seen = [one for one in self.marks if one is not None and not one.left_out(theme)]
        crossed = [(one.x, one.y) for one in seen if isinstance(one, Rule)]
        for line in (one for one in seen if isinstance(one, Line)):
            points = (itertools.pairwise(np.asarray(ends).tolist()) for ends in (line.x, line.y))
            crossed += [ends for ends in zip(*points, strict=True) if np.isfinite(ends).all()]
        words = [one for one in seen if isinstance(one, Text) and written(one.words, theme)]
        if self.handle is not None and self.handle.y is None:
            words.append(Text(_HAND, self.handle.x, Part(0), to="N"))
        figure = draw(self.chart, replace(theme, share=share), crossed, words)
        layout, margin = figure.layout, figure.layout["margin"]
        x, y = (
            Side(*layout[name]["range"], log=axis.log)
            for name, axis in (("xaxis", self.chart.x), ("yaxis", self.chart.y))
        )
        width = theme.width - margin["l"] - margin["r"]
        on = drawn(self.marks, Plot(theme, part * width, theme.height, x, y))
        behind = [trace for trace in on.traces if trace.get("fill") == "toself"]  # bands
        others = [trace for trace in on.traces if trace.get("fill") != "toself"]
        figure.data = [*behind, *figure.data, *others]
        layout["annotations"][0]["yshift"] += row  # the title of the y-axis
        for what, marked in (("shapes", on.shapes), ("annotations", on.notes)):
            layout[what] = [*layout.get(what, ()), *marked]
        if saved:
            layout["xaxis"] = layout["xaxis"] | {"title": {"text": ""}}
        if self.ticks is not None:
            values, texts = zip(*self.ticks, strict=True)
            layout["xaxis"] |= {"tickvals": list(values), "ticktext": list(texts)}
        if self.handle is not None and theme.labels:
            figure.update_layout(meta={"drag": self.handle.meta}, dragmode=False)
            # At the left end its grip would cover the number beside it.
            figure.update_layout(yaxis={"ticklabelstandoff": round(_GRIP * theme.scale)})
        return figure.update_layout(
            height=layout["height"] - saved + row,
            margin={"t": margin["t"] + row, "b": margin["b"] - saved},
        )


def _line_on_top(marks: Sequence[Mark | None], theme: Theme) -> int:
    """Return how many pixels the names of lines need that stand above a panel."""
    named = [mark for mark in marks if mark is not None and written(mark.on_top, theme)]
    lines = [len(plain_lines(written(mark.on_top, theme))) * mark.sized for mark in named]
    return math.ceil(LINE * theme.font_size * max(lines, default=0))


Row = Panel | Charted | Chart | Sequence[Panel | Charted | Chart]
"""What stands in one row: one, or several beside each other."""


def stacked(theme: Theme, *rows: Row | None, tall: float = 0.0, beside: int = 9) -> Figure:
    """Return panels and charts as one figure, from above; those beside each other in one row.

    None leaves out one. tall: how many times as high as a usual figure all are that share a height,
    where it is not to fill a place that it is given; 0 for as much as they need. beside: how many
    stand beside each other on a phone at most; if one, column by column.
    """
    kept = _kept(theme, rows, beside if theme.compact and not theme.room else 9)
    several, wrapped = len(kept) > 1 or len(kept[0]) > 1, len(kept) > len(rows)
    theme = theme.crowded() if several or kept[0][0].full else theme
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
        times = tall or (_BOTH if len(kept) > len(strips) + 1 else 1.0)
        whole *= max(times, 1.0) if theme.room else times
        whole = whole * (2 if wrapped else 1) + sum(strips)
    if theme.room:
        less = _STRIPS * (whole - sum(around)) / (sum(fixed) or 1.0)
        fixed = [min(less, 1.0) * high for high in fixed]
    free = max(whole - sum(around) - sum(fixed), 0.0) / (sum(shares) or 1.0)
    figures: list[list[Figure]] = []
    leading = first(kept)
    for number, row in enumerate(kept):
        plot = fixed[number] + shares[number] * free
        parts = spans(row, len(kept[0]) if wrapped else len(row))
        top = figures[-1][0].layout["xaxis"] if figures else None
        figures.append([])
        for panel, (start, end) in zip(row, parts, strict=False):
            high = plot + panel.over(theme) + panel.under(theme, last=number == last)
            at = theme if any(one is leading for one in row) else theme.below
            narrowed = replace(at, share=theme.share * high / theme.height)
            made = replace(panel, x=panel.x.below(top)) if isinstance(panel, Panel) else panel
            figures[-1].append(made.draw(narrowed, part=end - start, last=number == last))
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
    return together(kept, figures, theme, len(kept[0]) if wrapped else 0)


def _kept(theme: Theme, rows: Sequence[Row | None], most: int) -> list[list[Panel | Charted]]:
    """Return what a place has room for, row by row."""
    found: list[list[Panel | Charted]] = []
    for row in rows:
        every = [row] if isinstance(row, Panel | Charted | Chart) else list(row or ())
        panels = [Charted(one) if isinstance(one, Chart) else one for one in every]
        shown = [one for one in panels if not one.left_out(theme)]
        found += [shown[at : at + most] for at in range(0, len(shown), most)]
    if most == 1 and len(rows) > 1:
        columns = len(found) // len(rows)
        found = [found[at] for first in range(columns) for at in range(first, len(found), columns)]
    return found
