"""The home page's example: seven independent ways to the same number must agree."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.plot.theme import LIGHT
from dpviz.results.evidence import Evidence
from dpviz.results.parameters import ParameterError
from dpviz.topics.home.views.how_to_read_a_curve import DELTA, KINDS, how_to_read_a_curve
from dpviz.topics.home.views.how_to_read_a_curve_shown import detail, figure, takeaway
from tests.support.examples import examples
from tests.support.headlines import faults
from tests.support.oracles import gaussian_delta_by_quadrature

sigmas = st.floats(1.0, 8.0)


def ways(sigma, seed=0):
    return how_to_read_a_curve(sigma=sigma, rng=np.random.default_rng(seed))


def test_every_kind_of_evidence_is_there():
    # a bound from below is the same kind of knowledge as one from above
    assert {curve.evidence for curve in ways(2.0).curves} == set(Evidence) - {Evidence.LOWER}


@examples(30)
@given(sigmas)
def test_the_exact_curve_is_what_the_best_threshold_gets_right(sigma):
    """Under both coins: nobody does better than to ask which of two bells is the higher one."""
    exact = ways(sigma).curve("exact")
    at = np.searchsorted(exact.x, sigma)
    grid = np.linspace(-12 * sigma, 12 * sigma + 1, 200_001)
    bells = [np.exp(-(((grid - mean) / sigma) ** 2) / 2) for mean in (0, 1)]
    right = np.trapezoid(np.maximum(*bells), grid) / (2 * sigma * np.sqrt(2 * np.pi))
    assert exact.y[at] == pytest.approx(100 * right, abs=1e-4)


def test_the_truth_lies_between_the_certified_bounds_and_below_the_theorems():
    chart = ways(2.0)
    exact, certified = chart.curve("exact").y, chart.curve("certified")
    assert (certified.lower < exact).all()
    assert (exact < certified.upper).all()
    for key in ("upper", "published"):
        assert (chart.curve(key).y > exact).all()
    assert (certified.upper - certified.lower < 8).all()  # points of a hundred: not trivial
    published, upper = chart.curve("published"), chart.curve("upper")
    assert (published.y >= upper.y)[published.holds].all()
    assert 0 < published.holds.sum() < published.holds.size


def test_the_bound_is_what_the_promise_allows_at_the_least_epsilon():
    chart = ways(2.0)
    at = np.searchsorted(chart.curve("upper").x, 2.0)
    allowed = chart.curve("upper").y[at] / 100
    epsilon = float(np.log(allowed / (1 - allowed)))
    delta = gaussian_delta_by_quadrature(2.0, epsilon)
    assert delta == pytest.approx(DELTA, rel=1e-3)


def test_the_truth_tends_to_the_limit():
    exact, limit = (ways(2.0).curve(key) for key in ("exact", "limit"))
    gains = (exact.y - 50) / (limit.y - 50)
    t = 1 / (2 * exact.x)
    assert (gains <= 1).all()
    assert (gains >= 1 - t**2 / 6).all()


def test_simulated_intervals_cover_the_truth_about_as_often_as_they_say():
    covered = []
    for seed in range(40):
        chart = ways(2.0, seed)
        drawn, exact = chart.curve("simulated"), chart.curve("exact")
        truth = np.interp(drawn.x, exact.x, exact.y)
        covered.append((drawn.lower <= truth) & (truth <= drawn.upper))
    # The points of one seed share their draws, so 40 seeds are worth far fewer than 200 points.
    assert 0.85 <= np.mean(np.concatenate(covered)) <= 1


def test_the_seed_alone_decides_the_draws():
    one, same, other = (ways(2.0, seed).curve("simulated").y for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("sigma", [0.0, -1.0, np.nan, np.inf])
def test_an_impossible_sigma_is_refused_by_name(sigma):
    with pytest.raises(ParameterError, match="sigma must be"):
        ways(sigma)


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_shown_beside_the_exact_curve(kind):
    chart = how_to_read_a_curve(sigma=2.0, rng=np.random.default_rng(0), kind=kind)
    keys = [curve.key for curve in chart.curves]
    every = [curve.key for curve in ways(2.0).curves]
    assert keys == [key for key in every if kind == "all" or key in ("exact", kind)]
    for curve in chart.curves:
        np.testing.assert_array_equal(curve.y, ways(2.0).curve(curve.key).y)


def test_an_unknown_kind_is_refused():
    with pytest.raises(ParameterError, match="kind must be one of upper, certified"):
        how_to_read_a_curve(sigma=2.0, rng=np.random.default_rng(0), kind="guessed")


@pytest.mark.parametrize("sigma", [1.0, 2.0, 8.0])
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_its_sentence_and_its_numbers(kind, sigma):
    chart = how_to_read_a_curve(sigma=sigma, rng=np.random.default_rng(0), kind=kind)
    sentence = takeaway(chart)
    assert not faults(sentence)
    assert "undefined" not in detail(chart)
    starts = {
        "all": "All these curves are about one number",
        "exact": "A solid line is exact:",
        "certified": "A band is certified:",
        "upper": "The lower line is exact: the best attacker is right",
        "simulated": "Points with intervals come from random games.",
        "limit": "A line of dashes and dots is a limit",
        "shape": "A dashed line is a shape:",
        "published": "A dotted line is a formula as published.",
    }
    assert sentence.startswith(starts[kind])
    other = how_to_read_a_curve(sigma=3.0, rng=np.random.default_rng(0), kind=kind)
    assert detail(other) != detail(chart)


@pytest.mark.parametrize("sigma", [1.0, 2.0, 8.0])
def test_the_numbers_of_the_sentence_on_bounds_stand_at_both_curves(sigma):
    chart = how_to_read_a_curve(sigma=sigma, rng=np.random.default_rng(0), kind="upper")
    words = [note["text"] for note in figure(chart, LIGHT).layout["annotations"]]
    numbers = re.findall(r"([\d.]+)%", takeaway(chart))
    assert len(numbers) == 2
    for number in numbers:
        assert any(number in text for text in words)
