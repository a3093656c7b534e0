"""Bounds on pseudo-global stability, where the truth is known."""

import numpy as np
import pytest

from dpviz.topics.few_users.learners import (
    NOTHING,
)
from dpviz.topics.few_users.stability import (
    pseudo_global_stability,
)
from tests.support.examples import some

# ν of Definition 15: (probabilities of the most frequent pick, how likely a board has each).
BOARDS = {
    "all at η": ([0.9], [1.0]),
    "all below, just": ([0.899], [1.0]),
    "half at η": ([0.9, 0.3], [0.5, 0.5]),
    "on both sides of η": ([0.99, 0.9, 0.89, 0.6], [0.4, 0.2, 0.2, 0.2]),
    "clear": ([1.0, 0.2], [0.8, 0.2]),
    "never": ([0.5], [1.0]),
}


def constructed_boards(rng, design, boards, users):
    """Picks with known ν: the first hypothesis has the board's probability, 40 share the rest."""
    tops, weights = BOARDS[design]
    top = rng.choice(tops, p=weights, size=boards)
    others = rng.integers(1, 41, size=(boards, users))
    return np.where(rng.random((boards, users)) < top[:, None], 0, others)


def true_share(design, eta):
    tops, weights = BOARDS[design]
    return sum(w for top, w in zip(tops, weights, strict=True) if top >= eta)


@pytest.mark.parametrize("users", [1, 20, 100])
@pytest.mark.parametrize("design", BOARDS)
def test_bounds_on_pseudo_global_stability_hold_the_truth(design, users):
    """The plug-in said 0.677 for ν = 1, at picks with probability 0.9 by 20 users."""
    rng = np.random.default_rng(20)
    truth = true_share(design, 0.9)
    found = [
        pseudo_global_stability(constructed_boards(rng, design, 60, users), eta=0.9)
        for _ in range(some(200, 80))
    ]
    covered = np.mean([f.lower <= truth + 1e-12 and truth <= f.upper + 1e-12 for f in found])
    assert covered >= 0.95
    for f in found:
        assert 0 <= f.lower <= f.upper <= 1
        assert f.stable + f.unstable <= f.boards == 60
        assert f.users == users


@pytest.mark.parametrize("eta", [0.5, 0.6])
def test_a_rival_hypothesis_does_not_pass_for_a_stable_one(eta):
    """Two hypotheses with probability just below η each: the largest of two counts is tempting."""
    rng = np.random.default_rng(21)
    low = eta - 0.005
    for _ in range(200):
        drawn = rng.random((50, 60))
        picks = np.where(drawn < low, 0, np.where(drawn < min(2 * low, 1), 1, 2))
        assert pseudo_global_stability(picks, eta=eta).lower == 0


def test_bounds_on_pseudo_global_stability_get_narrow():
    rng = np.random.default_rng(22)
    top = np.repeat([1.0, 0.2], [800, 200])
    drawn = rng.random((1000, 200)) < top[:, None]
    found = pseudo_global_stability(np.where(drawn, 0, rng.integers(1, 41, drawn.shape)), eta=0.9)
    assert found.upper - found.lower < 0.07
    assert found.lower < 0.8 < found.upper
    assert (found.stable, found.unstable) == (800, 200)


def test_who_picks_nothing_picks_no_hypothesis():
    nothing = np.full((50, 100), NOTHING)
    assert pseudo_global_stability(nothing, eta=0.9).stable == 0
    assert pseudo_global_stability(nothing, eta=0.9).unstable == 50
