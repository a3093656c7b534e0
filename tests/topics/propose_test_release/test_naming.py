"""Theorem 10 on a choice: the exact law of DelStab around a majority, its privacy, its users."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

from dpviz.maths.coin_tests import Coins, clipped_laplace_success, plain_laplace_success
from dpviz.maths.divergence import log_closeness
from dpviz.maths.local_deletion import spread, spread_bound
from dpviz.results.parameters import ParameterError
from dpviz.topics.propose_test_release.delstab import Budget
from dpviz.topics.propose_test_release.naming import (
    UNSTABLE,
    learner_success,
    least_sizes,
    majority_hits,
    majority_law,
    proof_epsilon,
    stable_epsilon,
    useful_success,
)

SMALL = Budget(10.0, 0.5)  # κ = 4: 17 users are enough


def data_sets(users, examples):
    """Every multiset of users' heads, a row each."""
    chosen = itertools.combinations_with_replacement(range(examples + 1), users)
    return np.array(list(chosen))


@pytest.mark.parametrize(("users", "examples"), [(18, 1), (19, 2)])
@pytest.mark.parametrize("budget", [SMALL, Budget(9.0, 0.4)])
def test_the_promise_holds_on_all_pairs_of_neighbours(users, examples, budget):
    data = data_sets(users, examples)
    if users < budget.fewest_users:
        data = data_sets(budget.fewest_users + 1, examples)
    laws = majority_law(data, examples=examples, budget=budget)
    assert laws.sum(axis=1) == pytest.approx(1)
    counts = np.stack([(data == value).sum(axis=1) for value in range(examples + 1)], axis=1)
    apart = np.abs(counts[:, None] - counts[None]).sum(axis=2) == 2
    first, second = np.nonzero(apart)
    with np.errstate(divide="ignore"):
        logs = np.log(laws)
    spent = log_closeness(logs[first], logs[second], epsilon=budget.epsilon)
    assert np.max(spent) <= math.log(budget.delta)
    assert len(np.unique(laws[:, 0])) > 3  # refusals of many sizes were compared


def test_the_least_size_is_that_of_a_search_through_all_sets():
    rng, users, examples = np.random.default_rng(4), 18, 3
    for heads in rng.binomial(examples, 0.62, (6, users)):
        found = int(least_sizes(heads, examples=examples, budget=SMALL)[0])
        for size in (1, 2, 3):
            rest = 4 * SMALL.kappa - size
            clear = False
            for chosen in itertools.combinations(range(users), size):
                left = np.sort(np.delete(heads, chosen))
                clear |= 2 * left[: left.size - rest].sum() > (left.size - rest) * examples
            assert clear == (size >= found)


def test_runs_name_the_coin_as_often_as_the_exact_law_says():
    budget, users = Budget(3.0, 0.1), 60
    ones = np.arange(users + 1)
    data = (np.arange(users) < ones[:, None]).astype(int)
    named = majority_law(data, examples=1, budget=budget)[:, 2]
    expected = binom.pmf(ones, users, 0.65) @ named
    runs = 4000
    setting = {"users": users, "examples": 1, "rate": 0.65, "budget": budget}
    hits = majority_hits(np.random.default_rng(1), **setting, runs=runs)
    assert hits / runs == pytest.approx(expected, abs=5 * math.sqrt(0.25 / runs))
    assert 0.05 < expected < 0.95


def test_drawing_counts_and_drawing_users_are_the_same():
    budget = Budget(3.0, 0.1)
    users = budget.fewest_users + 20
    few = [
        majority_hits(
            np.random.default_rng(s), users=users, examples=m, rate=r, budget=budget, runs=3000
        )
        for s, m, r in ((1, users - 1, 0.52), (2, users, 0.52))
    ]
    assert few[0] / 3000 == pytest.approx(few[1] / 3000, abs=0.06)


@pytest.mark.parametrize(("loss", "samples"), [(0.5, 7), (0.02, 400), (3.0, 50)])
def test_the_learner_against_the_sum_over_all_heads(loss, samples):
    heads = np.arange(samples + 1)
    expected = binom.pmf(heads, samples, 0.6) @ expit(loss * (heads - samples / 2))
    assert learner_success(loss, samples=samples, rate=0.6) == pytest.approx(expected, rel=1e-9)


def test_the_learner_is_as_private_as_it_says_for_one_toss():
    heads = np.arange(40.0)
    named = expit(0.7 * (heads - 20))
    assert np.all(named[1:] <= math.exp(0.7) * named[:-1] * (1 + 1e-12))
    assert np.all(1 - named[:-1] <= math.exp(0.7) * (1 - named[1:]) * (1 + 1e-12))


def test_stable_data_are_as_many_as_promised_and_lemma_19_holds():
    budget, users, examples = Budget(3.0, 0.1), 120, 20
    loss = stable_epsilon(users=users, examples=examples, budget=budget)
    assert proof_epsilon(users=users, examples=examples, budget=budget) < loss
    gone, rng = 4 * budget.kappa, np.random.default_rng(7)
    wide = spread_bound(gone, users=users, examples=examples, failure_probability=UNSTABLE)
    assert loss * float(wide) == pytest.approx(budget.epsilon_bar)
    stable, named, runs = 0, 0.0, 300
    for heads in rng.binomial(examples, 0.6, (runs, users)):
        stable += loss * spread(heads, gone) <= budget.epsilon_bar
        kept = rng.permutation(heads)[gone:]
        named += float(expit(loss * (kept.sum() - kept.size * examples / 2)))
    assert stable >= (1 - UNSTABLE) * runs
    promised = useful_success(loss, users=users, examples=examples, rate=0.6, budget=budget)
    assert promised <= named / runs + 0.02


def test_plain_noise_in_closed_form_is_clipped_noise_without_a_cut():
    coins = Coins((0.4, 0.6))
    for users, examples in ((5, 4), (6, 3), (7, 3)):
        setting = {"users": users, "examples": examples, "epsilon": 0.8}
        expected = clipped_laplace_success(coins, clip=examples, **setting)
        assert plain_laplace_success(0.6, **setting) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("users", [600, 2000])
def test_plain_noise_is_found_where_its_tail_is_below_every_number(users):
    """The tilted coin's tail underflows here, which used to make the success no number at all."""
    setting = {"users": users, "examples": 1, "epsilon": 4.0}
    expected = clipped_laplace_success(Coins((0.49, 0.51)), clip=1, **setting)
    assert plain_laplace_success(0.51, **setting) == pytest.approx(expected, rel=1e-9)


def test_fewer_users_than_are_deleted_are_an_error():
    with pytest.raises(ParameterError, match="users"):
        least_sizes(np.ones(16), examples=1, budget=SMALL)
