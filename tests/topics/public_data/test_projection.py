"""The noise that a released function needs, against laws integrated cell by cell."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import norm

from dpviz.results.parameters import ParameterError
from dpviz.topics.public_data import noise_levels as levels
from dpviz.topics.public_data.projection import all_functions_gamma, constants_gamma
from tests.support import output_laws as laws
from tests.support.examples import examples
from tests.support.strategies import inside


def shown(a, b, gamma, epsilon, cells=400):
    """Return δ(ε) of the numbers b against a, each cut off, to the accuracy of the cells."""
    p, q = np.ones(1), np.ones(1)
    for low, high in zip(a, b, strict=True):
        p = np.multiply.outer(p, laws.cut_off(high, gamma, cells)).ravel()
        q = np.multiply.outer(q, laws.cut_off(low, gamma, cells)).ravel()
    return laws.hockey_stick(p, q, epsilon)


@given(inside("public_points"), st.floats(0.01, 2), inside("epsilon"), inside("delta"))
@example(1, 1.0, 1.0, 1e-6)
@example(1, 2.0, 0.01, 1e-30)
@examples(60)
def test_constants_need_exactly_this_noise(m, rho, epsilon, delta):
    gamma = float(constants_gamma(m, rho=rho, epsilon=epsilon, delta=delta))
    here = levels.constants_log_delta(
        gamma * np.array([1 + 1e-7, 1 - 1e-6]), points=m, rho=rho, epsilon=epsilon
    )
    assert here[0] <= math.log(delta) <= here[1]
    raw = float(levels.sufficient_gaussian(m, rho=rho, epsilon=epsilon, delta=delta))
    assert gamma <= raw * (1 + 1e-8)


def test_one_number_at_the_setting_of_the_review():
    gamma = float(constants_gamma(1, rho=1.0, epsilon=1.0, delta=1e-6))
    assert gamma == pytest.approx(1.518, abs=1e-3)
    assert shown([-1.0], [0.0], gamma, 1.0, 10**5) == pytest.approx(1e-6, rel=1e-3)


@pytest.mark.parametrize("rho", [0.3, 1.0, 1.7])
def test_no_place_of_one_number_is_worse_than_the_end(rho):
    gamma, epsilon = 1.3, 0.7
    places = np.linspace(-1, 1 - rho, 41)
    found = [shown([a], [a + rho], gamma, epsilon, 10**4) for a in places]
    end = math.exp(float(levels.constants_log_delta(gamma, points=1, rho=rho, epsilon=epsilon)))
    assert max(found) <= end + 1e-12
    assert found[0] == pytest.approx(end, abs=1e-4)


@pytest.mark.parametrize(("m", "rho", "epsilon", "delta"), [
    (2, 1.0, 1.0, 1e-3), (2, 0.4, 0.2, 1e-2), (2, 1.9, 3.0, 1e-2), (3, 0.8, 0.5, 1e-2),
])  # fmt: skip
def test_bounds_over_all_functions_against_cells(m, rho, epsilon, delta):
    bounds = all_functions_gamma(m, rho=rho, epsilon=epsilon, delta=delta)
    assert bounds.relative_width <= 0.07
    cells = {2: 400, 3: 60}[m]
    rng = np.random.default_rng(2026)
    moves = np.abs(rng.standard_normal((30, m)))
    moves = np.minimum(rho * math.sqrt(m) * moves / np.linalg.norm(moves, axis=1)[:, None], 2.0)
    starts = rng.uniform(-1, 1 - moves)
    signs = rng.choice([-1.0, 1.0], size=moves.shape)  # the ends change places
    for a, d, s in zip(starts, moves, signs, strict=True):
        low, high = np.where(s > 0, a, a + d), np.where(s > 0, a + d, a)
        assert shown(low, high, bounds.upper, epsilon, cells) <= delta
    # a little less noise than the lower bound gives one of the attained pairs away
    pairs = [(*[math.sqrt(m / k) * rho] * k, *[0.0] * (m - k)) for k in {1, 2, m}]
    worst = max(
        shown([-1.0] * m, [d - 1 for d in pair], 0.97 * bounds.lower, epsilon, cells)
        for pair in pairs
        if max(pair) <= 2
    )
    assert worst > delta


@given(st.sampled_from([1, 2, 3]), st.floats(1e-3, 2), inside("epsilon"), inside("delta"))
@examples(12)
def test_bounds_lie_between_constants_and_the_noisy_numbers(m, rho, epsilon, delta):
    bounds = all_functions_gamma(m, rho=rho, epsilon=epsilon, delta=delta)
    raw = float(levels.sufficient_gaussian(m, rho=rho, epsilon=epsilon, delta=delta))
    assert bounds.upper <= raw * (1 + 1e-8)
    if m == 1:
        exact = float(constants_gamma(1, rho=rho, epsilon=epsilon, delta=delta))
        assert bounds.lower <= exact * (1 + 1e-6)
        assert exact <= bounds.upper * (1 + 1e-6)


@pytest.mark.parametrize(("m", "rho"), [(4, 1.2), (12, 0.8), (20, 1.0)])
def test_for_more_numbers_a_little_less_noise_gives_equal_moves_away(m, rho):
    """By draws of the cut-off numbers, and the raw numbers' noise from above."""
    bounds = all_functions_gamma(m, rho=rho, epsilon=0.5, delta=0.05)
    raw = float(levels.sufficient_gaussian(m, rho=rho, epsilon=0.5, delta=0.05))
    assert bounds.upper == raw
    assert 0.5 * raw < bounds.lower < raw
    rng, gamma, given_away = np.random.default_rng(5), 0.96 * bounds.lower, []
    for k in {1, 2, 4, 8, 16, m}:
        move = rho * math.sqrt(m / k)
        if k > m or move > 2:
            continue
        seen = np.clip(rng.normal(move - 1, gamma, size=(150_000, k)), -1, 1)
        inside = (norm.logpdf(seen, move - 1, gamma) - norm.logpdf(seen, -1, gamma)) * (
            np.abs(seen) < 1
        )
        ends = np.where(
            seen == 1,
            norm.logsf(1, move - 1, gamma) - norm.logsf(1, -1, gamma),
            norm.logcdf(-1, move - 1, gamma) - norm.logcdf(-1, -1, gamma),
        ) * (np.abs(seen) == 1)
        loss = (inside + ends).sum(axis=1)
        given_away.append(np.mean(np.maximum(-np.expm1(0.5 - loss), 0)))
    assert max(given_away) > 0.05


def test_no_numbers_are_refused_and_moves_of_too_many_are_not_looked_at():
    with pytest.raises(ParameterError, match="public_points"):
        all_functions_gamma(0, rho=1.0, epsilon=1.0, delta=1e-6)
    assert all_functions_gamma(1000, rho=1.9, epsilon=1.0, delta=1e-6).lower == 0
