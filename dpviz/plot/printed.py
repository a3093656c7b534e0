"""A figure for a paper: as wide as a column, in a font of choice, without words around it.

It is drawn as on a narrow screen and made smaller, so that its words have the size of a caption's
on paper. Curves that colour alone tells apart on a screen get dashes of their own, for those who
print in black and white, and symbols are set in italics. One column has room for the curves that a
figure is about; whoever wants all of them says so.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any, Literal
from xml.etree import ElementTree as ET

from dpviz.plot import typefaces
from dpviz.plot.ink import LINE
from dpviz.plot.picture import svg
from dpviz.plot.spec import Figure, Trace
from dpviz.plot.text import LOWERED
from dpviz.plot.theme import LIGHT, Theme

ONE_COLUMN, TWO_COLUMNS = 3.3, 6.9  # inches
LEAST_INCHES, MOST_INCHES = 1.5, 20.0  # inches
_WIDE = 5.0  # inches: from here on there is room for words at the ends of curves
_ROOM = 1.3  # times what our font takes: room for the words of a wider one
_POINTS = 72  # per inch
_SAMPLE, _LETTER = 56, 0.53  # in a legend: pixels around words, and their width in sizes of type
_DISTINCT = (
    *("solid", "dash", "dot", "dashdot", "longdash"),
    *("longshort", "widedot", "dashdotdot", "longdashdot"),
)
_HEAVIER = 1.8  # times the width of another line: told apart by it
_SYMBOL = re.compile(r"(?<![\w&#;'’])([b-zB-HJ-Zα-ωϵ])(?![\w'’])")
_TAGS = re.compile(r"(<[^>]*>)")
_EXPONENT = re.compile(f"([{''.join(LOWERED)}]+)")
_SMALLER, _HIGHER = 0.7, 0.36  # an exponent: times the size of its line, and in sizes of it

PAPER = replace(
    LIGHT, background="#ffffff", text="#000000", muted="#3d3b39", grid="#dedede", aside="#8a8a8a"
)


Curves = Literal["few", "all"]


@dataclass(frozen=True)
class Sheet:
    """How a figure is printed: width in inches, points of its type, and a font, "" for ours.

    curves: "few", in one column those that a figure is about (`dpviz.plot.focus`), or "all".
    """

    width: float = ONE_COLUMN
    points: float = 8.0
    font: str = ""
    curves: Curves = "few"

    @property
    def theme(self) -> Theme:
        """The theme that figures are drawn with."""
        theme = PAPER if self.width >= _WIDE else PAPER.narrow()
        if theme.compact and self.curves == "few":
            theme = replace(theme, labels="only")
        return replace(theme, font=f'"{self.font}", {theme.font}') if self.font else theme

    @property
    def pixels(self) -> int:
        """How wide a figure is drawn, so that its type is as large as wanted once it is scaled."""
        return round(self.width * _POINTS / self.points * self.theme.font_size)


def printed(make: Callable[[Theme], Figure], sheet: Sheet) -> str:
    """Return a figure as SVG for a sheet: `make` draws it with a theme."""
    figure = make(sheet.theme)
    for part in ("updatemenus", "sliders"):
        figure.layout.pop(part, None)
    if sheet.font and not sheet.theme.compact:
        margin = figure.layout["margin"]
        figure.layout["margin"] = margin | {"r": round(_ROOM * margin["r"])}
    _dash(figure.data)
    named = [t for t in figure.data if t.get("name") and t.get("showlegend") is not False]
    if sheet.theme.compact and len(named) > 1:
        _add_legend(figure, named, sheet)
    _typeset(figure, sheet.theme.font_size)
    drawn = svg(figure, sheet.theme, sheet.pixels)
    return scaled(_in_two_fonts(drawn, sheet.font) if sheet.font else drawn, sheet)


def _in_two_fonts(drawn: str, font: str) -> str:
    """Return a picture whose lines are in our font where another one lacks a character of theirs.

    Exponents are set as plain digits where the font lacks raised ones.

    Else such a line is in whatever font of the machine has all it needs, bold and slanted maybe.
    """
    root = ET.fromstring(drawn)
    lines = [part for part in root.iter() if part.tag.endswith("}text")]

    def lacking() -> frozenset[str]:
        return typefaces.lacking(
            font, "".join(words for line in lines for words in line.itertext())
        )

    if lacking().intersection(LOWERED):  # often all but ² and ³: one axis would be in two fonts
        for line in lines:
            _set_exponents(line)
    without = lacking()
    for line in lines:
        if without.intersection("".join(line.itertext())):
            line.set("font-family", PAPER.font.replace('"', "'"))
    return ET.tostring(root, encoding="unicode")


def _set_exponents(line: ET.Element) -> None:
    """Set the raised letters in the parts of a line as smaller ones that stand higher."""
    kind = line.tag.replace("}text", "}tspan")
    size, up = f"{100 * _SMALLER:g}%", f"{-_HIGHER / _SMALLER:.3f}em"
    for part in list(line.iter()):
        if len(part) or not part.text:
            continue
        part.text, *more = _EXPONENT.split(part.text)
        for exponent, after in zip(more[::2], more[1::2], strict=True):
            raised = ET.SubElement(part, kind, {"font-size": size, "dy": up})
            raised.text = "".join(LOWERED[letter] for letter in exponent)
            if after:
                ET.SubElement(part, kind, {"dy": f"{_HIGHER}em"}).text = after


def scaled(drawn: str, sheet: Sheet) -> str:
    """Return an SVG, drawn as many pixels wide as the sheet says, as wide as it is to be."""
    root = ET.fromstring(drawn)
    wide, high = (float(root.attrib[side].removesuffix("px")) for side in ("width", "height"))
    root.attrib |= {
        "viewBox": root.attrib.get("viewBox", f"0 0 {wide:g} {high:g}"),
        "width": f"{sheet.width:g}in",
        "height": f"{sheet.width * high / wide:.4g}in",
    }
    ET.register_namespace("", "http://www.w3.org/2000/svg")
    ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    return ET.tostring(root, encoding="unicode")


def in_points(drawn: str) -> str:
    """Return what `scaled` made for vl-convert, which takes a pixel for a point."""
    root = ET.fromstring(drawn)
    for side in ("width", "height"):
        root.set(side, f"{float(root.attrib[side].removesuffix('in')) * _POINTS:.6g}")
    return ET.tostring(root, encoding="unicode")


def _add_legend(figure: Figure, named: list[Trace], sheet: Sheet) -> None:
    """Name the curves below a figure without words at their ends."""
    line, letter = LINE * sheet.theme.font_size, _LETTER * sheet.theme.font_size
    room, rows, high, at = sheet.pixels - 16, 0, 0, 0.0
    for trace in named:
        words = wrap(trace["name"], int((room - _SAMPLE) / letter), break_long_words=False)
        wide = _SAMPLE + letter * max(map(len, words))
        if not at or at + wide > room:
            rows, high, at = rows + high, 0, 0.0
        high, at = max(high, len(words)), at + wide
        trace["name"] = "<br>".join(words)
    rows += high
    drawn = ET.fromstring(svg(figure, sheet.theme, sheet.pixels))
    texts = [element for element in drawn.iter() if element.tag.endswith("}text")]
    lowest = max((float(text.attrib["y"]) for text in texts), default=0.0)
    more = math.ceil(lowest + line * (rows + 0.7) - figure.layout["height"])
    margin = figure.layout["margin"]
    figure.update_layout(
        showlegend=True,
        height=figure.layout["height"] + more,
        margin=margin | {"b": margin["b"] + more},
        legend={"y": 0, "yref": "container", "orientation": "h"},
    )


def _dash(traces: list[Trace]) -> None:
    """Give curves dashes of their own, so that they are told apart without colour.

    Two of one colour may share one, where one is clearly heavier. As long as there are dashes.
    """
    taken: list[tuple[str, str, float]] = []  # dash, colour, width

    def is_free(dash: str, color: str, width: float) -> bool:
        return all(
            dash != other or (color == its and max(width, wide) > _HEAVIER * min(width, wide))
            for other, its, wide in taken
        )

    for trace in traces:
        line = trace.get("line", {})
        color, width = line.get("color"), line.get("width", 2)
        if trace["type"] != "scatter" or "lines" not in trace.get("mode", "lines"):
            continue
        if not width or not isinstance(color, str) or not trace.get("name"):
            continue
        own = line.get("dash", "solid")
        dash = next((d for d in (own, *_DISTINCT) if is_free(d, color, width)), own)
        trace["line"] = line | {"dash": dash}
        taken.append((dash, color, width))


def _typeset(figure: Figure, size: int) -> None:
    """Set symbols in italics, in the titles of axes, in notes and in the names of curves.

    size: of all words at most; those of a sentence are larger where it stands above the figure.
    """
    for key, axis in figure.layout.items():
        if re.fullmatch(r"[xy]axis\d*", key) and (title := axis.get("title", {}).get("text")):
            figure.layout[key] = axis | {"title": axis["title"] | {"text": italic(title)}}
    notes = figure.layout.get("annotations", ())
    figure.layout["annotations"] = [
        note | {"text": italic(note["text"]), "font": _at_most(size, note.get("font", {}))}
        for note in notes
    ]
    for trace in figure.data:
        if trace.get("name"):
            trace["name"] = italic(trace["name"])


def _at_most(size: int, font: dict[str, Any]) -> dict[str, Any]:
    return font | {"size": min(size, font["size"])} if "size" in font else font


def italic(text: str) -> str:
    """Return a text of plotly's with single letters in italics, those that are symbols."""
    parts = _TAGS.split(text)
    return "".join(
        part if _TAGS.fullmatch(part) else _SYMBOL.sub(r"<i>\1</i>", part) for part in parts
    )
