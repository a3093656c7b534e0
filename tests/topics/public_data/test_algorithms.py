"""Algorithms 1 to 5, against their pseudo-code, and the stability of Lemma 2."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng

from dpviz.topics.public_data import noise_levels as levels
from dpviz.topics.public_data.algorithms import (
    Labelled,
    Perturbation,
    draw_noise,
    perturb,
    perturbed_learner,
    regularized_learner,
    rrspm,
    rspm,
)
from dpviz.topics.public_data.learners import suits
from dpviz.topics.public_data.oracles.linear_functions import LinearFunctions
from dpviz.topics.public_data.oracles.thresholds import Thresholds
from dpviz.topics.public_data.shift import shifted
from dpviz.topics.public_data.tasks import TASKS, Task, affine_features
from tests.support.examples import examples
from tests.support.finite_class import FiniteClass

few = examples(30)
BOTH = pytest.mark.parametrize("noise", ["gaussian", "laplace"])


@BOTH
@few
@given(st.integers(1, 6), st.integers(0, 2**32))
def test_perturb_projects_onto_the_nearest_function(noise, m, seed):
    rng = default_rng(seed)
    table = rng.normal(size=(7, m))
    public, mean, gamma = np.arange(m), rng.normal(size=(3, m)), 0.7
    oracle = FiniteClass(table)
    found = perturb(oracle, mean, public=public, gamma=gamma, noise=noise, rng=default_rng(seed))
    noisy = mean + gamma * draw_noise(noise, (3, m), default_rng(seed))
    distances = ((noisy[:, None] - table[None]) ** 2).sum(axis=2)
    assert found[:, 0].tolist() == distances.argmin(axis=1).tolist()
    assert oracle.calls == 3


@few
@given(st.integers(1, 4), st.integers(1, 12), st.integers(0, 2**32))
def test_rrspm_against_its_pseudo_code(m, n, seed):
    rng = default_rng(seed)
    # a class on m public places and as many others, labels ±1
    table = rng.choice([-1.0, 1.0], size=(9, 2 * m))
    private = Labelled(rng.integers(0, 2 * m, n).astype(float), rng.choice([-1.0, 1.0], n))
    public = np.arange(m).astype(float)
    oracle = FiniteClass(table)
    found = rrspm(oracle, private, public=public, scale=3.0, runs=4, rng=default_rng(seed))
    assert oracle.calls == 8
    replay = default_rng(seed)
    weights = 3.0 * replay.laplace(size=(4, m))
    labels = replay.choice([-1.0, 1.0], size=(4, m))
    for xi, y_tilde, released in zip(weights, labels, found.released[:, 0], strict=True):
        losses = [
            sum(f[int(x)] != y for x, y in zip(private.x, private.y, strict=True))
            + sum(w * (f[i] != t) for i, (w, t) in enumerate(zip(xi, y_tilde, strict=True)))
            for f in table
        ]
        chosen = table[int(np.argmin(losses))]
        # f̂ agrees with f̃ on the public points, and is the first such function
        agreeing = [k for k, f in enumerate(table) if np.array_equal(f[:m], chosen[:m])]
        assert released == agreeing[0]


def test_what_is_released_depends_on_the_public_points_alone():
    # f̃ moves with the private data between two public points; f̂ must not
    public = np.array([0.2, 0.6])
    released = []
    for cut in (0.3, 0.5):
        x = np.linspace(0.01, 0.99, 99)
        private = Labelled(x, np.where(x >= cut, 1.0, -1.0))
        found = rrspm(Thresholds(0.0, 1.0), private, public=public, scale=1e-6, rng=default_rng(1))
        assert len(found.released) == 1  # a run, where nothing else is asked for
        assert found.intermediate[0, 0, 0] == pytest.approx(cut, abs=0.01)
        released.append(found.released[0, 0])
    assert released[0] == released[1] == pytest.approx(0.4)


@pytest.mark.parametrize("name", TASKS)
def test_calls_are_counted(name):
    task = Task(name, shifted("window", 1.0), 0.1)
    rng = default_rng(0)
    private, public = task.private_data(40, rng), task.public_data(5, rng)
    shared = {"public": public, "rng": rng, "runs": 3}
    oracle = task.oracle()
    perturbed_learner(oracle, private, perturbation=Perturbation(0.1, 7), gamma=1.0, **shared)
    assert oracle.calls == 3 * (7 + 1)
    if task.classifies:
        oracle = task.oracle()
        rrspm(oracle, private, scale=1.0, **shared)
        assert oracle.calls == 3 * 2
    else:
        oracle = task.oracle()
        regularized_learner(oracle, private, eta=0.1, gamma=1.0, **shared)
        assert oracle.calls == 3 * 2
    if suits("rspm", task):
        grid = task.grid_oracle(5)
        rspm(grid, private, identification=grid.identification, scale=1.0, runs=3, rng=rng)
        assert grid.calls == 3


@pytest.mark.parametrize("name", TASKS)
def test_without_noise_learners_find_the_target(name):
    task = Task(name, shifted("window", 1.0), 0.0)
    rng = default_rng(3)
    private, public = task.private_data(400, rng), task.public_data(60, rng)
    shared = {"public": public, "rng": rng}
    if task.classifies:
        found = rrspm(task.oracle(), private, scale=1e-9, **shared)
    else:
        found = regularized_learner(task.oracle(), private, eta=1e-4, gamma=0.0, **shared)
    assert task.excess(found.released)[0] < 0.05
    averaged = perturbed_learner(
        task.oracle(), private, perturbation=Perturbation(1e-4, 5), gamma=0.0, **shared
    )
    assert task.excess(averaged.released)[0] < 0.05


@given(
    st.integers(1, 30), st.integers(1, 12), st.floats(0.01, 10), st.integers(0, 2**32),
    st.booleans(),
)  # fmt: skip
@examples(150)
def test_lemma_2_on_random_neighbours(n, m, eta, seed, extreme):
    rng = default_rng(seed)
    x, public = rng.random(n), rng.random(m)
    y = rng.choice([-1.0, 1.0], n) if extreme else rng.uniform(-1, 1, n)
    other_x, other_y = x.copy(), y.copy()
    other_x[0], other_y[0] = rng.random(), -y[0] if extreme else rng.uniform(-1, 1)
    oracle = LinearFunctions(affine_features)
    means = [
        regularized_learner(
            oracle, Labelled(*data), public=public, eta=eta, gamma=0.0, rng=rng
        ).on_public
        for data in ((x, y), (other_x, other_y))
    ]
    moved = math.sqrt(float(np.mean((means[0] - means[1]) ** 2)))
    assert moved <= levels.regularized_stability(n, eta=eta, gap=oracle.gap) + 1e-9


def test_lemma_2_is_met_within_a_factor_of_2():
    # one example: f̄ follows its label unless the regulariser holds it back
    public, eta = np.full(4, 0.5), 1.0
    means = []
    for label in (1.0, -1.0):
        oracle = LinearFunctions(lambda x: np.ones((len(x), 1)))
        private = Labelled(np.array([0.5]), np.array([label]))
        found = regularized_learner(
            oracle, private, public=public, eta=eta, gamma=0.0, rng=default_rng(0)
        )
        means.append(found.on_public[0])
    moved = math.sqrt(float(np.mean((means[0] - means[1]) ** 2)))
    # minimise (w − y)²/4 + η·w²: w = y/(1 + 4η)
    assert moved == pytest.approx(2 / (1 + 4 * eta))
    bound = float(levels.regularized_stability(1, eta=eta))
    assert bound / 3 < moved <= bound
