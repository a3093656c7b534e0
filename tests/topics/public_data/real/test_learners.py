"""Learners on real data, with much privacy and with little."""

import numpy as np
import pytest

from dpviz.topics.public_data.real import learners
from dpviz.topics.public_data.real.data_sets import real_data_set
from dpviz.topics.public_data.real.learners import Given
from dpviz.topics.public_data.real.split import split


@pytest.mark.parametrize("name", learners.LEARNERS)
def test_with_much_privacy_nothing_is_learned_and_with_none_much(name):
    data, rng = real_data_set("cancer"), np.random.default_rng(7)
    parts = split(data, rng, public_share=0.25, components=3)
    learner = learners.LEARNERS[name]
    given = Given(np.array([0.001, 10.0]), 1e-6, rng, 300)
    found = np.array(
        [[learner.run(parts, given, s) for s in learner.strengths] for _ in range(8)]
    ).mean(axis=0)
    if name in ("non_private", "constant"):
        np.testing.assert_array_equal(found[:, 0], found[:, 1])
        return
    assert found[:, 0].max() < 0.75
    least = 0.6 if name == "perturbation" else 0.8
    assert found[:, 1].max() > least


def test_what_is_shown_of_a_split_is_the_mean_over_the_draws():
    given = Given(np.array([1.0, 2.0]), 1e-6, np.random.default_rng(0), 1, draws=3)
    assert given.each.tolist() == [1, 1, 1, 2, 2, 2]
    assert given.mean(np.array([0.1, 0.2, 0.6, 1, 1, 0.4])) == pytest.approx([0.3, 0.8])
