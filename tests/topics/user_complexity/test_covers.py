"""Covers: every member of a family has a candidate within the radius that is stated."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

from dpviz.topics.user_complexity.covers import (
    BOUNDED_REACH,
    FREQUENT,
    KNOWN_REACH,
    RARE,
    STRETCH,
    _log_covariances,
    _overlap_log,
    bounded_cover,
    known_cover,
    known_distance,
    product_cover,
    product_laws,
    product_radius,
)


def bits_law(rates):
    """The law of independent bits, point by point."""
    points = itertools.product((0, 1), repeat=len(rates))
    chances = [
        math.prod(p if bit else 1 - p for p, bit in zip(reversed(rates), point, strict=True))
        for point in points
    ]
    return np.array(chances)


def test_a_product_distribution_is_the_product_of_its_bits():
    rates = [0.3, 0.55, 0.7]
    assert product_laws(rates) == pytest.approx(bits_law(rates))


@pytest.mark.parametrize(("dimension", "radius"), [(1, 0.05), (2, 0.05), (3, 0.1), (6, 0.15)])
def test_every_product_distribution_has_a_candidate_near(dimension, radius):
    cover = product_cover(dimension, radius, 729)
    assert cover.radius <= radius
    rng = np.random.default_rng(0)
    corners = rng.choice([RARE, FREQUENT], size=(20, dimension))
    members = np.concatenate([corners, rng.uniform(RARE, FREQUENT, size=(60, dimension))])
    laws = product_laws(cover.rates)
    nearest = [np.abs(laws - bits_law(member.tolist())).sum(axis=1).min() / 2 for member in members]
    assert max(nearest) <= cover.radius + 1e-12
    assert nearest[0] > 0.6 * cover.radius  # not stated much too large


@pytest.mark.parametrize(("dimension", "levels"), [(1, 2), (2, 2), (3, 3)])
def test_no_member_of_a_cell_is_farther_than_its_corners(dimension, levels):
    fine = np.linspace(RARE, FREQUENT, 13)
    cover = product_cover(dimension, product_radius(dimension, levels), 10**4)
    members = product_laws(np.array(list(itertools.product(fine, repeat=dimension))))
    laws = product_laws(cover.rates)
    nearest = np.abs(members[:, None] - laws[None]).sum(axis=2).min(axis=1) / 2
    assert nearest.max() <= product_radius(dimension, levels) + 1e-12


@pytest.mark.parametrize("shift", [0.1, 1.0, 2.5])
def test_the_distance_of_shifted_gaussians_is_the_integral(shift):
    apart = integrate.quad(
        lambda x: abs(stats.norm.pdf(x) - stats.norm.pdf(x - shift)) / 2, -9, 12, points=[shift / 2]
    )
    assert known_distance(shift) == pytest.approx(apart[0], abs=1e-8)


@pytest.mark.parametrize(("dimension", "radius"), [(1, 0.025), (2, 0.1), (3, 0.15)])
def test_every_mean_has_a_candidate_near(dimension, radius):
    cover = known_cover(dimension, radius, 400)
    rng = np.random.default_rng(1)
    means = rng.normal(size=(500, dimension))
    means *= KNOWN_REACH * rng.random((500, 1)) ** 0.2 / np.linalg.norm(means, axis=1)[:, None]
    apart = np.linalg.norm(means[:, None] - cover.means[None], axis=2).min(axis=1)
    assert known_distance(apart).max() <= cover.radius <= radius
    assert known_distance(apart).max() > 0.6 * cover.radius


def a_covariance(rng, dimension):
    turn = stats.ortho_group.rvs(dimension, random_state=rng) if dimension > 1 else np.eye(1)
    return (turn * rng.choice([1, 1.2, STRETCH], size=dimension)) @ turn.T


def of_matrix(function, matrix):
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * function(values)) @ vectors.T


def overlap(mean, covariance, other_mean, other):
    """The integral of the root of the product of two Gaussian densities."""
    middle, apart = (covariance + other) / 2, mean - other_mean
    dets = (np.linalg.det(covariance) * np.linalg.det(other)) ** 0.25
    return (
        dets
        / math.sqrt(np.linalg.det(middle))
        * math.exp(-apart @ np.linalg.solve(middle, apart) / 8)
    )


@pytest.mark.parametrize(("dimension", "radius"), [(1, 0.1), (2, 0.175), (2, 0.2)])
def test_every_gaussian_of_bounded_covariance_has_a_candidate_near(dimension, radius):
    cover = bounded_cover(dimension, radius, 400)
    assert cover.radius <= radius
    rng = np.random.default_rng(2)
    for _ in range(12):
        covariance = a_covariance(rng, dimension)
        mean = rng.normal(size=dimension)
        mean *= BOUNDED_REACH * rng.random() ** 0.2 / np.linalg.norm(mean)
        best = max(
            overlap(mean, covariance, *candidate)
            for candidate in zip(cover.means, cover.covariances, strict=True)
        )
        assert math.sqrt(1 - best**2) <= cover.radius + 1e-12  # at least the distance


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_the_overlap_of_near_covariances_is_not_less_than_its_bound(dimension):
    rng = np.random.default_rng(3)
    zero = np.zeros(dimension)
    for slack in (0.1, 0.5):
        least = 1.0
        for _ in range(60):
            first = of_matrix(np.log, a_covariance(rng, dimension))
            step = rng.normal(size=(dimension, dimension))
            step = step + step.T
            second = first + slack * step / np.linalg.norm(step)
            least = min(
                least, overlap(zero, of_matrix(np.exp, first), zero, of_matrix(np.exp, second))
            )
        assert math.exp(_overlap_log(dimension, slack)) <= least
        assert 1 - math.exp(_overlap_log(dimension, slack)) < 2.5 * (1 - least)


def test_boxes_of_covariances_reach_every_member():
    middles, slack = _log_covariances(2, 3)
    rng = np.random.default_rng(4)
    for _ in range(100):
        log = of_matrix(np.log, a_covariance(rng, 2))
        assert np.linalg.norm(middles - log, axis=(1, 2)).min() <= slack + 1e-12


def test_too_many_candidates_are_no_cover():
    assert product_cover(6, 0.1, 729) is None
    assert known_cover(3, 0.025, 400) is None
    assert bounded_cover(2, 0.1, 400) is None
