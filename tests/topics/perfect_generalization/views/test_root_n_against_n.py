"""√n against n: its slope, its sentences, its presets."""

import math

import numpy as np
import pytest
from scipy import stats

from dpviz.maths.randomized_response import RandomizedResponse
from dpviz.maths.sum_mechanisms import GaussianCount, GeometricCount
from dpviz.plot.chart import draw
from dpviz.plot.text import readable
from dpviz.plot.theme import LIGHT
from dpviz.topics.perfect_generalization.named_mechanisms import MECHANISMS
from dpviz.topics.perfect_generalization.views import root_n_against_n_shown
from dpviz.topics.perfect_generalization.views.root_n_against_n import growth, root_n_against_n
from tests.support.declarations import last, page, shown
from tests.support.examples import chosen
from tests.support.specs import Checked

draw = Checked(draw)
VIEW = root_n_against_n_shown.VIEW
PAGE = page("perfect_generalization")
every_mechanism = pytest.mark.parametrize("mechanism", MECHANISMS)


def test_slopes():
    def slope(mechanism, n):
        *_, last = growth(mechanism, samples=n, rate=0.5, delta=1e-6, failure_probability=0.01)
        return last

    assert slope(GeometricCount(1e-3), 10**5).slope == pytest.approx(0.5, abs=0.005)
    early, late = (slope(RandomizedResponse(0.1), n) for n in (100, 10**6))
    assert early.slope == pytest.approx(0.5, abs=0.1)
    assert late.slope == pytest.approx(1.0, abs=0.1)
    assert 100 < early.bends_at < 10**6


@pytest.mark.parametrize(("sigma", "n", "power"), [(10, 10**5, 0.91), (1, 10**6, 0.996)])
def test_gaussian_noise_bends_fully(sigma, n, power):
    """ε′ → D²/(2σ²), with slope 1."""
    *_, chart = growth(
        GaussianCount(sigma), samples=n, rate=0.5, delta=1e-6, failure_probability=0.05
    )
    assert chart.slope == pytest.approx(power, abs=2e-3)
    assert chart.bends_at < n / 10


@pytest.mark.parametrize("delta", chosen([1e-12, 1e-6], [1e-6]))
@pytest.mark.parametrize(
    ("mechanism", "rate", "beta"),
    [
        (GaussianCount(10), 0.5, 1e-3),
        (GaussianCount(10), 0.1, 0.5),
        (GaussianCount(3), 0.1, 0.05),
        (RandomizedResponse(0.1), 0.5, 0.05),
        (RandomizedResponse(0.5), 0.2, 1e-3),
    ],
)
def test_the_slope_is_three_quarters_where_mean_and_spread_of_the_loss_agree(
    mechanism, rate, beta, delta
):
    """There half of ε′ grows like n and half like √n."""

    def at(n):
        arguments = {"rate": rate, "delta": delta, "failure_probability": beta}
        *_, chart = growth(mechanism, samples=n, **arguments)
        return chart

    assert at(round(at(1000).bends_at)).slope == pytest.approx(0.75, abs=0.02)


def test_close_at_once_is_told():
    chart = last(PAGE, "growth", samples=1, epsilon=1e-4, closeness_delta=0.5)
    assert chart.needed == 0
    assert VIEW.takeaway(chart).endswith("δ′ covers it.")


def test_theorem_13_promises_nothing_at_a_smaller_delta_than_it_spends():
    """It spends n·δ = 1000·10⁻³, which is no δ′ at all."""
    chart = last(PAGE, "growth", mechanism="gaussian", delta=1e-3)
    shape = chart.curve("theorem_13")
    assert not shape.holds.any()
    pure = last(PAGE, "growth").curve("theorem_13")  # an algorithm with δ = 0 spends what it likes
    assert pure.holds.any()


def test_a_power_or_times_that_round_to_one_are_not_told_as_numbers():
    alike = last(PAGE, "growth", mechanism="response", samples=1)
    assert VIEW.takeaway(alike).endswith(", as group privacy allows for any two.")
    many = last(PAGE, "growth", mechanism="response", samples=10**6)
    assert "takes hardly more than that ε′" in VIEW.detail(many)
    loud = last(PAGE, "growth", mechanism="gaussian", closeness_delta=0.5)
    assert loud.bends_at < 1
    assert "outweighs the spread at every n" in VIEW.detail(loud)


@every_mechanism
def test_failed_assumptions_are_named(mechanism):
    chart = last(PAGE, "growth", mechanism=mechanism, samples=1000)
    sentence = " ".join(VIEW.notes(chart))
    for curve in chart.curves:
        fails = curve.holds is not None and not curve.holds.all()
        assert fails == (curve.assumption in sentence if curve.assumption else False)
    assert "reconstructed from the proof" in sentence


# The presets show what their names say.


def test_root_n_against_n():
    _, chart, _ = shown(PAGE, "√n against n")
    assert chart.slope == pytest.approx(0.5, abs=0.02)
    group = chart.curve("group")
    assert np.polyfit(np.log(group.x), np.log(group.y), 1)[0] == pytest.approx(1)
    nearest = np.abs(chart.curve("exact").x - chart.here).argmin()
    assert chart.curve("theorem_13").holds[nearest]


def test_what_ten_times_as_many_samples_do_stands_at_both_curves():
    chart = last(PAGE, "growth")
    said = " ".join(note["text"] for note in VIEW.figure(chart, LIGHT).layout["annotations"])
    names = said.replace("<br>", " ")
    assert "fresh data, like √n" in names
    assert "group privacy, like n" in names
    assert VIEW.takeaway(chart) == (
        "With ten times as many examples, the outputs on two fresh data sets are about 3 times as "
        "far apart, not the ten times that group privacy allows."
    )
    assert "How far apart the outputs are (ε′ in 95% of pairs)" in said
    assert all(words in said for words in ("<i>n</i> × 10", "<b>× 10</b>", "<b>about × 3</b>"))
    assert "ε′ = 0.22 (1.25 times as likely) suffices" in VIEW.detail(chart)


def test_a_billion_times_surer():
    view, chart, values = shown(PAGE, "A billion times more certain")
    assert values["failure_probability"] / 1e-12 >= 1e9
    sentence = view.detail(chart)
    assert "for all but a share 0.001 of the pairs" in sentence
    assert f"10⁻¹² takes {quantile(1e-12) / quantile(1e-3):.3g} times that ε′" in sentence


def quantile(beta, n=1000):
    """The distance of two sums of n fair coins exceeded with probability β, by SciPy."""
    return float(stats.binom(2 * n, 0.5).isf(beta / 2) - n)


@pytest.mark.parametrize(
    ("mechanism", "changes", "factor"),
    [
        ("geometric", {}, 2.15),
        ("gaussian", {"sigma": 10.0, "samples": 10**5}, 4.4),
        ("response", {"samples": 1000}, 1.06),
    ],
)
def test_what_beta_costs_is_told_for_each_mechanism(mechanism, changes, factor):
    chart = last(PAGE, "growth", mechanism=mechanism, failure_probability=1e-3, **changes)
    needed = [
        last(PAGE, "growth", mechanism=mechanism, failure_probability=beta, **changes).needed
        for beta in (1e-3, 1e-12)
    ]
    ratio = needed[1] / needed[0]
    assert ratio == pytest.approx(factor, rel=5e-3)
    assert f"takes {readable(ratio)} times that ε′" in VIEW.detail(chart)


def test_gaussian_noise_bends():
    view, chart, values = shown(PAGE, "Gaussian noise bends")
    assert chart.slope == pytest.approx(0.94, abs=0.005)
    assert chart.here > 10 * chart.bends_at
    # D²/(2σ²) is most of ε′, at the distance that all but β of the pairs keep.
    distance = stats.norm.isf(values["failure_probability"] / 2) * math.sqrt(chart.here / 2)
    assert 0.8 < (distance / values["sigma"]) ** 2 / 2 / chart.needed < 1
    assert "about 9 times as far apart" in view.takeaway(chart)  # ten to the power 0.94
    assert f"outweighs the spread from n = {readable(chart.bends_at)} on" in view.detail(chart)
    assert [mark.x for mark in chart.landmarks] == [chart.bends_at]


def test_randomised_response_breaks_the_assumption():
    view, chart, _ = shown(PAGE, "Randomised response breaks the assumption")
    assert chart.here > 10 * chart.bends_at
    assert chart.slope > 0.9
    theorem = chart.curve("theorem_13")
    assert not theorem.holds[np.abs(theorem.x - chart.here).argmin()]
    assert "the mean outweighs the spread from" in view.detail(chart)
    # geometric noise on the sum, of the same ε, does not bend
    straight = last(PAGE, "growth", epsilon=0.5, samples=10**5)
    assert straight.slope == pytest.approx(0.5, abs=0.02)
    assert math.isnan(straight.bends_at)
    assert "outweighs" not in VIEW.detail(straight)
    assert "outweighs" in " ".join(n.text for n in draw(chart, LIGHT).layout.annotations)


def test_where_nothing_leaks_there_is_no_end_of_an_axis():
    *_, chart = root_n_against_n(
        mechanism="gaussian", samples=1, epsilon=1e-4, sigma=1e6, delta=0.5, rate=0.005,
        closeness_delta=0.5, failure_probability=0.5, constant=0.01,
    )  # fmt: skip
    assert math.isnan(chart.y.base)
    assert math.isnan(chart.y.reach)
