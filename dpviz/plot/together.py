"""Figures that were drawn each alone, as one: in rows from above, and beside each other."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpviz.plot.spec import Figure
from dpviz.plot.theme import Theme

_AIR = 8  # pixels
_BESIDE = 0.05  # of the width, between panels beside each other at least


def first(rows: Sequence[Sequence[Any]]) -> Any:
    """Return the panel with the first axes, along which a hand drags, and which are held on to."""
    every = [*itertools.chain(*rows)]
    drags = (p for p in every if getattr(getattr(p, "handle", None), "kind", "") == "drag")
    return next(drags, every[0])


def together(
    rows: Sequence[Sequence[Any]],
    figures: Sequence[Sequence[Figure]],
    theme: Theme,
    columns: int,
) -> Figure:
    """Return figures that were drawn each alone as one, in rows from above.

    columns: how many panels each row has room for, 0 for those it has.
    """
    margins = [[figure.layout["margin"] for figure in row] for row in figures]
    # Those that stand beside each other elsewhere need not begin at one line.
    left = (min if columns == 1 else max)(row[0]["l"] for row in margins)
    right = max(m["r"] for row in margins for m in row)
    inner = float(theme.width - left - right)

    def gap(left: float) -> float:
        """Return what part of the width numbers and names need, so many pixels with air."""
        return float(max((left - _AIR) / inner, _BESIDE))

    lefts = [
        max(row[place]["l"] for row in margins if place < len(row))
        for place in range(max(map(len, margins)))
    ]
    tops = [max(m["t"] for m in row) for row in margins]
    last = len(rows) - 1
    unders = [max(p.under(theme, last=n == last) for p in row) for n, row in enumerate(rows)]
    # Charts that have no room for labels make room for a legend, of which there is one.
    legend = max(
        row[0]["b"] - panels[0].under(theme, last=number == last)
        for number, (panels, row) in enumerate(zip(rows, margins, strict=True))
    )
    shares = [row[0].share for row in rows]
    plots = [
        row[0].layout["height"] - margin[0]["t"] - margin[0]["b"] + legend * share / sum(shares)
        for row, margin, share in zip(figures, margins, shares, strict=True)
    ]
    high = sum(plots) + sum(unders[:-1]) + sum(tops[1:])
    whole, top = Figure(), 0.0
    meta: dict[str, Any] = {}
    dragged = first(rows)
    numbers = itertools.count(2)
    for panels, row, plot, above, under in zip(
        rows, figures, plots, [0, *tops[1:]], unders, strict=True
    ):
        top += above
        up = (max(1 - (top + plot) / high, 0.0), 1 - top / high)
        top += plot + under
        parts = spans(panels, columns or len(row), [gap(beside) for beside in lefts[1:]])
        gaps = [
            max(figure.layout["margin"]["l"], 0 if place else left)
            for place, figure in enumerate(row)
        ]
        for place, (panel, figure, (start, end)) in enumerate(
            zip(panels, row, parts, strict=False)
        ):
            near = {"ticklabelstandoff": theme.px(18) - 9}  # low: numbers keep off each other
            figure.layout["xaxis"] |= near
            # A hand drags along the first axes.
            number = "" if panel is dragged else str(next(numbers))
            begin = start if place else (gaps[0] - left) / inner
            if place + 1 < len(row):  # as far as the words beside the next one
                end += gap(lefts[place + 1]) - gap(gaps[place + 1])
            _add(whole, figure, number, (begin, end), up, gaps[place])
            merged = dict(figure.layout.get("meta", {}))
            meta = merged | meta
    layout = figures[0][0].layout
    layouts = [figure.layout for row in figures for figure in row]
    names = [trace.get("name") for trace in whole.data]
    for place, trace in enumerate(whole.data):  # one legend names the curves of all
        if trace.get("name") in names[:place] and trace.get("name"):
            trace["showlegend"] = False
    chosen: dict[str, Any] = {"meta": meta} if meta else {}
    chosen |= {"dragmode": False} if "drag" in meta else {}
    modes = {layout.get("barmode", "overlay") for layout in layouts}
    return whole.update_layout(
        template=theme.template(),
        height=high + tops[0] + unders[-1] + legend,
        margin={"l": left, "r": right, "t": tops[0], "b": unders[-1] + legend},
        hovermode=layout["hovermode"],
        barmode="stack" if "stack" in modes else "overlay",
        showlegend=any(layout["showlegend"] for layout in layouts),
        **chosen,
    )


def spans(row: Sequence[Any], count: int, gaps: Sequence[float] = ()) -> list[tuple[float, float]]:
    """Return from where to where panels beside each other are, in shares of the width.

    count: how many there is room for. gaps: between them.
    """
    gaps = [*gaps[: count - 1]] or [_BESIDE] * (count - 1)
    shares = np.array([*(panel.wide for panel in row), *[1.0] * (count - len(row))])
    wide = (1 - sum(gaps)) * shares / shares.sum()
    starts = np.cumsum([0.0, *(wide[:-1] + gaps)])
    ends = np.minimum(starts + wide, 1.0)  # of which the last is rounded
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


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
    upright = layout["yaxis"] | {"domain": up, "anchor": refs["x"]}
    upright |= {"scaleanchor": refs["x"]} if "scaleanchor" in upright else {}
    whole.layout[f"yaxis{number}"] = upright
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
