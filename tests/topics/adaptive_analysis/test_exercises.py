"""The answers to the exercises on adaptive analysis, from coins that are tossed here."""

import math

import numpy as np
import pytest

from dpviz.maths import gaussian
from tests.support.exercises import accepts, answer, exercise

TOPIC = "adaptive_analysis"


def claimed(samples, coins, runs, rng):
    """The accuracy that a majority of useless coins seems to have, on average."""
    claims = []
    for _ in range(runs):
        agrees = rng.integers(2, size=(samples, coins)) * 2 - 1
        majority = agrees @ np.sign(agrees.sum(axis=0))
        claims.append(np.mean(np.sign(majority) + 1) / 2)
    return float(np.mean(claims))


def test_one_coin_seems_better_than_it_is():
    heads = np.random.default_rng(1).binomial(101, 0.5, size=200_000)
    expected = 100 * float(np.mean(0.5 + np.abs(heads / 101 - 0.5)))
    assert answer(TOPIC, "one-useless-coin") == pytest.approx(expected, rel=1e-3)


def test_so_many_coins_make_the_impression():
    coins = int(answer(TOPIC, "coins-for-a-good-impression"))
    assert claimed(1000, coins, 20, np.random.default_rng(1)) == pytest.approx(0.84, abs=0.01)
    assert accepts(TOPIC, "coins-for-a-good-impression", math.pi * 500)


def test_noise_of_the_same_privacy_grows_as_the_exercise_takes_it():
    _, chart = exercise(TOPIC, "ten-times-the-coins-against-noise")
    at = {"epsilon": 1.0, "delta": 1e-6, "sensitivity": 1 / 1000}
    few, many = (float(gaussian.minimal_sigma(**at, queries=k + 1)) for k in (300, 3000))
    assert chart.sigma == pytest.approx(few)
    assert many / few == pytest.approx(math.sqrt(3001 / 301))
