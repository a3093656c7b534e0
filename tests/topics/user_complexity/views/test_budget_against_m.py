"""The item-level budget of Theorem 10, in closed form and in a sentence."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from dpviz.results.evidence import Evidence
from dpviz.topics.user_complexity.views.budget_against_m import budget_against_m
from dpviz.topics.user_complexity.views.budget_against_m_shown import VIEW
from tests.support.examples import examples
from tests.support.strategies import inside
from tests.support.tabulated_bounds import check_chart


def at(curve, x):
    """Read a curve off at x, between its points as a straight line on log-log paper."""
    return math.exp(np.interp(math.log(x), np.log(curve.x), np.log(curve.y)))


where = {n: inside(n) for n in ("epsilon", "delta", "examples_per_user")}


@examples(60)
@given(**where)
def test_budget_chart(epsilon, delta, examples_per_user):
    chart = budget_against_m(epsilon=epsilon, delta=delta, examples_per_user=examples_per_user)
    check_chart(chart)
    theorem, group = chart.curve("theorem"), chart.curve("group")
    assert group.evidence is Evidence.PUBLISHED
    log_delta = math.log(delta * epsilon / math.log(1 / delta)) - np.log(theorem.x)
    assert (theorem.holds == ((theorem.y <= epsilon) & (log_delta < 0))).all()
    assert group.y == pytest.approx(epsilon / group.x)
    # Better than group privacy iff √m > ln(1/δ) √ln(m/δ) / ε, here solved by iteration.
    log = math.log(1 / delta)
    m = 1.0
    for _ in range(200):
        m = max(1.0, (log / epsilon) ** 2 * (math.log(m) + log))
    assert chart.better_from == pytest.approx(m, rel=1e-6, abs=1.01)
    assert at(theorem, 1) == pytest.approx(epsilon**2 / log**1.5)


def test_the_budget_in_a_sentence():
    """ε = 1/2, δ = e⁻⁴, m = 1: ε′ = (1/4)/(4 · 2) and δ′ = e⁻⁴/8."""
    setting = {"epsilon": 0.5, "delta": math.exp(-4), "examples_per_user": 1}
    sentence = VIEW.detail(budget_against_m(**setting))
    assert "ε′ = 0.0312 and δ′ = 0.00229" in sentence
    assert "group privacy needs ε/m = 0.5. Only from" in sentence
    tiny = budget_against_m(epsilon=0.5, delta=1e-300, examples_per_user=10**24)
    # ln δ′ = ln(ε/(m ln(1/δ))) + ln δ: 0.5/(10²⁴ · 691) = 10⁻²⁷·¹⁴.
    assert "δ′ = about 10⁻³²⁷" in VIEW.detail(tiny)
    assert "is the milder demand from" in VIEW.detail(tiny)


def test_a_budget_like_that_of_group_privacy_is_called_as_private():
    alike = budget_against_m(epsilon=0.1, delta=1e-6, examples_per_user=100)
    for group, said in (
        (1.004, "algorithm whose ε is as large as group privacy needs"),
        (1.2, "1.2 times smaller"),
        (0.5, "2 times larger"),
    ):
        chart = replace(alike, theorem=1e-4, group=group * 1e-4)
        assert said in VIEW.takeaway(chart)
