"""Private logistic regression against SciPy, and its privacy against densities worked out here."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import kstest, laplace

from dpviz.topics.public_data.algorithms import Labelled
from dpviz.topics.public_data.real import logistic


def drawn(rng, units=12, rows=1, d=3):
    x = rng.normal(size=(units * rows, d))
    x /= np.maximum(1, np.linalg.norm(x, axis=1, keepdims=True))
    y = rng.choice([-1.0, 1.0], units * rows)
    return Labelled(x, y, np.full(units * rows, 1 / rows))


def objective(data, w, strength, tilt):
    losses = [
        part * np.log1p(np.exp(-y * (x @ w)))
        for x, y, part in zip(data.x, data.y, data.parts, strict=True)
    ]
    return sum(losses) / data.size + strength / 2 * w @ w + tilt @ w


@pytest.mark.parametrize("rows", [1, 3])
def test_the_optimiser_finds_what_scipy_finds(rows):
    rng = np.random.default_rng(rows)
    data = drawn(rng, rows=rows)
    strengths, tilts = np.array([1e-4, 0.01, 1.0]), rng.normal(size=(3, 3)) * [[0], [0.01], [1]]
    found = logistic.minimise_each(data, strengths, tilts)
    for w, strength, tilt in zip(found, strengths, tilts, strict=True):
        other = minimize(lambda v, s=strength, t=tilt: objective(data, v, s, t), np.zeros(3))
        assert objective(data, w, strength, tilt) <= other.fun + 1e-12
        assert np.linalg.norm(w - other.x) < 1e-4 / strength**0.5


def test_an_optimiser_that_does_not_arrive_says_so(monkeypatch):
    monkeypatch.setattr(logistic, "_STEPS", 1)
    with pytest.raises(ArithmeticError):
        logistic.minimise_each(drawn(np.random.default_rng(0)), np.array([1e-4]), np.ones((1, 3)))


def changed(data, rng, rows):
    """The same data with one unit's rows replaced by the worst kind: long, and labelled alike."""
    x, y = data.x.copy(), data.y.copy()
    direction = rng.normal(size=x.shape[1])
    x[:rows] = direction / np.linalg.norm(direction)
    y[:rows] = rng.choice([-1.0, 1.0])
    return Labelled(x, y, data.weight)


def test_one_example_moves_the_minimum_by_no_more_than_is_said():
    rng, most = np.random.default_rng(3), 0.0
    for trial in range(60):
        rows = 1 + trial % 3
        data = drawn(rng, units=8, rows=rows)
        strength = np.array([10.0 ** rng.uniform(-3, 1)])
        pair = [
            logistic.minimise_each(one, strength, np.zeros((1, 3)))[0]
            for one in (data, changed(data, rng, rows))
        ]
        bound = logistic.output_sensitivity(8, float(strength[0]))
        most = max(most, np.linalg.norm(pair[0] - pair[1]) / bound)
    assert 0.2 < most <= 1


def log_density(data, w, strength, given):
    """ln of the density of the minimum at w, up to a constant: that of b, and the Jacobian."""
    n, total = data.size, strength + given.more
    chance = 1 / (1 + np.exp(data.y * (data.x @ w)))
    slope = -(data.parts * chance * data.y) @ data.x / n + total * w
    bends = (data.x.T * (data.parts * chance * (1 - chance))) @ data.x / n
    bends += total * np.eye(len(w))
    return -given.epsilon / 2 * np.linalg.norm(n * slope) + np.linalg.slogdet(bends)[1]


@pytest.mark.parametrize("epsilon", [0.2, 2.0])
@pytest.mark.parametrize("strength", [1e-3, 0.05])
def test_objective_perturbation_keeps_its_promise_also_for_units_of_many_rows(epsilon, strength):
    rng, worst = np.random.default_rng(4), 0.0
    for trial in range(150):
        rows = 1 + 5 * (trial % 2)
        data = drawn(rng, units=6, rows=rows, d=2)
        other = changed(data, rng, rows)
        given = logistic.perturbed_objective(6, strength, epsilon)
        w = rng.normal(size=2) * 10 ** rng.uniform(-2, 1)
        ratio = log_density(data, w, strength, given) - log_density(other, w, strength, given)
        worst = max(worst, abs(ratio))
    assert 0.1 * epsilon < worst <= epsilon


def test_what_is_released_has_the_density_that_the_promise_is_about():
    data = Labelled(np.array([[1.0], [-0.5], [0.8]]), np.array([1.0, 1.0, -1.0]))
    found = logistic.objective_perturbation(
        data, strength=0.3, epsilons=np.full(4000, 1.0), rng=np.random.default_rng(5)
    )[:, 0]
    given = logistic.perturbed_objective(3, 0.3, 1.0)
    # w is released where b = −n·(slope of the rest); along the line b is Laplace of scale 2/ε′.
    chance = 1 / (1 + np.exp(data.y * (data.x @ found[None]).reshape(3, -1).T))
    slope = -(chance * data.y) @ data.x[:, 0] / 3 + (0.3 + given.more) * found
    assert kstest(-3 * slope, laplace(scale=2 / given.epsilon).cdf).pvalue > 1e-3


def test_half_of_epsilon_at_least_is_left_for_the_noise_and_more_than_in_the_paper():
    for strength in (1e-6, 1e-3, 1.0):
        for epsilon in (0.01, 1.0, 10.0):
            given = logistic.perturbed_objective(100, strength, epsilon)
            s = 1 / (400 * (strength + given.more))
            assert given.epsilon >= 0.499 * epsilon
            assert given.epsilon + s < epsilon
            if s < 2.5:
                assert given.epsilon > 0.999 * epsilon - 2 * np.log1p(s)


def test_output_perturbation_takes_the_cheaper_noise():
    rng = np.random.default_rng(6)
    for d in (2, 40):
        data = drawn(rng, d=d)
        centre = logistic.minimise_each(data, np.array([1.0]), np.zeros((1, d)))
        found = logistic.output_perturbation(
            data, strength=1.0, epsilons=np.full(3000, 1.0), delta=1e-6, rng=rng
        )
        square = np.mean(np.sum((found - centre) ** 2, axis=1))
        moved = logistic.output_sensitivity(12, 1.0)
        pure = d * (d + 1) * moved**2
        normal = d * (4.2247 * moved) ** 2  # Balle and Wang at (1, 1e-6)
        assert square == pytest.approx(min(pure, normal), rel=0.1)
