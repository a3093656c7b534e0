"""Independent noise of least radius: which it is, and that it is drawn within that radius."""

import math

import numpy as np
import pytest

from dpviz.maths.accounting.tuning import tuned_noise
from dpviz.maths.laplace_rivals import TruncatedLaplace, truncated_laplace_noise
from dpviz.maths.least_noise import least_noise, rivals_at
from dpviz.maths.optimal_noise import EndStaircase, end_staircase
from dpviz.maths.rivals import RIVALS
from dpviz.maths.tuned_noise import TunedNoise
from dpviz.results.parameters import ParameterError

PRIVACY = {"epsilon": 1.0, "delta": 1e-5}


@pytest.mark.parametrize(
    ("queries", "kind"), [(1, EndStaircase), (2, TruncatedLaplace), (150, TunedNoise)]
)
def test_the_least_noise_is_the_least_of_those_that_are_compared(queries, kind):
    least = least_noise(**PRIVACY, queries=queries)
    assert isinstance(least.noise, kind)
    rivals = rivals_at(**PRIVACY, queries=queries).values()
    tuned = tuned_noise(**PRIVACY, queries=queries).best.radius.upper  # in its bracket
    compared = min(tuned, *(rival.radius for rival in rivals))
    assert compared == pytest.approx(least.radius, rel=1e-3)


def test_tuned_and_truncated_laplace_noise_are_both_asked_up_to_a_hundred_answers():
    asked = PRIVACY | {"queries": 10}
    radii = tuned_noise(**asked).best.radius.upper, truncated_laplace_noise(**asked).radius
    assert least_noise(**asked).radius == min(radii)


def test_rivals_are_those_that_are_computed_for_so_many_answers():
    assert set(rivals_at(**PRIVACY, queries=1)) == set(RIVALS)
    assert rivals_at(**PRIVACY, queries=10**6) == {}


@pytest.mark.parametrize("queries", [1, 2, 150])
def test_errors_are_drawn_within_the_radius(queries):
    least = least_noise(**PRIVACY, queries=queries)
    errors = least.sample(np.random.default_rng(5), (2000, 2))
    assert errors.shape == (2000, 2)
    assert np.abs(errors).max() <= least.radius
    if queries == 1:
        noise = end_staircase(**PRIVACY)
        away = errors.std() / noise.standard_deviation - 1
        assert abs(away) < 5 * math.sqrt(1.25 / errors.size)  # kurtosis below 6


def test_bad_parameters_are_refused():
    with pytest.raises(ParameterError, match="epsilon"):
        least_noise(epsilon=0.0, delta=0.1, queries=1)
