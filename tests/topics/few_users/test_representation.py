"""The representation of points by hashing, against its promise."""

import numpy as np
import pytest

from dpviz.maths.selection.heavy_hitters import HeavyHitter
from dpviz.results.parameters import ParameterError
from dpviz.topics.few_users.learners import QueryLearner
from dpviz.topics.few_users.representation import hashed_hypotheses, representation_bits
from tests.support.few_users import rng


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


def test_what_is_out_of_range_is_refused():
    with pytest.raises(ParameterError, match="class_bits"):
        representation_bits(41, alpha=0.1, beta=0.1)
    with pytest.raises(ParameterError, match="class_bits"):
        QueryLearner(41, 2, 0.1)
    with pytest.raises(ParameterError, match="items"):
        HeavyHitter(1.0, 4).select([16], rng())
