"""What is said to be in use agrees with the other numbers of the same documents."""

import numpy as np
import pytest

from dpviz.topics.promise.deployments import DEPLOYMENTS


def deployed(name):
    [one] = [one for one in DEPLOYMENTS if name in one.name]
    return one


def of_zcdp(rho, delta):
    """ε of ρ-zCDP at δ (Canonne, Kamath & Steinke 2020, Proposition 12), on a grid of orders."""
    order = np.linspace(1.001, 40, 400_000)
    spent = np.log(1 / (order * delta)) + (order - 1) * np.log1p(-1 / order)
    return float((rho * order + spent / (order - 1)).min())


def test_the_census_epsilon_is_what_its_zcdp_gives():
    # ρ is published with two decimals: 2.56 for the tables of persons.
    census = deployed("Census")
    low, high = (of_zcdp(rho, census.delta) for rho in (2.555, 2.565))
    assert low <= census.epsilon <= high
    assert high - low < 0.05


def test_googles_epsilon_is_the_sum_of_what_one_day_may_give():
    # At three levels 0.11, 0.11 and 0.22; four visits a day, the home and the place of work.
    assert deployed("Google").epsilon == pytest.approx((4 + 1 + 1) * (0.11 + 0.11 + 0.22))
