"""A reader's own bound by every route: in closed form, by hand, in sentences."""

import math
from dataclasses import replace

import pytest
from hypothesis import given

from dpviz.topics.user_complexity.views.own_bound import own_bound
from dpviz.topics.user_complexity.views.own_bound_shown import VIEW
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
    band = chart.curve("sandwich")
    assert band.upper == pytest.approx(n_1)
    assert band.lower == pytest.approx(n_1 / band.x)
    m = float(examples_per_user)
    assert chart.corollary_3 == pytest.approx(
        log ** (c + 1.5) * n_priv / (epsilon**2 * math.sqrt(m)) + n_stat / m + log / epsilon
    )
    # Group privacy: the privacy part stays, up to the logarithm, and the rest is shared by m.
    log_group = log + math.log(math.expm1(epsilon)) - math.log(math.expm1(epsilon / m))
    assert chart.group == pytest.approx(log_group**c / epsilon * n_priv + n_stat / m)
    # At m = 1 it is the item-level algorithm itself, and it never leaves the band.
    group = chart.curve("group").y
    assert group[0] == pytest.approx(n_1)
    assert (group >= band.lower * (1 - 1e-9)).all()
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
        ({"theorem_10": 40.0, "group": 20.0}, "Plain group privacy is cheaper"),
        ({"theorem_10": 20.0, "group": 40.0}, "The transformation pays"),
        ({"theorem_10": 120.0, "group": 100.0}, "It does not pay"),
        ({"theorem_10": 120.0, "group": 90.0}, "Plain group privacy is cheaper"),
    ):
        sentence = VIEW.takeaway(replace(chart, item_level=100.0, **users))
        assert sentence.startswith(said)
    sentence = VIEW.takeaway(replace(chart, item_level=100.0, theorem_10=40.0, group=20.0))
    assert "asks for 20 users, the transformation for 40, up to constants" in sentence


def test_the_readers_own_bound_in_a_sentence():
    """ε = 1/2, δ = e⁻⁴, c = 0, m = 1: 8 + 320 + 7 by Theorem 10, 27 before."""
    own = {"n_priv": 10, "n_stat": 7, "c": 0}
    setting = {"epsilon": 0.5, "delta": math.exp(-4), "examples_per_user": 1}
    sentence = VIEW.detail(own_bound(**own, **setting))
    assert sentence.startswith("27 users of one example each become 335 users of 1 example by")
    assert "(12.4 times more than before), and 27 by group privacy." in sentence
