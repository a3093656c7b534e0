"""Histograms of two samples: the exact law for two categories, all pairs of a small sample."""

import itertools
import math

import numpy as np
import pytest

from dpviz.maths import divergence
from dpviz.maths.sum_mechanisms import GaussianCount
from dpviz.topics.perfect_generalization.simulated_quantile import BETA
from dpviz.topics.perfect_generalization.views.close_histograms import (
    close_histograms,
    distance_bound,
    sample_distances,
)

USUAL = {"samples": 1000, "sigma": 50.0, "closeness_delta": 1e-6}


def test_two_categories_are_coins():
    *_, chart = close_histograms(categories=2, **USUAL, rng=np.random.default_rng(2))
    width = GaussianCount(50.0).distance_law(1000, 0.5).quantile(BETA)
    exact = float(GaussianCount(50.0).least_epsilon(math.sqrt(2) * width, delta=1e-6))
    curve = chart.curve("needed")
    assert curve.lower[0] <= exact <= curve.upper[0]
    spent = divergence.log_gaussian(math.sqrt(2) * width, sigma=50.0, epsilon=exact)
    assert spent == pytest.approx(math.log(1e-6), rel=1e-6)


def test_distances_have_the_law_of_all_pairs_of_samples():
    items, places = 3, range(3)
    exact: dict[int, float] = {}
    for pair in itertools.product(itertools.product(places, repeat=items), repeat=2):
        counts = [np.bincount(sample, minlength=3) for sample in pair]
        squared = int(((counts[0] - counts[1]) ** 2).sum())
        exact[squared] = exact.get(squared, 0.0) + 3.0 ** (-2 * items)
    drawn = sample_distances(np.random.default_rng(0), samples=items, categories=3, runs=20_000)
    for squared, mass in exact.items():
        share = np.mean(np.rint(drawn**2) == squared)
        assert share == pytest.approx(mass, abs=5 * math.sqrt(mass / 20_000))


def test_the_proven_distance_is_exceeded_seldom_and_all_curves_are_in_order():
    rng = np.random.default_rng(6)
    for categories in (2, 30):
        drawn = sample_distances(rng, samples=50, categories=categories, runs=2000)
        assert np.mean(drawn > distance_bound(50, np.array(float(categories)))) <= BETA
    *_, chart = close_histograms(categories=16, **USUAL, rng=rng)
    needed, proven, any_two = (chart.curve(key).y for key in ("needed", "proven", "any"))
    assert np.all((needed < proven) & (proven < any_two))
    assert chart.needed == chart.value("needed")
