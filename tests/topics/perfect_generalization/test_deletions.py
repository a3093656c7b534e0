"""The spread of r deleted users: brute force over sets, the exact law at r = 1, a proven bound."""

import itertools

import numpy as np
import pytest
from scipy.stats import binom

from dpviz.maths.local_deletion import range_law, spread, spread_bound
from dpviz.results.parameters import ParameterError
from dpviz.topics.perfect_generalization.deletion_words import deletions_takeaway
from dpviz.topics.perfect_generalization.views.deletions import (
    BETA,
    deleted_users,
    quantile_interval,
    spread_for,
)

USUAL = {"users": 1000, "examples_per_user": 100, "rate": 0.3, "deleted": 192}


def last(seed=0, **changed):
    *_, chart = deleted_users(**USUAL | changed, rng=np.random.default_rng(seed))
    return chart


def test_the_spread_is_that_of_the_worst_pair_of_sets():
    sums = np.sort(np.random.default_rng(3).integers(0, 20, 8))
    for r in (1, 2, 4):
        chosen = [sum(s) for s in itertools.combinations(sums.tolist(), r)]
        worst = max(chosen) - min(chosen)
        assert spread_for(sums, np.array([r]))[0] == worst == spread(sums, r)


def test_known_values_and_the_exact_law_at_one():
    chart = last()
    assert chart.single == range_law(1000, examples_per_user=100, rate=0.3).quantile(BETA)
    assert 33 <= chart.single <= 34
    assert chart.several == pytest.approx(13.5, abs=0.1)
    simulated = chart.curve("spread")
    assert simulated.lower[0] <= chart.single <= simulated.upper[0]


def test_the_proven_bound_lies_above_and_keeps_the_decline():
    chart = last()
    bound, simulated = chart.curve("bound").y, chart.curve("spread").y
    assert np.all(bound >= simulated)
    assert np.all(np.diff(bound) < 0)


def test_the_bound_holds_for_all_data_of_a_few_users():
    # four users with two bits: every data set, with its probability
    fails = {1: 0.0, 2: 0.0}
    setting = {"users": 4, "examples": 2, "failure_probability": BETA}
    bounds = {r: float(spread_bound(r, **setting)) for r in fails}
    one = binom.pmf(np.arange(3), 2, 0.5)
    for sums in itertools.product(range(3), repeat=4):
        for r in fails:
            if spread(sums, r) > bounds[r]:
                fails[r] += float(np.prod(one[list(sums)]))
    assert max(fails.values()) <= BETA


def test_the_interval_covers_a_known_quantile():
    rng, hits = np.random.default_rng(8), 0
    for _ in range(300):
        _, low, high = quantile_interval(rng.random((200, 1)))
        hits += low[0] <= 1 - BETA <= high[0]
    assert hits >= 0.92 * 300
    assert np.isnan(quantile_interval(rng.random((10, 1)))[2][0])


def test_more_than_half_of_the_users_cannot_be_exchanged():
    with pytest.raises(ParameterError, match="users"):
        last(users=100, deleted=51)


@pytest.mark.parametrize(
    ("examples", "said"),
    [
        (1, "if a few are, each of them counts for as much."),
        (100, "if several are, each of them counts for less."),
    ],
)
def test_users_with_one_bit_each_count_alike(examples, said):
    """Each of some users with a 1 who are left out, and not of those with a 0, moves it by one."""
    assert deletions_takeaway(last(examples_per_user=examples, deleted=1)).endswith(said)
