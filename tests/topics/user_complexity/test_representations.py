"""Representations of points and thresholds, against listing everything at small size."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import binom

from dpviz.results.parameters import LIMITS, ParameterError
from dpviz.topics.user_complexity.representations import (
    SUCCESS,
    Candidates,
    chance,
    hashed_points,
    least_log_size,
    least_users,
    least_users_of_any_learner,
    littlestone_of_thresholds,
    points_themselves,
)
from tests.support.examples import examples
from tests.support.strategies import inside

ALPHA, OTHER = 0, 1  # the labelled point, and the one with the rest of the weight


def drawn(hypotheses, users, epsilon):
    """The exponential mechanism's law on labelled examples, scores counted one by one."""
    scores = np.array(
        [sum(any(h[x] != (x == ALPHA) for x in user) for user in users) for h in hypotheses]
    )
    weights = np.exp(-epsilon * scores / 2)
    return weights / weights.sum()


def listed(sets, users, m, alpha, epsilon):
    """The probability of a good hypothesis: every set of candidates, every sample."""
    weight = {ALPHA: alpha, OTHER: 1 - alpha}
    found = 0.0
    for hypotheses in sets:
        good = [h[ALPHA] == 1 and h[OTHER] == 0 for h in hypotheses]
        for sample in itertools.product(weight, repeat=users * m):
            data = [sample[i * m : (i + 1) * m] for i in range(users)]
            probability = math.prod(weight[x] for x in sample)
            found += probability * drawn(hypotheses, data, epsilon)[good].sum()
    return found / len(sets)


@pytest.mark.parametrize(("users", "m"), [(1, 1), (3, 1), (2, 2), (4, 2)])
def test_the_chance_is_that_of_listing_every_sample(users, m):
    alpha, epsilon, size, buckets = 0.3, 1.7, 3, 3
    seen = 1 - (1 - alpha) ** m
    concepts = [[int(x == a) for x in range(size)] for a in range(size)] + [[0] * size]
    whole = chance(points_themselves(size), users, seen, epsilon)
    assert whole.midpoint == pytest.approx(listed([concepts], users, m, alpha, epsilon), abs=1e-8)
    hashes = [
        [[int(to[x] == b) for x in range(size)] for b in range(buckets)] + [[0] * size]
        for to in itertools.product(range(buckets), repeat=size)
    ]
    hashed = chance(Candidates(buckets + 1, 1 - 1 / buckets, buckets - 1), users, seen, epsilon)
    assert hashed.midpoint == pytest.approx(listed(hashes, users, m, alpha, epsilon), abs=1e-8)
    assert max(whole.upper - whole.lower, hashed.upper - hashed.lower) < 1e-8


@pytest.mark.parametrize(("users", "seen"), [(500, 0.3), (20_000, 0.01), (300_000, 0.9)])
@pytest.mark.parametrize("wrong", [3, 10**6])
def test_blocks_enclose_the_sum_over_all_counts(users, seen, wrong):
    epsilon = 2 * math.log(wrong) / (users * seen)
    counts = np.arange(users + 1)
    odds = wrong * np.exp(-epsilon * counts / 2) + math.exp(-epsilon * users / 2)
    exact = binom.pmf(counts, users, seen) @ (1 / (1 + odds))
    found = chance(Candidates(wrong + 2, 1.0, wrong), users, seen, epsilon)
    assert found.lower <= exact <= found.upper
    assert found.upper - found.lower < 0.01


@given(
    weights=st.lists(st.integers(0, 20), min_size=2, max_size=5).filter(any),
    buckets=st.integers(1, 4),
    accuracy=st.floats(0.05, 0.9),
)
@examples(60)
def test_a_hash_fails_no_more_than_markov_says(weights, buckets, accuracy):
    distribution = np.array(weights) / sum(weights)
    hashes = list(itertools.product(range(buckets), repeat=len(weights)))
    for labelled, weight in enumerate(distribution):
        errors = [
            min(weight, distribution[np.array(to) == to[labelled]].sum() - weight) for to in hashes
        ]
        failed = np.mean(np.array(errors) > accuracy + 1e-12)
        assert failed <= (1 - accuracy) / (accuracy * buckets) + 1e-12


@given(alpha=inside("alpha"))
@examples(40)
def test_the_representation_has_the_accuracy_of_the_proof(alpha):
    hashed = hashed_points(alpha)
    buckets, accuracy = hashed.count - 1, 0.01 * alpha
    assert (1 - accuracy) / (accuracy * buckets) <= 0.25 + 1e-12
    assert (1 - accuracy) / (accuracy * (buckets - 1)) >= 0.25 - 1e-9
    heavy = math.ceil(1 / accuracy) - 2  # other points of weight just over the accuracy
    assert 1 - (1 - 1 / buckets) ** heavy > 0.2  # so at most a quarter more buckets than needed


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("accuracy", [0.0, 0.1, 0.3])
def test_no_representation_of_thresholds_beats_the_bound(size, accuracy):
    domain = 3
    thresholds = [[int(x >= t) for x in range(domain)] for t in range(domain + 1)]
    functions = list(itertools.product((0, 1), repeat=domain))
    sets = list(itertools.combinations(functions, size))
    weights = [w for w in itertools.product(range(4), repeat=domain) if sum(w) == 3]
    works = [
        [
            any(np.dot(np.abs(np.subtract(h, c)), w) / 3 <= accuracy for h in chosen)
            for chosen in sets
        ]
        for c in thresholds
        for w in weights
    ]
    # The set is drawn to do well against every concept and distribution: a game.
    payoff = np.column_stack([-np.array(works, dtype=float), np.ones(len(works))])
    solved = linprog(
        c=[0.0] * len(sets) + [-1.0],
        A_ub=payoff,
        b_ub=np.zeros(len(works)),
        A_eq=[[1.0] * len(sets) + [0.0]],
        b_eq=[1.0],
        bounds=[(0, 1)] * (len(sets) + 1),
    )
    failure = min(max(1 + solved.fun, 0.0), 1.0)
    depth = littlestone_of_thresholds(domain)
    assert least_log_size(depth, accuracy, failure) <= math.log(size) + 1e-9
    assert least_log_size(depth, 0.0, 0.0) == pytest.approx(depth * math.log(2))


@given(
    alpha=st.floats(0.01, 0.45),
    epsilon=st.floats(0.3, 5),
    size=st.integers(2, 10**9),
)
@examples(40)
def test_a_learner_of_thresholds_needs_as_many_as_any(alpha, epsilon, size):
    """One example each; the two points of weight sit at the left end of the domain."""
    bound = least_users_of_any_learner(
        littlestone_of_thresholds(size), alpha=alpha, epsilon=epsilon
    )
    users = max(math.ceil(bound) - 1, 0)
    counts = np.arange(users + 1)
    odds = (size - 1) * np.exp(-epsilon * counts / 2) + np.exp(-epsilon * (users - counts) / 2)
    assert binom.pmf(counts, users, alpha) @ (1 / (1 + odds)) < SUCCESS


@given(
    alpha=inside("alpha"),
    epsilon=inside("epsilon"),
    m=inside("examples_per_user"),
    size=inside("domain_size"),
)
@examples(40)
def test_least_users_is_where_the_chance_passes_two_thirds(alpha, epsilon, m, size):
    seen = -math.expm1(m * math.log1p(-alpha))
    for candidates in (points_themselves(size), hashed_points(alpha)):
        least = least_users(candidates, alpha=alpha, epsilon=epsilon, examples_per_user=m)
        assert chance(candidates, int(least.upper), seen, epsilon).upper >= SUCCESS
        if least.lower > 1:
            assert chance(candidates, int(least.lower) - 1, seen, epsilon).lower < SUCCESS
        assert least.upper - least.lower <= max(1, 0.01 * least.upper)


@pytest.mark.parametrize("name", ["alpha", "epsilon", "examples_per_user"])
@pytest.mark.parametrize("bad", [math.nan, -1.0, math.inf])
def test_parameters_out_of_range_are_named(name, bad):
    setting = {"alpha": 0.1, "epsilon": 1.0, "examples_per_user": 10} | {name: bad}
    with pytest.raises(ParameterError, match=LIMITS[name].name):
        least_users(points_themselves(10), **setting)
    with pytest.raises(ParameterError):
        least_log_size(3, bad, 0.1)


@pytest.mark.parametrize(
    ("depth", "alpha", "epsilon"), [(9, 0.05, 0.1), (1, 0.05, 0.1), (40, 0.3, 0.5), (12, 0.1, 4.0)]
)
def test_so_many_users_are_needed_to_tell_the_paths_of_a_mistake_tree_apart(depth, alpha, epsilon):
    """At (9, 0.05, 0.1) it was said 23: 60 were proved by hand, and 71 step by step."""
    chances = []
    for level in range(1, depth + 1):
        good = sum(math.comb(level, j) for j in range(level + 1) if j <= alpha * level + 1e-9)
        chances.append((good - 2 / 3) / (2**level - 1))
    reached, users = min(chances), 0
    while reached < 2 / 3:
        users += 1
        reached = min(math.exp(epsilon) * reached, 1 - math.exp(-epsilon) * (1 - reached))
    found = least_users_of_any_learner(depth, alpha=alpha, epsilon=epsilon)
    assert found >= users
    if (depth, epsilon) == (9, 0.1):
        assert found == 71


def test_a_tree_too_deep_for_floats_takes_finitely_many_users():
    assert 1e5 < least_users_of_any_learner(10**6, alpha=0.1, epsilon=0.1) < 1e7
