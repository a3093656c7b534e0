"""Lemmas 21 and 22 in numbers: boosting run, and exact tails beside a binomial library."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom

from dpviz.topics.user_complexity.representation_proof import (
    boosted_points,
    unlucky_hypothesis,
    users_of_the_proof,
)
from dpviz.topics.user_complexity.representations import hashed_points

SETTING = {"alpha": 0.05, "epsilon": 0.5, "examples_per_user": 4}


def test_majorities_of_unions_of_hashes_represent_the_points():
    """Boosting itself: an adversary weighs, votes are taken from unions, few majorities err."""
    alpha, size, trials = 0.3, 60, 5
    rng, made = np.random.default_rng(0), boosted_points(alpha)
    labels = np.zeros(size)
    labels[7] = 1
    law = rng.dirichlet(np.full(size, 0.05))
    law = 0.7 * law + 0.3 * labels
    missed = 0
    for _ in range(trials):
        weights, votes = law.copy(), np.zeros(size)
        for _ in range(made.rounds):
            hashes = rng.integers(made.weak - 1, size=(made.copies, size))
            offered = [np.zeros(size)] + [
                (hashed == bucket).astype(float)
                for hashed, bucket in itertools.product(hashes, range(made.weak - 1))
            ]
            vote = min(offered, key=lambda h: weights[h != labels].sum())
            votes += vote
            weights = weights * np.where(vote == labels, 3**-0.5, 3**0.5)
            weights /= weights.sum()
        majority = (votes > made.rounds / 2).astype(float)
        missed += law[majority != labels].sum() > 0.01 * alpha
    assert missed <= trials / 4
    assert (
        (math.sqrt(3) / 2) ** made.rounds <= 0.01 * alpha < (math.sqrt(3) / 2) ** (made.rounds - 2)
    )
    assert made.rounds * 4.0**-made.copies <= 0.25


def test_more_accuracy_costs_a_logarithm():
    """Lemma 21: d log(1/α), up to the logarithm of the number of rounds."""
    sizes = [boosted_points(10.0**-power).log_size for power in (1, 2, 3, 4, 5)]
    assert np.diff(sizes) == pytest.approx(np.diff(sizes).mean(), rel=0.35)


@pytest.mark.parametrize(("users", "m"), [(50, 1), (333, 7), (4000, 20)])
def test_hypotheses_break_the_lemma_as_often_as_a_binomial_says(users, m):
    alpha = 0.05
    good, bad = (1 - (1 - err) ** m for err in (0.01 * alpha, alpha))
    expected = max(
        binom.sf(math.floor(0.05 * alpha * users * m), users, good),
        binom.cdf(math.floor(0.1 * alpha * users * m), users, bad),
    )
    assert unlucky_hypothesis(users, alpha=alpha, examples=m) == pytest.approx(expected, rel=1e-9)


def test_with_the_users_of_the_proof_the_lemma_and_the_mechanism_hold():
    size = math.log(hashed_points(0.05).count)
    users = int(users_of_the_proof(size, **SETTING))
    alpha, epsilon, m = (SETTING[key] for key in ("alpha", "epsilon", "examples_per_user"))
    lemma = 1 - math.exp(size) * unlucky_hypothesis(users, alpha=alpha, examples=m)
    slack = 0.05 * alpha * users * m
    mechanism = 1 - math.exp(size - epsilon * slack / 2)
    assert lemma >= 0.9
    assert 0.9 * 0.75 * mechanism >= 2 / 3 - 1e-12
    fewer = users - 2
    assert 0.9 * 0.75 * (1 - math.exp(size - epsilon * 0.05 * alpha * fewer * m / 2)) < 2 / 3


def test_more_than_one_over_alpha_examples_save_nothing_in_the_proof():
    many, most = (users_of_the_proof(9.0, **(SETTING | {"examples_per_user": m})) for m in (20, 99))
    assert many == most
