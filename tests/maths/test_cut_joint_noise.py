"""Joint noise with its edges cut off: δ by enumeration, and beside what is proven for every law."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from dpviz.maths.cut_joint_noise import MOST_ANSWERS, MOST_STEPS, CutJointNoise, cut_joint_noise
from dpviz.maths.joint_noise import JointNoise, joint_radius
from dpviz.maths.joint_optimality import excluded_radius
from dpviz.maths.joint_program import program_delta
from dpviz.results.parameters import ParameterError


def levels(x, epsilon, radius, cut):
    depth = np.sort(np.floor(radius - np.abs(x)), axis=-1)
    inside = (depth[:, 0] >= 0) & (depth[:, 0] + depth[:, 1] >= cut)
    return np.where(inside, np.exp(epsilon * depth[:, 0]), 0)


@pytest.mark.parametrize(
    ("queries", "radius", "cut", "epsilon"),
    [
        *((2, 8, c, 0.1) for c in (0, 1, 2, 4, 5)),
        (2, 8.5, 5, 0.3),
        *((3, 6, c, 0.3) for c in (1, 2, 3)),
        (3, 6.5, 2, 0.2),
        (3, 7, 4, 0.2),
        (4, 6, 3, 0.2),
        (4, 5, 2, 1.0),
    ],
)
def test_its_delta_is_that_of_all_cells_and_no_shift_is_worse(queries, radius, cut, epsilon):
    parts = 1 if radius == int(radius) else 2
    centres = (np.arange(int(2 * radius * parts)) + 0.5) / parts - radius
    x = np.array(list(itertools.product(centres, repeat=queries)))
    p = levels(x, epsilon, radius, cut)
    exact = math.exp(CutJointNoise(epsilon, queries, radius, cut).log_delta)
    for shift in itertools.product((1, 0, -1), repeat=queries):
        after = levels(x + np.array(shift), epsilon, radius, cut)
        delta = np.maximum(p - math.exp(epsilon) * after, 0).sum() / p.sum()
        assert delta <= exact
        if 0 not in shift:
            assert delta == pytest.approx(exact, rel=1e-8)


@pytest.mark.parametrize(
    ("cells", "ratio"), [(10, 2.7), (18, 2.7), (14, 1.65), (30, 1.35), (40, 1.105), (36, 2.2)]
)
def test_for_two_answers_it_is_as_good_as_the_best_law_of_all(cells, ratio):
    """Its δ is the bound that the program proves in whole numbers, for every law of this radius."""
    proven = float(program_delta(cells=cells, queries=2, ratio=Fraction(ratio)))
    radius, epsilon = cells / 2, math.log(ratio)
    found = [math.exp(CutJointNoise(epsilon, 2, radius, c).log_delta) for c in range(cells // 3)]
    assert proven <= min(found) <= proven * (1 + 1e-6)
    assert min(found) < 0.997 * found[0]  # joint noise


@pytest.mark.parametrize(("cells", "ratio"), [(8, 2.7), (10, 1.65), (12, 1.22), (14, 1.105)])
def test_for_three_answers_it_is_near_the_best_law_of_all(cells, ratio):
    proven = float(program_delta(cells=cells, queries=3, ratio=Fraction(ratio)))
    radius, epsilon = cells / 2, math.log(ratio)
    cuts = range(int(radius) - 2)
    found = min(math.exp(CutJointNoise(epsilon, 3, radius, c).log_delta) for c in cuts)
    assert proven < found < 1.04 * proven
    assert JointNoise(epsilon, 3, radius).delta.lower > 1.06 * proven


@pytest.mark.parametrize(
    ("epsilon", "delta", "queries", "radius"),
    [
        (0.1, 1e-10, 2, 232.1),
        (0.1, 0.01, 2, 28.48),
        (0.1, 0.01, 3, 37.59),
        (0.1, 0.01, 10, 94.5),
        (0.1, 1e-10, 50, 1019),
        (0.01, 1e-6, 5, 1645),
    ],
)
def test_it_is_narrower_than_joint_noise_below_the_threshold(epsilon, delta, queries, radius):
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    noise = cut_joint_noise(**privacy)
    assert noise.log_delta <= math.log(delta)
    assert noise.radius <= radius  # as docs/notes/bounded-noise.md
    assert noise.radius < joint_radius(**privacy).lower
    assert noise.radius > excluded_radius(**privacy)


def test_above_the_threshold_nothing_is_cut():
    privacy = {"epsilon": 2.0, "delta": 1e-6, "queries": 2}
    noise = cut_joint_noise(**privacy)
    assert noise.cut == 0
    assert noise.radius == pytest.approx(joint_radius(**privacy).upper, rel=2e-9)


@pytest.mark.parametrize(("queries", "ratio"), [(2, 3.0), (3, 3.07), (10, 3.43), (100, 5.72)])
def test_to_cut_pays_up_to_a_loss_below_the_threshold(queries, ratio):
    """As the docstring: beside the condition of the theorem, 2^k − 1 or so."""
    for factor in (0.98, 1.02):
        epsilon = math.log(factor * ratio)
        radius = joint_radius(epsilon=epsilon, delta=1e-10, queries=queries).upper
        whole, cut = (CutJointNoise(epsilon, queries, radius, c).log_delta for c in (0, 1))
        assert (cut < whole) == (factor < 1)


def test_what_is_drawn_has_its_density():
    noise = CutJointNoise(0.3, 2, 7.0, 2)
    drawn = noise.sample(np.random.default_rng(0), 20_000)
    assert drawn.shape == (20_000, 2)
    centres = np.arange(14) + 0.5 - 7
    cells = np.array(list(itertools.product(centres, repeat=2)))
    p = np.exp(noise.log_density(cells))
    assert p.sum() == pytest.approx(1)
    counts = np.histogram2d(*drawn.T, bins=[np.arange(15) - 7] * 2)[0].ravel()
    assert not counts[p == 0].any()
    # chi-square of 194 cells or so
    expected = 20_000 * p[p > 0]
    assert ((counts[p > 0] - expected) ** 2 / expected).sum() < 300


def test_bad_parameters_are_named():
    good = {"epsilon": 0.1, "queries": 2, "radius": 20.0, "cut": 3}
    for name, value in (
        ("epsilon", 0.0),
        ("queries", 1),
        ("queries", MOST_ANSWERS + 1),
        ("radius", 0.0),
        ("radius", 2.0 * MOST_STEPS),
        ("cut", 18),
        ("cut", -1),
        ("cut", 2.5),
        ("queries", 2.5),
    ):
        with pytest.raises(ParameterError, match=name):
            CutJointNoise(**{**good, name: value})
    with pytest.raises(ParameterError, match="queries"):
        cut_joint_noise(epsilon=1.0, delta=0.01, queries=1)
    with pytest.raises(ParameterError, match="delta"):
        cut_joint_noise(epsilon=1.0, delta=0.0, queries=2)
