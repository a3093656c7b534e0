"""Theorem 10 and your bound: whether the transformation pays, in users or in privacy."""

import math

from dpviz.plot.chart import draw
from dpviz.plot.text import from_logarithm, readable
from dpviz.scene.view import View
from dpviz.topics.user_complexity.bounds_shown import (
    examples_in_words,
    m_in_full,
    number_of_users,
    same_to_three_digits,
    times_fewer,
    users_in_words,
)
from dpviz.topics.user_complexity.views.theorem_10_and_your_bound import (
    BudgetChart,
    OwnBoundChart,
    theorem_10_and_your_bound,
)

_BOUND = ("n_priv", "n_stat", "c")

_EXACT = (
    "The line at 1 is exact: it is the item-level bound that was typed in, with all other "
    "examples thrown away. No algorithm needs fewer users than that bound divided by m, unless "
    "some item-level algorithm beats the bound (Observation 28)."
)
_NEIGHBOURS = "Neighbouring data sets: one user is substituted."


def takeaway(chart: OwnBoundChart | BudgetChart) -> str:
    """State whether the transformation pays at the reader's m."""
    return _budget_asked(chart) if isinstance(chart, BudgetChart) else _users_asked(chart)


def _users_asked(chart: OwnBoundChart) -> str:
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


def _budget_asked(chart: BudgetChart) -> str:
    """State how much more private the item-level algorithm must be than by group privacy."""
    ratio = chart.group / chart.theorem
    verb, than = "needs", f"{readable(ratio)} times smaller than"
    if same_to_three_digits(ratio):
        than = "as large as"
    elif ratio < 1:
        verb, than = "makes do with", f"{readable(1 / ratio)} times larger than"
    return (
        f"At {examples_in_words(chart.here)} per user, the transformation {verb} an item-level "
        f"algorithm whose ε is {than} group privacy needs (constants dropped)."
    )


def detail(chart: OwnBoundChart | BudgetChart) -> str:
    """State the exact figures, and from which m on Theorem 10 is the better way."""
    return _budgets(chart) if isinstance(chart, BudgetChart) else _users(chart)


def _users(chart: OwnBoundChart) -> str:
    """State what becomes of the reader's item-level bound."""
    sentence = (
        f"{users_in_words(chart.item_level)} of one example each become "
        f"{users_in_words(chart.theorem_10)} of {examples_in_words(chart.here)} by Theorem 10, up "
        f"to constants ({times_fewer(chart.item_level / chart.theorem_10, 'before')}), and "
        f"{number_of_users(chart.group)} by group privacy."
    )
    if math.isinf(chart.beats_discarding):
        return f"{sentence} No m makes Theorem 10 better than throwing examples away."
    sentence += (
        f" Theorem 10 beats throwing examples away from m = {m_in_full(chart.beats_discarding)} on"
    )
    if math.isinf(chart.beats_both):
        return f"{sentence}, and group privacy never."
    if chart.beats_both > chart.beats_discarding:
        return f"{sentence}, and group privacy as well from m = {m_in_full(chart.beats_both)} on."
    return f"{sentence}."


def _budgets(chart: BudgetChart) -> str:
    """State the item-level budget that Theorem 10 asks for, beside that of group privacy."""
    sentence = (
        f"With {examples_in_words(chart.here)} each, Theorem 10 runs the item-level algorithm at "
        f"ε′ = {readable(chart.theorem)} and δ′ = {from_logarithm(chart.theorem_log_delta)}, up to "
        f"constants; group privacy needs ε/m = {readable(chart.group)}."
    )
    if math.isinf(chart.better_from):
        return f"{sentence} Group privacy asks for less at every m."
    better_from = f"from m = {m_in_full(chart.better_from)} on"
    if chart.theorem > chart.group:
        return f"{sentence} Theorem 10 asks for less privacy {better_from}."
    return f"{sentence} Theorem 10 asks for less privacy only {better_from}."


VIEW = View(
    key="own",
    title="Theorem 10 and your bound",
    compute=theorem_10_and_your_bound,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    notes=lambda chart: (_NEIGHBOURS,) if isinstance(chart, BudgetChart) else (_EXACT, _NEIGHBOURS),
    parameters=("asked", *_BOUND, "examples_per_user", "epsilon", "delta", "constant"),
    in_sight=("examples_per_user", "epsilon", "asked"),
    idle=lambda values: {*_BOUND, "constant"} if values["asked"] == "budget" else (),
    defaults={"examples_per_user": 100_000, "epsilon": 1.0, "delta": 1e-6},
    pulled={"examples_per_user": "With # examples"},
)
