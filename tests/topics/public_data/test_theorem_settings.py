"""Settings of the theorems, put back into the conditions on the noise that they are to meet."""

import math

import numpy as np
import pytest

from dpviz.results.parameters import ParameterError
from dpviz.topics.public_data import noise_levels as levels
from dpviz.topics.public_data.algorithms import Labelled, regularized_learner
from dpviz.topics.public_data.oracles.linear_functions import LinearFunctions
from dpviz.topics.public_data.theorem_settings import Demand, theorem_settings
from dpviz.topics.public_data.views.examples_needed import examples_needed

ALPHA = np.array([0.3, 0.1, 0.05])
GIVEN = {"epsilon": 0.5, "delta": 1e-6, "beta": 0.02, "smoothness": 0.8, "vc_dimension": 3.0}
DEMAND = Demand.given(**GIVEN)
PRIVACY = {"epsilon": 0.5, "delta": 1e-6}


def chart(theorem, **changes):
    given = {"setting": "convex", "constant": 1.0, "alpha": 0.05} | GIVEN | changes
    return examples_needed(rates_of="theorem", theorem=theorem, **given)


def test_the_settings_meet_the_papers_conditions_with_equality():
    any_class = theorem_settings("theorem_6", ALPHA, DEMAND)
    rho = 4 / np.cbrt(any_class.asked * any_class.eta) * math.sqrt(3)
    gamma = levels.published_gaussian(any_class.points, rho=2 * rho, share=2.0, **PRIVACY)
    assert any_class.gamma == pytest.approx(gamma)
    convex = theorem_settings("theorem_7", ALPHA, DEMAND)
    rho = 2 / np.sqrt(convex.eta * convex.asked)
    gamma = levels.published_gaussian(convex.points, rho=rho, share=2.0, **PRIVACY)
    assert convex.gamma == pytest.approx(gamma)
    pure = theorem_settings("theorem_7_pure", ALPHA, DEMAND)
    rho = 2 / np.sqrt(pure.eta * pure.asked)
    assert pure.gamma == pytest.approx(
        levels.published_laplace(pure.points, rho=rho, epsilon=PRIVACY["epsilon"])
    )


def test_what_is_proved_to_do_gets_the_noise_that_is_proved_to_suffice():
    convex = theorem_settings("theorem_7", ALPHA, DEMAND)
    rho = 1 / np.sqrt(convex.eta * convex.proved)
    gamma = levels.sufficient_gaussian(convex.points, rho=rho, **PRIVACY)
    assert convex.gamma == pytest.approx(gamma)
    pure = theorem_settings("theorem_7_pure", ALPHA, DEMAND)
    rho = 1 / np.sqrt(pure.eta * pure.proved)
    gamma = levels.sufficient_laplace(pure.points, rho=rho, epsilon=PRIVACY["epsilon"])
    assert pure.gamma == pytest.approx(gamma)
    found = theorem_settings("theorem_6", ALPHA, DEMAND)
    rho = [
        math.sqrt(2 / math.pi) / (n * eta) + (2 + math.sqrt(8 * math.log(2e6))) / math.sqrt(j)
        for n, eta, j in zip(found.proved, found.eta, found.averages, strict=True)
    ]
    half = PRIVACY | {"delta": PRIVACY["delta"] / 2}
    gamma = levels.sufficient_gaussian(found.points, rho=rho, **half)
    assert found.gamma == pytest.approx(gamma)


def test_no_better_stability_than_one_over_the_root_is_true():
    """One example far from all public points moves f̄ by half of the ρ that is proved."""
    n, eta = 50, 0.1
    steep = 1 / (2 * math.sqrt(eta * n))
    x, public = np.append(1.0, np.zeros(n - 1)), np.full(4, steep)
    found = [
        regularized_learner(
            LinearFunctions(lambda place: place[:, None]),
            Labelled(x, np.append(label, np.zeros(n - 1))),
            public=public,
            eta=eta,
            gamma=0.0,
            rng=np.random.default_rng(0),
        ).on_public[0]
        for label in (1.0, -1.0)
    ]
    moved = math.sqrt(np.mean((found[0] - found[1]) ** 2))
    assert moved == pytest.approx(float(levels.regularized_stability(n, eta=eta)) / 2)


def test_an_unknown_theorem_is_named():
    with pytest.raises(ParameterError, match="theorem"):
        theorem_settings("theorem_5", ALPHA, DEMAND)
