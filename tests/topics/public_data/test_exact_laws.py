"""Exact output laws on small classes: privacy, and how far the budget is used."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from dpviz.results.parameters import ParameterError
from dpviz.topics.public_data import noise_levels as levels
from dpviz.topics.public_data.algorithms import (
    Labelled,
    Perturbation,
    draw_noise,
    perturbed_learner,
    regularized_learner,
    rrspm,
    rspm,
)
from dpviz.topics.public_data.oracles.linear_functions import LinearFunctions
from dpviz.topics.public_data.shift import shifted
from dpviz.topics.public_data.tasks import Task
from tests.support import output_laws as laws
from tests.support.examples import examples, some
from tests.support.finite_class import FiniteClass

BOTH = pytest.mark.parametrize("noise", ["gaussian", "laplace"])


def small_tables():
    """Classes of labelings on at most 2 points, or of at most 3 functions."""
    square = np.array(list(itertools.product([-1.0, 1.0], repeat=2)))
    steps = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]])
    line = np.array([[1.0], [-1.0]])
    return [line, steps, square]


TABLES = pytest.mark.parametrize("table", small_tables(), ids=["m=1", "steps", "all"])
# Half a second for each noise on all four labelings.
FEWER = pytest.mark.parametrize("table", small_tables()[: some(3, 2)])


@BOTH
@given(st.integers(2, 5), st.integers(1, 2), st.integers(0, 2**32))
@examples(20)
def test_exact_laws_against_draws(noise, k, m, seed):
    rng = np.random.default_rng(seed)
    offsets, slopes = rng.normal(size=k), rng.normal(size=(k, m))
    law = laws.argmin_law(offsets, slopes, noise=noise)
    assert law.sum() == pytest.approx(1, abs=1e-10)
    u = draw_noise(noise, (20_000, m), rng)
    counts = np.bincount(np.argmin(offsets + u @ slopes.T, axis=1), minlength=k)
    error = 6 * np.sqrt(law * (1 - law) / 20_000) + 1e-3
    assert np.all(np.abs(counts / 20_000 - law) <= error)


@given(st.integers(0, 2**32))
@examples(15)
def test_three_functions_in_the_plane_both_ways(seed):
    rng = np.random.default_rng(seed)
    offsets, slopes = rng.normal(size=3), rng.normal(size=(3, 2))
    plane = laws.argmin_law(offsets, slopes, noise="gaussian")
    # a third, idle coordinate makes it the bivariate normal's turn
    wide = laws.argmin_law(offsets, np.column_stack([slopes, np.zeros(3)]), noise="gaussian")
    assert plane == pytest.approx(wide, abs=1e-6)


def test_exact_laws_refuse_what_they_cannot_do():
    with pytest.raises(ParameterError):
        laws.argmin_law(np.zeros(4), np.eye(4)[:, :3], noise="gaussian")
    with pytest.raises(ParameterError):
        laws.argmin_law(np.zeros(2), np.eye(2), noise="uniform")


@TABLES
@given(st.floats(0.05, 4), st.integers(0, 2**32), st.booleans())
@examples(25)
def test_rrspm_with_laplace_weights_is_private(table, epsilon, seed, opposite):
    # Theorem 8: neighbouring data change each function's loss by at most 1
    rng = np.random.default_rng(seed)
    losses = rng.integers(0, 4, len(table)).astype(float)
    change = rng.uniform(-1, 1, len(table))
    other = losses + (np.sign(change) if opposite else change)
    scale = float(levels.laplace_weights(table.shape[1], epsilon=epsilon))
    first, second = (
        laws.rrspm_law(each, table, scale=scale, noise="laplace") for each in (losses, other)
    )
    assert laws.log_ratio(first, second) <= epsilon + 1e-9


def test_rrspm_uses_up_its_budget():
    # one public point, two functions: where the lesser one wins only far out in the tail of ξ,
    # an example that turns its loss the other way moves that tail by 2 of its scale 2/ε
    table = small_tables()[0]
    for epsilon in (0.1, 1.0, 4.0):
        scale = float(levels.laplace_weights(1, epsilon=epsilon))

        def loss(first, second, scale=scale):
            pair = [
                laws.rrspm_law(np.array(losses), table, scale=scale, noise="laplace")
                for losses in (first, second)
            ]
            return laws.log_ratio(*pair)

        assert loss((0.0, 3.0), (1.0, 2.0)) == pytest.approx(epsilon)
        # with no other example to hide behind, less: ln(2e^(ε/2) − 1)
        alone = math.log(2 * math.exp(epsilon / 2) - 1)
        assert loss((0.0, 1.0), (1.0, 0.0)) == pytest.approx(alone)


@TABLES
@given(st.floats(0.05, 4), st.floats(1e-4, 0.3), st.floats(0.05, 2), st.integers(0, 2**32))
@examples(25)
def test_perturb_is_private_with_the_noise_that_suffices(table, epsilon, delta, rho, seed):
    rng = np.random.default_rng(seed)
    m = table.shape[1]
    mean, away = rng.uniform(-1, 1, m), rng.normal(size=m)
    other = mean + rho * away / math.sqrt(np.mean(away**2))
    gamma = float(levels.sufficient_gaussian(m, rho=rho, epsilon=epsilon, delta=delta))
    pair = [laws.perturb_law(v, table, gamma=gamma, noise="gaussian") for v in (mean, other)]
    assert laws.hockey_stick(*pair, epsilon) <= delta * (1 + 1e-9) + 1e-12
    gamma = float(levels.sufficient_laplace(m, rho=rho, epsilon=epsilon))
    pair = [laws.perturb_law(v, table, gamma=gamma, noise="laplace") for v in (mean, other)]
    assert laws.log_ratio(*pair) <= epsilon + 1e-9


def test_perturb_uses_up_its_budget():
    # Two functions on one point: the best set is a half-line at the middle of the class, so the
    # class gives all of δ away where that half-line is the one with loss ε.
    epsilon, delta, rho = 0.5, 0.01, 1.0
    gamma = float(levels.sufficient_gaussian(1, rho=rho, epsilon=epsilon, delta=delta))
    mu = rho / gamma
    edge = gamma * (epsilon / mu + mu / 2)  # from the mean of the other
    table = small_tables()[0]
    pair = [
        laws.perturb_law(np.array([v]), table, gamma=gamma, noise="gaussian")
        for v in (-edge + rho, -edge)
    ]
    assert laws.hockey_stick(*pair, epsilon) == pytest.approx(delta, rel=1e-6)


@given(st.floats(0.1, 2), st.floats(1e-3, 0.2), st.integers(2, 40), st.floats(0.05, 5),
       st.integers(0, 2**32))  # fmt: skip
@examples(25)
def test_algorithm_3_is_private_by_its_exact_output_law(epsilon, delta, n, eta, seed):
    # constant functions w, |w| ≤ 1, on one public point: f̂ is f̄ + γζ, clipped to [−1, 1]
    rng = np.random.default_rng(seed)
    oracle = LinearFunctions(lambda x: np.ones((len(x), 1)))
    y = rng.choice([-1.0, 1.0], n)
    other = y.copy()
    other[0] = -y[0]
    means = [
        float(
            regularized_learner(
                oracle, Labelled(np.zeros(n), labels), public=np.zeros(1), eta=eta, gamma=0.0,
                rng=rng,
            ).on_public[0, 0]
        )
        for labels in (y, other)
    ]  # fmt: skip
    rho = levels.regularized_stability(n, eta=eta, gap=oracle.gap)
    gamma = float(levels.sufficient_gaussian(1, rho=rho, epsilon=epsilon, delta=delta))
    grid = np.linspace(-1, 1, 20_001)
    cells = [
        np.concatenate(
            [
                [norm.cdf(-1, mean, gamma)],
                np.diff(norm.cdf(grid, mean, gamma)),
                [norm.sf(1, mean, gamma)],
            ]
        )
        for mean in means
    ]
    assert laws.hockey_stick(*cells, epsilon) <= delta
    assert laws.hockey_stick(*cells[::-1], epsilon) <= delta
    gamma = float(levels.sufficient_laplace(1, rho=rho, epsilon=epsilon))
    assert abs(means[0] - means[1]) / gamma <= epsilon


@BOTH
@FEWER
def test_algorithm_2_on_small_classes(table, noise):
    n, eta, j, epsilon, delta = 20, 0.3, 4, 1.0, 1e-3
    m = table.shape[1]
    rho = levels.averaged_stability(n, eta=eta, averages=j, delta=delta / 2)
    exact = {
        "gaussian": levels.sufficient_gaussian(m, rho=rho, epsilon=epsilon, delta=delta / 2),
        "laplace": levels.sufficient_laplace(m, rho=rho, epsilon=epsilon),
    }
    gamma = float(exact[noise])
    worst = 0.0
    for changed in itertools.product([-1.0, 1.0], repeat=len(table)):
        pair = [
            laws.perturbed_law(losses, table, eta=eta, averages=j, gamma=gamma, noise=noise)
            for losses in (np.zeros(len(table)), np.array(changed) / n)
        ]
        worst = max(
            worst, laws.hockey_stick(*pair, epsilon), laws.hockey_stick(*pair[::-1], epsilon)
        )
    assert worst <= delta


@TABLES
@given(st.integers(1, 200), st.floats(0.05, 5), st.integers(0, 2**32))
@examples(30)
def test_the_mean_of_perturbed_minimisers_moves_no_further_than_proved(table, n, eta, seed):
    rng = np.random.default_rng(seed)
    m = table.shape[1]
    losses = rng.uniform(0, 1, len(table))
    change = rng.choice([0.0, 1.0], len(table)) - losses  # of one example, both in [0, 1]
    means = [
        laws.argmin_law(each, eta / math.sqrt(m) * table, noise="gaussian") @ table
        for each in (losses, losses + change / n)
    ]
    moved = np.linalg.norm(means[1] - means[0]) / math.sqrt(m)
    proved = math.sqrt(2 / math.pi) / (eta * n)
    assert moved <= proved + 1e-9
    infinite = float(levels.averaged_stability(n, eta=eta, averages=10**5, delta=0.5))
    assert infinite >= min(proved, 2.0)


def test_two_constants_move_as_far_as_proved():
    table, n, eta = small_tables()[0], 1000, 0.7
    pair = [
        laws.argmin_law(losses, eta * table, noise="gaussian") @ table
        for losses in (np.array([0.5, -0.5]) / n, np.array([-0.5, 0.5]) / n)
    ]
    moved = float(np.abs(pair[0] - pair[1])[0])
    assert moved == pytest.approx(math.sqrt(2 / math.pi) / (eta * n), rel=1e-5)


def test_averages_stay_within_the_stability_but_for_chance_delta():
    # thresholds on 20 points; both data sets see the same processes
    n, eta, j, delta, runs = 50, 0.1, 60, 0.3, 400
    task = Task("thresholds", shifted("window", 1.0), 0.1)
    rng = np.random.default_rng(7)
    private, public = task.private_data(n, rng), task.public_data(20, rng)
    other = Labelled(private.x, np.concatenate([-private.y[:1], private.y[1:]]))
    means = [
        perturbed_learner(
            task.oracle(), data, public=public, perturbation=Perturbation(eta, j), gamma=0.0,
            runs=runs, rng=np.random.default_rng(8),
        ).on_public
        for data in (private, other)
    ]  # fmt: skip
    moved = np.sqrt(np.mean((means[0] - means[1]) ** 2, axis=1))
    rho = float(levels.averaged_stability(n, eta=eta, averages=j, delta=delta))
    assert np.mean(moved > rho) <= delta
    drift = np.sqrt(np.mean((means[0].mean(axis=0) - means[1].mean(axis=0)) ** 2))
    assert drift <= math.sqrt(2 / math.pi) / (eta * n) + 2 / math.sqrt(j * runs)


def test_the_law_of_algorithm_2_against_draws():
    table = small_tables()[1]
    x, y = np.array([0.0, 1.0, 1.0, 0.0]), np.array([1.0, 1.0, -1.0, -1.0])
    oracle = FiniteClass(table)
    losses = np.array([np.mean(f[x.astype(int)] != y) for f in table])
    law = laws.perturbed_law(losses, table, eta=0.4, averages=3, gamma=0.8, noise="gaussian")
    found = perturbed_learner(
        oracle, Labelled(x, y), public=np.array([0.0, 1.0]),
        perturbation=Perturbation(0.4, 3), gamma=0.8,
        runs=30_000, rng=np.random.default_rng(4),
    )  # fmt: skip
    counts = np.bincount(found.released[:, 0].astype(int), minlength=3)
    assert np.all(np.abs(counts / 30_000 - law) <= 5 * np.sqrt(law / 30_000))


@BOTH
def test_the_law_of_rrspm_against_draws(noise):
    # three labelings of two public points, and private places where they differ otherwise
    table = np.column_stack([small_tables()[1], [[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]])
    private = Labelled(np.array([2.0, 2.0, 3.0, 0.0]), np.array([1.0, -1.0, -1.0, 1.0]))
    losses = np.array([sum(f[private.x.astype(int)] != private.y) for f in table]).astype(float)
    law = laws.rrspm_law(losses, table[:, :2], scale=2.0, noise=noise)
    found = rrspm(
        FiniteClass(table), private, public=np.array([0.0, 1.0]), scale=2.0, noise=noise,
        runs=30_000, rng=np.random.default_rng(6),
    )  # fmt: skip
    counts = np.bincount(found.released[:, 0].astype(int), minlength=3)
    assert np.all(np.abs(counts / 30_000 - law) <= 5 * np.sqrt(law / 30_000))


@given(st.floats(0.1, 4), st.integers(1, 6), st.integers(0, 2**32))
@examples(10)
def test_rspm_on_a_grid_is_private_by_its_exact_law(epsilon, n, seed):
    # two cells: thresholds at 0, 1/2 and 1, which the two middles tell apart
    rng = np.random.default_rng(seed)
    task = Task("thresholds", shifted("window", 1.0), 0.3)
    scale = float(levels.laplace_weights(2, epsilon=epsilon))
    private = task.private_data(n, rng)
    other = Labelled(private.x, np.append(-private.y[0], private.y[1:]))
    functions = np.array([[0.0], [0.5], [1.0]])
    pair = []
    for data in (private, other):
        grid = task.grid_oracle(2)
        losses = np.sum(grid.predict(functions, data.x) != data.y, axis=1).astype(float)
        on_cells = grid.predict(functions, grid.identification)
        pair.append(laws.rrspm_law(losses, on_cells, scale=scale, noise="laplace"))
        found = rspm(
            grid, data, identification=grid.identification, scale=scale, runs=4000, rng=rng
        )
        share = np.array([np.mean(np.isclose(found.released[:, 0], t)) for t in functions[:, 0]])
        assert np.all(np.abs(share - pair[-1]) <= 6 * np.sqrt(pair[-1] / 4000) + 1e-3)
    assert laws.log_ratio(*pair) <= epsilon + 1e-9
