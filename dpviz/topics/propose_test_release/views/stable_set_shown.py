"""The stable set: how many users the test must leave out until the rest are alike."""

from dataclasses import replace

from dpviz.plot.chart import draw
from dpviz.plot.spec import Figure
from dpviz.plot.theme import Theme
from dpviz.scene.view import View
from dpviz.topics.propose_test_release.data_shown import NO_MORE_DRAWN
from dpviz.topics.propose_test_release.delstab_shown import (
    NOT_PROTECTED,
    chance_of_refusal,
    how_often_it_refuses,
    users_in_words,
    users_it_needs,
)
from dpviz.topics.propose_test_release.users_needed_shown import or_users_needed
from dpviz.topics.propose_test_release.views.stable_set import LeastSpreads, stable_set

_SKEWED = 30.0  # times the limit, from which a linear axis would show little more than the largest


def takeaway(chart: LeastSpreads) -> str:
    """State how likely the test refuses, and why."""
    refusing = how_often_it_refuses(chart.refusal)
    if chart.least_size > 2 * chart.kappa:
        return f"However many users it leaves out, the rest differ too much: {refusing}."
    if chart.least_size == 0:
        return f"Whoever is left out, the rest are alike: {refusing}."
    left = users_in_words(chart.least_size)
    return f"Once it leaves out {left}, the rest are alike: {refusing}."


def detail(chart: LeastSpreads) -> str:
    """State κ, and from which R₁ a stable set exists."""
    most = 2 * chart.kappa
    if chart.least_size > most:
        stable = f"no set of up to 2κ = {most:,} users is stable"
    elif chart.least_size == 0:
        stable = f"every set of up to 2κ = {most:,} users is stable"
    else:
        stable = (
            f"a stable set, without which the rest are alike, exists from R₁ = "
            f"{chart.least_size:,} left out on, of at most 2κ = {most:,}"
        )
    refused = chance_of_refusal(chart.refusal)
    return f"{users_it_needs(chart.kappa)}; {stable}, so the answer is {refused}."


def figure(chart: LeastSpreads, theme: Theme) -> Figure:
    """Draw the least spread against R₁, on a log axis if it falls far."""
    spread = chart.curve("spread").y
    if min(spread.min(), chart.limit) > 0 and spread.max() > _SKEWED * chart.limit:
        chart = replace(chart, y=replace(chart.y, log=True))
    return draw(chart, theme)


VIEW = or_users_needed(
    View(
        key="search",
        title="The stable set",
        compute=stable_set,
        figure=figure,
        takeaway=takeaway,
        detail=detail,
        notes=lambda _: [NOT_PROTECTED],
        **NO_MORE_DRAWN,
    )
)
