"""The four panels in which users are brushed, and R₁ and the noise are dragged, in Vega-Lite."""

from functools import lru_cache
from typing import Any

from dpviz.plot import people_panels
from dpviz.plot.people_panels import DotLook, compared, heights, title
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject


def specification(theme: Theme) -> dict[str, Any]:
    """Return the four panels in Vega-Lite, without a number."""
    return _specification(people_panels.without_room(theme))


@lru_cache(maxsize=16)
def _specification(theme: Theme) -> dict[str, Any]:
    import altair

    alt: Any = altair
    colors = {role: theme.subjects[subject] for role, subject in SUBJECTS.items()}
    upper, lower = heights(theme)
    panels = (
        _users_panel(alt, theme, colors),
        _parts_panel(alt, theme, colors, upper),
        _spread_panel(alt, theme, colors, lower),
        _chance_panel(alt, theme, colors, lower),
    )
    return people_panels.specification(alt, theme, panels, _TOLD)


SUBJECTS = {
    "first": Subject.DANGER,
    "tested": Subject.GAUSSIAN,
    "kept": Subject.USER_LEVEL,
}

_TOLD = {
    "allowed": "limits[place]",
    "found": "spreads[which][spot]",
    "chance": "answers[which][place]",
    "gone": "which ? 'without them ' : ''",
    "told": "who[which] + '; ' + (found === null ? 'too few would be left for the test'"
    " : gone + 'answered with probability ' + format(chance, '.3~r'))",
}


def _users_panel(alt: Any, theme: Theme, colors: dict[str, str]) -> Any:
    part = "datum.roles[spot]"
    color = (
        alt.when(f"{part} === '1'")
        .then(alt.value(colors["first"]))
        .when(f"{part} !== '0'")
        .then(alt.value(colors["tested"]))
        .otherwise(alt.value(colors["kept"]))
    )
    looks = DotLook(
        color=color,
        hover=f"datum.who + ', sum ' + datum.said + ': ' + parts[{part}]",
        axis={
            "title": "a user's sum",
            "values": alt.ExprRef("ticks"),
            "labelExpr": "datum.value > farthest ? 'more' : datum.value < nearest ? 'less'"
            " : datum.label",
        },
        title=(
            "who[which]",
            "which ? 'a click lets them go' : 'red: deleted first; brush to see who'",
        ),
    )
    return people_panels.people_panel(alt, theme, looks, lambda _: ())


def _parts_panel(alt: Any, theme: Theme, colors: dict[str, str], height: int) -> Any:
    base = (
        alt.Chart(alt.NamedData(name="kinds"))
        .transform_calculate(
            share="shares[which][spot][datum.index]",
            all="shares[0][spot][datum.index]",
            hover="datum.name + ': ' + format(datum.share, '.1%') + ' of these users, '"
            " + format(datum.all, '.1%') + ' of all'",
        )
        .encode(y=alt.Y("name:N", sort=None, title=None))
    )
    color = alt.Color(
        "kind:N",
        legend=None,
        scale=alt.Scale(domain=list(colors), range=list(colors.values())),
    )
    panel = compared(alt, theme, base, "share", "all", color=color, height=height)
    return panel.properties(
        name="rows",
        title=title(
            alt,
            "'What the test does at R₁ = ' + sizes[spot]",
            "which ? 'share of them; line: of all' : 'share of all users'",
        ),
    )


def _spread_panel(alt: Any, theme: Theme, colors: dict[str, str], height: int) -> Any:
    x = alt.X("size:Q", axis=alt.Axis(title="users deleted first, R₁", grid=False))
    base = alt.Chart(alt.NamedData(name="spots")).transform_calculate(
        now="spreads[which][datum.place]", whole="spreads[0][datum.place]"
    )
    y = alt.Y("now:Q", title=None, axis=alt.Axis(format="~s", tickCount=5))
    width = 2.5 * theme.scale
    limit = base.transform_calculate(limit="allowed").mark_line(
        strokeWidth=width, strokeDash=[6, 4], color=theme.text
    )
    chosen = base.transform_filter("datum.place === spot")
    hold = (
        base.mark_rect(opacity=0, cursor="ew-resize")
        .encode(alt.X("start:Q"), alt.X2("end:Q"))
        .properties(name="spots")
    )
    return alt.layer(
        base.transform_filter("which")
        .mark_line(strokeWidth=width, color=theme.muted, opacity=0.6)
        .encode(x, alt.Y("whole:Q")),
        limit.encode(x, alt.Y("limit:Q")),
        base.mark_line(strokeWidth=width, color=colors["kept"]).encode(x, y),
        chosen.mark_rule(strokeWidth=3 * theme.scale, color=theme.text).encode(x),
        chosen.mark_point(filled=True, size=90, opacity=1, color=colors["kept"]).encode(x, y),
        hold,
        name="curves",
        height=height,
        title=title(
            alt,
            "found === null ? 'too few would be left for the test' : 'spread '"
            " + format(found, ',.4~r') + (found > allowed ? ', more than ' : ', within ')"
            " + format(allowed, ',.4~r') + ' allowed'",
            "'dashed: allowed; ' + (which ? 'grey: with them' : 'drag R₁, which chance draws')",
        ),
    )


def _chance_panel(alt: Any, theme: Theme, colors: dict[str, str], height: int) -> Any:
    scale = alt.Scale(type="log", nice=False)
    axis = alt.Axis(title="noise, c", values=[0.1, 1, 10, 100], grid=False, format="~g")
    x = alt.X("factor:Q", scale=scale, axis=axis)
    base = alt.Chart(alt.NamedData(name="stops")).transform_calculate(
        now="answers[which][datum.place]", whole="answers[0][datum.place]"
    )
    y = alt.Y(
        "now:Q",
        title=None,
        axis=alt.Axis(format=".0%", tickCount=4),
        scale=alt.Scale(domain=[0, 1]),
    )
    width = 2.5 * theme.scale
    chosen = base.transform_filter("datum.place === place")
    hold = (
        base.mark_rect(opacity=0, cursor="ew-resize")
        .encode(alt.X("start:Q", scale=scale), alt.X2("end:Q"))
        .properties(name="stops")
    )
    return alt.layer(
        base.transform_filter("which")
        .mark_line(strokeWidth=width, color=theme.muted, opacity=0.6)
        .encode(x, alt.Y("whole:Q")),
        base.mark_line(strokeWidth=width, color=colors["kept"]).encode(x, y),
        chosen.mark_rule(strokeWidth=3 * theme.scale, color=theme.text).encode(x),
        chosen.mark_point(filled=True, size=90, opacity=1, color=colors["kept"]).encode(x, y),
        hold,
        name="chances",
        height=height,
        title=title(
            alt,
            "chance === null ? 'too few would be left for the test'"
            " : gone + 'answered: ' + format(chance, '.3~p')",
            "which ? 'grey: with them' : 'drag the noise'",
        ),
    )
