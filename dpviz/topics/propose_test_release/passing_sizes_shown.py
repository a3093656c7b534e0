"""From which R₁ on the test passes: the search for a stable set, and the law of R₁."""

from dataclasses import replace

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.spec import Figure
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Landmark, Subject
from dpviz.topics.propose_test_release.delstab_shown import (
    chance_of_refusal,
    how_often_it_refuses,
    users_in_words,
    users_it_needs,
)
from dpviz.topics.propose_test_release.passing_sizes import LeastSpreads, PassingSizes

_SKEWED = 30.0  # times the limit, from which a linear axis would show little more than the largest


def takeaway(chart: PassingSizes) -> str:
    """State how likely the test refuses, and why."""
    refusing = how_often_it_refuses(chart.refusal)
    if not isinstance(chart, LeastSpreads):
        if 0 < chart.refusal < 1:
            return f"Chance draws how many users the test may drop: here {refusing}."
        return f"However many users chance lets the test drop, {refusing}."
    if chart.least_size > 2 * chart.kappa:
        return f"However many users the test drops, the rest differ too much: {refusing}."
    if chart.least_size == 0:
        return f"Whoever is dropped, the rest agree: {refusing}."
    return f"Once {users_in_words(chart.least_size)} may go, the rest agree: {refusing}."


def detail(chart: PassingSizes) -> str:
    """State κ, the law of R₁ or from which R₁ a stable set exists, and how likely ⊥ is."""
    most, refused = 2 * chart.kappa, chance_of_refusal(chart.refusal)
    if not isinstance(chart, LeastSpreads):
        return (
            f"{users_it_needs(chart.kappa)}. The number of users dropped first, R₁, is drawn "
            f"from 0 to 2κ = {most:,}, most often κ. On these data the answer is {refused}."
        )
    if chart.least_size > most:
        stable = f"no set of up to 2κ = {most:,} users is stable"
    elif chart.least_size == 0:
        stable = f"every set of up to 2κ = {most:,} users is stable"
    else:
        stable = (
            f"from R₁ = {chart.least_size:,} on, of at most 2κ = {most:,}, there is a stable "
            "set, without which the rest are alike"
        )
    return f"{users_it_needs(chart.kappa)}. Here {stable}, so the answer is {refused}."


def figure(chart: PassingSizes, theme: Theme) -> Figure:
    """Draw the least spread, on a log axis if it falls far; or the law of R₁, grey where ⊥ is."""
    if not isinstance(chart, LeastSpreads):
        return draw(replace(chart, landmarks=(*chart.landmarks, *_refused(chart))), theme)
    spread = chart.curve("spread").y
    if min(spread.min(), chart.limit) > 0 and spread.max() > _SKEWED * chart.limit:
        chart = replace(chart, y=replace(chart.y, log=True))
    return draw(chart, theme)


def _refused(chart: PassingSizes) -> tuple[Landmark, ...]:
    """Mark the grey part of the law of R₁, if there is one."""
    if chart.least_size == 0:
        return ()
    curve = chart.curve("pmf")
    rising = curve.x <= min(chart.kappa, chart.least_size - 1)
    x, y = curve.x[rising], curve.y[rising]
    slope = int(np.abs(y - 0.5 * y.max()).argmin())  # at the peak the words would cover it
    return (Landmark(float(x[slope]), float(y[slope]), "grey: no answer (⊥)", Subject.DANGER),)
