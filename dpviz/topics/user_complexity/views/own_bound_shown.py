"""Your own bound: what Theorem 10 and plainer ways make of a reader's item-level bound."""

import math

from dpviz.plot.chart import draw
from dpviz.plot.text import counted
from dpviz.scene.view import View
from dpviz.topics.user_complexity.bounds_shown import (
    m_in_full,
    number_of_users,
    same_to_three_digits,
    times_fewer,
    users_in_words,
)
from dpviz.topics.user_complexity.views.own_bound import OwnBoundChart, own_bound

_NOTES = (
    "Exact here means: exactly what the item-level bound that was typed in implies. The "
    "lower end n₁/m binds only if no item-level algorithm does better than that bound.",
    "Neighbouring data sets: one user is substituted.",
)


def takeaway(chart: OwnBoundChart) -> str:
    """State whether the transformation pays at the reader's m, or a plainer way does."""
    each = f"with {counted(chart.here, 'example')} each it asks for"
    other = min(chart.theorem_10, chart.item_level)
    if chart.group < other and not same_to_three_digits(chart.group / other):
        return (
            f"Plain group privacy is cheaper: {each} {users_in_words(chart.group)}, the "
            f"transformation for {number_of_users(chart.theorem_10)}, up to constants."
        )
    change = times_fewer(chart.item_level / chart.theorem_10, "before", noun="users")
    pays = "The transformation pays" if chart.theorem_10 < chart.item_level else "It does not pay"
    return f"{pays}: {each} {change}, up to constants."


def detail(chart: OwnBoundChart) -> str:
    """State what becomes of the reader's item-level bound."""
    sentence = (
        f"{users_in_words(chart.item_level)} of one example each become "
        f"{users_in_words(chart.theorem_10)} of {counted(chart.here, 'example')} by Theorem 10, up "
        f"to constants ({times_fewer(chart.item_level / chart.theorem_10, 'before')}), and "
        f"{number_of_users(chart.group)} by group privacy."
    )
    if math.isinf(chart.beats_discarding):
        return f"{sentence} No m makes Theorem 10 better than throwing examples away."
    return (
        f"{sentence} Theorem 10 beats throwing examples away from "
        f"m = {m_in_full(chart.beats_discarding)} on."
    )


VIEW = View(
    key="own",
    title="Your own bound",
    compute=own_bound,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    notes=lambda _: _NOTES,
    parameters=("n_priv", "n_stat", "c", "examples_per_user", "epsilon", "delta", "constant"),
    in_sight=("examples_per_user", "epsilon", "delta"),
)
