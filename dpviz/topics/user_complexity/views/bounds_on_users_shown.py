"""Users against m: every bound for one problem."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.marks import Dots, Mark, Rule, Text
from dpviz.plot.panels import Charted, Handle, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Curve, Subject
from dpviz.scene.codec import Value
from dpviz.scene.view import View
from dpviz.topics.user_complexity.bounds_shown import (
    examples_in_words,
    m_in_full,
    number_of_users,
    same_to_three_digits,
    theorem_behind,
    times_fewer,
    users_in_words,
)
from dpviz.topics.user_complexity.comparing import is_user_upper
from dpviz.topics.user_complexity.comparing_shown import notes as notes_on_rows
from dpviz.topics.user_complexity.dominance import AXES
from dpviz.topics.user_complexity.monomials import short
from dpviz.topics.user_complexity.problems import AGNOSTIC, PAC, PROBLEMS, SELECTION
from dpviz.topics.user_complexity.rows_shown import TABLES, WHICH, idle_parameters, rows_asked
from dpviz.topics.user_complexity.tables_shown import all_bounds
from dpviz.topics.user_complexity.views.bounds_on_users import CLEARLY, UsersChart, bounds_on_users

_DRAWN = ("quantity", "constant", "log_power", "item", "earlier", "lower")
_SEVERAL, _MANY_TIMES = 2.0, 10.0  # times fewer users, from which on one of them stands for so many
_RIGHT = 0.65  # of the axis, from where on words stand on the left
_SINGLE, _MANY = "one example each", "m examples each"
_OURS = Subject.USER_LEVEL
_DONE = (PAC, AGNOSTIC, SELECTION)  # others are learned


def takeaway(chart: UsersChart) -> str:
    """State the users that the new bound asks for, against one example each."""
    at = _at_these_values(chart)
    if chart.unmet:
        needed = " and ".join(text.partition(" fails")[0] for text in chart.unmet)
        return f"{at} the theorem does not apply: it needs {needed}."
    constants = "with these constants" if chart.changed else "constants dropped"
    if chart.examples == 1:
        return f"{at}, nothing is saved yet; more examples from each save users ({constants})."
    problem = chart.rows[0].problem
    theorem = f"the theorem for {PROBLEMS[problem]} asks for"
    if chart.users < 1:
        return f"{at}, {theorem} {users_in_words(chart.users)} ({constants})."
    if not _told_as_share(chart):
        saved = times_fewer(chart.saving, "with one each", noun="users")
        return f"{at}, {theorem} {saved} ({constants})."
    task = PROBLEMS[problem] if problem in _DONE else f"learning {PROBLEMS[problem]}"
    instead = f"{at} instead of one" if _along_m(chart) else f"{at}, instead of one example each"
    return f"{instead}, {task} takes {_saved(chart)} ({constants})."


def _told_as_share(chart: UsersChart) -> bool:
    """Return whether users are so many fewer that one of them stands for several."""
    return chart.saving >= _SEVERAL and not chart.changed


def _saved(chart: UsersChart) -> str:
    """Say how many times fewer users are enough, no more exactly than without constants is known.

    As many as with one example each are not asked for here.
    """
    roughly = _told_as_share(chart) and chart.saving >= _MANY_TIMES
    return times_fewer(chart.saving, "", noun="users", digits=1 if roughly else 2)


def detail(chart: UsersChart) -> str:
    """State the users that the new bound asks for, beside those with one example each."""
    name = theorem_behind(chart.curve(chart.primary))
    at = _at_these_values(chart)
    root = ""
    if _along_m(chart) and chart.model == "central":
        root = f" (√m = {readable(math.sqrt(chart.here))})"
    saved = f", {times_fewer(chart.saving)}{root}" if chart.examples > 1 else ""
    constants = "with these constants" if chart.changed else "up to constants"
    sentence = (
        f"{at}, {name} asks for {_rule(chart)}{users_in_words(chart.users)} {constants}{saved}; "
        f"{chart.leading} dominates."
    )
    if chart.beyond_pooling:
        sentence += (
            " That saves more than a factor m, which is possible here: in the local model, m "
            "people with one example each cannot stand in for one user."
        )
    sentence += _course(chart) + _saves_from(chart) + _other_kind(chart)
    return f"{sentence} But {' and '.join(chart.unmet)}." if chart.unmet else sentence


def _rule(chart: UsersChart) -> str:
    """Say what the theorem adds up, where it is what the numbers are computed from."""
    row = next(row for row in chart.rows if row.key == chart.primary)
    if chart.changed or len(row.summands) == 1:
        return ""
    return f"{row.shape}, which is "


def _course(chart: UsersChart) -> str:
    """Say how the number of users moves with the examples each, from stretch to stretch."""
    if not _along_m(chart):
        return ""
    parts = [f"{one.course} until m = {m_in_full(one.stop)}" for one in chart.stretches[:-1]]
    return f" The number of users is {', '.join([*parts, chart.stretches[-1].course])}."


def _saves_from(chart: UsersChart) -> str:
    """Say from where on constants that were put back leave a saving."""
    if not chart.changed:
        return ""
    if math.isinf(chart.saves_from):
        return " With these constants no m makes up for throwing away all but one example."
    return f" With these constants it saves users from m = {m_in_full(chart.saves_from)} on."


def _other_kind(chart: UsersChart) -> str:
    """Say what a δ saves, where the papers have bounds for both kinds of privacy."""
    if chart.changed or math.isnan(chart.pure) or chart.rows[0].privacy == "pure":
        return ""
    ratio = chart.pure / chart.approximate
    saves = (
        f"{times_fewer(ratio, 'without a δ')}" if ratio >= CLEARLY else "next to none saved by δ"
    )
    return (
        f" The best bounds for pure DP ask for {users_in_words(chart.pure)} here, those with a δ "
        f"for {number_of_users(chart.approximate)}: {saves}."
    )


def _at_these_values(chart: UsersChart) -> str:
    return f"With {examples_in_words(chart.here)} each" if _along_m(chart) else "At these values"


def _along_m(chart: UsersChart) -> bool:
    return chart.x.name == "examples_per_user"


def notes(chart: UsersChart) -> tuple[str, ...]:
    """Say what the bounds assume, what lies beyond the chart, and what leaves Observation 28."""
    primary = chart.curve(chart.primary).label
    terms = [f"{primary}: {one.text}, which is {short(one.x)}." for one in chart.crossings]
    beyond = [
        f"{label} starts to hold at m = {short(m)}, beyond this chart." for label, m in chart.later
    ]
    return (*notes_on_rows(chart), *terms, *beyond, *_observation_28(chart))


def _observation_28(chart: UsersChart) -> list[str]:
    """Say which user-level shapes leave what Observation 28 allows, and why they can."""
    if chart.allowed is None:
        return [
            "The papers give no item-level lower bound here, so there is no band of Observation 28."
        ]
    texts, allowed = [], "the band of Observation 28"
    if chart.allowed.lower is None:
        allowed = "what Observation 28 allows"
        texts.append(
            "In the local model only n_m ≤ n₁ of Observation 28 holds: each message is made of "
            "one user's m examples, so m people with one example each cannot pose as one user."
        )
    for shape in chart.outside:
        to = f" to {short(shape.last)}" if shape.last > shape.first else ""
        texts.append(
            f"{shape.label} leaves {allowed} {shape.side}, {chart.symbol} = "
            f"{short(shape.first)}{to}: both are shapes, without constants and logarithms, so "
            "that can happen."
        )
    return texts


def sources(chart: UsersChart) -> str:
    """Return the papers' tables for this kind of privacy and model, for all problems."""
    return all_bounds(chart.rows[0], chart.values)


def figure(chart: UsersChart, theme: Theme) -> Figure:
    """Draw which share of the users all bounds ask for, and what the compared one saves.

    The band of Observation 28 is left out. Where examples are counted, they are drawn as they are.
    """
    named = replace(chart, curves=tuple(_as_said(chart)))
    if chart.y.name != "share" or len(chart.in_headline) == 1 or chart.users < 1:
        return draw(named, theme)
    called = f"{_italic(chart.symbol)} = {readable(chart.here)}"
    place, gap = Rule(x=chart.here, wide=1.5, called=called), _gap(chart)
    # Without a place of its own it writes no number at the curves: the words at the gap say it.
    alone, handle = replace(named, here=math.nan), Handle(chart.x.name, chart.here)
    return stacked(theme, Charted(alone, [place, *gap], handle=handle))


def _gap(chart: UsersChart) -> list[Mark]:
    """Return how far apart the two compared are, where they are and the theorem applies."""
    saving = chart.saving
    if chart.unmet or same_to_three_digits(saving):
        return []
    said = _saved(chart)
    short = said.removesuffix(" users").replace(" times", "<br>times")  # what a phone has room for
    return [
        Rule(x=chart.here, y=(min(1 / saving, 1.0), max(1 / saving, 1.0)), wide=5, about=_OURS),
        Dots([chart.here], [1 / saving], about=_OURS, size=11),
        Text(
            (f"<b>{said}</b>", f"<b>{short}</b>"),
            chart.here,
            float(np.sqrt(1 / saving)),
            to="E" if _has_room(chart) else "W",
            shift=(8 if _has_room(chart) else -8, 0),
            about=_OURS,
            backed=True,
            large=_told_as_share(chart),
        ),
    ]


def _italic(symbol: str) -> str:
    base, _, index = symbol.partition("_")
    return f"<i>{base}</i>{f'<sub>{index}</sub>' if index else ''}"


def _has_room(chart: UsersChart) -> bool:
    """Whether words have room on the right of the reader's place."""
    first, last = (math.log(chart.curves[0].x[end]) for end in (0, -1))
    return math.log(chart.here) < first + _RIGHT * (last - first)


def _as_said(chart: UsersChart) -> Iterator[Curve]:
    """Yield the curves, the two that the sentence compares with the names they have there."""
    other = set(chart.in_headline) - {chart.primary}
    for curve in chart.curves:
        if curve.key == chart.primary and other:
            yield replace(curve, label=_MANY)
        elif curve.key in other:
            yield replace(curve, label=_SINGLE)
        elif curve is not chart.allowed:
            yield curve


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect on the bounds for the chosen problem."""
    rows = rows_asked(values)
    idle = idle_parameters(rows) | (set() if rows else {"axis", *_DRAWN})
    if sum(map(is_user_upper, rows)) < 2:
        idle.add("earlier")
    return idle if any(row.bound == "lower" for row in rows) else idle | {"lower"}


def offered_axes(values: Mapping[str, Value]) -> dict[str, list[str]]:
    """Name the parameters along which some bound for the chosen problem moves."""
    rows = rows_asked(values)
    moving = [axis for axis in AXES if any(axis in row.parameters for row in rows)]
    return {"axis": moving} if moving else {}


VIEW = View(
    key="users",
    title="Users against m",
    compute=bounds_on_users,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    sources=sources,
    parameters=(*WHICH, "axis", *TABLES, *_DRAWN),
    in_sight=("examples_per_user", "problem", "privacy"),
    pulled={"examples_per_user": "With # examples"},
    why="The average of many examples varies less than one example, so a user who holds many moves "
    "an honest result less, and less noise hides the user. But however many examples each holds, "
    "one user must be hidden among the others, and for that some users remain necessary.",
    idle=idle_controls,
    offers=offered_axes,
)
