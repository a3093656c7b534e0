"""The four panels in which people are brushed and τ is dragged, in Vega-Lite, without a number."""

from dataclasses import replace
from functools import cache
from typing import Any

from dpviz.plot.linked import SCHEMA, look, type_size
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject


def heights(theme: Theme) -> tuple[int, int]:
    """Return the heights of the upper and of the lower panels."""
    if theme.compact:
        return 170, 130
    if theme.room:
        half = round((theme.room - 11 * type_size(theme)) / 2)
        return half, half
    return round(0.55 * (theme.height - 130)), round(0.45 * (theme.height - 130))


def sizes(theme: Theme) -> dict[str, tuple[float, float]]:
    """Return what part of the figure's width the panels get, less what stands beside them.

    Their heights depend on no width.
    """
    upper, lower = heights(theme)
    left, right = (0.6, 70.0), (0.4, 120.0)
    if theme.compact:
        left = right = (1.0, 100.0)
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


def specification(theme: Theme) -> dict[str, Any]:
    """Return the four panels in Vega-Lite, without a number."""
    return _specification(replace(theme, room=0))


@cache
def _specification(theme: Theme) -> dict[str, Any]:
    """Return the panels in a theme whose room is none: else every window would have its own."""
    import altair

    alt: Any = altair
    colors = {role: theme.subjects[subject] for role, subject in _SUBJECTS.items()}
    colors["other"] = theme.muted
    # Until it is placed; each panel has sizes of its own only as long as not all have the same.
    panels = (
        _people_panel(alt, theme, colors, 200),
        _rows_panel(alt, theme, colors, 201),
        _curves_panel(alt, theme, colors, 202),
        _chances_panel(alt, theme, colors, 203),
    )
    placed = [panel.properties(width=300 + number) for number, panel in enumerate(panels)]
    spacing = 90 if theme.compact else {"row": 6 * type_size(theme) + 6, "column": 110}
    made = (
        alt.concat(*placed, columns=1 if theme.compact else 2, spacing=spacing, bounds="flush")
        .add_params(*(alt.param(name=name, expr=words) for name, words in _CHOSEN.items()))
        .resolve_scale(color="independent")
    )
    written: dict[str, Any] = made.to_dict(validate=False)
    written["$schema"] = SCHEMA
    written["config"] = look(theme)
    written["autosize"] = {"type": "pad", "resize": True}
    return written


_SUBJECTS = {
    "full": Subject.USER_LEVEL,
    "cut": Subject.DANGER,
    "best": Subject.USER_LEVEL,
    "rival": Subject.GAUSSIAN,
    "noise": Subject.EARLIER,
    "bias": Subject.DANGER,
}

# The brushed groups, and what is looked up by them.
_CHOSEN = {
    "first": "brush.x ? clamp(ceil((brush.x[0] - middle) / step), 0, count) : count",
    "last": "brush.x ? clamp(floor((brush.x[1] - middle) / step), -1, count - 1) : -1",
    "which": "first <= last ? number[first][last] : 0",
    "told": "who[which] + '; τ = ' + words[place] + ' cuts off ' + cut[which][place]",
}


def _people_panel(alt: Any, theme: Theme, colors: dict[str, str], height: int) -> Any:
    scale = alt.Scale(
        domainMin=alt.ExprRef("left"), domainMax=alt.ExprRef("right"), nice=False, zero=False
    )
    wide = theme.scale == 1 and not theme.compact
    label = "score of a person" + ": below 0 for the other candidate, above 0 for the best" * wide
    axis = alt.Axis(grid=False, title=label)
    x = alt.X("x:Q", scale=scale, axis=axis)
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domainMin=0, nice=False))
    beyond = "datum.score > taus[place] || datum.score < -taus[place]"
    counted = f"({beyond}) ? (datum.score < 0 ? '−' : '') + words[place] : datum.said"
    brush = alt.selection_interval(
        name="brush",
        encodings=["x"],
        mark=alt.BrushConfig(fill=theme.muted, fillOpacity=0.1, stroke=theme.muted),
    )
    dots = (
        alt.Chart(alt.NamedData(name="dots"), name="dots")
        .mark_circle(opacity=1, size=alt.ExprRef("size"))
        .transform_calculate(
            hover=f"datum.who + '; score ' + datum.said + ', counts ' + ({counted})"
        )
        .encode(
            x,
            y,
            color=alt.condition(beyond, alt.value(colors["cut"]), alt.value(colors["full"])),
            opacity=alt.condition(
                "!which || (datum.group >= first && datum.group <= last)",
                alt.value(1),
                alt.value(0.25),
            ),
            tooltip="hover:N",
        )
        .add_params(brush)
    )
    counts = (
        alt.Chart(alt.NamedData(name="columns"))
        .mark_text(dy=-8, color=theme.muted)
        .encode(x, y, text=alt.Text("people:Q", format=","))
    )
    lines = [
        alt.Chart(alt.Data(values=[{}]))
        .mark_rule(strokeDash=[6, 4], strokeWidth=2 * theme.scale, color=theme.text, clip=True)
        .encode(x=alt.XDatum(alt.ExprRef(f"{sign}taus[place]"), type="quantitative", scale=scale))
        for sign in ("", "-")
    ]
    asked = "which ? 'a click lets them go' : 'red: cut off at a dashed line; brush to see who'"
    title = _title(alt, "told", asked)
    return alt.layer(dots, counts, *lines, name="people", height=height, title=title)


def _title(alt: Any, first: str, second: str) -> Any:
    """Return a title of two lines, each an expression."""
    return alt.Title(alt.ExprRef(f"[{first}, {second}]"))


def _rows_panel(alt: Any, theme: Theme, colors: dict[str, str], height: int) -> Any:
    base = (
        alt.Chart(alt.NamedData(name="categories"))
        .transform_calculate(
            share="share[which][datum.index]",
            all="share[0][datum.index]",
            hover="datum.name + ': ' + format(datum.share, '.1%') + ' of these rows, '"
            " + format(datum.all, '.1%') + ' of all'",
        )
        .encode(y=alt.Y("name:N", sort=None, title=None))
    )
    return _compared(
        alt, theme, base, "share", "all", color=alt.value(colors["best"]), height=height
    ).properties(
        name="rows",
        title=_title(
            alt,
            "which ? 'What their rows say' : 'What the rows say'",
            "which ? 'line: all rows' : 'share of all rows'",
        ),
    )


def _chances_panel(alt: Any, theme: Theme, colors: dict[str, str], height: int) -> Any:
    base = (
        alt.Chart(alt.NamedData(name="candidates"))
        .transform_calculate(
            chance="law[which][place][datum.index]",
            whole="law[0][place][datum.index]",
            hover="datum.words + '; chance ' + format(datum.chance, '.2~%')",
        )
        .encode(y=alt.Y("name:N", sort=None, title=None))
    )
    color = alt.Color(
        "role:N",
        legend=None,
        scale=alt.Scale(
            domain=["best", "rival", "other"],
            range=[colors["best"], colors["rival"], colors["other"]],
        ),
    )
    return _compared(alt, theme, base, "chance", "whole", color=color, height=height).properties(
        name="chances",
        title=_title(
            alt,
            "(which ? 'Answer without them' : 'Answer') + ', at τ = ' + words[place]",
            "which ? 'chance; line: with them' : 'chance of each candidate, best first'",
        ),
    )


def _compared(
    alt: Any, theme: Theme, base: Any, now: str, whole: str, *, color: Any, height: int
) -> Any:
    """Return bars of what is chosen, and lines where everybody is."""
    axis = alt.Axis(format=".0%", title=None, tickCount=4)
    x = alt.X(f"{now}:Q", axis=axis, scale=alt.Scale(domain=[0, 1]))
    bars = base.mark_bar(height={"band": 0.72}).encode(x, color=color, tooltip="hover:N")
    lines = (
        base.transform_filter("which")
        .mark_tick(thickness=3 * theme.scale, color=theme.text, bandSize=14, height={"band": 0.9})
        .encode(alt.X(f"{whole}:Q"), tooltip="hover:N")
    )
    return alt.layer(bars, lines, height=height)


def _curves_panel(alt: Any, theme: Theme, colors: dict[str, str], height: int) -> Any:
    x = alt.X(
        "tau:Q",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(
            title="clipping threshold τ", values=alt.ExprRef("ticks"), grid=False, format="~g"
        ),
    )
    base = alt.Chart(alt.NamedData(name="stops"))
    layers = [
        base.mark_line(strokeWidth=2.5 * theme.scale, color=colors[key]).encode(
            x, alt.Y(f"{key}:Q", title=None)
        )
        for key in ("bias", "noise")
    ]
    chosen = base.transform_filter("datum.place === place")
    layers.append(chosen.mark_rule(strokeWidth=3 * theme.scale, color=theme.text).encode(x))
    for key in ("bias", "noise"):
        point = chosen.encode(x, alt.Y(f"{key}:Q"))
        layers.append(point.mark_point(filled=True, size=90, opacity=1, color=colors[key]))
        begin = base.transform_filter("datum.place === 0").encode(x, alt.Y(f"{key}:Q"))
        layers.append(begin.mark_text(align="left", dx=4, dy=-9, text=key, color=colors[key]))
    hold = (
        base.mark_rect(opacity=0, cursor="ew-resize")
        .encode(alt.X("start:Q", scale=alt.Scale(type="log", nice=False)), alt.X2("end:Q"))
        .properties(name="stops")
    )
    return alt.layer(
        *layers,
        hold,
        name="curves",
        height=height,
        title=_title(
            alt,
            "moved[place]",
            "'drag the line: every τ is as private as the other'",
        ),
    )
