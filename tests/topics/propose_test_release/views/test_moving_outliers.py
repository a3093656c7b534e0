"""Outliers that move: one cannot make the test refuse, a group can."""

import math

import numpy as np
import pytest

from dpviz.maths.sum_mechanisms import GaussianCount
from dpviz.topics.propose_test_release.delstab import (
    Budget,
    DelStab,
    quietest_mechanism,
)
from dpviz.topics.propose_test_release.example_sums import example_sums
from dpviz.topics.propose_test_release.views.moving_outliers import refusal_against_outlier
from tests.support.declarations import last, page, shown

PAGE = page("propose_test_release")

DEFAULTS = {p.key: p.default for p in PAGE.url_parameters}


def test_one_outlier_does_not_make_it_refuse():
    _, chart, values = shown(PAGE, "One outlier does not make it refuse")
    assert values["outliers"] == 1
    assert chart.curve("refusal").y.max() < 1e-3


@pytest.mark.parametrize("factor", [0.68, 0.73, 0.77])
def test_not_even_at_the_brink(factor):
    """The outlier moves by e^ε̄·p + δ̄ at most, even where ⊥ has a fair chance."""
    budget = Budget(DEFAULTS["epsilon"], DEFAULTS["delta"])
    chart = last(PAGE, "outliers", outliers=1, noise_factor=factor)
    refusal = chart.curve("refusal").y
    assert 1e-6 < refusal.min() < refusal.max() < 1
    assert refusal.max() <= math.exp(budget.epsilon_bar) * refusal.min() + budget.delta_bar


def test_a_group_of_outliers_makes_it_refuse():
    view, chart, values = shown(PAGE, "A group of outliers makes it refuse")
    together, alone = chart.curve("refusal"), chart.curve("alone")
    assert together.y[0] < 1e-3
    assert together.y[np.abs(together.x - chart.here).argmin()] > 0.9
    assert alone.y.max() < 1e-3
    assert values["outliers"] > chart.budget.kappa
    assert f"above {math.exp(chart.budget.epsilon_bar):.3g}·p" in view.detail(chart)


def test_one_outlier_moves_the_refusal_by_little():
    rng = np.random.default_rng(1)
    arguments = {"epsilon": 1.0, "delta": 1e-5}
    sums = example_sums("well-behaved", users=1000, examples_per_user=20, rate=0.3, rng=rng)
    mechanism = quietest_mechanism(sums, noise="gaussian", **arguments)
    assert DelStab(sums, mechanism=mechanism, **arguments).refusal_probability == 0
    quieter = GaussianCount(mechanism.sigma * (1 - 1e-6))
    assert not DelStab(sums, mechanism=quieter, **arguments).all_stable
    *_, sweep = refusal_against_outlier(
        sums, mechanism=GaussianCount(0.8 * mechanism.sigma), **arguments, reach=1e5, here=0.0
    )
    low, high = sweep.curve("refusal").y[[0, -1]]
    budget = Budget(**arguments)
    assert low <= high <= budget.delta_bar + math.exp(budget.epsilon_bar) * low
