"""The four panels in which people are brushed and τ is dragged, in Vega-Lite, without a number."""

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
    colors = {role: theme.subjects[subject] for role, subject in _SUBJECTS.items()}
    colors["other"] = theme.muted
    upper, lower = heights(theme)
    panels = (
        _people_panel(alt, theme, colors),
        _rows_panel(alt, theme, colors, upper),
        _curves_panel(alt, theme, colors, lower),
        _chances_panel(alt, theme, colors, lower),
    )
    return people_panels.specification(alt, theme, panels, {"told": _TOLD})


_SUBJECTS = {
    "full": Subject.USER_LEVEL,
    "cut": Subject.DANGER,
    "best": Subject.USER_LEVEL,
    "rival": Subject.GAUSSIAN,
    "noise": Subject.EARLIER,
    "bias": Subject.DANGER,
}

_TOLD = "who[which] + '; τ = ' + words[place] + ' cuts off ' + cut[which][place]"


def _people_panel(alt: Any, theme: Theme, colors: dict[str, str]) -> Any:
    wide = theme.scale == 1 and not theme.compact
    label = "score of a person" + ": below 0 for the other candidate, above 0 for the best" * wide
    beyond = "datum.value > taus[place] || datum.value < -taus[place]"
    counted = f"({beyond}) ? (datum.value < 0 ? '−' : '') + words[place] : datum.said"
    asked = "which ? 'a click lets them go' : 'red: cut off at a dashed line; brush to see who'"

    def lines(scale: Any) -> list[Any]:
        return [
            alt.Chart(alt.Data(values=[{}]))
            .mark_rule(strokeDash=[6, 4], strokeWidth=2 * theme.scale, color=theme.text, clip=True)
            .encode(
                x=alt.XDatum(alt.ExprRef(f"{sign}taus[place]"), type="quantitative", scale=scale)
            )
            for sign in ("", "-")
        ]

    looks = DotLook(
        color=alt.condition(beyond, alt.value(colors["cut"]), alt.value(colors["full"])),
        hover=f"datum.who + '; score ' + datum.said + ', counts ' + ({counted})",
        axis={"title": label},
        title=("told", asked),
    )
    return people_panels.people_panel(alt, theme, looks, lines)


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
    return compared(
        alt, theme, base, "share", "all", color=alt.value(colors["best"]), height=height
    ).properties(
        name="rows",
        title=title(
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
    return compared(alt, theme, base, "chance", "whole", color=color, height=height).properties(
        name="chances",
        title=title(
            alt,
            "(which ? 'Answer without them' : 'Answer') + ', at τ = ' + words[place]",
            "which ? 'chance; line: with them' : 'chance of each candidate, best first'",
        ),
    )


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
        title=title(
            alt,
            "moved[place]",
            "'drag the line: every τ is as private as the other'",
        ),
    )
