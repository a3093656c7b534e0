"""DelStab around the best choice: its test against all sets, what it implies, and runs on data."""

import itertools
import math

import numpy as np
import pytest

from dpviz.maths.clipped_scores import clipped_difference_scores
from dpviz.maths.exponential_mechanism import log_probabilities
from dpviz.maths.streams import Streams
from dpviz.results.parameters import ParameterError
from dpviz.topics.propose_test_release.best_choice import verdict, widest_lead
from dpviz.topics.propose_test_release.choice_runs import LOOKS, RUNS, ChoiceRuns, clips
from dpviz.topics.propose_test_release.delstab import Budget
from dpviz.topics.propose_test_release.exact_choice import log_largest_noisy
from dpviz.topics.propose_test_release.learners import Learner


class Small(Budget):
    """A budget with so small a κ that all sets of users can be gone through."""

    kappa = 1


def least_by_sets(scores, budget):
    """The least R₁ with a stable set after which the winner of all users wins; all sets tried."""
    everybody, gone = frozenset(range(len(scores))), 4 * budget.kappa
    winner = int(np.argmin(scores.sum(axis=0)))

    def wins(deleted):
        return np.argmin(scores[sorted(everybody - deleted)].sum(axis=0)) == winner

    for size in range(2 * budget.kappa + 1):
        for first in map(frozenset, itertools.combinations(everybody, size)):
            more = itertools.combinations(everybody - first, gone - size)
            if all(wins(first | set(rest)) for rest in more):
                return size
    return 2 * budget.kappa + 1


def test_the_least_size_lies_between_its_bounds_and_is_mostly_found():
    rng, budget, found, seen = np.random.default_rng(7), Small(1.0, 0.1), 0, set()
    for run in range(60):
        scores = rng.integers(-2, 3, (9, 3)) + np.array([0, run % 4, 2])
        true, computed = least_by_sets(scores, budget), verdict(scores, budget)
        assert computed.lower <= true <= computed.upper
        assert computed.all_stable == (true == 0)
        found += computed.lower == computed.upper
        seen.add(true)
    assert found >= 50
    assert seen == {0, 1, 2, 3}


def test_a_user_moves_the_least_size_by_one():
    """What the privacy of the test rests on, on neighbours and all sets."""
    rng, budget = np.random.default_rng(3), Small(1.0, 0.1)
    for _ in range(15):
        scores = rng.integers(-1, 2, (8, 2)) + np.array([0, 1])
        other = scores.copy()
        other[0] = rng.integers(-3, 4, 2)
        sizes = [least_by_sets(rows, budget) for rows in (scores, other)]
        winners = {int(np.argmin(rows.sum(axis=0))) for rows in (scores, other)}
        if len(winners) == 1:
            assert abs(sizes[0] - sizes[1]) <= 1


@pytest.mark.parametrize("learner", ["selection", "histogram"])
def test_the_loss_is_at_most_that_of_the_widest_lead(learner):
    counts = np.random.default_rng(5).multinomial(4, (0.5, 0.3, 0.2), 8)
    wide, loss = widest_lead(-counts, 3), 0.3
    sums = np.array(
        [np.delete(counts, s, axis=0).sum(axis=0) for s in itertools.combinations(range(8), 3)]
    )
    if learner == "histogram":
        laws = log_largest_noisy(sums, decay=loss / 2)
    else:
        laws = log_probabilities(-sums, epsilon=loss, sensitivity=1.0)
    spent = (laws.max(axis=0) - laws.min(axis=0)).max()
    assert 0.4 * loss / 2 * wide <= spent <= loss / 2 * wide


def test_clipped_scores_are_those_of_the_definition_and_move_by_twice_the_clip():
    rng, cut = np.random.default_rng(2), 3.0
    scores = rng.integers(-9, 9, (6, 4))
    by_hand = [
        max(sum(min(max(row[j] - row[k], -cut), cut) for row in scores) for k in range(4) if k != j)
        for j in range(4)
    ]
    found = clipped_difference_scores(scores, threshold=cut)
    assert found == pytest.approx(np.maximum(by_hand, 0.0))
    other = scores.copy()
    other[2] = (-50, 50, 50, 50)
    assert np.abs(clipped_difference_scores(other, threshold=cut) - found).max() <= 2 * cut
    for bad in ({"threshold": 0.0}, {"threshold": math.inf}):
        with pytest.raises(ParameterError, match="threshold"):
            clipped_difference_scores(scores, **bad)
    with pytest.raises(ParameterError, match="scores"):
        clipped_difference_scores(scores[0], threshold=1.0)


def finished(steps):
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


@pytest.mark.parametrize("name", ["threshold", "category"])
def test_runs_succeed_with_users_and_examples_and_never_with_one_user_left(name):
    budget = Budget(4.0, 0.1)
    runs = ChoiceRuns(Learner(name), 0.2, budget, Streams(np.random.default_rng(0)))
    few, many = budget.fewest_users, 2 * budget.fewest_users
    assert finished(runs.hits("best", 2, few)) < RUNS / 2
    assert finished(runs.hits("best", 3000, many)) == RUNS
    assert finished(runs.hits("exponential", 3000, few)) > 0.9 * RUNS
    assert finished(runs.hits("exponential", 1, 2)) < 0.8 * RUNS
    assert finished(runs.passing(10, few, 1e-6)) == LOOKS
    assert finished(runs.passing(10, few, 5.0)) == 0


def test_clips_are_between_one_example_and_all():
    assert clips(1) == [1.0]
    assert clips(100) == [2.0, 5.0, 10.0, 20.0, 100.0]


def test_the_test_asks_for_more_users_than_it_deletes():
    with pytest.raises(ParameterError, match="users"):
        verdict(np.zeros((4, 2), dtype=int), Small(1.0, 0.1))
