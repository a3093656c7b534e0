"""Theorem 10 and your bound: whether the transformation pays."""

import math

import numpy as np

from dpviz.plot.marks import Dots, Ink, Line, Mark, Part, Rule, Span, Text
from dpviz.plot.panels import Handle, Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import agreeing, from_logarithm, readable
from dpviz.plot.theme import Theme
from dpviz.scene.view import View
from dpviz.topics.user_complexity.bounds_shown import (
    examples_in_words,
    m_in_full,
    number_of_users,
    times_fewer,
    users_in_words,
)
from dpviz.topics.user_complexity.views.theorem_10_and_your_bound import (
    OwnBoundChart,
    theorem_10_and_your_bound,
)

_BOUND = ("n_priv", "n_stat", "c")
_LEFT = 0.4  # of the axis, in which the reader's numbers stand at the usual names
_RIGHT = 0.85  # of the axis, from where on they are on its left
_NEAR = 0.3  # of the axis, before which there is none
_FREE = (0.32, 0.71)  # of the axis, where the curves have their names: not beside these numbers
_BESIDE = {"NE": (6, 2), "SW": (-6, -2)}  # pixels, of a name
_SAID = "m = %{{x:,}}: {}, %{{y:,.3s}} users"
_PLAIN = ("keep one each", "one each"), ("group privacy", "group privacy")  # the better of them
_OURS = ("use all, by Theorem 10", "use all")

_EXACT = (
    "One example each is exact: it is the item-level bound that was typed in, with all other "
    "examples thrown away. No algorithm needs fewer users than that bound divided by m, unless "
    "some item-level algorithm beats the bound (Observation 28)."
)
_NEIGHBOURS = "Neighbouring data sets: one user is substituted."


def takeaway(chart: OwnBoundChart) -> str:
    """Set the users of Theorem 10 beside those of the plainer way that needs fewer."""
    plain = "group privacy" if chart.group < chart.item_level else "keeping one each"
    users = min(chart.group, chart.item_level)
    every = agreeing(chart.here, "it", "them all")
    return (
        f"With {examples_in_words(chart.here)} each, using {every} needs "
        f"{users_in_words(chart.theorem_10)} (constants dropped); {plain} needs "
        f"{number_of_users(users)}."
    )


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
    """Draw the users of the transformation along m, and of the plainer way that asks for fewer."""
    single, group, ours = (chart.curve(key) for key in ("sandwich", "group", "theorem_10"))
    x, plain = single.x, chart.item_level * np.fmin(single.y, group.y)
    users, about = chart.item_level * ours.y, ours if chart.applies else "muted"
    first, last, here = float(x[0]), float(x[-1]), chart.here
    ends = {"plain": min(chart.item_level, chart.group), "ours": chart.theorem_10}
    inks: dict[str, Ink] = {"plain": single, "ours": about}
    low, high = (float(found([*users, *plain])) for found in (np.nanmin, np.nanmax))
    upper, lower = sorted(ends, key=ends.__getitem__, reverse=True)
    side, by = ("E", 8) if here < first ** (1 - _RIGHT) * last**_RIGHT else ("W", -8)
    # Below lines that fall, words have room on the left alone.
    under = lower if here > first ** (1 - _NEAR) * last**_NEAR else ""
    turn, free = chart.beats_both, _FREE[here < first ** (1 - _LEFT) * last**_LEFT]
    named = first ** (1 - free) * last**free
    below, above = (
        float(np.exp(np.interp(math.log(named), np.log(x), np.log(values))))
        for values in (plain, users)
    )
    at = int(np.abs(np.log(x / named)).argmin())
    grouped = bool(group.y[at] < single.y[at])
    up, down = ("NE", "SW") if above > below else ("SW", "NE")
    place = f"{readable(turn, 2)} on" if turn < last else ""
    fewer = (
        f"from about {place}, using all needs fewer users, constants dropped",
        f"fewer from {place}",
    )
    crossing = [
        Span(x=(turn, last), about=ours, seen=0.12),
        Text(fewer, turn, Part(1), to="N", about=about),
        Dots([turn], [float(np.interp(turn, x, plain))], size=12, symbol="circle-open", edge=2.5),
    ]
    marks: list[Mark | None] = [
        *(crossing if turn < last else ()),
        Line(x, plain, about=single, wide=3.0, said=_SAID.format("the plainer way")),
        Line(x, users, about=about, wide=3.0, dash="dash", said=_SAID.format("Theorem 10")),
        Rule(x=here, wide=1.5),
        Dots([here] * 2, list(ends.values()), about=list(inks.values()), size=11),
        *(
            Text(
                f"<b>{number_of_users(many)}</b>",
                here,
                many,
                to=f"{'N' if way == upper else 'S'}{side if way != under else 'W'}",
                shift=(by if way != under else -8, 0),
                about=inks[way],
                backed=True,
            )
            for way, many in ends.items()
        ),
        Text(_OURS, named, above, to=up, shift=_BESIDE[up], about=about, backed=True),
        Text(_PLAIN[grouped], named, below, to=down, shift=_BESIDE[down], about=single),
    ]
    return stacked(
        theme,
        Panel(
            Side(math.log10(first), math.log10(last), "Examples each user holds, m", log=True),
            Side.around([low, high], "Users, up to a constant", room=0.08, log=True),
            marks,
            handle=Handle("examples_per_user", here),
        ),
    )


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
