"""Theorem 10 on learners that choose among many: their privacy, what is stable, subsampling."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import log_softmax
from scipy.stats import hypergeom

from dpviz.maths.divergence import log_closeness
from dpviz.maths.local_deletion import spread
from dpviz.results.parameters import ParameterError
from dpviz.topics.propose_test_release.delstab import Budget
from dpviz.topics.propose_test_release.learners import (
    SIZE,
    Learner,
    category_law,
    threshold_errors,
)
from dpviz.topics.propose_test_release.naming import (
    stable_epsilon,
    subsampled,
    useful_success,
)
from dpviz.topics.propose_test_release.views.items_to_users import items_to_users

USUAL = {
    "lean": 0.02,
    "task_epsilon": 0.5,
    "promised_delta": 0.1,
    "success": 0.6,
    "subsample": 1.0,
}


def test_the_errors_are_those_of_a_count_through_all_labels():
    rng = np.random.default_rng(5)
    points = rng.integers(SIZE, size=300)
    right = rng.random(300) < 0.7
    truth = points >= SIZE // 2
    labels = np.where(right, truth, ~truth)
    by_hand = [np.sum((points >= h) != labels) for h in range(SIZE + 1)]

    class Drawn:
        def multinomial(self, samples, cells, runs):
            assert (samples, runs) == (300, 1)
            assert cells == pytest.approx(np.repeat([0.7, 0.3], SIZE) / SIZE)
            counts = [np.bincount(points[which], minlength=SIZE) for which in (right, ~right)]
            return np.concatenate(counts)[None]

    found = threshold_errors(Drawn(), samples=300, lean=0.2, runs=1)[0]
    assert found == pytest.approx(np.array(by_hand) - by_hand[SIZE // 2])


@pytest.mark.parametrize("name", ["threshold", "category"])
def test_stable_data_are_as_many_as_promised_and_close(name):
    """On data drawn, the largest spread of all sums stays within ε̄ over ε′; outputs agree."""
    budget, users, examples = Budget(6.0, 0.3), 60, 9
    learner, gone, rng = Learner(name), 4 * budget.kappa, np.random.default_rng(2)
    loss = stable_epsilon(users=users, examples=examples, budget=budget, sums=learner.sums)
    assert loss < stable_epsilon(users=users, examples=examples, budget=budget)
    law = category_law(0.2)
    for _ in range(5):
        counts = rng.multinomial(examples, law, users)  # of each user
        firsts, seconds = (
            np.delete(counts, rng.permutation(users)[:gone], axis=0).sum(axis=0) for _ in range(2)
        )
        if name == "category":
            widest = max(
                spread(counts @ np.array(signs), gone)
                for signs in itertools.islice(itertools.product((0, 1), repeat=SIZE), 0, None, 997)
            )
            # Laplace noise of scale 2/ε′ on every count
            lost = loss / 2 * np.abs(firsts - seconds).sum()
        else:
            errors = np.cumsum(counts, axis=1)
            widest = max(spread(column, gone) for column in errors.T)
            rows = [log_softmax(-loss / 2 * np.cumsum(part)) for part in (firsts, seconds)]
            lost = float(np.abs(rows[0] - rows[1]).max())
        assert loss * widest <= budget.epsilon_bar
        assert lost <= budget.epsilon_bar


def test_a_learner_on_a_random_share_is_as_private_as_theorem_7_says():
    """A vote of the subsample: its law on neighbours, over all subsets, against ε′."""
    items, seen, item_epsilon = 8, 3, 0.4
    own = subsampled(item_epsilon, seen / items)
    drawn = hypergeom.pmf(np.arange(seen + 1)[None, :], items, np.arange(items + 1)[:, None], seen)
    # randomised response on whether all that is seen is 1: it spends ε″ in full
    high = math.exp(own) / (1 + math.exp(own))
    named = drawn @ np.where(np.arange(seen + 1) == seen, high, 1 - high)
    laws = np.log(np.stack([named, 1 - named], axis=1))
    spent = np.abs(np.diff(laws, axis=0)).max()
    assert 0.5 * item_epsilon < spent <= item_epsilon * (1 + 1e-12)
    assert np.max(log_closeness(laws[:-1], laws[1:], epsilon=item_epsilon)) < -30


def test_a_share_of_the_examples_costs_and_never_helps():
    budget = Budget(3.0, 0.1)
    setting = {"users": 400, "examples": 50, "rate": 0.6, "budget": budget}
    every, tenth, few = (useful_success(1e-3, **setting, share=share) for share in (1.0, 0.1, 1e-5))
    assert every >= tenth > few
    assert few <= 0.5


@pytest.mark.parametrize("name", ["threshold", "category"])
def test_a_learner_is_right_more_often_with_more_samples_and_less_noise(name):
    learner, rng = Learner(name), np.random.default_rng(0)
    setting = {"lean": 0.1, "runs": 400}
    few = learner.right(rng, item_epsilon=0.5, samples=20, **setting)
    many = learner.right(rng, item_epsilon=0.5, samples=3000, **setting)
    noisy = learner.right(rng, item_epsilon=1e-5, samples=3000, **setting)
    blind = 5 / 17 if name == "threshold" else 1 / 16
    assert noisy / 400 == pytest.approx(blind, abs=0.1)
    assert few < many
    assert many > 380


def test_a_learner_unknown_is_an_error():
    with pytest.raises(ParameterError, match="learner"):
        next(items_to_users(learner="forest", repeats=10, **USUAL, rng=np.random.default_rng(0)))
    with pytest.raises(ParameterError, match="learner"):
        Learner("coin")
