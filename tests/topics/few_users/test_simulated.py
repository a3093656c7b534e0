"""The least size from which on all succeed."""

import math

import numpy as np

from dpviz.topics.few_users.simulated import least_enough


def test_the_least_size_from_which_all_succeed():
    sizes = np.array([2.0, 4.0, 8.0, 16.0])
    assert least_enough(sizes, np.array([0.1, 0.96, 0.9, 0.99]), 0.95) == 16
    assert least_enough(sizes, np.array([1.0, 1.0, 1.0, 1.0]), 0.95) == 2
    assert least_enough(sizes, np.array([1.0, 1.0, 1.0, 0.9]), 0.95) == math.inf
    assert least_enough(sizes, np.array([1.0, 1.0, 1.0, math.nan]), 0.95) == math.inf
