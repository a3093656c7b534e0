"""Lemma 14: the expected divergence against sums over all pairs, and the bound of its proof."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom

from dpviz.maths.generalization_bounds import lemma_14_derived, theorem_13_derived
from dpviz.plot.text import readable
from dpviz.topics.perfect_generalization import expected_divergence as module
from dpviz.topics.perfect_generalization import expected_divergence_shown
from dpviz.topics.perfect_generalization.expected_divergence import (
    expected_divergence,
    mean_divergence,
)
from dpviz.topics.perfect_generalization.named_mechanisms import MECHANISMS, named_mechanism
from tests.support.declarations import last, page

VIEW = expected_divergence_shown
PAGE = page("perfect_generalization")
SETTING = {
    "samples": 1000,
    "epsilon": 0.005,
    "sigma": 200.0,
    "delta": 1e-16,
    "rate": 0.4,
    "closeness_delta": 1e-6,
    "closeness_epsilon": 0.3,
}


@pytest.mark.parametrize("name", ["geometric", "response"])
def test_the_average_against_every_pair_of_samples(name):
    mechanism = named_mechanism(name, samples=5, epsilon=0.7, sigma=1.0)
    rate, losses = 0.3, np.array([0.1, 0.9, 2.5])
    samples = np.array(list(itertools.product((0, 1), repeat=5)))
    chance = np.prod(np.where(samples == 1, rate, 1 - rate), axis=1)
    apart = (
        np.abs(np.subtract.outer(samples.sum(axis=1), samples.sum(axis=1)))
        if name == "geometric"
        else (samples[:, None] != samples[None]).sum(axis=2)
    )
    by_hand = [chance @ np.exp(mechanism.log_divergence(apart, epsilon=e)) @ chance for e in losses]
    low, high = mean_divergence(mechanism, 5, rate, losses)
    assert low == pytest.approx(by_hand, rel=1e-9)
    assert high == pytest.approx(by_hand, rel=1e-9)


def test_the_average_of_a_choice_against_its_outputs():
    mechanism = named_mechanism("exponential", samples=16, epsilon=0.8, sigma=1.0)
    rows = np.exp(mechanism.log_rows(np.arange(17)))
    law, loss = binom.pmf(np.arange(17), 16, 0.4), 0.5
    left = np.maximum(rows[:, None] - math.exp(loss) * rows[None], 0).sum(axis=2)
    found, _ = mean_divergence(mechanism, 16, 0.4, np.array([loss]))
    assert found[0] == pytest.approx(law @ left @ law, rel=1e-9)


def test_many_distances_taken_together_are_bounded_from_both_sides(monkeypatch):
    mechanism = named_mechanism("gaussian", samples=400, epsilon=1.0, sigma=30.0)
    losses = np.array([0.2, 1.0, 3.0])
    exact, _ = mean_divergence(mechanism, 400, 0.5, losses)
    monkeypatch.setattr(module, "_GROUPS", 50)
    low, high = mean_divergence(mechanism, 400, 0.5, losses)
    assert np.all(low < exact)
    assert np.all(exact < high)
    assert high == pytest.approx(low, rel=0.9)


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_proof_bounds_the_average_and_neither_exceeds_one(name):
    chart = expected_divergence(mechanism=name, **SETTING)
    exact, proven = chart.curve("exact").y, chart.curve("derived").y
    known = np.isfinite(exact) & np.isfinite(proven)
    assert np.all(exact[known] <= proven[known])
    assert np.nanmax(proven) <= 1
    assert np.all(np.diff(proven[np.isfinite(proven)]) <= 0)
    worst = chart.curve("worst").y
    both = known & np.isfinite(worst)
    assert np.all(exact[both] <= worst[both] * (1 + 1e-9))
    assert 0 < chart.expected < chart.worst


def test_the_bound_is_the_one_from_which_theorem_13_starts():
    """At β = 1/2, nearly, nothing is changed: ε′ of the theorem is where four times it is δ′."""
    setting = {"epsilon": 0.003, "log_delta": -math.inf}
    loss = float(theorem_13_derived(10**4, log_failure=-1e-9, delta=1e-5, **setting))
    changed = math.floor(math.sqrt(8 * 10**4 * (-math.log(0.3179) - math.log(2)))) * 0.003
    bound = float(lemma_14_derived(10**4, loss=loss - changed, **setting))
    assert math.log(4) + changed + bound == pytest.approx(math.log(1e-5), abs=1e-6)


def test_where_the_proof_says_nothing_the_bound_is_one():
    assert lemma_14_derived(100, epsilon=0.7, log_delta=-50.0, loss=9.0) == 0.0
    assert lemma_14_derived(10**4, epsilon=0.1, log_delta=-50.0, loss=0.1) == 0.0


def test_noise_so_large_that_delta_covers_an_item_still_has_an_axis():
    chart = expected_divergence(
        mechanism="gaussian", **SETTING | {"sigma": 1e6, "delta": 0.5, "samples": 1}
    )
    assert np.all(chart.curve("exact").x > 0)
    assert chart.expected <= chart.worst


def test_markovs_share_is_no_smaller_than_what_is_known_of_the_average():
    asked = {"mechanism": "mean", "samples": 1000, "epsilon": 0.01, "sigma": 1e5, "rate": 0.5}
    chart = expected_divergence(**asked, delta=1e-16, closeness_delta=1e-6, closeness_epsilon=1.0)
    assert chart.expected < module.LEAST
    assert f"a share {readable(1e-9)} of" in VIEW.detail(chart)


@pytest.mark.parametrize(("epsilon", "where"), [(0.005, "at so small an ε′"), (0.6, "at any ε′")])
def test_lemma_14_is_silent_for_the_reason_told(epsilon, where):
    state = {"epsilon": epsilon, "closeness_epsilon": 1e-3 if epsilon < 0.5 else 100}
    assert f"says nothing {where}" in VIEW.detail(last(PAGE, "closeness", compared="mean", **state))


def test_the_most_unlike_data_sets_are_drawn_to_where_they_fall():
    chart = last(PAGE, "closeness", compared="mean")
    worst = chart.curve("worst")
    end = 1000 * 0.005  # pure: beyond n·ε there is nothing
    assert np.all(worst.x[np.isfinite(worst.y)] < end)
    assert worst.x[worst.y < 1e-5].min() > 0.99 * end


def test_what_is_too_small_to_be_drawn_is_told_as_less():
    say = expected_divergence_shown.takeaway
    assert "less" not in say(last(PAGE, "closeness", compared="mean"))
    far = last(PAGE, "closeness", compared="mean", closeness_epsilon=0.6)
    assert "a probability of less than 10⁻⁶ on average; on" in say(far)
    beyond = last(PAGE, "closeness", compared="mean", closeness_epsilon=6.0)
    assert say(beyond).endswith("data sets agree but for a probability of less than 10⁻⁶.")
