"""The converse: each step of its proof by brute force, and as an inequality against every noise."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import linprog

from dpviz.maths import noise_converse
from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.accounting.tuning import tuned_noise
from dpviz.maths.bounded_noise import IteratedExponentialNoise, PowerNoise
from dpviz.maths.gaussian import minimal_sigma
from dpviz.maths.joint_program import program_delta
from dpviz.maths.laplace_rivals import truncated_laplace_noise
from dpviz.maths.noise_converse import (
    chain_radius,
    least_radius,
    log_coefficient,
    people_needed,
)
from dpviz.results.parameters import ParameterError
from tests.support.examples import examples
from tests.support.strategies import inside, outside


def power_after(steps, epsilon, delta, level):
    """h∘…∘h(level), from the definition of (ε, δ)-DP."""
    for _ in range(steps):
        fast, slow = delta + math.exp(epsilon) * level, math.exp(-epsilon) * (1 - delta - level)
        level = np.minimum(np.minimum(fast, 1 - slow), 1.0)
    return level


@pytest.mark.parametrize(
    ("steps", "epsilon", "delta"),
    [(1, 0.5, 0.1), (2, 0.3, 0.02), (5, 0.4, 0.01), (6, 1.0, 1e-3), (40, 0.1, 1e-3)],
)
def test_the_coefficient_is_that_of_the_composed_trade_off(steps, epsilon, delta):
    # ∫ √H′ by differences: H is piecewise linear, and few of the cells hold a kink
    levels = np.linspace(0, 1, 40_001)
    powers = power_after(steps, epsilon, delta, levels)
    expected = float(np.sqrt(np.diff(powers) * np.diff(levels)).sum())
    found = math.exp(log_coefficient(steps, epsilon=epsilon, delta=delta))
    assert found == pytest.approx(expected, abs=2e-3 * steps**0.5)


def test_one_step_and_pure_privacy_in_closed_form():
    for epsilon, delta in ((0.1, 0.01), (2.0, 0.3)):
        found = log_coefficient(1, epsilon=epsilon, delta=delta)
        assert found == pytest.approx(math.log((1 - delta) / math.cosh(epsilon / 2)))
    # many small steps without δ: two Laplace laws at that distance
    distance = 3.0
    found = math.exp(log_coefficient(3000, epsilon=distance / 3000, delta=1e-300))
    overlap = quad(
        lambda x: 0.5 * math.exp(-(abs(x) + abs(x - distance)) / 2), -60, 60, points=[0, 3]
    )
    assert found == pytest.approx(overlap[0], rel=1e-3)


@given(st.integers(2, 12), st.integers(0, 10**6))
def test_a_chain_of_n_points_has_coefficient_at_most_the_cosine(points, seed):
    largest = math.cos(math.pi / (points + 1))
    masses = np.random.default_rng(seed).dirichlet(np.full(points, 0.5))
    assert np.sqrt(masses[1:] * masses[:-1]).sum() <= largest + 1e-12
    best = np.sin(np.pi * np.arange(1, points + 1) / (points + 1)) ** 2
    best /= best.sum()
    assert np.sqrt(best[1:] * best[:-1]).sum() == pytest.approx(largest)


def mean_coefficient(masses, steps):
    """The mean over all signs s of the coefficient of a law on a grid and the same moved by g·s."""
    root, total = np.sqrt(masses), 0.0
    for signs in itertools.product((1, -1), repeat=masses.ndim):
        away = [slice(steps, None) if s > 0 else slice(None, -steps) for s in signs]
        back = [slice(None, -steps) if s > 0 else slice(steps, None) for s in signs]
        total += (root[tuple(away)] * root[tuple(back)]).sum()
    return total / 2**masses.ndim


@given(st.integers(1, 3), st.integers(3, 7), st.integers(1, 2), st.integers(0, 10**6))
def test_any_law_on_a_cube_is_easy_to_tell_from_itself_moved_in_some_direction(k, side, g, seed):
    """Laws that depend as they like: spread, or on few points, near the diagonal or not."""
    rng = np.random.default_rng(seed)
    points = (side - 1) // g + 1
    most = math.cos(math.pi / (points + 1)) ** k
    masses = rng.dirichlet(np.full(side**k, rng.choice([0.05, 0.5, 5.0]))).reshape((side,) * k)
    assert mean_coefficient(masses, g) <= most + 1e-12
    # the best law is a product, on the points that are g apart
    best = np.zeros(side)
    best[::g] = np.sin(np.pi * np.arange(1, points + 1) / (points + 1)) ** 2
    together = math.prod(np.meshgrid(*[best / best.sum()] * k, indexing="ij"))
    assert mean_coefficient(np.asarray(together), g) == pytest.approx(most)


@pytest.mark.parametrize(
    ("queries", "side", "ratio"),
    [(2, 4, 1.1), (2, 7, 1.6), (2, 10, 2.5), (3, 5, 1.6), (3, 6, 3.0)],
)
def test_it_holds_against_linear_programs_over_all_joint_laws(queries, side, ratio):
    """The best law on a grid of points Δ apart, by a program for all shifts, which averages it."""
    delta = float(program_delta(cells=side, queries=queries, ratio=Fraction(ratio)))
    privacy = {"epsilon": math.log(ratio), "delta": delta * (1 + 1e-5), "queries": queries}
    assert 0 < chain_radius(**privacy) <= (side - 1) / 2


def is_possible(points, epsilon, delta):
    """Whether some law on so many neighbouring points is (ε, δ)-close to its shift by one.

    A linear program: masses p and excesses s, t ≥ 0 with s ≥ p − e^ε·p(shifted), and reversed.
    """
    size = points + 1
    stay = np.eye(size, points)
    moved = np.vstack([np.zeros(points), np.eye(points)])
    rows, bounds = [], []
    for one, other, place in ((stay, moved, 0), (moved, stay, 1)):
        excess = np.zeros((size, 2 * size))
        excess[:, place * size : (place + 1) * size] = -np.eye(size)
        rows.append(np.hstack([one - math.exp(epsilon) * other, excess]))
        bounds.append(np.zeros(size))
        total = np.zeros(points + 2 * size)
        total[points + place * size : points + (place + 1) * size] = 1
        rows.append(total[None])
        bounds.append([delta])
    mass = np.append(np.ones(points), np.zeros(2 * size))[None]
    found = linprog(
        np.zeros(points + 2 * size), np.vstack(rows), np.concatenate(bounds), mass, [1.0]
    )
    return found.status == 0


def test_the_floor_is_reached():
    """Three masses of which each outweighs twice its neighbour by a quarter in all, not more."""
    masses, moved = (np.array(law) / 4 for law in ([1, 2, 1, 0], [0, 1, 2, 1]))
    assert (
        np.maximum(masses - 2 * moved, 0).sum() == np.maximum(moved - 2 * masses, 0).sum() == 0.25
    )
    floor = chain_radius(epsilon=math.log(2), delta=0.25, queries=1)
    assert 1 - 1e-6 < floor <= 1


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0.5, 0.01), (1.0, 1e-3), (0.2, 0.05), (2.0, 1e-4), (0.05, 0.2)]
)
def test_against_linear_programs_over_all_laws_on_a_lattice(epsilon, delta):
    fewest = next(n for n in itertools.count(1) if is_possible(n, epsilon, delta))
    radius = (fewest - 1) / 2
    bound = least_radius(epsilon=epsilon, delta=delta, queries=1)
    assert bound <= radius
    assert bound >= radius - 0.51  # and hardly anything is lost


@pytest.mark.parametrize("queries", [2, 3])
def test_against_products_of_discrete_noise_enumerated(queries):
    epsilon, delta, scale = 1.0, 0.02, 1.0
    bound = least_radius(epsilon=epsilon, delta=delta, queries=queries)
    for half in range(1, 12):
        p = np.exp(-np.abs(np.arange(-half, half + 1)) / (scale * queries))
        one = np.append(p / p.sum(), 0.0)
        other = np.roll(one, 1)
        joint, shifted = one, other
        for _ in range(queries - 1):
            joint, shifted = np.outer(joint, one).ravel(), np.outer(shifted, other).ravel()
        excess = np.maximum(joint - math.exp(epsilon) * shifted, 0).sum()
        if excess <= delta:
            assert half >= bound
            assert half < 6 * bound
            return
    raise AssertionError("none of them is private")


@examples(16)
@given(inside("epsilon", 1e-3, 5.0), inside("delta", 1e-40, 1e-2), inside("queries", 1, 10**9))
def test_no_noise_of_the_app_is_below(epsilon, delta, queries):
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    bound = least_radius(**privacy)
    for noise in (PowerNoise(0.5), PowerNoise(1.0), PowerNoise(4.0), IteratedExponentialNoise()):
        assert bound <= minimal_radius(noise, **privacy).upper


@pytest.mark.parametrize(
    ("epsilon", "delta", "queries", "factor"),
    [(0.1, 1e-10, 10**6, 1.8), (3.0, 1e-3, 10**6, 1.65), (1e-3, 1e-60, 10**8, 2.0)],
)
def test_tuned_noise_lies_within_a_factor_of_two(epsilon, delta, queries, factor):
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    tuned, bound = tuned_noise(**privacy).best.radius, least_radius(**privacy)
    assert bound < tuned.lower < factor * bound


def test_it_keeps_the_factor_that_one_step_alone_loses():
    privacy = {"epsilon": 0.1, "delta": 1e-10, "queries": 10**6}
    sigma = float(minimal_sigma(**privacy))
    one_step = math.pi / (2 * math.acos(math.cosh(0.05) ** -1e-6))
    assert one_step / sigma == pytest.approx(0.58, abs=0.01)
    assert chain_radius(**privacy) / sigma == pytest.approx(1.79, abs=0.01)


@examples(40)
@given(inside("epsilon"), inside("delta"), inside("queries"))
def test_it_is_finite_everywhere_and_has_the_unit_of_the_sensitivity(epsilon, delta, queries):
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    bound = least_radius(**privacy)
    assert 0 <= bound < math.inf
    assert least_radius(**privacy, sensitivity=3.0) == pytest.approx(3 * bound)


@pytest.mark.parametrize("name", ["epsilon", "delta", "queries", "sensitivity"])
@examples(32)
@given(data=st.data())
def test_least_radius_refuses(name, data):
    arguments = {"epsilon": 0.1, "delta": 1e-6, "queries": 10, "sensitivity": 1.0}
    arguments[name] = data.draw(outside(name))
    with pytest.raises(ParameterError, match=name):
        least_radius(**arguments)


@pytest.mark.parametrize("queries", [1, 10, 1e3, 1e6])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-10), (1.0, 1e-6), (3.0, 1e-3)])
def test_the_chain_has_as_many_people_as_it_is_said_to_need(epsilon, delta, queries):
    """With a chain of so many steps, from the formula alone, the bound follows."""
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    people = people_needed(**privacy)
    log_b = log_coefficient(people, epsilon=epsilon, delta=delta)
    angle = math.acos(math.exp(log_b / queries))
    points = max(math.ceil(math.pi / angle * (1 - 1e-7) - 1), 2)
    assert (points - 1) * people / 2 == pytest.approx(chain_radius(**privacy), rel=1e-6)
    assert (people > 100) == (epsilon == 0.1)  # "hundreds at ε = 0.1"


def test_truncated_laplace_noise_may_lie_more_than_half_a_step_above_one_answer():
    """The best noise on steps of Δ does not: at ε = 5, δ = 0.01 it is that on three points."""
    privacy = {"epsilon": 5.0, "delta": 0.01, "queries": 1}
    least, truncated = least_radius(**privacy), truncated_laplace_noise(**privacy).radius
    assert least == pytest.approx(1.0)
    assert truncated - least == pytest.approx(0.78, abs=5e-3)
    said = " ".join(noise_converse.__doc__.split())
    assert "truncated Laplace noise attains" not in said
    assert "at ε = 5, δ = 0.01 by 0.78Δ" in said
