"""Littlestone dimension against its definition, and the game it is the value of."""

import itertools
from functools import cache

import numpy as np
import pytest

from dpviz.results.parameters import ParameterError
from dpviz.topics.few_users.littlestone import (
    MISTAKE_CLASSES,
    FiniteClass,
    along_the_tree,
    mistake_class,
)


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


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("name", MISTAKE_CLASSES)
def test_named_classes_have_the_dimension_of_the_definition(name, depth):
    labels = mistake_class(name, depth=depth, rng=rng(3))
    if name == "sparse":
        labels = np.unique(labels[:, :5], axis=0)
    assert FiniteClass(labels).dimension() == brute_dimension(as_rows(labels))


@pytest.mark.parametrize("depth", range(1, 9))
def test_dimensions_known_in_closed_form(depth):
    known = {"thresholds": depth, "points": 1, "paths": depth, "sparse": depth}
    for name, dimension in known.items():
        concept = FiniteClass(mistake_class(name, depth=depth, rng=rng()))
        assert concept.dimension() == dimension
        assert len(np.unique(concept.labels, axis=0)) == len(concept.labels)


def test_every_path_of_a_mistake_tree_fits_a_hypothesis():
    concept = FiniteClass(mistake_class("random", depth=5, rng=rng(1)))
    depth = concept.dimension()

    def walk(node, held, level):
        assert held
        if node is None:
            assert level == depth
            return
        assert node.left == held.bit_count()
        for label, child in enumerate(node.children):
            walk(child, concept.fitting(held, node.point, label), level + 1)

    walk(concept.tree(concept.all, depth), concept.all, 0)
    with pytest.raises(ParameterError):
        concept.tree(concept.all, depth + 1)


@pytest.mark.parametrize("name", ["thresholds", "points", "random"])
def test_the_optimal_algorithm_never_errs_more_often_than_the_dimension(name):
    """Over all targets and all orders of five points."""
    labels = mistake_class(name, depth=3, rng=rng(2))[:, :5]
    concept = FiniteClass(labels)
    worst = 0
    for target, order in itertools.product(labels, itertools.permutations(range(5))):
        held, errors = concept.all, 0
        for point in order:
            errors += concept.predict(held, point) != target[point]
            held = concept.fitting(held, point, int(target[point]))
        worst = max(worst, errors)
    assert worst == concept.dimension()


@pytest.mark.parametrize("name", MISTAKE_CLASSES)
def test_the_adversary_makes_every_round_a_mistake_that_fits(name):
    concept = FiniteClass(mistake_class(name, depth=4, rng=rng(5)))
    rounds = along_the_tree(concept)
    assert len(rounds) == concept.dimension()
    held = concept.all
    for one in rounds:
        assert concept.predict(held, one.point) == one.predicted == 1 - one.label
        held = concept.fitting(held, one.point, one.label)
        assert held.bit_count() == one.left > 0
    assert held.bit_count() == 1  # the best learner then knows which


def test_what_makes_no_sense_is_refused():
    for broken in (
        lambda: mistake_class("circles", depth=3, rng=rng()),
        lambda: mistake_class("points", depth=9, rng=rng()),
        lambda: FiniteClass(np.empty((0, 3), dtype=bool)),
        lambda: FiniteClass(np.ones((600, 3), dtype=bool)),
    ):
        with pytest.raises(ParameterError):
            broken()
