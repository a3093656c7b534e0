"""The answers to the exercises with shared darts, from games played and laws counted here."""

import numpy as np
import pytest

from dpviz.maths.correlated_sampling import sample_repeatedly
from tests.support.exercises import accepts, answer, exercise, programmed, takes

TOPIC = "shared_darts"


def test_more_outcomes_make_own_coins_agree_less_often_and_shared_darts_always():
    _, ten = exercise(TOPIC, "equal-laws-many-outcomes")
    law = ten.independent.sum(axis=1)
    assert law.size == 10
    assert law.max() < 1.05 * law.min()
    assert ten.agreement[2] == pytest.approx(float(np.sum(law**2)))


def test_a_dart_comes_after_as_many_as_there_are_outcomes():
    _, board = exercise(TOPIC, "waiting-for-a-dart")
    thrown = sample_repeatedly([board.p], repetitions=20_000, rng=np.random.default_rng(1)).dart + 1
    assert accepts(TOPIC, "waiting-for-a-dart", 40)
    assert thrown.mean() == pytest.approx(40, rel=0.04)


def test_two_in_three_games_have_different_darts():
    _, board = exercise(TOPIC, "different-darts")
    assert board.p == pytest.approx([3 / 4, 1 / 4], abs=1e-4)
    assert board.q == pytest.approx([1 / 4, 3 / 4], abs=1e-4)
    games = sample_repeatedly([board.p, board.q], repetitions=20_000, rng=np.random.default_rng(1))
    apart = np.mean(games.dart[:, 0] != games.dart[:, 1])
    assert accepts(TOPIC, "different-darts", 200 / 3)
    assert not accepts(TOPIC, "different-darts", 50)
    assert apart == pytest.approx(2 / 3, abs=0.015)


@pytest.mark.parametrize("name", ["each-with-coins-of-their-own", "no-joint-law-does-better"])
def test_with_two_outcomes_shared_darts_reach_the_distance(name):
    _, chart = exercise(TOPIC, name)
    assert chart.curve("outputs").y == pytest.approx(chart.curve("least").y, abs=1e-12)
    assert chart.curve("independent").y[0] == pytest.approx(0.5)


def test_own_coins_are_a_parabola_and_no_line():
    name = "each-with-coins-of-their-own"
    assert takes(TOPIC, name, lambda t: (1 + t**2) / 2)
    assert not takes(TOPIC, name, lambda t: 0.5 + 0 * t)
    assert not takes(TOPIC, name, lambda t: 0.5 + t / 2)
    assert not takes(TOPIC, name, lambda t: t)


def test_the_program_plays_as_long_as_the_core_says():
    _, board = exercise(TOPIC, "the-darts-of-a-game")
    games = sample_repeatedly([board.p, board.q], repetitions=40_000, rng=np.random.default_rng(2))
    played = float((games.dart.max(axis=1) + 1).mean())
    assert answer(TOPIC, "the-darts-of-a-game") == pytest.approx(played, rel=0.03)
    assert accepts(TOPIC, "the-darts-of-a-game", programmed(TOPIC, "the-darts-of-a-game"))
