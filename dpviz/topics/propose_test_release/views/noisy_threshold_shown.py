"""The noisy threshold: the law of R₁, and how much of it ends in a refusal."""

from dataclasses import replace

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.spec import Figure
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Mark, Subject
from dpviz.scene.view import View
from dpviz.topics.propose_test_release.data_shown import NO_MORE_DRAWN
from dpviz.topics.propose_test_release.delstab_shown import (
    NOT_PROTECTED,
    chance_of_refusal,
    how_often_it_refuses,
    users_it_needs,
)
from dpviz.topics.propose_test_release.passing_sizes import PassingSizes
from dpviz.topics.propose_test_release.users_needed_shown import or_users_needed
from dpviz.topics.propose_test_release.views.noisy_threshold import noisy_threshold


def takeaway(chart: PassingSizes) -> str:
    """State that chance decides, and how likely the test refuses."""
    refusing = how_often_it_refuses(chart.refusal)
    return f"Chance decides how many users may be left out; so {refusing}."


def detail(chart: PassingSizes) -> str:
    """State κ, the law of R₁, and how much of it ends in ⊥."""
    most = 2 * chart.kappa
    return (
        f"{users_it_needs(chart.kappa)}. How many it is, R₁, is drawn from 0 to 2κ = {most:,}, "
        f"most often κ, and on these data the answer is {chance_of_refusal(chart.refusal)}."
    )


def figure(chart: PassingSizes, theme: Theme) -> Figure:
    """Draw the law of R₁, grey where the answer is ⊥."""
    return draw(replace(chart, marks=(*chart.marks, *_refused(chart))), theme)


def _refused(chart: PassingSizes) -> tuple[Mark, ...]:
    """Mark the grey part of the law of R₁, if there is one."""
    if chart.least_size == 0:
        return ()
    curve = chart.curve("pmf")
    rising = curve.x <= min(chart.kappa, chart.least_size - 1)
    x, y = curve.x[rising], curve.y[rising]
    slope = int(np.abs(y - 0.5 * y.max()).argmin())  # at the peak the words would cover it
    return (Mark(float(x[slope]), float(y[slope]), "grey: the answer is ⊥", Subject.DANGER),)


VIEW = or_users_needed(
    View(
        key="threshold",
        title="The noisy threshold",
        compute=noisy_threshold,
        figure=figure,
        takeaway=takeaway,
        detail=detail,
        notes=lambda _: [NOT_PROTECTED],
        **NO_MORE_DRAWN,
    )
)
