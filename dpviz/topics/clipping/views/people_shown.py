"""People: each person a dot to be brushed, and what clipping at τ does to them."""

import math
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.plot import people_panels
from dpviz.plot.axes import Scale
from dpviz.plot.dots import Dots, first_of_all
from dpviz.plot.hand import NOBODY, Hand
from dpviz.plot.linked import Control, Linked
from dpviz.plot.people_figure import (
    CONTROL,
    DOTS,
    KINDS,
    OUTCOME,
    Panel,
    Places,
    across_dots,
    asked,
    brushed,
    curves,
    dots_panel,
    panelled,
    range_of,
    rows_in,
    shares,
)
from dpviz.plot.people_panels import (
    DotLook,
    compared,
    handle,
    heights,
    shares_panel,
    stops,
    title,
)
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance, hundredths, readable, readables
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, FloatArray, Subject
from dpviz.scene.view import Brushing, View
from dpviz.topics.clipping.data_shown import UPLOAD, idle_controls, largest_useful
from dpviz.topics.clipping.views.people import People, people

_ALIKE = 1.1  # how much more common a category may be where rows are called alike
_SHOWN = 8  # candidates of which the chance is shown
_FEW_CATEGORIES = 3  # of which a candidate's shares are its name
_DIGITS = 4  # of a chance
_ABOVE_CURVES = 1.25
_LET_GO = "a click lets them go"
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
    """Say what a score is, and what of this is private."""
    names = ", ".join(name[:24] for name in result.data.categories)
    best, rival = (result.task.names[place] for place in (result.best, result.rival))
    return [
        f"A dot is {_dot(result)}. A score compares two candidates on one person's rows, "
        f"{result.task.comparison}. Above 0 it speaks for the best one ({names}: {best}), below "
        f"0 for the other ({rival}). Scores beyond the dashed lines count only up to these "
        "lines.",
        f"Every chance is computed for all {result.taus.size} values of τ and all ranges of groups "
        "before any is shown. Every τ is ε-private, but a τ chosen by looking at these people is "
        "not.",
        "The answer is private. The people, their scores and the chances are not; you see them "
        "as if you held the data. Category names and bins count as public, though they are read "
        "from all rows.",
    ]


def _dot(result: People) -> str:
    per = _dots(result).per_dot
    return "a person" if per == 1 else f"one of about {per:,} people of its group"


def notes_to_brush(_: People) -> list[str]:
    """Say what brushing does."""
    return [
        "Brush people to see what their rows say, and what the answer would be without them: "
        "the same mechanism, at the same ε and τ, on the others' rows. One person more or less "
        "changes no chance by a factor of more than e^ε; a group may change it a lot.",
        "Keys: with the dots in focus, the arrows brush one group after the other. With Shift "
        "they brush more of them, and Escape lets them go. τ is the slider's; the table has "
        "a row for each person.",
    ]


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
        "who": [_who(result, number) for number in range(len(result.intervals) + 1)],
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


def _who(result: People, which: int) -> str:
    """Say how many people and rows everybody has, or the range of groups with this number."""
    people, rows = (
        int(first_of_all(part, result.groups)[which])
        for part in (result.people, result.rows.sum(axis=1))
    )
    if not which:
        return f"All {people:,} people, {rows:,} rows"
    return f"{people:,} of {result.users:,} people, {rows:,} rows"


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
            "'every τ is as private as the other'",
        ),
    )


# ---- the figure on a page ----------------------------------------------------------------------


def figure(result: People, theme: Theme, hand: Hand = NOBODY) -> Figure:
    """Draw the people as dots, what their rows say, what τ does, and every answer's chance."""
    theme, hand = theme.crowded(), hand.among(result.groups)
    which, here = range_of(result.groups, hand), result.here
    kinds = [name[:24] for name in result.data.categories]
    places = Places.of(theme, (OUTCOME, CONTROL), {KINDS: kinds})
    room = rows_in(places.heights[OUTCOME], theme) - 1  # one is for all others
    some = (_shown(result, most) for most in range(_SHOWN, -1, -1))
    shown = next((one for one in some if len(one) <= room), _shown(result, 0))
    names = [one["name"] for one in _candidates(result, shown)]
    places = Places.of(theme, (OUTCOME, CONTROL), {KINDS: kinds, OUTCOME: names})
    panels = {
        CONTROL: _moved_panel(result, theme, places),
        DOTS: _dots_panel(result, theme, places, hand),
        KINDS: _kinds_panel(result, theme, places, kinds, which),
        OUTCOME: _answers_panel(result, theme, places, shown, which),
    }
    level = float(result.noise[here])
    drag = {"key": "threshold", "x": result.threshold, "y": level, "line": True}
    return panelled(theme, places, panels, {"drag": drag, "brush": brushed(result.edges)})


def takeaway_of(result: People, hand: Hand) -> str:
    """Say whom a reader has chosen, and how many of them τ clips."""
    which = range_of(result.groups, hand.among(result.groups))
    if not which:
        return takeaway(result)
    count, cut = int(result.people[which - 1]), int(result.cut[which - 1, result.here])
    of_them = f"{cut:,} of them" if cut else "none of them"
    return (
        f"You chose {count:,} of {result.users:,} people; the threshold τ = "
        f"{readable(result.threshold)} clips {of_them}."
    )


def _dots_panel(result: People, theme: Theme, places: Places, hand: Hand) -> Panel:
    dots = _dots(result)
    seen = dots.seen
    beyond = result.beyond(result.taus[[result.here]])[:, 0]
    colors = {cut: theme.subjects[_SUBJECTS["cut" if cut else "full"]] for cut in (True, False)}
    numbers = (seen.tolist(), readables(result.scores[seen]), readables(result.clipped[seen]))
    said = [
        f"{_person(result, one)}; score {score}, counts {counted}"
        for one, score, counted in zip(*numbers, strict=True)
    ]
    which = range_of(result.groups, hand)
    cut = first_of_all(result.cut, result.groups)[which, result.here]
    red = asked(theme, "red: cut off at a dashed line", "brush to see who", brush=True)
    label = "Score of a person" + ": above 0 for the best candidate" * _is_wide(theme)
    scale = Scale(Axis("score", label, log=False), *result.edges[[0, -1]].tolist())
    return dots_panel(
        theme,
        places,
        dots,
        hand,
        title=(
            f"{_who(result, which)}; τ = {readable(result.threshold)} cuts off {cut:,}",
            _LET_GO if which else red,
        ),
        axis=across_dots(scale, places, theme),
        colors=[colors[bool(beyond[one])] for one in seen.tolist()],
        said=said,
        rules=[r for r in (-result.threshold, result.threshold) if scale.holds(r)],
    )


def _is_wide(theme: Theme) -> bool:
    return theme.scale == 1 and not theme.compact


def _kinds_panel(
    result: People, theme: Theme, places: Places, kinds: list[str], which: int
) -> Panel:
    rows = first_of_all(result.rows, result.groups)
    now, whole = (part / max(int(part.sum()), 1) for part in (rows[which], rows[0]))
    said = [
        f"{name}: {hundredths(float(one))}% of these rows, {hundredths(float(of))}% of all"
        if which
        else f"{name}: {hundredths(float(of))}% of all rows"
        for name, one, of in zip(kinds, now, whole, strict=True)
    ]
    color = theme.subjects[_SUBJECTS["best"]]
    title = ("What their rows say", "line: all rows")
    return shares(
        theme,
        title if which else ("What the rows say", "share of all rows"),
        [(name, color) for name in kinds],
        now.tolist(),
        whole.tolist() if which else None,
        said,
        places.heights[KINDS],
    )


def _moved_panel(result: People, theme: Theme, places: Places) -> Panel:
    across = Scale.of(Axis("threshold", "Clipping threshold, τ"), result.taus, 0.0)
    values = {"bias": result.bias, "noise": result.noise}
    up = Scale.of(Axis("", "", log=False), np.concatenate([[0.0], *values.values()]), 0.0)
    up = replace(up, high=_ABOVE_CURVES * up.high)  # "bias" stands at the beginning of its curve
    lines = [
        (result.taus, part, theme.subjects[_SUBJECTS[key]], f"{key} %{{y:.3~g}} at τ = %{{x:.3~g}}")
        for key, part in values.items()
    ]
    named = [
        {"x": math.log10(result.taus[0]), "y": float(part[0]), "text": key}
        | {"xanchor": "left", "yanchor": "bottom", "xshift": 4}
        | {"font": {"size": theme.font_size - 1, "color": theme.subjects[_SUBJECTS[key]]}}
        for key, part in values.items()
    ]
    private = asked(theme, "every τ is as private as the other", "drag the line")
    title = (_moved(result)[result.here], private)
    made = curves(theme, title, (across, up), lines, result.here, size=places.size(CONTROL))
    return replace(made, notes=named)


def _answers_panel(
    result: People, theme: Theme, places: Places, shown: list[int], which: int
) -> Panel:
    whole = _chances(result.laws[result.here], shown)
    now = _chances(result.without[which - 1][result.here], shown) if which else whole
    answers = _candidates(result, shown)
    colors = {role: theme.subjects[_SUBJECTS[role]] for role in ("best", "rival")}
    rows = [(one["name"], colors.get(one["role"], theme.muted)) for one in answers]
    said = [
        f"{one['words']}; chance {hundredths(float(now[place]), float(1 - now[place]))}%"
        for place, one in enumerate(answers)
    ]
    at = f", at τ = {readable(result.threshold)}"
    title = (f"Answer without them{at}", "line: with them")
    return shares(
        theme,
        title if which else (f"Answer{at}", "chances, best first"),
        rows,
        now.tolist(),
        whole.tolist() if which else None,
        said,
        places.heights[OUTCOME],
    )


def _chances(law: FloatArray, shown: list[int]) -> FloatArray:
    """Return the chances of those shown, and of all others together."""
    return np.append(law[shown], max(0.0, 1 - float(law[shown].sum())))


VIEW = View(
    key="people",
    title="People",
    compute=people,
    figure=figure,
    brushing=Brushing(figure, takeaway_of, notes_to_brush),
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
