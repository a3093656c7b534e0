"""The answers to the exercises on bounded noise, by other ways to the same numbers."""

import pytest
from scipy.special import ndtri

from dpviz.maths import gaussian
from tests.support.exercises import accepts, answer, exercise

TOPIC = "bounded_noise"


def test_certainty_wins_where_the_figure_says():
    _, chart = exercise(TOPIC, "where-certainty-costs-nothing")
    [mark] = [mark for mark in chart.landmarks if "certainty" in mark.text]
    assert answer(TOPIC, "where-certainty-costs-nothing") == pytest.approx(mark.x, rel=0.02)


def test_a_rare_gaussian_error_is_a_quantile():
    sigma = gaussian.minimal_sigma(epsilon=0.1, delta=1e-10, queries=100)
    quantile = ndtri((1 + 0.999 ** (1 / 100)) / 2)
    expected = float(sigma * quantile)
    assert answer(TOPIC, "one-time-in-a-thousand") == pytest.approx(expected, rel=1e-6)


def test_ten_times_the_error_is_a_hundred_times_the_queries():
    assert accepts(TOPIC, "ten-times-the-error", 100 * 225_087)
