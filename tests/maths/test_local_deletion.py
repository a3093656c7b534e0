import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.maths import local_deletion as ld
from dpviz.maths.generalization_bounds import theorem_13_derived
from dpviz.maths.sum_mechanisms import GaussianCount, GeometricCount
from dpviz.results.parameters import ParameterError
from tests.support.examples import examples

whole_sums = st.lists(st.integers(-5, 9), min_size=1, max_size=8)


def brute_spread(sums, r):
    totals = [sum(sums) - sum(chosen) for chosen in itertools.combinations(sums, r)]
    return max(totals) - min(totals)


@examples(200)
@given(whole_sums, st.data())
def test_spread_against_all_subsets(sums, data):
    r = data.draw(st.integers(0, len(sums)))
    assert ld.spread(sums, r) == brute_spread(sums, r)


@examples(60)
@given(st.lists(st.integers(0, 9), min_size=2, max_size=6), st.data())
def test_local_deletion_against_the_definition(sums, data):
    # Definition 16 as it stands: every pair of sets, the divergence of their outputs
    r = data.draw(st.integers(1, len(sums)))
    epsilon, delta = data.draw(st.floats(0.01, 3)), data.draw(st.floats(1e-9, 0.4))
    for mechanism in (GeometricCount(0.4), GaussianCount(3.0)):
        kept = [sum(sums) - sum(chosen) for chosen in itertools.combinations(sums, r)]
        worst = max(
            float(mechanism.log_divergence(abs(a - b), epsilon=epsilon))
            for a, b in itertools.product(kept, repeat=2)
        )
        ours = ld.is_local_deletion_dp(mechanism, sums, r=r, epsilon=epsilon, delta=delta)
        assert ours == (worst <= math.log(delta))


@pytest.mark.parametrize(("n", "m", "rate"), [(1, 5, 0.3), (3, 4, 0.5), (5, 3, 0.8)])
def test_range_law_against_all_outcomes(n, m, rate):
    law = ld.range_law(n, examples_per_user=m, rate=rate)
    pmf = [math.comb(m, k) * rate**k * (1 - rate) ** (m - k) for k in range(m + 1)]
    for width in (-1, 0, 1, 2, m - 1, m):
        expected = sum(
            math.prod(pmf[k] for k in draw)
            for draw in itertools.product(range(m + 1), repeat=n)
            if max(draw) - min(draw) > width
        )
        assert law.failure(width) == pytest.approx(expected, abs=1e-13)


def test_range_law_against_simulation():
    n, m, rate, draws = 1000, 10**5, 0.3, 4000
    rng = np.random.default_rng(4)
    sums = rng.binomial(m, rate, size=(draws, n))
    ranges = sums.max(axis=1) - sums.min(axis=1)
    law = ld.range_law(n, examples_per_user=m, rate=rate)
    for width in np.quantile(ranges, [0.1, 0.5, 0.9]):
        p = law.failure(width)
        assert np.mean(ranges > width) == pytest.approx(p, abs=5 * math.sqrt(p * (1 - p) / draws))
    for beta in (0.3, 1e-9):
        width = law.quantile(beta)
        assert law.failure(width) <= beta < law.failure(width - 1)


@pytest.mark.parametrize(("users", "m"), [(10, 1), (100, 50), (1000, 10**4)])
def test_theorem_17_with_its_constants_holds(users, m):
    epsilon, delta, beta = 1e-4, 1e-6, 0.05
    width = ld.range_law(users, examples_per_user=m, rate=0.5).quantile(beta)
    exact = float(GeometricCount(epsilon).least_epsilon(width, delta=delta))
    item = {"epsilon": epsilon, "log_delta": -math.inf}
    bound = ld.theorem_17_derived(
        users, r=1, examples_per_user=m, **item, failure_probability=beta, delta=delta
    )
    assert exact <= bound
    # a union over pairs of sets is Theorem 13 with a smaller failure probability
    thirteen = theorem_13_derived(
        m, **item, log_failure=math.log(beta) - 2 * math.log(users), delta=delta
    )
    assert bound == pytest.approx(float(thirteen), rel=1e-12)


def test_the_shape_of_theorem_17():
    arguments = {"epsilon": 0.01, "log_delta": -20.0, "failure_probability": 0.1}
    one = ld.theorem_17_shape(100, r=1, examples_per_user=50, **arguments)
    assert one == pytest.approx(0.01 * math.sqrt(50 * (math.log(1000) + 20)))
    more = ld.theorem_17_shape(100, r=3, examples_per_user=200, constant=2.0, **arguments)
    assert more == pytest.approx(2 * 3 * 2 * one)


@pytest.mark.parametrize("r", [-1, 4, 1.5, math.nan])
def test_refuses_a_number_of_users_out_of_range(r):
    with pytest.raises(ParameterError, match="r must be a whole number from 0 to 3"):
        ld.spread([1, 2, 3], r)


def test_refuses_too_many_examples():
    with pytest.raises(ParameterError, match=r"examples_per_user must be .* to 1000000"):
        ld.range_law(5, examples_per_user=10**7, rate=0.5)


@pytest.mark.parametrize("sums", [[], [1.0, math.nan], [[1.0]], [math.inf]])
def test_refuses_bad_sums(sums):
    with pytest.raises(ParameterError, match="user_sums"):
        ld.is_local_deletion_dp(GaussianCount(1.0), sums, r=0, epsilon=1.0, delta=0.1)


def test_geometric_noise_wants_whole_sums():
    with pytest.raises(ParameterError, match="whole numbers for geometric noise"):
        ld.is_local_deletion_dp(GeometricCount(1.0), [0.5], r=0, epsilon=1.0, delta=0.1)
