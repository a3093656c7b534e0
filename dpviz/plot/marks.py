"""Marks: what is drawn in a panel, each with what it is about.

A view says what it shows and in which words. What is as wide or large as a place asks for, where it
stands on the paper, and what a narrow, low or projected place leaves out, is decided here and in
`dpviz.plot.panels`: no view asks where it is drawn.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpviz.plot.ink import CHARACTER, plain_lines
from dpviz.plot.spec import Trace, bar, scatter
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Curve, Subject

Ink = Subject | Curve | int | str
"""A colour: of a subject, of a curve, by its place in the palette, one of `GROUNDS`, or as CSS."""
GROUNDS = ("text", "muted", "aside", "grid", "background")
Words = str | tuple[str, ...]
"""What is written, or in full, in short (on a phone and a projector) and, if that differs, where
the headline alone is shown; "" leaves it out there."""

_COMPASS = {"N": "bottom", "S": "top", "W": "right", "E": "left"}
_PITCH = 0.8  # of the way from point to point, that one takes where they would touch
_ROOM = 45  # pixels that a short word needs
_LARGE = 1.5  # times the size of other words, of those that are a verdict
_ASIDE = 8  # pixels beside words that stand between two places
_BEYOND = 20  # pixels beside a panel that words may take, as widths are estimated
_TINT = "\N{NUMBER SIGN}@"  # around the name of an ink in words


Ends = float | tuple[float, float]
"""A place, or from where to where."""
SIDE = 10
"""People in a row of a hundred."""


class Part(float):
    """A place as a part of the panel, from its left or its foot, not in units of its axis."""


def ink(about: Ink, theme: Theme) -> str:
    """Return the colour of what a mark is about."""
    if isinstance(about, Curve):
        return theme.color(about)
    if isinstance(about, Subject):
        return theme.subjects[about]
    if isinstance(about, int):
        return theme.palette[about]
    return str(getattr(theme, about)) if about in GROUNDS else about


def tinted(text: str, about: Subject | int | str) -> str:
    """Return words in a colour, among others in another."""
    name = about.name if isinstance(about, Subject) else about
    return f"<span style='color:{_TINT}{name};'>{text}</span>"


def written(words: Words, theme: Theme) -> str:
    """Return words as a place has room for them, in its colours."""
    text = words
    if not isinstance(text, str):
        place = 2 if theme.labels == "only" else int(theme.crowded_place)
        text = text[min(place, len(text) - 1)]
    if _TINT in text:
        inks: tuple[Ink, ...] = (*Subject, *range(len(theme.palette)), *GROUNDS)
        for one in inks:
            name = one.name if isinstance(one, Subject) else one
            text = text.replace(f"{_TINT}{name};", ink(one, theme))
    return text


@dataclass
class Plot:
    """What marks are drawn on: a panel that is so many pixels wide and high."""

    theme: Theme
    width: float = 0.0
    height: float = 0.0
    x: Any = None
    y: Any = None
    traces: list[Trace] = field(default_factory=list)
    shapes: list[dict[str, Any]] = field(default_factory=list)
    notes: list[dict[str, Any]] = field(default_factory=list)

    @property
    def pitch(self) -> float:
        """How many pixels apart the places of a grid are, which are a unit apart."""
        across, up = abs(self.x.high - self.x.low), abs(self.y.high - self.y.low)
        return float(min(self.width / across, self.height / up))

    def inside(self, ends: tuple[float, float]) -> tuple[float, float]:
        """Return what of a stretch along x is on the axis."""
        low, high = (10**end if self.x.log else end for end in (self.x.low, self.x.high))
        return max(ends[0], low), min(ends[1], high)

    def place(self, letter: str, values: ArrayLike) -> ArrayLike:
        """Return the coordinates of points, some of which may be parts of a linear axis."""
        axis = getattr(self, letter)
        if not isinstance(values, Sequence) or not any(isinstance(one, Part) for one in values):
            return values
        return np.array([axis.low + one * (axis.high - axis.low) for one in values])

    def note(self, letter: str, value: float) -> dict[str, Any]:
        """Return the coordinate of words: on a logarithmic axis plotly takes its logarithm."""
        if getattr(self, letter).log and not isinstance(value, Part):
            value = float(np.log10(value))
        return {letter: float(value)} | _reference(letter, value)


def _reference(letter: str, value: float) -> dict[str, str]:
    return {f"{letter}ref": f"{letter} domain"} if isinstance(value, Part) else {}


def _between(letter: str, ends: Ends) -> dict[str, Any]:
    """Return the ends of a shape: two, or one place."""
    first, last = ends if isinstance(ends, tuple) else (ends, ends)
    where = {f"{letter}0": float(first), f"{letter}1": float(last)}
    return where | _reference(letter, first)


@dataclass(frozen=True, eq=False)
class Mark(ABC):
    """Something that is drawn.

    about: its colour. name: in the legend if `listed`, "" if it needs none. said: what is read off
    it by pointing, as plotly's template, or of each point; customdata: what
    %{customdata} is in it. seen: its opacity. aside: whether a place that shows the headline alone
    leaves it out; roomy: whether a phone and a projector do; late: whether it waits until all of
    its figure is known.
    """

    _: KW_ONLY
    about: Ink | Sequence[Ink] = "text"
    name: str = ""
    listed: bool = True
    said: str | Sequence[str] = ""
    customdata: ArrayLike | None = None
    seen: float = 1.0
    aside: bool = False
    roomy: bool = False
    late: bool = False

    def left_out(self, theme: Theme) -> bool:
        """Return whether a place has no room for it, or it is too early."""
        alone, early = self.aside and theme.labels == "only", self.late and theme.partial
        return alone or early or (self.roomy and theme.crowded_place)

    @property
    def on_top(self) -> Words:
        """The words it has that stand above the panel."""
        return ""

    @property
    def sized(self) -> float:
        """How large its words are, times others."""
        return 1.0

    @abstractmethod
    def draw(self, on: Plot) -> None:
        """Draw it."""

    def color(self, theme: Theme) -> Any:
        """Return its colour, or that of each of its points."""
        if isinstance(self.about, Sequence) and not isinstance(self.about, str):
            return [ink(one, theme) for one in self.about]
        return ink(self.about, theme)

    def common(self) -> dict[str, Any]:
        """Return what its trace says besides how it looks: its name, and what is read off it."""
        looks: dict[str, Any] = {"showlegend": bool(self.name) and self.listed}
        looks |= {"name": self.name} if self.name else {}
        looks |= {"opacity": self.seen} if self.seen < 1 else {}
        if not isinstance(self.said, str):
            return looks | {
                "customdata": self.said,
                "hovertemplate": "%{customdata}<extra></extra>",
            }
        looks |= {"customdata": self.customdata} if self.customdata is not None else {}
        if self.said:
            return looks | {"hovertemplate": f"{self.said}<extra></extra>"}
        return looks | {"hoverinfo": "skip"}


@dataclass(frozen=True, eq=False)
class Line(Mark):
    """A line through points, with gaps where one is unknown.

    shape: "hv" and "hvh" for stairs. fill: how much of its colour is below it, or (back) between it
    and the line before.
    """

    x: ArrayLike
    y: ArrayLike
    _: KW_ONLY
    wide: float = 2.5
    dash: str = "solid"
    shape: str = "linear"
    fill: float = 0.0
    back: bool = False

    def draw(self, on: Plot) -> None:
        """Draw it."""
        color = self.color(on.theme)
        line = {"color": color, "width": self.wide * on.theme.scale, "dash": self.dash}
        line |= {"shape": self.shape} if self.shape != "linear" else {}
        looks = self.common() | {"mode": "lines", "line": line}
        if self.fill:
            looks |= {"fill": "tonexty" if self.back else "tozeroy"}
            looks |= {"fillcolor": f"{color}{round(255 * self.fill):02x}"}
        on.traces.append(scatter(x=self.x, y=self.y, **looks))


@dataclass(frozen=True, eq=False)
class Band(Mark):
    """What lies between two heights along x."""

    x: ArrayLike
    low: ArrayLike
    high: ArrayLike

    def draw(self, on: Plot) -> None:
        """Draw it."""
        x, low, high = (np.asarray(one) for one in (self.x, self.low, self.high))
        around = {"x": np.concatenate([x, x[::-1]]), "y": np.concatenate([high, low[::-1]])}
        looks = {"mode": "lines", "line": {"width": 0}, "fill": "toself"}
        looks |= {"fillcolor": self.color(on.theme)} | self.common()
        on.traces.append(scatter(**around, **looks))


@dataclass(frozen=True, eq=False)
class Dots(Mark):
    """Points, each with a symbol that plotly knows by its name.

    size: in pixels of the usual size, or of each. share: of the room of each on a grid, in place of
    a size. edge: the width of its outline, and edged: the colour. words: beside each point, on the
    side that `to` says, as plotly names it; inked: in which colour, or each in which, if not in
    that of the point.
    off: how far an interval reaches from each, to both sides or (down, up), along x if `across`;
    thick, caps: its width, and half of that of its ends. apart: along x, smaller where they would
    touch.
    """

    x: ArrayLike
    y: ArrayLike
    _: KW_ONLY
    size: float | Sequence[float] = 10.0
    share: float = 0.0
    symbol: str | Sequence[str] = "circle"
    edge: float | Sequence[float] = 0.0
    edged: Ink = ""
    pale: float = 1.0
    words: Sequence[str] = ()
    to: str | Sequence[str] = "middle center"
    inked: Ink | Sequence[Ink] = ""
    off: ArrayLike | tuple[ArrayLike, ArrayLike] | None = None
    across: bool = False
    thick: float = 3.0
    caps: float = 6.0
    apart: bool = False

    def draw(self, on: Plot) -> None:
        """Draw it."""
        color, scale = self.color(on.theme), on.theme.scale
        size = self.size * scale if np.ndim(self.size) == 0 else scale * np.asarray(self.size)  # type: ignore[operator]
        size = self.share * on.pitch if self.share else size
        if self.apart:
            steps = np.diff(np.unique(np.asarray(self.x, dtype=float)))
            pitch = on.width * steps.min(initial=np.inf) / (on.x.high - on.x.low)
            size = np.minimum(size, _PITCH * pitch).tolist()
        marker: dict[str, Any] = {"color": color, "size": size, "symbol": self.symbol}
        if np.any(self.edge):
            edge = scale * np.asarray(self.edge)
            marker["line"] = {"width": edge.tolist()}
            marker["line"] |= {"color": ink(self.edged, on.theme)} if self.edged else {}
        marker |= {"opacity": self.pale} if self.pale < 1 else {}
        looks = self.common() | {"mode": "markers+text" if self.words else "markers"}
        if self.words:
            looks |= {"text": list(self.words), "textposition": self.to}
            looks |= {"textfont": {"color": self._inked(on.theme) if self.inked else color}}
        if self.off is not None:
            less, more = self.off if isinstance(self.off, tuple) else (self.off, self.off)
            bars = {"array": more, "arrayminus": less, "width": self.caps}
            bars |= {"thickness": self.thick * scale}
            bars |= {"color": color} if isinstance(color, str) else {}
            looks[f"error_{'x' if self.across else 'y'}"] = bars
        at = {letter: on.place(letter, getattr(self, letter)) for letter in "xy"}
        on.traces.append(scatter(**at, marker=marker, **looks))

    def _inked(self, theme: Theme) -> Any:
        """Return the colour of the words, or of each of them."""
        if isinstance(self.inked, Sequence) and not isinstance(self.inked, str):
            return [ink(one, theme) for one in self.inked]
        return ink(self.inked, theme)


@dataclass(frozen=True, eq=False)
class Fitting(Mark):
    """A mark with words for which there is room, or what stands for it without them.

    apart: how near to each other the words are, in units of x.
    """

    full: Mark
    short: Mark
    apart: float

    def draw(self, on: Plot) -> None:
        """Draw it."""
        room = self.apart * on.width / (on.x.high - on.x.low)
        (self.full if room >= _ROOM else self.short).draw(on)


@dataclass(frozen=True, eq=False)
class Bars(Mark):
    """Bars at places, or lying in rows.

    wide: of each, in units of its axis. base: where each begins. beside: how far from its place
    it begins, None for around it. words: at the end of each, outside.
    """

    at: ArrayLike
    long: ArrayLike
    _: KW_ONLY
    lying: bool = False
    wide: ArrayLike = 0.8
    base: ArrayLike | None = None
    beside: float | None = None
    words: Sequence[str] = ()
    pale: float = 1.0

    def draw(self, on: Plot) -> None:
        """Draw it."""
        at, long = ("y", "x") if self.lying else ("x", "y")
        looks = self.common() | {"width": self.wide, "marker": {"color": self.color(on.theme)}}
        looks |= {"orientation": "h"} if self.lying else {}
        looks |= {"base": self.base} if self.base is not None else {}
        looks |= {"offset": self.beside} if self.beside is not None else {}
        if self.pale < 1:
            looks["marker"] |= {"opacity": self.pale}
        if self.words:
            looks |= {"text": list(self.words), "textposition": "outside", "cliponaxis": False}
        on.traces.append(bar(**{at: np.asarray(self.at), long: np.asarray(self.long)}, **looks))


@dataclass(frozen=True, eq=False)
class Rule(Mark):
    """A straight line at an x or a y across the panel, or from one place to another.

    called: what stands above it, at the top of the panel. below: whether behind all traces.
    """

    _: KW_ONLY
    x: Ends = (Part(0), Part(1))
    y: Ends = (Part(0), Part(1))
    wide: float = 2.0
    dash: str = "solid"
    called: Words = ""
    below: bool = False

    @property
    def on_top(self) -> Words:
        """The words it has that stand above the panel."""
        return self.called

    def draw(self, on: Plot) -> None:
        """Draw it."""
        line = {"color": self.color(on.theme), "width": self.wide * on.theme.scale}
        line |= {"dash": self.dash} if self.dash != "solid" else {}
        rule: dict[str, Any] = {"type": "line", "line": line, "layer": "below"}
        if not self.below:
            del rule["layer"]
        on.shapes.append(rule | _between("x", self.x) | _between("y", self.y))
        if not isinstance(self.x, tuple):
            Text(self.called, self.x, Part(1), to="N", about=self.about).draw(on)


def to_both_axes(x: float, y: float) -> list[Mark]:
    """Return thin lines from a point to 0 on both axes, where its two numbers are read."""
    return [
        Rule(x=x, y=(0, y), wide=1, dash="dot", about="muted"),
        Rule(x=(0, x), y=y, wide=1, dash="dot", about="muted"),
    ]


@dataclass(frozen=True, eq=False)
class Span(Mark):
    """A box over part of the panel, behind all traces; edge: the width of its outline.

    called: what stands above it, at the top of the panel.
    """

    _: KW_ONLY
    x: tuple[float, float] = (Part(0), Part(1))
    y: tuple[float, float] = (Part(0), Part(1))
    edge: float = 0.0
    hollow: bool = False
    called: Words = ""

    @property
    def on_top(self) -> Words:
        """The words it has that stand above the panel."""
        return self.called

    def draw(self, on: Plot) -> None:
        """Draw it."""
        color = self.color(on.theme)
        line = {"color": color, "width": self.edge} if self.edge else {"width": 0}
        box: dict[str, Any] = {"type": "rect", "layer": "below", "line": line}
        box |= {} if self.hollow else {"fillcolor": color, "opacity": self.seen}
        x = self.x if isinstance(self.x[0], Part) else on.inside(self.x)
        if x[0] >= x[1]:
            return
        on.shapes.append(box | _between("x", x) | _between("y", self.y))
        Text(self.called, self.x[0], Part(1), to="NE").draw(on)


@dataclass(frozen=True, eq=False)
class Text(Mark):
    """Words at a place.

    to: on which side of it they stand, as on a compass: "N" above it, "E" right of it, "" on it.
    shift: pixels further right and up. small, large: smaller or larger than other words. backed: on
    the colour of the paper. over: between two places along x, whose middle is its place, and "…" if
    there is no room; hover: what it says there when pointed at.
    """

    words: Words
    x: float
    y: float
    _: KW_ONLY
    to: str = ""
    shift: tuple[float, float] = (0.0, 0.0)
    small: bool = False
    large: bool = False
    backed: bool = False
    over: tuple[float, float] | None = None
    hover: str = ""

    @property
    def on_top(self) -> Words:
        """The words, if they stand above the panel."""
        return self.words if isinstance(self.y, Part) and self.y >= 1 and "N" in self.to else ""

    @property
    def sized(self) -> float:
        """How large its words are, times others."""
        return _LARGE if self.large else 1.0

    def draw(self, on: Plot) -> None:
        """Draw it."""
        if not (text := written(self.words, on.theme)):
            return
        resized = on.theme.font_size * self.sized - self.small
        size = {"size": resized} if self.small or self.large else {}
        note = {"text": text, "showarrow": False, "font": {"color": self.color(on.theme)} | size}
        note |= on.note("x", self.x) | on.note("y", self.y)
        half = 0.5 * CHARACTER * resized * max(map(len, plain_lines(text))) / on.width
        to = self._inwards(note, 2 * half, on)
        if self.over is not None:
            ends = on.inside(self.over)
            if ends[0] >= ends[1]:
                return
            first, last = (on.note("x", end)["x"] for end in ends)
            note["x"] = (first + last) / 2
            fits = 2 * half + _ASIDE / on.width < (last - first) / (on.x.high - on.x.low)
            note |= {"text": text if fits else "…", "hovertext": self.hover}
        for sides, letter, middle in (("WE", "x", "center"), ("NS", "y", "middle")):
            side = next((one for one in to if one in sides), "")
            note[f"{letter}anchor"] = _COMPASS.get(side, middle)
        note |= {"align": note["xanchor"]} if note["xanchor"] != "center" else {}
        note |= {key: by for key, by in zip(("xshift", "yshift"), self.shift, strict=True) if by}
        note |= {"bgcolor": on.theme.background} if self.backed else {}
        note |= {"opacity": self.seen} if self.seen < 1 else {}
        on.notes.append(note)

    def _inwards(self, note: dict[str, Any], wide: float, on: Plot) -> str:
        """Return on which side of its place words stand: those around it move in from an edge.

        wide: as a part of the width, where it is least. Others keep the side that they are given:
        on a wide page they have room there.
        """
        if isinstance(self.x, Part) or self.over is not None or set(self.to) & set("WE"):
            return self.to
        right = (note["x"] - on.x.low) / (on.x.high - on.x.low)
        beyond = 0.0 if self.on_top else _BEYOND / on.width
        past, before = right + wide / 2 > 1 + beyond, right - wide / 2 < -beyond
        return self.to + ("W" if past else "E" if before else "")


@dataclass(frozen=True, eq=False)
class Cells(Mark):
    """Numbers on a grid as so much of a colour, all of it at `most`."""

    x: ArrayLike
    y: ArrayLike
    z: ArrayLike
    most: float

    def draw(self, on: Plot) -> None:
        """Draw it."""
        looks = {"zmin": 0, "zmax": self.most, "showscale": False} | self.common()
        looks["colorscale"] = [[0, on.theme.background], [1, self.color(on.theme)]]
        on.traces.append({"type": "heatmap", "x": self.x, "y": self.y, "z": self.z} | looks)


@dataclass(frozen=True, eq=False)
class People(Mark):
    """A crowd in rows, of whom the first `count` have the colour.

    of: how many there are. left: where they begin; side: how many stand in a row. ringed: of so
    many there is only the ring.
    """

    count: int
    _: KW_ONLY
    of: int = 100
    left: float = 0.0
    side: int = SIDE
    share: float = 0.72
    ringed: bool = False

    def draw(self, on: Plot) -> None:
        """Draw it."""
        who = np.arange(self.count if self.ringed else self.of)
        own, color = on.theme.grid, ink(self.about, on.theme)  # type: ignore[arg-type]
        colors = np.where(who < self.count, color, own).tolist()
        size = max(np.floor(self.share * on.pitch), 1.0)
        marker = {"color": color if self.ringed else colors, "size": size}
        marker |= {"symbol": "circle-open" if self.ringed else "circle"}
        at = {"x": self.left + who % self.side, "y": -(who // self.side)}
        on.traces.append(scatter(**at, mode="markers", marker=marker, **self.common()))


def drawn(marks: Iterable[Mark | None], on: Plot) -> Plot:
    """Draw those marks that a place has room for."""
    for mark in marks:
        if mark is not None and not mark.left_out(on.theme):
            mark.draw(on)
    return on


def joined(lines: Sequence[ArrayLike]) -> Iterator[Any]:
    """Yield the coordinates of several lines as those of one, with gaps between them."""
    for axis in zip(*lines, strict=True):
        yield np.concatenate([one for part in axis for one in (np.ravel(part), [np.nan])])
