"""People: each person a dot to be brushed, and what clipping at τ does to them."""

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.plot import people_panels
from dpviz.plot.axes import Scale
from dpviz.plot.dots import Dots, first_of_all
from dpviz.plot.linked import Control, Linked
from dpviz.plot.people_panels import (
    STILL_UPPER,
    DotLook,
    compared,
    handle,
    heights,
    shares_panel,
    still_group,
    still_layout,
    still_rule,
    stops,
    title,
)
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance, readable, readables
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, FloatArray, Subject
from dpviz.scene.view import View
from dpviz.topics.clipping.data_shown import UPLOAD, idle_controls, largest_useful
from dpviz.topics.clipping.views.people import People, people

_ALIKE = 1.1  # how much more common a category may be where rows are called alike
_SHOWN = 8  # candidates of which the chance is shown
_FEW_CATEGORIES = 3  # of which a candidate's shares are its name
_DIGITS = 4  # of a chance
_SUBJECTS = {
    "full": Subject.USER_LEVEL,
    "cut": Subject.DANGER,
    "best": Subject.USER_LEVEL,
    "rival": Subject.GAUSSIAN,
    "noise": Subject.EARLIER,
    "bias": Subject.DANGER,
}
_LOOKED_UP = {
    "choice_in_words": "who[which] + '; τ = ' + words[place] + ' cuts off ' + cut[which][place]"
}


def takeaway(result: People) -> str:
    """Say what kind of people the reader's τ cuts off."""
    beyond = result.beyond(result.taus)[:, result.here]
    count = int(beyond.sum())
    if not count:
        return "This threshold τ clips no one."
    if count == result.users:
        return "This threshold τ clips everyone."
    theirs, everybody = _law(result.counts[beyond]), _law(result.counts)
    kind = int((theirs - everybody).argmax())
    often = float(theirs[kind] / everybody[kind])
    cut = f"This threshold τ clips {'1 person' if count == 1 else f'{count:,} people'}"
    if often < _ALIKE:
        return f"{cut}, whose rows are much like those of all."
    return (
        f"{cut}; {result.data.name[:24]} “{result.data.categories[kind][:24]}” is "
        f"{readable(often, 2)} times as frequent in their rows as in all rows."
    )


def _law(counts: NDArray[np.int64]) -> FloatArray:
    return np.asarray(counts.sum(axis=0) / counts.sum())


def detail(result: People) -> str:
    """State the chances, bias and noise at the reader's τ."""
    law, free, task = result.laws[result.here], result.laws[-1], result.task
    likeliest = int(law.argmax())
    likely = chance(float(law[likeliest]), float(np.delete(law, likeliest).sum()))
    rank = int((task.errors < task.errors[likeliest] - 1e-12).sum()) + 1
    return (
        f"At τ = {readable(result.threshold)} the likeliest answer, with probability "
        f"{likely}, is number {rank} of {law.size} candidates by distance "
        f"from the truth; the expected error is {readable(float(law @ task.errors))}, without "
        f"clipping {readable(float(free @ task.errors))}. Clipping moves the mean score by "
        f"{readable(float(result.bias[result.here]))}; the noise is "
        f"{readable(float(result.noise[result.here]))} a person."
    )


def notes(result: People) -> list[str]:
    """Say what a score is, what brushing does, and what of this is private."""
    names = ", ".join(name[:24] for name in result.data.categories)
    best, rival = (result.task.names[place] for place in (result.best, result.rival))
    return [
        f"A dot is {_dot(result)}. A score compares two candidates on one person's rows, "
        f"{result.task.comparison}. Above 0 it speaks for the best one ({names}: {best}), below "
        f"0 for the other ({rival}). Scores beyond the dashed lines count only up to these "
        "lines.",
        "Brush people to see what their rows say, and what the answer would be without them: "
        "the same mechanism, at the same ε and τ, on the others' rows. One person more or less "
        "changes no chance by a factor of more than e^ε; a group may change it a lot.",
        "Keys: with the figure in focus, the arrows brush one group after the other. With Shift "
        "they brush more of them, and Escape lets them go. τ is the slider's; the table has "
        "a row for each person.",
        f"Every chance is computed for all {result.taus.size} values of τ and all ranges of groups "
        "before it is shown; moving τ in the figure only looks it up. Every τ is ε-private, but a "
        "τ chosen by looking at these people is not.",
        "The answer is private. The people, their scores and the chances are not; you see them "
        "as if you held the data. Category names and bins count as public, though they are read "
        "from all rows.",
    ]


def _dot(result: People) -> str:
    per = _dots(result).per_dot
    return "a person" if per == 1 else f"one of about {per:,} people of its group"


# ---- the figure to brush: what is looked up in it, and its four panels in Vega-Lite ------------


def linked(result: People, theme: Theme) -> Linked:
    """Return the figure in which people are brushed and τ is dragged."""
    shown = _shown(result, _SHOWN if theme.scale == 1 else _SHOWN // 2)
    dots = _dots(result)
    return dots.linked(
        _specification(people_panels.without_room(theme)),
        theme,
        result.intervals,
        said=[{"who": _person(result, one)} for one in dots.seen.tolist()],
        values=_values(result, shown),
        tables={
            "stops": stops("tau", result.taus, log=True, bias=result.bias, noise=result.noise),
            "candidates": _candidates(result, shown),
            "categories": [
                {"index": index, "name": name[:24]}
                for index, name in enumerate(result.data.categories)
            ],
        },
        controls=(Control("threshold", result.taus.tolist(), "place", "stops"),),
    )


def _dots(result: People) -> Dots:
    """Return the people as dots."""
    return Dots(result.scores, result.edges, result.group)


def _values(result: People, shown: list[int]) -> dict[str, Any]:
    chances = np.concatenate([result.laws[None], result.without])[:, :, shown]
    chances = np.concatenate([chances, 1 - chances.sum(axis=-1, keepdims=True)], axis=-1)
    rows = first_of_all(result.rows, result.groups)
    return {
        "place": result.here,
        "taus": result.taus.tolist(),
        "words": readables(result.taus),
        "moved": _moved(result),
        "law": people_panels.in_few_digits(chances, _DIGITS).tolist(),
        "share": (rows / np.maximum(rows.sum(axis=1, keepdims=True), 1)).round(_DIGITS).tolist(),
        "cut": first_of_all(result.cut, result.groups).tolist(),
        "who": _who(result),
        "ticks": _ticks(result),
    }


def _moved(result: People) -> list[str]:
    """Say for each τ how far clipping moves the mean score, and how large the noise on it is."""
    numbers = zip(*map(readables, (result.taus, result.bias, result.noise)), strict=True)
    return [f"τ = {tau}: bias {bias}, noise {noise} a person" for tau, bias, noise in numbers]


def _ticks(result: People) -> list[float]:
    """Return the thresholds that are written at their axis."""
    low, high = float(result.taus[0]), float(result.taus[-1])
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ones = (1,) if high > 1000 * low else (1, 2, 5)
    return [tick for power in powers for one in ones if low <= (tick := one * 10.0**power) <= high]


def _who(result: People) -> list[str]:
    """Say how many people and rows everybody and each range of groups has."""
    all_rows = result.rows.sum(axis=1)
    everybody = result.groups - 1
    parts = [f"All {result.users:,} people, {all_rows[everybody]:,} rows"]
    for count, rows in zip(result.people.tolist(), all_rows.tolist(), strict=True):
        parts.append(f"{count:,} of {result.users:,} people, {rows:,} rows")
    return parts


def _shown(result: People, most: int) -> list[int]:
    """Return whose chances are shown, the best first: of the likeliest and of the two compared."""
    likely = np.argsort(-result.laws.max(axis=0), kind="stable")[:most].tolist()
    chosen = {result.best, result.rival, *likely}
    order = np.argsort(result.task.errors, kind="stable").tolist()
    return [place for place in order if place in chosen]


def _candidates(result: People, shown: list[int]) -> list[dict[str, Any]]:
    rank = {
        place: number for number, place in enumerate(np.argsort(result.task.errors).tolist(), 1)
    }
    roles = {result.rival: "rival", result.best: "best"}
    few = len(result.data.categories) <= _FEW_CATEGORIES
    named = [
        {
            "index": index,
            "name": result.task.names[place] if few else f"number {rank[place]}",
            "role": roles.get(place, "other"),
            "words": f"{result.task.names[place]}: "
            f"{readable(float(result.task.errors[place]))} from the truth",
        }
        for index, place in enumerate(shown)
    ]
    rest = {"index": len(shown), "name": "all others", "role": "other", "words": "all others"}
    return [*named, rest]


def _person(result: People, one: int) -> str:
    held = [
        f"{count} × {name[:24]}"
        for name, count in zip(result.data.categories, result.counts[one].tolist(), strict=True)
        if count
    ]
    return f"person {result.numbers[one]}: {', '.join(held)}"


@lru_cache(maxsize=16)
def _specification(theme: Theme) -> dict[str, Any]:
    import altair

    alt: Any = altair
    colors = {role: theme.subjects[subject] for role, subject in _SUBJECTS.items()}
    colors["other"] = theme.muted
    upper, lower = heights(theme)
    panels = (
        _people_panel(alt, theme, colors),
        shares_panel(
            alt,
            theme,
            "categories",
            "share[{}][datum.index]",
            of="rows",
            color=alt.value(colors["best"]),
            height=upper,
            titles=(
                "which ? 'What their rows say' : 'What the rows say'",
                "which ? 'line: all rows' : 'share of all rows'",
            ),
        ),
        _curves_panel(alt, theme, colors, lower),
        _chances_panel(alt, theme, colors, lower),
    )
    return people_panels.specification(alt, theme, panels, _LOOKED_UP)


def _people_panel(alt: Any, theme: Theme, colors: dict[str, str]) -> Any:
    wide = theme.scale == 1 and not theme.compact
    label = "Score of a person" + ": below 0 for the other candidate, above 0 for the best" * wide
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
        title=("choice_in_words", asked),
    )
    return people_panels.people_panel(alt, theme, looks, lines)


def _chances_panel(alt: Any, theme: Theme, colors: dict[str, str], height: int) -> Any:
    base = (
        alt.Chart(alt.NamedData(name="candidates"))
        .transform_calculate(
            chance="law[which][place][datum.index]",
            whole="law[0][place][datum.index]",
            hover="datum.words + '; chance ' + (datum.chance < 0.0001 && datum.chance > 0"
            " ? 'less than 0.01%' : datum.chance > 0.9999 && datum.chance < 1"
            " ? 'more than 99.99%' : format(datum.chance, '.2~%'))",
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
            "which ? 'chance; line: with them' : 'chances, best first'",
        ),
    )


def _curves_panel(alt: Any, theme: Theme, colors: dict[str, str], height: int) -> Any:
    scale = alt.Scale(type="log", nice=False)
    x = alt.X(
        "tau:Q",
        scale=scale,
        axis=alt.Axis(
            title="Clipping threshold, τ", values=alt.ExprRef("ticks"), grid=False, format="~g"
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
    return alt.layer(
        *layers,
        handle(alt, base, "stops", scale),
        name="curves",
        height=height,
        title=title(
            alt,
            "moved[place]",
            "'drag the line: every τ is as private as the other'",
        ),
    )


# ---- the figure without a hand on it -----------------------------------------------------------


def figure(result: People, theme: Theme) -> Figure:
    """Draw the groups of people, cut off or not, and below them every candidate's chance."""
    drawn = Figure()
    _add_groups(drawn, result, theme)
    _add_chances(drawn, result, theme)
    ends = result.edges[[0, -1]].tolist()
    scores = Scale(Axis("score", "Score of a person", log=False), *ends)
    last = result.laws.shape[1] + 0.6
    places = Scale(Axis("rank", "Candidates, the best first", log=False), 0.4, last)
    rules = [
        still_rule(theme, end, STILL_UPPER)
        for end in (-result.threshold, result.threshold)
        if scores.holds(end)
    ]
    layout = still_layout(theme, (scores, "People"), (places, "Chance"), rules)
    return drawn.update_layout(**layout)


def _add_groups(figure: Figure, result: People, theme: Theme) -> None:
    beyond = result.beyond(result.taus)[:, result.here]
    for name, chosen, subject in (
        ("counts in full", ~beyond, Subject.USER_LEVEL),
        ("cut off at ±τ", beyond, Subject.DANGER),
    ):
        counts = np.bincount(result.group[chosen], minlength=result.groups)
        said = "score about %{x:.3~g}: %{y} people"
        still_group(figure, result.edges, counts, name, theme.subjects[subject], said)


def _add_chances(figure: Figure, result: People, theme: Theme) -> None:
    order = np.argsort(result.task.errors, kind="stable")
    for name, law, subject in (
        (f"at τ = {readable(result.threshold)}", result.laws[result.here], Subject.ITEM_LEVEL),
        ("without clipping", result.laws[-1], Subject.EARLIER),
    ):
        figure.add_scatter(
            x=np.arange(1, order.size + 1),
            y=law[order],
            mode="markers",
            cliponaxis=False,  # most chances are nearly 0
            marker={"color": theme.subjects[subject], "size": 9 * theme.scale},
            name=f"chance {name}",
            xaxis="x2",
            yaxis="y2",
            hovertemplate="candidate %{x}: %{y:.3~g}<extra></extra>",
        )


VIEW = View(
    key="people",
    title="People",
    compute=people,
    figure=figure,
    linked=linked,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(
        "data",
        "threshold",
        "epsilon",
        "rival",
        "examples_per_user",
        "bins",
        "candidates",
        "unequal",
        "seed",
    ),
    in_sight=("threshold", "data", "epsilon"),
    why="People whose own rows are all alike have the most extreme scores, so a tight τ cuts "
    "them first: not because they are wrong, but because they stand out. What they have in "
    "common then counts for less in the answer.",
    idle=idle_controls,
    most=largest_useful,
    defaults={"threshold": 4.0, "examples_per_user": 8},
    upload=UPLOAD,
)
