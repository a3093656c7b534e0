"""Laplace noise on the users' mean: its error, and that it is private."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from dpviz.results.parameters import ParameterError
from dpviz.topics.clipping.baseline import laplace_error, laplace_scale
from tests.support.examples import examples


@examples(30)
@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.integers(2, 400), st.floats(0.05, 3))
def test_the_error_of_laplace_noise_by_quadrature(mean, truth, users, epsilon):
    found = laplace_error([mean, 1 - mean], [truth, 1 - truth], users=users, epsilon=epsilon)
    noise = stats.laplace(scale=1 / (users * epsilon))
    grid = np.linspace(*noise.ppf([1e-12, 1 - 1e-12]), 200_001)
    error = np.abs(np.clip(mean + grid, 0, 1) - truth)
    assert float(found) == pytest.approx(
        integrate.trapezoid(error * noise.pdf(grid), grid), abs=1e-6
    )


@pytest.mark.parametrize("k", [2, 5])
def test_laplace_noise_is_private_for_a_user(k):
    """A user who moves from one category to another: all noisy shares together lose ε."""
    users, epsilon = 10, 0.7
    noisy = 1 if k == 2 else k  # of two categories only one gets noise
    before, after = np.eye(k)[0] / users, np.eye(k)[1] / users
    moved = np.abs(before - after)[:noisy].sum()
    assert moved / laplace_scale(k, users=users, epsilon=epsilon) == pytest.approx(epsilon)


def test_shares_that_do_not_fit_are_refused():
    with pytest.raises(ParameterError, match=r"^means must be"):
        laplace_error([0.5, 0.5], [0.2, 0.3, 0.5], users=5, epsilon=1)
