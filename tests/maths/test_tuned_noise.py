"""Tuned noise against 20 digits, against the family it extends, and against the literature."""

import itertools
import math
from functools import cache

import mpmath as mp
import numpy as np
import pytest
from dp_accounting.pld.pld_pmf import DensePLDPmf
from hypothesis import given
from scipy import integrate, special, stats

from dpviz.maths.accounting.answer import Problem
from dpviz.maths.accounting.calibration import minimal_radius, privacy_delta
from dpviz.maths.accounting.composition import log_delta
from dpviz.maths.bounded_noise import MINIMAL_FISHER_INFORMATION, PowerNoise
from dpviz.maths.tuned_noise import TunedNoise
from dpviz.results.parameters import ParameterError
from tests.support.examples import chosen, some
from tests.support.strategies import inside, outside

NOISES = (
    TunedNoise(0.06, 2.2, 1.0),
    TunedNoise(2e-4, 2.2, 1.0),
    TunedNoise(1e-3, 14.0, 0.8),
    TunedNoise(300.0, 50.0, 1.0),
    TunedNoise(1e-9, 3.0, 8.0),
    TunedNoise(1e-12, 0.05, 0.5),
    TunedNoise(1.0, 0.0, 2.0),
    TunedNoise(1e-3, 2.0, 4.0),
    TunedNoise(1e-3, 14.8, 0.5, 0.75),
    TunedNoise(1e-12, 99.0, 0.5, 0.18),
    TunedNoise(1e-6, 5.0, 0.7, 0.998),
)
FEW = [*NOISES[:4], NOISES[8]]
TYPICAL = pytest.mark.parametrize("noise", FEW, ids=str)
every_noise = pytest.mark.parametrize("noise", NOISES, ids=str)


def exponent(noise):
    """f as a function of 1 − u, as printed in the docstring."""

    def f(distance):
        m = distance * (2 - distance)
        inner = 1 - mp.mpf(noise.cut) * (1 - m)
        return noise.barrier * m ** -mp.mpf(noise.power) - noise.bulk * mp.log(inner)

    return f


def integral(noise, weight, distance=1):
    """The integral of weight·e^(f(1 − distance) − f) from u = 1 − distance to 1.

    In t = −log(1 − u), by pieces over which e^−f falls by bounded factors, until nothing is left.
    """
    f = exponent(noise)

    def fall(t):
        return f(mp.exp(-t)) + t

    breaks = [-mp.log(mp.mpf(float(distance)))]
    while fall(breaks[-1]) - fall(breaks[0]) < 50:
        step = mp.mpf(1)
        while fall(breaks[-1] + step) - fall(breaks[-1]) > 6:
            step /= 2
        breaks.append(breaks[-1] + step)

    def integrand(t):
        d = mp.exp(-t)
        return d * weight(d) * mp.exp(f(mp.mpf(float(distance))) - f(d))

    with mp.workdps(20):
        return mp.quad(integrand, breaks, method="gauss-legendre", maxdegree=5)


def slope(noise, d):
    """f′ at u = 1 − d, by hand."""
    m = d * (2 - d)
    wall = noise.barrier * noise.power * m ** (-noise.power - 1)
    return 2 * (1 - d) * (noise.bulk * noise.cut / (1 - noise.cut * (1 - m)) + wall)


@cache
def log_normaliser(noise):
    return mp.log(2 * integral(noise, lambda _: 1)) - exponent(noise)(mp.mpf(1))


@pytest.mark.parametrize("noise", chosen(NOISES, NOISES[::4]), ids=str)
def test_normaliser_density_and_tail_against_mpmath(noise):
    f, log_z = exponent(noise), log_normaliser(noise)
    assert abs(noise.log_normaliser - log_z) < 1e-13 * (1 + noise.barrier)
    for u in (-0.97, -0.5, 0.0, 0.25, 0.75):
        expected = float(-f(1 - mp.mpf(u)) - log_z)
        assert noise.log_density(u) == pytest.approx(expected, rel=1e-13, abs=1e-12)
    for distance in (0.9, 0.02, 1e-3):
        expected = mp.log(integral(noise, lambda _: 1, distance)) - f(mp.mpf(distance)) - log_z
        found = float(noise.log_tail_from_edge(distance))
        assert found == pytest.approx(float(expected), rel=1e-12, abs=3e-12)


@pytest.mark.parametrize("noise", chosen(FEW, FEW[::2]), ids=str)
def test_moments_against_mpmath(noise):
    total = integral(noise, lambda _: 1)
    variance = integral(noise, lambda d: (1 - d) ** 2) / total
    fisher = integral(noise, lambda d: slope(noise, d) ** 2) / total
    assert noise.standard_deviation**2 == pytest.approx(float(variance), rel=1e-10)
    if noise.cut < 1:  # a small barrier makes the slope at the very ends most of it
        assert noise.usual_information < noise.fisher_information
        return
    assert noise.usual_information == pytest.approx(float(fisher), rel=0.1)
    assert noise.fisher_information == pytest.approx(float(fisher), rel=1e-9)


@every_noise
def test_the_tail_is_inverted(noise):
    log_mass = np.array([-1e-3, -0.5, -2.0, -20.0, -300.0, -1e4])
    edge = noise.edge_from_log_tail(log_mass)
    assert noise.log_tail_from_edge(edge) == pytest.approx(log_mass, rel=1e-9, abs=1e-11)
    assert noise.quantile(0.5) == pytest.approx(0.0, abs=2e-12)


@every_noise
def test_increments_are_inverted(noise):
    value = float(noise.exponent(1.0, 1.0)) + np.array([1e-9, 1e-3, 1.0, 40.0, 700.0, 1e5])
    distance = noise.edge_from_exponent(value)
    assert noise.exponent(distance, 2 - distance) == pytest.approx(value, rel=1e-11)


@every_noise
@pytest.mark.parametrize("shift", [1e-12, 1e-7, 1e-3, 0.3])
def test_loss_against_mpmath(noise, shift):
    f, v = exponent(noise), mp.mpf(shift)
    below = np.array([1.9, 1.4, 1.0, 0.7, 0.31, 0.302])
    for d, loss in zip(below, noise.loss(below, 2 - below, shift), strict=True):
        a, b = mp.mpf(float(d)), mp.mpf(float(2 - d))
        m, moved = a * b, (a - v) * (b + v)
        expected = float(f(1 - mp.sqrt(1 - moved)) - f(1 - mp.sqrt(1 - m)))
        assert loss == pytest.approx(expected, rel=1e-12)
    assert noise.loss(0.2, 1.8, 0.2) == math.inf


@every_noise
def test_sampler_draws_from_the_density(noise):
    draws = noise.sample(np.random.default_rng(20), some(20_000))
    assert stats.kstest(draws, lambda u: np.exp(noise.log_tail(-u))).pvalue > 1e-3


@pytest.mark.parametrize("power", [0.5, 1.0, 3.7, 8.0])
def test_without_bulk_it_is_the_family_of_the_paper(power):
    tuned, paper = TunedNoise(1.0, 0.0, power), PowerNoise(power)
    u = np.linspace(-0.99, 0.99, 21)
    assert tuned.log_density(u) == pytest.approx(paper.log_density(u), rel=1e-12, abs=1e-12)
    privacy = {"epsilon": 0.5, "delta": 1e-8, "queries": 1000}
    ours, theirs = (minimal_radius(noise, **privacy) for noise in (tuned, paper))
    assert ours.lower <= theirs.upper
    assert theirs.lower <= ours.upper


def test_a_vanishing_barrier_leaves_a_beta_density():
    # (1 - u²)^b has Fisher information b(2b + 1)/(b − 1), 10 at b = 2
    for bulk in (2.0, 2.5, 6.0):
        noise = TunedNoise(1e-12, bulk, 1.0)
        assert noise.fisher_information == pytest.approx(
            bulk * (2 * bulk + 1) / (bulk - 1), rel=1e-4
        )
        assert noise.log_normaliser == pytest.approx(
            (2 * bulk + 1) * math.log(2) + special.betaln(bulk + 1, bulk + 1), abs=1e-9
        )
        assert noise.fisher_information > MINIMAL_FISHER_INFORMATION


@given(inside("barrier"), inside("bulk"), inside("power"), inside("cut"))
def test_f_is_even_and_convex_everywhere(barrier, bulk, power, cut):
    noise = TunedNoise(barrier, bulk, power, cut)
    u = np.linspace(-0.9, 0.9, 41)
    f = noise.exponent(1 - u, 1 + u)
    bends = f[2:] + f[:-2] - 2 * f[1:-1]
    assert np.all(bends >= -1e-12 * np.abs(f[1:-1]))
    assert np.allclose(f, f[::-1], rtol=1e-12)
    losses = noise.loss(1 - u, 1 + u, 0.05)
    assert np.all(np.diff(losses) >= -1e-12 * np.abs(losses[1:]))  # a half-line is the best test


def test_a_smaller_shift_is_dominated():
    noise = TunedNoise(0.06, 2.2, 1.0)
    for epsilon in (0.1, 1.0):
        deltas = [
            privacy_delta(noise, 20.0, epsilon=epsilon, queries=50, sensitivity=s).upper
            for s in (0.3, 0.6, 0.9, 1.0)
        ]
        assert deltas == sorted(deltas)


@pytest.mark.parametrize("noise", [NOISES[0], TunedNoise(1e-6, 20.0, 0.5, 0.5)], ids=str)
def test_one_answer_against_quadrature_over_the_whole_range(noise):
    radius, epsilon = 15.0, 0.3
    shift = 1 / radius

    def gain(u):  # p − e^ε·q, with q the density moved by the shift
        return max(float(noise.density(u) - math.exp(epsilon) * noise.density(u + shift)), 0.0)

    expected = integrate.quad(gain, -1, 1, points=[1 - shift, 0.5, 0.8], limit=400)[0]
    found = privacy_delta(noise, radius, epsilon=epsilon, queries=1)
    assert found.midpoint == pytest.approx(expected, rel=1e-6)


COMPOSED = [NOISES[0], TunedNoise(1e-3, 5.0, 0.5, 0.9)]


@pytest.mark.parametrize(
    ("noise", "queries"),
    chosen(itertools.product(COMPOSED, (2, 40)), zip(COMPOSED, (2, 40), strict=True)),
)
def test_composition_against_dp_accounting(noise, queries):
    radius, epsilon, step = 60.0, 0.8, 2e-4
    u = np.linspace(-1, 1 - 1 / radius, 400_001)
    middle = (u[1:] + u[:-1]) / 2
    loss = noise.loss(1 - middle, 1 + middle, 1 / radius)
    mass = np.exp(-noise.exponent(1 - middle, 1 + middle) - noise.log_normaliser) * (u[1] - u[0])
    last = math.ceil(8 / step)
    infinite = float(np.exp(noise.log_tail_from_edge(1 / radius)))
    ends = []
    for pessimistic in (False, True):
        index = (np.ceil if pessimistic else np.floor)(loss / step)
        inside_grid = np.abs(index) < last
        bins = (index[inside_grid] + last).astype(int)
        masses = np.bincount(bins, mass[inside_grid], minlength=2 * last + 1)
        rest = infinite + (mass[index >= last].sum() if pessimistic else 0.0)
        one = DensePLDPmf(step, -last, masses, rest, pessimistic)
        ends.append(one.self_compose(queries).get_delta_for_epsilon(epsilon))
    found = privacy_delta(noise, radius, epsilon=epsilon, queries=queries)
    assert ends[0] <= found.upper
    assert found.lower <= ends[1]
    assert ends[1] < 1.1 * ends[0]


@pytest.mark.parametrize("name", ["barrier", "bulk", "power", "cut"])
@given(value=outside("power", minimum=0.05))
def test_tuned_noise_refuses(name, value):
    values = {"barrier": 0.1, "bulk": 2.0, "power": 1.0}
    bad = value if name == "power" else -abs(value) - 1e-9
    with pytest.raises(ParameterError, match=name):
        TunedNoise(**values | {name: bad})


@pytest.mark.parametrize(
    ("noise", "distance"),
    [
        (TunedNoise(2.9e-12, 0, 6.76), 0.565),  # 2.6e-9 with two panels
        (TunedNoise(1.15e-10, 0, 7.03), 0.6),
        (TunedNoise(2e-11, 0.2, 7.3, 0.995), 0.5),
        (TunedNoise(4.6e-7, 78.6, 0.32, 0.668), 0.8),
    ],
    ids=str,
)
def test_a_low_and_steep_barrier_leaves_the_tail_exact(noise, distance):
    total = mp.log(integral(noise, lambda _: 1, distance))
    expected = total - exponent(noise)(mp.mpf(distance)) - log_normaliser(noise)
    assert abs(float(noise.log_tail_from_edge(distance)) - float(expected)) < 1e-12


def test_a_lattice_may_reach_below_the_least_loss():
    """The losses are flat there: coordinates went astray, and panels overflowed."""
    noise = TunedNoise(1.000000000000001e-12, 7.650721745997126, 0.5, 0.309575477428142)
    rough = log_delta(Problem(noise, 2 / 13, 1e-7, 11), 0.05, math.log(0.5))
    narrow = privacy_delta(noise, 6.5, epsilon=1e-7, queries=11)
    assert math.exp(rough.lower) <= narrow.lower <= narrow.upper <= math.exp(rough.upper)


def test_a_barrier_next_to_nothing_leaves_bounds_narrow():
    """Where a gap of 1e-18 was lost in the shift, losses were infinite, and bounds said nothing."""
    noise = TunedNoise(1.01e-12, 2.3107, 0.699, 0.8789)
    for radius in (44.065, 60.0):
        found = privacy_delta(noise, radius, epsilon=0.020119842479179476, queries=95)
        assert found.lower < found.upper < (1 + 1e-5) * found.lower


@pytest.mark.parametrize("gap", [1e-19, 1e-16, 1e-9, 0.3])
def test_losses_next_to_infinite_ones_against_mpmath(gap):
    noise, v = TunedNoise(1.01e-12, 2.3107, 0.699, 0.8789), mp.mpf("0.0227")
    below, moved = gap + v, mp.mpf(gap)
    f = exponent(noise)
    expected = float(f(moved) - f(below))
    found = noise.loss_from_gap(gap, float(2 - below), float(v))
    assert found == pytest.approx(expected, rel=1e-12)
