import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpviz.maths.lattice_law import difference_law, walk_law
from dpviz.maths.logspace import log_binomial_pmf
from tests.support.examples import examples
from tests.support.strategies import inside


def masses(steps, up, down):
    """The law by repeated convolution in mpmath."""
    up, down = mp.mpf(up), mp.mpf(down)
    stay = 1 - up - down
    law = [mp.mpf(1)]
    for _ in range(steps):
        padded = [mp.mpf(0), mp.mpf(0), *law, mp.mpf(0), mp.mpf(0)]
        law = [
            down * padded[i + 2] + stay * padded[i + 1] + up * padded[i]
            for i in range(len(padded) - 2)
        ]
    return law


@examples(60)
@given(st.integers(1, 40), inside("rate"), st.floats(0.5, 0.9999))
@example(40, 0.5, 0.5)
@example(40, 0.5, 0.9999)
@example(40, 0.005, 0.5)
def test_walk_against_convolution(steps, rate, share):
    moves = 2 * rate * (1 - rate)
    up, down = moves * share, moves * (1 - share)
    law = walk_law(steps, up=up, down=down)
    expected = masses(steps, up, down)
    for k, log_mass in zip(law.values, law.log_pmf, strict=True):
        reference = mp.log(expected[steps + int(k)])
        assert abs(float(log_mass - reference)) < 1e-11 + 1e-6 * (reference < -500)


def test_a_million_fair_coins_against_factorials():
    # the difference of two Binomial(n, 1/2) is Binomial(2n, 1/2) - n
    n = 10**6
    law = difference_law(n, rate=0.5)
    for d in (0, 1, 1000, 10_000, 25_000):
        expected = mp.log(mp.binomial(2 * n, n + d)) - 2 * n * mp.log(2) + (d > 0) * mp.log(2)
        assert abs(float(law.log_pmf[d] - expected)) < 1e-12 * max(1, abs(float(expected)))


@examples(25)
@given(inside("samples", maximum=400), inside("rate"))
def test_difference_against_two_binomials(samples, rate):
    law = difference_law(samples, rate=rate)
    log_odds = math.log(rate / (1 - rate))
    k = np.arange(samples + 1)
    pmf = np.exp(log_binomial_pmf(k, samples, log_odds=log_odds))
    difference = np.convolve(pmf, pmf[::-1])[samples:]
    difference[1:] *= 2
    assert np.exp(law.log_pmf) == pytest.approx(difference[: law.log_pmf.size], abs=1e-13)
    tail = np.append(difference[::-1].cumsum()[::-1][1:], 0.0)
    assert np.exp(law.log_tail) == pytest.approx(tail[: law.log_pmf.size], abs=1e-12)


def test_tail_and_quantile():
    law = difference_law(1000, rate=0.3)
    assert law.log_above(np.array([-0.5]))[0] == 0
    assert law.log_above(np.array([1e9]))[0] == -math.inf
    assert law.log_above(np.array([7.9]))[0] == law.log_tail[7]
    for beta in (0.5, 0.01, 1e-12):
        d = law.quantile(beta)
        assert law.log_above(np.array(d)) <= math.log(beta) < law.log_above(np.array(d - 1))


def test_a_law_far_from_zero():
    # mean 300000, deviation 640: the window does not reach 0
    law = walk_law(10**6, up=0.4, down=0.1)
    mass = np.exp(law.log_pmf)
    mean = mass @ law.values
    assert law.first > 0
    assert mean == pytest.approx(300_000, rel=1e-10)
    variance = 10**6 * (0.5 - 0.3**2)
    assert mass @ (law.values - mean) ** 2 == pytest.approx(variance, rel=1e-9)


@examples(100)
@given(st.integers(1, 10**6), st.floats(0, 1), st.floats(-10, 10))
def test_binomial_masses_against_mpmath(count, share, log_odds):
    k = round(share * count)
    p = 1 / (1 + mp.exp(-mp.mpf(log_odds)))
    expected = (
        mp.loggamma(count + 1)
        - mp.loggamma(k + 1)
        - mp.loggamma(count - k + 1)
        + k * mp.log(p)
        + (count - k) * mp.log(1 / (1 + mp.exp(mp.mpf(log_odds))))
    )
    actual = float(log_binomial_pmf(k, count, log_odds=log_odds))
    assert abs(actual - float(expected)) <= 1e-12 + 1e-14 * abs(float(expected))
