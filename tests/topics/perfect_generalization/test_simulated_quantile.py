"""The interval of a simulated quantile."""

import numpy as np

from dpviz.topics.perfect_generalization.simulated_quantile import BETA, quantile_interval


def test_the_interval_covers_a_known_quantile():
    rng, hits = np.random.default_rng(8), 0
    for _ in range(300):
        _, low, high = quantile_interval(rng.random((200, 1)))
        hits += low[0] <= 1 - BETA <= high[0]
    assert hits >= 0.92 * 300
    assert np.isnan(quantile_interval(rng.random((10, 1)))[2][0])
