"""Lemma 19 and Algorithm 1 on thresholds over 8 points: laws, lists, and picks that agree."""

import numpy as np
import pytest

from dpviz.topics.few_users.joined_lists import GOAL, JoinedLearner, JoinedLists, SingleRun
from dpviz.topics.few_users.learners import NOTHING
from dpviz.topics.few_users.littlestone import FiniteClass
from dpviz.topics.few_users.problems import problem


@pytest.mark.parametrize(("target", "examples"), [(0, 3), (3, 4), (7, 2)])
def test_the_law_of_a_run_is_that_of_the_optimal_algorithm_run(target, examples):
    """Played with the general algorithm, on examples drawn one by one."""
    made = problem("thresholds", bits=3, target=target)
    concept, rng, errors = FiniteClass.of(made.labels), np.random.default_rng(target), []
    for _ in range(3000):
        held = concept.all
        for point in rng.integers(8, size=examples):
            held = concept.fitting(held, int(point), int(made.labels[target, point]))
        said = np.array([concept.predict(held, point) for point in range(8)])
        errors.append(np.sum(said != made.labels[target]))
    run = SingleRun(target, examples)
    assert run.law.sum() == pytest.approx(1)
    exact = np.bincount(np.rint(8 * run.errors).astype(int), run.law, 9)
    assert np.bincount(errors, minlength=9) / 3000 == pytest.approx(exact, abs=0.03)


@pytest.mark.parametrize("alpha", [0.02, 0.1, 0.3, 0.4])
def test_joined_lists_hold_one_good_function_nearly_half_of_the_time(alpha):
    lists = JoinedLists(alpha, 0.05)
    assert lists.alone >= 1 / 3
    assert 1 - (1 - lists.alone) ** lists.runs >= GOAL > 1 - (1 - lists.alone) ** (lists.runs - 1)
    # The filter takes little of that, and with so many examples nearly nothing that errs is kept.
    assert lists.eta >= 0.95 * GOAL
    assert lists.bad <= 0.05


@pytest.mark.parametrize(("alpha", "target"), [(0.1, 3), (0.1, 5)])
def test_lists_drawn_hold_each_function_as_often_as_said(alpha, target):
    lists = JoinedLists(alpha, 0.05)
    learner = JoinedLearner(lists, target)
    kept = learner.kept(20_000, np.random.default_rng(8))
    assert kept.sum(axis=1).max() <= lists.runs
    exact = lists.listed(lists.single(target))
    assert kept.mean(axis=0) == pytest.approx(exact, abs=0.015)
    # Without the filter, functions that err too much are in many lists.
    unfiltered = lists.single(target).law[learner.errors > alpha].sum()
    assert unfiltered > 0.15
    assert kept[:, learner.errors > alpha].mean() < 0.01


def test_with_enough_examples_users_agree_on_a_good_function_and_with_few_they_have_none():
    lists, alike, right = JoinedLists(0.1, 0.05), [], []
    for board in range(40):
        learner = JoinedLearner(lists, board % 8)
        picks = learner.picks(20, examples=300_000, seed=board, rng=np.random.default_rng(board))
        alike.append(np.mean(picks == np.bincount(picks).argmax()))
        right.append(np.mean(learner.errors[picks] <= 0.1))
    assert np.mean(alike) > 0.95
    assert np.mean(right) > 0.99
    few = JoinedLearner(lists, 2).picks(3, examples=100, seed=1, rng=np.random.default_rng(1))
    assert np.all(few == NOTHING)
