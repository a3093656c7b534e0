"""How much noise suffices, and what the paper asks for."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.stats import kstest, norm

from dpviz.topics.public_data import noise_levels as levels
from dpviz.topics.public_data.algorithms import (
    perturb,
)
from dpviz.topics.public_data.oracles.linear_functions import LinearFunctions
from tests.support import output_laws as laws
from tests.support.examples import examples
from tests.support.strategies import inside


@given(inside("public_points"), st.floats(1e-4, 2), inside("epsilon"), inside("delta"))
@examples(60)
def test_conditions_are_solved_for_gamma(m, rho, epsilon, delta):
    for share in (1.0, 2.0):
        gamma = float(
            levels.published_gaussian(m, rho=rho, epsilon=epsilon, delta=delta, share=share)
        )
        left = m / (2 * gamma**2) * (1 + gamma * math.sqrt(math.log(share / delta))) * rho
        assert left == pytest.approx(epsilon, rel=1e-9)
    gamma = float(levels.published_laplace(m, rho=rho, epsilon=epsilon))
    assert m**1.5 / gamma * rho == pytest.approx(epsilon)


@given(st.integers(8, 10**4), st.floats(1e-3, 1), st.floats(1e-3, 10), st.floats(1e-30, 0.5))
@example(8, 1.0, 0.001, 0.5)
@example(8, 1.0, 10.0, 0.5)
@example(8, 1e-3, 10.0, 1e-30)
@examples(150)
def test_condition_14_suffices_from_8_points_on(m, rho, epsilon, delta):
    gamma = levels.published_gaussian(m, rho=rho, epsilon=epsilon, delta=delta)
    true = levels.vector_log_delta(gamma, points=m, rho=rho, epsilon=epsilon)
    assert true <= math.log(delta)


def test_condition_14_leaves_one_noisy_number_bare():
    gamma = levels.published_gaussian(1, rho=1.0, epsilon=1.0, delta=1e-10)
    true = float(levels.vector_log_delta(gamma, points=1, rho=1.0, epsilon=1.0))
    assert true > math.log(1e-10) + math.log(1e6)


@given(st.integers(1, 50), st.floats(0.02, 2), st.floats(0.05, 8), st.floats(0.05, 5))
@example(1, 1.0, 1.0, 2.0969)
@example(1, 1.0, 10.0, 0.3351)
@examples(60)
def test_the_release_of_constants_against_its_law_cell_by_cell(m, rho, epsilon, noise):
    gamma = noise * math.sqrt(m)
    pair = [laws.cut_off(mean, noise) for mean in (rho - 1, -1.0)]
    found = float(levels.constants_log_delta(gamma, points=m, rho=rho, epsilon=epsilon))
    cells = laws.hockey_stick(*pair, epsilon)
    # cells show a little less than the number itself
    assert cells - 1e-12 <= math.exp(found) <= cells + 2e-3 / noise
    vector = float(levels.vector_log_delta(gamma, points=m, rho=rho, epsilon=epsilon))
    assert found <= vector + 1e-6 * (1 + abs(vector))


def test_perturb_releases_the_mean_of_the_noisy_numbers_cut_off():
    m, mean, gamma = 5, 0.6, 1.7
    oracle = LinearFunctions(lambda x: np.ones((len(x), 1)))
    found = perturb(
        oracle, np.full((4000, m), mean), public=np.zeros(m), gamma=gamma, noise="gaussian",
        rng=np.random.default_rng(12),
    )[:, 0]  # fmt: skip
    sigma = gamma / math.sqrt(m)
    assert kstest(found[np.abs(found) < 1 - 1e-6], lambda t: (
        (norm.cdf(t, mean, sigma) - norm.cdf(-1, mean, sigma))
        / (norm.cdf(1, mean, sigma) - norm.cdf(-1, mean, sigma))
    )).pvalue > 1e-4  # fmt: skip
    above = norm.sf(1, mean, sigma)
    assert np.mean(found > 1 - 1e-6) == pytest.approx(above, abs=5 * math.sqrt(above / 4000))


@given(inside("public_points"), st.floats(1e-4, 2), inside("epsilon"), inside("delta"))
@examples(60)
def test_the_gaussian_that_suffices_is_the_least_for_the_noisy_numbers(m, rho, epsilon, delta):
    gamma = levels.sufficient_gaussian(m, rho=rho, epsilon=epsilon, delta=delta)
    true = float(levels.vector_log_delta(gamma, points=m, rho=rho, epsilon=epsilon))
    assert true <= math.log(delta)
    less = float(levels.vector_log_delta(gamma * 0.999, points=m, rho=rho, epsilon=epsilon))
    assert less > math.log(delta)


def test_the_delta_of_the_noisy_numbers_against_quadrature():
    m, rho, epsilon, gamma = 20, 0.1, 0.5, 1.3
    mu = mp.mpf(rho) * mp.sqrt(m) / gamma
    edge = epsilon / mu + mu / 2  # where the loss is ε, seen from the shifted law
    value = mp.quad(
        lambda u: mp.npdf(u - mu) - mp.exp(epsilon) * mp.npdf(u), [edge, edge + 4, mp.inf]
    )
    assert float(
        np.exp(levels.vector_log_delta(gamma, points=m, rho=rho, epsilon=epsilon))
    ) == pytest.approx(float(value), rel=1e-9)


@given(inside("public_points"), inside("samples"), inside("eta"), inside("epsilon"))
@examples(60)
def test_the_laplace_condition_asks_for_twice_root_m_times_too_much(m, n, eta, epsilon):
    assume(eta * n > 4)
    rho = levels.regularized_stability(n, eta=eta)
    enough = levels.sufficient_laplace(m, rho=rho, epsilon=epsilon)
    printed = levels.regularized_stability(n, eta=eta, published=True)
    published = levels.published_laplace(m, rho=printed, epsilon=epsilon)
    assert published / enough == pytest.approx(1 * math.sqrt(m) * float(printed) / float(
        levels.regularized_stability(n, eta=eta)
    ))  # fmt: skip
    if printed < 2:
        assert published / enough == pytest.approx(2 * math.sqrt(m))


def test_conditions_102_and_103_as_printed():
    n, eta, j, delta, width, m, epsilon = 5000, 0.2, 400, 1e-6, 1.5, 50, 0.7
    gamma = float(
        levels.perturbation_condition(
            m, samples=n, eta=eta, averages=j, epsilon=epsilon, delta=delta, width=width
        )
    )
    logs = math.log(2 / delta)
    left = m / (2 * gamma**2) * (1 + gamma * math.sqrt(logs))
    assert left * (4 / (n * eta) ** (1 / 3) * width + math.sqrt(logs / j)) == pytest.approx(epsilon)
    side = float(levels.points_condition(m, width=width, delta=delta, constant=0.3))
    first = math.log(m) ** 2 / math.sqrt(m) * width
    second = math.sqrt((math.log(math.log(m)) + math.log(1 / delta)) / m)
    assert side == pytest.approx(0.3 * (first + second))


def test_the_width_of_thresholds_against_simulation():
    rng = np.random.default_rng(8)
    for m in (1, 2, 7, 60):
        walk = np.cumsum(rng.standard_normal((40_000, m)), axis=1)
        lowest = np.minimum(walk.min(axis=1), 0.0)
        top = (walk[:, -1] - 2 * lowest) / math.sqrt(m)
        error = 5 * top.std() / math.sqrt(top.size)
        assert float(levels.threshold_width(m)) == pytest.approx(top.mean(), abs=error)
    assert float(levels.threshold_width(10**4)) < 2 * math.sqrt(2 / math.pi)


@pytest.mark.parametrize(("spread", "exact"), [(0.5, 1.365), (5.0, 0.1593), (50.0, 0.015957)])
def test_two_constants_move_by_less_than_the_bound_and_by_that_in_the_limit(spread, exact):
    """The minimum of ±(loss/2 + ηξ) by quadrature, where one example moves both losses by 1/n."""
    xi = np.linspace(-12, 12, 2_400_001)
    law = np.exp(-(xi**2) / 2) / math.sqrt(2 * math.pi) * (xi[1] - xi[0])
    ends = [np.where(gap + 2 * spread * xi < 0, 1.0, -1.0) @ law for gap in (1.0, -1.0)]
    moved = abs(ends[1] - ends[0])  # in units of n: η is spread/n, the gap of losses 1/n
    assert moved == pytest.approx(exact, rel=1e-3)
    assert moved == pytest.approx(2 * math.erf(1 / (2 * math.sqrt(2) * spread)), rel=1e-4)
    bound = math.sqrt(2 / math.pi) / spread
    assert moved < bound
    said = levels.averaged_stability.__doc__
    assert "2(2Φ(1/(2ηn)) − 1)" in said
    assert "equality" not in said


def test_what_the_docstring_says_of_two_constants():
    above = [math.sqrt(2 / math.pi) / s / (2 * math.erf(1 / (8**0.5 * s))) - 1 for s in (0.5, 5)]
    assert [round(100 * part, 1) for part in above] == [16.9, 0.2]
