"""Every attacker: bounds, profiles and coarse results, and how they are said."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from dpviz.plot.text import in_hundred
from dpviz.plot.theme import LIGHT
from dpviz.results.parameters import ParameterError
from dpviz.topics.promise.best_attacker_shown import share, share_at_most
from dpviz.topics.promise.calibrating import MECHANISMS, least_noise
from dpviz.topics.promise.views import every_attacker_shown
from dpviz.topics.promise.views.every_attacker import SIDES, every_attacker
from tests.support.examples import chosen
from tests.support.headlines import faults
from tests.support.specs import Checked

shown = every_attacker_shown
drawn = Checked(every_attacker_shown)
VIEW = every_attacker_shown.VIEW
RELEASE = {"epsilon": 1.0, "delta": 1e-5, "queries": 4, "power": 2.0}
every = pytest.mark.parametrize("mechanism", MECHANISMS)


def attackers(mechanism, side="all", alarm=0.05, **changes):
    usual = {"mechanism": mechanism, "side": side, "false_alarms": alarm} | RELEASE
    *_, result = every_attacker(**usual | changes)
    return result


@every
@pytest.mark.parametrize("side", ["all", "careful"])
def test_the_best_attackers_lie_between_guessing_and_the_promise(mechanism, side):
    chart = attackers(mechanism, side)
    blind, best, promise = (chart.curve(key).y for key in ("blind", "best", "promise"))
    assert np.all(best >= blind - 1e-9)
    assert np.all(best <= promise + 1e-3)


def test_the_best_attacker_is_right_as_often_as_the_distance_of_the_laws_says():
    mu = attackers("gaussian").gaussian_mu
    expected = stats.norm.cdf(mu / 2)  # accuse above the midpoint
    assert attackers("gaussian").correct == pytest.approx(expected)


def test_the_ratio_is_the_likelihood_ratio_at_the_threshold():
    result = attackers("gaussian")
    threshold = stats.norm.isf(0.05)
    ratio = stats.norm.pdf(threshold - result.gaussian_mu) / stats.norm.pdf(threshold)
    assert result.ratio == pytest.approx(ratio, rel=1e-3)
    assert result.hits[1] == pytest.approx(stats.norm.sf(threshold - result.gaussian_mu))


@every
def test_the_profile_meets_the_promise(mechanism):
    curve = attackers(mechanism, "profile").curve("delta")
    at = np.argmin(np.abs(curve.x - 1.0))
    assert curve.y[at] == pytest.approx(1e-5, rel=0.05)
    seen = curve.y[np.isfinite(curve.y)]
    assert np.all(np.diff(seen) <= 0)


def test_a_visible_floor_is_drawn_and_an_invisible_one_told():
    state = {"epsilon": 8.0, "delta": 0.05, "queries": 100, "power": 0.5, "false_alarms": 0.05}
    shown = next(every_attacker(mechanism="bounded", side="profile", **state))
    floor = shown.curve("floor").y[0]
    assert floor == pytest.approx(math.exp(shown.log_floor))
    assert np.nanmin(shown.curve("delta").y) >= floor
    hidden = attackers("bounded", "profile")
    assert "floor" not in [curve.key for curve in hidden.curves]
    assert hidden.log_floor < math.log(1e-12)


def test_coarse_curves_come_first_and_hold_the_fine_ones():
    state = RELEASE | {"epsilon": 1.234, "false_alarms": 0.05}
    coarse, *_, fine = every_attacker(mechanism="bounded", side="all", **state)
    (low, high), (lower, upper) = (
        (r.curve("best").lower, r.curve("best").upper) for r in (coarse, fine)
    )
    assert np.all(low <= upper + 1e-12)
    assert np.all(lower <= high + 1e-12)
    assert np.nanmax(upper - lower) < np.nanmax(high - low)
    # known by now, nothing coarse is needed
    assert len(list(every_attacker(mechanism="bounded", side="careful", **state))) == 1


@pytest.mark.parametrize("mechanism", ["bounded", "laplace"])
def test_a_profile_is_coarse_first_also_where_the_hit_rates_are_known(mechanism):
    """It has places of its own, each as much work as behind the hit rates."""
    state = {"epsilon": 0.777, "false_alarms": 0.05}
    assert attackers(mechanism, "all", **state).done == 1
    usual = RELEASE | state | {"mechanism": mechanism, "side": "profile"}
    coarse, *between, fine = every_attacker(**usual)
    assert coarse.done < 1
    assert coarse.curve("delta").x.size <= 7 < fine.curve("delta").x.size
    assert all(result is coarse for result in between)


@pytest.mark.parametrize(
    ("queries", "alarm"),
    chosen(itertools.product((1, 10, 200), (0.001, 0.05, 0.7)), [(1, 0.7), (200, 0.001)]),
)
def test_what_follows_a_slider_rests_on_few_points_and_is_certified(queries, alarm):
    """Bounds from six ε or fewer hold those from all: near the attacker they are narrow."""
    at = RELEASE | {"epsilon": 0.97, "queries": queries, "false_alarms": alarm}
    least_noise.cache_clear()  # what is known in full needs no first figure
    release = least_noise("bounded", **{key: at[key] for key in RELEASE})
    first = next(every_attacker(mechanism="bounded", side="profile", **at))
    assert first.curve("delta").x.size <= 7
    low, high = release.hits(np.array([alarm]))
    assert first.hits[0] <= high[0] + 1e-12
    assert low[0] <= first.hits[1] + 1e-12
    assert first.hits[1] - first.hits[0] < 0.03
    exact = release.log_delta(np.array([0.0]))
    assert 2 * first.correct - 1 == pytest.approx(math.exp(exact[1][0]), rel=1e-2)


def test_unknown_choices_are_refused():
    with pytest.raises(ParameterError, match="side"):
        attackers("gaussian", side="upside down")
    assert list(SIDES) == ["all", "careful", "profile"]


@pytest.mark.parametrize("side", SIDES)
def test_the_chosen_attacker_can_be_dragged_where_it_is_a_point(side):
    result = attackers("gaussian", side)
    marked = shown.marked(result, 70.0) if side == "all" else result
    figure = drawn.figure(marked, LIGHT)
    if side == "profile":
        assert figure.layout.meta is None
        return
    assert figure.layout.meta is None  # a picture
    drag = drawn.figure(marked, replace(LIGHT, labels="few")).layout.meta["drag"]
    assert (drag["key"], drag["x"]) == ("false_alarms", 0.05)
    assert "y" not in drag  # at the axis: the point itself stays in sight
    assert figure.data[-1].y[0] == result.landmarks[0].y
    assert drawn.figure(shown.hidden(result), LIGHT).layout.meta is None


@every
def test_headlines_have_few_numbers(mechanism):
    assert not faults(VIEW.takeaway(attackers(mechanism)))
    assert not faults(VIEW.takeaway(attackers(mechanism, "careful", alarm=1e-6)))


@every
@pytest.mark.parametrize("side", SIDES)
def test_attackers_are_told_with_their_numbers(mechanism, side):
    result = attackers(mechanism, side)
    headline = VIEW.takeaway(result)
    if side == "profile":
        assert "δ = 10⁻⁵ at ε = 1" in headline
    else:
        assert share_at_most(result.hits[1]) in headline
        assert share(result.false_alarms) in headline
    assert ("no ε whatever" in headline) == (mechanism == "bounded" and side == "profile")
    assert VIEW.notes(result)


def test_who_accuses_most_people_is_told_the_other_way_round():
    assert "unless" in VIEW.detail(attackers("gaussian", alarm=0.95))
    assert "waits for" in VIEW.detail(attackers("gaussian", alarm=0.05))


def test_small_numbers_are_told_as_counts():
    assert share(0.5) == "50%"
    assert share(1e-6) == "1 in 10⁶"
    assert share(0.0) == "none"
    assert in_hundred(0.25) == "25 in 100"
    assert in_hundred(0.9999) == "certainty"


def test_attackers_who_learn_next_to_nothing_are_told_without_empty_comparisons():
    detail = VIEW.detail(attackers("gaussian", "careful", epsilon=0.01, delta=1e-12))
    assert " 1 times" not in detail


def test_the_guess_is_drawn_and_the_answer_hidden():
    result = attackers("gaussian")
    assert [c.key for c in shown.hidden(result).curves] == ["blind"]
    mark = shown.marked(result, 70.0).landmarks[-1]
    assert (mark.x, mark.y) == pytest.approx((0.3, 0.7))
    assert shown.answer(result).endswith("%")


def test_shares_are_written_along_the_axes_as_the_headline_writes_them():
    layout = drawn.figure(attackers("gaussian"), LIGHT).layout
    for axis in (layout.xaxis, layout.yaxis):
        assert list(axis.ticktext)[-1] == "100"
    careful = drawn.figure(attackers("gaussian", "careful"), LIGHT).layout
    assert ("(%)" in layout.xaxis.title.text, "(%)" in careful.xaxis.title.text) == (True, False)
