"""The home page's example: seven independent ways to the same number must agree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.plot.theme import LIGHT
from dpviz.results.evidence import Evidence
from dpviz.results.parameters import ParameterError
from dpviz.topics.home.views.how_to_read_a_curve import KINDS, how_to_read_a_curve
from dpviz.topics.home.views.how_to_read_a_curve_shown import detail, figure, takeaway
from tests.support.examples import examples
from tests.support.headlines import faults
from tests.support.oracles import gaussian_delta_by_quadrature

sigmas = st.floats(0.5, 8.0)


def ways(sigma, seed=0):
    return how_to_read_a_curve(sigma=sigma, rng=np.random.default_rng(seed))


def test_every_kind_of_evidence_is_there():
    # a bound from below is the same kind of knowledge as one from above
    assert {curve.evidence for curve in ways(2.0).curves} == set(Evidence) - {Evidence.LOWER}


@pytest.mark.parametrize("sigma", [0.5, 1.0, 2.0, 8.0])
def test_the_exact_curve_is_the_hockey_stick_divergence(sigma):
    curve = ways(sigma).curve("exact")
    for i in range(0, len(curve.x), 9):
        if curve.y[i] > 1e-7:
            delta = gaussian_delta_by_quadrature(sigma, curve.x[i])
            assert curve.y[i] == pytest.approx(delta, rel=1e-5)


@examples(30)
@given(sigmas)
def test_the_truth_lies_between_the_certified_bounds_and_below_the_theorem(sigma):
    chart = ways(sigma)
    exact = chart.curve("exact").y
    certified, published = chart.curve("certified"), chart.curve("published")
    known = np.isfinite(exact)
    assert (certified.lower[known] <= exact[known] * (1 + 1e-9)).all()
    assert (certified.upper[known] >= exact[known] * (1 - 1e-9)).all()
    claimed = known & published.holds & np.isfinite(published.y)
    assert (published.y[claimed] >= exact[claimed]).all()
    upper = chart.curve("upper")
    assert (upper.y[known] >= exact[known]).all()
    assert upper.lower is None


@examples(30)
@given(sigmas)
def test_the_truth_tends_to_the_limit(sigma):
    chart = ways(sigma)
    exact, limit = chart.curve("exact"), chart.curve("limit")
    t = sigma * exact.x - 1 / (2 * sigma)
    known = np.isfinite(exact.y) & np.isfinite(limit.y) & (t > 0)
    assert known.any()
    ratio, t = (exact.y / limit.y)[known], t[known]
    assert (ratio <= 1 + 1e-9).all()
    assert (ratio >= 1 - 3 / t**2 - 1e-9).all()
    assert np.isfinite(limit.y[exact.x >= 1 / sigma**2]).any()


def test_the_certified_bounds_are_not_trivial():
    certified = ways(2.0).curve("certified")
    start = slice(0, 20)
    assert (certified.upper[start] <= 4 * certified.lower[start]).all()


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


@pytest.mark.parametrize("sigma", [0.5, 1.0, 2.0, 8.0])
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_its_sentence_and_its_numbers(kind, sigma):
    chart = how_to_read_a_curve(sigma=sigma, rng=np.random.default_rng(0), kind=kind)
    sentence = takeaway(chart)
    assert not faults(sentence)
    assert "undefined" not in detail(chart)
    starts = {
        "all": "At ε =",
        "exact": "A solid line is exact:",
        "certified": "A band is certified:",
        "upper": "A proven bound is never too low, but can be far too high: at ε =",
        "simulated": "Points with intervals come from random draws.",
        "limit": "A line of dashes and dots is a limit",
        "shape": "A dashed line is a shape:",
        "published": "A dotted line is a formula as published.",
    }
    assert sentence.startswith(starts[kind])
    other = how_to_read_a_curve(sigma=3.0, rng=np.random.default_rng(0), kind=kind)
    assert detail(other) != detail(chart)


def test_the_exact_numbers_at_one_are_told():
    sentence = detail(how_to_read_a_curve(sigma=2.0, rng=np.random.default_rng(0), kind="exact"))
    assert f"the least δ is {gaussian_delta_by_quadrature(2.0, 1.0):.2g}" in sentence


@pytest.mark.parametrize("sigma", [0.5, 2.0, 8.0])
def test_the_numbers_of_the_sentence_on_bounds_stand_at_dots_of_both_curves(sigma):
    """The sentence spoke of an upper and a lower curve, and had no number that the picture had."""
    chart = how_to_read_a_curve(sigma=sigma, rng=np.random.default_rng(0), kind="upper")
    words = [note["text"] for note in figure(chart, LIGHT).layout["annotations"]]
    [said] = [text for text in words if text.startswith("<b>×")]
    times = said.removeprefix("<b>× ").removesuffix("</b>")
    assert f", {times} times the truth." in takeaway(chart)
