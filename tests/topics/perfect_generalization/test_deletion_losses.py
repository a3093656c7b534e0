"""The loss of leaving out r users instead of r others, of learners that are no sum: all sets."""

import itertools

import numpy as np
import pytest
from scipy.special import log_softmax

from dpviz.topics.perfect_generalization.deletion_losses import (
    POINTS,
    extremes,
    histogram_losses,
    threshold_losses,
    user_counts,
    user_errors,
)

SIZES = np.array([1, 2, 4])


def left(rows, r):
    """Return what is left of the sum, for all sets of r users."""
    chosen = itertools.combinations(range(len(rows)), r)
    return np.array([np.delete(rows, deleted, axis=0).sum(axis=0) for deleted in chosen])


def test_a_histogram_against_all_pairs_of_sets():
    counts = user_counts(np.random.default_rng(4), users=8, examples=7)
    found = histogram_losses(counts, SIZES)
    for r, loss in zip(SIZES, found, strict=True):
        sums = left(counts, int(r))
        apart = np.abs(sums[:, None] - sums[None]).sum(axis=2).max()
        assert loss == apart / 2  # Laplace noise of scale 2/ε′


@pytest.mark.parametrize("loss", [0.02, 0.4, 3.0])
def test_a_threshold_lies_between_its_bounds_against_all_pairs_of_sets(loss):
    errors = user_errors(np.random.default_rng(6), users=9, examples=6, rate=0.6)
    lower, upper = threshold_losses(errors, SIZES, item_epsilon=loss)
    for r, at_least, at_most in zip(SIZES, lower, upper, strict=True):
        laws = log_softmax(-loss / 2 * left(errors, int(r)), axis=1)
        true = (laws.max(axis=0) - laws.min(axis=0)).max() / loss
        assert at_least <= true * (1 + 1e-9)
        assert true <= at_most * (1 + 1e-9)
        assert at_most <= 1.25 * at_least


def test_the_ends_are_those_of_sorted_numbers():
    column = np.random.default_rng(1).integers(-9, 9, 30)
    low, high = extremes(column, np.array([1, 15, 30]))
    ordered = np.sort(column)
    assert list(low) == [ordered[:r].sum() for r in (1, 15, 30)]
    assert list(high) == [ordered[30 - r :].sum() for r in (1, 15, 30)]


def test_errors_are_those_of_a_count_through_all_labels():
    rng = np.random.default_rng(0)
    points, right = rng.integers(POINTS, size=50), rng.random(50) < 0.7
    labels = np.where(right, points >= POINTS // 2, points < POINTS // 2)

    class Drawn:
        def multinomial(self, *_):
            counts = [np.bincount(points[which], minlength=POINTS) for which in (right, ~right)]
            return np.concatenate(counts)[None]

    found = user_errors(Drawn(), users=1, examples=50, rate=0.7)[0]
    by_hand = np.array([np.sum((points >= h) != labels) for h in range(POINTS + 1)])
    assert np.array_equal(found, by_hand - by_hand[0])
