"""The answers to the exercises on clipping, from users drawn and scores added up here."""

import itertools
import math

import numpy as np
import pytest

from dpviz.results.user_data import wage_panel
from tests.support.exercises import accepts, answer, exercise, programmed

TOPIC = "clipping"
SHARES = np.arange(16) / 15


def _moves(threshold: float) -> float:
    """The most that exchanging one user can move the clipped sum of any pair of candidates."""
    moves = []
    for first, second in itertools.permutations(SHARES, 2):
        said = max(first, 1 - first) if first == second else first if first > second else 1 - first
        low, high = np.clip([100 * (said - 1), 100 * said], -threshold, threshold)
        moves.append(high - low)
    return float(max(moves))


def test_no_threshold_lets_a_user_count_for_more_than_all_examples():
    _, user = exercise(TOPIC, "a-loose-threshold")
    assert user.sensitivity == pytest.approx(_moves(20)) == pytest.approx(40)
    assert _moves(60) == pytest.approx(100)


def test_a_tight_threshold_makes_the_noise_ten_times_smaller():
    _, user = exercise(TOPIC, "a-tight-threshold")
    assert user.unclipped_sensitivity / user.sensitivity == pytest.approx(2.5)
    assert answer(TOPIC, "a-tight-threshold") == pytest.approx(100 / _moves(5))
    assert np.mean(user.scores > 5) > 0.95


def test_theorem_9_is_computed_as_asked_and_kept():
    _, selected = exercise(TOPIC, "how-bad-the-answer-can-be")
    assert [len(selected.names), selected.users, selected.sensitivity] == [16, 200, 40]
    assert accepts(TOPIC, "how-bad-the-answer-can-be", 400 * math.log(320) / 200)


def test_the_men_of_the_panel_stray_as_much_as_is_said():
    panel = wage_panel("union")
    sums, rate = np.bincount(panel.user, panel.value), panel.law[1]
    times = sums.std() / math.sqrt(8 * rate * (1 - rate))
    assert answer(TOPIC, "examples-that-are-alike") == pytest.approx(times, rel=0.02)


def test_one_user_changes_no_probability_by_more_than_is_to_be_proved():
    _, selected = exercise(TOPIC, "clipped-scores-are-private")
    rng, task = np.random.default_rng(1), selected.task
    ones = rng.integers(101, size=20)
    for _ in range(20):
        laws = []
        for last in rng.integers(101, size=2):
            users = np.append(ones, last)
            scores = task.scores(np.stack([users, 100 - users], axis=1), threshold=20.0)
            weights = np.exp(-0.2 * (scores - scores.min()) / 80)
            laws.append(np.log(weights / weights.sum()))
        assert np.abs(laws[0] - laws[1]).max() <= 0.2


def test_the_program_draws_as_the_core_does():
    name = "the-mechanism-in-fifteen-lines"
    assert accepts(TOPIC, name, programmed(TOPIC, name))
    _, selected = exercise(TOPIC, name)
    assert set(selected.names) >= {"0.6, 0.4", "0.067, 0.93"}
