"""What the error of Algorithms 2 and 3 cannot exceed: each step by itself, and all together."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError
from dpviz.topics.public_data import error_bounds
from dpviz.topics.public_data.algorithms import (
    Labelled,
    Perturbation,
    draw_noise,
    perturbed_learner,
)
from dpviz.topics.public_data.error_bounds import (
    enough_samples,
    error_bound,
    labelings,
    norm_factor,
    relative_deviation,
)
from dpviz.topics.public_data.learners import Budget, learn
from dpviz.topics.public_data.oracles.oracle import ERMOracle, Objective
from dpviz.topics.public_data.shift import shifted
from dpviz.topics.public_data.tasks import Task, affine_features
from dpviz.ui.frame import prose


def task(name, *, noise=0.1, family="window", sigma=1.0):
    return Task(name, shifted(family, sigma), noise)


def runs_of(learner, problem, budget, *, n, m, runs, seed=1):
    """Independent runs: data, public points and what was learned."""
    rng = np.random.default_rng(seed)
    for _ in range(runs):
        private, public = problem.private_data(n, rng), problem.public_data(m, rng)
        yield (
            private,
            public,
            learn(learner, problem, private=private, public=public, budget=budget, rng=rng),
        )


# ---- norms -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("family", "sigma"), [("window", 1.0), ("window", 0.1), ("mixture", 0.1)])
@pytest.mark.parametrize("size", [60, 400])
def test_no_linear_function_is_larger_than_the_sample_says(family, sigma, size):
    """The largest ‖g‖²/‖g‖²_N is an eigenvalue, found for each of many samples."""
    problem, beta, rng = (
        task("regression", family=family, sigma=sigma),
        0.05,
        np.random.default_rng(2),
    )
    density = problem.shift.private
    moments = problem._moments(density)
    dense = affine_features(problem.shift.quantiles((np.arange(20_000) + 0.5) / 20_000))
    np.testing.assert_allclose(moments, dense.T @ dense / len(dense), rtol=1e-3, atol=1e-9)
    leverage = problem.leverages[0]
    lengths = np.einsum("ij,jk,ik->i", dense, np.linalg.inv(moments), dense)
    assert lengths.max() <= leverage * (1 + 1e-9)
    assert lengths.max() >= leverage * 0.98
    factor = norm_factor(leverage, size=size, dimension=2, beta=beta)
    largest = []
    for _ in range(600):
        phi = affine_features(problem.shift.draw(density, size, rng))
        largest.append(np.linalg.eigvals(np.linalg.solve(phi.T @ phi / size, moments)).real.max())
    assert np.mean(np.array(largest) > factor) <= beta
    if math.isfinite(factor):
        assert factor < 3 * np.quantile(largest, 1 - beta)


def test_the_factor_is_where_the_chance_is_beta_and_none_where_points_are_too_few():
    factor = norm_factor(4.0, size=500, dimension=2, beta=0.01)
    t = 1 - 1 / factor
    chance = 2 * (math.exp(-t) / (1 - t) ** (1 - t)) ** (500 / 4.0)
    assert chance == pytest.approx(0.01)
    assert norm_factor(4.0, size=20, dimension=2, beta=0.01) == math.inf


def test_a_shift_makes_linear_functions_no_larger_than_sigma_allows():
    for family, sigma in itertools.product(("window", "rare", "mixture"), (0.02, 0.3, 1.0)):
        problem = task("regression", family=family, sigma=sigma)
        assert 1 - 1e-9 <= problem.widest <= 1 / problem.shift.smoothness + 1e-9
        reverse = problem.shift.reverse_smoothness
        assert reverse == (
            0 if family != "mixture" and sigma < 1 else pytest.approx(1 / (2 - sigma))
        )


@pytest.mark.parametrize(
    ("name", "sizes"),
    [("thresholds", (1, 4, 7)), ("intervals", (1, 4, 7)), ("halfplanes", (1, 3, 4, 5))],
)
def test_no_points_are_labelled_in_more_ways(name, sizes):
    rng = np.random.default_rng(3)
    oracle = task(name).oracle()
    for size in sizes:
        points = task(name).public_data(size, rng)
        reachable = {
            tuple(oracle.predict(f[None], points)[0])
            for f in oracle.minimize_each(
                Objective(points, np.zeros(size), np.zeros(size)),
                points,
                rng.standard_normal((4000, size)),
            )
        }
        assert len(reachable) == labelings(task(name), size)


@pytest.mark.parametrize("size", [50, 1000])
def test_shares_of_thresholds_deviate_no_more(size):
    """Of all sets between a threshold and the target at once, exactly: at the points themselves."""
    beta, rng, target = 0.05, np.random.default_rng(4), task("thresholds").target[0]
    deviation = relative_deviation(task("thresholds"), size, beta=beta)
    worst = []
    for _ in range(400):
        points = np.sort(rng.random(size))
        edges = np.concatenate([points, points - 1e-12, [0.0, 1.0]])
        truth = np.abs(edges - target)
        below = np.searchsorted(points, edges) / size
        share = np.abs(below - np.searchsorted(points, target) / size)
        with np.errstate(divide="ignore", invalid="ignore"):
            low, high = (truth - share) / np.sqrt(truth), (share - truth) / np.sqrt(share)
        worst.append(max(np.nanmax(low), np.nanmax(np.where(share > 0, high, 0.0))))
    assert np.mean(np.array(worst) > deviation) <= beta


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_no_direction_sees_more_of_the_noise(noise):
    rng, beta = np.random.default_rng(5), 0.05
    for m, ways in ((1, 1), (3, 40), (60, 500)):
        directions = rng.standard_normal((ways, m)) * (rng.random((ways, m)) < 0.3)
        directions[:, 0] += 1e-3
        directions /= np.linalg.norm(directions, axis=1)[:, None]
        seen = (draw_noise(noise, (4000, m), rng) @ directions.T).max(axis=1)
        limit = error_bounds._largest(noise, math.log(ways), beta)
        assert np.mean(seen > limit) <= beta * 1.15
        assert limit < 4 * np.quantile(seen, 1 - beta)
        plane = np.linalg.qr(rng.standard_normal((m, 2)))[0] if m > 1 else np.ones((1, 1))
        lengths = np.linalg.norm(draw_noise(noise, (4000, m), rng) @ plane, axis=1)
        assert np.mean(lengths > error_bounds._length(noise, 2, beta)) <= beta * 1.25


# ---- the steps, on runs ----------------------------------------------------------------------


def test_a_regularised_minimiser_is_as_near_the_target_as_its_own_inequality_says():
    """‖h‖²_D/2 + 2η(⟨f*, h⟩ + ‖h‖²)_m ≤ ⟨v, c⟩/2 on every data set; without noise in it."""
    problem, budget = task("regression", noise=0.3), Budget(1.0, 1e-6, "gaussian", 0.05, 10)
    for private, public, outcome in runs_of(
        "regularization", problem, budget, n=300, m=40, runs=40
    ):
        oracle = problem.oracle()
        w = outcome.learned.intermediate[0]
        h, h_public = (
            (oracle.predict(w, x) - oracle.predict(problem.target[None], x))[0]
            for x in (private.x, public)
        )
        truth = oracle.predict(problem.target[None], private.x)[0]
        on_public = oracle.predict(problem.target[None], public)[0]
        left = np.mean(h**2) / 2 + 2 * budget.eta * np.mean(on_public * h_public + h_public**2)
        assert left <= np.mean(h * (private.y - truth)) / 2 + 1e-9


@pytest.mark.parametrize("name", ["thresholds", "intervals"])
def test_what_is_nearest_to_a_mean_is_twice_as_far_from_the_target_but_for_the_noise(name):
    """G ≤ 2Y + γ⟨ζ, f̂ − f*⟩/2, with the noise known."""
    problem, rng, gamma, m = task(name), np.random.default_rng(6), 0.7, 60
    for _ in range(60):
        private, public, oracle = (
            problem.private_data(200, rng),
            problem.public_data(m, rng),
            problem.oracle(),
        )
        learned = perturbed_learner(
            oracle, private, public=public, perturbation=Perturbation(0.2, 9), gamma=0.0, rng=rng
        )
        zeta = rng.standard_normal(m)
        noisy = learned.on_public + gamma * zeta
        nearest = oracle.minimize_each(
            Objective(public, np.zeros(m), np.full(m, 1 / m)), public, -2 * noisy / m
        )
        target = oracle.predict(problem.target[None], public)[0]
        apart = oracle.predict(nearest, public)[0] - target
        each = oracle.predict(learned.intermediate[0], public) - target
        left, mean = np.mean(apart**2) / 4, np.mean(each**2) / 4
        assert left <= 2 * mean + gamma * np.mean(zeta * apart) / 2 + 1e-9


@pytest.mark.parametrize(
    ("learner", "problem", "budget", "n", "m"),
    [
        ("regularization", task("regression"), Budget(1.0, 1e-6, "gaussian", 0.1, 1), 20_000, 100),
        ("regularization", task("regression", sigma=0.1), Budget(5.0, 1e-6, "gaussian", 0.02, 1),
         20_000, 200),
        ("regularization", task("regression", noise=0.4), Budget(10.0, 1e-6, "laplace", 0.05, 1),
         50_000, 150),
        ("perturbation", task("regression"), Budget(10.0, 1e-6, "gaussian", 0.05, 3000),
         5_000, 200),
        ("perturbation", task("thresholds"), Budget(10.0, 1e-2, "gaussian", 0.003, 3000),
         50_000, 1000),
        ("perturbation", task("thresholds", noise=0.0, family="mixture", sigma=0.7),
         Budget(10.0, 1e-2, "gaussian", 0.003, 10_000), 50_000, 1000),
    ],
)  # fmt: skip
def test_no_run_exceeds_the_bound_and_it_says_something(learner, problem, budget, n, m):
    bound = error_bound(learner, problem, samples=n, points=m, budget=budget, beta=0.05)
    assert bound.without_noise < bound.total < 1 - 2 * problem.label_noise * problem.classifies
    released = [
        float(problem.excess(outcome.learned.released)[0])
        for _, _, outcome in runs_of(
            learner, problem, budget, n=n, m=m, runs=3 if problem.classifies else 20
        )
    ]
    assert max(released) < bound.total


def test_the_bound_without_noise_covers_the_minimisers_themselves():
    problem, budget = task("regression", noise=0.3), Budget(1.0, 1e-6, "gaussian", 0.05, 1)
    bound = error_bound(
        "regularization", problem, samples=2000, points=150, budget=budget, beta=0.05
    )
    excesses = [
        float(problem.excess(outcome.learned.intermediate[0])[0])
        for _, _, outcome in runs_of("regularization", problem, budget, n=2000, m=150, runs=40)
    ]
    assert np.mean(np.array(excesses) > bound.without_noise) <= 0.05


def test_more_of_anything_that_helps_lowers_the_bound():
    problem = task("regression")

    def total(*, n=20_000, m=200, epsilon=1.0, eta=0.1):
        budget = Budget(epsilon, 1e-6, "gaussian", eta, 300)
        return error_bound(
            "regularization", problem, samples=n, points=m, budget=budget, beta=0.05
        ).total

    assert total() > total(n=40_000)
    assert total() > total(m=400)
    assert total() > total(epsilon=2.0)


def test_nothing_is_proved_where_it_cannot_be():
    budget = Budget(10.0, 1e-6, "gaussian", 0.001, 3000)
    unseen = task("thresholds", sigma=0.5)  # public data lie where private ones never do
    bound = error_bound(
        "perturbation", unseen, samples=10**5, points=1000, budget=budget, beta=0.05
    )
    assert bound.total == bound.without_noise == math.inf
    few = error_bound(
        "perturbation", task("regression"), samples=100, points=5, budget=budget, beta=0.05
    )
    assert few.total == math.inf
    with pytest.raises(ParameterError):
        error_bound(
            "regularization", task("thresholds"), samples=10, points=5, budget=budget, beta=0.05
        )
    with pytest.raises(ParameterError):
        error_bound("rrspm", task("thresholds"), samples=10, points=5, budget=budget, beta=0.05)


# ---- Lemma 15 without convexity --------------------------------------------------------------


class Blocks(ERMOracle):
    """f_0 = −1, and f_b, which is 1 on block b of three and −1 elsewhere; by trying all four."""

    calls = 0
    gap = 0.0

    def values(self, points: FloatArray) -> FloatArray:
        block = np.minimum(np.floor(3 * points), 2)
        return np.array([np.where(block == b, 1.0, -1.0) for b in (-1, 0, 1, 2)])

    def minimize_each(self, objective, points, linear):
        self.calls += len(linear)
        values = self.values(objective.points)
        fixed = values @ objective.linear + values**2 @ objective.square
        return np.argmin(fixed + linear @ self.values(points).T, axis=1)[:, None].astype(float)

    def predict(self, functions, points):
        return self.values(points)[functions[:, 0].astype(int)]


def test_lemma_15_fails_for_a_class_that_is_not_convex():
    """Its right-hand side vanishes as n, m and J grow and η shrinks; the error stays at 1/3."""
    rng, n, m = np.random.default_rng(7), 10**6, 3000
    x = (np.arange(n) + rng.random(n)) / n  # as many in each block but for chance
    private = Labelled(x, np.ones(n))
    learned = perturbed_learner(
        Blocks(),
        private,
        public=rng.random(m),
        perturbation=Perturbation(0.02, 999),
        gamma=0.0,
        rng=rng,
    )
    assert set(learned.intermediate.ravel()) == {1.0, 2.0, 3.0}  # the best functions, each at times
    assert learned.released[0, 0] == 0  # and this is the worst


@pytest.mark.parametrize(
    ("learner", "noise"),
    [("regularization", "gaussian"), ("regularization", "laplace"), ("perturbation", "gaussian")],
)
def test_enough_examples_are_enough_and_some_fewer_are_not(learner, noise):
    problem, budget = task("regression"), Budget(5.0, 1e-6, noise, 1.0, 100_000)
    enough = enough_samples(learner, problem, budget=budget, alpha=0.1, beta=0.05)
    assert math.isfinite(enough.samples)

    def total(n):
        given = replace(budget, eta=enough.eta)
        return error_bound(
            learner, problem, samples=n, points=enough.points, budget=given, beta=0.05
        ).total

    assert total(int(enough.samples)) <= 0.1
    assert total(int(1.1 * enough.samples)) <= 0.1 < total(int(0.9 * enough.samples))
    tight = enough_samples(
        learner, problem, budget=replace(budget, epsilon=0.01), alpha=0.02, beta=0.05
    )
    assert tight.samples == math.inf


def test_what_the_page_says_to_be_enough_is_what_is_found():
    said = prose("public_data")
    words = next(text for title, text in said if title == "What this page leaves out")
    budget = Budget(1.0, 1e-6, "gaussian", 0.1, 1)
    for alpha in (0.1, 0.05):
        enough = enough_samples(
            "regularization", task("regression"), budget=budget, alpha=alpha, beta=0.05
        )
        assert f"{enough.samples:,.0f}" in words
        assert f"{enough.points:,} public" in words
