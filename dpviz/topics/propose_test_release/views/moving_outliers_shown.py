"""Outliers move away: how likely the test refuses as they do."""

import math
from collections.abc import Mapping
from typing import Any

from dpviz.plot.marks import Mark, Part, Text
from dpviz.plot.panels import Charted, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import hundredths, readable
from dpviz.plot.theme import Theme
from dpviz.results.parameters import Limit
from dpviz.scene.asking import PERCENT, value_at_here
from dpviz.scene.codec import Value
from dpviz.scene.view import Sketch, View
from dpviz.topics.propose_test_release.data_shown import (
    SETTING,
    half_of_the_users,
    idle_controls_and_seed,
)
from dpviz.topics.propose_test_release.delstab_shown import (
    NOT_PROTECTED,
    chance_of_refusal,
    how_often_it_refuses,
    users_in_words,
    users_it_needs,
)
from dpviz.topics.propose_test_release.users_needed_shown import or_users_needed
from dpviz.topics.propose_test_release.views.moving_outliers import MovedOutliers, moving_outliers

_SELDOM = 0.1  # of the runs
_REFUSED = Limit("guess", "%", "of the runs are refused", 0, 100, 50, log=False, step=1)


def takeaway(chart: MovedOutliers) -> str:
    """State how likely the test refuses with one outlier where it is, and with many."""
    said = (how_often_it_refuses(part) for part in (chart.alone, chart.together))
    alone, together = (words.replace("the test", "the algorithm") for words in said)
    far = f"at distance d = {readable(chart.here)}"
    if alone == together:
        return f"Whether one outlier stands {far} or {chart.crowd:,} do, {alone}."
    return (
        f"With one outlier {far} {alone}; with {chart.crowd:,} outliers "
        f"{together.replace('the algorithm', 'it')}."
    )


def detail(chart: MovedOutliers) -> str:
    """State how likely ⊥ is with the outliers where they are, and what one user can change."""
    refusal = chart.value("refusal")
    budget = chart.budget
    return (
        f"{users_it_needs(budget.kappa)}. With {users_in_words(chart.outliers)} at "
        f"{readable(chart.here)} times {chart.x.unit.removeprefix('in units of ')} from the "
        f"others' median the answer is {chance_of_refusal(refusal)}. No single user can raise a "
        f"probability p of ⊥ above {readable(math.exp(budget.epsilon_bar))}·p + "
        f"{readable(budget.delta_bar)}."
    )


def figure(chart: MovedOutliers, theme: Theme) -> Figure:
    """Draw the chart, and why many make the test refuse where one does not."""
    curves = {curve.key: curve.y for curve in chart.curves}
    key, kappa = "crowd" if chart.outliers == 1 else "refusal", chart.budget.kappa
    enough = 1 - chart.budget.threshold.below(chart.crowd)
    marks = list[Mark]()
    if len(curves) > 1 and enough < _SELDOM and curves[key][-1] > 1 - _SELDOM:
        few, often = f"it may drop about {users_in_words(kappa)}", "seldom" if enough else "never"
        looks: dict[str, Any] = {"about": chart.curve(key), "backed": True}
        words = f"{few}, {often} all {chart.crowd:,}", f"it may drop about {kappa:,}"
        marks = [Text(words, Part(0.98), 0.7, to="W", **looks)]
    return stacked(theme, Charted(chart, marks))


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect here, where outliers are moved whatever the data."""
    return idle_controls_and_seed(values) - {"outliers", "outlier_distance"}


VIEW = or_users_needed(
    View(
        key="outliers",
        title="Outliers move away",
        compute=moving_outliers,
        figure=figure,
        takeaway=takeaway,
        detail=detail,
        notes=lambda _: [NOT_PROTECTED],
        parameters=SETTING,
        in_sight=("outliers", "outlier_distance", "epsilon"),
        pulled={"outliers": "with # outliers"},
        why="One strange person must not decide whether there is an answer, or the refusal "
        "would give them away. So chance draws how many users the test may drop, and one "
        "outlier is simply dropped. Only a group of more than it may drop makes the test refuse.",
        idle=idle_controls,
        most=half_of_the_users,
        sketch=Sketch(
            question="Outliers move away from the others. Draw how likely the "
            "algorithm is to refuse an answer.",
            curve="refusal",
        ),
        prediction=value_at_here(
            "The outliers stand as far away as the control says. How often will the test "
            "refuse to answer, in how many of 100 runs?",
            _REFUSED,
            "refusal",
            scale=PERCENT,
            answer=lambda refused: f"in {hundredths(refused / 100)} of 100 runs",
        ),
    )
)
