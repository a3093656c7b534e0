"""Roots of many functions at once, beside scipy's solver of one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from dpviz.maths.roots import find_roots
from tests.support.examples import examples


@examples(40)
@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=8))
def test_each_root_is_where_a_scalar_solver_finds_it(rates):
    def falling(x, rate):
        return np.exp(-rate * x) - rate * x**3

    a = np.array(rates)
    found = find_roots(falling, (np.zeros_like(a), np.full_like(a, 20.0)), (a,))
    for i, rate in enumerate(rates):
        root = brentq(falling, 0.0, 20.0, args=(rate,), xtol=1e-300, rtol=1e-14)
        assert abs(found.x[i] / root - 1) < 1e-12
        low, high = (float(end[i]) for end in found.bracket)
        assert low <= found.x[i] <= high
        assert falling(low, rate) >= 0 >= falling(high, rate)


def test_an_end_may_be_the_root_and_without_a_change_of_sign_there_is_none():
    ends = np.array([1.0, 0.0, 2.0, 0.0]), np.array([3.0, 1.0, 3.0, 3.0])
    found = find_roots(lambda x: x - 1, ends)
    assert found.x.tolist()[:2] == [1.0, 1.0]
    assert np.isnan(found.x[2])
    assert abs(found.x[3] - 1) < 1e-15


def test_numbers_without_axes_are_taken_too():
    found = find_roots(lambda x, c: x**2 - c, (np.array(0.0), np.array(2.0)), (np.array(2.0),))
    assert abs(float(found.x) - np.sqrt(2)) < 1e-15
