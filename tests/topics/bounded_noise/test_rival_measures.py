"""The errors of noises of equal privacy: the one of least error is that of all measures."""

import numpy as np
import pytest

from dpviz.topics.bounded_noise.rival_measures import leader, measures


@pytest.mark.parametrize(
    ("objective", "answers", "queries", "delta"),
    [
        ("hard", "real", 5, 1e-6),  # a rival lies between the wide bounds
        ("hard", "whole", 9, 1e-6),
        ("quantile", "real", 3, 1e-4),
        ("quantile", "whole", 60, 1e-4),
        ("deviation", "real", 12, 1e-6),
    ],
)
def test_the_noise_of_least_error_is_that_of_all_measures(objective, answers, queries, delta):
    at = {"epsilon": 1.0, "delta": delta, "queries": queries}
    measured = measures(objective, answers, 0.05, **at)
    assert leader(objective, answers, 0.05, **at) == int(np.argmin(measured))
