"""Trade-off functions against brute force: all tests of small pairs, and thresholds by the book."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpviz.maths import trade_off
from dpviz.maths.divergence import log_finite
from dpviz.results.parameters import ParameterError
from tests.support.examples import examples

ALARMS = np.concatenate([[0.0], np.geomspace(1e-8, 0.5, 25), [0.6, 0.8, 0.97, 1.0]])
laws = st.lists(st.floats(0.01, 1.0), min_size=2, max_size=6).map(
    lambda masses: np.array(masses) / np.sum(masses)
)


def brute_force(p, q, alarms):
    """The best hits at each α over all 2^n sets of outcomes, with coin flips between any two."""
    sets = np.array(list(itertools.product([0.0, 1.0], repeat=p.size)))
    points = np.column_stack([sets @ q, sets @ p])
    best = np.zeros(alarms.shape)
    for (x0, y0), (x1, y1) in itertools.product(points, points):
        if x0 <= x1:
            inside = (alarms >= x0 - 1e-15) & (alarms <= x1 + 1e-15)
            weight = (alarms - x0) / (x1 - x0) if x1 > x0 else np.ones(alarms.shape)
            best = np.where(inside, np.maximum(best, y0 + weight * (y1 - y0)), best)
    return best


def shifted(distribution, shift, cells=200_001, reach=60.0):
    """Masses of a noise on narrow cells, and of the noise moved: an oracle for closed forms."""
    edges = np.linspace(-reach, reach, cells)
    p = np.diff(distribution.cdf(edges - shift), prepend=0, append=1)
    q = np.diff(distribution.cdf(edges), prepend=0, append=1)
    return p, q


def likeliest_first(p, q):
    """H of two finite laws by the lemma of Neyman and Pearson."""
    order = np.argsort(-p / np.where(q > 0, q, 1e-300), kind="stable")
    alarms, hits = (np.append(0.0, np.minimum(np.cumsum(law[order]), 1.0)) for law in (q, p))
    alarms[-1] = hits[-1] = 1.0
    return trade_off.Corners(alarms, hits)


@examples(25)
@given(st.data())
def test_corners_are_the_best_of_all_tests(data):
    p = data.draw(laws)
    q = data.draw(laws.filter(lambda law: law.size == p.size))
    alarms = np.linspace(0, 1, 21)
    expected = brute_force(p, q, alarms)
    np.testing.assert_allclose(likeliest_first(p, q).at(alarms), expected, atol=1e-9)


@examples(40)
@given(st.data())
def test_a_profile_of_points_bounds_the_curve_from_both_sides(data):
    p = data.draw(laws)
    p = (p[:, None] * p[::-1][None, :]).ravel()  # any law, made symmetric by its own reverse
    q = p[::-1]
    exact = likeliest_first(p, q).at(ALARMS)
    epsilon = np.linspace(0, np.log(p / q).max() + 0.1, data.draw(st.integers(2, 30)))
    delta = np.exp(log_finite(np.log(p), np.log(q), epsilon=epsilon))
    slack = data.draw(st.sampled_from([0.0, 1e-6, 1e-3]))
    profile = trade_off.two_sided(epsilon, delta * (1 - slack), np.minimum(delta * (1 + slack), 1))
    low, high = trade_off.hit_bounds(profile, ALARMS)
    assert np.all(low <= exact + 1e-12)
    assert np.all(exact <= high + 1e-12)


def test_delta_at_negative_epsilon_is_that_of_the_definition():
    rng = np.random.default_rng(0)
    half = rng.dirichlet(np.ones(5))
    p = np.outer(half, half[::-1]).ravel()
    q = p[::-1]
    for epsilon in (0.0, 0.3, 1.7):
        delta = np.maximum(p - math.exp(epsilon) * q, 0).sum()
        expected = np.maximum(p - math.exp(-epsilon) * q, 0).sum()
        assert trade_off.delta_at_minus(epsilon, delta) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("mu", [0.1, 1.0, 3.0])
def test_gaussian_hits_are_those_of_a_fine_grid(mu):
    alarms = ALARMS[1:]  # in the oracle, the far cells of one law underflow first
    expected = likeliest_first(*shifted(stats.norm, mu)).at(alarms)
    np.testing.assert_allclose(trade_off.gaussian_hits(alarms, mu=mu), expected, rtol=1e-3)


@pytest.mark.parametrize("loss", [0.1, 1.0, 4.0])
def test_laplace_hits_are_those_of_a_fine_grid(loss):
    expected = likeliest_first(*shifted(stats.laplace, loss)).at(ALARMS[1:])
    np.testing.assert_allclose(trade_off.laplace_hits(ALARMS[1:], loss=loss), expected, rtol=1e-3)


@pytest.mark.parametrize(("count", "loss"), [(1, 1.0), (3, 0.5), (8, 1.5)])
def test_responses_are_all_strings_of_bits(count, loss):
    kept = 1 / (1 + math.exp(-loss))
    strings = np.array(list(itertools.product([0, 1], repeat=count)))
    p = np.where(strings == 1, kept, 1 - kept).prod(axis=1)
    expected = likeliest_first(p, p[::-1]).at(ALARMS)
    corners = trade_off.response_corners(count, loss=loss)
    np.testing.assert_allclose(corners.at(ALARMS), expected, rtol=1e-10)


def test_the_promise_is_attained_and_never_exceeded():
    epsilon, delta = 0.7, 0.05
    # with probability δ all is told, otherwise one bit is flipped
    kept = (1 - delta) / (1 + math.exp(-epsilon))
    p = np.array([delta, kept, 1 - delta - kept, 0.0])
    corners = likeliest_first(p, p[::-1])
    expected = trade_off.promised_hits(ALARMS, epsilon=epsilon, delta=delta)
    np.testing.assert_allclose(corners.at(ALARMS), expected, atol=1e-12)


@pytest.mark.parametrize(("count", "loss"), [(1, 1.0), (20, 0.2), (1000, 0.01)])
def test_the_least_mu_bounds_and_touches(count, loss):
    corners = trade_off.response_corners(count, loss=loss)
    mu = corners.gaussian_mu
    fine = np.linspace(0, 1, 5001)
    assert np.all(corners.at(fine) <= trade_off.gaussian_hits(fine, mu=mu) + 1e-12)
    less = trade_off.gaussian_hits(corners.false_alarms, mu=mu - 1e-6)
    assert np.any(corners.hits > less)
    if count == 1:
        assert mu == pytest.approx(trade_off.response_mu(loss))


def test_precision_and_posterior_are_counts_of_people():
    prior, hits, alarms = 0.2, 0.6, 0.1
    right, wrong = 1000 * prior * hits, 1000 * (1 - prior) * alarms
    found = trade_off.precision(prior, hits=hits, false_alarms=alarms)
    assert found == pytest.approx(right / (right + wrong))
    assert trade_off.precision(prior, hits=0.0, false_alarms=0.0) == prior
    assert trade_off.posterior(0.5, loss=math.log(3)) == pytest.approx(0.75)
    assert trade_off.posterior(0.1, loss=math.inf) == 1


def test_what_is_no_probability_is_refused():
    with pytest.raises(ParameterError):
        trade_off.gaussian_hits([0.5, 1.1], mu=1.0)
