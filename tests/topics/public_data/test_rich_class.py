"""The class for which Gaussian weights fail."""

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import gamma as gamma_law
from scipy.stats import norm

from dpviz.topics.public_data import noise_levels as levels
from dpviz.topics.public_data import rich_class
from dpviz.topics.public_data.algorithms import (
    Labelled,
    rrspm,
)
from tests.support.examples import examples
from tests.support.finite_class import FiniteClass


def rich_table(d):
    """All labelings of d places, their parity, and a place where all functions agree."""
    labelings = np.array(list(itertools.product([-1.0, 1.0], repeat=d)))
    return np.column_stack([labelings, labelings.prod(axis=1), np.ones(len(labelings))])


@pytest.mark.parametrize(("d", "copies"), [(1, 1), (1, 4), (3, 2), (5, 4)])
def test_the_rich_class_against_rrspm_itself(d, copies):
    table, scale, runs = rich_table(d), 0.8 * math.sqrt(d), 40_000
    chance = float(rich_class.flip_chance(d, copies=copies, scale=scale))
    for label in (1.0, -1.0):
        private = Labelled(np.array([d, d + 1.0, d + 1.0]), np.array([label, 1.0, -1.0]))
        found = rrspm(
            FiniteClass(table), private, public=np.repeat(np.arange(d), copies), scale=scale,
            noise="gaussian", runs=runs, rng=np.random.default_rng(d),
        )  # fmt: skip
        released = table[found.released[:, 0].astype(int)]
        right = np.mean(released[:, d] == label)
        assert right == pytest.approx((1 + chance) / 2, abs=5 * math.sqrt(0.25 / runs))


@pytest.mark.parametrize(
    ("d", "delta"), [(10**4, 0.0), (10**5, 0.0570), (10**6, 0.783)], ids=["1e4", "1e5", "1e6"]
)
def test_gaussian_weights_inside_theorem_4(d, delta):
    # α = .1, C = 1, ε = 1, δ = 1e-6, 100 points a place; the normal law through mpmath
    copies = float(rich_class.points_at_each_place(d, alpha=0.1, smoothness=1.0, beta=0.05))
    assert copies == 100
    scale = levels.gaussian_weights(d * copies, epsilon=1.0, delta=1e-6)
    chance = rich_class.flip_chance(d, copies=copies, scale=scale)
    with mp.workdps(30):
        size = mp.sqrt(100 * d * mp.log(10**6)) * 10
        p = 1 - mp.erfc(1 / (size * mp.sqrt(2))) ** d
        true = max((1 + p) / 2 - mp.e * (1 - p) / 2, 0)
    assert float(true) == pytest.approx(delta, abs=5e-4)
    found = float(np.exp(rich_class.label_log_delta(chance, epsilon=1.0)))
    assert found == pytest.approx(float(true), rel=1e-9)


def test_public_points_at_random_places_do_much_the_same():
    # the same class, public points drawn instead of spread evenly
    d, each = 10**5, 100
    scale = float(levels.gaussian_weights(d * each, epsilon=1.0, delta=1e-6))
    counts = np.random.default_rng(3).multinomial(d * each, np.full(d, 1 / d))
    assert counts.min() > 0
    kept = np.log(2 * norm.sf(1 / (scale * np.sqrt(counts)))).sum()
    even = float(rich_class.flip_chance(d, copies=each, scale=scale))
    assert even <= -math.expm1(kept) <= 1.01 * even


def test_no_constant_helps_for_good():
    needs = {"alpha": 0.1, "smoothness": 1.0, "beta": 0.05}
    for constant in (1.0, 100.0):
        privacy = {"epsilon": 0.1, "delta": 1e-6, "constant": constant}
        d = rich_class.least_broken_dimension(**needs, **privacy)
        deltas = []
        for size in (d - 1, d, 4 * d):
            copies = rich_class.points_at_each_place(size, **needs)
            scale = levels.gaussian_weights(size * copies, **privacy)
            chance = rich_class.flip_chance(size, copies=copies, scale=scale)
            deltas.append(float(np.exp(rich_class.label_log_delta(chance, epsilon=0.1))))
        assert deltas[0] <= 1e-6 < deltas[1] < deltas[2]
        assert deltas[2] > 0.01


@given(st.integers(2, 30), st.integers(1, 10**4), st.floats(0.01, 10))
@examples(40)
def test_laplace_weights_survive_the_counterexample(copies, d, epsilon):
    scale = float(levels.laplace_weights(d * copies, epsilon=epsilon))
    bound = float(rich_class.laplace_flip_bound(d, copies=copies, scale=scale))
    # W is a difference of two Gamma numbers
    law = gamma_law(copies)
    near, _ = quad(
        lambda x: float(law.pdf(x) * (law.cdf(x + 1 / scale) - law.cdf(x - 1 / scale))),
        0, copies + 40 * math.sqrt(copies) + 1 / scale, limit=200,
        points=np.unique(np.clip([1 / scale, copies - 1, copies], 0, None)),
    )  # fmt: skip
    true = -math.expm1(d * math.log1p(-near))
    assert true <= bound * (1 + 1e-4)
    if scale > 20:
        assert bound <= 1.1 * true
    if copies >= 4:  # as in every case of the page
        assert bound <= epsilon / 2
        assert (1 + bound) / 2 <= math.exp(epsilon) / (1 + math.exp(epsilon))
