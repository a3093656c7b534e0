"""The mean of samples from a Gaussian: the exact law of its distances, and its privacy."""

import math
from functools import reduce

import numpy as np
import pytest
from scipy.stats import norm

from dpviz.maths.gaussian_samples import (
    CLIP,
    RANGE,
    GaussianMean,
    difference_variance,
    gaussian_difference_law,
    item_law,
)


def test_an_item_is_a_clipped_and_rounded_gaussian():
    values, law = item_law()
    drawn = np.random.default_rng(0).normal(size=10**6)
    rounded = np.rint(np.clip(drawn, -CLIP, CLIP) * RANGE / (2 * CLIP))
    seen = np.array([(rounded == value).mean() for value in values])
    assert seen == pytest.approx(law, abs=5 * math.sqrt(0.25 / 10**6))
    assert law.sum() == pytest.approx(1)
    assert law[0] == pytest.approx(norm.cdf(-CLIP + CLIP / RANGE))
    assert difference_variance() == pytest.approx(2 * np.var(rounded) / RANGE**2, rel=0.01)


@pytest.mark.parametrize("samples", [1, 7, 64, 65, 150])
def test_the_law_against_convolutions_far_into_the_tail(samples):
    _, law = item_law()
    whole = reduce(np.convolve, [np.convolve(law, law[::-1])] * samples)
    expected = 2 * whole[whole.size // 2 :]
    expected[0] /= 2
    found = gaussian_difference_law(samples)
    assert np.exp(found.log_pmf) == pytest.approx(expected[: found.log_pmf.size], rel=1e-6)
    assert expected[found.log_pmf.size :].sum() < 1e-40


def test_a_large_sample_is_nearly_normal_and_its_tail_falls():
    samples = 10**5
    law = gaussian_difference_law(samples)
    deviation = math.sqrt(samples * difference_variance()) * RANGE
    assert np.all(np.diff(law.log_pmf[1:]) < 0)
    for beta in (0.05, 1e-6):
        assert law.quantile(beta) == pytest.approx(norm.isf(beta / 2) * deviation, rel=2e-3)


def test_an_item_moves_the_sum_by_the_sensitivity_and_no_more():
    mechanism, delta = GaussianMean(3.0), 1e-6
    steps, _ = item_law()
    assert np.ptp(steps) == RANGE
    assert mechanism.least_epsilon(RANGE, delta=delta) == mechanism.item_epsilon(delta)
    reach = float(mechanism.farthest(epsilon=0.5, delta=delta))
    assert mechanism.least_epsilon(reach, delta=delta) <= 0.5
    assert mechanism.least_epsilon(reach * 1.001, delta=delta) > 0.5


def test_pairs_drawn_follow_the_law():
    mechanism, rng = GaussianMean(3.0), np.random.default_rng(3)
    pairs = [mechanism.draw(50, 0.5, rng) for _ in range(4000)]
    distances = np.array([mechanism.distance(pair) for pair in pairs])
    assert np.all(distances == np.rint(distances))
    law = gaussian_difference_law(50)
    for beta in (0.5, 0.1):
        place = law.quantile(beta)
        share = math.exp(float(law.log_above(place)))
        assert (distances > place).mean() == pytest.approx(share, abs=0.04)
    _, one = item_law()
    differ = np.mean([pair.hamming for pair in pairs])
    assert differ == pytest.approx(50 * (1 - one @ one), rel=0.01)
    shown = mechanism.outputs(pairs[0])
    assert shown.x[np.argmax(shown.first)] == pytest.approx(pairs[0].first / (2 * CLIP), abs=0.1)
