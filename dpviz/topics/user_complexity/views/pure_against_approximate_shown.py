"""Pure against approximate: from how many examples on a small δ saves users."""

import math
from collections.abc import Mapping

from dpviz.plot.chart import draw
from dpviz.plot.text import readable
from dpviz.scene.codec import Value
from dpviz.scene.view import View
from dpviz.topics.user_complexity.bounds_shown import (
    examples_in_words,
    m_in_full,
    number_of_users,
    same_to_three_digits,
    times_fewer,
    users_in_words,
)
from dpviz.topics.user_complexity.comparing_shown import notes
from dpviz.topics.user_complexity.rows_shown import (
    CENTRAL,
    against_one_each,
    idle_parameters,
    rows_asked,
)
from dpviz.topics.user_complexity.views.pure_against_approximate import (
    CLEARLY,
    PureApproximateChart,
    pure_against_approximate,
)


def takeaway(chart: PureApproximateChart) -> str:
    """State whether approximate DP helps at the reader's m."""
    ratio = chart.pure / chart.approximate
    each = f"With {examples_in_words(chart.here)} each"
    if ratio < CLEARLY:
        return f"{each}, allowing a small δ saves next to no users, up to constants."
    fewer = times_fewer(ratio, "under pure DP", noun="users")
    return f"{each} and a small δ allowed, {fewer} are enough, up to constants."


def detail(chart: PureApproximateChart) -> str:
    """State both numbers of users, and when approximate DP helps at all."""
    ratio = chart.pure / chart.approximate
    verdict = (
        f"approximate DP saves a factor {readable(ratio)}"
        if ratio >= CLEARLY
        else "the same"
        if same_to_three_digits(ratio)
        else f"the same up to a factor {readable(ratio)}"
    )
    sentence = (
        f"With {examples_in_words(chart.here)} each the best bounds ask for "
        f"{users_in_words(chart.pure)} under pure DP and {number_of_users(chart.approximate)} "
        f"under approximate DP, up to constants: {verdict}."
    )
    if math.isinf(chart.helps_from):
        return f"{sentence} Approximate DP never halves the users here."
    return f"{sentence} Approximate DP first halves the users at m = {m_in_full(chart.helps_from)}."


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect on the upper bounds of either kind of privacy."""
    pure, approximate = (
        rows_asked({**values, "privacy": privacy, "model": "central"})
        for privacy in ("pure", "approximate")
    )
    if not (pure and approximate):
        return idle_parameters([])  # nothing is drawn
    return idle_parameters([*against_one_each(pure), *against_one_each(approximate)])


VIEW = View(
    key="kinds",
    title="Pure against approximate",
    compute=pure_against_approximate,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("problem", *CENTRAL),
    in_sight=("examples_per_user", "problem", "epsilon"),
    idle=idle_controls,
    defaults={"examples_per_user": 1000},
    pulled={"examples_per_user": "With # examples"},
)
