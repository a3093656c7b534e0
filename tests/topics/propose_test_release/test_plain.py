"""Plain noise beside DelStab: calibration from both sides, and the break-even."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from dpviz.maths.local_deletion import spread_bound
from dpviz.maths.sum_mechanisms import GaussianCount, GeometricCount
from dpviz.results.parameters import ParameterError
from dpviz.topics.propose_test_release.delstab import Budget
from dpviz.topics.propose_test_release.naming import UNSTABLE, proof_epsilon
from dpviz.topics.propose_test_release.plain import (
    Comparison,
    compare,
    gaussian_deviation,
    laplace_deviation,
    noise_deviation,
    proof_examples,
    proven_examples,
)
from dpviz.topics.propose_test_release.views.against_plain_noise import noise_chart
from tests.support.examples import examples
from tests.support.strategies import inside

MODEL = {
    "users": 1000,
    "examples_per_user": 100,
    "rate": 0.3,
    "noise": "geometric",
    "noise_factor": 1.0,
    "epsilon": 1.0,
    "delta": 1e-6,
}

_EASY = Budget(10.0, 0.1)


def hockey_stick(density, shift, epsilon, reach):
    """∫ [f(x) − e^ε f(x − shift)]₊ dx by quadrature; the gain is positive up to one point."""
    factor = mp.e**epsilon

    def gain(x):
        return density(x) - factor * density(x - shift)

    low, high = mp.mpf(-reach), mp.mpf(reach)
    if gain(low) <= 0:
        return mp.mpf(0)
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if gain(middle) > 0 else (low, middle)
    return mp.quad(gain, sorted({mp.mpf(-reach), min(mp.mpf(0), low), low}))


@examples(15)
@given(inside("epsilon", 0.05, 5.0), inside("delta", 1e-8, 0.4))
def test_plain_noise_is_private_and_no_larger_than_that(epsilon, delta):
    m = 7.0
    scale = laplace_deviation(m, epsilon=epsilon, delta=delta) / math.sqrt(2)
    sigma = gaussian_deviation(m, epsilon=epsilon, delta=delta)
    for change, private in ((1 + 1e-6, True), (1 - 1e-3, False)):
        b, s = scale * change, sigma * change
        spent = hockey_stick(lambda x, b=b: mp.exp(-abs(x) / b) / (2 * b), m, epsilon, 60 * b)
        assert (spent <= delta) == private
        tails = (
            stats.norm.sf(epsilon * s / m - m / (2 * s)),
            stats.norm.sf(epsilon * s / m + m / (2 * s)),
        )
        assert (tails[0] - math.exp(epsilon) * tails[1] <= delta * (1 + 1e-7)) == private


def test_the_sum_of_bits_moves_by_m_and_no_more():
    """All substitutions of one of three users who hold m = 3 bits each."""
    m, users = 3, 3
    moves = [
        abs(sum(others) + new - sum(others) - old)
        for others in np.ndindex((m + 1,) * (users - 1))
        for old in range(m + 1)
        for new in range(m + 1)
    ]
    assert max(moves) == m
    # so the deviation is in proportion to m, which is the bound of the chart
    chart = noise_chart(**MODEL)
    laplace = chart.curve("laplace")
    np.testing.assert_allclose(laplace.y / laplace.x, math.sqrt(2), rtol=1e-5)


@pytest.mark.parametrize("mechanism", [GeometricCount(0.3), GaussianCount(4.0)])
def test_deviations_are_those_of_the_noise_drawn(mechanism):
    draws = mechanism.sample_noise(np.random.default_rng(0), 200_000)
    assert noise_deviation(mechanism) == pytest.approx(draws.std(), rel=0.02)


def test_the_better_plain_noise_is_the_rival():
    budget = Budget(1.0, 1e-6)
    laplace = compare(10.0, users=1000, bound=1.0, budget=budget)
    assert laplace.plain == ("Laplace", laplace.laplace)
    gaussian = Comparison(10.0, 3.0, 2.0)
    assert gaussian.plain == ("Gaussian", 2.0)
    assert gaussian.ratio == 5


def test_what_is_out_of_range_is_refused():
    with pytest.raises(ParameterError, match="more than 4κ = 192"):
        noise_chart(**MODEL | {"users": 192})
    with pytest.raises(ParameterError, match="noise"):
        noise_chart(**MODEL | {"noise": "laplace"})
    for bound in (0.0, math.nan, math.inf):
        with pytest.raises(ParameterError, match="bound"):
            laplace_deviation(bound, epsilon=1.0, delta=1e-6)
        with pytest.raises(ParameterError, match="bound"):
            gaussian_deviation(bound, epsilon=1.0, delta=1e-6)


@pytest.mark.parametrize("users", [60, 5000])
def test_where_it_is_proven_to_pay_both_noises_are_equal(users):
    gone, scaled = 4 * _EASY.kappa, users / (users - 4 * _EASY.kappa)
    whole = {"epsilon": _EASY.epsilon, "delta": _EASY.delta}
    part = {"epsilon": _EASY.epsilon_bar, "delta": _EASY.delta_bar}
    m = proven_examples(users, _EASY)
    for factor, less in ((0.9, False), (1.1, True)):
        examples = round(factor * m)
        wide = spread_bound(gone, users=users, examples=examples, failure_probability=UNSTABLE)
        delstab = scaled * laplace_deviation(float(wide), **part)
        assert (delstab < laplace_deviation(examples, **whole)) == less
    m = proof_examples(users, _EASY)
    loss = proof_epsilon(users=users, examples=round(m), budget=_EASY)
    assert scaled * math.sqrt(2) / loss == pytest.approx(laplace_deviation(m, **whole), rel=0.02)


def test_what_is_proven_comes_later_than_what_is_so():
    chart = noise_chart(
        users=500, examples_per_user=1000, rate=0.3, noise="geometric", noise_factor=1.0,
        epsilon=10.0, delta=0.1,
    )  # fmt: skip
    assert chart.break_even < chart.proven < chart.proof
