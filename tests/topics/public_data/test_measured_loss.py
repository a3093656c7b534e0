"""Privacy losses measured by draws."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from dpviz.topics.public_data import noise_levels as levels
from dpviz.topics.public_data.algorithms import (
    Labelled,
    rrspm,
)
from dpviz.topics.public_data.measured_loss import counted_log_ratio
from dpviz.topics.public_data.oracles.thresholds import Thresholds


def test_the_interval_of_a_measured_loss_holds():
    rng, draws = np.random.default_rng(9), 2000
    p, q = 0.06, 0.03
    true = math.log(p / q)
    held = 0
    for _ in range(400):
        first, second = binom.rvs(draws, [p, q], random_state=rng)
        lower, estimate, upper = counted_log_ratio(
            first, second, draws=draws, failure_probability=0.05
        )
        assert lower <= estimate <= upper
        held += lower <= true <= upper
    assert held >= 380
    lower, estimate, upper = counted_log_ratio(0, 7, draws=draws, failure_probability=0.05)
    assert upper == math.inf
    assert estimate == pytest.approx(math.log(7))


def test_privacy_by_simulation_beyond_small_classes():
    # Thresholds, 6 public points, one example with either label: 7 outputs, all alike to 4 ε
    epsilon, runs = 1.0, 60_000
    public, rng = np.linspace(0.1, 0.9, 6), np.random.default_rng(12)
    counts = []
    for label in (1.0, -1.0):
        private = Labelled(np.array([0.5]), np.array([label]))
        scale = float(levels.laplace_weights(6, epsilon=epsilon))
        found = rrspm(Thresholds(0.0, 1.0), private, public=public, scale=scale, runs=runs, rng=rng)
        places, count = np.unique(found.released[:, 0], return_counts=True)
        assert places.size == 7
        counts.append(count)
    for first, second in zip(*counts, strict=True):
        lower, _, _ = counted_log_ratio(first, second, draws=runs, failure_probability=0.01 / 7)
        assert lower <= epsilon
