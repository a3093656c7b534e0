"""Conversions between promises, against mpmath, dp_accounting, and attacks that are possible."""

import math

import mpmath
import numpy as np
import pytest
from dp_accounting.rdp import rdp_privacy_accountant
from scipy.optimize import brentq, minimize_scalar

import dpviz
from dpviz.maths.composition_bounds import zcdp_epsilon
from dpviz.maths.conversions import TARGETS, convert
from dpviz.results.parameters import ParameterError
from tests.support.examples import by_ring

RHOS = [(0.1, 1e-6), (1e-3, 1e-10), (3.0, 1e-5), (0.02, 0.01), (30.0, 1e-100)]


def divergence(p, q, order):
    """The Rényi divergence of two outcomes, at 50 digits."""
    p, q, a = mpmath.mpf(p), mpmath.mpf(q), mpmath.mpf(order)
    return mpmath.log(p**a * q ** (1 - a) + (1 - p) ** a * (1 - q) ** (1 - a)) / (a - 1)


@pytest.mark.parametrize(("rho", "delta"), RHOS)
def test_rho_means_an_epsilon_between_two_ends(rho, delta):
    found = convert(rho=rho, delta=delta)
    assert found.lower <= found.upper == pytest.approx(zcdp_epsilon(rho, delta=delta), rel=1e-4)
    assert found.upper <= zcdp_epsilon(rho, delta=delta) * (1 + 1e-4)
    assert found.beside[0].value == pytest.approx(rho + 2 * math.sqrt(-rho * math.log(delta)))
    assert found.upper < found.beside[0].value
    # Gaussian noise keeps to ρ
    gaussian = convert(mu=math.sqrt(2 * rho), delta=delta)
    assert gaussian.lower <= found.lower
    back = convert(rho=rho, epsilon=min(found.upper, 100.0))
    assert back.lower <= delta * (1 + 1e-6) or found.upper > 100
    if delta <= 1e-5:
        assert found.upper <= found.lower * (1 + 5e-5)


@pytest.mark.parametrize(("rho", "delta"), RHOS[:4])
def test_two_outcomes_that_keep_to_rho_need_no_less_than_the_lower_end(rho, delta):
    """Sought apart: p on a grid, the least q by SciPy, the worst order by its own search."""

    def worst(log_q, p):
        q = math.exp(log_q)

        def negative(log_gap):
            return -float(divergence(p, q, 1 + math.exp(log_gap))) / (1 + math.exp(log_gap))

        grid = np.linspace(-6, 14, 15)
        best = grid[np.argmin([negative(x) for x in grid])]
        found = minimize_scalar(negative, bounds=(best - 2, best + 2), method="bounded")
        return -found.fun - rho

    with mpmath.workdps(25):
        found = convert(rho=rho, delta=delta)
        order = 1 + math.sqrt(math.log(1 / delta) / rho)
        epsilons = []
        for p in delta * order * np.array([0.7, 1.0, 1.5]):
            if p < 0.5:
                log_q = brentq(worst, math.log(p) - found.upper - 5, math.log(p), (p,), xtol=1e-7)
                epsilons.append(math.log(p - delta) - log_q)
    assert max(epsilons) <= found.upper * (1 + 1e-6)
    assert found.lower >= max(epsilons) * (1 - 1e-4)


@pytest.mark.parametrize(
    ("orders", "delta"),
    [({8: 0.5}, 1e-5), ({2: 0.1, 4: 0.3, 32: 1.0, 64: 9.0}, 1e-8), ({1.5: 2.0}, 0.01)],
)
def test_orders_are_converted_as_dp_accounting_does(orders, delta):
    found = convert(renyi=orders, delta=delta)
    theirs, _ = rdp_privacy_accountant.compute_epsilon(list(orders), list(orders.values()), delta)
    assert found.upper == pytest.approx(theirs, rel=1e-12)
    assert found.lower <= found.upper
    typed = ",".join(f"{order}:{at}" for order, at in orders.items())
    assert convert(renyi=typed, delta=delta) == found
    their_delta, _ = rdp_privacy_accountant.compute_delta(
        list(orders), list(orders.values()), found.upper
    )
    back = convert(renyi=orders, epsilon=found.upper)
    assert back.lower <= their_delta * (1 + 1e-9)
    assert back.upper == pytest.approx(delta, rel=1e-6)


@pytest.mark.parametrize("seed", by_ring(range(5), range(20), range(100)))
def test_random_promises_are_converted_between_ends_that_hold(seed):
    rng = np.random.default_rng(seed)
    delta, rho = 10 ** rng.uniform(-12, -1), 10 ** rng.uniform(-4, 1.5)
    found = convert(rho=rho, delta=delta)
    gaussian = convert(mu=math.sqrt(2 * rho), delta=delta)
    assert gaussian.lower <= found.upper <= zcdp_epsilon(rho, delta=delta) * (1 + 1e-4)
    assert found.lower >= gaussian.lower * (1 - 1e-3)
    m = mpmath.mpf(math.sqrt(2 * rho))
    with mpmath.workdps(40):
        e = mpmath.mpf(gaussian.upper)
        exact = mpmath.ncdf(m / 2 - e / m) - mpmath.exp(e) * mpmath.ncdf(-m / 2 - e / m)
    assert exact <= delta * (1 + 1e-9)
    orders = np.sort(np.exp(rng.uniform(0.2, 5, 6)))
    promised = dict(zip(orders.tolist(), (rho * orders).tolist(), strict=True))
    theirs, _ = rdp_privacy_accountant.compute_epsilon(orders, rho * orders, delta)
    some = convert(renyi=promised, delta=delta)
    assert some.upper == pytest.approx(theirs, rel=1e-9, abs=1e-9)
    assert some.lower <= some.upper
    assert some.upper >= found.lower  # fewer orders promise less


@pytest.mark.parametrize("epsilon", [1e-3, 0.3, 1.0, 5.0, 40.0])
def test_a_pure_promise_is_worst_for_randomised_response(epsilon):
    with mpmath.workdps(50):
        p = 1 / (1 + mpmath.exp(-epsilon))
        for order in (1.001, 1.5, 3, 20, 1e4):
            exact = divergence(p, 1 - p, order)
            found = convert(epsilon=epsilon, order=order).value
            assert found == pytest.approx(float(exact), rel=1e-9)
            assert exact / order <= convert(epsilon=epsilon, to="rho").value * (1 + 1e-12)
        kullback_leibler = epsilon * (2 * p - 1)  # the order 1, which ρ is not below
        assert convert(epsilon=epsilon, to="rho").value == pytest.approx(float(kullback_leibler))
        mu = mpmath.mpf(convert(epsilon=epsilon, to="mu").value)
        assert mpmath.ncdf(mu / 2) == pytest.approx(float(p), rel=1e-12)


@pytest.mark.parametrize(("mu", "rows", "epsilon"), [(1.0, 1, 3.0), (0.2, 4, 1.0), (5.0, 2, 100.0)])
def test_mu_is_exact(mu, rows, epsilon):
    found = convert(mu=mu, rows=rows, epsilon=epsilon)
    with mpmath.workdps(50):
        m = mpmath.mpf(mu) * rows
        exact = mpmath.ncdf(m / 2 - epsilon / m) - mpmath.exp(epsilon) * mpmath.ncdf(
            -m / 2 - epsilon / m
        )
    assert found.lower <= exact <= found.upper
    delta = min(found.upper, 0.5)
    assert convert(mu=mu, rows=rows, delta=delta).value <= epsilon * (1 + 1e-9)
    assert convert(mu=mu, rows=rows, to="rho").value == pytest.approx((mu * rows) ** 2 / 2)
    assert convert(mu=mu, order=7).value == pytest.approx(7 * mu**2 / 2)


def test_groups_are_as_large_as_a_chain_of_rows():
    assert convert(epsilon=0.5, rows=4).value == 2
    pair = convert(epsilon=0.5, delta=1e-8, rows=4)
    steps = sum(math.exp(0.5 * i) for i in range(4))
    assert pair.value == pytest.approx(1e-8 * steps)
    assert pair.how == {"epsilon_of_group": 2.0}
    assert convert(rho=0.01, rows=4, delta=1e-6).value == convert(rho=0.16, delta=1e-6).value
    assert convert(rho=0.01, rows=4, to="rho").value == pytest.approx(0.16)
    assert convert(mu=0.1, rows=4, to="mu").value == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "epsilon must be given, or one of rho"),
        ({"rho": 1}, "delta must be given, or epsilon"),
        ({"rho": 1, "mu": 1}, "mu must be left out beside rho"),
        ({"rho": 1, "delta": 1e-6, "epsilon": 1}, "epsilon must be left out"),
        ({"rho": 1, "delta": 1e-6, "to": "mu"}, "delta must be left out for mu"),
        ({"rho": 1, "to": "mu"}, "promises no μ"),
        ({"rho": 1, "to": "sigma"}, "to must be one of epsilon"),
        ({"rho": -1, "delta": 1e-6}, "rho must be a number"),
        ({"rho": 1, "delta": 1}, "delta must be a number"),
        ({"rho": 1, "delta": 1e-6, "rows": 1.5}, "rows must be a whole number"),
        ({"mu": 1, "to": "epsilon"}, "delta must be given for epsilon"),
        ({"mu": 1, "to": "mu"}, "another kind than mu"),
        ({"renyi": "8", "delta": 1e-6}, "as in 8:0.5"),
        ({"renyi": {}, "delta": 1e-6}, "1 to 50 orders"),
        ({"renyi": "8:0.5", "to": "rho"}, "promise neither"),
        ({"renyi": "8:0.5", "delta": 1e-6, "rows": 2}, "left out beside renyi"),
        ({"renyi": "0.5:0.5", "delta": 1e-6}, "order must be a number"),
        ({"epsilon": 1}, "rho, mu or renyi, or rows"),
        ({"epsilon": 1, "delta": 1e-6, "to": "rho"}, "all may be revealed"),
        ({"epsilon": 10, "delta": 1e-6, "rows": 9}, "nothing is promised to so many"),
        ({"epsilon": 101, "to": "rho"}, "epsilon must be a number"),
        ({"epsilon": float("nan"), "to": "rho"}, "epsilon must be a number"),
    ],
)
def test_what_does_not_follow_is_refused_in_words(given, words):
    with pytest.raises(ParameterError, match=words):
        convert(**given)


def test_it_is_one_of_the_few_names():
    assert dpviz.convert is convert
    assert len(TARGETS) == 5
