"""Lines, boxes, symbols and words of an SVG, in pixels."""

import math
import re
from collections.abc import Mapping, Sequence
from html import escape, unescape

import numpy as np
from numpy.typing import NDArray

from dpviz.plot.text import superscript

Array = NDArray[np.float64]

LINE = 1.3  # of the size of type, from line to line, as plotly has it
CHARACTER = 0.48  # of the size of type: the mean width
_ASCENT = 0.98  # of the size of type: from the top of a line to what its letters stand on
UNSEEN = "rgba(0,0,0,0)"
"""The colour of what is only read."""
DASHES = {
    "dash": "9 6",
    "dot": "2 4",
    "dashdot": "9 4 2 4",
    "longdash": "14 6",
    "longdashdot": "14 5 2 5",
}
ON_PAPER = {"dashdotdot": "9 4 2 4 2 4", "longshort": "14 4 5 4", "widedot": "2 9"}
"""Dashes that plotly.js does not know, for figures of more curves than there are others."""
_EVERY = DASHES | ON_PAPER
SYMBOLS = {"circle", "square", "circle-open", "square-open", "diamond"}
SYMBOLS |= {"x-thin", "x-thin-open", "line-ns", "line-ns-open"}
_TAG = re.compile(r"<[^>]*>")
_BREAK = re.compile(r"<br ?/?>")
_ESCAPED = re.compile("[&<>\"']")
_RAISED = re.compile(r"<sup>(.*?)</sup>")
_STYLES = {"b": {"font-weight": "600"}, "i": {"font-style": "italic"}, "sub": {"font-size": "70%"}}
_COLOR = re.compile(r"color: ?(#\w+)")
_RGBA = re.compile(r"rgba\(((?:[^,()]++,){2}[^,()]++),\s*+([\d.]++)\)")


class Svg:
    """A part of a picture on which one can draw; name: what the names of its parts begin with."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self._drawn: list[str | tuple[str, Svg, str]] = []

    @property
    def parts(self) -> list[str]:
        """What stands side by side on it, in order, as SVG."""
        return [
            part if isinstance(part, str) else f"{part[0]}{part[1].svg}{part[2]}"
            for part in self._drawn
        ]

    @property
    def svg(self) -> str:
        """All that is drawn on it, as SVG."""
        return "".join(self.parts)

    def group(self, **looks: object) -> "Svg":
        """Begin a part with looks of its own."""
        inner = Svg(self.name)
        self._drawn.append((f"<g{_attributes(looks)}>", inner, "</g>"))
        return inner

    def clipped(self, name: str, ends: Sequence[float], **looks: object) -> "Svg":
        """Begin a part of which nothing is seen outside a box."""
        box = Svg()
        box.box(*ends)
        self._drawn.append(f'<clipPath id="{self.name}{name}">{box.svg}</clipPath>')
        return self.group(clip_path=f"url(#{self.name}{name})", **looks)

    def rule(
        self,
        ends: Sequence[float],
        color: str,
        width: float = 1,
        dash: str | None = None,
        **looks: object,
    ) -> None:
        """Draw a straight line from (x, y) to (x, y)."""
        x1, y1, x2, y2 = map(_px, ends)
        looks |= {"stroke_dasharray": _EVERY.get(dash or "")}
        self._drawn.append(
            f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{_safe(color)}" '
            f'stroke-width="{width}"{_attributes(looks)}/>'
        )

    def box(self, x1: float, y1: float, x2: float, y2: float, **looks: object) -> None:
        """Fill a rectangle between two corners."""
        place = f'x="{_px(min(x1, x2))}" y="{_px(min(y1, y2))}"'
        sizes = f'width="{_px(abs(x2 - x1))}" height="{_px(abs(y2 - y1))}"'
        self._drawn.append(f"<rect {place} {sizes}{_attributes(looks)}/>")

    def line(self, x: Array, y: Array, color: str, width: float, dash: str | None) -> None:
        """Draw a line through points, with gaps where one is unknown."""
        looks = {
            "stroke": color,
            "stroke_width": width,
            "stroke_dasharray": _EVERY.get(dash or ""),
        }
        self._add("path", d=_path(x, y), fill="none", stroke_linejoin="round", **looks)

    def area(self, x: Array, y: Array, color: str) -> None:
        """Fill a polygon."""
        self._add("path", d=f"{_path(x, y)}Z", **_filled(color))

    def symbol(
        self, name: str, at: tuple[float, float], size: float, color: str, **looks: object
    ) -> None:
        """Draw the symbol that plotly knows by this name."""
        (x, y), half = at, size / 2
        stroke: dict[str, object] = {"stroke": color, "stroke_width": 1, **looks}
        if name.startswith("line-ns"):
            far = 1.4 * half
            self._add("path", d=f"M{_px(x)},{_px(y - far)}V{_px(y + far)}", **stroke)
        elif name.startswith("x-thin"):
            crossed = "".join(
                f"M{_px(x - half)},{_px(y - down)}L{_px(x + half)},{_px(y + down)}"
                for down in (half, -half)
            )
            self._add("path", d=crossed, **stroke)
        else:
            if name.endswith("-open"):
                inside = {"fill": "none", **stroke}
            else:
                inside = _filled(color) | looks
                if "stroke" not in looks and "fill_opacity" not in inside:
                    # the same to see; of an opaque thing made pale a PDF keeps a picture each
                    inside["fill_opacity"] = inside.pop("opacity", None)
            if name == "diamond":
                far = 1.3 * half  # plotly.js's, of as large an area as its circle
                ends = np.array([far, 0, -far, 0]), np.array([0, far, 0, -far])
                self._add("path", d=f"{_path(x + ends[0], y + ends[1])}Z", **inside)
            elif name.startswith("square"):
                self.box(x - half, y - half, x + half, y + half, **inside)
            else:
                place = f'cx="{_px(x)}" cy="{_px(y)}" r="{_px(half)}"'
                self._drawn.append(f"<circle {place}{_attributes(inside)}/>")

    def dots(self, points: Sequence[tuple[float, float]], size: float, color: str) -> None:
        """Draw full circles, all alike, as one: the round ends of lines that go nowhere."""
        if _RGBA.fullmatch(color) or len(points) == 1:
            for at in points:
                self.symbol("circle", at, size, color)
            return
        looks = {"stroke": color, "stroke_width": size, "stroke_linecap": "round", "class": "dots"}
        ways = [f"M{_px(x)},{_px(y)}h.01" for x, y in points]  # all of them known
        self._add("path", d="".join(ways), **looks)

    def words(
        self,
        text: str,
        at: tuple[float, float],
        size: float,
        color: str,
        anchor: tuple[str, str] = ("center", "middle"),
        back: str | None = None,
        **looks: object,
    ) -> None:
        """Write lines of text; `anchor` says which point of their box `at` is.

        back: the colour to put behind them.
        """
        lines = plain_lines(text)
        across, down = extent(lines, size)
        x, y = at
        top = y - down * {"top": 0.0, "middle": 0.5, "bottom": 1.0}[anchor[1]]
        left = x - across * {"left": 0.0, "center": 0.5, "right": 1.0}[anchor[0]]
        if back:
            self.box(left, top, left + across, top + down, **_filled(back))
        looks["text_anchor"] = {"left": "start", "center": "middle", "right": "end"}[anchor[0]]
        for number, runs in enumerate(_styled(text)):
            baseline = _px(top + size * (_ASCENT + LINE * number))
            looks_of_text = {"x": _px(x), "y": baseline, "fill": color, "font_size": size, **looks}
            if len(runs) == 1:
                looks_of_text |= runs[0][1]
                inner = escape(runs[0][0], quote=False)
            else:
                inner = "".join(
                    f"<tspan{_attributes(style)}>{escape(words, quote=False)}</tspan>"
                    for words, style in runs
                )
            self._drawn.append(f"<text{_attributes(looks_of_text)}>{inner}</text>")

    def _add(self, tag: str, **looks: object) -> None:
        self._drawn.append(f"<{tag}{_attributes(looks)}/>")


def _attributes(looks: Mapping[str, object]) -> str:
    """Return attributes as SVG has them, without those that are None."""
    attributes = ""
    for key, value in looks.items():
        if value is not None:
            text = _safe(value) if isinstance(value, str) else value
            attributes += f' {key.replace("_", "-")}="{text}"'
    return attributes


def _safe(text: str) -> str:
    """Return a text as an attribute has it; most are numbers, and need no look at each letter."""
    return escape(text) if _ESCAPED.search(text) else text


def plain_lines(text: str) -> list[str]:
    """Return the lines of a text of plotly's, in which superscripts are characters."""
    return ["".join(words for words, _ in runs) for runs in _styled(text)]


def _exponent(raised: re.Match[str]) -> str:
    """Return an exponent in letters of its own, or behind a caret: in brackets if it is long."""
    words = _TAG.sub("", raised[1])
    return superscript(f"^{words}" if len(words) == 1 else f"^({words})")


def _styled(text: str) -> list[list[tuple[str, dict[str, str]]]]:
    """Return the lines of a text of plotly's as runs of words, each with the looks of its tags."""
    if "<" not in text:
        return [[(unescape(text), {})]]
    raised = _RAISED.sub(_exponent, text)
    lines, open_tags = [], list[dict[str, str]]()
    for line in _BREAK.split(raised):
        runs: list[tuple[str, dict[str, str]]] = []
        for part in filter(None, re.split(f"({_TAG.pattern})", line)):
            if not _TAG.fullmatch(part):
                runs.append((unescape(part), {k: v for tag in open_tags for k, v in tag.items()}))
            elif part.startswith("</"):
                del open_tags[-1:]
            else:
                color = _COLOR.search(part)
                style = {"fill": color[1]} if color else _STYLES.get(part.strip("<>"), {})
                open_tags.append(style)
        lines.append(runs or [("", {})])
    return lines


def extent(lines: Sequence[str], size: float) -> tuple[float, float]:
    """Return about how wide and high some lines are."""
    return CHARACTER * size * max(map(len, lines), default=0), LINE * size * len(lines)


def stepped(x: Array, y: Array, shape: str) -> tuple[Array, Array]:
    """Return the corners of a line that changes its height at once.

    shape: at the next point ("hv"), or half-way to it ("hvh").
    """
    if shape == "hv":
        return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
    turns = (x[1:] + x[:-1]) / 2
    return np.concatenate([x[:1], np.repeat(turns, 2), x[-1:]]), np.repeat(y, 2)


def _filled(color: str) -> dict[str, object]:
    """Return a fill; not everything that reads SVG knows rgba."""
    if found := _RGBA.fullmatch(color):
        return {"fill": f"rgb({found[1]})", "fill_opacity": found[2]}
    return {"fill": color}


def _path(x: Array, y: Array) -> str:
    finite = np.isfinite(x) & np.isfinite(y)
    steps = "M%g,%g" + "L%g,%g" * (x.size - 1) if x.size else ""
    if not finite.all():
        begins = (finite & ~np.append(False, finite[:-1]))[finite]
        x, y = x[finite], y[finite]
        steps = "".join(["M%g,%g" if begin else "L%g,%g" for begin in begins.tolist()])
    flat = np.empty(2 * x.size)
    flat[::2], flat[1::2] = x, y
    # All with one format: a figure has thousands of points.
    return steps % tuple(np.minimum(np.maximum(flat.round(2), -1e5), 1e5).tolist())


def _px(value: float) -> str:
    """Return a number with two decimals at most, and six digits."""
    if -1e4 < value < 1e4:  # by far quicker than rounding it first, and the same
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return f"{round(value, 2):g}" if math.isfinite(value) else "0"
