"""DelStab's noise beside plain noise: the break-even, and what is said of it."""

import dataclasses
import math

import numpy as np
import pytest
from scipy import stats

from dpviz.maths.local_deletion import spread
from dpviz.plot.text import readable
from dpviz.plot.theme import LIGHT
from dpviz.topics.propose_test_release.delstab import quietest_mechanism
from dpviz.topics.propose_test_release.example_sums import ideal_spread, ideal_sums
from dpviz.topics.propose_test_release.plain import (
    noise_deviation,
)
from dpviz.topics.propose_test_release.views import against_plain_noise_shown
from dpviz.topics.propose_test_release.views.against_plain_noise import noise_chart
from tests.support.declarations import last, page, shown

PAGE = page("propose_test_release")

MODEL = {
    "users": 1000,
    "examples_per_user": 100,
    "rate": 0.3,
    "noise": "geometric",
    "noise_factor": 1.0,
    "epsilon": 1.0,
    "delta": 1e-6,
}


@pytest.mark.parametrize("noise", ["geometric", "gaussian"])
def test_the_chart_shows_the_noise_that_these_users_need(noise):
    chart = last(PAGE, "noise", noise=noise, users=1000, noise_factor=1.0)
    usual = PAGE.usual("noise")
    model = ideal_sums(users=1000, examples_per_user=100, rate=usual["rate"])
    privacy = {"epsilon": usual["epsilon"], "delta": usual["delta"]}
    least = noise_deviation(quietest_mechanism(model, noise=noise, **privacy))
    at = chart.curve("delstab").y[chart.curve("delstab").x == chart.here]
    assert at == pytest.approx(least * 1000 / (1000 - 4 * chart.kappa))


def test_plain_noise_is_smaller_until_the_break_even():
    view, chart = against_plain_noise_shown.VIEW, last(PAGE, "noise")
    detail = view.detail(chart)
    assert view.takeaway(chart) == (
        "With 100 examples each, testing first adds 48.6 times the noise of plain Laplace; "
        "with about 240,000 or more, testing adds less."
    )
    assert chart.in_headline == ("delstab", "laplace")
    assert chart.at.ratio == pytest.approx(48.6, abs=0.5)
    assert "DelStab adds 48.6 times the noise of plain Laplace noise" in detail
    assert "only from about m = 240,000 on" in detail
    [mark] = chart.landmarks
    assert mark.x == chart.break_even
    figure = against_plain_noise_shown.figure(chart, LIGHT)
    words = [note["text"].replace("<br>", " ") for note in figure.layout["annotations"]]
    assert "less from about 240,000 on" in words
    better = np.minimum(chart.curve("laplace").y, chart.curve("gaussian").y)
    less = chart.curve("delstab").y < better * (1 - 1e-3)
    assert np.array_equal(less, chart.curve("delstab").x > 1.01 * chart.break_even)


def test_where_delstab_adds_less():
    view, chart, values = shown(PAGE, "Where the test adds less noise")
    assert chart.at.ratio < 1
    assert values["examples_per_user"] > chart.break_even
    assert "less noise than plain Laplace" in view.detail(chart)
    assert f"plain Laplace adds {readable(1 / chart.at.ratio)} times" in view.takeaway(chart)


def test_a_break_even_out_of_sight_is_told():
    far = last(PAGE, "noise", users=10**5, epsilon=0.02)
    assert math.isinf(far.break_even)
    assert not far.landmarks
    assert "Even with a billion examples" in against_plain_noise_shown.VIEW.detail(far)
    assert "With m = 100 examples each" in against_plain_noise_shown.VIEW.detail(far)
    single = dataclasses.replace(far, here=1.0)
    assert "With m = 1 example each" in against_plain_noise_shown.VIEW.detail(single)
    assert "With 1 example each" in against_plain_noise_shown.VIEW.takeaway(single)


def test_the_noise_of_delstab_is_that_of_its_quietest_mechanism():
    for noise in ("geometric", "gaussian"):
        chart = noise_chart(**MODEL | {"noise": noise, "noise_factor": 1.5})
        sums = stats.binom.ppf((np.arange(1000) + 0.5) / 1000, 100, 0.3)
        model = {"users": 1000, "examples_per_user": 100, "rate": 0.3}
        np.testing.assert_array_equal(ideal_sums(**model), sums)
        assert all(ideal_spread(r, **model) == spread(sums, r) for r in (0, 192, 700, 1000))
        least = quietest_mechanism(sums, noise=noise, epsilon=1.0, delta=1e-6)
        scaled = 1.5 * noise_deviation(least) * 1000 / (1000 - 4 * 48)
        assert chart.at.delstab == pytest.approx(scaled, rel=1e-6)


def test_what_a_review_found():
    """ε = 1, δ = 1e-6, p = 0.3, n = 1000, m = 100: DelStab's noise 10,580, plain Laplace 141."""
    chart = noise_chart(**MODEL)
    assert chart.at.delstab * 808 / 1000 == pytest.approx(10_580, rel=1e-3)
    assert chart.at.laplace == pytest.approx(141, rel=1e-2)
    # √m against m: equal where m = 100·ratio², but for whole sums
    assert chart.break_even == pytest.approx(100 * chart.at.ratio**2, rel=0.02)
    assert chart.break_even == pytest.approx(5.7e5 * (1000 / 808) ** 2, rel=0.02)
    more = noise_chart(**MODEL | {"users": 20_000})
    assert more.at.ratio == pytest.approx(140, rel=0.02)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 10.0])
def test_the_break_even_is_where_the_noise_gets_smaller(epsilon):
    setting = MODEL | {"epsilon": epsilon}
    m = noise_chart(**setting).break_even
    sides = [noise_chart(**setting | {"examples_per_user": round(m * f)}).at.ratio
             for f in (0.95, 1.05) if m * f <= 1e6]  # fmt: skip
    expected = [True, False][: len(sides)]
    assert [ratio > 1 for ratio in sides] == expected


def test_a_break_even_just_below_a_billion_is_found():
    """It grows with the square of the noise, but for whole sums; beyond a billion none is told."""
    near, far = (
        noise_chart(**MODEL | {"noise_factor": factor}).break_even for factor in (30.0, 35.0)
    )
    assert near == pytest.approx(900 * noise_chart(**MODEL).break_even, rel=0.02)
    assert 6.1e8 < near < 1e9  # nearer to a billion than the bracket of the search is wide
    assert far == math.inf


@pytest.mark.parametrize(("examples", "epsilon"), [(1, 3.0), (100, 3.0), (10**6, 10.0)])
def test_how_many_times_one_noise_is_the_other_stands_between_them(examples, epsilon):
    chart = last(PAGE, "noise", examples_per_user=examples, epsilon=epsilon)
    figure = against_plain_noise_shown.figure(chart, LIGHT)
    ratio = max(chart.at.ratio, 1 / chart.at.ratio)
    notes = {note["text"]: note for note in figure.layout["annotations"]}
    said = f"<b>× {readable(ratio)}</b>"
    assert (said in notes) == (ratio > 3)
    if said in notes:
        low, high = sorted((chart.at.delstab, chart.at.plain[1]))
        assert low < 10 ** notes[said]["y"] < high
