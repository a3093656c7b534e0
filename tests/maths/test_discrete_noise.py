"""Noise on whole numbers against brute force, linear programs, closed forms and dp-accounting."""

import itertools
import math

import numpy as np
import pytest
from dp_accounting.pld.privacy_loss_distribution import from_discrete_gaussian_mechanism
from scipy.optimize import linprog

from dpviz.maths.discrete_noise import (
    DiscreteGaussian,
    GeometricNoise,
    discrete_gaussian_noise,
    geometric_noise,
    truncated_geometric_noise,
)
from dpviz.maths.divergence import log_randomized_response
from dpviz.maths.laplace_rivals import MOST_QUERIES, truncated_laplace_noise
from dpviz.maths.noise_converse import least_radius
from dpviz.results.parameters import ParameterError


def law(noise, reach):
    """The masses of −reach to reach, from the definition."""
    x = np.arange(-reach, reach + 1.0)
    if isinstance(noise, DiscreteGaussian):
        mass = np.exp(-(x**2) / (2 * noise.sigma**2))
    else:
        mass = np.where(np.abs(x) <= noise.radius, np.exp(-noise.decay * np.abs(x)), 0.0)
    return x, mass / mass.sum()


def brute_force(noise, reach, queries, epsilon):
    """δ as the sum of (P − e^ε·Q)₊ over all outputs of k answers."""
    _, mass = law(noise, reach)
    first, second = np.append(mass, 0.0), np.insert(mass, 0, 0.0)
    total = 0.0
    for at in itertools.product(range(first.size), repeat=queries):
        p, q = math.prod(first[list(at)]), math.prod(second[list(at)])
        total += max(p - math.exp(epsilon) * q, 0.0)
    return total


@pytest.mark.parametrize(
    ("noise", "reach"),
    [
        (GeometricNoise(0.7, 4), 4),
        (GeometricNoise(0.4, 2), 2),
        (DiscreteGaussian(0.6), 7),
        (GeometricNoise(2.0, math.inf), 9),
    ],
)
@pytest.mark.parametrize("queries", [1, 3])
def test_delta_by_brute_force(noise, reach, queries):
    for epsilon in (0.2, 1.1):
        found = math.exp(noise.log_delta(epsilon=epsilon, queries=queries))
        expected = brute_force(noise, reach, queries, epsilon)
        assert expected * (1 - 1e-6) <= found <= expected * (1 + 1e-5)


def possible(points, epsilon, delta):
    """Whether some law on so many whole numbers is (ε, δ)-DP: a linear program."""
    width = points + 1
    size = points + 2 * width
    cost = np.zeros(size)
    rows, limits = [], []
    for side in range(2):
        for x in range(width):
            row = np.zeros(size)
            ends = (x, x - 1) if side == 0 else (x - 1, x)
            for at, weight in zip(ends, (1.0, -math.exp(epsilon)), strict=True):
                if 0 <= at < points:
                    row[at] += weight
            row[points + side * width + x] = -1.0
            rows.append(row)
            limits.append(0.0)
        row = np.zeros(size)
        row[points + side * width : points + (side + 1) * width] = 1.0
        rows.append(row)
        limits.append(delta)
    total = np.zeros((1, size))
    total[0, :points] = 1.0
    return linprog(cost, A_ub=rows, b_ub=limits, A_eq=total, b_eq=[1.0]).status == 0


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-2), (1.0, 1e-3), (3.0, 1e-4)])
def test_for_one_count_no_other_noise_is_smaller(epsilon, delta):
    privacy = {"epsilon": epsilon, "delta": delta, "queries": 1}
    radius = int(truncated_geometric_noise(**privacy).radius)
    assert possible(2 * radius + 1, epsilon, delta)
    assert not possible(2 * radius - 1, epsilon, delta)
    # the proven bound for noise of any kind is half a step below, or nearer
    assert radius - 1 < least_radius(**privacy) <= radius


@pytest.mark.parametrize("queries", [1, 4, 60])
def test_geometric_noise_is_randomised_response_many_times(queries):
    privacy = {"epsilon": 0.5, "delta": 1e-6, "queries": queries}
    noise = geometric_noise(**privacy)
    for factor, private in ((1.0, True), (1.001, False)):
        exact = log_randomized_response(queries, bit_epsilon=factor * noise.decay, epsilon=0.5)
        assert (exact <= math.log(1e-6)) == private


@pytest.mark.parametrize(("epsilon", "queries"), [(5.0, 3), (1.0, 20)])
def test_discrete_gaussian_noise_against_dp_accounting(epsilon, queries):
    delta = 1e-5
    noise = discrete_gaussian_noise(epsilon=epsilon, delta=delta, queries=queries)
    pld = from_discrete_gaussian_mechanism(noise.sigma, value_discretization_interval=1e-4)
    found = pld.self_compose(queries).get_delta_for_epsilon(epsilon)
    assert delta * (1 - 1e-6) <= found <= 1.03 * delta  # theirs is pessimistic
    assert noise.log_delta(epsilon=epsilon, queries=queries) <= math.log(delta)


@pytest.mark.parametrize("queries", [1, 2, 30])
def test_what_is_returned_is_private_and_one_step_less_is_not(queries):
    epsilon, delta = 1.0, 1e-6
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    noise = truncated_geometric_noise(**privacy)
    assert noise.log_delta(epsilon=epsilon, queries=queries) <= math.log(delta)
    decays = noise.decay * np.geomspace(0.8, 1.2, 41)
    less = [GeometricNoise(x, noise.radius - 1) for x in decays]
    assert all(n.log_delta(epsilon=epsilon, queries=queries) > math.log(delta) for n in less)
    # noise on all numbers needs hardly more or less
    assert noise.radius == pytest.approx(truncated_laplace_noise(**privacy).radius, abs=1, rel=0.01)


@pytest.mark.parametrize(
    "noise", [GeometricNoise(0.3, math.inf), GeometricNoise(0.2, 9), DiscreteGaussian(2.5)], ids=str
)
def test_errors_by_brute_force(noise):
    beta, queries = 0.05, 4
    x, mass = law(noise, 200)
    assert noise.standard_deviation == pytest.approx(math.sqrt(mass @ x**2), rel=1e-9)
    kept = [mass[np.abs(x) <= bound].sum() ** queries for bound in range(60)]
    expected = next(bound for bound, share in enumerate(kept) if share >= 1 - beta)
    assert noise.max_error(queries=queries, failure_probability=beta) == expected


@pytest.mark.parametrize("slope", [1e-4, 0.7, 30.0])
def test_the_spread_of_noise_too_wide_to_be_summed(slope):
    radius = 3e6
    x = np.arange(radius + 1)
    mass = np.exp(-slope * x / radius) * np.where(x, 2, 1)
    summed = math.sqrt(mass @ x**2 / mass.sum())
    assert GeometricNoise(slope / radius, radius).standard_deviation == pytest.approx(
        summed, rel=1e-9
    )
    # of the same shape it is proportional to the radius, and no sum of so many terms has room
    wide = GeometricNoise(slope / 1e13, 1e13).standard_deviation
    assert wide / 1e13 == pytest.approx(summed / radius, rel=1e-6)


def test_wide_discrete_gaussian_noise_is_left_to_rounding():
    assert discrete_gaussian_noise(epsilon=0.01, delta=1e-12, queries=100) is None


def test_too_many_queries_are_refused():
    with pytest.raises(ParameterError, match=f"queries must be at most {MOST_QUERIES}"):
        truncated_geometric_noise(epsilon=0.1, delta=1e-6, queries=MOST_QUERIES + 1)
