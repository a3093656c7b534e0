import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_mechanism as pld
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import integrate

from dpviz.maths import divergence
from dpviz.maths.bounded_noise import IteratedExponentialNoise, PowerNoise
from dpviz.results.parameters import ParameterError
from tests.support import oracles
from tests.support.examples import examples
from tests.support.strategies import inside, outside

losses = st.floats(-8, 2).map(lambda x: 10**x)


def hockey_stick(first, second, epsilon):
    """The definition, outcome by outcome, in mpmath."""
    scale = mp.exp(mp.mpf(epsilon))
    return mp.fsum(max(p - scale * q, mp.mpf(0)) for p, q in zip(first, second, strict=True))


def close(actual, expected, rel=1e-11):
    """Compare a log with an mpmath value that may be 0 or far below the smallest float."""
    if expected == 0:
        return actual == -math.inf
    return abs(float(mp.expm1(mp.mpf(float(actual)) - mp.log(expected)))) <= rel


def binomial_masses(h, step):
    p = 1 / (1 + mp.exp(-mp.mpf(step)))
    return [mp.binomial(h, j) * p**j * (1 - p) ** (h - j) for j in range(h + 1)]


@examples(150)
@given(st.integers(0, 40), inside("epsilon"), st.floats(0, 1.1))
def test_geometric_against_its_definition(shift, decay, share):
    epsilon = share * shift * decay
    with mp.workdps(50):
        a = mp.exp(-mp.mpf(decay))
        scale = (1 - a) / (1 + a)
        masses = {k: scale * a ** abs(k) for k in range(-shift - 1, 2 * shift + 2)}
        # below 0 and above the shift the ratio is constant: each tail is one outcome
        first = [a / (1 + a), *(masses[k] for k in range(shift + 1)), a ** (shift + 1) / (1 + a)]
        for one, other in ((first, first[::-1]), (first[::-1], first)):
            expected = hockey_stick(one, other, epsilon)
            actual = divergence.log_geometric(shift, decay=decay, epsilon=epsilon)
            # next to the end of the support, ε ≈ decay·shift, ε itself is only known to an ulp
            slack = 1e-15 * epsilon / float(expected) if expected > 0 else 0
            assert close(actual, expected, 1e-11 + 10 * slack) or float(expected) <= 1e-15 * epsilon


@examples(100)
@given(st.integers(0, 30), inside("epsilon"), st.floats(0, 1.1))
@example(30, 10.0, 0.99)
@example(1, 1e-7, 0.5)
def test_randomized_response_against_its_definition(h, step, share):
    epsilon = share * h * step
    with mp.workdps(60):
        kept = binomial_masses(h, step)
        expected = hockey_stick(kept, kept[::-1], epsilon)
        actual = divergence.log_randomized_response(h, bit_epsilon=step, epsilon=epsilon)
        assert close(actual, expected, 1e-9) or float(expected) <= 1e-14 * epsilon


@pytest.mark.parametrize("h", [1, 2, 5])
def test_randomized_response_against_all_answers(h):
    step, epsilon = 0.7, 0.4
    keep = math.exp(step) / (1 + math.exp(step))
    inputs = np.zeros(8, int), np.r_[np.ones(h, int), np.zeros(8 - h, int)]
    answers = np.array(list(itertools.product([0, 1], repeat=8)))
    p, q = (np.prod(np.where(answers == x, keep, 1 - keep), axis=1) for x in inputs)
    expected = np.maximum(p - math.exp(epsilon) * q, 0).sum()
    actual = divergence.log_randomized_response(h, bit_epsilon=step, epsilon=epsilon)
    assert math.exp(actual) == pytest.approx(expected, rel=1e-12)
    finite = divergence.log_finite(np.log(p), np.log(q), epsilon=epsilon)
    assert math.exp(finite) == pytest.approx(expected, rel=1e-12)


@examples(60)
@given(st.integers(0, 60), inside("epsilon", maximum=3.0), inside("closeness_delta"))
@example(60, 3.0, 1e-300)
@example(1, 1e-7, 0.5)
def test_least_epsilon_of_randomized_response(h, step, delta):
    least = float(divergence.randomized_response_epsilon(h, bit_epsilon=step, delta=delta))
    with mp.workdps(60):
        kept = binomial_masses(h, step)
        assert hockey_stick(kept, kept[::-1], least * (1 + 1e-9)) <= delta * (1 + mp.mpf(1e-9))
        if least > 0:
            assert hockey_stick(kept, kept[::-1], least * (1 - 1e-9)) >= delta * (1 - mp.mpf(1e-9))


@pytest.mark.parametrize(("h", "step"), [(10**6, 0.001), (10**6, 1.0), (10**5, 1e-7), (10**6, 10)])
@pytest.mark.parametrize("delta", [0.4, 1e-6, 1e-290])
def test_least_epsilon_and_divergence_agree_for_many_bits(h, step, delta):
    least = float(divergence.randomized_response_epsilon(h, bit_epsilon=step, delta=delta))

    def log_delta(epsilon):
        return divergence.log_randomized_response(h, bit_epsilon=step, epsilon=epsilon)

    assert log_delta(least * (1 + 1e-10)) <= math.log(delta) + 1e-9
    if least > 0:
        assert log_delta(least * (1 - 1e-10)) >= math.log(delta) - 1e-9


def test_many_bits_against_simulation():
    h, step, epsilon = 10**5, 0.01, 6.0
    rng = np.random.default_rng(3)
    kept = rng.binomial(h, 1 / (1 + math.exp(-step)), size=200_000)
    gain = np.maximum(-np.expm1(epsilon - step * (2.0 * kept - h)), 0.0)
    actual = math.exp(divergence.log_randomized_response(h, bit_epsilon=step, epsilon=epsilon))
    assert actual == pytest.approx(gain.mean(), abs=5 * gain.std() / math.sqrt(gain.size))


@examples(60)
@given(st.floats(-3, 3), inside("epsilon"), st.floats(0, 1.05))
def test_laplace_against_quadrature(log_shift, decay, share):
    shift = 10**log_shift / decay
    epsilon = share * shift * decay

    def gain(u):
        p, q = math.exp(-abs(u)), math.exp(epsilon - abs(u - shift * decay))
        return max(p - q, 0.0) / 2

    points = sorted({0.0, (shift * decay - epsilon) / 2})
    pieces = [-40.0, *points, max(40.0, points[-1] + 1)]
    expected = sum(
        integrate.quad(gain, a, b, epsabs=1e-14, epsrel=1e-12)[0]
        for a, b in itertools.pairwise(pieces)
        if a < b
    )
    actual = math.exp(divergence.log_laplace(shift, decay=decay, epsilon=epsilon))
    assert actual == pytest.approx(expected, rel=1e-9, abs=1e-13)


@examples(80)
@given(st.floats(-6, 4), st.floats(-7, 6))
@example(-6.0, -7.0)
@example(3.0, 5.5)
def test_gaussian_against_mpmath(log_mu, log_epsilon):
    mu, epsilon = 10**log_mu, 10**log_epsilon
    if epsilon / mu > 1e5:
        return
    expected = oracles.log_gaussian_delta(1 / mu, epsilon, 1)
    actual = float(divergence.log_gaussian(1.0, sigma=1 / mu, epsilon=epsilon))
    assert abs(actual - expected) <= 1e-10 + 1e-11 * abs(expected)


@pytest.mark.parametrize("shift", [1e-9, 1e-4, 1.0, 30.0])
def test_gaussian_total_variation(shift):
    # ε = 0: the total variation distance, erf(μ/√8)
    actual = math.exp(divergence.log_gaussian(shift, sigma=1.0, epsilon=0.0))
    assert actual == pytest.approx(math.erf(shift / math.sqrt(8)), rel=1e-12)


@pytest.mark.parametrize("noise", [PowerNoise(0.5), PowerNoise(2), IteratedExponentialNoise()])
@pytest.mark.parametrize(("shift", "epsilon"), [(0.3, 0.2), (1.5, 0.01), (4.0, 3.0), (6.5, 1.0)])
def test_bounded_against_quadrature(noise, shift, epsilon):
    radius = 3.0

    def gain(u):
        here = math.exp(noise.log_density(u))
        return max(here - math.exp(epsilon + float(noise.log_density(u + shift / radius))), 0.0)

    pieces = np.linspace(-1, 1, 41)
    expected = sum(
        integrate.quad(gain, a, b, epsabs=1e-14, limit=500)[0]
        for a, b in itertools.pairwise(pieces)
    )
    bounds = divergence.log_bounded(noise, shift, radius=radius, epsilon=epsilon)
    assert math.exp(bounds.upper) >= expected * (1 - 1e-7)
    assert math.exp(bounds.lower) <= expected * (1 + 1e-7)
    assert bounds.upper - bounds.lower <= 1e-6


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.4])
def test_against_dp_accounting(epsilon):
    laplace = pld.LaplacePrivacyLoss(2.0, sensitivity=3.0)
    ours = math.exp(divergence.log_laplace(3.0, decay=0.5, epsilon=epsilon))
    assert ours == pytest.approx(laplace.get_delta_for_epsilon(epsilon), abs=1e-12)
    geometric = pld.DiscreteLaplacePrivacyLoss(0.5, sensitivity=3)
    ours = math.exp(divergence.log_geometric(3, decay=0.5, epsilon=epsilon))
    assert ours == pytest.approx(geometric.get_delta_for_epsilon(epsilon), abs=1e-12)
    gaussian = pld.GaussianPrivacyLoss(2.0, sensitivity=3.0)
    ours = math.exp(divergence.log_gaussian(3.0, sigma=2.0, epsilon=epsilon))
    assert ours == pytest.approx(gaussian.get_delta_for_epsilon(epsilon), abs=1e-9)


@examples(100)
@given(st.integers(1, 7), st.data())
def test_finite_laws_in_both_directions(size, data):
    weights = st.lists(st.floats(0, 1), min_size=size, max_size=size).filter(lambda w: sum(w) > 0.1)
    p, q = (np.array(data.draw(weights)) for _ in range(2))
    p, q = p / p.sum(), q / q.sum()
    epsilon = data.draw(st.floats(0, 3))
    with np.errstate(divide="ignore"):
        log_p, log_q = np.log(p), np.log(q)
    # the largest advantage over all 2^size events
    events = np.array(list(itertools.product([0, 1], repeat=size)))
    forward = (events @ p - math.exp(epsilon) * (events @ q)).max()
    backward = (events @ q - math.exp(epsilon) * (events @ p)).max()
    ours = math.exp(divergence.log_finite(log_p, log_q, epsilon=epsilon))
    assert ours == pytest.approx(forward, abs=1e-12)
    both = math.exp(divergence.log_closeness(log_p, log_q, epsilon=epsilon))
    assert both == pytest.approx(max(forward, backward), abs=1e-12)


def test_finite_laws_below_the_smallest_float():
    tiny = -5000.0
    actual = divergence.log_finite([tiny, 0.0], [2 * tiny, 0.0], epsilon=1.0)
    assert actual == pytest.approx(tiny, rel=1e-14)


@examples(60)
@given(st.integers(0, 200), inside("epsilon"), st.floats(0, 5))
def test_divergences_grow_with_the_distance_and_fall_with_epsilon(distance, decay, epsilon):
    families = (
        lambda d, e: divergence.log_geometric(d, decay=decay, epsilon=e),
        lambda d, e: divergence.log_laplace(d, decay=decay, epsilon=e),
        lambda d, e: divergence.log_gaussian(d, sigma=1 / decay, epsilon=e),
        lambda d, e: divergence.log_randomized_response(d, bit_epsilon=decay, epsilon=e),
    )
    for family in families:
        here = family(distance, epsilon)
        assert family(distance + 1, epsilon) >= here - 1e-9
        assert family(distance, epsilon + 0.1) <= here + 1e-9
        assert here <= 1e-12


@given(outside("epsilon"))
def test_refuses_a_decay_out_of_range(decay):
    for call in (
        lambda: divergence.log_geometric(1, decay=decay, epsilon=1.0),
        lambda: divergence.log_laplace(1, decay=decay, epsilon=1.0),
        lambda: divergence.log_randomized_response(1, bit_epsilon=decay, epsilon=1.0),
    ):
        with pytest.raises(ParameterError, match="epsilon"):
            call()


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf])
def test_refuses_bad_shifts_and_losses(bad):
    for call in (
        lambda: divergence.log_geometric(bad, decay=1.0, epsilon=1.0),
        lambda: divergence.log_gaussian(1.0, sigma=1.0, epsilon=bad),
        lambda: divergence.log_laplace(bad, decay=1.0, epsilon=1.0),
        lambda: divergence.log_finite([0.0], [0.0], epsilon=bad),
    ):
        with pytest.raises(ParameterError):
            call()


def test_refuses_halves_and_unnormalised_laws():
    with pytest.raises(ParameterError, match="shift must be a whole number"):
        divergence.log_geometric(1.5, decay=1.0, epsilon=1.0)
    with pytest.raises(ParameterError, match="distance must be a whole number"):
        divergence.log_randomized_response(1.5, bit_epsilon=1.0, epsilon=1.0)
    with pytest.raises(ParameterError, match="log_second must be the log masses of a law"):
        divergence.log_finite([0.0], [-1.0], epsilon=1.0)
