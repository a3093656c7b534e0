"""What a picture writes around a plot: where legends name traces, and the margins that words need.

A figure says what its margins are for the words that it usually has. On a projector words are
larger, and in a narrow window a legend has more rows: then the plot gives way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpviz.plot.coordinates import Paper, PixelAxis
from dpviz.plot.ink import LINE, extent, plain_lines
from dpviz.plot.spec import Figure, Trace, merged
from dpviz.plot.theme import Theme

ROOMY = 1.1
"""Times the width that is estimated: digits are wider than other characters."""
_BESIDE, _BELOW = 4, 1  # pixels from an axis to its numbers, besides what it says itself
_LINES_TO_TITLE = 1.9  # sizes of type from an axis to its title, over numbers as near as usual
_USUAL = 3  # pixels that an axis below a plot keeps its numbers away
_SAMPLE, _AFTER = 40, 16  # pixels before and behind the name of a trace
_MOST = 0.6  # of the height, which margins never exceed


def number_right(axis: PixelAxis) -> float:
    """Return where the numbers beside an upright axis end."""
    return axis.foot - _BESIDE - _apart(axis, _BESIDE)


def number_top(axis: PixelAxis) -> float:
    """Return where the numbers below a level axis begin."""
    return axis.foot + _BELOW + _apart(axis, _USUAL)


def title_top(axis: PixelAxis, theme: Theme, lowest: float) -> float:
    """Return where the title below a level axis begins, above what stands below it."""
    usual = axis.foot + _LINES_TO_TITLE * theme.font_size + _apart(axis, _USUAL) - _USUAL
    return min(usual, lowest - LINE * theme.font_size)


def laid_out(figure: Figure, theme: Theme, width: int) -> tuple[Theme, Mapping[str, Any]]:
    """Return the theme of a figure's words, and its layout with all that the theme adds.

    The margins hold the numbers and titles of its axes, and its legends.
    """
    if template := figure.layout.get("template"):  # of several panels, words are smaller
        theme = theme.sized(template["layout"]["font"]["size"])
    layout = merged(theme.template()["layout"], figure.layout)
    return theme, {**layout, "margin": _widened(layout, figure.data, theme, width)}


def _widened(
    layout: Mapping[str, Any], traces: Sequence[Trace], theme: Theme, width: int
) -> Mapping[str, float]:
    margin, height = layout["margin"], layout["height"]
    paper = Paper(layout, width)
    foot = height - margin["b"]
    below = max((_below(a, theme) for a in _shown(paper, "x") if abs(a.foot - foot) < 1), default=0)
    legend = Legend.of(layout, traces, paper, theme, width)
    needed = below + height - lowest(legend, height)
    bottom = min(max(margin["b"], needed), _MOST * height - margin["t"])
    left = max(
        (_beside(a, theme) for a in _shown(paper, "y") if abs(a.foot - margin["l"]) < 1), default=0
    )
    return {**margin, "l": max(margin["l"], left), "b": max(margin["b"], bottom)}


def lowest(legend: "Legend | None", height: float) -> float:
    """Return where what is written at axes ends: above a legend that stands below."""
    return legend.top if legend is not None and legend.is_below else height


def _shown(paper: Paper, letter: str) -> list[PixelAxis]:
    return [
        axis
        for key, axis in paper.axes.items()
        if key[0] == letter and axis.settings.get("visible", True)
    ]


def _apart(axis: PixelAxis, usual: float) -> float:
    return float(axis.settings.get("ticklabelstandoff", usual))


def _below(axis: PixelAxis, theme: Theme) -> float:
    """Return how many pixels the words below a level axis need at least."""
    size, needed = theme.font_size, 0.0
    if axis.settings.get("showticklabels", True):
        rows = max((len(plain_lines(text)) for _, text in axis.ticks), default=0)
        needed = number_top(axis) - axis.foot + rows * LINE * (size - 1)
    titled = axis.settings.get("title", {}).get("text")
    return needed + (LINE * size if titled else 0.0)


def _beside(axis: PixelAxis, theme: Theme) -> float:
    """Return how many pixels the numbers beside an upright axis need."""
    if not axis.settings.get("showticklabels", True):
        return 0.0
    widths = (extent(plain_lines(text), theme.font_size - 1)[0] for _, text in axis.ticks)
    return axis.foot - number_right(axis) + ROOMY * max(widths, default=0.0)


@dataclass(frozen=True)
class Legend:
    """The names of some traces, each in a line of its own or as many in one as have room.

    They stand below the figure, above a caption, or where the legend is on the paper. rows: the
    names in each, with their places; lines: how many each row has; left, foot: where it stands.
    """

    rows: Sequence[Sequence[tuple[float, Trace]]]
    lines: Sequence[int]
    left: float
    foot: float
    size: float
    is_below: bool

    @property
    def top(self) -> float:
        """Where it begins."""
        return self.foot - sum(self.lines) * LINE * self.size

    @classmethod
    def of(
        cls,
        layout: Mapping[str, Any],
        traces: Sequence[Trace],
        paper: Paper,
        theme: Theme,
        width: int,
    ) -> "Legend | None":
        """Return the legend of a figure, if it shows one."""
        named = [t for t in traces if t.get("name") and t.get("showlegend", True)]
        if not (layout.get("showlegend") and named):
            return None
        if _is_reversed(traces, layout):
            named.reverse()
        return cls._placed(layout.get("legend", {}), named, paper, theme.font_size, layout, width)

    @classmethod
    def _placed(
        cls,
        place: Mapping[str, Any],
        named: Sequence[Trace],
        paper: Paper,
        size: float,
        layout: Mapping[str, Any],
        width: int,
    ) -> "Legend":
        on_paper = place.get("yref") == "paper"
        left, foot, share = 16.0, layout["height"] * (1 - place.get("y", 0.0)), (0.0, 0.0)
        if on_paper:
            left, foot = (paper.at(place.get(k, 0.0), "paper", k) for k in "xy")
            share = (
                {"left": 0.0, "center": 0.5, "right": 1.0}[place.get("xanchor", "left")],
                {"bottom": 0.0, "middle": 0.5, "top": 1.0}[place.get("yanchor", "bottom")],
            )
        sides = ((width - left, 1 - share[0]), (left, share[0]))  # each holds a share of a row
        room = min(wide / part for wide, part in sides if part)
        rows: list[list[tuple[float, Trace]]] = [[]]
        at = widest = 0.0
        for trace in named:
            wide = _SAMPLE + ROOMY * extent(plain_lines(trace["name"]), size)[0] + _AFTER
            if rows[-1] and (place.get("orientation") == "v" or at + wide > room):
                rows.append([])
                at = 0.0
            rows[-1].append((at, trace))
            at += wide
            widest = max(widest, at)
        lines = [max(len(plain_lines(trace["name"])) for _, trace in row) for row in rows]
        foot += share[1] * sum(lines) * LINE * size
        return cls(rows, lines, left - share[0] * widest, foot, size, not on_paper)


def _is_reversed(traces: Sequence[Trace], layout: Mapping[str, Any]) -> bool:
    """Return whether plotly names what is stacked, or filled between curves, from above."""
    stacked = layout.get("barmode") == "stack"
    return any(
        (stacked and trace["type"] == "bar") or trace.get("fill") == "tonexty" for trace in traces
    )
