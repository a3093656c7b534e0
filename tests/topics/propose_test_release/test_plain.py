"""Plain noise beside DelStab: calibration from both sides, and the break-even."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from dpviz.maths.local_deletion import spread
from dpviz.maths.sum_mechanisms import GaussianCount, GeometricCount
from dpviz.results.parameters import ParameterError
from dpviz.topics.propose_test_release.delstab import Budget, quietest_mechanism
from dpviz.topics.propose_test_release.example_sums import ideal_spread, ideal_sums
from dpviz.topics.propose_test_release.plain import (
    Comparison,
    compare,
    gaussian_deviation,
    laplace_deviation,
    noise_chart,
    noise_deviation,
)
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


def test_the_noise_of_delstab_is_that_of_its_quietest_mechanism():
    for noise in ("geometric", "gaussian"):
        chart = noise_chart(**MODEL | {"noise": noise, "noise_factor": 1.5})
        sums = stats.binom.ppf((np.arange(1000) + 0.5) / 1000, 100, 0.3)
        model = {"users": 1000, "examples_per_user": 100, "rate": 0.3}
        np.testing.assert_array_equal(ideal_sums(**model), sums)
        assert all(ideal_spread(r, **model) == spread(sums, r) for r in (0, 192, 700, 1000))
        least = quietest_mechanism(sums, noise=noise, epsilon=1.0, delta=1e-6)
        scaled = 1.5 * noise_deviation(least) * 1000 / (1000 - 4 * 48)
        assert chart.at.delstab == pytest.approx(scaled, rel=1e-6)


def test_what_a_review_found():
    """ε = 1, δ = 1e-6, p = 0.3, n = 1000, m = 100: DelStab's noise 10,580, plain Laplace 141."""
    chart = noise_chart(**MODEL)
    assert chart.at.delstab * 808 / 1000 == pytest.approx(10_580, rel=1e-3)
    assert chart.at.laplace == pytest.approx(141, rel=1e-2)
    # √m against m: equal where m = 100·ratio², but for whole sums
    assert chart.break_even == pytest.approx(100 * chart.at.ratio**2, rel=0.02)
    assert chart.break_even == pytest.approx(5.7e5 * (1000 / 808) ** 2, rel=0.02)
    more = noise_chart(**MODEL | {"users": 20_000})
    assert more.at.ratio == pytest.approx(140, rel=0.02)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 10.0])
def test_the_break_even_is_where_the_noise_gets_smaller(epsilon):
    setting = MODEL | {"epsilon": epsilon}
    m = noise_chart(**setting).break_even
    sides = [noise_chart(**setting | {"examples_per_user": round(m * f)}).at.ratio
             for f in (0.95, 1.05) if m * f <= 1e6]  # fmt: skip
    expected = [True, False][: len(sides)]
    assert [ratio > 1 for ratio in sides] == expected


def test_a_break_even_just_below_a_billion_is_found():
    """It grows with the square of the noise, but for whole sums; beyond a billion none is told."""
    near, far = (
        noise_chart(**MODEL | {"noise_factor": factor}).break_even for factor in (30.0, 35.0)
    )
    assert near == pytest.approx(900 * noise_chart(**MODEL).break_even, rel=0.02)
    assert 6.1e8 < near < 1e9  # nearer to a billion than the bracket of the search is wide
    assert far == math.inf


def test_the_better_plain_noise_is_the_rival():
    budget = Budget(1.0, 1e-6)
    laplace = compare(10.0, users=1000, bound=1.0, budget=budget)
    assert laplace.plain == ("Laplace", laplace.laplace)
    gaussian = Comparison(10.0, 3.0, 2.0, 1.0)
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
