"""Two errors in their square: along each line they are equally likely, by their density."""

import numpy as np
import pytest

from dpviz.maths.joint_noise import JointNoise, joint_radius
from dpviz.maths.laplace_rivals import TruncatedLaplace
from dpviz.maths.least_noise import least_noise
from dpviz.topics.bounded_noise.two_errors import two_errors
from dpviz.topics.bounded_noise.two_errors_shown import takeaway


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-10), (2.0, 0.3)])
def test_two_errors_are_equally_likely_along_each_line(epsilon, delta):
    first, last = two_errors(epsilon=epsilon, delta=delta)
    assert "looked for" in takeaway(first)
    together, apart = last.together, last.apart
    noise = least_noise(epsilon=epsilon, delta=delta, queries=2).noise
    falls = []
    for x, y in apart.lines:
        if isinstance(noise, TruncatedLaplace):
            fall = noise.rate * (np.abs(x) + np.abs(y))
        else:
            u = np.abs(np.array([x, y])) / apart.radius
            fall = (noise.log_density(0.0) - noise.log_density(u)).sum(axis=0)
        inside = np.maximum(np.abs(x), np.abs(y)) < 0.98 * apart.radius  # the wall cuts some off
        falls.append(np.median(fall[inside]))
        np.testing.assert_allclose(fall[inside], falls[-1], rtol=0.02, atol=1e-3)
    assert np.diff(falls) == pytest.approx(last.fall, rel=0.02)
    for x, y in together.lines:
        assert np.ptp(np.maximum(np.abs(x), np.abs(y))) == 0
    assert together.lines[-1][0].max() == together.radius < apart.radius


def test_what_is_said_is_certified():
    *_, result = two_errors(epsilon=0.1, delta=1e-10)
    privacy = {"epsilon": 0.1, "delta": 1e-10, "queries": 2}
    assert result.together.radius == joint_radius(**privacy).upper
    assert result.apart.radius == least_noise(**privacy).radius
    assert "232.3 Δ, and drawn one by one none exceeds 401.2 Δ" in takeaway(result)
    drawn = JointNoise(0.1, 2, result.together.radius).sample(np.random.default_rng(0), 1000)
    assert np.abs(drawn).max() <= result.together.radius
