"""Exact composition against dp-accounting, closed forms, B-splines and simulation."""

import itertools
import math

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from scipy import stats
from scipy.interpolate import BSpline

from dpviz.maths import divergence
from dpviz.maths.loss_laws import (
    NearbyDelta,
    convolved,
    geometric_law,
    laplace_laws,
    laplace_log_delta_bounds,
    log_delta_bounds,
)


def laplace_delta(loss, count, epsilon):
    """The k-fold law as a mixture: binomial atoms, and B-splines for sums of uniforms."""
    total = 0.0
    for smooth in range(count + 1):
        weight = math.comb(count, smooth) * math.exp(-count * loss / 2) * (loss / 2) ** smooth
        for up in range(count - smooth + 1):
            atom = loss * (2 * up - (count - smooth))
            share = weight * math.comb(count - smooth, up) / 2 ** (count - smooth)
            if smooth == 0:
                total += share * max(math.exp(atom / 2) - math.exp(epsilon - atom / 2), 0.0)
                continue
            knots = np.linspace(-smooth * loss, smooth * loss, smooth + 1)
            spline = BSpline.basis_element(knots, extrapolate=False)
            breaks = np.unique(np.clip(np.append(knots, epsilon - atom), knots[0], knots[-1]))
            nodes, weights = np.polynomial.legendre.leggauss(20)
            for a, b in itertools.pairwise(breaks):
                x = a + (b - a) * (nodes + 1) / 2
                gain = np.maximum(np.exp((x + atom) / 2) - np.exp(epsilon - (x + atom) / 2), 0)
                density = np.nan_to_num(spline(x)) / (2 * loss)
                total += share * float(weights @ (density * gain)) * (b - a) / 2
    return total


@pytest.mark.parametrize(
    ("loss", "count", "epsilon"),
    [(0.5, 2, 0.3), (1.0, 2, 0.0), (0.4, 5, 1.1), (2.0, 4, 3.0), (0.1, 6, 0.35)],
)
def test_few_laplace_answers_are_a_mixture_of_splines(loss, count, epsilon):
    expected = math.log(laplace_delta(loss, count, epsilon))
    low, high = laplace_log_delta_bounds(
        loss, count=count, epsilon=np.array([epsilon]), tolerance=1e-4
    )
    assert low[0] <= expected <= high[0]
    assert high[0] - low[0] <= 1e-4


@pytest.mark.parametrize(
    ("loss", "count", "epsilon"), [(0.1, 100, 2.0), (0.5, 20, 4.0), (0.02, 1000, 1.5)]
)
def test_many_laplace_answers_agree_with_dp_accounting(loss, count, epsilon):
    one = pld.from_laplace_mechanism(1 / loss, value_discretization_interval=1e-4)
    expected = math.log(one.self_compose(count).get_delta_for_epsilon(epsilon))
    low, high = laplace_log_delta_bounds(loss, count=count, epsilon=np.array([epsilon]))
    # their estimate is pessimistic, by less than one part in a thousand here
    assert low[0] <= expected <= high[0] + 1e-3


@pytest.mark.parametrize("count", [1, 7, 200])
def test_responses_are_binomial_sums(count):
    epsilon = np.array([0.2, 0.5, 0.9])
    low, high = log_delta_bounds(geometric_law(0.4, 1), count=count, epsilon=epsilon)
    expected = divergence.log_randomized_response(count, bit_epsilon=0.4, epsilon=epsilon)
    seen = np.isfinite(expected)
    assert np.array_equal(seen, np.isfinite(high))
    assert np.all((low <= expected) & (expected <= high))
    np.testing.assert_allclose(low[seen], high[seen], atol=1e-9)


@pytest.mark.parametrize("shift", [1, 2, 5])
def test_one_geometric_count_has_its_closed_form(shift):
    expected = divergence.log_geometric(shift, decay=0.3, epsilon=0.25)
    low, high = log_delta_bounds(geometric_law(0.3, shift), count=1, epsilon=np.array([0.25]))
    assert low[0] <= expected <= high[0]
    assert high[0] - low[0] < 1e-9


def test_a_tiny_delta_keeps_its_digits():
    """At ε next to the largest possible loss only one string of answers counts."""
    loss, count, epsilon = 0.5, 60, 29.9
    expected = count * math.log(1 / (1 + math.exp(-loss))) + math.log(-math.expm1(epsilon - 30))
    low, high = log_delta_bounds(geometric_law(loss, 1), count=count, epsilon=np.array([epsilon]))
    assert low[0] == pytest.approx(expected, abs=1e-6)
    assert high[0] == pytest.approx(expected, abs=1e-6)


def test_the_bins_say_less_and_their_ends_say_more():
    epsilon = np.array([1.0])
    lower, upper = [], []
    for bins in (4, 8, 16, 32):
        below, above = laplace_laws(0.6, bins)
        lower.append(log_delta_bounds(below, count=10, epsilon=epsilon)[0][0])
        upper.append(log_delta_bounds(above, count=10, epsilon=epsilon)[1][0])
    assert lower == sorted(lower)
    assert upper == sorted(upper, reverse=True)
    assert lower[-1] <= upper[-1]


@pytest.mark.parametrize(
    "laws", [laplace_laws(0.7, 16), (geometric_law(0.7, 1), geometric_law(0.7, 3))]
)
def test_the_laws_are_laws(laws):
    for law in laws:
        for sign in (0.5, -0.5):
            assert law.tilted(sign)[0] == pytest.approx(0, abs=1e-12)


def test_the_wrapped_law_keeps_mean_and_mass():
    losses, masses, unit, _ = convolved(geometric_law(0.01, 1), 10_000, 0.5)
    assert masses.sum() == pytest.approx(1)
    kept = 1 / (1 + math.exp(-0.01))
    assert masses @ losses == pytest.approx(10_000 * 0.01 * (2 * kept - 1))
    assert unit == pytest.approx(0, abs=1e-9)


def test_simulated_losses_have_this_delta():
    """The mean of (1 − e^(ε − Λ))₊ over 200,000 draws, within five standard errors."""
    rng = np.random.default_rng(1)
    loss, count, epsilon = 0.3, 12, 0.8
    noise = stats.laplace.rvs(size=(200_000, count), random_state=rng) / loss
    total = (loss * (np.abs(noise + 1) - np.abs(noise))).sum(axis=1)
    gains = np.maximum(-np.expm1(epsilon - total), 0.0)
    low, high = laplace_log_delta_bounds(loss, count=count, epsilon=np.array([epsilon]))
    error = 5 * gains.std() / math.sqrt(gains.size)
    assert math.exp(low[0]) - error <= gains.mean() <= math.exp(high[0]) + error


@pytest.mark.parametrize("shift", [1, 2, 3])
def test_one_convolution_serves_a_search(shift):
    """Every string of four losses, and what a fresh convolution says at each ε."""
    loss, count = 0.4, 4
    law = geometric_law(loss, shift)
    assert np.all(np.isfinite(law.log_weights))  # no site of the lattice is wasted
    nearby = NearbyDelta(law, count=count)
    sums = np.array([sum(each) for each in itertools.product(law.losses, repeat=count)])
    h = np.exp([sum(each) for each in itertools.product(law.log_weights, repeat=count)])
    for epsilon in np.linspace(0.0, 1.2 * count * law.largest, 25):
        truth = float(h @ np.maximum(np.exp(sums / 2) - np.exp(epsilon - sums / 2), 0.0))
        low, high = (math.exp(end) for end in nearby.bounds(float(epsilon)))
        assert low <= truth * (1 + 1e-12)
        assert truth <= high * (1 + 1e-12)
        assert high - low <= 2e-4 * truth
        fresh = log_delta_bounds(law, count=count, epsilon=np.array([epsilon]))
        assert math.exp(fresh[0][0]) <= high * (1 + 1e-12)
        assert low <= math.exp(fresh[1][0]) * (1 + 1e-12)
