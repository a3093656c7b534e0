"""The answers to the exercises on few users, by other means than the core's."""

import math

import numpy as np
import pytest

from dpviz.topics.few_users.littlestone import FiniteClass
from tests.support.exercises import accepts, answer, exercise, programmed

TOPIC = "few_users"


def test_who_predicts_zero_on_points_makes_one_mistake():
    _, thresholds = exercise(TOPIC, "sixteen-points")
    assert thresholds.dimension == math.log2(thresholds.hypotheses) == 4
    labels = np.eye(16, dtype=int)
    assert labels.sum(axis=1).max() == 1  # the mistakes of "always 0", before the target is known
    assert FiniteClass.of(labels).shatters(FiniteClass.of(labels).all, 1)


def test_each_of_the_sets_comes_out_equally_often():
    _, chart = exercise(TOPIC, "right-but-never-the-same")
    assert accepts(TOPIC, "right-but-never-the-same", 100 / 2**8)
    assert chart.alone == pytest.approx(0.5**chart.points.rare, rel=0.06)


def test_noise_messages_are_as_many_as_their_law_says():
    _, messages = exercise(TOPIC, "messages-that-mean-nothing")
    drawn = np.random.default_rng(1).negative_binomial(
        messages.protocol.dispersion, 1 - math.exp(-0.2), 100_000
    )
    assert answer(TOPIC, "messages-that-mean-nothing") == pytest.approx(drawn.mean(), rel=0.01)
    p = math.exp(-0.2)
    assert accepts(TOPIC, "messages-that-mean-nothing", 10.4 * p / (1 - p))


def test_nine_users_of_one_opinion_are_enough():
    _, votes = exercise(TOPIC, "of-one-opinion")
    assert votes.errors.size == 256
    released = [math.exp(n) / (math.exp(n) + 255) for n in range(20)]
    fewest = next(n for n, chance in enumerate(released) if chance >= 0.95)
    assert answer(TOPIC, "of-one-opinion") == fewest
    assert accepts(TOPIC, "of-one-opinion", 9)
    assert not accepts(TOPIC, "of-one-opinion", 8)


def test_what_is_to_be_proved_lies_below_the_sharper_bound():
    _, parity = exercise(TOPIC, "no-fewer-users-than-this")
    line = parity.curve("least")
    assert np.all(np.log((1 - parity.beta) * 2**line.x) <= line.y)


def test_the_program_finds_the_dimension_of_the_core():
    name = "a-dimension-by-recursion"
    assert accepts(TOPIC, name, programmed(TOPIC, name))
    assert not accepts(TOPIC, name, 6)
