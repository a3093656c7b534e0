"""The answers to the exercises on the promise, by other ways to the same numbers."""

import math

import numpy as np
import pytest

from dpviz.maths.trade_off import posterior, promised_hits
from tests.support.exercises import accepts, answer, exercise, takes

TOPIC = "promise"


def test_the_suspicion_is_even_there():
    _, odds = exercise(TOPIC, "a-suspicion-becomes-even")
    loss = answer(TOPIC, "a-suspicion-becomes-even")
    assert float(posterior(odds.prior, loss=loss)) == pytest.approx(0.5)


def test_group_privacy_adds_up_row_by_row():
    steps = sum(1e-6 * math.exp(0.5 * row) for row in range(10))
    assert accepts(TOPIC, "the-delta-of-ten-rows", steps)


def test_hits_are_bounded_by_two_lines():
    name = "hits-that-a-promise-allows"
    assert takes(TOPIC, name, lambda a: np.minimum(math.e * a, 1 - (1 - a) / math.e))
    assert not takes(TOPIC, name, lambda a: np.minimum(math.e * a, 1))
    assert not takes(TOPIC, name, lambda a: 1 - (1 - a) / math.e)
    assert not takes(TOPIC, name, lambda a: a)
    assert not takes(TOPIC, name, lambda a: promised_hits(a, epsilon=2.0, delta=0.0))


def test_the_best_guesser_within_the_promise_is_found_by_looking_everywhere():
    alarms = np.linspace(0, 1, 100_001)
    hits = promised_hits(alarms, epsilon=1.0, delta=1e-6)
    best = 100 * float(np.max((hits + 1 - alarms) / 2))
    assert answer(TOPIC, "right-guesses-that-a-promise-allows") == pytest.approx(best, rel=1e-4)
