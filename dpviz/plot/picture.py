"""A figure as SVG, drawn without a browser: for links that unfold, files and handouts.

It knows what the figures here are made of: scatter, bar and heatmap traces, shapes, notes, axes and
legends; what it does not know is an error (`dpviz.plot.drawable`). Where words and ticks stand
is what the figure itself says.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz.plot.coordinates import Paper, axis_of
from dpviz.plot.drawable import UnknownPartError, check
from dpviz.plot.grids import heatmap
from dpviz.plot.ink import LINE, UNSEEN, Array, Svg, extent, plain_lines, stepped
from dpviz.plot.margins import (
    ROOMY,
    Legend,
    laid_out,
    lowest,
    number_right,
    number_top,
    title_top,
)
from dpviz.plot.spec import Figure, Trace
from dpviz.plot.theme import Theme
from dpviz.plot.words_at import bar_words, each, point_words

_NO_EDGE = {"width": 0, "color": "none"}


@dataclass(frozen=True)
class Picture:
    """A figure as SVG, and where data are on it, in its pixels.

    opening: the first tag. layout: that of the figure, with what its theme adds. places: by the
    number of a trace, where each of its points is, or the corners of each of its bars or cells:
    (x, y) or (x, y, x, y).
    """

    ink: Svg
    opening: str
    paper: Paper
    layout: Mapping[str, Any]
    places: Mapping[int, Array]

    @property
    def svg(self) -> str:
        """The whole of it."""
        return f"{self.opening}{self.ink.svg}</svg>"

    @property
    def parts(self) -> list[str]:
        """What stands side by side in it, in order."""
        return self.ink.parts


def svg(figure: Figure, theme: Theme, width: int) -> str:
    """Return a figure as SVG, so many pixels wide and as high as it says.

    What a picture cannot do is left out: hovering, buttons, frames. Raises UnknownPartError
    for a figure with a part that would be drawn as something else.
    """
    return picture(figure, theme, width).svg


def picture(figure: Figure, theme: Theme, width: int, name: str = "") -> Picture:
    """Return a figure as `svg` draws it; name: what the names of its parts begin with."""
    check(figure.data, figure.layout)
    theme, layout = laid_out(figure, theme, width)
    height = int(layout["height"])
    font = theme.font.replace('"', "'")
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="{font}" font-size="{theme.font_size}">'
    )
    ink = Svg(name)
    ink.box(0, 0, width, height, fill=theme.background)
    drawn = _Picture(figure, theme, layout, ink, width)
    drawn.draw()
    return Picture(ink, opening, drawn.paper, layout, drawn.places)


class _Picture:
    def __init__(
        self, figure: Figure, theme: Theme, layout: Mapping[str, Any], ink: Svg, width: int
    ) -> None:
        self.data, self.theme, self.layout, self.ink = figure.data, theme, layout, ink
        self.width, self.height = width, int(layout["height"])
        self.paper = Paper(layout, width)
        self.legend = Legend.of(layout, figure.data, self.paper, theme, width)
        self.stacked: dict[tuple[str, float], float] = {}
        self.places: dict[int, Array] = {}
        self.there: dict[int, tuple[Array, Array]] = {}
        # Bars stand on an axis that says nothing of a grid without one, and cells cover theirs.
        self.plain = {
            axis_of(trace, letter)
            for trace in self.data
            for letter in "xy"
            if trace["type"] == "heatmap"
            or (trace["type"] == "bar" and (letter == "y") is (trace.get("orientation") == "h"))
        }

    def draw(self) -> None:
        if self.ink.name:  # on a page, where one points at parts of the first axes
            x, y = (self.paper.axes[f"{letter}axis"] for letter in "xy")
            self.ink.box(x.start, y.start, x.end, y.end, fill="none", **{"class": "axes"})
        for key in self.paper.axes:
            self._grid(key)
        self._shapes(below=True)
        for number, trace in enumerate(self.data):
            loose = 8 if "markers" in trace.get("mode", "") else 1  # one at the end is seen whole
            ends = self._ends(trace, loose)
            name = f"part{number}"
            looks = {"class": name, "opacity": trace.get("opacity")} | _named(trace.get("meta", {}))
            # Each box that clips costs a PNG as much as all words of a figure.
            whole = self._lies_within(number, ends)
            place = self.ink.group(**looks) if whole else self.ink.clipped(name, ends, **looks)
            kinds: dict[str, Callable[[Svg, Trace, int], None]]
            kinds = {"scatter": self._scatter, "bar": self._bars, "heatmap": self._heatmap}
            kinds[trace["type"]](place, trace, number)
        self._shapes(below=False)
        for key in self.paper.axes:
            self._words_of(key)
        for note in self.layout.get("annotations", ()):
            self._note(note)
        if self.legend is not None:
            self._legend(self.legend)

    # --- Axes ------------------------------------------------------------------------------------

    def _grid(self, key: str) -> None:
        axis = self.paper.axes[key]
        shown = axis.settings.get("showgrid", key not in self.plain)
        if not axis.settings.get("visible", True) or not shown:
            return
        near, far = self.paper.across(key)
        for at, _ in axis.ticks:
            ends = (at, near, at, far) if key[0] == "x" else (near, at, far, at)
            self.ink.rule(ends, self.theme.grid)

    def _words_of(self, key: str) -> None:
        axis, size, lying = self.paper.axes[key], self.theme.font_size, key[0] == "x"
        if not axis.settings.get("visible", True):
            return
        if axis.settings.get("showticklabels", True):
            for at, text in axis.ticks:
                half = ROOMY * extent(plain_lines(text), size - 1)[0] / 2
                within = min(max(at, half), self.width - half)  # one at the end is not cut
                place, anchor = (
                    ((within, number_top(axis)), ("center", "top"))
                    if lying
                    else ((number_right(axis), at), ("right", "middle"))
                )
                looks: dict[str, Any] = {"class": f"{key[0]}tick"}
                self.ink.words(text, place, size - 1, self.theme.muted, anchor, **looks)
        if title := axis.settings.get("title", {}).get("text"):
            below = title_top(axis, self.theme, lowest(self.legend, self.height))
            place = ((axis.start + axis.end) / 2, below)
            looks = {"class": "xtitle"}
            self.ink.words(title, place, size, self.theme.text, ("center", "top"), **looks)

    # --- Traces ----------------------------------------------------------------------------------

    def _scatter(self, place: Svg, trace: Trace, number: int) -> None:
        self.places[number] = np.stack(self._there(number), axis=-1)
        x, y = self._points(number)
        mode, line = trace.get("mode", "lines"), trace.get("line", {})
        color = self._color(trace)
        if "fill" in trace:
            self._fill(place, trace, number)
        if "lines" in mode and line.get("width", 2):
            place.line(x, y, color, line.get("width", 2), line.get("dash"))
        for letter in "xy":
            if bars := trace.get(f"error_{letter}"):
                within = place.clipped(f"{letter}{number}", self._ends(trace, 1))
                self._errors(within, trace, letter, bars, bars.get("color", color))
        if "markers" in mode:
            self._markers(place, trace.get("marker", {}), x, y)
        if "text" in mode:
            point_words(place, trace, x, y, self.theme)

    def _ends(self, trace: Trace, loose: float) -> tuple[float, float, float, float]:
        """Return the corners of a trace's axes, so many pixels further out."""
        x, y = self.paper.pair(trace)
        return x.start - loose, y.end - loose, x.end + loose, y.start + loose

    def _lies_within(self, number: int, ends: tuple[float, float, float, float]) -> bool:
        """Return whether nothing of a trace can be outside these corners, by its own points."""
        trace = self.data[number]
        words = "text" in trace.get("mode", "")
        if trace["type"] != "scatter" or words or trace.get("fill") == "tonexty":
            return False
        x, y = _finite(*self._points(number))
        left, top, right, foot = ends
        return bool(((x >= left) & (x <= right) & (y >= top) & (y <= foot)).all())

    def _there(self, number: int) -> tuple[Array, Array]:
        """Return where the points of a trace are: as many as both coordinates are known of."""
        if number not in self.there:
            trace = self.data[number]
            pair = zip(self.paper.pair(trace), "xy", strict=True)
            x, y = (axis.pixels(trace[k]) for axis, k in pair)
            count = min(x.size, y.size)
            self.there[number] = x[:count], y[:count]
        return self.there[number]

    def _points(self, number: int) -> tuple[Array, Array]:
        x, y = self._there(number)
        shape = self.data[number].get("line", {}).get("shape", "linear")
        return stepped(x, y, shape) if shape in ("hv", "hvh") and x.size else (x, y)

    def _color(self, trace: Trace) -> str:
        chosen = trace.get("line", {}).get("color") or trace.get("marker", {}).get("color")
        return chosen if isinstance(chosen, str) else self.theme.text

    def _fill(self, place: Svg, trace: Trace, number: int) -> None:
        x, y = _finite(*self._points(number))
        if not x.size:
            return
        if trace["fill"] == "tozeroy":
            axis = self.paper.pair(trace)[1]
            floor = axis.start if axis.log else float(axis.pixels(max(axis.low, 0.0)))
            x, y = np.append(x, [x[-1], x[0]]), np.append(y, [floor, floor])
        elif trace["fill"] == "tonexty":
            back_x, back_y = _finite(*self._points(number - 1))
            x, y = np.append(x, back_x[::-1]), np.append(y, back_y[::-1])
        place.area(x, y, trace.get("fillcolor") or self._color(trace))

    def _errors(
        self, place: Svg, trace: Trace, letter: str, bars: Mapping[str, Any], color: str
    ) -> None:
        axis, other = self.paper.pair(trace) if letter == "x" else self.paper.pair(trace)[::-1]
        middle = other.pixels(trace["y" if letter == "x" else "x"])
        values = np.asarray(trace[letter], dtype=float)
        more = np.asarray(bars["array"], dtype=float)
        less = np.asarray(bars.get("arrayminus", more), dtype=float)
        low, high = axis.pixels(values - less), axis.pixels(values + more)
        low = np.where(np.isnan(low) & np.isfinite(less), axis.start, low)
        finite = np.isfinite(middle) & np.isfinite(low) & np.isfinite(high)
        for at, near, far in np.stack([middle, low, high])[:, finite].T.tolist():
            ends = (near, at, far, at) if letter == "x" else (at, near, at, far)
            place.rule(ends, color, bars.get("thickness", 2))
            if cap := bars.get("width", 4):
                for end in (near, far):
                    across = (end, at - cap, end, at + cap)
                    across = across if letter == "x" else (at - cap, end, at + cap, end)
                    place.rule(across, color, bars.get("thickness", 2))

    def _markers(self, place: Svg, marker: Mapping[str, Any], x: Array, y: Array) -> None:
        usual = {"size": 6, "color": self.theme.text, "symbol": "circle", "opacity": 1}
        looks = [each(marker.get(key, value), x.size) for key, value in usual.items()]
        line = marker.get("line", {})
        edges = [each(line.get(key, value), x.size) for key, value in _NO_EDGE.items()]
        alike: dict[tuple[float, str], list[tuple[float, float]]] = {}
        finite = np.isfinite(x) & np.isfinite(y)
        places = zip(x.tolist(), y.tolist(), finite.tolist(), strict=True)
        for (right, down, there), (size, color, symbol, opacity, width, edge) in zip(
            places, zip(*looks, *edges, strict=True), strict=True
        ):
            if not there:
                continue
            at = right, down
            if symbol == "circle" and opacity == 1 and not width:
                alike.setdefault((float(size), str(color)), []).append(at)
                continue
            seen: dict[str, object] = {"opacity": None if opacity == 1 else opacity}
            if width:
                outline = color if symbol.endswith("-open") else edge
                seen |= {"stroke": outline, "stroke_width": width}
            place.symbol(str(symbol), at, float(size), str(color), **seen)
        for (size, color), points in alike.items():
            place.dots(points, size, color)

    def _bars(self, place: Svg, trace: Trace, number: int) -> None:
        lying = trace.get("orientation") == "h"
        across, along = self.paper.pair(trace)[::-1] if lying else self.paper.pair(trace)
        at = np.asarray(trace["y" if lying else "x"], dtype=float)
        long = np.asarray(trace["x" if lying else "y"], dtype=float)
        width = np.broadcast_to(np.asarray(trace["width"], dtype=float), at.shape)
        offset = np.broadcast_to(np.asarray(trace.get("offset", -width / 2)), at.shape)
        base = np.broadcast_to(np.asarray(trace.get("base", 0.0), dtype=float), at.shape).copy()
        if self.layout.get("barmode") == "stack":
            for i, where in enumerate(at.tolist()):
                key = (f"{trace.get('xaxis')} {trace.get('yaxis')}", where)
                base[i] = self.stacked.get(key, 0.0)
                self.stacked[key] = base[i] + np.nan_to_num(long[i])
        near, far = across.pixels(at + offset), across.pixels(at + offset + width)
        foot = np.nan_to_num(along.pixels(base), nan=along.start)
        head = along.pixels(base + long)
        marker = trace.get("marker", {})
        colors, line = each(marker.get("color", self.theme.text), at.size), marker.get("line", {})
        looks = {"opacity": marker.get("opacity")}
        if line.get("width"):
            looks |= {"stroke": line.get("color"), "stroke_width": line["width"]}
        sides = (foot, near, head, far) if lying else (near, foot, far, head)
        self.places[number] = np.stack(sides, axis=-1)
        for corners, color in zip(self.places[number].tolist(), colors, strict=True):
            if all(map(math.isfinite, corners)):
                place.box(*corners, fill=color, **looks)
        if "text" in trace:
            back = head < foot if lying else head <= foot
            bar_words(self.ink, trace, (near + far) / 2, head, back, self.theme)

    def _heatmap(self, place: Svg, trace: Trace, number: int) -> None:
        if trace["colorscale"][0][1] != self.theme.background:
            raise UnknownPartError("a picture knows colours that begin with the paper's alone")
        self.places[number] = heatmap(place, trace, self.paper.pair(trace))

    # --- Shapes and words ------------------------------------------------------------------------

    def _shapes(self, *, below: bool) -> None:
        for shape in self.layout.get("shapes", ()):
            if (shape.get("layer") == "below") is not below:
                continue
            x = [self.paper.at(shape[f"x{end}"], shape.get("xref", "x"), "x") for end in (0, 1)]
            y = [self.paper.at(shape[f"y{end}"], shape.get("yref", "y"), "y") for end in (0, 1)]
            line = shape.get("line", {})
            ends = (x[0], y[0], x[1], y[1])
            if not all(map(math.isfinite, ends)):
                continue
            color, width = line.get("color", self.theme.muted), line.get("width", 2)
            if shape["type"] == "line":
                self.ink.rule(ends, color, width, line.get("dash"))
            else:
                looks = {"fill": shape.get("fillcolor", "none"), "opacity": shape.get("opacity")}
                self.ink.box(*ends, **looks, stroke=color if width else None, stroke_width=width)

    def _note(self, note: Mapping[str, Any]) -> None:
        refs = note.get("xref", "x"), note.get("yref", "y")
        x, y = (self.paper.place(note[k], ref, k) for k, ref in zip("xy", refs, strict=True))
        size = note.get("font", {}).get("size", self.theme.font_size)
        color = note.get("font", {}).get("color", self.theme.text)
        anchor = (note.get("xanchor", "center"), note.get("yanchor", "middle"))
        if not (math.isfinite(x) and math.isfinite(y)):
            return
        if note.get("showarrow", True):
            to = x + note.get("ax", -10), y + note.get("ay", -30)
            self._arrow(note, (x, y), to, (anchor[0], size))
        else:
            to = x + note.get("xshift", 0), y - note.get("yshift", 0)
        looks: dict[str, Any] = {"opacity": note.get("opacity"), "class": "note"}
        self.ink.words(note["text"], to, size, color, anchor, note.get("bgcolor"), **looks)

    def _arrow(
        self,
        note: Mapping[str, Any],
        point: tuple[float, float],
        to: tuple[float, float],
        written: tuple[str, float],
    ) -> None:
        """Draw the line from a note to its point, up to the edge of the words."""
        across, down = extent(plain_lines(note["text"]), written[1])
        color, width = note.get("arrowcolor", self.theme.text), note.get("arrowwidth", 1)
        dx, dy = point[0] - to[0], point[1] - to[1]
        wide = across / 2 if written[0] == "center" else 0.0
        reach = max(abs(dx) / wide if wide else 1.0, abs(dy) / (down / 2 or 1.0) if wide else 1.0)
        if reach >= 1:
            edge = (to[0] + dx / reach, to[1] + dy / reach) if wide else to
            looks: dict[str, Any] = {"class": "leader"}
            self.ink.rule((*edge, *point), color, width, **looks)
        if note.get("arrowhead") == 6:
            self.ink.symbol("circle", point, 6, color)

    def _legend(self, legend: Legend) -> None:
        foot, size = legend.foot, legend.size
        for row, count in zip(reversed(legend.rows), reversed(legend.lines), strict=True):
            y = foot - (count / 2 + 0.1) * LINE * size
            foot -= count * LINE * size
            for x, trace in row:
                self._sample(trace, legend.left + x, y)
                corner, color = (legend.left + x + 36, y), self.theme.text
                self.ink.words(trace["name"], corner, size, color, ("left", "middle"))

    def _sample(self, trace: Trace, x: float, y: float) -> None:
        color, line, marker = self._color(trace), trace.get("line", {}), trace.get("marker", {})
        seen = trace.get("opacity", 1)
        if trace["type"] == "bar":
            self.ink.box(x + 8, y - 6, x + 24, y + 6, fill=color, opacity=seen)
        elif "markers" in trace.get("mode", ""):
            common = {key: value for key, value in marker.items() if np.ndim(value) == 0}
            symbol, size = common.get("symbol", "circle"), common.get("size", 8)
            pale = seen * common.get("opacity", 1)
            self.ink.symbol(symbol, (x + 16, y), min(size, 16), color, opacity=pale)
        else:
            looks = (color, line.get("width", 2), line.get("dash"))
            self.ink.rule((x, y, x + 30, y), *looks, opacity=seen)


def _finite(x: Array, y: Array) -> tuple[Array, Array]:
    finite = np.isfinite(x) & np.isfinite(y)
    return x[finite], y[finite]


def _named(meta: Mapping[str, Any]) -> dict[str, str]:
    """Return what names a curve that the figure is not about, and says how it looks when meant."""
    if "key" not in meta:
        return {}
    own = f"--own:{meta['color']};--wide:{meta['width']}px"
    return {"data_curve": meta["key"]} | ({} if meta["color"] == UNSEEN else {"style": own})
