"""Which noise wins where: borders, sentences, and the map."""

from itertools import islice

import numpy as np
import pytest

from dpviz.maths import gaussian
from dpviz.maths.accounting.tuning import tuned_noise
from dpviz.maths.laplace_rivals import laplace_noise, truncated_laplace_noise
from dpviz.plot.theme import LIGHT
from dpviz.results.parameters import ParameterError
from dpviz.topics.bounded_noise.views import which_noise_wins_where_shown
from dpviz.topics.bounded_noise.views.which_noise_wins_where import which_noise_wins_where
from tests.support.examples import only_in_long_run
from tests.support.specs import Checked

drawn = Checked(which_noise_wins_where_shown)
VIEW = which_noise_wins_where_shown.VIEW
HERE = {
    "epsilon": 0.1,
    "delta": 1e-10,
    "failure_probability": 0.05,
    "objective": "hard",
    "along": "delta",
    "queries": 100,
}


def own(**changes):
    """The result that has the reader's own place alone."""
    return next(result for result in which_noise_wins_where(**HERE | changes) if result.own)


@only_in_long_run
def test_the_border_is_where_the_hard_bounds_cross():
    result = own()
    k = result.turns["tuned"]
    assert result.named(result.ranks[0]) == "truncated Laplace noise"
    for queries, overtaken in ((k - 1, False), (k, True)):
        privacy = {"epsilon": 0.1, "delta": 1e-10, "queries": queries}
        tuned = tuned_noise(**privacy).best.radius.upper
        assert (tuned < truncated_laplace_noise(**privacy).radius) == overtaken
    assert f"from {k:.0f} on tuned noise" in VIEW.takeaway(result)


def test_the_deviations_cross_where_closed_forms_do():
    *_, result = which_noise_wins_where(**HERE | {"objective": "deviation"})
    curve = result.curve("gaussian")
    assert np.all(np.diff(curve.y) <= 0)  # the smaller δ, the longer Laplace noise leads
    for delta, k, low in zip(curve.x, curve.y, curve.lower, strict=True):
        for queries, overtaken in ((low, k == low), (k, True)):
            privacy = {"epsilon": 0.1, "delta": float(delta), "queries": float(queries)}
            sigma = float(gaussian.minimal_sigma(**privacy))
            assert (sigma < laplace_noise(**privacy).standard_deviation) == overtaken
        assert k - low <= max(1.0, 0.1 * low)
    low, high = result.spans["gaussian"]
    assert (low, high) == (curve.y.min(), curve.y.max())
    assert f"between k = {low:.0f} and {high:.0f}" in VIEW.detail(result)


@only_in_long_run
def test_likely_bounds_pass_from_laplace_over_gaussian_to_tuned_noise():
    result = own(objective="quantile", delta=1e-3)
    assert 1 < result.turns["gaussian"] <= result.turns["tuned"] < 40
    sentence = VIEW.takeaway(result)
    assert sentence.index("Laplace noise") < sentence.index("tuned noise")


@only_in_long_run
def test_counts_are_hidden_by_noise_on_whole_numbers():
    """At ε = 5 and δ = 0.01 one count needs an error of 1, truncated Laplace noise has 1.78."""
    privacy = {"epsilon": 5.0, "delta": 0.01}
    whole = own(**privacy, answers="whole", queries=1)
    assert whole.own["truncated"] == 1.0
    assert truncated_laplace_noise(**privacy, queries=1).radius == pytest.approx(1.781, abs=0.01)
    assert all(value == round(value) for value in whole.own.values())
    assert "discrete" in VIEW.takeaway(whole)


@only_in_long_run
def test_the_sentence_says_nothing_of_borders_before_they_are_looked_for():
    asked = {"objective": "quantile"}
    first = next(which_noise_wins_where(**HERE | asked))
    assert np.isnan(first.turns["gaussian"])
    assert "not yet known" in VIEW.takeaway(first)
    # noise in cells is better than truncated Laplace noise (`tests/maths/test_laplace_rivals.py`)
    assert VIEW.takeaway(first).startswith("Of the noises compared ")
    assert "not yet known" not in VIEW.takeaway(own(**asked))


def test_the_sentence_compares_at_the_readers_own_k():
    result = own(queries=100)
    privacy = {"epsilon": 0.1, "delta": 1e-10, "queries": 100}
    tuned = tuned_noise(**privacy).best.radius.upper
    rival = truncated_laplace_noise(**privacy).radius
    assert result.ordered == ["tuned", "truncated"]
    assert result.lead == pytest.approx(1 - tuned / rival, abs=0.01)
    assert f"{100 * result.lead:.0f}% less" in which_noise_wins_where_shown.least_here(result)
    assert not own(queries=10**6).own.keys() & {"truncated"}


def test_a_part_without_room_has_no_name():
    """At the ends of δ and β one noise is the best wherever one looks."""
    ends = {"epsilon": 1e-7, "delta": 0.5, "queries": 1, "failure_probability": 1e-12}
    asked = {"objective": "quantile", "along": "epsilon"}
    for result in islice(which_noise_wins_where(**HERE | ends | asked), 6):
        figure = drawn.figure(result, LIGHT)
        named = [note["text"] for note in figure.layout["annotations"]]
        assert len(set(named)) == len(named)


def test_the_map_is_coloured_up_to_its_borders():
    """Each part reaches from one border to the next, and the parts fill the map."""
    *_, result = which_noise_wins_where(**HERE | {"objective": "deviation"})
    figure = drawn.figure(result, LIGHT)
    below, above = figure.data[:2]
    count = result.curves[0].x.size
    border = result.curve("gaussian").y
    assert np.array_equal(below["y"][count:][::-1], border)
    assert np.array_equal(above["y"][:count], border)
    low, high = figure.layout["yaxis"]["range"]
    assert np.allclose(np.log10(below["y"][:count]), low)
    assert np.allclose(np.log10(above["y"][count:]), high)
    # told apart without their colours, too
    assert len({trace["fillpattern"]["shape"] for trace in figure.data[:2]}) == 2
    named = [note["text"] for note in figure.layout["annotations"]]
    assert {"Laplace noise", "Gaussian noise"} <= set(named)


@pytest.mark.parametrize("name", ["objective", "along", "answers"])
def test_what_is_not_offered_is_named(name):
    with pytest.raises(ParameterError) as caught:
        next(which_noise_wins_where(**HERE | {name: "queries"}))
    assert caught.value.name == name
