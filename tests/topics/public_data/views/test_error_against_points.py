"""Errors against m: too few public points hurt, and too many."""

import math

import numpy as np
import pytest

from dpviz.plot.theme import DARK, LIGHT
from dpviz.topics.public_data.views import error_against_points_shown
from dpviz.topics.public_data.views.error_against_points import error_against_points
from tests.support.declarations import last, page
from tests.support.small_lessons import called
from tests.support.specs import Checked

error_against_points_shown = Checked(error_against_points_shown)
PAGE = page("public_data")
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])


def test_too_many_public_points_hurt():
    [*_, chart] = called(error_against_points, samples=3000, runs=20, constant=0.3)
    curve = chart.curve("rrspm")
    best = int(np.argmin(curve.y))
    assert 3 < curve.x[best] < 300
    assert curve.y[-1] > 3 * curve.y[best]
    assert curve.y[0] > curve.y[best]
    # Lemma 23 bounds what the weights cost: 4m²·log(m/β)/(εn)
    lemma = chart.curve("lemma_23")
    assert lemma.y[0] == pytest.approx(4 * math.log(20) / 3000)
    # Theorem 10, (183): the projection, the sampling twice, the weights; d = 1, β = .05, C = .3
    total = chart.curve("lemmas")
    known = np.isfinite(total.y)
    assert known.any()
    m, capacity = total.x[known], 1 + math.log(20)
    terms = [0.3 * np.sqrt(capacity / m), 2 * 0.3 * math.sqrt(capacity / 3000)]
    terms.append(4 * m**2 * np.log(20 * m) / 3000)
    assert total.y[known] == pytest.approx(sum(terms))
    assert chart.curve("theorem_9").y == pytest.approx(np.full(total.x.shape, terms[1]))


@THEMES
def test_the_best_number_of_points_is_marked(theme):
    chart = last(PAGE, "points", samples=3000, runs=10)
    curve = chart.curve("rrspm")
    best = curve.x[np.argmin(curve.y)]
    texts = [
        n.text.replace("<br>", " ")
        for n in error_against_points_shown.figure(chart, theme).layout.annotations
    ]
    assert f"least at m = {best:,.0f}" in texts
    assert f"did best with m = {best:,.0f}" in error_against_points_shown.VIEW.detail(chart)


def test_a_best_number_of_points_at_the_end_is_told_as_such():
    chart = last(PAGE, "points", samples=10**5, epsilon=10, runs=3)
    curve = chart.curve("rrspm")
    if np.nanargmin(curve.y) < curve.y.size - 1:
        curve.y[-1] = np.nanmin(curve.y) / 2
    assert "no more were tried" in error_against_points_shown.VIEW.detail(chart)


def test_the_best_of_a_few_runs_is_told_as_theirs():
    call = {"samples": 3000, "runs": 20, "constant": 0.3}
    charts = [chart for chart in called(error_against_points, **call) if chart.done]
    headlines = [error_against_points_shown.VIEW.headline(chart) for chart in charts]
    assert len(headlines) > 1
    assert all(said.startswith("So far, from ") for said in headlines[:-1])
    assert headlines[-1].startswith("About ")
