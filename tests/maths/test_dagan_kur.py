import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import integrate, optimize, stats
from scipy.special import log_ndtr

from dpviz.maths import bounded_noise, gaussian
from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.bounded_noise import IteratedExponentialNoise, PowerNoise
from dpviz.maths.dagan_kur import (
    dagan_kur_bounded_max_error,
    dagan_kur_gaussian_max_error,
    dagan_kur_radius,
    dagan_kur_steps,
)
from dpviz.results.parameters import ParameterError
from tests.support import oracles
from tests.support.examples import chosen, examples, some
from tests.support.strategies import inside, outside

any_noise = st.one_of(inside("power").map(PowerNoise), st.just(IteratedExponentialNoise()))
every_noise = pytest.mark.parametrize("family", oracles.NOISES, ids=str)

# Figure 1 and Section 5 of the paper
EPSILON, DELTA = 0.1, 1e-10


@pytest.fixture(scope="module")
def section_5():
    """For k = 1e3 and 1e6: the Gaussian sigma, their radius, and the noise."""
    family = PowerNoise(2)
    return {
        k: (
            family,
            dagan_kur_radius(family, epsilon=EPSILON, delta=DELTA, queries=k),
            gaussian.minimal_sigma(epsilon=EPSILON, delta=DELTA, queries=k),
        )
        for k in (10**3, 10**6)
    }


def saving(bounded, gauss):
    return 1 - float(bounded) / float(gauss)


def test_section_5_as_printed(section_5):
    def savings(k):
        family, radius, sigma = section_5[k]
        theirs = dagan_kur_gaussian_max_error(sigma, queries=k, failure_probability=0.05)
        rare = dagan_kur_gaussian_max_error(sigma, queries=k, failure_probability=0.001)
        ours = dagan_kur_bounded_max_error(family, radius, queries=k, failure_probability=0.05)
        return saving(ours, theirs), saving(radius, rare)

    # the two 0.95-bounds; and what always holds against the Gaussian 0.999-bound
    assert savings(10**3)[0] == pytest.approx(0, abs=0.02)
    assert savings(10**6) == pytest.approx((0.29, 0.28), abs=0.01)


def test_section_5_with_the_right_quantiles(section_5):
    family, radius, sigma = section_5[10**6]

    def gauss(beta):
        return gaussian.max_error(sigma, queries=10**6, failure_probability=beta)

    ours = bounded_noise.max_error(family, radius, queries=10**6, failure_probability=0.05)
    assert saving(ours, gauss(0.05)) == pytest.approx(0.34, abs=0.005)
    assert saving(radius, gauss(0.001)) == pytest.approx(0.31, abs=0.005)


def test_radius_of_the_authors_program(section_5):
    _, radius, sigma = section_5[10**6]
    # Their program prints 4.23, rounding its quadrature up.
    assert 0.99 * 4.23 < radius / float(sigma) < 4.23


SETTINGS = [(2, 1, 1.0, 1e-2), (2, 10, 0.5, 1e-6), (1, 3, 2.0, 1e-4), (4, 100, 1.0, 1e-8)]


@pytest.mark.parametrize(
    ("power", "queries", "epsilon", "delta"), chosen(SETTINGS, [SETTINGS[0], SETTINGS[3]])
)
def test_the_search_ends_where_the_printed_test_begins_to_hold(power, queries, epsilon, delta):
    family = PowerNoise(power)
    radius = dagan_kur_radius(family, epsilon=epsilon, delta=delta, queries=queries)
    spent = oracles.chernoff_integral(family, radius, epsilon, delta, queries)
    assert spent == pytest.approx(0.99 * delta, rel=1e-6)


@pytest.mark.parametrize(
    ("power", "queries", "epsilon", "delta"),
    chosen([SETTINGS[0], *SETTINGS[2:]], [SETTINGS[0], SETTINGS[3]]),
)
def test_the_steps_end_where_their_bounds_are_met(power, queries, epsilon, delta):
    family = PowerNoise(power)
    steps = dagan_kur_steps(family, epsilon=epsilon, delta=delta, queries=queries)
    for radius, share in ((steps.split, 0.01), (steps.chernoff, steps.share)):
        spent = oracles.chernoff_once(family, radius, epsilon, delta, queries, share)
        assert spent == pytest.approx((1 - share) * delta, rel=1e-5)
    # no other share does better
    for share in np.geomspace(1e-5, 0.9, 12):
        spent = oracles.chernoff_once(
            family, steps.chernoff * 0.995, epsilon, delta, queries, share
        )
        assert spent > (1 - share) * delta


@examples(12, 1)
@example(power=8.0, queries=1, epsilon=1.0, delta=6.213159586848109e-49)  # losses up to 1e127
@given(
    power=inside("power"),
    queries=inside("queries"),
    epsilon=inside("epsilon"),
    delta=inside("delta"),
)
def test_no_step_of_the_proof_gains(power, queries, epsilon, delta):
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    steps = dagan_kur_steps(PowerNoise(power), **privacy)
    exact = minimal_radius(PowerNoise(power), **privacy)
    assert exact.lower <= steps.chernoff <= steps.split <= steps.published
    published = dagan_kur_radius(PowerNoise(power), **privacy)
    assert steps.published == pytest.approx(published, rel=1e-8)


@pytest.mark.parametrize("family", [PowerNoise(1), PowerNoise(4), IteratedExponentialNoise()])
@pytest.mark.parametrize(
    ("epsilon", "delta"), [(1e-3, 1e-4), (0.1, 1e-10), (0.1, 1e-250), (5.0, 1e-20), (1.0, 0.3)]
)
def test_many_queries_approach_the_normal_limit(family, epsilon, delta):
    # The sum of the losses becomes N(μ²/2, μ²) with μ² = k·I/R², whose Chernoff integral is
    # e^ε √(2π) μ Φ(−ε/μ − μ/2), times the mass (1 − δ₁/k)^k inside: no quadrature, no λ.
    def surplus(log_mu):
        mu = math.exp(log_mu)
        log_integral = (
            epsilon + math.log(2 * math.pi) / 2 + log_mu + log_ndtr(-(epsilon / mu + mu / 2))
        )
        return log_integral - 0.01 * delta - math.log(0.99 * delta)

    # valid while the mean loss μ²/2 stays below ε
    mu = math.exp(optimize.brentq(surplus, math.log(epsilon) - 8, math.log(2 * epsilon) / 2))
    limit = math.sqrt(1e10 * family.fisher_information) / mu
    radius = dagan_kur_radius(family, epsilon=epsilon, delta=delta, queries=1e10)
    assert radius == pytest.approx(limit, rel=2e-6)


ONE = [
    (family, *promise)
    for family in oracles.NOISES
    for promise in ((0.1, 1e-2), (1.0, 1e-8), (10.0, 0.5))
]


@pytest.mark.parametrize(("family", "epsilon", "delta"), chosen(ONE, ONE[::4]))
def test_radius_is_private_for_one_query(family, epsilon, delta):
    radius = dagan_kur_radius(family, epsilon=epsilon, delta=delta, queries=1)
    shift = 1 / radius

    def excess(u):
        return max(0.0, float(family.density(u) - math.exp(epsilon) * family.density(u + shift)))

    spent, error = integrate.quad(excess, -1, 1, limit=400, epsabs=1e-14, points=[0.0, 0.5])
    assert spent + error < delta


def test_radius_is_private_for_many_queries_by_simulation():
    family, epsilon, delta, k = PowerNoise(2), 0.5, 0.05, 20
    radius = dagan_kur_radius(family, epsilon=epsilon, delta=delta, queries=k)

    def simulated_delta(radius):
        u = family.sample(np.random.default_rng(8), (some(200_000), k))
        loss = family.loss(1 - u, 1 + u, 1 / radius).sum(axis=1)
        excess = np.maximum(-np.expm1(epsilon - loss), 0.0)
        return excess.mean(), excess.std() / math.sqrt(excess.size)

    spent, error = simulated_delta(radius)
    assert spent + 5 * error < delta
    # and not absurdly so: a third of the radius is not private
    spent, error = simulated_delta(radius / 3)
    assert spent - 5 * error > delta


@examples(25, 1)
@given(any_noise, inside("epsilon"), inside("delta"), inside("queries"), st.floats(1.1, 10))
@example(PowerNoise(0.5), 1e-7, 1e-300, 10**10, 2.0)
@example(PowerNoise(8), 10.0, 0.5, 1, 2.0)
@example(IteratedExponentialNoise(), 1e-7, 0.5, 1, 2.0)
def test_radius_falls_with_epsilon_and_delta_and_grows_with_queries(
    family, epsilon, delta, queries, factor
):
    def radius(epsilon, delta, queries):
        return dagan_kur_radius(family, epsilon=epsilon, delta=delta, queries=queries)

    here = radius(epsilon, delta, queries)
    slack = 1 - 1e-8
    assert math.isfinite(here)
    assert here > 0.5
    assert radius(min(epsilon * factor, 10.0), delta, queries) * slack <= here
    assert radius(epsilon, min(delta * factor, 0.5), queries) * slack <= here
    assert radius(epsilon, delta, min(round(queries * factor), 10**10)) >= here * slack


def test_radius_has_the_unit_of_the_sensitivity():
    radii = [
        dagan_kur_radius(PowerNoise(2), epsilon=1, delta=1e-6, queries=50, sensitivity=s)
        for s in (1, 1e-9, 1e9)
    ]
    assert np.array(radii) / radii[0] == pytest.approx([1, 1e-9, 1e9], rel=1e-14)


def test_gaussian_quantile_as_printed_is_too_small():
    k, beta = np.array([10, 1000, 10**5]), 0.05
    bound = dagan_kur_gaussian_max_error(1.0, queries=k, failure_probability=beta)
    assert bound == pytest.approx(stats.norm.ppf(2 * (1 - beta) ** (1 / k) - 1), rel=1e-9)
    fails = 1 - (1 - 2 * stats.norm.sf(bound)) ** k
    assert fails[1] == pytest.approx(0.19, abs=0.005)
    assert np.all(bound < gaussian.max_error(1.0, queries=k, failure_probability=beta))


@given(inside("queries"), inside("failure_probability"))
@example(1, 0.3)
@example(2, 0.5)
@example(3, 0.5)
def test_gaussian_quantile_is_positive_or_undefined(queries, beta):
    bound = float(dagan_kur_gaussian_max_error(1.0, queries=queries, failure_probability=beta))
    all_hold = (1 - beta) ** (1 / queries)
    if all_hold < 0.75 - 1e-9:
        assert math.isnan(bound)
    elif all_hold > 0.75 + 1e-9:
        assert bound > 0


@given(any_noise, inside("queries"), inside("failure_probability"))
def test_bounded_quantile_solves_its_equation_and_is_conservative(family, queries, beta):
    bound = float(
        dagan_kur_bounded_max_error(family, 1.0, queries=queries, failure_probability=beta)
    )
    assert 0 <= bound < 1
    mass = (2 - 2 * bound) * float(family.density(bound))
    # the density's condition number times one ulp of the bound
    assert mass == pytest.approx(beta / queries, rel=1e-7)
    exact = bounded_noise.max_error(family, 1.0, queries=queries, failure_probability=beta)
    assert bound >= float(exact) - 1e-12


def test_quantiles_broadcast():
    k = np.array([10, 1000])
    radii = np.array([[1.0], [2.0]])
    bounds = dagan_kur_bounded_max_error(PowerNoise(2), radii, queries=k, failure_probability=0.05)
    assert bounds.shape == (2, 2)
    assert bounds[1] == pytest.approx(2 * bounds[0], rel=1e-15)


@pytest.mark.parametrize("name", ["epsilon", "delta", "queries", "sensitivity"])
@given(data=st.data())
def test_radius_refuses(name, data):
    arguments = {"epsilon": 0.1, "delta": 1e-6, "queries": 10, "sensitivity": 1.0}
    arguments[name] = data.draw(outside(name))
    with pytest.raises(ParameterError, match=name):
        dagan_kur_radius(PowerNoise(2), **arguments)


@pytest.mark.parametrize("name", ["scale", "queries", "failure_probability"])
@given(data=st.data())
def test_quantiles_refuse(name, data):
    rest = {"queries": 10, "failure_probability": 0.1}
    scale = data.draw(outside("sigma")) if name == "scale" else 1.0
    if name != "scale":
        rest[name] = data.draw(outside(name))
    with pytest.raises(ParameterError, match="sigma" if name == "scale" else name):
        dagan_kur_gaussian_max_error(scale, **rest)
    with pytest.raises(ParameterError, match="radius" if name == "scale" else name):
        dagan_kur_bounded_max_error(PowerNoise(2), scale, **rest)
