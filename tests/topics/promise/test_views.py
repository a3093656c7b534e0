"""What the views compute: against brute force, each other, and what the words claim."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from scipy import stats

from dpviz.results.evidence import Evidence
from dpviz.results.parameters import ParameterError
from dpviz.topics.promise.calibrating import MECHANISMS, least_noise
from dpviz.topics.promise.views.again import again_and_again
from dpviz.topics.promise.views.attackers import SIDES, every_attacker
from dpviz.topics.promise.views.odds import odds
from dpviz.topics.promise.views.rows import many_rows
from tests.support.examples import chosen

RELEASE = {"epsilon": 1.0, "delta": 1e-5, "queries": 4, "power": 2.0}
every = pytest.mark.parametrize("mechanism", MECHANISMS)


def attackers(mechanism, side="all", **changes):
    usual = {"mechanism": mechanism, "side": side, "false_alarms": 0.05} | RELEASE
    *_, result = every_attacker(**usual | changes)
    return result


def begun(mechanism, **changes):
    """The first result, which has all of the reader's own number of answers."""
    usual = {"answer_epsilon": 0.2, "delta": 1e-5, "queries": 30, "power": 2.0}
    return next(again_and_again(mechanism=mechanism, **usual | changes))


@cache
def stages(mechanism):
    usual = {"answer_epsilon": 0.2, "delta": 1e-5, "queries": 30, "power": 2.0}
    return tuple(again_and_again(mechanism=mechanism, **usual))


def rows(mechanism, **changes):
    *_, result = many_rows(**{"mechanism": mechanism, "examples_per_user": 4} | RELEASE | changes)
    return result


@every
@pytest.mark.parametrize("side", ["all", "careful"])
def test_the_best_attackers_lie_between_guessing_and_the_promise(mechanism, side):
    chart = attackers(mechanism, side).chart
    sign = -1 if side == "all" else 1
    blind, best, promise = (sign * chart.curve(key).y for key in ("blind", "best", "promise"))
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
    curve = attackers(mechanism, "profile").chart.curve("delta")
    at = np.argmin(np.abs(curve.x - 1.0))
    assert curve.y[at] == pytest.approx(1e-5, rel=0.05)
    seen = curve.y[np.isfinite(curve.y)]
    assert np.all(np.diff(seen) <= 0)


def test_a_visible_floor_is_drawn_and_an_invisible_one_told():
    state = {"epsilon": 8.0, "delta": 0.05, "queries": 100, "power": 0.5, "false_alarms": 0.05}
    shown = next(every_attacker(mechanism="bounded", side="profile", **state))
    floor = shown.chart.curve("floor").y[0]
    assert floor == pytest.approx(math.exp(shown.log_floor))
    assert np.nanmin(shown.chart.curve("delta").y) >= floor
    hidden = attackers("bounded", "profile")
    assert "floor" not in [curve.key for curve in hidden.chart.curves]
    assert hidden.log_floor < math.log(1e-12)


@pytest.mark.parametrize("mechanism", ["laplace", "response", "geometric"])
def test_pure_odds_are_those_of_bayes(mechanism):
    *_, result = odds(mechanism=mechanism, prior=0.1, hit_rate=0.2, **RELEASE | {"queries": 1})
    assert result.pure == pytest.approx(0.1 * math.e / (0.1 * math.e + 0.9))
    # the answer that tells most: all attackers with so few hits wait for it
    assert result.accused[1] == pytest.approx(result.worst, rel=1e-4)
    assert result.worst == pytest.approx(result.pure, rel=1e-3)


@every
def test_accusations_are_no_better_than_the_promise_allows(mechanism):
    *_, result = odds(mechanism=mechanism, prior=0.1, hit_rate=0.2, **RELEASE)
    assert 0.1 <= result.accused[0] <= result.accused[1] <= result.promised * 1.01
    assert math.isinf(result.largest_loss) == (mechanism in ("gaussian", "bounded"))


def test_accusations_of_gaussian_noise_by_simulation():
    *_, result = odds(mechanism="gaussian", prior=0.1, hit_rate=0.2, **RELEASE)
    mu = attackers("gaussian").gaussian_mu
    rng = np.random.default_rng(5)
    inside = rng.random(2_000_000) < 0.1
    seen = rng.normal(size=inside.size) + mu * inside
    accused = inside[seen > mu + stats.norm.isf(0.2)]
    error = 5 * math.sqrt(0.25 / accused.size)
    assert accused.mean() == pytest.approx(result.accused[1], abs=error)


@pytest.mark.parametrize("mechanism", chosen(MECHANISMS, MECHANISMS.keys() - {"laplace"}))
def test_theorems_are_above_the_exact_value(mechanism):
    result = stages(mechanism)[-1]
    for key, epsilon in result.others.items():
        assert epsilon >= result.exact.lower * (1 - 1e-6), key
    assert ("zcdp" in result.others) == (mechanism != "bounded")
    exact = result.chart.curve("exact")
    assert np.all(np.diff(exact.y) >= 0)
    assert exact.evidence in (Evidence.EXACT, Evidence.CERTIFIED)
    assert result.done == 1


def test_one_answer_has_its_own_epsilon():
    for mechanism in MECHANISMS:
        result = begun(mechanism, queries=1)
        assert result.exact.upper == pytest.approx(0.2, rel=5e-3)


def test_laplace_is_at_most_what_its_epsilon_allows():
    result = begun("laplace", queries=100)
    assert result.exact.upper <= result.others["optimal"] <= result.others["zcdp"]


@every
def test_rows_weaken_the_promise(mechanism):
    result = rows(mechanism)
    curve = result.chart.curve("exact")
    assert curve.y[0] == pytest.approx(1.0, rel=0.01)
    known = curve.y[np.isfinite(curve.y)]
    assert np.all(np.diff(known) >= 0)


def test_one_pure_answer_has_m_times_epsilon():
    result = rows("laplace", queries=1)
    assert result.exact.upper == pytest.approx(4.0, rel=2e-3)
    assert result.group_delta > 1e-5


def test_group_privacy_is_true_of_the_exact_profile():
    """At mε the exact δ of m rows is at most δ·(e^(mε) − 1)/(e^ε − 1)."""
    result = rows("gaussian")
    mu = 4 * attackers("gaussian").gaussian_mu
    true = stats.norm.cdf(mu / 2 - 4 / mu) - math.exp(4) * stats.norm.cdf(-mu / 2 - 4 / mu)
    assert true <= result.group_delta
    assert result.group_delta == pytest.approx(1e-5 * math.expm1(4) / math.expm1(1))


def test_partial_results_come_first_and_grow():
    found = stages("response")
    sizes = [result.chart.curve("exact").x.size for result in found]
    assert sizes == sorted(sizes)
    assert {result.exact for result in found} == {found[0].exact}


def test_coarse_curves_come_first_and_hold_the_fine_ones():
    state = RELEASE | {"epsilon": 1.234, "false_alarms": 0.05}
    coarse, *_, fine = every_attacker(mechanism="bounded", side="all", **state)
    (low, high), (lower, upper) = (
        (r.chart.curve("best").lower, r.chart.curve("best").upper) for r in (coarse, fine)
    )
    assert np.all(low <= upper + 1e-12)
    assert np.all(lower <= high + 1e-12)
    assert np.nanmax(upper - lower) < np.nanmax(high - low)
    # known by now, nothing coarse is needed
    assert len(list(every_attacker(mechanism="bounded", side="careful", **state))) == 1


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
    assert first.chart.curve("delta").x.size <= 7
    low, high = release.hits(np.array([alarm]))
    assert first.hits[0] <= high[0] + 1e-12
    assert low[0] <= first.hits[1] + 1e-12
    assert first.hits[1] - first.hits[0] < 0.03
    exact = release.log_delta(np.array([0.0]))
    assert 2 * first.correct - 1 == pytest.approx(math.exp(exact[1][0]), rel=1e-2)


def test_unknown_choices_are_refused():
    with pytest.raises(ParameterError, match="side"):
        attackers("gaussian", side="upside down")
    with pytest.raises(ParameterError, match="mechanism"):
        next(again_and_again(mechanism="dice", answer_epsilon=1, delta=0.1, queries=1, power=2))
    assert list(SIDES) == ["all", "careful", "profile"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "state",
    [
        {"mechanism": "geometric", "epsilon": 10.0, "queries": 1, "examples_per_user": 699},
        {"mechanism": "geometric", "epsilon": 6.9, "queries": 3, "examples_per_user": 1000},
        {"mechanism": "laplace", "epsilon": 10.0, "queries": 2, "examples_per_user": 1000},
        {"mechanism": "bounded", "epsilon": 0.2, "delta": 1e-11, "queries": 4, "power": 5.5},
        {"mechanism": "bounded", "epsilon": 6.2, "delta": 2e-3, "queries": 213, "power": 7.5},
        {"mechanism": "response", "epsilon": 10.0, "delta": 0.1, "queries": 1},
    ],
)
def test_extreme_states_have_numbers(state):
    """Losses whose exponentials under- or overflow, and floors next to one."""
    result = next(many_rows(**RELEASE | {"examples_per_user": 4} | state))
    assert result.exact.lower <= result.exact.upper
    assert np.all(result.chart.curve("exact").y[:1] > 0)


@pytest.mark.filterwarnings("error")
def test_a_share_of_delta_below_the_floor_leaves_no_theorem():
    usual = {"answer_epsilon": 10.0, "delta": math.exp(-5), "queries": 1, "power": 2.0}
    *_, result = again_and_again(mechanism="bounded", **usual)
    assert result.exact.upper == pytest.approx(10.0, rel=0.01)
    assert np.isnan(result.chart.curve("basic").y[-1])
    assert np.isnan(result.chart.curve("exact").y[-1])
