"""Rich classes: laws against all darts at small size, hashing against its promise, the pipeline."""

import itertools
import math

import numpy as np
import pytest

from dpviz.maths.correlated_sampling import Darts, sample
from dpviz.maths.selection.heavy_hitters import HeavyHitter
from dpviz.results.parameters import ParameterError
from dpviz.topics.few_users.learners import QueryLearner
from dpviz.topics.few_users.representation import hashed_hypotheses, representation_bits
from dpviz.topics.few_users.views.rich_class import rich_class

CALL = {
    "question_examples": 1e9,
    "users": 300,
    "epsilon": 1.0,
    "delta": 1e-6,
    "alpha": 0.1,
}


def rng(seed=0):
    return np.random.default_rng(seed)


def last(results):
    *_, result = results
    return result


# ---- conjunctions --------------------------------------------------------------------------------


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


# ---- points --------------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [0.15, 0.25, 0.6])
def test_the_representation_holds_a_good_hypothesis_for_any_distribution(weight):
    """Few heavy points out of 2^40, the worst case: the share without one is at most β/2."""
    chance, alpha, beta = rng(3), 0.4, 0.3
    size = representation_bits(40, alpha=alpha, beta=beta)
    missed, runs = 0, 400
    for _ in range(runs):
        points = chance.choice(2**40, size=4, replace=False)
        mass = np.array([weight, *np.full(3, (1 - weight) / 3)])
        labels = hashed_hypotheses(points, 40, size, chance)
        errors = (labels != (np.arange(4) == 0)) @ mass
        missed += errors.min() > alpha / 2
    assert missed / runs <= beta / 2
    assert weight > alpha / 2 or missed == 0


def test_every_bucket_but_one_has_its_indicator():
    labels = hashed_hypotheses(np.arange(64), 6, 3, rng(4))
    assert np.all(labels.sum(axis=1) == [0, *np.full(7, 8)])
    assert np.all(labels.sum(axis=0) <= 1)


def test_the_size_of_the_representation_does_not_grow():
    assert {representation_bits(d, alpha=0.1, beta=0.05) for d in (12, 20, 40)} == {10}
    assert representation_bits(3, alpha=0.1, beta=0.05) == 3


# ---- the view ------------------------------------------------------------------------------------


def test_a_class_of_a_million_millions_is_learned():
    chart = last(rich_class(class_bits=40, runs=4, rng=rng(5), **CALL | {"users": 3000}))
    for model in ("approximate", "pure", "local"):
        assert chart.measured[model].value >= 0.75
    assert chart.measured["own"].value < chart.measured["shared"].value
    assert chart.examples == 40 * 10**9


def test_moving_the_readers_place_leaves_the_other_points():
    call = CALL | {"users": 20, "runs": 2}
    one, other = (last(rich_class(class_bits=d, rng=rng(6), **call)) for d in (7, 23))
    for curve in one.curves:
        again = other.curve(curve.key)
        _, left, right = np.intersect1d(curve.x, again.x, return_indices=True)
        np.testing.assert_array_equal(curve.y[left], again.y[right])


def test_what_is_out_of_range_is_refused():
    with pytest.raises(ParameterError, match="class_bits"):
        representation_bits(41, alpha=0.1, beta=0.1)
    with pytest.raises(ParameterError, match="class_bits"):
        QueryLearner(41, 2, 0.1)
    with pytest.raises(ParameterError, match="items"):
        HeavyHitter(1.0, 4).select([16], rng())
