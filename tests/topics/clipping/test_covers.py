"""How near covers come to every distribution."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from dpviz.topics.clipping.covers import cover, lattice_radius, lattice_scale, total_variation
from tests.support.examples import chosen


def nearest_by_brute_force(points, law):
    return min(total_variation(point, law) for point in points)


@pytest.mark.parametrize(("k", "scale"), [(2, 5), (3, 4), (3, 7), (4, 3), (5, 2), (6, 3), (9, 1)])
def test_the_radius_of_a_lattice(k, scale):
    points = [
        np.array(shares) / scale
        for shares in itertools.product(range(scale + 1), repeat=k)
        if sum(shares) == scale
    ]
    radius = lattice_radius(k, scale)
    rng = np.random.default_rng(0)
    for law in rng.dirichlet(np.ones(k), 300):
        assert nearest_by_brute_force(points, law) <= radius + 1e-12
    rounded = range(1, min(k, scale) + 1)
    worst = [np.full(k, r / k / scale) + (scale - r) / scale * (np.arange(k) == 0) for r in rounded]
    assert max(nearest_by_brute_force(points, law) for law in worst) == pytest.approx(radius)


@pytest.mark.parametrize("k", chosen(range(2, 17), (2, 3, 5, 9, 16)))
@pytest.mark.parametrize("candidates", [2, 7, 64])
def test_covers_are_distributions_and_say_how_near_they_come(k, candidates):
    found = cover(k, candidates)
    assert 2 <= len(found.points) <= candidates
    assert found.points.shape[1] == k
    assert np.all(found.points >= -1e-12)
    np.testing.assert_allclose(found.points.sum(axis=1), 1)
    drawn = np.random.default_rng(5).dirichlet(np.ones(k), 2000)
    nearest = np.min([total_variation(drawn, point) for point in found.points], axis=0)
    if found.exact:
        assert nearest.max() <= found.radius + 1e-12
    else:
        assert stats.binomtest(int((nearest <= found.radius).sum()), 2000, 0.95).pvalue > 1e-5


def test_the_scale_is_the_finest_there_is_room_for():
    for k, candidates in itertools.product(range(2, 17), (2, 16, 64)):
        scale = lattice_scale(k, candidates)
        assert math.comb(scale + k, k - 1) > candidates
        assert scale == 0 or math.comb(scale + k - 1, k - 1) <= candidates
