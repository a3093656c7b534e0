"""The answers to the exercises on proposing, testing and releasing, counted here."""

import math

import numpy as np
import pytest

from dpviz.maths.sum_mechanisms import GeometricCount
from dpviz.topics.propose_test_release.delstab import DelStab
from tests.support.exercises import accepts, answer, exercise, programmed

TOPIC = "propose_test_release"


def _law(epsilon_bar: float, kappa: int) -> np.ndarray:
    weights = np.exp(-epsilon_bar * np.abs(np.arange(2 * kappa + 1) - kappa))
    return weights / weights.sum()


def test_one_more_outlier_moves_the_drawn_test_by_little_and_a_fixed_one_from_0_to_1():
    _, chart = exercise(TOPIC, "if-the-number-were-not-drawn")
    law = _law(2 / 3, 25)
    assert chart.outliers == 25
    assert chart.together == pytest.approx(law[:25].sum())
    assert law[:26].sum() == pytest.approx(math.exp(2 / 3) * law[:25].sum(), rel=1e-6)


def test_the_tests_noise_grows_like_the_root_of_plain_noise():
    _, chart = exercise(TOPIC, "noise-for-users-with-more-to-say")
    assert chart.at.ratio == pytest.approx(111, abs=0.5)
    assert accepts(TOPIC, "noise-for-users-with-more-to-say", 11.1)
    assert not accepts(TOPIC, "noise-for-users-with-more-to-say", 111)


def test_fewer_users_than_the_answer_cannot_be_tested():
    fewest = round(answer(TOPIC, "the-fewest-users-to-test"))
    privacy = {"mechanism": GeometricCount(1.0), "epsilon": 0.6, "delta": 1e-6}
    DelStab(np.zeros(fewest), **privacy)
    with pytest.raises(ValueError, match="users"):
        DelStab(np.zeros(fewest - 1), **privacy)


def test_the_geometric_series_gives_the_refusals():
    q = math.exp(-1 / 3)
    assert accepts(TOPIC, "as-many-outliers-as-may-be-dropped", (1 - (1 - q) / (1 + q)) / 2)
    assert not accepts(TOPIC, "as-many-outliers-as-may-be-dropped", 0.5)


def test_one_user_raises_a_refusal_by_no_more_than_is_to_be_proved():
    _, chart = exercise(TOPIC, "no-user-makes-it-refuse")
    law = _law(1 / 3, 48)
    below = np.append(0, np.cumsum(law))
    assert np.all(below[1:] <= math.exp(1 / 3) * below[:-1] + chart.budget.delta_bar)


def test_the_program_finds_the_spread_that_no_random_set_beats():
    least = programmed(TOPIC, "a-test-is-a-sort")
    assert accepts(TOPIC, "a-test-is-a-sort", least)
    rng = np.random.default_rng(1)
    sums = (np.arange(1000) - 485) ** 3 // 100_000
    assert [sums.min(), sums.max()] == [-1141, 1357]
    for ends in range(49):
        # some from the ends, the others anywhere
        size = int(rng.integers(49))
        away = np.r_[:size, 1000 - min(ends, 48 - size) : 1000]
        others = rng.permutation(np.setdiff1d(np.arange(1000), away))[: 48 - away.size]
        rest = np.sort(np.delete(sums, np.r_[away, others]))
        assert rest.size == 952
        assert rest[-144:].sum() - rest[:144].sum() >= least
