"""Nested noise: its bound on δ by enumeration, the worst shift, both ends, and what is refused."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.maths.intervals import clopper_pearson
from dpviz.maths.joint_noise import JointNoise, joint_radius
from dpviz.maths.least_noise import least_noise
from dpviz.maths.nested_noise import MOST_ANSWERS, NestedNoise, _Family, _least, nested_noise
from dpviz.results.parameters import ParameterError

SURE = 1 - 1e-6


def random_noise(queries, cells, seed):
    rng = np.random.default_rng(seed)
    depths = (cells + 1) // 2
    shape = np.cumsum(rng.exponential(rng.uniform(0.02, 0.5), depths))
    rates = np.append(0.0, rng.uniform(0, 1, depths - 1))
    return NestedNoise(queries, cells, shape, rates)


def law(noise):
    """The probability of each cell of the cube, by the definition of the density."""
    depth = np.minimum(np.arange(noise.cells), np.arange(noise.cells)[::-1])
    levels = np.cumsum(noise.rates)
    cells = np.array(list(itertools.product(range(noise.cells), repeat=noise.queries)))
    logs = levels[depth[cells].min(axis=1)] + noise.log_shape[depth[cells]].sum(axis=1)
    p = np.exp(logs - logs.max()).reshape((noise.cells,) * noise.queries)
    return p / p.sum()


def moved(p, shift):
    """p(c + shift), 0 outside."""
    padded = np.pad(p, [(0, v) if v >= 0 else (-v, 0) for v in shift])
    return padded[tuple(slice(v, None) if v >= 0 else slice(None, v) for v in shift)]


def exact_delta(p, epsilon, shift):
    return float(np.maximum(p - math.exp(epsilon) * moved(p, shift), 0).sum())


@pytest.mark.parametrize(
    ("queries", "cells"), [(1, 9), (2, 2), (2, 7), (2, 12), (3, 8), (4, 7), (5, 8)]
)
def test_its_delta_is_bounded_and_not_far_below_the_bound(queries, cells):
    for seed in range(8):
        noise = random_noise(queries, cells, seed)
        p = law(noise)
        for epsilon in (0.3, 1.0, 1.7):
            exact = exact_delta(p, epsilon, (1,) * queries)
            bound = math.exp(noise.log_delta(epsilon))
            assert exact <= bound * (1 + 1e-12)
            assert bound <= 2 * exact + 1e-12


def boxes(queries, side, rng):
    """A random density that is symmetric in each coordinate and falls with its size."""
    p = np.zeros((side,) * queries)
    for weight in rng.dirichlet(np.full(6, 0.5)):
        box = tuple(slice(a, side - a) for a in rng.integers(0, side // 2, queries))
        p[box] += weight / p[box].size
    return p


@given(st.integers(0, 10**6), st.floats(0.01, 2.0))
def test_no_shift_is_worse_than_all_answers_up_by_one(seed, epsilon):
    """On cells of half a step, so that smaller shifts are among them."""
    rng = np.random.default_rng(seed)
    p = boxes(3, 10, rng)
    worst = exact_delta(p, epsilon, (2, 2, 2))
    for shift in itertools.product(range(-2, 3), repeat=3):
        assert exact_delta(p, epsilon, shift) <= worst + 1e-12


@given(st.integers(0, 10**6), st.floats(0.01, 2.0))
def test_no_rule_that_reads_earlier_answers_is_worse(seed, epsilon):
    rng = np.random.default_rng(seed)
    p = boxes(2, 12, rng)
    worst = exact_delta(p, epsilon, (2, 2))
    first = moved(p, (int(rng.choice([-2, 2])), 0))
    rule = rng.choice([-2, -1, 1, 2], p.shape[0])
    after = np.stack([moved(row, (v,)) for row, v in zip(first, rule, strict=True)])
    assert np.maximum(p - math.exp(epsilon) * after, 0).sum() <= worst + 1e-12


@pytest.mark.parametrize(
    ("epsilon", "queries", "cells"), [(1.0, 2, 6), (1.0, 50, 166), (0.1, 100, 3370), (3.0, 7, 11)]
)
def test_a_constant_shape_is_joint_noise(epsilon, queries, cells):
    depths = (cells + 1) // 2
    rates = np.append(0.0, np.full(depths - 1, epsilon))
    found = NestedNoise(queries, cells, np.zeros(depths), rates).log_delta(epsilon)
    known = JointNoise(epsilon, queries, cells / 2).log_delta
    assert known.lower <= found <= known.upper + 2e-9


@pytest.mark.parametrize("seed", range(3))
def test_without_levels_it_is_independent_noise(seed):
    """The losses of 30 answers, composed on a fine lattice of their own, without a tilt."""
    cells, k, epsilon, step = 41, 30, 1.0, 1e-4
    shape = 6 * (1 - ((np.arange(21) - 20) / 20.5) ** 2)
    shape[:3] -= seed
    noise = NestedNoise(k, cells, shape, np.zeros(21))
    whole = np.concatenate([shape, shape[-2::-1]])
    p = np.exp(whole) / np.exp(whole).sum()
    losses = np.rint((whole[:-1] - whole[1:]) / step).astype(int)
    size = 2**19
    masses = np.bincount(losses % size, p[:-1], size)
    total = np.fft.irfft(np.fft.rfft(masses) ** k, size)
    values = np.where(np.arange(size) < size // 2, np.arange(size), np.arange(size) - size) * step
    inside = (total * np.maximum(-np.expm1(epsilon - values), 0)).sum()
    expected = inside + 1 - (1 - p[-1]) ** k
    found = math.exp(noise.log_delta(epsilon))
    assert expected * 0.999 <= found
    # one error of each k is counted as the one at the least depth
    assert found <= 3 * expected


def test_the_law_that_is_drawn_is_its_own():
    noise = random_noise(3, 9, 4)
    drawn = noise.sample(np.random.default_rng(1), 40_000)
    assert np.abs(drawn).max() <= noise.radius
    cells = np.floor(drawn + noise.radius).astype(int)
    p = law(noise)
    depth = np.minimum(cells, 8 - cells).min(axis=1)
    for m in range(5):
        chance = sum(x for c, x in np.ndenumerate(p) if min(min(i, 8 - i) for i in c) == m)
        low, high = clopper_pearson(int((depth == m).sum()), len(drawn), level=SURE)
        assert low <= chance <= high
    for i in range(3):
        chance = p.sum(axis=tuple(j for j in range(3) if j != i))[6]
        low, high = clopper_pearson(int((cells[:, i] == 6).sum()), len(drawn), level=SURE)
        assert low <= chance <= high


@pytest.mark.parametrize(
    ("epsilon", "delta", "queries", "point", "radius"),
    [
        (1.0, 1e-5, 50, (-0.23, 6.5, -9.0, -0.33, 1.93), 81.5),
        (1.0, 1e-5, 100, (0.31, 4.6, -5.4, -3.5, 2.46), 124.0),
    ],
)
def test_it_keeps_within_less_than_either_end_where_they_cross(
    epsilon, delta, queries, point, radius
):
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    family = _Family(epsilon, queries)

    found = _least(
        lambda cells: family.noise(np.array(point), cells)[0],
        epsilon,
        math.log(delta),
        int(2 * radius),
    ).radius
    assert found <= radius
    assert found < 0.98 * min(joint_radius(**privacy).upper, least_noise(**privacy).radius)


def test_the_search_returns_what_is_certified():
    noise = nested_noise(epsilon=2.0, delta=0.01, queries=25)
    assert noise.log_delta(2.0) <= math.log(0.01)
    assert noise.radius < joint_radius(epsilon=2.0, delta=0.01, queries=25).upper


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("epsilon", "delta"), [(10.0, 0.5), (1e-3, 0.5), (3.0, 0.01)])
def test_the_search_goes_down_to_two_cells_and_one_answer(epsilon, delta):
    noise = nested_noise(epsilon=epsilon, delta=delta, queries=1)
    assert noise.log_delta(epsilon) <= math.log(delta)
    assert noise.cells <= math.ceil(2 * joint_radius(epsilon=epsilon, delta=delta, queries=1).upper)


def test_bad_parameters_are_named():
    good = {"queries": 3, "cells": 4, "log_shape": np.zeros(2), "rates": np.zeros(2)}
    for name, value in (
        ("queries", 0),
        ("queries", MOST_ANSWERS + 1),
        ("cells", 1),
        ("queries", 2.5),
        ("log_shape", np.zeros(3)),
        ("log_shape", np.array([1.0, 0.0])),
        ("log_shape", np.array([0.0, math.inf])),
        ("rates", np.array([0.1, 0.1])),
        ("rates", np.array([0.0, -0.1])),
    ):
        with pytest.raises(ParameterError, match=name):
            NestedNoise(**{**good, name: value})
    with pytest.raises(ParameterError, match="epsilon"):
        NestedNoise(**good).log_delta(0.0)
    with pytest.raises(ParameterError, match="queries"):
        nested_noise(epsilon=1.0, delta=0.01, queries=MOST_ANSWERS + 1)
    with pytest.raises(ParameterError, match="delta"):
        nested_noise(epsilon=1.0, delta=0.0, queries=3)
