"""The answers to the exercises on public data, by other means than the core's."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

from tests.support.exercises import accepts, answer, exercise, programmed

TOPIC = "public_data"


def test_sigma_allows_an_error_of_one_half_where_it_is_asked():
    _, chart = exercise(TOPIC, "what-sigma-allows")
    pair = chart.shifts[list(chart.curve("rrspm").x).index(chart.here)]
    worst = np.argmax(pair.private / pair.public)
    share = answer(TOPIC, "what-sigma-allows") / pair.public[worst]
    assert share <= np.diff(pair.edges)[worst]  # all errors there
    assert share * pair.private[worst] == pytest.approx(0.5)


def test_points_in_the_wrong_place_cost_accuracy_and_no_privacy():
    _, chart = exercise(TOPIC, "public-points-in-the-wrong-place")
    place = list(chart.curve("rrspm").x).index(chart.here)
    pair, points = chart.shifts[place], chart.public[place]
    private = pair.draw(pair.private, 1000, np.random.default_rng(0))
    low, high = private.min(), private.max()
    assert high - low < 0.02
    assert np.count_nonzero((low <= points) & (points <= high)) <= 1
    assert chart.value("rrspm") > 10 * chart.curve("rrspm").y[-1]


def test_laplace_noise_for_more_points_is_what_the_sum_of_moves_asks_for():
    assert accepts(TOPIC, "noise-for-more-points", 80 / math.sqrt(0.1 * 8000))
    assert not accepts(TOPIC, "noise-for-more-points", math.sqrt(80) / math.sqrt(0.1 * 8000))


def test_the_weights_stray_as_much_as_drawn_ones():
    drawn = np.random.default_rng(1).laplace(scale=40, size=(100_000, 20)).sum(axis=1)
    assert answer(TOPIC, "weights-beside-the-data") == pytest.approx(drawn.std(), rel=0.01)


def test_one_example_moves_no_penalised_minimiser_by_more_than_is_to_be_proved():
    rng, n, eta = np.random.default_rng(1), 12, 0.05
    features, public = rng.normal(size=(n + 1, 2)), rng.normal(size=(5, 2))
    features /= np.linalg.norm(features, axis=1)[:, None]
    public /= np.linalg.norm(public, axis=1)[:, None]
    labels = rng.choice([-1.0, 1.0], size=n + 1)

    def learned(held: list[int]) -> np.ndarray:
        def objective(w: np.ndarray) -> float:
            losses = (features[held] @ w - labels[held]) ** 2 / 4
            return float(losses.mean() + eta * np.mean((public @ w) ** 2))

        ball = {"type": "ineq", "fun": lambda w: 1 - w @ w}
        return public @ minimize(objective, [0.1, 0.1], constraints=ball, tol=1e-12).x

    before = learned(list(range(n)))
    for gone in range(n):
        after = learned([i for i in range(n) if i != gone] + [n])
        assert np.sqrt(np.mean((before - after) ** 2)) <= 1 / math.sqrt(eta * n)


def test_the_program_finds_where_the_guesses_become_too_good():
    name = "how-rich-a-class-breaks-it"
    found = programmed(TOPIC, name)
    assert accepts(TOPIC, name, found)

    def guess(d: float, epsilon: float) -> float:
        copies = round((1 + math.log(20) / d) / 0.01)
        deviation = math.sqrt(copies) * math.sqrt(copies * d * math.log(1e6)) / epsilon
        return 1 - _stay(d, deviation) / 2

    allowed = math.exp(0.5) / (1 + math.exp(0.5))
    assert guess(found + 5, 0.5) > allowed > guess(found - 5, 0.5)
    _, chart = exercise(TOPIC, name)
    assert guess(1e6, 1.0) == pytest.approx(chart.value("gaussian"), rel=1e-6)


def _stay(places: float, deviation: float) -> float:
    """The chance that none of so many normal variables lies in [−1, 1]."""
    return float(2 * norm.cdf(-1 / deviation)) ** places
