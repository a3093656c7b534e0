"""Theorem 10 and a reader's bound: in closed form, by hand, in words."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from dpviz.plot.text import readable
from dpviz.plot.theme import LIGHT
from dpviz.topics.user_complexity.views.theorem_10_and_your_bound import (
    theorem_10_and_your_bound as own_bound,
)
from dpviz.topics.user_complexity.views.theorem_10_and_your_bound_shown import VIEW
from tests.support.declarations import last, page
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
        ({"theorem_10": 40.0, "group": 20.0}, "2 times as many users as group privacy"),
        ({"theorem_10": 20.0, "group": 40.0}, "2 times fewer users than group privacy"),
        ({"theorem_10": 120.0, "group": 100.0}, "1.2 times as many users as keeping one each"),
    ):
        sentence = VIEW.takeaway(replace(chart, item_level=100.0, **users))
        assert sentence == f"With 1 example each, using it needs {said} (constants dropped)."


def test_the_readers_own_bound_in_a_sentence():
    """ε = 1/2, δ = e⁻⁴, c = 0, m = 1: 8 + 320 + 7 by Theorem 10, 27 before."""
    own = {"n_priv": 10, "n_stat": 7, "c": 0}
    setting = {"epsilon": 0.5, "delta": math.exp(-4), "examples_per_user": 1}
    sentence = VIEW.detail(own_bound(**own, **setting))
    assert sentence.startswith("27 users of one example each become 335 users of 1 example by")
    assert "(about 12 times more than before), and 27 by group privacy." in sentence


BOUND = {"n_priv": 1, "n_stat": 1, "c": 0}


@examples(60)
@given(**where)
def test_the_budgets(epsilon, delta, examples_per_user):
    chart = own_bound(**BOUND, epsilon=epsilon, delta=delta, examples_per_user=examples_per_user)
    m, log = float(examples_per_user), math.log(1 / delta)
    assert chart.group_epsilon == pytest.approx(epsilon / m)
    assert chart.item_epsilon == pytest.approx(
        epsilon**2 / (log * math.sqrt(m * math.log(m / delta)))
    )
    assert chart.item_log_delta == pytest.approx(math.log(epsilon / (m * log)) - log)
    assert chart.applies == (chart.item_epsilon <= epsilon and chart.item_log_delta < 0)


def test_the_budget_in_a_sentence():
    """ε = 1/2, δ = e⁻⁴, m = 1: ε′ = (1/4)/(4 · 2) and δ′ = e⁻⁴/8."""
    setting = {"epsilon": 0.5, "delta": math.exp(-4), "examples_per_user": 1}
    sentence = VIEW.detail(own_bound(**BOUND, **setting))
    assert "ε′ = 0.0312 and δ′ = 0.00229" in sentence
    assert sentence.endswith("group privacy needs ε/m = 0.5.")
    tiny = own_bound(**BOUND, epsilon=0.5, delta=1e-300, examples_per_user=10**24)
    # ln δ′ = ln(ε/(m ln(1/δ))) + ln δ: 0.5/(10²⁴ · 690.8) = 7.24 × 10⁻²⁸.
    assert "δ′ = 7.24 × 10⁻³²⁸" in VIEW.detail(tiny)


@pytest.mark.parametrize(("m", "plain"), [(10, "group"), (500_000, "item_level")])
def test_the_number_of_the_sentence_is_on_the_curve(m, plain):
    chart = last(page("user_complexity"), "own", examples_per_user=m)
    figure = VIEW.figure(chart, LIGHT)
    [line] = [one for one in figure.data if one["mode"] == "lines"]
    users = float(line["y"][list(line["x"]).index(m)])
    assert users == pytest.approx(chart.theorem_10 / getattr(chart, plain))
    fewer, many = f"{readable(1 / users, 2)} times fewer", f"{readable(users, 2)} times as many"
    times = fewer if users < 1 else many
    assert times in VIEW.takeaway(chart)
    assert f"<b>{times}</b>" in [note["text"] for note in figure.layout["annotations"]]


def test_the_crossing_is_on_the_curve_and_named():
    chart = last(page("user_complexity"), "own")
    figure = VIEW.figure(chart, LIGHT)
    [circle] = [one for one in figure.data if one.get("marker", {}).get("symbol") == "circle-open"]
    [line] = [one for one in figure.data if one["mode"] == "lines"]
    [x], [y] = circle["x"], circle["y"]
    assert x == chart.beats_both
    there = np.exp(np.interp(np.log(x), np.log(line["x"]), np.log(line["y"])))
    assert there == pytest.approx(y, rel=0.01)
    words = [note["text"] for note in figure.layout["annotations"]]
    assert "fewer users from about 140,000 on" in words


@examples(20)
@given(n_priv=inside("n_priv"), n_stat=inside("n_stat"), c=inside("c"), **where)
def test_in_every_stretch_no_other_way_needs_fewer(n_priv, n_stat, c, **setting):
    chart = own_bound(n_priv=n_priv, n_stat=n_stat, c=c, **setting)
    ways = {key: chart.curve(key) for key in ("sandwich", "group", "theorem_10")}
    least = np.min([curve.y for curve in ways.values()], axis=0)
    for way, start, stop in chart.cheapest:
        inside_it = (start <= ways[way].x) & (ways[way].x < stop)
        assert np.all(ways[way].y[inside_it] <= least[inside_it] * (1 + 1e-8))
    ends = [(one.stop, other.start) for one, other in itertools.pairwise(chart.cheapest)]
    assert all(one == other for one, other in ends)
