"""Littlestone dimension against its definition, and the game it is the value of."""

import itertools
from functools import cache

import numpy as np
import pytest

from dpviz.results.parameters import ParameterError
from dpviz.topics.few_users.littlestone import FiniteClass


def rng(seed=0):
    return np.random.default_rng(seed)


@cache
def brute_dimension(rows):
    """The definition, over sets of label tuples: no bits, no bounds, no order of the points."""
    if not rows:
        return -1
    points = range(len(next(iter(rows))))
    sides = (tuple(frozenset(r for r in rows if r[p] == label) for label in (0, 1)) for p in points)
    return max(
        (1 + min(map(brute_dimension, pair)) for pair in sides if all(pair)),
        default=0,
    )


def as_rows(labels):
    return frozenset(tuple(int(v) for v in row) for row in labels)


@pytest.mark.parametrize("seed", range(12))
def test_the_dimension_is_that_of_the_definition(seed):
    chance = rng(seed)
    labels = chance.random((int(chance.integers(1, 14)), 5)) < chance.uniform(0.2, 0.8)
    assert FiniteClass(labels).dimension() == brute_dimension(as_rows(labels))


@pytest.mark.parametrize("depth", range(1, 9))
def test_dimensions_known_in_closed_form(depth):
    size = 2**depth
    few_ones = [row for row in itertools.product([0, 1], repeat=8) if sum(row) <= depth]
    known = (
        (np.arange(size - 1) >= np.arange(size)[:, None], depth),  # thresholds
        (np.eye(size), 1),  # points
        (few_ones, depth),
    )
    for labels, dimension in known:
        assert FiniteClass.of(labels).dimension() == dimension


@pytest.mark.parametrize(
    "labels",
    [np.arange(5) >= np.arange(6)[:, None], np.eye(5, dtype=bool), rng(2).random((8, 5)) < 0.5],
    ids=["thresholds", "points", "random"],
)
def test_the_optimal_algorithm_never_errs_more_often_than_the_dimension(labels):
    """Over all targets and all orders of five points."""
    concept = FiniteClass(labels)
    worst = 0
    for target, order in itertools.product(labels, itertools.permutations(range(5))):
        held, errors = concept.all, 0
        for point in order:
            errors += concept.predict(held, point) != target[point]
            held = concept.fitting(held, point, int(target[point]))
        worst = max(worst, errors)
    assert worst == concept.dimension()


def test_what_makes_no_sense_is_refused():
    for broken in (
        lambda: FiniteClass(np.empty((0, 3), dtype=bool)),
        lambda: FiniteClass(np.ones((600, 3), dtype=bool)),
    ):
        with pytest.raises(ParameterError):
            broken()
