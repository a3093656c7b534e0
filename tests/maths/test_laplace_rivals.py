"""Laplace and truncated Laplace noise against closed forms, dp-accounting and simulation."""

import math

import mpmath as mp
import numpy as np
import pytest
from dp_accounting.pld.pld_pmf import DensePLDPmf
from dp_accounting.pld.privacy_loss_distribution import from_laplace_mechanism
from scipy import stats

from dpviz.maths.accounting.tuning import tuned_noise
from dpviz.maths.laplace_rivals import (
    MOST_QUERIES,
    TruncatedLaplace,
    laplace_noise,
    truncated_laplace_noise,
)
from dpviz.maths.noise_converse import least_radius
from dpviz.results.parameters import ParameterError


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-10), (1.0, 1e-5)])
def test_one_answer_in_closed_form(epsilon, delta):
    privacy = {"epsilon": epsilon, "delta": delta, "queries": 1}
    # Laplace: δ = 1 − e^((ε − λ)/2); truncated at λ = ε: δ is the mass of the last stretch
    assert laplace_noise(**privacy).rate == pytest.approx(
        epsilon - 2 * math.log1p(-delta), rel=3e-4
    )
    assert least_radius(**privacy) <= truncated_laplace_noise(**privacy).radius


@pytest.mark.parametrize("delta", [1e-300, 1e-5, 0.01, 0.1, 0.5])
@pytest.mark.parametrize("epsilon", [1e-7, 1e-3, 0.01, 1.0, 4.0, 10.0])
def test_one_answer_has_the_closed_form_of_its_best_rate(epsilon, delta):
    noise = truncated_laplace_noise(epsilon=epsilon, delta=delta, queries=1)
    closed = mp.log1p(mp.expm1(epsilon) / (2 * mp.mpf(delta))) / epsilon
    assert noise.radius == pytest.approx(float(closed), rel=1e-9)
    assert noise.log_delta(epsilon=epsilon, queries=1) <= math.log(delta)


def one_answer(rate, radius, epsilon):
    """δ of one answer by quadrature: what the noise shifted by 1 leaves of its density."""
    scale = rate / (-2 * mp.expm1(-rate * radius))

    def gain(x):
        shifted = mp.exp(epsilon - rate * abs(x + 1)) if x + 1 <= radius else 0
        return max(mp.exp(-rate * abs(x)) - shifted, 0)

    turn = min(max((epsilon / rate - 1) / 2, -radius), radius - 1)
    return float(scale * mp.quad(gain, sorted({-radius, -1, 0, turn, radius - 1, radius})))


@pytest.mark.parametrize(("epsilon", "delta"), [(0.001, 0.1), (0.01, 0.01), (4.0, 0.3)])
def test_no_other_rate_is_better_for_one_answer(epsilon, delta):
    noise = truncated_laplace_noise(epsilon=epsilon, delta=delta, queries=1)
    assert one_answer(noise.rate, noise.radius, epsilon) == pytest.approx(delta, rel=1e-9)
    for off in (0.01, 0.5, 0.99, 1.01, 1.5, 10, 80):
        assert one_answer(off * epsilon, noise.radius, epsilon) > delta


@pytest.mark.parametrize(("epsilon", "delta", "queries"), [(1e-3, 0.1, 2), (0.5, 1e-6, 3)])
def test_no_other_rate_is_much_better_for_few_answers(epsilon, delta, queries):
    """At ε much smaller than δ the search once ended far from the best rate."""
    noise = truncated_laplace_noise(epsilon=epsilon, delta=delta, queries=queries)
    for rate in np.geomspace(epsilon / queries, 100 * epsilon, 25):
        other = TruncatedLaplace(rate, 0.998 * noise.radius)
        assert other.log_delta(epsilon=epsilon, queries=queries) > math.log(delta)


@pytest.mark.parametrize("radius", [1.0, 30.0, math.inf])
@pytest.mark.parametrize("rate", [1e-9, 1e-6, 1e-3, 0.1, 2.0])
def test_deviation_and_largest_error_at_every_rate(rate, radius):
    noise, reach = TruncatedLaplace(rate, radius), mp.mpf(rate) * radius
    if math.isinf(radius):
        kept, variance = mp.mpf(1), 2 / mp.mpf(rate) ** 2
    else:
        kept = -mp.expm1(-reach)
        variance = (2 - mp.exp(-reach) * (reach**2 + 2 * reach + 2)) / kept / mp.mpf(rate) ** 2
    assert noise.standard_deviation == pytest.approx(float(mp.sqrt(variance)), rel=1e-12)
    for beta, queries in ((0.05, 1), (0.5, 1), (0.05, 3000)):
        each = -mp.expm1(mp.log1p(-mp.mpf(beta)) / queries)
        expected = -mp.log1p(-(1 - each) * kept) / mp.mpf(rate)
        found = noise.max_error(queries=queries, failure_probability=beta)
        assert found == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize(("rate", "queries", "epsilon"), [(0.3, 20, 1.5), (0.1, 200, 2.0)])
def test_laplace_against_dp_accounting(rate, queries, epsilon):
    reference = from_laplace_mechanism(1 / rate, value_discretization_interval=1e-4).self_compose(
        queries
    )
    expected = math.log(reference.get_delta_for_epsilon(epsilon))
    found = TruncatedLaplace(rate, math.inf).log_delta(epsilon=epsilon, queries=queries)
    assert found == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(("radius", "queries"), [(8.0, 2), (25.0, 30)])
def test_truncated_laplace_against_a_grid_composed_by_dp_accounting(radius, queries):
    rate, epsilon, step = 0.3, 1.0, 1e-3
    noise = TruncatedLaplace(rate, radius)
    x = np.linspace(1 - radius, radius, 400_001)
    middle = (x[1:] + x[:-1]) / 2
    scale = rate / (2 * -math.expm1(-rate * radius))
    mass = scale * np.exp(-rate * np.abs(middle)) * (x[1] - x[0])
    loss = rate * (np.abs(middle - 1) - np.abs(middle))
    infinite = 1 - mass.sum()
    ends = []
    for rounding in (np.floor, np.ceil):
        index = rounding(np.round(loss / step, 9)).astype(int)
        last = int(np.abs(index).max())
        masses = np.bincount(index + last, mass)
        one = DensePLDPmf(step, -last, masses, infinite, rounding is np.ceil)
        ends.append(one.self_compose(queries).get_delta_for_epsilon(epsilon))
    found = math.exp(noise.log_delta(epsilon=epsilon, queries=queries))
    assert ends[0] * (1 - 1e-4) <= found <= ends[1] * (1 + 3e-3)


@pytest.mark.parametrize("queries", [1, 3, 40])
def test_what_is_returned_is_private_and_hardly_more(queries):
    epsilon, delta = 0.5, 1e-6
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    noise = truncated_laplace_noise(**privacy)
    assert noise.log_delta(epsilon=epsilon, queries=queries) <= math.log(delta)
    smaller = TruncatedLaplace(noise.rate, 0.999 * noise.radius)
    assert smaller.log_delta(epsilon=epsilon, queries=queries) > math.log(delta)
    assert noise.radius >= least_radius(**privacy)


@pytest.mark.parametrize("radius", [40.0, math.inf])
def test_rough_bounds_are_on_the_right_side_of_a_goal(radius):
    noise, asked = TruncatedLaplace(0.3, radius), {"epsilon": 2.0, "queries": 30}
    exact = noise.log_delta(**asked)
    for off in (-3.0, -0.02, 0.02, 3.0):
        rough = noise.log_delta(**asked, goal=exact + off)
        assert rough >= exact - 0.01
        assert (rough <= exact + off) == (off > 0)


def test_errors_against_scipy():
    beta, queries = 0.05, 30
    plain = TruncatedLaplace(0.2, math.inf)
    law = stats.laplace(scale=5)
    each = -math.expm1(math.log1p(-beta) / queries)
    assert plain.standard_deviation == pytest.approx(law.std())
    found = plain.max_error(queries=queries, failure_probability=beta)
    assert found == pytest.approx(law.isf(each / 2))
    cut = TruncatedLaplace(0.2, 9.0)
    inside = law.rvs(400_000, random_state=1)
    inside = np.abs(inside[np.abs(inside) < 9])
    assert cut.standard_deviation == pytest.approx(math.sqrt((inside**2).mean()), rel=0.01)
    bound = cut.max_error(queries=queries, failure_probability=beta)
    assert (inside > bound).mean() == pytest.approx(each, rel=0.15)


def test_few_answers_are_for_truncated_laplace_and_more_for_tuned_noise():
    for queries, laplace_wins in ((2, True), (8, False)):
        privacy = {"epsilon": 0.1, "delta": 1e-10, "queries": queries}
        ratio = truncated_laplace_noise(**privacy).radius / tuned_noise(**privacy).best.radius.upper
        assert (ratio < 1) == laplace_wins


def test_too_many_queries_are_refused():
    with pytest.raises(ParameterError, match=f"queries must be at most {MOST_QUERIES}"):
        laplace_noise(epsilon=0.1, delta=1e-6, queries=MOST_QUERIES + 1)


@pytest.mark.parametrize("epsilon", [1e-7, 0.1, 10.0])
@pytest.mark.parametrize("queries", [1, 3, 7, 30])
def test_next_to_no_delta_leaves_pure_privacy(epsilon, queries):
    noise = laplace_noise(epsilon=epsilon, delta=1e-300, queries=queries)
    assert noise.rate * queries == pytest.approx(epsilon, rel=1e-3)


def test_at_delta_one_half_noise_as_wide_as_the_change_is_private():
    """Half of its answers are possible with and without the person; the search ends there."""
    noise = truncated_laplace_noise(epsilon=1.0, delta=0.5, queries=1)
    assert 1 <= noise.radius < 1 + 1e-12
    assert noise.log_delta(epsilon=1.0, queries=1) <= math.log(0.5)


def test_one_answer_has_a_smaller_radius_than_that_of_truncated_laplace_noise():
    """Noise constant on eleven cells of width 1/4; δ is linear in the shift between multiples."""
    density = np.array([1.0] * 4 + [math.exp(5.0)] * 3 + [1.0] * 4)
    density /= density.sum() / 4
    deltas = []
    for cells in range(1, 5):
        p, q = np.append(density, np.zeros(cells)), np.append(np.zeros(cells), density)
        deltas.append(np.maximum(p - math.exp(5.0) * q, 0.0).sum() / 4)
    assert max(deltas) < 0.009
    assert truncated_laplace_noise(epsilon=5.0, delta=0.01, queries=1).radius > 1.7
