"""The best pure vote: private without exception, and as good as linear programs prove possible."""

import itertools
import math

import numpy as np
import pytest

from dpviz.results.parameters import ParameterError
from dpviz.topics.few_users.best_learner import best_learner
from dpviz.topics.few_users.best_vote import BestVote
from dpviz.topics.few_users.equal_targets import Targets
from dpviz.topics.few_users.models import least_users_exchanged


def all_counts(users, targets):
    """Every way in which so many users may hold so many targets."""
    cuts = itertools.combinations(range(users + targets - 1), targets - 1)
    ends = np.array([(-1, *cut, users + targets - 1) for cut in cuts])
    return np.diff(ends, axis=1) - 1


GRID = [
    (users, targets, epsilon)
    for users, targets in (
        (1, 2), (2, 2), (9, 2), (10, 2), (1, 3), (2, 3), (7, 3), (14, 3), (15, 3), (6, 4), (9, 4),
        (7, 5), (8, 5), (6, 7), (5, 9),
    )
    for epsilon in (0.02, 0.1, 0.3, math.log(2) / 3, 0.7, math.log(2), 1.0, 1.6, 3.0)
]  # fmt: skip


@pytest.mark.parametrize(("users", "targets", "epsilon"), GRID)
def test_every_data_set_and_every_neighbour_of_it_keeps_to_the_promise(users, targets, epsilon):
    vote, data = BestVote(users, targets, epsilon), all_counts(users, targets)
    laws = vote.chances(data)
    assert laws.min() > 0
    np.testing.assert_allclose(laws.sum(axis=1), 1, rtol=1e-12)
    for source, goal in itertools.permutations(range(targets), 2):
        held = data[:, source] > 0
        after = data[held].copy()
        after[:, source] -= 1
        after[:, goal] += 1
        assert np.max(vote.chances(after) / laws[held]) <= math.exp(epsilon) * (1 + 1e-11)
    agreed = np.zeros(targets, dtype=int)
    agreed[0] = users
    assert vote.chances(agreed)[0] == pytest.approx(vote.success, rel=1e-12)
    for others in range((users + 1) // 2):
        split = np.zeros(targets, dtype=int)
        split[:2] = users - others, others
        among_two = vote.success_among_two(others)
        assert among_two == pytest.approx(vote.chances(split)[0], rel=1e-9)


@pytest.mark.parametrize("users", [1, 2, 3, 6, 7, 8])
@pytest.mark.parametrize("targets", [2, 3, 4, 6, 40, 2**30])
@pytest.mark.parametrize("epsilon", [0.1, 0.4, 1.0, 2.5])
def test_it_is_the_optimum_of_the_linear_program(users, targets, epsilon):
    best = best_learner(Targets(users, targets, 1), epsilon=epsilon).success
    success = BestVote(users, targets, epsilon).success
    assert best.lower - 1e-9 <= success <= best.upper + 1e-9


@pytest.mark.parametrize("beta", [0.3, 0.05, 1e-6])
@pytest.mark.parametrize("targets", [2, 3, 256, 2**40])
@pytest.mark.parametrize("epsilon", [0.05, 0.3, 1.0, 4.0])
def test_the_users_that_group_privacy_asks_for_are_enough(epsilon, targets, beta):
    """The bound comes of one user after another, the vote of its own closed form."""
    needed = least_users_exchanged(targets=targets, served=1, epsilon=epsilon, delta=0.0, beta=beta)
    assert BestVote(needed, targets, epsilon).success >= (1 - beta) * (1 - 1e-12)
    if needed > 1:
        assert BestVote(needed - 1, targets, epsilon).success < 1 - beta


@pytest.mark.parametrize("counts", [[3, 0], [4, 0, 0], [5, -1, -1], [1.0, 1.0, 0.0]])
def test_counts_that_are_none_are_refused(counts):
    with pytest.raises(ParameterError):
        BestVote(3, 3, 1.0).chances(counts)
    with pytest.raises(ParameterError):
        BestVote(3, 3, 1.0).success_among_two(2)
