"""Theorem 10: how much more private than group privacy asks the item-level algorithm must be."""

import math

from dpviz.plot.chart import draw
from dpviz.plot.text import counted, power_of_ten, readable
from dpviz.scene.view import View
from dpviz.topics.user_complexity.bounds_shown import m_in_full, same_to_three_digits
from dpviz.topics.user_complexity.views.budget_against_m import BudgetChart, budget_against_m


def takeaway(chart: BudgetChart) -> str:
    """State how much more private the item-level algorithm must be than by group privacy."""
    ratio = chart.group / chart.theorem
    if same_to_three_digits(ratio):
        than = "as large as group privacy needs"
    elif ratio > 1:
        than = f"{readable(ratio)} times smaller than group privacy needs"
    else:
        than = f"{readable(1 / ratio)} times larger than group privacy needs"
    return (
        f"At {counted(chart.here, 'example')} per user, the transformation needs an item-level "
        f"algorithm whose ε is {than} (constants dropped)."
    )


def detail(chart: BudgetChart) -> str:
    """State the item-level budget that Theorem 10 asks for, beside that of group privacy."""
    sentence = (
        f"With {counted(chart.here, 'example')} each, Theorem 10 runs the item-level algorithm at "
        f"ε′ = {readable(chart.theorem)} and δ′ = {_exponential(chart.theorem_log_delta)}, up to "
        f"constants; group privacy needs ε/m = {readable(chart.group)}."
    )
    if math.isinf(chart.better_from):
        return f"{sentence} That stays the milder demand for every m."
    better_from = f"from m = {m_in_full(chart.better_from)} on"
    if chart.theorem > chart.group:
        return f"{sentence} Theorem 10 is the milder demand {better_from}."
    return f"{sentence} Only {better_from} is Theorem 10 the milder demand."


def _exponential(logarithm: float) -> str:
    """Write e to the `logarithm`, however small it is."""
    if logarithm > -700:
        return readable(math.exp(logarithm))
    return f"about {power_of_ten(round(logarithm / math.log(10)))}"


VIEW = View(
    key="budget",
    title="Theorem 10",
    compute=budget_against_m,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    parameters=("examples_per_user", "epsilon", "delta"),
)
