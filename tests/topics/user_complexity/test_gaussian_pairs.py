"""Where one Gaussian is likelier than another, against SciPy's densities and simulation."""

import numpy as np
import pytest
from scipy import stats

from dpviz.results.parameters import ParameterError
from dpviz.topics.user_complexity.gaussian_pairs import features, log_ratio, mass_of_wins

MEANS = [np.array([0.3, -0.2]), np.array([-0.5, 0.6]), np.array([0.3, -0.2])]
COVARIANCES = [
    np.array([[1.5, 0.3], [0.3, 1.1]]),
    np.array([[1.0, 0.0], [0.0, 1.0]]),
    np.array([[1.2, -0.2], [-0.2, 1.9]]),
]
PRECISIONS = np.linalg.inv(np.array(COVARIANCES))


def density(i):
    return stats.multivariate_normal(MEANS[i], COVARIANCES[i])


@pytest.mark.parametrize(("h", "g"), [(0, 1), (1, 2), (2, 0)])
def test_the_log_ratio_is_that_of_the_densities(h, g):
    points = np.random.default_rng(0).normal(size=(50, 2)) * 2
    slopes, level = log_ratio(MEANS[h], PRECISIONS[h], MEANS[g][None], PRECISIONS[g][None])
    ours = features(points, products=True) @ slopes[0] + level[0]
    assert ours == pytest.approx(density(h).logpdf(points) - density(g).logpdf(points))


@pytest.mark.parametrize(("h", "g"), [(0, 1), (1, 2), (2, 0), (0, 2)])
def test_the_mass_of_wins_is_that_of_many_draws(h, g):
    runs = 200_000
    points = density(h).rvs(runs, random_state=np.random.default_rng(h + 3 * g))
    share = np.mean(density(h).logpdf(points) > density(g).logpdf(points))
    mass = mass_of_wins(MEANS[h], COVARIANCES[h], MEANS[g][None], PRECISIONS[g][None])
    assert mass[0] == pytest.approx(share, abs=4 * 0.5 / runs**0.5 + 2e-3)


def test_in_one_dimension_the_mass_is_that_between_the_roots():
    wide, narrow = np.array([[4.0]]), np.array([[1.0]])
    mean, other = np.array([0.0]), np.array([0.5])
    # The densities cross where x²/8 + ln 2 = (x − 1/2)²/2.
    roots = np.sort(np.roots([0.5 - 0.125, -0.5, 0.125 - np.log(2)]))
    inside = np.diff(stats.norm(0, 2).cdf(roots))[0]
    ours = mass_of_wins(mean, wide, other[None], narrow[None])
    assert ours[0] == pytest.approx(1 - inside)
    back = mass_of_wins(other, narrow, mean[None], np.array([[[0.25]]]))
    assert back[0] == pytest.approx(np.diff(stats.norm(0.5, 1).cdf(roots))[0])


def test_three_dimensions_are_refused():
    with pytest.raises(ParameterError, match=r"^mean must be in one or two"):
        mass_of_wins(np.zeros(3), np.eye(3), np.zeros((1, 3)), np.eye(3)[None])
