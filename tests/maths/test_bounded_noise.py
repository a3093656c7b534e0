import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from dpviz.maths.bounded_noise import (
    MINIMAL_FISHER_INFORMATION,
    IteratedExponentialNoise,
    PowerNoise,
    max_error,
)
from dpviz.results.parameters import ParameterError
from tests.support import oracles
from tests.support.examples import chosen, examples, some
from tests.support.strategies import inside, outside

every_noise = pytest.mark.parametrize("noise", oracles.NOISES, ids=str)
# Seconds of mpmath: by default a power below one, one above, and the other noise.
SOME = oracles.NOISES[0], oracles.NOISES[3], oracles.NOISES[5]
some_noises = pytest.mark.parametrize("noise", chosen(oracles.NOISES, SOME), ids=str)
any_noise = st.one_of(inside("power").map(PowerNoise), st.just(IteratedExponentialNoise()))


def close(actual, expected, *, rel):
    return float(abs(mp.mpf(float(actual)) - expected)) <= rel * float(abs(expected))


@every_noise
def test_density_against_mpmath(noise):
    f, log_z = oracles.exponent(noise), oracles.log_normaliser(noise)
    assert abs(noise.log_normaliser - float(log_z)) < 1e-14
    for u in (-0.96875, -0.5, 0.0, 0.25, 0.75):
        expected = -f(1 - mp.mpf(u)) - log_z
        assert close(noise.log_density(u), expected, rel=1e-14)
        if expected > -700:
            assert close(noise.density(u), mp.exp(expected), rel=1e-14 * max(1, float(-expected)))


@every_noise
def test_density_outside_is_zero(noise):
    assert np.array_equal(noise.density([-1.5, -1.0, 1.0, 2.0]), np.zeros(4))
    assert np.array_equal(noise.exponent([0.0, 2.0, -0.5], [2.0, 0.0, 2.5]), np.full(3, np.inf))
    assert PowerNoise(8).exponent(1e-200, 2.0) == math.inf


@some_noises
def test_log_tail_against_mpmath_down_to_minus_a_million(noise):
    deep = float(noise.edge_from_log_tail(-1e6))
    distances = np.concatenate([deep * np.geomspace(1, 1 / deep, some(12, 6)), [1.25, 1.6]])
    actual = noise.log_tail_from_edge(distances)
    assert actual[0] == pytest.approx(-1e6, rel=1e-9)
    for d, value in zip(distances, actual, strict=True):
        expected = oracles.log_tail_from_edge(noise, float(d))
        # f has a condition number: one ulp of d moves f by that much
        f = float(oracles.exponent(noise)(mp.mpf(float(min(d, 2 - d)))))
        growth = 16 if isinstance(noise, PowerNoise) else 100
        tolerance = (
            2e-13 * abs(expected) * (1 + abs(mp.log(abs(expected))))
            if d > 1
            else 2e-13 + growth * 2.3e-16 * f
        )
        assert abs(value - expected) < tolerance


@every_noise
def test_log_tail_takes_all_shapes_and_both_signs(noise):
    u = np.array([[-1.0, -0.5, -0.25], [0.0, 0.25, 1.0]])
    tail = np.exp(noise.log_tail(u))
    assert tail.shape == u.shape
    assert np.allclose(tail + np.exp(noise.log_tail(-u)), 1, rtol=1e-14)
    assert tail[0, 0] == 1
    assert tail[1, 2] == 0
    assert np.exp(noise.log_symmetric_tail(0.25)) == pytest.approx(2 * tail[1, 1], rel=1e-14)
    assert noise.log_symmetric_tail(0.0) == pytest.approx(0.0, abs=1e-13)
    assert np.ndim(noise.log_tail(0.1)) == 0


def test_log_tail_is_the_integral_of_the_density():
    noise = PowerNoise(1.3)
    for u in (-0.7, -0.1, 0.4):
        mass, error = integrate.quad(noise.density, u, 1, epsabs=1e-13, epsrel=1e-13)
        assert math.exp(float(noise.log_tail(u))) == pytest.approx(mass, abs=10 * error)


@given(any_noise, st.floats(-1e6, -1e-9))
def test_edge_inverts_the_tail(noise, log_mass):
    edge = noise.edge_from_log_tail(log_mass)
    assert 0 < edge < 2
    back = float(noise.log_tail_from_edge(edge))
    # the neighbouring doubles of edge bracket the mass
    spread = float(noise.log_tail_from_edge(np.nextafter(edge, 3)) - noise.log_tail_from_edge(edge))
    assert abs(back - log_mass) <= 4 * spread + 1e-12 * abs(log_mass) + 1e-13


def test_edge_at_the_ends():
    noise = PowerNoise(2)
    edges = noise.edge_from_log_tail([0.0, -math.inf, math.log(0.5)])
    assert np.array_equal(edges[:2], [2.0, 0.0])
    assert edges[2] == pytest.approx(1.0, abs=1e-14)
    for bad in (1e-3, math.nan):
        with pytest.raises(ParameterError, match="log_mass"):
            noise.edge_from_log_tail(bad)


@some_noises
def test_quantile_against_mpmath(noise):
    for q in (1e-300, 1e-9, 0.03, 0.45, 0.5, 0.8, 0.999):
        u = float(noise.quantile(q))
        # P(U <= u) = P(U > -u): what the oracle says of the edge 1 + u
        with mp.workdps(25):
            mass = mp.exp(oracles.log_tail_from_edge(noise, 1 + u))
        assert float(mass) == pytest.approx(q, rel=2e-12)
    assert np.array_equal(noise.quantile([0, 1]), [-1, 1])


@pytest.mark.parametrize("bad", [-1e-9, 1.0001, math.nan])
def test_quantile_refuses(bad):
    with pytest.raises(ParameterError, match="q must be a number from 0 to 1"):
        PowerNoise(2).quantile([0.5, bad])


@every_noise
@pytest.mark.parametrize("shift", [1e-14, 1e-7, 1e-3, 0.3])
def test_loss_against_mpmath(noise, shift):
    f = oracles.exponent(noise)
    v = mp.mpf(shift)
    near = float(noise.edge_from_log_tail(-600.0))
    below = np.concatenate([np.geomspace(near, 0.99, 9), 2 - np.geomspace(near, 0.9, 9)])
    above = 2 - below
    actual = noise.loss(below, above, shift)
    for a, b, value in zip(below, above, actual, strict=True):
        # the exact value for the very numbers given, 1 - u = a and 1 + u = b
        d = mp.mpf(float(a))
        other = mp.mpf(float(b))
        if d <= v:
            assert value == math.inf
            continue
        m, moved = d * other, (d - v) * (other + v)
        expected = f(1 - mp.sqrt(1 - moved)) - f(1 - mp.sqrt(1 - m))
        if expected > 1e300:
            assert value > 1e299
        else:
            growth = 1 if isinstance(noise, PowerNoise) else float(mp.log(f(d) + 3)) ** 2
            rise = float(mp.log(abs(expected) + 3)) if shift > 1e-4 else 1
            assert close(value, expected, rel=1e-13 * growth * rise**2)


def test_loss_beyond_the_ends():
    noise = PowerNoise(2)
    assert noise.loss(0.25, 1.75, 0.25) == math.inf
    assert noise.loss(0.25, 1.75, 3.0) == math.inf
    assert noise.loss(1.99999, 1e-200, 0.1) == -math.inf
    assert noise.loss(np.full((2, 1), 0.5), np.full((2, 1), 1.5), np.full(3, 0.1)).shape == (2, 3)


@some_noises
def test_moments_against_mpmath(noise):
    f = oracles.exponent(noise)
    with mp.workdps(25):
        fisher = oracles.expectation(noise, lambda d: mp.diff(f, d) ** 2 if d > 1e-5 else mp.mpf(0))
        variance = oracles.expectation(noise, lambda d: (1 - d) ** 2)
    assert noise.fisher_information == pytest.approx(float(fisher), rel=1e-9)
    assert noise.standard_deviation**2 == pytest.approx(float(variance), rel=1e-9)


def test_fisher_information_of_the_literature():
    # The limits of R/sigma for many queries at p = 0.5, 1, 2.
    roots = [math.sqrt(PowerNoise(p).fisher_information) for p in (0.5, 1, 2)]
    assert roots == pytest.approx([4.47, 3.55, 3.89], abs=0.005)


@given(any_noise)
def test_cosine_squared_noise_has_the_least_fisher_information(noise):
    # g = cos²(πu/2) integrates to 1, and g'²/g = π² sin²(πu/2)
    least = integrate.quad(lambda u: (math.pi * math.sin(math.pi * u / 2)) ** 2, -1, 1)[0]
    assert least == pytest.approx(MINIMAL_FISHER_INFORMATION, rel=1e-12)
    assert noise.fisher_information > least
    # Cramér-Rao, from the other side
    assert noise.fisher_information * noise.standard_deviation**2 >= 1


@every_noise
def test_sampler_draws_from_the_density(noise):
    draws = noise.sample(np.random.default_rng(20), 20_000)
    assert stats.kstest(draws, lambda u: np.exp(noise.log_tail(-u))).pvalue > 1e-3
    # the test has the power to tell a noise from its neighbour
    other = PowerNoise(4.5)
    assert stats.kstest(draws, lambda u: np.exp(other.log_tail(-u))).pvalue < 1e-3


@every_noise
def test_the_sampling_envelope_lies_below_f(noise):
    f = oracles.exponent(noise)
    half_curvature = float(mp.diff(f, 1, 2) / 2)
    u = np.linspace(-0.8, 0.8, 101)
    rise = noise.exponent(1 - u, 1 + u) - noise.exponent(1, 1)
    assert np.all(rise >= half_curvature * u**2 * (1 - 1e-9) - 1e-12)


def test_sample_shape_and_seed():
    noise = PowerNoise(2)
    a, b = (noise.sample(np.random.default_rng(3), (4, 5)) for _ in range(2))
    assert a.shape == (4, 5)
    assert np.array_equal(a, b)
    assert not np.array_equal(a, noise.sample(np.random.default_rng(4), (4, 5)))
    assert noise.sample(np.random.default_rng(3), 0).shape == (0,)


@every_noise
def test_max_error_fails_with_probability_beta(noise):
    radius, k, beta = 7.0, 50, 0.2
    bound = max_error(noise, radius, queries=k, failure_probability=beta)
    trials = some(20_000)
    largest = radius * np.abs(noise.sample(np.random.default_rng(5), (trials, k))).max(axis=1)
    failures = int((largest > bound).sum())
    # binomial, 5 standard deviations
    assert abs(failures - beta * trials) < 5 * math.sqrt(trials * beta * (1 - beta))


@examples(25)
@given(any_noise, inside("queries"), inside("failure_probability"))
def test_max_error_against_mpmath(noise, k, beta):
    bound = max_error(noise, 1.0, queries=k, failure_probability=beta)
    assert 0 < bound < 1
    with mp.workdps(50):
        tail = mp.exp(oracles.log_tail_from_edge(noise, 1 - bound))
        assert float(1 - (1 - 2 * tail) ** k) == pytest.approx(beta, rel=1e-9)


@given(outside("power"))
def test_power_noise_refuses(power):
    with pytest.raises(ParameterError, match=r"power must be a number from 0\.5 to 8"):
        PowerNoise(power)


@pytest.mark.parametrize("name", ["radius", "queries", "failure_probability"])
@given(data=st.data())
def test_max_error_refuses(name, data):
    arguments = {"radius": 1.0, "queries": 10, "failure_probability": 0.1}
    arguments[name] = data.draw(outside(name))
    with pytest.raises(ParameterError, match=name):
        max_error(PowerNoise(2), arguments.pop("radius"), **arguments)


def test_noise_is_a_value():
    assert PowerNoise(2) == PowerNoise(2.0)
    assert len({PowerNoise(2), PowerNoise(2.0), IteratedExponentialNoise()}) == 2
