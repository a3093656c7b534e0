"""Where searches begin is near where they end, whatever regime decides."""

import math

import numpy as np
import pytest

from dpviz.maths import gaussian
from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.accounting.starts import likely_radius
from dpviz.maths.bounded_noise import PowerNoise

_FAR = 0.15


def settings():
    rng = np.random.default_rng(1)
    for _ in range(8):
        yield (
            PowerNoise(float(rng.choice([0.5, 1.0, 2.0, 4.0, 8.0]))),
            10 ** rng.uniform(-3, 1),
            math.exp(-(rng.uniform(2.1, 12) ** 2)),
            float(round(10 ** rng.uniform(0.3, 7))),
        )


@pytest.mark.parametrize(("noise", "epsilon", "delta", "queries"), list(settings()))
def test_a_likely_radius_is_near_the_certified_one(noise, epsilon, delta, queries):
    at = {"epsilon": epsilon, "delta": delta, "queries": queries}
    start = likely_radius(noise, float(gaussian.minimal_sigma(**at)), **at)
    radius = minimal_radius(noise, **at, start=start, width=2e-2)
    assert abs(math.log(start / radius.upper)) < _FAR
