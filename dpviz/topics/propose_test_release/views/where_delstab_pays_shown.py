"""Where it pays: from how many examples on the test adds less noise than plain noise."""

import math

from dpviz.plot.chart import draw
from dpviz.plot.text import readable
from dpviz.scene.view import View
from dpviz.topics.propose_test_release.users_needed_shown import or_users_needed
from dpviz.topics.propose_test_release.views.where_delstab_pays import PaysChart, where_delstab_pays


def takeaway(chart: PaysChart) -> str:
    """State from how many examples on DelStab adds less noise."""
    if not math.isfinite(chart.usual):
        return (
            f"For the sum of {readable(chart.here, 6)} users the test does not pay: up to a "
            "billion examples each, noise for whole users is smaller."
        )
    return (
        f"For the sum of {readable(chart.here, 6)} users the test pays only if each holds "
        f"{readable(max(chart.usual, 1.0))} examples or more; below that, noise for whole users is "
        "smaller."
    )


def detail(chart: PaysChart) -> str:
    """State the same with what is proven, and with the constants of the proof."""
    side = "above" if chart.examples >= chart.usual else "below"
    usual = (
        f"from m = {readable(max(chart.usual, 1.0))} on"
        if math.isfinite(chart.usual)
        else "for no m up to a billion"
    )
    return (
        f"m = {readable(chart.examples, 7)} is {side} the curve. For well-behaved users (at c = "
        f"1, the least noise they need) DelStab's noise is the smaller one {usual}. For 95% of "
        f"data sets that is proven from {readable(chart.proven)} on, and with the constants of "
        f"the proof of Theorem 17 from {readable(chart.proof)} on. Fewer than {chart.fewest:,} "
        "users cannot be tested at all."
    )


def notes(_: PaysChart) -> list[str]:
    """Say what is compared, and what is not."""
    return [
        "DelStab's noise grows like √m, noise for whole users like m: with enough examples "
        "DelStab wins for every n. More users do not help it: the more users, the farther apart "
        "the 4κ extreme ones.",
        "Noise for whole users is what group privacy makes of a learner that is private for "
        "items (Lemma 6); it needs no test. Clipping to a range of order √m, where the data are "
        "known to lie, beats both for every m (page “Clipping”).",
        "The noise of n − 4κ users is scaled to n. The error of leaving users out is not "
        "counted, which flatters DelStab.",
    ]


VIEW = or_users_needed(
    View(
        key="pays",
        title="Where it pays",
        compute=where_delstab_pays,
        figure=draw,
        takeaway=takeaway,
        detail=detail,
        notes=notes,
        in_sight=("users", "examples_per_user", "epsilon"),
        pulled={"users": "sum of # users"},
        why="Plain noise on a sum grows like the number of examples each user holds, the test's "
        "on well-behaved users only like its root. So the test wins in the end. But it must hide "
        "all users whom it may drop, not one, and that puts the end far away.",
        parameters=("users", "examples_per_user", "epsilon", "delta", "rate"),
    )
)
