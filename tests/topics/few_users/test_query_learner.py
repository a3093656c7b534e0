"""Conjunctions learned by queries: laws against all darts at small size."""

import itertools
import math

import numpy as np

from dpviz.maths.correlated_sampling import Darts, sample
from dpviz.topics.few_users.learners import QueryLearner
from tests.support.few_users import rng


def on_the_whole_grid(learner, means, seed):
    """Whether each user keeps a bit, by Algorithm 5 as printed (corrected): darts everywhere."""
    steps = learner.resolution
    laws = np.zeros((means.size, 2 * steps + 1))
    low = np.floor(means * steps).astype(int)
    rows, up = np.arange(means.size), means * steps - low
    laws[rows, steps + low] = 1 - up
    laws[rows, steps + low + 1] += up
    answers = (sample(laws, Darts(laws.shape[1], seed)).outcome - steps) / steps
    return answers <= 2 * learner.tolerance


def test_darts_at_two_places_decide_as_all_darts_do():
    """The joint law of five users' decisions on a bit, with given values around 2τ."""
    learner = QueryLearner(2, 1, 0.4)
    edge = math.floor(2 * learner.tolerance * learner.resolution)
    means = (edge + np.array([-0.3, 0.2, 0.5, 0.9, 1.4])) / learner.resolution
    runs = 1500
    full = [tuple(on_the_whole_grid(learner, means, seed)) for seed in range(runs)]
    assert {kept[0] for kept in full} == {True}
    assert {kept[4] for kept in full} == {False}
    up = np.clip(means * learner.resolution - edge, 0, 1)
    two = np.stack([1 - up, up], axis=1)
    short = [tuple(sample(two, Darts(2, seed)).outcome == 0) for seed in range(runs)]
    for pattern in itertools.product((False, True), repeat=5):
        found, expected = full.count(pattern) / runs, short.count(pattern) / runs
        assert abs(found - expected) < 4 * math.sqrt(max(expected, 1e-3) / runs)


def test_own_coins_disagree_about_bits_in_doubt_and_nobody_errs():
    learner = QueryLearner(20, 2, 0.1)
    own = learner.picks(200, examples=10**12, seed=None, rng=rng(1))
    shared = [learner.picks(2, examples=10**12, seed=s, rng=rng(s)) for s in range(100)]
    assert len(set(own.tolist())) > 50
    assert np.mean([first == second for first, second in shared]) > 0.9
    assert np.all(learner.errors_of(own) <= 0.1)
    assert np.all(own & 3 == 3)  # the bits of the label are never dropped


def test_each_bit_in_doubt_is_kept_as_its_answer_says():
    learner = QueryLearner(8, 2, 0.1)
    picks = learner.picks(20_000, examples=8 * 10**12, seed=None, rng=rng(2))
    kept = [(picks >> bit & 1).mean() for bit in range(8)]
    edge = math.floor(2 * learner.tolerance * learner.resolution)
    expected = np.clip(edge + 1 - learner.answers * learner.resolution, 0, 1)
    np.testing.assert_allclose(kept, expected, atol=0.02)
    assert np.count_nonzero((expected > 0.1) & (expected < 0.9)) >= 2
