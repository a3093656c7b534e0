"""The tasks and the shifts of their private data."""

import math

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import kstest

from dpviz.topics.public_data.algorithms import (
    Labelled,
)
from dpviz.topics.public_data.shift import FAMILIES, shifted
from dpviz.topics.public_data.tasks import TASKS, Task
from tests.support.examples import examples
from tests.support.strategies import inside


@pytest.mark.parametrize("family", FAMILIES)
@given(sigma=inside("smoothness"))
@examples(20)
def test_the_smoothness_of_a_family_is_exact(family, sigma):
    shift = shifted(family, sigma)
    widths = np.diff(shift.edges)
    assert shift.public @ widths == pytest.approx(1)
    assert shift.private @ widths == pytest.approx(1)
    assert np.all(shift.private * sigma <= shift.public * (1 + 1e-9))
    assert shift.smoothness == pytest.approx(sigma)


@pytest.mark.parametrize("family", FAMILIES)
def test_draws_follow_the_densities(family):
    shift = shifted(family, 0.2)
    x = shift.draw(shift.private, 4000, np.random.default_rng(5))
    assert kstest(x, shift.mass).pvalue > 1e-4
    levels_ = np.linspace(0.01, 0.99, 30)
    assert shift.mass(shift.quantiles(levels_)) == pytest.approx(levels_)


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("family", FAMILIES)
def test_excess_errors_against_fresh_data(name, family):
    task = Task(name, shifted(family, 0.3), 0.2)
    rng = np.random.default_rng(11)
    small = task.private_data(12, rng)
    oracle = task.oracle()
    functions = np.stack(
        [task.target, *(oracle.minimize(Labelled(small.x, y * small.y).loss(1.0)) for y in (1, -1))]
    )
    fresh = task.private_data(200_000, rng)
    losses = (oracle.predict(functions, fresh.x) - fresh.y) ** 2 / 4
    apart = losses - losses[0]
    error = 5 * apart.std(axis=1) / math.sqrt(losses.shape[1]) + 1e-12
    assert np.all(np.abs(apart.mean(axis=1) - task.excess(functions)) <= error)
    assert task.excess(task.target[None])[0] == pytest.approx(0, abs=1e-12)


def test_half_planes_of_any_direction_have_exact_excess():
    task = Task("halfplanes", shifted("window", 1.0), 0.0)
    lines = np.array([[1.0, 0.0, 0.5], [-1.0, 0.0, -0.5], [0.0, -1.0, 2.0], [0.0, 1.0, 2.0]])
    # the target is 0.8·x₁ + 0.6·x₂ ≥ 0.62: its area below is a triangle cut by the square
    below = 0.62**2 / (2 * 0.8 * 0.6) - (0.62 / 0.6 - 1) ** 2 * 0.6 / (2 * 0.8)
    found = task.excess(lines)
    assert found[2:] == pytest.approx([below if lines[2, 2] < 0 else 1 - below] * 2, abs=1e-4)
    assert found[0] + found[1] == pytest.approx(1, abs=1e-9)
