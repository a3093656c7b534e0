"""One user's m examples: the slope, where the theorem is silent, the sentence."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from dpviz.maths.sum_mechanisms import GeometricCount
from dpviz.plot.text import power_of_ten
from dpviz.plot.theme import LIGHT
from dpviz.topics.perfect_generalization.times_shown import FAR, allowed, at_most, times
from dpviz.topics.perfect_generalization.views import one_users_examples_shown
from dpviz.topics.perfect_generalization.views.one_users_examples import user_growth
from tests.support.declarations import last, page

VIEW = one_users_examples_shown.VIEW
PAGE = page("perfect_generalization")


def test_slope_in_the_examples_of_a_user():
    *_, last = user_growth(
        GeometricCount(1e-3),
        users=1000,
        examples_per_user=10**4,
        rate=0.5,
        delta=1e-6,
        failure_probability=0.01,
    )
    assert last.slope == pytest.approx(0.5, abs=0.01)
    assert np.all(last.curve("exact").y <= last.curve("group").y * (1 + 1e-12))
    derived = last.curve("derived")
    known = np.isfinite(derived.y)
    assert np.all(last.curve("exact").y[known] <= derived.y[known])


def test_theorem_17_promises_nothing_at_a_smaller_delta_than_it_spends():
    """It spends m·δ."""
    users = last(PAGE, "users", noise="gaussian", delta=1e-4).curve("theorem_17")
    assert not users.holds.any()


def test_what_rounds_to_nothing_is_not_told_as_a_number():
    free = {"noise": "gaussian", "examples_per_user": 1, "closeness_delta": 0.5, "delta": 0.5}
    chart = last(PAGE, "users", **free)
    assert VIEW.takeaway(chart) == (
        "Replace one user's examples by another user's: in 95% of data sets, every output stays "
        "as likely (but for δ′); group privacy allows as much."
    )
    assert "Group privacy allows 0." in VIEW.detail(chart)


def test_users_in_a_sentence():
    sentence = VIEW.detail(last(PAGE, "users"))
    assert "Of 1,000 users with 1,000 examples each" in sentence
    assert "for all pairs of users at once" in sentence
    assert "Group privacy allows 5. Around" in sentence
    assert "with 1 example each" in VIEW.detail(last(PAGE, "users", examples_per_user=1))


@pytest.mark.parametrize("m", [1, 100, 1000, 10**4])
def test_the_dots_are_the_losses_and_say_what_the_sentence_says(m):
    chart = last(PAGE, "users", examples_per_user=m)
    figure = VIEW.figure(chart, LIGHT)
    [dots] = [trace for trace in figure.data if trace["mode"] == "markers"]
    assert list(dots["x"]) == [m, m]
    seen = chart.group < FAR  # else an arrow says that it is above the axis
    np.testing.assert_array_equal(dots["y"], [chart.needed, chart.group if seen else np.nan])
    assert figure.layout["yaxis"]["range"][1] >= 1.25 * chart.needed
    said = " ".join(note["text"] for note in figure.layout["annotations"])
    assert at_most(chart.needed, 1e-6) in said
    assert at_most(chart.needed, 1e-6) in VIEW.takeaway(chart)
    assert ("↑" in said) == (not seen)
    if m > 1:
        assert allowed(chart.group, 1e-6) in said
        assert allowed(chart.group, 1e-6) in VIEW.takeaway(chart)


def test_outputs_that_delta_excepts_are_said():
    """Of Gaussian noise no ε′ holds for every output: it was said of "no output" all the same."""
    assert "of data sets, no output becomes" in VIEW.takeaway(last(PAGE, "users"))
    rare, common = (last(PAGE, "users", noise="gaussian", closeness_delta=d) for d in (1e-6, 0.01))
    assert "almost no output becomes" in VIEW.takeaway(rare)
    assert "δ′" not in VIEW.takeaway(rare)
    assert "1.13 times as likely (but for δ′);" in VIEW.takeaway(common)


def test_how_many_data_sets_are_so_alike_is_said():
    """Named was a typical user, whom nobody could find: it is all users of most data sets."""
    half = last(PAGE, "users", failure_probability=0.5)
    assert "in 50% of data sets, no output" in VIEW.takeaway(half)
    said = [note["text"] for note in VIEW.figure(half, LIGHT).layout["annotations"]]
    assert any(text.startswith("50% of data sets: ") for text in said)


def test_a_line_goes_along_powers_between_its_points():
    """Group privacy is m times ε: chords between its points lay above it."""
    chart = last(PAGE, "users")
    figure = VIEW.figure(chart, LIGHT)
    group = next(trace for trace in figure.data if trace.get("line", {}).get("dash") == "dot")
    np.testing.assert_allclose(group["y"], 0.005 * np.array(group["x"]), rtol=1e-9)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 1e-6), (0.22, 1e-6), (0.1, 1e-3)])
def test_almost_every_output_is_as_near_as_is_said(epsilon, delta):
    """Bells so far apart that they are (ε′, δ′)-close."""

    def beyond(loss, apart):  # how likely the loss exceeds it, on either sample
        return norm.sf(loss / apart - apart / 2), norm.sf(loss / apart + apart / 2)

    def least(apart):
        exceeds, other = beyond(epsilon, apart)
        return exceeds - np.exp(epsilon) * other - delta

    apart = brentq(least, 1e-9, 5.0)
    said = float(at_most(epsilon, delta).removesuffix(" times"))
    assert beyond(np.log(said), apart)[0] <= 0.01


def test_odds_near_one_have_a_digit_more():
    assert times(0.005) == "1.005 times"
    assert times(0.18) == "1.2 times"


def test_an_output_that_may_be_certain_is_told_as_well():
    chart = last(PAGE, "users", noise="gaussian", sigma=0.1, delta=1e-16)
    assert chart.needed > 1000  # e to the power of which is no float
    power = power_of_ten(math.ceil(chart.needed / math.log(10)))
    assert f"no output becomes over {power} times as likely" in VIEW.takeaway(chart)


@pytest.mark.parametrize(
    ("m", "epsilon", "named"),
    [
        (1000, 0.005, {"1": 1.0, "2": 2.0, "100": 100.0}),
        (10**6, 1.0, {"1": 1.0, "10¹⁰⁰⁰": 1000}),
    ],
)
def test_along_the_axis_stand_times_at_their_logarithm(m, epsilon, named):
    axis = VIEW.figure(last(PAGE, "users", examples_per_user=m, epsilon=epsilon), LIGHT).layout
    ticks = dict(zip(axis["yaxis"]["ticktext"], axis["yaxis"]["tickvals"], strict=True))
    assert len(ticks) >= 4
    for name, number in named.items():
        wanted = np.log(number) if number < 1000 else number * np.log(10)
        assert ticks[name] == pytest.approx(wanted)


def test_what_is_alike_is_named_once():
    """Of ten examples 1.06 times stood at one dot, and 1.05 at the other."""
    chart = last(PAGE, "users", examples_per_user=10)
    said = [note["text"] for note in VIEW.figure(chart, LIGHT).layout["annotations"]]
    assert "both: <b>1.06 times</b>" in said
    assert not any(text.startswith("group privacy:") for text in said)
