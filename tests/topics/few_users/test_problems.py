"""The classes to be learnt, against their definitions."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from dpviz.topics.few_users.problems import CLASSES, packing, problem

every_class = pytest.mark.parametrize("name", CLASSES)


def bits_of(number, count):
    return [number >> i & 1 for i in range(count)]


def labels_by_hand(name, d):
    """Every hypothesis as a function, from its definition."""
    domain = range(2**d)
    if name == "thresholds":
        return [[x >= t for x in domain] for t in domain]
    if name == "points":
        return [[x == a for x in domain] for a in domain]
    if name == "parities":
        return [
            [sum(i * j for i, j in zip(bits_of(a, d), bits_of(x, d), strict=True)) % 2 == 1
             for x in domain]
            for a in domain
        ]  # fmt: skip
    straight = [[bits_of(x, d)[j] == 1 for x in domain] for j in range(d)]
    return straight + [[not label for label in row] for row in straight]


@every_class
@pytest.mark.parametrize("d", [2, 4])
def test_the_classes_are_what_they_say(name, d):
    by_hand = np.array(labels_by_hand(name, d))
    for target in range(len(by_hand)):
        made = problem(name, bits=d, target=target)
        np.testing.assert_array_equal(made.labels, by_hand)
        assert made.weights.sum() == pytest.approx(1)
        assert np.all(made.weights > 0)
        differ = by_hand != by_hand[target]
        expected = [made.weights[row].sum() for row in differ]
        np.testing.assert_allclose(made.errors, expected, atol=1e-12)
        assert made.errors[target] == 0


def test_parities_are_all_alike_and_thresholds_are_not():
    others = np.delete(problem("parities", bits=5, target=3).errors, 3)
    assert np.all(others == 0.5)
    errors = problem("thresholds", bits=5, target=10).errors
    np.testing.assert_allclose(errors, np.abs(np.arange(32) - 10) / 32)


@every_class
def test_empirical_errors_are_those_of_fresh_examples(name):
    made = problem(name, bits=3, target=2)
    rng = np.random.default_rng(0)
    drawn = made.empirical_errors(4000, examples=20, rng=rng)
    assert np.all(drawn[:, 2] == 0)
    spread = np.sqrt(np.maximum(made.errors * (1 - made.errors), 1e-12) / 20 / 4000)
    assert np.abs((drawn.mean(axis=0) - made.errors) / spread).max() < 4.5
    # the number of errors of one hypothesis is binomial
    worst = int(np.abs(made.errors - 0.5).argmin())
    counts = np.bincount(np.rint(20 * drawn[:, worst]).astype(int), minlength=21)
    law = stats.binom(20, made.errors[worst]).pmf(np.arange(21))
    common = law * 4000 > 5
    assert stats.chisquare(
        np.append(counts[common], counts[~common].sum()),
        np.append(law[common], law[~common].sum()) * 4000,
    ).pvalue > 1e-3  # fmt: skip


@every_class
@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.3])
def test_no_hypothesis_is_good_for_two_targets_of_a_packing(name, alpha):
    chosen = packing(name, bits=4, alpha=alpha)
    good = [problem(name, bits=4, target=t).errors <= alpha for t in chosen]
    for first, second in itertools.combinations(good, 2):
        assert not np.any(first & second)
    if name in ("points", "parities"):
        assert len(chosen) == 16
    if name == "thresholds":
        assert len(chosen) >= 16 // (2 * math.floor(16 * alpha) + 1)
