"""The answers to the exercises on perfect generalization, from binomial laws of SciPy's."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from tests.support.exercises import accepts, answer, exercise, programmed, takes

TOPIC = "perfect_generalization"


def _exceeded(samples: int, share: float, rate: float = 0.5) -> int:
    """The least d with Pr[|Bin − Bin'| > d] at most `share`."""
    law = binom.pmf(np.arange(samples + 1), samples, rate)
    difference = np.convolve(law, law[::-1])
    tail = [difference[: samples - d].sum() * 2 for d in range(samples)]
    return int(np.argmax(np.array(tail) <= share))


def test_two_samples_differ_in_half_of_the_places_and_hardly_in_their_sums():
    _, pairs = exercise(TOPIC, "places-and-sums")
    apart = [abs(drawn.pair.first - drawn.pair.second) for drawn in pairs.draws]
    assert np.mean(apart) == pytest.approx(2 * math.sqrt(500 / (2 * math.pi)), rel=0.3)


def test_a_hundred_times_the_samples_cost_ten_times():
    name = "as-the-samples-grow"
    _, growth = exercise(TOPIC, name)
    assert growth.needed == pytest.approx(0.22, rel=0.01)
    assert growth.needed == pytest.approx(0.005 * _exceeded(1000, 0.05), rel=1e-3)
    assert takes(TOPIC, name, lambda n: 0.22 * np.sqrt(n / 1000))
    assert not takes(TOPIC, name, lambda n: 0.22 * n / 1000)
    assert not takes(TOPIC, name, lambda n: 0.22 * (n / 1000) ** 0.6)
    assert not takes(TOPIC, name, lambda n: 0.22 + 0 * n)


def test_rare_ones_shrink_it_like_their_standard_deviation():
    _, pairs = exercise(TOPIC, "ones-become-rare")
    rare, fair = _exceeded(1000, 0.05, 0.1), _exceeded(1000, 0.05)
    assert pairs.needed == pytest.approx(0.005 * rare, rel=1e-3)
    assert rare / fair == pytest.approx(0.6, abs=0.02)


def test_the_normal_law_finds_the_samples():
    assert accepts(TOPIC, "samples-for-a-loss-of-one", 2 * (1 / 0.0196) ** 2)
    assert not accepts(TOPIC, "samples-for-a-loss-of-one", 100)
    samples = round(answer(TOPIC, "samples-for-a-loss-of-one"))
    assert binom.ppf(0.975, 2 * samples, 0.5) - samples == pytest.approx(100, abs=2)


def test_what_is_to_be_proved_lies_above_the_truth():
    _, growth = exercise(TOPIC, "the-root-of-n-proved-for-sums")
    exact = growth.curve("exact")
    proved = 0.005 * np.sqrt(2 * exact.x * math.log(2 / 0.05))
    assert np.all(exact.y <= proved)


def test_the_program_finds_what_the_figure_has():
    assert accepts(TOPIC, "gaussian-noise-exactly", programmed(TOPIC, "gaussian-noise-exactly"))
