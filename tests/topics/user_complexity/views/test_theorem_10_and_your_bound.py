"""Theorem 10 and a reader's bound, as users and as a budget: in closed form, by hand, in words."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from dpviz.results.evidence import Evidence
from dpviz.results.parameters import ParameterError
from dpviz.topics.user_complexity.views.theorem_10_and_your_bound import (
    theorem_10_and_your_bound as own_bound,
)
from dpviz.topics.user_complexity.views.theorem_10_and_your_bound_shown import VIEW
from tests.support.examples import examples
from tests.support.strategies import inside
from tests.support.tabulated_bounds import check_chart

where = {n: inside(n) for n in ("epsilon", "delta", "examples_per_user")}


@examples(60)
@given(n_priv=inside("n_priv"), n_stat=inside("n_stat"), c=inside("c"), **where)
def test_own_bound_chart(n_priv, n_stat, c, epsilon, delta, examples_per_user):
    own = {"n_priv": n_priv, "n_stat": n_stat, "c": c}
    privacy = {"epsilon": epsilon, "delta": delta}
    chart = own_bound(**own, **privacy, examples_per_user=examples_per_user)
    check_chart(chart)
    log = math.log(1 / delta)
    n_1 = log**c / epsilon * n_priv + n_stat
    assert chart.item_level == pytest.approx(n_1)
    assert (chart.curve("sandwich").y == 1).all()
    m = float(examples_per_user)
    assert chart.corollary_3 == pytest.approx(
        log ** (c + 1.5) * n_priv / (epsilon**2 * math.sqrt(m)) + n_stat / m + log / epsilon
    )
    # Group privacy: the privacy part stays, up to the logarithm, and the rest is shared by m.
    log_group = log + math.log(math.expm1(epsilon)) - math.log(math.expm1(epsilon / m))
    assert chart.group == pytest.approx(log_group**c / epsilon * n_priv + n_stat / m)
    # At m = 1 it is the item-level algorithm itself, and m people are worth one user at most.
    group = chart.curve("group")
    assert group.y[0] == pytest.approx(1)
    assert (group.y >= (1 - 1e-9) / group.x).all()
    for key in ("group", "theorem_10", "theorem_11", "corollary_3"):
        assert chart.value(key) == pytest.approx(getattr(chart, key) / n_1)
    scaled = own_bound(**own, **privacy, examples_per_user=examples_per_user, constant=2)
    assert scaled.theorem_10 == pytest.approx(2 * chart.theorem_10)
    assert scaled.group == chart.group
    if m <= 1e15 and math.isfinite(chart.beats_discarding):
        for shift, better in ((0, True), (-1, False)):
            users = own_bound(
                **own, **privacy, examples_per_user=max(1, chart.beats_discarding + shift)
            ).theorem_10
            near = users == pytest.approx(n_1, rel=1e-12)
            assert near or (users < n_1) == better or chart.beats_discarding == 1


def test_own_bound_by_hand():
    """ε = 1/2, δ = e⁻⁴, c = 0, m = 1: ε′ = 1/4 / (4 · 2) = 1/32, so 8 + 32 n_priv + n_stat."""
    chart = own_bound(
        n_priv=10, n_stat=7, c=0, epsilon=0.5, delta=math.exp(-4), examples_per_user=1
    )
    assert chart.theorem_10 == pytest.approx(8 + 320 + 7)
    assert chart.theorem_11 == pytest.approx(8 + 16 * (20 + 7))
    assert chart.corollary_3 == pytest.approx(8 + 320 + 7)
    assert chart.item_level == pytest.approx(27)
    assert chart.group == pytest.approx(27)


def test_group_privacy_is_named_where_it_is_cheaper():
    own = {"n_priv": 10, "n_stat": 7, "c": 0}
    chart = own_bound(**own, epsilon=0.5, delta=math.exp(-4), examples_per_user=1)
    for users, said in (
        ({"theorem_10": 40.0, "group": 20.0}, "group privacy is cheapest"),
        ({"theorem_10": 20.0, "group": 40.0}, "the transformation pays: it needs 5 times fewer"),
        ({"theorem_10": 120.0, "group": 100.0}, "the transformation does not pay"),
        ({"theorem_10": 120.0, "group": 90.0}, "group privacy is cheapest"),
    ):
        sentence = VIEW.takeaway(replace(chart, item_level=100.0, **users))
        assert sentence.startswith(f"With 1 example each, {said}")
    sentence = VIEW.takeaway(replace(chart, item_level=100.0, theorem_10=40.0, group=20.0))
    assert "needs 20 users, the transformation 40, up to constants" in sentence


def test_the_readers_own_bound_in_a_sentence():
    """ε = 1/2, δ = e⁻⁴, c = 0, m = 1: 8 + 320 + 7 by Theorem 10, 27 before."""
    own = {"n_priv": 10, "n_stat": 7, "c": 0}
    setting = {"epsilon": 0.5, "delta": math.exp(-4), "examples_per_user": 1}
    sentence = VIEW.detail(own_bound(**own, **setting))
    assert sentence.startswith("27 users of one example each become 335 users of 1 example by")
    assert "(12.4 times more than before), and 27 by group privacy." in sentence


def at(curve, x):
    """Read a curve off at x, between its points as a straight line on log-log paper."""
    return math.exp(np.interp(math.log(x), np.log(curve.x), np.log(curve.y)))


BUDGET = {"asked": "budget", "n_priv": 1, "n_stat": 1, "c": 0}


@examples(60)
@given(**where)
def test_budget_chart(epsilon, delta, examples_per_user):
    chart = own_bound(**BUDGET, epsilon=epsilon, delta=delta, examples_per_user=examples_per_user)
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
    sentence = VIEW.detail(own_bound(**BUDGET, **setting))
    assert "ε′ = 0.0312 and δ′ = 0.00229" in sentence
    assert "group privacy needs ε/m = 0.5. Theorem 10 asks for" in sentence
    tiny = own_bound(**BUDGET, epsilon=0.5, delta=1e-300, examples_per_user=10**24)
    # ln δ′ = ln(ε/(m ln(1/δ))) + ln δ: 0.5/(10²⁴ · 690.8) = 7.24 × 10⁻²⁸.
    assert "δ′ = 7.24 × 10⁻³²⁸" in VIEW.detail(tiny)
    assert "asks for less privacy from" in VIEW.detail(tiny)


def test_a_budget_like_that_of_group_privacy_is_called_as_private():
    alike = own_bound(**BUDGET, epsilon=0.1, delta=1e-6, examples_per_user=100)
    for group, said in (
        (1.004, "algorithm whose ε is as large as group privacy needs"),
        (1.2, "1.2 times smaller"),
        (0.5, "makes do with an item-level algorithm whose ε is 2 times larger"),
    ):
        chart = replace(alike, theorem=1e-4, group=group * 1e-4)
        assert said in VIEW.takeaway(chart)


def test_unknown_questions_are_named():
    with pytest.raises(ParameterError, match="asked"):
        own_bound(**BUDGET | {"asked": "time"}, epsilon=1, delta=1e-6, examples_per_user=10)
