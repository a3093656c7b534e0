"""Each mechanism as an attacker sees it: calibrated, simulated, and seen through its rows."""

import math

import numpy as np
import pytest
from dp_accounting import pld
from scipy import stats

from dpviz.maths.accounting.calibration import privacy_delta
from dpviz.maths.bounded_noise import PowerNoise
from dpviz.results.evidence import Bracket
from dpviz.results.parameters import ParameterError
from dpviz.topics.promise.calibrating import MECHANISMS, NOISES, least_epsilon, least_noise
from dpviz.topics.promise.releases import (
    BoundedRelease,
    GaussianRelease,
    GeometricRelease,
    LaplaceRelease,
    ResponseRelease,
)

RUNS = 60_000
ALARMS = np.array([1e-3, 0.01, 0.05, 0.2, 0.5, 0.8])
every = pytest.mark.parametrize("mechanism", MECHANISMS)


def calibrated(mechanism, **changes):
    usual = {"epsilon": 1.0, "delta": 1e-4, "queries": 5, "power": 2.0} | changes
    return least_noise(mechanism, **usual)


def losses(mechanism, release, moved, rng):
    """Privacy losses of simulated answers, from the densities: with the person, or without."""
    match release:
        case GaussianRelease(mu=mu):
            answers = rng.normal(mu * moved, 1, RUNS)
            return mu * answers - mu**2 / 2
        case GeometricRelease(loss=loss, count=count):
            stay = -math.expm1(-loss)
            noise = rng.geometric(stay, (2, RUNS, count))
            answers = noise[0] - noise[1] + moved
            return (loss * (np.abs(answers) - np.abs(answers - 1))).sum(axis=1)
        case ResponseRelease(loss=loss, count=count):
            kept = rng.random((RUNS, count)) < 1 / (1 + math.exp(-loss))
            said = kept if moved else ~kept
            return (loss * (2.0 * said - 1)).sum(axis=1)
        case LaplaceRelease(loss=loss, count=count):
            answers = stats.laplace.rvs(size=(RUNS, count), random_state=rng) / loss + moved
            return (loss * (np.abs(answers) - np.abs(answers - 1))).sum(axis=1)
        case BoundedRelease(noise=noise, shift=shift, count=count):
            answers = noise.sample(rng, (RUNS, count)) + shift * moved
            with np.errstate(invalid="ignore"):
                gaps = noise.log_density(answers - shift) - noise.log_density(answers)
            return np.nan_to_num(gaps, posinf=math.inf, neginf=-math.inf).sum(axis=1)
    raise TypeError(mechanism)


@every
def test_simulated_best_attackers_do_not_beat_the_curve(mechanism):
    """Neyman and Pearson's attackers, each threshold: within five standard errors below and at it.

    They are the best there are, so that they come up to the curve as well.
    """
    release = calibrated(mechanism)
    rng = np.random.default_rng(7)
    inside = losses(mechanism, release, 1, rng)
    outside = losses(mechanism, release, 0, rng)
    for threshold in np.quantile(outside, [0.3, 0.6, 0.9, 0.99]):
        alarm, hit = np.mean(outside > threshold), np.mean(inside > threshold)
        slope = math.exp(threshold)
        error = 5 * math.sqrt(hit * (1 - hit) / RUNS)
        error += 5 * slope * math.sqrt(alarm * (1 - alarm) / RUNS)
        low, high = release.hits(np.array([alarm]))
        assert low[0] - error <= hit <= high[0] + error


@every
@pytest.mark.parametrize("queries", [1, 5, 200])
def test_the_least_noise_keeps_the_promise_and_no_less_would(mechanism, queries):
    release = calibrated(mechanism, queries=queries)
    low, high = (np.exp(ends)[0] for ends in release.log_delta(np.array([1.0])))
    assert high <= 1e-4 * (1 + 0.01)
    assert low >= 1e-4 * (1 - 0.05)
    found = least_epsilon(release, 1e-4)
    assert found.lower <= 1.0 * (1 + 1e-3)
    assert found.upper >= 1.0 * (1 - 5e-3)
    assert found.relative_width < 0.01


@pytest.mark.parametrize("start", [None, 1e-6, 40.0, 70.0])
def test_the_least_epsilon_is_found_from_any_guess(start):
    """δ of one Laplace answer at an ε below its largest loss is 1 − e^((ε − ε₀)/2)."""
    exact = 60 + 2 * math.log1p(-0.05)
    found = least_epsilon(LaplaceRelease(60.0, 1), 0.05, start)
    assert found.lower <= exact <= found.upper
    assert found.relative_width < 1e-3


def test_a_delta_that_suffices_alone_needs_no_epsilon():
    assert least_epsilon(LaplaceRelease(0.01, 1), 0.1) == Bracket(0.0, 0.0)


@every
def test_the_promise_is_an_upper_bound_on_all_attackers(mechanism):
    release = calibrated(mechanism, queries=3)
    _, high = release.hits(ALARMS)
    promised = np.minimum(1e-4 + math.e * ALARMS, 1 - (1 - 1e-4 - ALARMS) / math.e)
    assert np.all(high <= np.minimum(promised, 1) * 1.01)


@every
def test_gaussian_privacy_bounds_it_where_there_is_any(mechanism):
    release = calibrated(mechanism)
    if mechanism == "bounded":
        assert release.gaussian_mu == math.inf
        assert release.log_floor > -math.inf
        return
    low, _ = release.hits(ALARMS)
    mu = release.gaussian_mu
    assert np.all(low <= stats.norm.cdf(stats.norm.ppf(ALARMS) + mu) + 1e-12)


def test_laplace_answers_agree_with_dp_accounting_after_calibration():
    release = calibrated("laplace", queries=20, delta=1e-6)
    one = pld.privacy_loss_distribution.from_laplace_mechanism(
        1 / release.loss, value_discretization_interval=1e-4
    )
    delta = one.self_compose(20).get_delta_for_epsilon(1.0)
    assert delta == pytest.approx(1e-6, rel=5e-3)


def test_the_floor_is_the_mass_beyond_the_end():
    release = BoundedRelease(PowerNoise(0.5), 0.5, 4)
    rng = np.random.default_rng(3)
    beyond = (release.noise.sample(rng, (400_000, 4)) > 0.5).any(axis=1).mean()
    floor = math.exp(release.log_floor)
    assert beyond == pytest.approx(floor, abs=5 * math.sqrt(floor / 400_000))
    low, _ = release.log_delta(np.array([40.0]))
    assert math.exp(low[0]) >= floor * (1 - 1e-3)
    assert least_epsilon(release, floor / 2).upper == math.inf


def test_bounded_delta_is_that_of_the_accountant():
    release = BoundedRelease(PowerNoise(2.0), 1 / 40, 50)
    low, high = np.exp(release.log_delta(np.array([0.5, 1.0, 3.0])))
    for i, epsilon in enumerate((0.5, 1.0, 3.0)):
        known = privacy_delta(PowerNoise(2.0), 40.0, epsilon=epsilon, queries=50)
        assert low[i] <= known.upper
        assert known.lower <= high[i]
    assert np.all(np.diff(high) <= 0)


@pytest.mark.parametrize("rows", [2, 7])
def test_rows_of_one_person_move_answers_as_far(rows):
    """Noise seen by who has m rows: the same as noise m times smaller, or m bits, or m steps."""
    assert GaussianRelease(0.3).of_rows(rows) == GaussianRelease(0.3 * rows)
    assert LaplaceRelease(0.2, 3).of_rows(rows) == LaplaceRelease(0.2 * rows, 3)
    assert ResponseRelease(0.2, 3).of_rows(rows) == ResponseRelease(0.2, 3 * rows)
    seen = GeometricRelease(0.2, 2).of_rows(rows)
    x = np.arange(-200, 201)
    mass = np.exp(-0.2 * np.abs(x)) * math.tanh(0.1)
    pair = np.convolve(mass, [1.0])
    p = np.exp(-0.2 * np.abs(x - rows)) * math.tanh(0.1)
    two_p, two_q = np.outer(p, p), np.outer(pair, pair)
    expected = np.maximum(two_p - math.exp(0.3) * two_q, 0).sum()
    low, high = np.exp(seen.log_delta(np.array([0.3])))
    assert low[0] <= expected * (1 + 1e-9)
    assert expected <= high[0] * (1 + 1e-9)
    assert high[0] == pytest.approx(low[0], rel=1e-6)


def test_names_and_refusals():
    assert MECHANISMS.keys() == NOISES.keys()
    with pytest.raises(ParameterError, match="mechanism"):
        calibrated("dice")
    with pytest.raises(ParameterError, match="epsilon"):
        calibrated("laplace", epsilon=-1.0)
