"""The learners by name: noise, claims, and what they refuse."""

import math

import numpy as np
import pytest

from dpviz.results.parameters import ParameterError
from dpviz.topics.public_data import noise_levels as levels
from dpviz.topics.public_data.learners import (
    LEARNERS,
    Budget,
    calls_of_a_run,
    claim,
    learn,
    stability,
    suits,
)
from dpviz.topics.public_data.shift import shifted
from dpviz.topics.public_data.tasks import TASKS, Task


def test_each_learner_gets_the_noise_it_needs():
    rng = np.random.default_rng(0)
    budget = Budget(1.0, 1e-6, "laplace", 0.1, 50)
    task = Task("thresholds", shifted("window", 1.0), 0.1)
    private, public = task.private_data(500, rng), task.public_data(10, rng)
    shared = {"private": private, "public": public, "rng": rng}
    assert learn("rrspm", task, budget=budget, **shared).scale == 20.0
    gaussian = Budget(1.0, 1e-6, "gaussian", 0.1, 50)
    found = learn("rrspm", task, budget=gaussian, **shared)
    assert found.scale == pytest.approx(math.sqrt(10 * math.log(1e6)))
    # RSPM ignores the choice: it is defined with Laplace weights
    assert learn("rspm", task, budget=gaussian, **shared).scale == 20.0
    found = learn("perturbation", task, budget=gaussian, **shared)
    rho = levels.averaged_stability(500, eta=0.1, averages=50, delta=5e-7)
    assert found.rho == float(rho)
    assert found.scale == levels.sufficient_gaussian(10, rho=rho, epsilon=1.0, delta=5e-7)
    task = Task("regression", shifted("window", 1.0), 0.1)
    shared |= {"private": task.private_data(500, rng)}
    found = learn("regularization", task, budget=budget, **shared)
    assert found.rho == pytest.approx(1 / math.sqrt(50), rel=1e-3)
    assert found.rho > 1 / math.sqrt(50)  # the optimiser's gap
    assert found.scale == pytest.approx(10 * found.rho)


def test_the_noise_covers_what_the_optimiser_may_miss_of_a_perturbed_loss():
    """The tolerance is relative to a size that the Gaussian process is part of."""
    rng, eta, points = np.random.default_rng(3), 1.0, 4
    task = Task("regression", shifted("window", 1.0), 0.1)
    private, public = task.private_data(300, rng), task.public_data(points, rng)
    oracle = task.oracle()
    phi, seen = oracle.features(private.x), oracle.features(public)
    process = eta / math.sqrt(points) * rng.standard_normal((500, points))
    costs = process @ seen - private.y @ phi / (2 * private.size)
    curvature = np.linalg.eigvalsh(phi.T @ phi / (4 * private.size))[-1]
    gap = oracle.tolerance * float(np.max(np.linalg.norm(costs, axis=1) + curvature))
    budget = Budget(1.0, 1e-6, "gaussian", eta, 1000)
    given = {"eta": eta, "averages": 1000, "delta": 5e-7}
    needed = float(levels.averaged_stability(10**6, **given, gap=gap))
    assert needed <= stability("perturbation", task, samples=10**6, budget=budget)
    assert needed > float(levels.averaged_stability(10**6, **given))


def test_claims_of_privacy():
    assert claim("rrspm", "laplace") == claim("rspm", "gaussian") == "pure"
    assert claim("rrspm", "gaussian") == "broken"
    assert claim("perturbation", "gaussian") == "approximate"
    assert claim("regularization", "gaussian") == "approximate"


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("learner", LEARNERS)
def test_learners_refuse_what_does_not_suit_them(name, learner):
    task = Task(name, shifted("window", 1.0), 0.1)
    rng = np.random.default_rng(0)
    arguments = {
        "private": task.private_data(20, rng), "public": task.public_data(3, rng),
        "budget": Budget(1.0, 1e-6, "laplace", 0.1, 5), "rng": rng,
    }  # fmt: skip
    if suits(learner, task):
        assert np.isfinite(learn(learner, task, **arguments).learned.released).all()
    else:
        with pytest.raises(ParameterError, match="learner"):
            learn(learner, task, **arguments)


@pytest.mark.parametrize("task", list(TASKS))
def test_every_run_makes_as_many_calls_as_the_formula_says(task):
    problem, rng = Task(task, shifted("window", 1.0), 0.1), np.random.default_rng(0)
    private, public = problem.private_data(30, rng), problem.public_data(5, rng)
    budget = Budget(1.0, 1e-6, "gaussian", 0.1, 7)
    for name in LEARNERS:
        if suits(name, problem):
            run = learn(name, problem, private=private, public=public, budget=budget, rng=rng)
            assert run.calls == calls_of_a_run(name, 7)


def test_an_unknown_learner_has_no_calls():
    with pytest.raises(ParameterError, match="learner"):
        calls_of_a_run("boosting", 1)
