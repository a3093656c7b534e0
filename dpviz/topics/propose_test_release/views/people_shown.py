"""People: each user a dot to be brushed, and how likely an answer is without those brushed."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

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
    asked,
    brushed,
    curves,
    dots_panel,
    panelled,
    range_of,
    shares,
)
from dpviz.plot.people_panels import (
    DotLook,
    handle,
    heights,
    shares_panel,
    stops,
    title,
)
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance, hundredths, readable, readables
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis
from dpviz.scene.view import Brushing, View
from dpviz.topics.propose_test_release.data_shown import (
    SETTING,
    idle_controls,
    most_outliers,
)
from dpviz.topics.propose_test_release.delstab_shown import users_in_words
from dpviz.topics.propose_test_release.roles import Role
from dpviz.topics.propose_test_release.user_groups_shown import (
    PARTS,
    SUBJECTS,
    at_ticks,
    middles_inside,
    ticks,
)
from dpviz.topics.propose_test_release.users_needed_shown import or_users_needed
from dpviz.topics.propose_test_release.views.people import People, people

_SURE = 0.9995  # from here on a chance is called certainty
_ALWAYS, _NEVER = "practical certainty", "practically no chance"
_MOVED = 0.005  # of a chance, from which a group is named
_DIGITS = 4  # of a chance
_ABOVE_CURVES = 1.12  # off the words above
_TOO_FEW = "too few would be left for the test"
_LOOKED_UP = {
    "allowed": "limits[place]",
    "spread": "spreads[which][spot]",
    "chance": "answers[which][place]",
    "gone": "which ? 'without them ' : ''",
    "often": "chance < 0.0001 && chance > 0 ? 'less than 0.0001'"
    " : chance > 0.9999 && chance < 1 ? 'more than 0.9999'"
    " : format(chance, chance > 0.999 ? '.4~f' : '.3~r')",
    "choice_in_words": "who[which] + '; ' + (spread === null ? 'too few would be left for the test'"
    " : gone + 'answered with probability ' + often)",
}


def takeaway(result: People) -> str:
    """Say how likely an answer is, and with which group gone the chance moves most."""
    likely = f"The test answers with {_chance(result.chance)}"
    moved = _most_moving(result)
    if moved is None:
        return f"{likely}, whichever group of users is left out."
    which, without = moved
    if {_chance(result.chance), _chance(without)}.isdisjoint({_ALWAYS, _NEVER}):
        often = "more" if without > result.chance else "less"
        return f"Without the {which} the test answers {often} often, with {_chance(without)}."
    return f"{likely}; without the {which}, with {_chance(without)}."


def _chance(answer: float) -> str:
    if answer >= _SURE:
        return _ALWAYS
    sure = f"probability {chance(answer, digits=2)}"
    return sure if answer > 1 - _SURE else _NEVER


def _most_moving(result: People) -> tuple[str, float] | None:
    """Return the group whose absence moves the chance most, and the chance without it."""
    first, last = np.triu_indices(result.groups)
    alone = first == last
    chances = result.answers[1:, result.here][alone]
    held = result.people[alone]
    moves = np.where((held > 0) & np.isfinite(chances), np.abs(chances - result.chance), 0.0)
    group = int(moves.argmax())
    if moves[group] < _MOVED:
        return None
    low, high = result.edges[group], result.edges[group + 1]
    middles = _dots(result).middles
    sums = result.release.sums
    users = users_in_words(int(held[group]))
    if group == middles.size - 1 and sums.max() >= high:
        return f"{users} above {readable(low)}", float(chances[group])
    if group == 0 and sums.min() < low:
        return f"{users} below {readable(high)}", float(chances[group])
    return f"{users} around {readable(middles[group])}", float(chances[group])


def detail(result: People) -> str:
    """State the chance, the test at the likeliest R₁, and the noise."""
    usual, limit = result.usual, float(result.limits[result.here])
    size, spread = int(result.sizes[usual]), float(result.spreads[0, usual])
    return (
        f"At noise c = {readable(float(result.factors[result.here]))} the answer comes with "
        f"probability {chance(result.chance, digits=4)}. The likeliest R₁ is κ = {size:,}. With "
        f"the {users_in_words(size)} gone whose deletion leaves the least spread, it is "
        f"{readable(spread, 4)}, {'within' if spread <= limit else 'more than'} the "
        f"{readable(limit, 4)} allowed."
    )


def notes(result: People) -> list[str]:
    """Say what the figure shows, and what of this is private."""
    per = _dots(result).per_dot
    dot = "a user" if per == 1 else f"one of about {per:,} users of its group"
    return [
        f"A dot is {dot}; the outer groups hold everybody farther out. Red are the R₁ users "
        "whose deletion leaves the least spread. Among the others the test compares deleting "
        "the largest with deleting the smallest (orange); the spread is the difference between "
        "the two sums left.",
        "If every set of R₁ users is stable, the algorithm draws one at random; the picture "
        "shows the best.",
        f"Every chance is computed for {result.factors.size} levels of noise and all ranges of "
        "groups before it is shown. Noise chosen by looking at these users is not private.",
        "R₁, the spread, the chance of an answer and who is dropped are not protected: you see "
        "them as if you held the data. Only the answer is released.",
    ]


def notes_to_brush(_: People) -> list[str]:
    """Say what brushing does."""
    return [
        "Brush users to see what the test does with them, and how likely it would answer "
        "without them: the same test with the same noise, on the others. One user more or less "
        "hardly changes this chance, which is what makes the test private; a group may change "
        "it a lot.",
        "Keys: with the dots in focus, the arrows brush one group after the other, with Shift "
        "more of them, and Escape lets them go. The noise is the slider's; the table below the "
        "figure has a row for each user.",
    ]


# ---- the figure to brush: what is looked up in it, and its four panels in Vega-Lite ------------


def linked(result: People, theme: Theme) -> Linked:
    """Return the figure in which users are brushed."""
    dots = _dots(result)
    return dots.linked(
        _specification(people_panels.without_room(theme)),
        theme,
        np.stack(np.triu_indices(result.groups), axis=1),
        said=[
            {"who": f"user {one + 1}", "roles": "".join(map(str, result.roles[one].tolist()))}
            for one in dots.seen.tolist()
        ],
        values=_values(result),
        tables={
            "kinds": [
                {"index": int(role), "name": name, "kind": kind}
                for role, (name, kind) in PARTS.items()
            ],
            "spots": stops("size", result.sizes.astype(float), log=False),
            "stops": stops("factor", result.factors, log=True),
        },
        controls=(
            Control("", result.sizes.tolist(), "spot", "spots"),
            Control("noise_factor", result.factors.tolist(), "place", "stops"),
        ),
    )


def _dots(result: People) -> Dots:
    """Return the users as dots."""
    return Dots(result.release.sums, result.edges, result.group)


def _values(result: People) -> dict[str, Any]:
    parts = first_of_all(result.parts, result.groups).astype(float)
    totals = np.maximum(parts.sum(axis=-1, keepdims=True), 1)
    people = first_of_all(result.people, result.groups).tolist()
    inner = middles_inside(_dots(result))
    return {
        "place": result.here,
        "spot": result.usual,
        "sizes": result.sizes.tolist(),
        "limits": result.limits.tolist(),
        "spreads": result.spreads.tolist(),
        "answers": people_panels.in_few_digits(result.answers, _DIGITS).tolist(),
        "shares": (parts / totals).round(_DIGITS).tolist(),
        "parts": [PARTS[role][0] for role in Role],
        "who": [f"All {result.users:,} users"]
        + [f"{count:,} of {result.users:,} users" for count in people[1:]],
        "ticks": ticks(_dots(result)),
        "nearest": float(inner[0]),
        "farthest": float(inner[-1]),
    }


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
    return people_panels.specification(alt, theme, panels, _LOOKED_UP)


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
            "title": "A user's sum",
            "values": alt.ExprRef("ticks"),
            "labelExpr": "datum.value > farthest ? 'more' : datum.value < nearest ? 'less'"
            " : datum.label",
        },
        title=(
            "who[which]",
            "which ? 'a click lets them go' : 'red: dropped first; brush to see who'",
        ),
    )
    return people_panels.people_panel(alt, theme, looks, lambda _: ())


def _parts_panel(alt: Any, theme: Theme, colors: dict[str, str], height: int) -> Any:
    scale = alt.Scale(domain=list(colors), range=list(colors.values()))
    return shares_panel(
        alt,
        theme,
        "kinds",
        "shares[{}][spot][datum.index]",
        of="users",
        color=alt.Color("kind:N", legend=None, scale=scale),
        height=height,
        titles=(
            "'What the test does at R₁ = ' + sizes[spot]",
            "which ? 'share of them; line: of all' : 'share of all users'",
        ),
    )


def _spread_panel(alt: Any, theme: Theme, colors: dict[str, str], height: int) -> Any:
    base = alt.Chart(alt.NamedData(name="spots")).transform_calculate(
        now="spreads[which][datum.place]", whole="spreads[0][datum.place]"
    )
    x = alt.X("size:Q", axis=alt.Axis(title="Users dropped first, R₁", grid=False))
    y = alt.Y("now:Q", title=None, axis=alt.Axis(format="~s", tickCount=5))
    whole, *now = _with_and_without(alt, theme, base, x, y, "spot", colors["kept"])
    limit = base.transform_calculate(limit="allowed").mark_line(
        strokeWidth=2.5 * theme.scale, strokeDash=[6, 4], color=theme.text
    )
    return alt.layer(
        whole,
        limit.encode(x, alt.Y("limit:Q")),
        *now,
        handle(alt, base, "spots", alt.Undefined),
        name="curves",
        height=height,
        title=title(
            alt,
            "spread === null ? 'too few would be left for the test' : 'spread '"
            " + format(spread, ',.4~r') + (spread > allowed ? ', more than ' : ', within ')"
            " + format(allowed, ',.4~r') + ' allowed'",
            "'dashed: allowed' + (which ? '; grey: with them' : '')",
        ),
    )


def _chance_panel(alt: Any, theme: Theme, colors: dict[str, str], height: int) -> Any:
    base = alt.Chart(alt.NamedData(name="stops")).transform_calculate(
        now="answers[which][datum.place]", whole="answers[0][datum.place]"
    )
    scale = alt.Scale(type="log", nice=False)
    axis = alt.Axis(title="Noise, c", values=[0.1, 1, 10, 100], grid=False, format="~g")
    x = alt.X("factor:Q", scale=scale, axis=axis)
    y = alt.Y(
        "now:Q",
        title=None,
        axis=alt.Axis(format=".0%", tickCount=4),
        scale=alt.Scale(domain=[0, 1]),
    )
    return alt.layer(
        *_with_and_without(alt, theme, base, x, y, "place", colors["kept"]),
        handle(alt, base, "stops", scale),
        name="chances",
        height=height,
        title=title(
            alt,
            "chance === null ? 'too few would be left for the test' : gone + 'answered: ' + often",
            "which ? 'grey: with them' : ''",
        ),
    )


def _with_and_without(
    alt: Any, theme: Theme, base: Any, x: Any, y: Any, chosen: str, color: str
) -> list[Any]:
    """Return the curve with everybody in grey, the one without those brushed, and where it is."""
    width = 2.5 * theme.scale
    here = base.transform_filter(f"datum.place === {chosen}")
    return [
        base.transform_filter("which")
        .mark_line(strokeWidth=width, color=theme.muted, opacity=0.6)
        .encode(x, alt.Y("whole:Q")),
        base.mark_line(strokeWidth=width, color=color).encode(x, y),
        here.mark_rule(strokeWidth=3 * theme.scale, color=theme.text).encode(x),
        here.mark_point(filled=True, size=90, opacity=1, color=color).encode(x, y),
    ]


# ---- the figure on a page ----------------------------------------------------------------------


def figure(result: People, theme: Theme, hand: Hand = NOBODY) -> Figure:
    """Draw the users as dots, what the test does with them, and when it answers."""
    theme, hand = theme.crowded(), hand.among(result.groups, result.sizes.size)
    which = range_of(result.groups, hand)
    spot = result.usual if hand.place is None else hand.place
    beside = {KINDS: [name for name, _ in PARTS.values()], OUTCOME: ["100,000"]}
    places = Places.of(theme, (CONTROL, OUTCOME), beside)
    panels = {
        CONTROL: _answers_panel(result, theme, places, which),
        DOTS: _dots_panel(result, theme, places, hand, spot),
        KINDS: _kinds_panel(result, theme, places, which, spot),
        OUTCOME: _spreads_panel(result, theme, places, which, spot),
    }
    factor, chances = float(result.factors[result.here]), result.answers[which]
    spread = float(result.spreads[which, spot])
    level = None if np.isnan(chances[result.here]) else float(chances[result.here])
    drag = {"key": "noise_factor", "x": factor, "y": level, "line": True}
    stops = {
        "axes": [f"x{OUTCOME}", f"y{OUTCOME}"],
        "label": "R₁, the users dropped first",
        "stops": result.sizes.tolist(),
        "now": spot,
        "y": None if np.isnan(spread) else spread,
        "said": f"{int(result.sizes[spot]):,}",
    }
    brush = brushed(result.edges) | {"slide": stops}
    return panelled(theme, places, panels, {"drag": drag, "brush": brush})


def takeaway_of(result: People, hand: Hand) -> str:
    """Say how likely an answer is without the users whom a reader has chosen."""
    which = range_of(result.groups, hand.among(result.groups))
    if not which:
        return takeaway(result)
    count, likely = int(result.people[which - 1]), float(result.answers[which, result.here])
    chosen = f"these {count:,} of {result.users:,} users"
    if np.isnan(likely):
        return f"Without {chosen} too few would be left for the test."
    return f"Without {chosen} the test answers with {_chance(likely)}."


def _dots_panel(result: People, theme: Theme, places: Places, hand: Hand, spot: int) -> Panel:
    dots = _dots(result)
    seen = dots.seen
    roles = [Role(role) for role in result.roles[seen, spot].tolist()]
    numbers = zip(seen.tolist(), readables(dots.values[seen]), roles, strict=True)
    people = first_of_all(result.people, result.groups)
    count = int(people[range_of(result.groups, hand)])
    who = f"{count:,} of {result.users:,} users" if hand.groups else f"All {result.users:,} users"
    colors = {role: theme.subjects[SUBJECTS[kind]] for role, (_, kind) in PARTS.items()}
    red = asked(theme, "red: dropped first", "brush to see who", brush=True)
    return dots_panel(
        theme,
        places,
        dots,
        hand,
        title=(who, "a click lets them go" if hand.groups else red),
        axis={
            "range": result.edges[[0, -1]].tolist(),
            "tickvals": ticks(dots),
            "ticktext": at_ticks(dots),
            "showgrid": False,
            "title": {"text": "A user's sum"},
        },
        colors=[colors[role] for role in roles],
        said=[f"user {one + 1}, sum {total}: {PARTS[role][0]}" for one, total, role in numbers],
    )


def _kinds_panel(result: People, theme: Theme, places: Places, which: int, spot: int) -> Panel:
    parts = first_of_all(result.parts, result.groups)[:, spot]
    now, whole = (part / max(int(part.sum()), 1) for part in (parts[which], parts[0]))
    rows = [(name, theme.subjects[SUBJECTS[kind]]) for name, kind in PARTS.values()]
    places_of = [int(role) for role in PARTS]
    said = [
        f"{name}: {hundredths(float(now[role]))}% of these users, "
        f"{hundredths(float(whole[role]))}% of all"
        if which
        else f"{name}: {hundredths(float(whole[role]))}% of all users"
        for role, (name, _) in zip(places_of, rows, strict=True)
    ]
    return shares(
        theme,
        (
            f"What the test does at R₁ = {int(result.sizes[spot]):,}",
            "share of them; line: of all" if which else "share of all users",
        ),
        rows,
        now[places_of].tolist(),
        whole[places_of].tolist() if which else None,
        said,
        places.heights[KINDS],
    )


def _spreads_panel(result: People, theme: Theme, places: Places, which: int, spot: int) -> Panel:
    allowed, now = float(result.limits[result.here]), result.spreads[which]
    across = Scale.of(
        Axis("size", "Users dropped first, R₁", log=False), result.sizes.astype(float), 0.0
    )
    values = np.concatenate([now, result.spreads[0], [0.0, allowed]])
    up = Scale.of(Axis("", "", log=False), values, 0.0)
    spread = float(now[spot])
    above = ", more than " if spread > allowed else ", within "
    said = f"spread {readable(spread, 4)}{above}{readable(allowed, 4)} allowed"
    dashed = "dashed: allowed"
    told = f"{dashed}; grey: with them" if which else asked(theme, dashed, "drag R₁", brush=True)
    sizes = result.sizes.astype(float)
    return curves(
        theme,
        (_TOO_FEW if np.isnan(spread) else said, told),
        (across, replace(up, high=_ABOVE_CURVES * up.high)),
        [(sizes, now, theme.subjects[SUBJECTS["kept"]], "spread %{y:.4~g} at R₁ = %{x:.4~g}")],
        spot,
        [(sizes, result.spreads[0])] if which else [],
        allowed,
        places.size(OUTCOME),
    )


def _answers_panel(result: People, theme: Theme, places: Places, which: int) -> Panel:
    now, factors = result.answers[which], result.factors
    likely = float(now[result.here])
    gone = "without them answered" if which else "answered"
    noise = Scale.of(Axis("factor", "Noise, c"), factors, 0.0)
    said = "noise %{x:.3~g}: answered with probability %{customdata}"
    made = curves(
        theme,
        (
            _TOO_FEW if np.isnan(likely) else f"{gone}: {chance(likely)}",
            "grey: with them" if which else asked(theme, "", "drag the noise"),
        ),
        (noise, Scale(Axis("", "", log=False), 0.0, 1.02)),
        [(factors, now, theme.subjects[SUBJECTS["kept"]], said)],
        result.here,
        [(factors, result.answers[0])] if which else [],
        None,
        places.size(CONTROL),
    )
    words = readables(now, chances=True)
    traces = [t | ({"customdata": words} if "hovertemplate" in t else {}) for t in made.traces]
    return replace(made, traces=traces)


VIEW = or_users_needed(
    View(
        key="people",
        title="People",
        compute=people,
        figure=figure,
        brushing=Brushing(figure, takeaway_of, notes_to_brush),
        linked=linked,
        takeaway=takeaway,
        detail=detail,
        notes=notes,
        parameters=SETTING,
        in_sight=("data", "outliers", "users"),
        pulled={"outliers": "the # users above"},
        why="The test looks only at the ends: it drops the users who stand farthest apart, and "
        "asks whether it matters which of the others go as well. One user more or less hardly "
        "changes that chance, which is what makes the test private.",
        idle=idle_controls,
        most=most_outliers,
    )
)
