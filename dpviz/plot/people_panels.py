"""Four panels in which people are brushed and a control is dragged, in Vega-Lite.

Dots to brush, and beside them what kind of people they are; below, what a control does, and what
comes out. No numbers are in here: they are looked up in the params and tables of a `Linked`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpviz.plot.linked import SCHEMA, Brush, look, type_size
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray

_STACKED = (0, 3, 1, 2)
"""On a phone, the order of the panels: first people and chances, which the sentence is about."""

CHOSEN: Mapping[str, str] = {
    "first": "brush.x ? clamp(ceil((brush.x[0] - middle) / step), 0, count) : count",
    "last": "brush.x ? clamp(floor((brush.x[1] - middle) / step), -1, count - 1) : -1",
    "which": "first <= last ? number[first][last] : 0",
}
"""The brushed groups, and what is looked up by them: the number of their range, 0 for everybody."""

_ROUNDING = 1e-14  # of a chance


def heights(theme: Theme) -> tuple[int, int]:
    """Return the heights of the upper and of the lower panels."""
    if theme.compact:
        return 162, 122
    if theme.room:
        half = round((theme.room - 4 - 11.6 * type_size(theme)) / 2)
        return half, half
    return round(0.55 * (theme.height - 130)), round(0.45 * (theme.height - 130))


def in_few_digits(chances: FloatArray, digits: int) -> FloatArray:
    """Return chances rounded; one that is neither impossible nor certain stays so.

    What such a chance is said to be must not be 0 or 1: next to either it is half a digit away.
    """
    near = 10.0 ** -(digits + 1)
    possible = (chances > _ROUNDING) & (chances < 1 - _ROUNDING)
    rounded = np.clip(chances.round(digits), near, 1 - near)
    return np.where(possible, rounded, np.clip(chances, 0, 1).round())


def sizes(theme: Theme) -> dict[str, tuple[float, float]]:
    """Return what part of the figure's width the panels get, less what stands beside them.

    Their heights depend on no width.
    """
    upper, lower = heights(theme)
    left, right = (0.6, 70.0), (0.4, 120.0)
    if theme.compact:
        left = right = (1.0, 124.0)
    return {
        "people_width": left,
        "curves_width": left,
        "rows_width": right,
        "chances_width": right,
        "people_height": (0.0, -upper),
        "rows_height": (0.0, -upper),
        "curves_height": (0.0, -lower),
        "chances_height": (0.0, -lower),
    }


def specification(
    alt: Any, theme: Theme, panels: Sequence[Any], looked_up: Mapping[str, str]
) -> dict[str, Any]:
    """Return the four panels beside and below each other, without a number.

    looked_up: more params, expressions that may name those of `CHOSEN`.
    """
    # Until it is placed; each panel has sizes of its own only as long as not all have the same.
    placed = [panel.properties(width=300 + number) for number, panel in enumerate(panels)]
    if theme.compact:
        placed = [placed[number] for number in _STACKED]
    spacing = 82 if theme.compact else {"row": 6 * type_size(theme) + 6, "column": 110}
    chosen = {**CHOSEN, **looked_up}
    made = (
        alt.concat(*placed, columns=1 if theme.compact else 2, spacing=spacing, bounds="flush")
        .add_params(*(alt.param(name=name, expr=words) for name, words in chosen.items()))
        .resolve_scale(color="independent")
    )
    written: dict[str, Any] = made.to_dict(validate=False)
    written["$schema"] = SCHEMA
    written["config"] = look(theme)
    written["autosize"] = {"type": "pad", "resize": True}
    return written


def without_room(theme: Theme) -> Theme:
    """Return a theme without a room: else every window would have its own specification."""
    return replace(theme, room=0)


def brush(middles: FloatArray) -> Brush:
    """Return the brush on the dots of groups in these places."""
    return Brush("brush", "dots_0", "x", middles.tolist())


@dataclass(frozen=True)
class DotLook:
    """How the dots look and what they say, in expressions.

    colors: the colour of the dots, and after each condition another. hover: what a dot says. axis:
    Vega-Lite's settings of the axis. title: two lines, each an expression.
    """

    color: Any
    hover: str
    axis: Mapping[str, Any]
    title: tuple[str, str]


def people_panel(
    alt: Any, theme: Theme, looks: DotLook, rules: Callable[[Any], Sequence[Any]]
) -> Any:
    """Return the dots, their groups' numbers, and what `rules` draws on their x-scale."""
    scale = alt.Scale(
        domainMin=alt.ExprRef("left"), domainMax=alt.ExprRef("right"), nice=False, zero=False
    )
    x = alt.X("x:Q", scale=scale, axis=alt.Axis(grid=False, **looks.axis))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domainMin=0, nice=False))
    chosen = alt.selection_interval(
        name="brush",
        encodings=["x"],
        mark=alt.BrushConfig(fill=theme.muted, fillOpacity=0.1, stroke=theme.muted),
    )
    dots = (
        alt.Chart(alt.NamedData(name="dots"), name="dots")
        .mark_circle(opacity=1, size=alt.ExprRef("size"))
        .transform_calculate(hover=looks.hover)
        .encode(
            x,
            y,
            color=looks.color,
            opacity=alt.condition(
                "!which || (datum.group >= first && datum.group <= last)",
                alt.value(1),
                alt.value(0.25),
            ),
            tooltip="hover:N",
        )
        .add_params(chosen)
    )
    number = alt.Chart(alt.NamedData(name="columns")).encode(
        x, y, text=alt.Text("people:Q", format=",")
    )
    # A rule may stand where a number is: it is kept off it.
    halo = number.mark_text(dy=-8, stroke=theme.background, strokeWidth=5 * theme.scale)
    counts = number.mark_text(dy=-8, color=theme.muted)
    height = heights(theme)[0]
    return alt.layer(
        *(dots, *rules(scale), halo, counts),
        name="people",
        height=height,
        title=title(alt, *looks.title),
    )


def title(alt: Any, first: str, second: str) -> Any:
    """Return a title of two lines, each an expression."""
    return alt.Title(alt.ExprRef(f"[{first}, {second}]"))


def compared(
    alt: Any, theme: Theme, base: Any, now: str, whole: str, *, color: Any, height: int
) -> Any:
    """Return bars of what is chosen, and lines where everybody is."""
    axis = alt.Axis(format=".0%", title=None, values=[0, 0.5, 1])
    x = alt.X(f"{now}:Q", axis=axis, scale=alt.Scale(domain=[0, 1]))
    bars = base.mark_bar(height={"band": 0.72}).encode(x, color=color, tooltip="hover:N")
    lines = (
        base.transform_filter("which")
        .mark_tick(thickness=3 * theme.scale, color=theme.text, bandSize=14, height={"band": 0.9})
        .encode(alt.X(f"{whole}:Q"), tooltip="hover:N")
    )
    return alt.layer(bars, lines, height=height)


def shares_panel(
    alt: Any,
    theme: Theme,
    table: str,
    share: str,
    *,
    of: str,
    color: Any,
    height: int,
    titles: tuple[str, str],
) -> Any:
    """Return bars of what those brushed consist of, beside everybody.

    table: of the kinds. share: what is looked up for each of them, with {} for the number of the
    brushed range. of: what is counted. titles: two lines, each an expression.
    """
    base = (
        alt.Chart(alt.NamedData(name=table))
        .transform_calculate(
            share=share.format("which"),
            all=share.format("0"),
            hover=f"datum.name + ': ' + format(datum.share, '.1%') + ' of these {of}, '"
            " + format(datum.all, '.1%') + ' of all'",
        )
        .encode(y=alt.Y("name:N", sort=None, title=None))
    )
    panel = compared(alt, theme, base, "share", "all", color=color, height=height)
    return panel.properties(name="rows", title=title(alt, *titles))


def stops(
    name: str, values: FloatArray, *, log: bool, **more: FloatArray
) -> list[dict[str, float | int]]:
    """Return a row for each value of a control, with the part of its axis that belongs to it.

    name: of the values, in a row; more: what else a row holds.
    """
    between = np.sqrt(values[1:] * values[:-1]) if log else (values[1:] + values[:-1]) / 2
    columns = {
        name: values,
        "start": np.append(values[0], between),
        "end": np.append(between, values[-1]),
        **more,
    }
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [
        {"place": place} | dict(zip(columns, row, strict=True)) for place, row in enumerate(rows)
    ]


def handle(alt: Any, base: Any, table: str, scale: Any) -> Any:
    """Return what a hand drags along an axis: the parts of its `stops`, which are not seen."""
    return (
        base.mark_rect(opacity=0, cursor="ew-resize")
        .encode(alt.X("start:Q", scale=scale), alt.X2("end:Q"))
        .properties(name=table)
    )
