"""How close, how likely: its staircase, its picture, its sentence."""

import inspect
import math

import numpy as np
import pytest

from dpviz.maths.randomized_response import RandomizedResponse
from dpviz.maths.sum_mechanisms import GeometricCount
from dpviz.plot.theme import LIGHT
from dpviz.results.parameters import ParameterError
from dpviz.scene.codec import decode_address
from dpviz.topics.perfect_generalization.average_output import average_output
from dpviz.topics.perfect_generalization.closeness import divergence_quantile
from dpviz.topics.perfect_generalization.expected_divergence import expected_divergence
from dpviz.topics.perfect_generalization.named_mechanisms import MECHANISMS
from dpviz.topics.perfect_generalization.views.how_close_how_likely import closeness_curve
from dpviz.topics.perfect_generalization.views.how_close_how_likely_shown import VIEW
from tests.support.declarations import finest, last, page
from tests.support.sample_pairs import close_share

PAGE = page("perfect_generalization")


def test_the_closeness_view_is_the_exact_staircase():
    mechanism = GeometricCount(0.02)
    arguments = {"samples": 3000, "rate": 0.4, "delta": 1e-6}
    chart = closeness_curve(mechanism, **arguments, failure_probability=0.05)
    exact = chart.curve("exact")
    middle = exact.x[5:-5:10] * (1 + 1e-9)
    again = close_share(mechanism, epsilon=middle, **arguments)
    assert exact.y[5:-5:10] == pytest.approx(again, abs=1e-12)
    assert np.all(np.diff(exact.y) >= 0)
    assert exact.y[-1] >= 1 - 1e-11
    assert chart.group == pytest.approx(60.0)
    assert chart.needed < chart.derived
    assert chart.needed == divergence_quantile(mechanism, **arguments, failure_probability=0.05)


def test_the_shape_of_theorem_13_and_where_it_is_grey():
    mechanism, n, delta, beta = RandomizedResponse(0.01), 5000, 1e-6, 0.05
    arguments = {"samples": n, "rate": 0.5, "delta": delta, "failure_probability": beta}
    chart = closeness_curve(mechanism, **arguments, constant=0.5)
    # a pure mechanism is (ε, δ)-DP with δ = δ′/n
    size = 0.01 * math.sqrt(n * math.log(n / (beta * delta)))
    assert chart.theorem_13 == pytest.approx(0.5 * size)
    assert chart.curve("theorem_13").holds.tolist() == [size <= 1]
    small = closeness_curve(RandomizedResponse(1e-4), **arguments)
    assert small.curve("theorem_13").holds.tolist() == [True]
    assert "sufficiently small" in chart.curve("theorem_13").assumption


def test_a_hundred_pairs_stand_at_the_hundredths_of_the_exact_law():
    chart = last(PAGE, "closeness", compared="pairs")
    exact, losses = chart.curve("exact"), chart.hundredths
    assert losses.size == 100
    for place, loss in enumerate(losses):  # no more than so many pairs are nearer, no fewer as near
        at = np.searchsorted(exact.x, loss)
        before = exact.y[at - 1] if at else 0.0
        assert before < (place + 0.5) / 100 <= exact.y[at]


@pytest.mark.parametrize("beta", [0.05, 0.2])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_pairs_that_are_close_are_filled_and_left_of_the_line(mechanism, beta):
    chart = last(
        PAGE,
        "closeness",
        compared="pairs",
        mechanism=mechanism,
        failure_probability=beta,
        samples=200,
    )
    figure = VIEW.figure(chart, LIGHT)
    filled, hollow = figure.data[:2]
    assert abs(len(filled["x"]) - 100 * (1 - beta)) <= 3  # the law has steps
    assert len(filled["x"]) + len(hollow["x"]) == 100
    assert max(filled["x"]) <= chart.needed * (1 + 1e-6) <= min(hollow["x"]) * (1 + 1e-6)
    assert figure.layout["shapes"][0]["x0"] == chart.needed


def test_group_privacy_has_its_place_or_an_arrow_towards_it():
    near = last(PAGE, "closeness", compared="pairs", mechanism="response", samples=100, epsilon=0.1)
    assert any(shape["x0"] == near.group for shape in VIEW.figure(near, LIGHT).layout["shapes"])
    far = last(PAGE, "closeness", compared="pairs")
    figure = VIEW.figure(far, LIGHT)
    assert figure.layout["xaxis"]["range"][1] < far.group
    assert any(note["text"].endswith("148</b> times →") for note in figure.layout["annotations"])
    assert math.exp(far.group) < 148.5


def test_a_promise_as_near_as_the_pairs_shares_their_name_and_a_theorem_stands_above_the_dots():
    """Their words stood on the dots."""
    alone = VIEW.figure(last(PAGE, "closeness", compared="pairs", samples=1), LIGHT).layout[
        "annotations"
    ]
    said = [note["text"] for note in alone]
    assert (
        "<b>95%</b> of pairs within <b>1.0052 times</b>; by group privacy <b>1.0052 times</b>"
        in said
    )
    assert not any("group privacy<br>" in text for text in said)
    figure = VIEW.figure(last(PAGE, "closeness", compared="pairs", constant=0.01), LIGHT)
    [theorem] = [n for n in figure.layout["annotations"] if n["text"].startswith("Theorem 13")]
    assert theorem["y"] > max(max(trace["y"], default=0.0) for trace in figure.data)


def test_both_numbers_of_the_sentence_have_the_same_unit():
    assert VIEW.takeaway(last(PAGE, "closeness", compared="pairs")) == (
        "In 95% of pairs of fresh samples, almost every output is at most 1.25 times as likely on "
        "one as on the other; group privacy allows 148."
    )
    far = VIEW.takeaway(last(PAGE, "closeness", compared="pairs", samples=10**5))
    assert "stay within ε′ = 2.19 (but for δ′)" in far
    assert far.endswith("; group privacy allows ε′ = 500.")
    same = last(PAGE, "closeness", compared="pairs", samples=10, epsilon=0.1, closeness_delta=0.4)
    assert "every output is as likely on one as on the other (but for δ′)" in VIEW.takeaway(same)


def test_closeness_in_a_sentence():
    chart = last(PAGE, "closeness", compared="pairs")
    sentence = VIEW.detail(chart)
    assert "With probability 0.95" in sentence
    # n·ε = 1000 · 0.005, and ε√(n ln(n/(βδ′))).
    assert "Group privacy promises 5," in sentence
    assert (
        f"Theorem 13 promises {0.005 * math.sqrt(1000 * math.log(1000 / 0.05e-6)):.3g} up"
        in sentence
    )
    nothing = last(PAGE, "closeness", compared="pairs", mechanism="response", epsilon=2.0)
    sentence = VIEW.detail(nothing)
    assert "Theorem 13, whose assumptions fail here, would say" in sentence
    assert "its proof gives nothing here" in sentence
    weak = last(PAGE, "closeness", compared="pairs", mechanism="gaussian", samples=10**6)
    assert "Group privacy promises nothing at this δ′" in VIEW.detail(weak)


def test_no_times_are_told_where_outputs_are_close_at_once():
    assert "times as much" not in VIEW.detail(
        last(PAGE, "closeness", compared="pairs", samples=1, epsilon=1e-4, closeness_delta=0.5)
    )


def test_an_assumption_that_fails_is_said():
    sentence = VIEW.detail(
        last(PAGE, "closeness", compared="pairs", mechanism="gaussian", delta=1e-3)
    )
    assert "Theorem 13, whose assumptions fail here" in sentence


def test_as_much_is_said_where_the_times_round_to_one():
    alone = last(PAGE, "closeness", compared="pairs", samples=1)
    assert "Group privacy promises 0.005, as much." in VIEW.detail(alone)


def test_too_many_samples_for_the_exponential_mechanism_are_refused_with_the_reason():
    with pytest.raises(ParameterError, match="at most 1000 for the exponential mechanism"):
        last(PAGE, "closeness", compared="pairs", mechanism="exponential", samples=1001)


@pytest.mark.parametrize(
    ("old", "own"), [("expected", expected_divergence), ("average", average_output)]
)
def test_what_were_views_of_their_own_are_still_at_their_addresses(old, own):
    asked = {"view": [old], "samples": ["50"], "epsilon": ["0.1"], "closeness_epsilon": ["0.5"]}
    values, notes = decode_address(asked, PAGE.url_parameters)
    view = PAGE.open_view(values)
    assert (view.key, notes) == ("closeness", ())
    names = inspect.signature(own).parameters
    alone = own(**{name: values[name] for name in names})
    whole = list(alone)[-1] if inspect.isgeneratorfunction(own) else alone
    result = finest(PAGE, view, values)
    for key, column in whole.columns().items():
        np.testing.assert_array_equal(column, result.columns()[key])
    # every control in sight has an effect, and at most three are
    assert len(set(view.in_sight) - view.idle(values)) == 3
    assert view.takeaway(result)
    assert view.detail(result)
    assert view.notes(result)


def test_a_comparison_that_there_is_not_is_refused():
    with pytest.raises(ParameterError, match="compared"):
        last(PAGE, "closeness", compared="all")
