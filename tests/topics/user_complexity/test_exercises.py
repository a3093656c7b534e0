"""The answers to the exercises on user complexity, at other places of the same page."""

import math

import numpy as np
import pytest

from dpviz.maths.coin_tests import Coins, clipped_laplace_success
from dpviz.serve.link_results import computed, opened
from tests.support.exercises import answer, exercise, takes

TOPIC = "user_complexity"


def at(examples):
    """The bound of the exercises with so many examples each."""
    asked, _ = exercise(TOPIC, "examples-for-twenty-thousand-users")
    link = asked.link.replace("examples_per_user=100", f"examples_per_user={examples}")
    return computed(opened(f"{TOPIC}?{link}")[0]).result


def test_no_more_is_saved_with_ever_so_many_examples():
    assert answer(TOPIC, "the-most-that-examples-save") == pytest.approx(
        at(10**24).saving, rel=1e-3
    )


def test_the_users_are_enough_with_as_many_examples():
    examples = round(answer(TOPIC, "examples-for-twenty-thousand-users"))
    assert at(examples).users == pytest.approx(20_000, rel=0.002)
    assert 1 / ((math.sqrt(560) - 20) / 80) ** 2 == pytest.approx(examples, rel=0.002)


def test_three_terms_are_a_curve_that_flattens():
    name = "three-terms-as-examples-grow"
    assert takes(TOPIC, name, lambda m: (1e4 + 2e5 / np.sqrt(m) + 4e5 / m) / 6e5)
    assert not takes(TOPIC, name, lambda m: 1 / m)
    assert not takes(TOPIC, name, lambda m: 1 / np.sqrt(m))
    assert not takes(TOPIC, name, lambda m: np.maximum(1e4, 4e5 / m) / 6e5)


def test_one_vote_fewer_is_not_enough():
    votes = int(answer(TOPIC, "how-many-votes-with-noise"))
    named = [
        clipped_laplace_success(Coins((0.35, 0.65)), users=n, examples=1, clip=1, epsilon=0.5)
        for n in (votes - 1, votes)
    ]
    assert named[0] + 0.005 < 0.8 < named[1] - 0.003  # not at the edge


def test_the_figure_says_how_many_votes_are_enough():
    asked, _ = exercise(TOPIC, "how-many-votes-with-noise")
    link = asked.link.replace("success=0.75", "success=0.8")
    curve = computed(opened(f"{TOPIC}?{link}")[0]).result.curve("laplace")
    assert curve.y[curve.x == 1] == answer(TOPIC, "how-many-votes-with-noise")
