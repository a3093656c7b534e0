"""Colours, type and spacing of every figure, in a light and a dark version."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from dpviz.plot.focus import Labels
from dpviz.results.evidence import Chart, Curve, Subject

Range = tuple[float, float]

# The last of ours is the one that pictures are drawn with, on any machine.
_TEXT_FONT = (
    '"Source Sans", "Source Sans 3", "Source Sans Pro", "dpviz Sans", system-ui, sans-serif'
)


_BESIDE_NUMBERS = 4  # pixels
_CROWDED = 1.15  # times the usual size of words, where panels share the height of a projector


@dataclass(frozen=True)
class Theme:
    """What a figure needs to know about the page it is on.

    palette: ten colours for curves that belong to no subject, distinguishable with any of the
        common colour-vision deficiencies, at least 4.5:1 against `background`.
    compact: drawn for a narrow screen, without labels at the curve ends; the page writes the
        legend below the figure.
    share: of the usual height, for a panel among several.
    scale: of text and lines: more than 1 for a projector.
    room: the height to fill, in pixels; 0 for the usual one.
    held: the ranges of the x- and y-axis to hold on to while a control is moved, and of the y-axis
        of a second panel, in the units plotly draws in; see `dpviz.plot.steady`.
    left, right: pixels beside the plot at least, so that it does not go to and fro with the length
        of the words there while a control is moved.
    in_parts: whether figures of this view come coarse to fine. partial: whether a finer one is to
        come, with more of each curve. before: the charts that were shown before, which stand in for
        what is not known yet; see `dpviz.plot.partial_chart`.
    places: where the words in the plot of the figure before stand, by the names of their notes;
        they stay there unless they collide; see `dpviz.plot.labels`.
    unread: whether nobody reads values off the figure, as while a control is moved.
    aside: the colour of curves that a figure is not about, at least 3:1; labels: whether there may
        be such curves; see `dpviz.plot.focus`.
    """

    name: str
    background: str
    text: str
    muted: str
    grid: str
    aside: str
    palette: tuple[str, ...]
    font: str = _TEXT_FONT
    compact: bool = False
    share: float = 1.0
    scale: float = 1.0
    room: int = 0
    held: tuple[Range, ...] | None = field(default=None, compare=False)
    left: int = field(default=0, compare=False)
    in_parts: bool = field(default=False, compare=False)
    partial: bool = field(default=False, compare=False)
    before: tuple[Chart, ...] = field(default=(), compare=False)
    places: Mapping[str, int] = field(default_factory=dict, compare=False)
    right: int = field(default=0, compare=False)
    labels: Labels = ""
    unread: bool = field(default=False, compare=False)

    @property
    def subjects(self) -> Mapping[Subject, str]:
        """The colour of each subject; no attacker is beside a perturbed loss."""
        return _subjects(self.palette)

    def color(self, curve: Curve) -> str:
        """Return the colour of a curve: that of its subject, or its second shade."""
        color = self.subjects[curve.subject]
        return self.second(color) if curve.second else color

    def second(self, color: str) -> str:
        """Return the second shade of a colour."""
        parts = [[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in (color, self.text)]
        return "#" + "".join(f"{(a + b) // 2:02x}" for a, b in zip(*parts, strict=True))

    @property
    def crowded_place(self) -> bool:
        """Whether words have little room: on a phone, and where they are large."""
        return self.compact or self.scale > 1

    @property
    def font_size(self) -> int:
        """The size of all text, in pixels: readable from the last row."""
        return round(self.scale * self._usual_size)

    @property
    def _usual_size(self) -> int:
        return 14 if self.compact else 15

    def px(self, pixels: float) -> int:
        """Return so many pixels around words of the usual size as these words need."""
        return round(self.scale * pixels)

    @property
    def height(self) -> int:
        """The height of a figure, in pixels."""
        return round(self.share * (self.room or (330 if self.compact else 500)))

    @property
    def width(self) -> int:
        """The least width a figure is expected to have, in pixels; it stretches to its place."""
        return 350 if self.compact else 600

    def narrow(self) -> "Theme":
        """Return the same theme for a narrow screen."""
        return replace(self, compact=True)

    def projected(self, room: int) -> "Theme":
        """Return the same theme for a projector, in so many pixels of height."""
        return replace(self, scale=1.4, room=room)

    def crowded(self) -> "Theme":
        """Return the same theme for several panels: a projector has no room for larger words."""
        return replace(self, scale=min(self.scale, _CROWDED))

    def sized(self, size: int) -> "Theme":
        """Return the same theme with words of so many pixels."""
        return self if size == self.font_size else replace(self, scale=size / self._usual_size)

    def within(self, room: int) -> "Theme":
        """Return the same theme for a low window, which leaves so many pixels of height."""
        return replace(self, room=min(room, self.height))

    @property
    def below(self) -> "Theme":
        """The same theme for the second panel."""
        held = None if self.held is None or len(self.held) < 3 else (self.held[0], self.held[2])
        return replace(self, held=held)

    def holding(
        self,
        held: tuple[Range, ...] | None,
        left: int = 0,
        right: int = 0,
        *,
        in_parts: bool = False,
        partial: bool = False,
        before: tuple[Chart, ...] = (),
        places: Mapping[str, int] | None = None,
        unread: bool = False,
    ) -> "Theme":
        """Return the same theme for a figure whose control is being moved."""
        return replace(
            self,
            held=held,
            left=left,
            right=right,
            places=dict(places or {}),
            in_parts=in_parts or partial,
            partial=partial,
            before=before if partial else (),  # what is whole needs nothing to stand in
            unread=unread,
        )

    def template(self) -> dict[str, Any]:
        """Return the plotly template; figures set it themselves, Streamlit sets a global one."""
        return _template(self)


# The palette begins with the subjects, in this order.
_SUBJECT_ORDER = (
    Subject.BOUNDED,
    Subject.GAUSSIAN,
    Subject.USER_LEVEL,
    Subject.ITEM_LEVEL,
    Subject.EARLIER,
    Subject.LOWER_BOUND,
    Subject.DANGER,
    Subject.LAPLACE,
    Subject.PERTURBED,
    Subject.RESPONSE,
)

LIGHT = Theme(
    name="light",
    background="#fdfcfa",
    text="#23211e",
    muted="#6f6b66",
    grid="#e9e6e0",
    aside="#918d88",
    palette=(
        "#2761db",
        "#be5203",
        "#437f4d",
        "#565453",
        "#8859a7",
        "#23211e",
        "#ab0523",
        "#357c86",
        "#750159",
        "#404207",
    ),
)

DARK = Theme(
    name="dark",
    background="#171614",
    text="#ece9e4",
    muted="#9a958e",
    grid="#302d29",
    aside="#837e78",
    palette=(
        "#3e7dfb",
        "#fe8a01",
        "#77c783",
        "#85817d",
        "#a16dbb",
        "#ece9e4",
        "#f13f3c",
        "#82ddf9",
        "#f987c2",
        "#dbdf74",
    ),
)


@lru_cache(maxsize=8)
def _subjects(palette: tuple[str, ...]) -> Mapping[Subject, str]:
    colors = dict(zip(_SUBJECT_ORDER, palette, strict=False))
    return MappingProxyType(colors | {Subject.ATTACKER: colors[Subject.PERTURBED]})


@lru_cache(maxsize=64)  # links name thousands of heights
def _template(theme: Theme) -> dict[str, Any]:
    axis = {
        "gridcolor": theme.grid,
        "gridwidth": 1,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "tickfont": {"color": theme.muted, "size": theme.font_size - 1},
        "title": {"font": {"color": theme.text, "size": theme.font_size}, "standoff": 12},
        "fixedrange": theme.compact,
    }
    return {
        "layout": {
            "font": {"family": theme.font, "size": theme.font_size, "color": theme.text},
            "paper_bgcolor": theme.background,
            "plot_bgcolor": theme.background,
            "colorway": theme.palette,
            # Nearer, the first number would touch the lowest one at the y-axis.
            "xaxis": axis | {"ticklabelstandoff": theme.px(18) - 15},
            # Nearer, a point at the left end of the x-axis would touch a number.
            "yaxis": axis | {"ticklabelstandoff": _BESIDE_NUMBERS},
            "dragmode": False if theme.compact else "zoom",
            "hoverlabel": {
                "bgcolor": theme.background,
                "bordercolor": theme.grid,
                "font": {"family": theme.font, "size": theme.font_size - 1, "color": theme.text},
                "namelength": -1,
            },
            "legend": {
                "orientation": "h",
                "x": 0,
                "yref": "container",
                "y": 0,
                "yanchor": "bottom",
                "font": {"size": theme.font_size},
                "itemclick": False,
                "itemdoubleclick": False,
            },
        }
    }
