"""People: each user a dot to be brushed, and how likely an answer is without those brushed."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from dpviz.plot.dots import Dots, first_of_all
from dpviz.plot.hand import NOBODY, Hand
from dpviz.plot.linked import brushed
from dpviz.plot.marks import Line, Rule, asked
from dpviz.plot.panels import Groups, Handle, Panel, Side, Stops
from dpviz.plot.people_figure import Rows, curves, dots_panel, drawn, range_of, shares
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance, hundredths, readable, readables
from dpviz.plot.theme import Theme
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
    ticks,
)
from dpviz.topics.propose_test_release.users_needed_shown import or_users_needed
from dpviz.topics.propose_test_release.views.people import People, people

_SURE = 0.9995  # from here on a chance is called certainty
_ALWAYS, _NEVER = "practical certainty", "practically no chance"
_MOVED = 0.005  # of a chance, from which a group is named
_ABOVE_CURVES = 1.12  # off the words above
_TOO_FEW = "Too few would be left for the test"


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


# ---- the figure: four panels --------------------------------------------------------------------


def figure(result: People, theme: Theme, hand: Hand = NOBODY) -> Figure:
    """Draw the users as dots, what the test does with them, and when it answers."""
    return drawn(theme, _panels(result, hand))


def linked(result: People, theme: Theme) -> dict[str, Any]:
    """Return the figure in which users are brushed without a server."""
    return brushed(theme, partial(_panels, result), result.groups)


def _panels(result: People, hand: Hand) -> Rows:
    hand = hand.among(result.groups, result.sizes.size)
    which = range_of(result.groups, hand)
    spot = result.usual if hand.place is None else hand.place
    return (
        (_dots_panel(result, hand, which, spot), _kinds_panel(result, which, spot)),
        (_answers_panel(result, which), _spreads_panel(result, which, spot)),
    )


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


def _dots(result: People) -> Dots:
    """Return the users as dots."""
    return Dots(result.release.sums, result.edges, result.group)


def _dots_panel(result: People, hand: Hand, which: int, spot: int) -> Panel:
    dots = _dots(result)
    seen = dots.seen
    parts = [PARTS[Role(role)] for role in result.roles[seen, spot].tolist()]
    numbers = zip(seen.tolist(), readables(dots.values[seen]), parts, strict=True)
    count = int(first_of_all(result.people, result.groups)[which])
    who = f"{count:,} of {result.users:,} users" if which else f"All {result.users:,} users"
    red = asked("red: dropped first", "brush to see who", Groups.kind)
    low, high = result.edges[[0, -1]].tolist()
    ends = list(zip(ticks(dots), at_ticks(dots), strict=True))
    return dots_panel(
        dots,
        hand,
        Side(low, high, "A user's sum", ticks=ends, grid=False),
        f"{who}<br>{'a click lets them go' if which else red}",
        abouts=[SUBJECTS[kind] for _, kind in parts],
        said=[f"user {one + 1}, sum {total}: {name}" for one, total, (name, _) in numbers],
    )


def _kinds_panel(result: People, which: int, spot: int) -> Panel:
    parts = first_of_all(result.parts, result.groups)[:, spot, [int(role) for role in PARTS]]
    now, whole = (part / max(int(part.sum()), 1) for part in (parts[which], parts[0]))
    names = [name for name, _ in PARTS.values()]
    said = [
        f"{name}: {hundredths(float(one))}% of these users, {hundredths(float(of))}% of all"
        if which
        else f"{name}: {hundredths(float(of))}% of all users"
        for name, one, of in zip(names, now, whole, strict=True)
    ]
    share = "share of them; line: of all" if which else "share of all users"
    return shares(
        names,
        [SUBJECTS[kind] for _, kind in PARTS.values()],
        now,
        whole if which else None,
        said,
        f"What the test does at R₁ = {int(result.sizes[spot]):,}<br>{share}",
    )


def _answers_panel(result: People, which: int) -> Panel:
    now, factors, here = result.answers[which], result.factors, result.here
    gone = "Without them answered" if which else "Answered"
    likely = _TOO_FEW if np.isnan(now[here]) else f"{gone}: {chance(float(now[here]))}"
    said = "noise %{x:.3~g}: answered with probability %{customdata}"
    words = readables(now, chances=True)
    grip = None if np.isnan(now[here]) else float(now[here])
    return curves(
        [Line(factors, now, about=SUBJECTS["kept"], said=said, told=words)],
        here,
        (Side.around(factors, "Noise, c", room=0, log=True, grid=False), Side(0, 1.12)),
        f"{likely}<br>{'grey: with them' if which else asked('', 'drag the noise')}",
        whole=Line(factors, result.answers[0]) if which else None,
        handle=Handle("noise_factor", float(factors[here]), grip, {"line": True}),
    )


def _spreads_panel(result: People, which: int, spot: int) -> Panel:
    sizes, now = result.sizes.astype(float), result.spreads[which]
    allowed, spread = float(result.limits[result.here]), float(now[spot])
    above = ", more than " if spread > allowed else ", within "
    said = f"Spread {readable(spread, 4)}{above}{readable(allowed, 4)} allowed"
    dashed = "dashed: allowed"
    told = f"{dashed}; grey: with them" if which else asked(dashed, "drag R₁", Stops.kind)
    y = Side.around([0.0, allowed, *now, *result.spreads[0]], room=0)
    reading = "spread %{y:.4~g} at R₁ = %{x:.4~g}"
    label, size = "R₁, the users dropped first", f"{int(sizes[spot]):,}"
    return curves(
        [Line(sizes, now, about=SUBJECTS["kept"], said=reading)],
        spot,
        (
            Side.around(sizes, "Users dropped first, R₁", room=0, grid=False),
            replace(y, high=_ABOVE_CURVES * y.high),
        ),
        f"{_TOO_FEW if np.isnan(spread) else said}<br>{told}",
        whole=Line(sizes, result.spreads[0]) if which else None,
        handle=Stops(label, result.sizes, spot, spread, size),
        more=[Rule(y=allowed, wide=2.5, dash="dash")],
    )


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
