"""Composition theorems are upper bounds on the truth, and their formulas what the papers say."""

import math

import numpy as np
import pytest
from dp_accounting import rdp

from dpviz.maths import composition_bounds as bounds
from dpviz.maths import divergence, gaussian


@pytest.mark.parametrize("count", [1, 10, 300])
@pytest.mark.parametrize("loss", [0.01, 0.1, 1.0])
def test_theorems_never_promise_more_than_is_true(count, loss):
    delta = 1e-6
    truth = divergence.randomized_response_epsilon(count, bit_epsilon=loss, delta=delta)
    assert bounds.basic_epsilon(loss, queries=count) >= truth
    assert bounds.advanced_epsilon(loss, queries=count, slack=delta) >= truth
    rho = count * bounds.zcdp_of_pure(loss)
    assert bounds.zcdp_epsilon(rho, delta=delta) >= truth - 1e-9


@pytest.mark.parametrize("mu", [0.05, 0.5, 3.0])
def test_zcdp_of_gaussian_noise_is_above_the_truth_and_below_the_older_bound(mu):
    delta, rho = 1e-6, mu**2 / 2
    found = bounds.zcdp_epsilon(rho, delta=delta)
    assert found >= gaussian.least_epsilon(np.array(mu), np.array(delta))
    assert found <= rho + 2 * math.sqrt(rho * math.log(1 / delta)) + 1e-9


@pytest.mark.parametrize("mu", [0.05, 0.5, 3.0])
def test_the_conversion_is_that_of_dp_accounting(mu):
    orders = 1 + np.geomspace(1e-2, 1e4, 20_000)
    expected, _ = rdp.compute_epsilon(orders, orders * mu**2 / 2, 1e-6)
    assert bounds.zcdp_epsilon(mu**2 / 2, delta=1e-6) == pytest.approx(expected, rel=1e-6)


def test_advanced_composition_is_the_printed_formula():
    assert bounds.advanced_epsilon(0.1, queries=100, slack=1e-6) == pytest.approx(
        math.sqrt(200 * math.log(1e6)) * 0.1 + 10 * (math.exp(0.1) - 1)
    )
