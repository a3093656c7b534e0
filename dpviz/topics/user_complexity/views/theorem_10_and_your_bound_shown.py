"""Theorem 10 and your bound: whether the transformation pays."""

import math
from dataclasses import replace
from typing import Any

from dpviz.plot.marks import Ink, Mark, Part, Rule, Span, Text
from dpviz.plot.panels import Handle, Panel, Side, stacked
from dpviz.plot.said_bars import Bar, said_bars
from dpviz.plot.spec import Figure
from dpviz.plot.text import from_logarithm, readable
from dpviz.plot.theme import Theme
from dpviz.scene.view import View
from dpviz.topics.user_complexity.bounds_shown import (
    about_times,
    examples_in_words,
    m_in_full,
    number_of_users,
    same_to_three_digits,
    times_fewer,
    users_in_words,
)
from dpviz.topics.user_complexity.views.theorem_10_and_your_bound import (
    OwnBoundChart,
    theorem_10_and_your_bound,
)

_BOUND = ("n_priv", "n_stat", "c")
_STRIP = 30  # pixels
_UNDER = 2.4  # where rows of bars end, and below them what two of them differ by

_EXACT = (
    "One example each is exact: it is the item-level bound that was typed in, with all other "
    "examples thrown away. No algorithm needs fewer users than that bound divided by m, unless "
    "some item-level algorithm beats the bound (Observation 28)."
)
_NEIGHBOURS = "Neighbouring data sets: one user is substituted."


def takeaway(chart: OwnBoundChart) -> str:
    """Compare the users of the transformation with those of the plainer ways."""
    each = f"With {examples_in_words(chart.here)} each"
    other = min(chart.theorem_10, chart.item_level)
    if chart.group < other and not same_to_three_digits(chart.group / other):
        return (
            f"{each}, group privacy is cheapest: it needs {users_in_words(chart.group)}, the "
            f"transformation {number_of_users(chart.theorem_10)}, up to constants."
        )
    saving = chart.item_level / chart.theorem_10
    change = times_fewer(saving, "throwing away all but one example", noun="users")
    verb = "pays" if chart.theorem_10 < chart.item_level else "does not pay"
    return f"{each}, the transformation {verb}: it needs {change}, up to constants."


def detail(chart: OwnBoundChart) -> str:
    """State what becomes of the reader's item-level bound."""
    sentence = (
        f"{users_in_words(chart.item_level)} of one example each become "
        f"{users_in_words(chart.theorem_10)} of {examples_in_words(chart.here)} by Theorem 10, up "
        f"to constants ({times_fewer(chart.item_level / chart.theorem_10, 'before')}), and "
        f"{number_of_users(chart.group)} by group privacy."
    )
    return f"{sentence}{_from(chart)} {_budgets(chart)}"


def _from(chart: OwnBoundChart) -> str:
    """Say from which m on Theorem 10 is the better way."""
    if math.isinf(chart.beats_discarding):
        return " No m makes Theorem 10 better than throwing examples away."
    begins = m_in_full(chart.beats_discarding)
    sentence = f" Theorem 10 beats throwing examples away from m = {begins} on"
    if math.isinf(chart.beats_both):
        return f"{sentence}, and group privacy never."
    if chart.beats_both > chart.beats_discarding:
        return f"{sentence}, and group privacy as well from m = {m_in_full(chart.beats_both)} on."
    return f"{sentence}."


def _budgets(chart: OwnBoundChart) -> str:
    """State the item-level budget that Theorem 10 asks for, beside that of group privacy."""
    return (
        f"It runs the item-level algorithm at ε′ = {readable(chart.item_epsilon)} and δ′ = "
        f"{from_logarithm(chart.item_log_delta)}, up to constants; group privacy needs ε/m = "
        f"{readable(chart.group_epsilon)}."
    )


def figure(chart: OwnBoundChart, theme: Theme) -> Figure:
    """Draw the users of three ways as bars, and below which of them is cheapest, along m."""
    return stacked(theme, _bars(chart), _cheapest(chart), tall=0.85)


def _bars(chart: OwnBoundChart) -> Panel:
    """Return the users of three ways, and between two of them the number of the sentence."""
    about = [chart.curve(key) for key in ("sandwich", "group", "theorem_10")]
    users = [chart.item_level, chart.group, chart.theorem_10]
    names = ("one example each, the rest thrown away", "group privacy", "the transformation")
    said = [f"{name}: {number_of_users(one)}" for name, one in zip(names, users, strict=True)]
    ours: Ink = about[2] if chart.applies else "muted"
    rows = [Bar(*row) for row in zip(said, users, (*about[:2], ours), strict=True)]
    saving, more = chart.item_level / chart.theorem_10, list[Mark]()
    if not same_to_three_digits(saving):
        ends = (chart.theorem_10, chart.item_level)
        differ = f"{about_times(max(saving, 1 / saving))} {'fewer' if saving > 1 else 'more'}"
        more = [
            Rule(x=ends, y=(_UNDER, _UNDER), wide=2.0, about=ours),
            Text(f"<b>{differ}</b>", sum(ends) / 2, _UNDER + 0.05, to="S", about=ours),
        ]
    if saving > 1:  # else it would run through the words of the other bars
        dotted: dict[str, Any] = {"dash": "dot", "wide": 1.0, "about": "muted"}
        more.append(Rule(x=chart.item_level, y=(0.3, _UNDER + 0.1), **dotted))
    above = f"Users needed with {examples_in_words(chart.here)} each, up to constants"
    panel = said_bars(rows, 1.05 * max(users), more, above=(above, "Users, up to constants"))
    return replace(panel, y=Side.bare(_UNDER + 0.5, -0.7))


def _cheapest(chart: OwnBoundChart) -> Panel:
    """Return the stretches of m in which one way is cheapest, with the reader's m."""
    names = {"sandwich": "one example", "group": "group privacy", "theorem_10": "transformation"}
    marks: list[Mark | None] = []
    for way, start, stop in chart.cheapest:
        said = f"{names[way]} asks for the fewest users"
        marks += [
            Span(x=(start, stop), about=chart.curve(way).subject, seen=0.3),
            Text(names[way], start, Part(0.5), over=_free(start, stop, chart.here), hover=said),
        ]
    first, last = chart.cheapest[0].start, chart.cheapest[-1].stop
    return Panel(
        Side(math.log10(first), math.log10(last), "Examples each user holds, m", log=True),
        Side.bare(0, 1),
        [*marks, Rule(x=chart.here)],
        above="Cheapest, up to constants",
        pixels=_STRIP,
        handle=Handle("examples_per_user", chart.here),
    )


def _free(start: float, stop: float, here: float) -> tuple[float, float]:
    """Return the longer part of a stretch on a logarithmic axis beside the reader's place."""
    if not start < here < stop:
        return start, stop
    return (start, here) if here * here > start * stop else (here, stop)


VIEW = View(
    key="own",
    title="Theorem 10 and your bound",
    compute=theorem_10_and_your_bound,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=lambda _: (_EXACT, _NEIGHBOURS),
    parameters=(*_BOUND, "examples_per_user", "epsilon", "delta", "constant"),
    in_sight=("examples_per_user", "epsilon", "n_stat"),
    defaults={"examples_per_user": 500_000},
    pulled={"examples_per_user": "With # examples"},
)
