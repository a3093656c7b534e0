"""Noise for two or three answers: bounds for every shift, beside what is tried by hand."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from benchmarks.few_answers import best_law, certified, excess, least_excess, rounded
from dpviz.maths.optimal_noise import end_staircase

FINE = 20  # parts of a cell


@pytest.mark.parametrize(("cells", "epsilon", "answers"), [(3, 2.0, 2), (4, 1.0, 2), (3, 1.0, 3)])
def test_no_shift_by_a_part_of_a_cell_says_more_than_what_is_certified(cells, epsilon, answers):
    law = rounded(best_law(cells, epsilon, answers))
    assert sum(law) == 1
    assert law == law[::-1]
    sure = float(certified(law, epsilon, answers))
    density = np.repeat([float(p) / FINE for p in law], FINE)

    def moved(step):
        before = np.zeros_like(density)
        kept = density[max(-step, 0) : density.size - max(step, 0)]
        before[max(step, 0) : density.size + min(step, 0)] = kept
        return before

    def joint(rows):
        product = np.ones(())
        for row in rows:
            product = np.multiply.outer(product, row)
        return product

    steps = (-FINE, -13, 0, 7, FINE)
    for shifts in itertools.product(steps, repeat=answers):
        shifted = joint([moved(step) for step in shifts])
        found = np.maximum(joint([density] * answers) - math.exp(epsilon) * shifted, 0).sum()
        assert found <= sure * (1 + 1e-9)


def test_the_fractions_are_the_sum_that_floats_have():
    law = np.array([0.1, 0.4, 0.4, 0.1])
    for answers in (1, 2, 3):
        exact = certified(rounded(law), 1.5, answers)
        assert isinstance(exact, Fraction)
        assert float(exact) == pytest.approx(excess(law, 1.5, answers), rel=1e-9)


@pytest.mark.parametrize("epsilon", [1.0, 2.0])
def test_between_the_bounds_lies_the_best_of_a_fine_grid(epsilon):
    grid = [np.array([p, 1 - 2 * p, p]) for p in np.linspace(0.01, 0.49, 4801)]
    best = min(excess(law, epsilon, 2) for law in grid)
    above = excess(best_law(3, epsilon, 2), epsilon, 2)
    assert above == pytest.approx(best, rel=1e-3)
    low = least_excess(3, epsilon, above)
    assert low <= best * (1 + 1e-6)
    assert low >= 0.98 * best


def test_one_answer_is_as_good_as_the_noise_known_to_be():
    noise = end_staircase(epsilon=1.0, delta=0.05)
    cells = math.ceil(2 * noise.radius)
    assert excess(best_law(cells, 1.0, 1), 1.0, 1) <= 0.05 * (1 + 1e-6)


def test_it_beats_truncated_laplace_noise():
    """Whose radius is 1.62 Δ at this δ, by `benchmarks.few_answers`."""
    law = rounded(best_law(3, 2.0, 2))
    assert certified(law, 2.0, 2) < Fraction(379, 1000)
