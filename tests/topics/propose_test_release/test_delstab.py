import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from dpviz.maths.local_deletion import is_local_deletion_dp, spread
from dpviz.maths.sum_mechanisms import GaussianCount, GeometricCount
from dpviz.maths.truncated_laplace import TruncatedDiscreteLaplace
from dpviz.results.parameters import LIMITS, ParameterError
from dpviz.topics.propose_test_release.delstab import (
    Budget,
    DelStab,
    quietest_for_spread,
    quietest_mechanism,
)
from dpviz.topics.propose_test_release.exact_law import (
    CHOICES,
    BitUsers,
    exact_epsilon,
    log_exact_delta,
)
from dpviz.topics.propose_test_release.example_sums import SHAPES, example_sums
from dpviz.topics.propose_test_release.views.moving_outliers import refusal_against_outliers
from tests.support.examples import examples
from tests.support.strategies import inside, outside

# ε = 10 and δ = 0.5 give the least κ, 4, so that 17 users are enough
SMALL = {"epsilon": 10.0, "delta": 0.5}


@examples(60)
@given(st.floats(0.01, 4), st.floats(1e-12, 0.9))
@example(4.0, 0.9)
@example(math.log(2), 2.0**-10)
def test_truncated_discrete_laplace_against_its_definition(epsilon, delta):
    law = TruncatedDiscreteLaplace(epsilon, delta)
    kappa = law.kappa
    assert kappa - 2 <= math.log(1 / delta) / epsilon <= kappa - 1 + 1e-12
    support = range(2 * kappa + 1)
    weights = [mp.exp(-mp.mpf(epsilon) * abs(x - kappa)) for x in support]
    total = mp.fsum(weights)
    pmf = law.pmf(np.array(support))
    assert pmf == pytest.approx([float(w / total) for w in weights], rel=1e-12)
    assert law.pmf(np.array([-1, 2 * kappa + 1])).tolist() == [0, 0]
    for x in (0, 1, kappa, kappa + 1, 2 * kappa, 2 * kappa + 1):
        assert law.below(x) == pytest.approx(float(mp.fsum(weights[:x]) / total), abs=1e-12)
    # what Lemma 18 uses of it
    assert pmf[0] <= delta
    assert pmf[-1] <= delta
    assert np.abs(np.diff(np.log(pmf))) == pytest.approx(epsilon)


def test_truncated_discrete_laplace_is_sampled_from():
    law = TruncatedDiscreteLaplace(0.8, 0.1)
    draws = law.sample(np.random.default_rng(1), 50_000)
    counts = np.bincount(draws.astype(int), minlength=2 * law.kappa + 1)
    support = np.arange(2 * law.kappa + 1)
    expected = 50_000 * law.pmf(support)
    chi2 = ((counts - expected) ** 2 / expected).sum()
    assert chi2 < support.size + 6 * math.sqrt(2 * support.size)


def test_the_budget_is_that_of_line_3():
    budget = Budget(1.0, 1e-5)
    assert budget.epsilon_bar == pytest.approx(1 / 3)
    share = math.exp(2 / 3) + math.exp(1 / 3) + 2
    assert budget.delta_bar == pytest.approx(1e-5 / share)
    assert budget.kappa == 1 + math.ceil(3 * math.log(share / 1e-5)) == 41
    assert budget.fewest_users == 165


@given(inside("epsilon"), inside("delta"))
@example(LIMITS["epsilon"].maximum, LIMITS["delta"].maximum)
def test_kappa_is_at_least_4(epsilon, delta):
    assert Budget(epsilon, delta).kappa >= 4


def drawn_sums(data, n):
    """Users' sums with ties, clusters and outliers."""
    values = data.draw(
        st.sampled_from([st.integers(0, 1), st.integers(0, 6), st.integers(-40, 40)])
    )
    return np.array(data.draw(st.lists(values, min_size=n, max_size=n)), dtype=float)


@examples(12)
@given(st.data())
def test_the_search_against_all_sets(data):
    # Line 5 as it stands: every S of size R₁, Definition 16 on what is left
    n, size = 17, data.draw(st.integers(0, 3))
    sums = drawn_sums(data, n)
    mechanism = GeometricCount(data.draw(st.sampled_from([0.1, 0.5, 2.0])))
    release = DelStab(sums, mechanism=mechanism, **SMALL)
    rest = 4 * release.budget.kappa - size
    spreads = [
        spread(np.delete(sums, chosen), rest) for chosen in itertools.combinations(range(n), size)
    ]
    search = release.search(size)
    assert search.spread == min(spreads)
    close = {"epsilon": release.budget.epsilon_bar, "delta": release.budget.delta_bar}
    ends = np.r_[: search.smallest, n - search.largest : n]
    left = np.delete(np.sort(sums), ends)
    assert search.stable == is_local_deletion_dp(mechanism, left, r=rest, **close)


@examples(60)
@given(st.data())
def test_stability_is_monotone_and_refusal_exact(data):
    n = data.draw(st.integers(17, 40))
    sums = drawn_sums(data, n)
    mechanism = GeometricCount(data.draw(st.sampled_from([0.05, 0.3, 1.0])))
    release = DelStab(sums, mechanism=mechanism, **SMALL)
    sizes = range(2 * release.budget.kappa + 1)
    stable = [release.search(size).stable for size in sizes]
    assert stable == [size >= release.least_size for size in sizes]
    pmf = release.budget.threshold.pmf(np.array(sizes))
    assert release.refusal_probability == pytest.approx(pmf[~np.array(stable)].sum(), abs=1e-12)
    # Observation 36: one user moves the turn by at most one
    other = sums.copy()
    other[data.draw(st.integers(0, n - 1))] = data.draw(st.integers(-100, 100))
    moved = DelStab(other, mechanism=mechanism, **SMALL)
    assert abs(moved.least_size - release.least_size) <= 1


# (users, ε, δ, decay of the noise): all stable, a brink in the middle, refusals, several κ
PRIVATE = [
    (17, 10.0, 0.5, 3.0),
    (18, 10.0, 0.5, 9.9),
    (30, 10.0, 0.1, 1.0),
    (30, 10.0, 0.1, 4.0),
    (45, 3.0, 0.3, 0.5),
    (60, 3.0, 0.01, 0.3),
    (60, 3.0, 0.01, 0.1),
]


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize(("users", "epsilon", "delta", "decay"), PRIVATE)
def test_lemma_18_numerically(users, epsilon, delta, decay, choice):
    setting = BitUsers(users, GeometricCount(decay), Budget(epsilon, delta), choice)
    laws = setting.log_laws()
    assert np.exp(laws).sum(axis=1) == pytest.approx(1)
    assert np.max(log_exact_delta(laws, epsilon=epsilon)) <= math.log(delta)
    exact = exact_epsilon(laws, delta=delta)
    assert exact <= epsilon
    if exact > 0:
        spent = np.max(log_exact_delta(laws, epsilon=exact * (1 + 1e-6)))
        assert spent <= math.log(delta) <= np.max(log_exact_delta(laws, epsilon=exact * 0.99))


def test_lemma_18_is_not_checked_in_vain():
    # a law of R₁ that is too narrow breaks the promise, and the check sees it
    honest = BitUsers(30, GeometricCount(1.0), Budget(10.0, 0.1))
    laws = honest.log_laws()
    # had the test no noise, the refusals would jump from 0 to 1
    refused = laws[:, 0] > math.log(0.5)
    jumping = np.where(refused[:, None], -np.inf, laws)
    jumping[:, 0] = np.where(refused, 0.0, -np.inf)
    jumping[~refused] -= np.log(np.exp(jumping[~refused]).sum(axis=1, keepdims=True))
    assert np.max(log_exact_delta(jumping, epsilon=10.0)) == pytest.approx(0.0)


@pytest.mark.parametrize("ones", [2, 6, 8, 15])
def test_exact_law_against_runs(ones):
    setting = BitUsers(30, GeometricCount(1.0), Budget(10.0, 0.1))
    sums = np.repeat([0.0, 1.0], [30 - ones, ones])
    release = DelStab(sums, mechanism=setting.mechanism, epsilon=10.0, delta=0.1)
    rng, runs = np.random.default_rng(ones), 3000
    law = np.exp(setting.log_law(ones))
    last = law.size - 2
    counts = np.zeros(law.size)
    for _ in range(runs):
        outcome = release.run(rng)
        place = 0 if outcome.refused else 1 + min(max(int(outcome.answer), 0), last)
        counts[place] += 1
    error = 5 * np.sqrt(law * (1 - law) / runs) + 3 / runs
    assert np.all(np.abs(counts / runs - law) <= error)
    assert release.refusal_probability == pytest.approx(law[0], abs=1e-12)


def test_the_uniform_choice_against_all_sets():
    # line 8 as printed, by enumerating the sets themselves
    users, ones, size = 18, 3, 2
    setting = BitUsers(users, GeometricCount(3.0), Budget(10.0, 0.5), "uniform")
    sums = np.repeat([0, 1], [users - ones, ones])
    release = DelStab(sums, mechanism=setting.mechanism, epsilon=10.0, delta=0.5)
    rest = 4 * release.budget.kappa - size
    kept = users - 4 * release.budget.kappa
    law, stable = np.zeros(kept + 1), 0
    for chosen in itertools.combinations(range(users), size):
        left = np.delete(sums, chosen)
        if spread(left, rest) <= release.limit:
            stable += 1
            for remaining in itertools.combinations(left, kept):
                law[sum(remaining)] += 1 / math.comb(left.size, kept)
    actual = np.exp(setting._log_left(release, ones, size))
    assert 0 < stable < math.comb(users, size)
    assert actual == pytest.approx(law / stable)


@examples(40)
@given(st.data())
def test_a_run_does_what_algorithm_1_says(data):
    n = data.draw(st.integers(17, 60))
    sums = drawn_sums(data, n)
    mechanism = data.draw(st.sampled_from([GeometricCount(0.3), GaussianCount(4.0)]))
    release = DelStab(sums, mechanism=mechanism, **SMALL)
    outcome = release.run(np.random.default_rng(data.draw(st.integers(0, 99))))
    assert outcome.refused == (not outcome.search.stable)
    assert outcome.search.margin == release.limit - outcome.search.spread
    if outcome.refused:
        return
    assert outcome.uniform == release.all_stable
    assert outcome.deleted_first.size == outcome.threshold
    assert outcome.deleted.size == 4 * release.budget.kappa == np.unique(outcome.deleted).size
    assert set(outcome.deleted_first) <= set(outcome.deleted)
    assert outcome.exact_sum == pytest.approx(np.delete(sums, outcome.deleted).sum())
    close = {"epsilon": release.budget.epsilon_bar, "delta": release.budget.delta_bar}
    rest = 4 * release.budget.kappa - outcome.threshold
    left = np.delete(sums, outcome.deleted_first)
    assert is_local_deletion_dp(mechanism, left, r=rest, **close)


@given(st.integers(1, 10**7), inside("epsilon"), inside("delta"))
def test_no_quieter_geometric_noise_brings_the_sums_close_enough(spread, epsilon, delta):
    budget, most = Budget(epsilon, delta), LIMITS["epsilon"].maximum
    close = {"epsilon": budget.epsilon_bar, "delta": budget.delta_bar}
    assume(GeometricCount(LIMITS["epsilon"].minimum).farthest(**close) >= spread)
    found = quietest_for_spread(spread, noise="geometric", budget=budget)
    quieter = GeometricCount(min(found.epsilon * (1 + 2e-9), most))
    # by the divergence itself, not by the farthest sums that are close
    there, beyond = (
        float(noise.log_divergence(spread, epsilon=budget.epsilon_bar)) - math.log(budget.delta_bar)
        for noise in (found, quieter)
    )
    assert there <= 1e-6
    assert beyond >= -1e-6 or quieter.epsilon == most


@pytest.mark.parametrize("shape", SHAPES)
def test_example_data(shape):
    rng = np.random.default_rng(0)
    sums = example_sums(shape, users=500, examples_per_user=10, rate=0.2, rng=rng)
    again = example_sums(
        shape, users=500, examples_per_user=10, rate=0.2, rng=np.random.default_rng(0)
    )
    assert np.array_equal(sums, again)
    assert sums.size == 500
    assert np.all(sums == np.floor(sums))
    assert (sums.max() > 10) == (shape in ("outliers", "heavy"))


def test_refuses_too_few_users():
    for users in (16, 1):
        with pytest.raises(ParameterError, match="users must be more than 4κ = 16"):
            DelStab(np.zeros(users), mechanism=GeometricCount(1.0), **SMALL)
    with pytest.raises(ParameterError, match="users must be more than 4κ"):
        BitUsers(16, GeometricCount(1.0), Budget(**SMALL))


@given(outside("epsilon"), outside("delta"))
def test_refuses_a_budget_out_of_range(epsilon, delta):
    with pytest.raises(ParameterError, match="epsilon"):
        Budget(epsilon, 0.1)
    with pytest.raises(ParameterError, match="delta"):
        Budget(1.0, delta)


def test_refuses_bad_choices():
    good = np.zeros(20)
    with pytest.raises(ParameterError, match="noise"):
        quietest_mechanism(good, noise="laplace", **SMALL)
    with pytest.raises(ParameterError, match="shape"):
        example_sums("odd", users=2, examples_per_user=1, rate=0.5, rng=np.random.default_rng())
    with pytest.raises(ParameterError, match="choice"):
        BitUsers(20, GeometricCount(1.0), Budget(**SMALL), "any")
    for bad in ({"reach": 0.0}, {"here": 2.0}, {"outliers": (1, 11)}):
        arguments = {"reach": 1.0, "here": 0.0} | SMALL | bad
        with pytest.raises(ParameterError, match=next(iter(bad))):
            next(refusal_against_outliers(good, mechanism=GeometricCount(1.0), **arguments))
