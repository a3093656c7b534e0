"""Sweeps are the scalar functions at every point, in the shape that numpy gives."""

import numpy as np
import pytest

from dpviz.maths import bounded_noise, gaussian, sweeps
from dpviz.maths.accounting import calibration, tuning
from dpviz.maths.bounded_noise import PowerNoise
from dpviz.maths.noise_converse import least_radius
from dpviz.results.evidence import Bracket
from dpviz.results.parameters import ParameterError

NOISE = PowerNoise(2.0)
K, EPSILON, DELTA = np.array([[100.0], [1e4]]), np.array([0.1, 1.0]), 1e-6
AT = [(i, j, {"epsilon": EPSILON[j], "queries": K[i, 0]}) for i in range(2) for j in range(2)]


def test_errors_are_those_at_the_least_radius():
    hard = sweeps.largest_errors(NOISE, epsilon=EPSILON, delta=DELTA, queries=K, sensitivity=2)
    soft = sweeps.largest_errors(
        NOISE, epsilon=EPSILON, delta=DELTA, queries=K, sensitivity=2, failure_probability=0.05
    )
    assert hard.lower.shape == soft.upper.shape == (2, 2)
    for i, j, point in AT:
        radius = calibration.minimal_radius(NOISE, delta=DELTA, sensitivity=2, **point)
        # Both are certified: they overlap, and neither is wider than promised.
        assert radius.lower <= hard.upper[i, j]
        assert hard.lower[i, j] <= radius.upper
        assert hard.upper[i, j] == pytest.approx(hard.lower[i, j], rel=1e-4)
        error = bounded_noise.max_error(
            NOISE, hard.upper[i, j], queries=K[i, 0], failure_probability=0.05
        )
        assert soft.upper[i, j] == pytest.approx(error, rel=1e-12)
        assert soft.upper[i, j] < hard.lower[i, j]
    assert hard.midpoint == pytest.approx((hard.lower + hard.upper) / 2)


def test_deltas_meet_those_of_each_point():
    radius = calibration.minimal_radii(NOISE, epsilon=EPSILON, delta=DELTA, queries=K).upper
    found = sweeps.privacy_deltas(NOISE, radius, epsilon=EPSILON, queries=K)
    assert np.all(found.upper <= DELTA)  # at a radius that is private
    assert found.lower == pytest.approx(np.full((2, 2), DELTA), rel=0.05)
    for i, j, point in AT:
        alone = calibration.privacy_delta(NOISE, radius[i, j], **point)
        assert alone.lower <= found.lower[i, j] <= found.upper[i, j] <= alone.upper


def test_bounds_on_delta_fall_and_grow_as_delta_does(monkeypatch):
    """Each point has bounds of its own, which need not fall where δ does."""
    exact = np.geomspace(1e-2, 1e-8, 7)  # of ε = 1 to 7
    loose = np.array([2.0, 1.1, 9.0, 1.01, 80.0, 3.0, 1.0])

    def bounds(*_, epsilon, **_rest):
        i = round(epsilon) - 1
        return Bracket(exact[i] / loose[i], exact[i] * loose[i])

    monkeypatch.setattr(calibration, "privacy_delta", bounds)
    epsilon = np.arange(7.0, 0.0, -1)
    found = sweeps.privacy_deltas(NOISE, 50.0, epsilon=epsilon, queries=100)
    for values in (found.lower, found.upper):
        assert np.all(np.diff(values) >= 0)
    assert np.all((found.lower <= exact[::-1]) & (exact[::-1] <= found.upper))
    assert found.upper[2] == exact[3] * loose[3]  # at ε = 5, what is known of ε = 4
    # where less is hidden, a bound says nothing about a point that hides more
    apart = sweeps.privacy_deltas(NOISE, [50.0, 40.0], epsilon=[4.0, 5.0], queries=100)
    assert apart.upper == pytest.approx([exact[3] * loose[3], exact[4] * loose[4]])


def test_the_converse_and_the_tuned_noise_enclose_what_is_possible():
    below = sweeps.least_radii(epsilon=EPSILON, delta=DELTA, queries=K)
    tuned = sweeps.tuned_noises(epsilon=EPSILON[0], delta=DELTA, queries=K[:, 0])
    assert below.shape == (2, 2)
    assert tuned.radius.upper.shape == tuned.gain.shape == (2,)
    for i, j, point in AT:
        assert below[i, j] == least_radius(delta=DELTA, **point)
    assert np.all(below[:, 0] < tuned.radius.lower)
    alone = tuning.tuned_noise(epsilon=EPSILON[0], delta=DELTA, queries=K[1, 0])
    assert tuned.radius.upper[1] == alone.best.radius.upper
    assert tuned.gain[1] == alone.gain > 0
    noise = alone.best.noise
    assert (tuned.barrier[1], tuned.bulk[1], tuned.power[1], tuned.cut[1]) == (
        noise.barrier,
        noise.bulk,
        noise.power,
        noise.cut,
    )


def test_the_gaussian_front_broadcasts_too():
    sigma = gaussian.minimal_sigma(epsilon=EPSILON, delta=DELTA, queries=K)
    assert sigma.shape == (2, 2)
    for i, j, point in AT:
        assert sigma[i, j] == pytest.approx(
            float(gaussian.minimal_sigma(delta=DELTA, **point)), rel=1e-13
        )


def test_one_point_is_a_sweep_without_a_shape():
    point = {"epsilon": 0.5, "delta": 1e-6, "queries": 100}
    assert sweeps.least_radii(**point).shape == ()
    assert sweeps.tuned_noises(**point).radius.upper.shape == ()


@pytest.mark.parametrize(
    "sweep",
    [
        lambda **p: sweeps.largest_errors(NOISE, **p),
        sweeps.least_radii,
        sweeps.tuned_noises,
        lambda delta, **p: sweeps.privacy_deltas(NOISE, 1 / delta, **p),
    ],
)
def test_one_bad_point_is_named(sweep):
    with pytest.raises(ParameterError) as refusal:
        sweep(epsilon=[0.1, np.nan], delta=1e-6, queries=100)
    assert refusal.value.name == "epsilon"
