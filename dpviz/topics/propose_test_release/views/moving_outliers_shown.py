"""Outliers move away: how likely the test refuses as they do."""

import math
from collections.abc import Mapping

from dpviz.plot.chart import draw
from dpviz.plot.text import hundredths, readable
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

_REFUSED = Limit("guess", "%", "of the runs are refused", 0, 100, 50, log=False, step=1)


def takeaway(chart: MovedOutliers) -> str:
    """State how likely the test refuses with one outlier where it is, and with many."""
    alone, together = (how_often_it_refuses(part) for part in (chart.alone, chart.together))
    if alone == together:
        return f"Whether one outlier stands at this distance or {chart.crowd:,} do, {alone}."
    return (
        f"With one outlier at this distance {alone}; with {chart.crowd:,} "
        f"{together.replace('the test', 'it')}."
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


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect here, where outliers are moved whatever the data."""
    return idle_controls_and_seed(values) - {"outliers", "outlier_distance"}


VIEW = or_users_needed(
    View(
        key="outliers",
        title="Outliers move away",
        compute=moving_outliers,
        figure=draw,
        takeaway=takeaway,
        detail=detail,
        notes=lambda _: [NOT_PROTECTED],
        parameters=SETTING,
        in_sight=("outliers", "outlier_distance", "epsilon"),
        pulled={"outliers": "with # it"},
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
