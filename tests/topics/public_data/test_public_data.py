"""Private learning with public data: algorithms, noise, exact laws, privacy, views."""

import inspect
import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import binom, kstest, norm
from scipy.stats import gamma as gamma_law

from dpviz.results.evidence import Evidence
from dpviz.results.parameters import LIMITS, ParameterError
from dpviz.topics.public_data import noise_levels as levels
from dpviz.topics.public_data import output_laws as laws
from dpviz.topics.public_data import rich_class
from dpviz.topics.public_data.algorithms import (
    Labelled,
    draw_noise,
    perturb,
    perturbed_learner,
    regularized_learner,
    rrspm,
    rspm,
)
from dpviz.topics.public_data.experiment import Setting
from dpviz.topics.public_data.learners import LEARNERS, Budget, claim, learn, suits
from dpviz.topics.public_data.oracles.linear_functions import LinearFunctions
from dpviz.topics.public_data.oracles.thresholds import Thresholds
from dpviz.topics.public_data.shift import FAMILIES, shifted
from dpviz.topics.public_data.tasks import TASKS, Task, affine_features
from dpviz.topics.public_data.views.errors import (
    error_against_points,
    error_against_samples,
    error_against_shift,
)
from dpviz.topics.public_data.views.lesson import lesson
from dpviz.topics.public_data.views.noise import noise_against_points
from dpviz.topics.public_data.views.rates import RATES, SETTINGS, samples_needed
from dpviz.topics.public_data.views.weights import weights_against_dimension
from tests.support.finite_class import FiniteClass
from tests.support.strategies import inside, outside

few = settings(max_examples=30, deadline=None)
BOTH = pytest.mark.parametrize("noise", ["gaussian", "laplace"])


def rng_of(seed):
    return np.random.default_rng(seed)


# ---- the algorithms ------------------------------------------------------------------------


@BOTH
@few
@given(st.integers(1, 6), st.integers(0, 2**32))
def test_perturb_projects_onto_the_nearest_function(noise, m, seed):
    rng = rng_of(seed)
    table = rng.normal(size=(7, m))
    public, mean, gamma = np.arange(m), rng.normal(size=(3, m)), 0.7
    oracle = FiniteClass(table)
    found = perturb(oracle, mean, public=public, gamma=gamma, noise=noise, rng=rng_of(seed))
    noisy = mean + gamma * draw_noise(noise, (3, m), rng_of(seed))
    distances = ((noisy[:, None] - table[None]) ** 2).sum(axis=2)
    assert found[:, 0].tolist() == distances.argmin(axis=1).tolist()
    assert oracle.calls == 3


@few
@given(st.integers(1, 4), st.integers(1, 12), st.integers(0, 2**32))
def test_rrspm_against_its_pseudo_code(m, n, seed):
    rng = rng_of(seed)
    # a class on m public places and as many others, labels ±1
    table = rng.choice([-1.0, 1.0], size=(9, 2 * m))
    private = Labelled(rng.integers(0, 2 * m, n).astype(float), rng.choice([-1.0, 1.0], n))
    public = np.arange(m).astype(float)
    oracle = FiniteClass(table)
    found = rrspm(oracle, private, public=public, scale=3.0, runs=4, rng=rng_of(seed))
    assert oracle.calls == 8
    replay = rng_of(seed)
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
        found = rrspm(Thresholds(0.0, 1.0), private, public=public, scale=1e-6, rng=rng_of(1))
        assert found.intermediate[0, 0, 0] == pytest.approx(cut, abs=0.01)
        released.append(found.released[0, 0])
    assert released[0] == released[1] == pytest.approx(0.4)


@pytest.mark.parametrize("name", TASKS)
def test_calls_are_counted(name):
    task = Task(name, shifted("window", 1.0), 0.1)
    rng = rng_of(0)
    private, public = task.private_data(40, rng), task.public_data(5, rng)
    shared = {"public": public, "rng": rng, "runs": 3}
    oracle = task.oracle()
    perturbed_learner(oracle, private, eta=0.1, averages=7, gamma=1.0, **shared)
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
    rng = rng_of(3)
    private, public = task.private_data(400, rng), task.public_data(60, rng)
    shared = {"public": public, "rng": rng}
    if task.classifies:
        found = rrspm(task.oracle(), private, scale=1e-9, **shared)
    else:
        found = regularized_learner(task.oracle(), private, eta=1e-4, gamma=0.0, **shared)
    assert task.excess(found.released)[0] < 0.05
    averaged = perturbed_learner(task.oracle(), private, eta=1e-4, averages=5, gamma=0.0, **shared)
    assert task.excess(averaged.released)[0] < 0.05


# ---- tasks and shifts ----------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
@given(sigma=inside("smoothness"))
@settings(max_examples=20, deadline=None)
def test_the_smoothness_of_a_family_is_exact(family, sigma):
    shift = shifted(family, sigma)
    widths = np.diff(shift.edges)
    assert shift.public @ widths == pytest.approx(1)
    assert shift.private @ widths == pytest.approx(1)
    assert np.all(shift.private * sigma <= shift.public * (1 + 1e-9))
    assert shift.smoothness == pytest.approx(sigma)


@pytest.mark.parametrize("family", FAMILIES)
def test_draws_follow_the_densities(family):
    shift = shifted(family, 0.2)
    x = shift.draw(shift.private, 4000, rng_of(5))
    assert kstest(x, shift.mass).pvalue > 1e-4
    levels_ = np.linspace(0.01, 0.99, 30)
    assert shift.mass(shift.quantiles(levels_)) == pytest.approx(levels_)


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("family", FAMILIES)
def test_excess_errors_against_fresh_data(name, family):
    task = Task(name, shifted(family, 0.3), 0.2)
    rng = rng_of(11)
    small = task.private_data(12, rng)
    oracle = task.oracle()
    functions = np.stack(
        [task.target, *(oracle.minimize(Labelled(small.x, y * small.y).loss(1.0)) for y in (1, -1))]
    )
    fresh = task.private_data(200_000, rng)
    losses = (oracle.predict(functions, fresh.x) - fresh.y) ** 2 / 4
    apart = losses - losses[0]
    error = 5 * apart.std(axis=1) / math.sqrt(losses.shape[1]) + 1e-12
    assert np.all(np.abs(apart.mean(axis=1) - task.excess(functions)) <= error)
    assert task.excess(task.target[None])[0] == pytest.approx(0, abs=1e-12)


def test_half_planes_of_any_direction_have_exact_excess():
    task = Task("halfplanes", shifted("window", 1.0), 0.0)
    lines = np.array([[1.0, 0.0, 0.5], [-1.0, 0.0, -0.5], [0.0, -1.0, 2.0], [0.0, 1.0, 2.0]])
    # the target is 0.8·x₁ + 0.6·x₂ ≥ 0.62: its area below is a triangle cut by the square
    below = 0.62**2 / (2 * 0.8 * 0.6) - (0.62 / 0.6 - 1) ** 2 * 0.6 / (2 * 0.8)
    found = task.excess(lines)
    assert found[2:] == pytest.approx([below if lines[2, 2] < 0 else 1 - below] * 2, abs=1e-4)
    assert found[0] + found[1] == pytest.approx(1, abs=1e-9)


# ---- noise levels --------------------------------------------------------------------------


@given(inside("public_points"), st.floats(1e-4, 2), inside("epsilon"), inside("delta"))
@settings(max_examples=60)
def test_conditions_are_solved_for_gamma(m, rho, epsilon, delta):
    for share in (1.0, 2.0):
        gamma = float(
            levels.published_gaussian(m, rho=rho, epsilon=epsilon, delta=delta, share=share)
        )
        left = m / (2 * gamma**2) * (1 + gamma * math.sqrt(math.log(share / delta))) * rho
        assert left == pytest.approx(epsilon, rel=1e-9)
    gamma = float(levels.published_laplace(m, rho=rho, epsilon=epsilon))
    assert m**1.5 / gamma * rho == pytest.approx(epsilon)


@given(st.integers(8, 10**4), st.floats(1e-3, 1), st.floats(1e-3, 10), st.floats(1e-30, 0.5))
@example(8, 1.0, 0.001, 0.5)
@example(8, 1.0, 10.0, 0.5)
@example(8, 1e-3, 10.0, 1e-30)
@settings(max_examples=150)
def test_condition_14_suffices_from_8_points_on(m, rho, epsilon, delta):
    gamma = levels.published_gaussian(m, rho=rho, epsilon=epsilon, delta=delta)
    true = levels.vector_log_delta(gamma, points=m, rho=rho, epsilon=epsilon)
    assert true <= math.log(delta)


def test_condition_14_leaves_one_noisy_number_bare():
    gamma = levels.published_gaussian(1, rho=1.0, epsilon=1.0, delta=1e-10)
    true = float(levels.vector_log_delta(gamma, points=1, rho=1.0, epsilon=1.0))
    assert true > math.log(1e-10) + math.log(1e6)


def cut_off(mean, sigma, cells=8000):
    """The law of a normal number cut off at ±1: the atom below, cells, the atom above."""
    ends = np.linspace(-1, 1, cells + 1)
    below, above = norm.cdf(ends, mean, sigma), norm.sf(ends, mean, sigma)
    # each cell from its nearer tail: the other one rounds it away
    inner = np.where(ends[1:] < mean, np.diff(below), -np.diff(above))
    return np.concatenate([below[:1], inner, above[-1:]])


@given(st.integers(1, 50), st.floats(0.02, 2), st.floats(0.05, 8), st.floats(0.05, 5))
@example(1, 1.0, 1.0, 2.0969)
@example(1, 1.0, 10.0, 0.3351)
@settings(max_examples=60, deadline=None)
def test_the_release_of_constants_against_its_law_cell_by_cell(m, rho, epsilon, noise):
    gamma = noise * math.sqrt(m)
    pair = [cut_off(mean, noise) for mean in (rho - 1, -1.0)]
    found = float(levels.constants_log_delta(gamma, points=m, rho=rho, epsilon=epsilon))
    cells = hockey_stick(*pair, epsilon)
    # cells show a little less than the number itself
    assert cells - 1e-12 <= math.exp(found) <= cells + 2e-3 / noise
    vector = float(levels.vector_log_delta(gamma, points=m, rho=rho, epsilon=epsilon))
    assert found <= vector + 1e-6 * (1 + abs(vector))


def test_perturb_releases_the_mean_of_the_noisy_numbers_cut_off():
    m, mean, gamma = 5, 0.6, 1.7
    oracle = LinearFunctions(lambda x: np.ones((len(x), 1)))
    found = perturb(
        oracle, np.full((4000, m), mean), public=np.zeros(m), gamma=gamma, noise="gaussian",
        rng=rng_of(12),
    )[:, 0]  # fmt: skip
    sigma = gamma / math.sqrt(m)
    assert kstest(found[np.abs(found) < 1 - 1e-6], lambda t: (
        (norm.cdf(t, mean, sigma) - norm.cdf(-1, mean, sigma))
        / (norm.cdf(1, mean, sigma) - norm.cdf(-1, mean, sigma))
    )).pvalue > 1e-4  # fmt: skip
    above = norm.sf(1, mean, sigma)
    assert np.mean(found > 1 - 1e-6) == pytest.approx(above, abs=5 * math.sqrt(above / 4000))


@given(inside("public_points"), st.floats(1e-4, 2), inside("epsilon"), inside("delta"))
@settings(max_examples=60)
def test_the_gaussian_that_suffices_is_the_least_for_the_noisy_numbers(m, rho, epsilon, delta):
    gamma = levels.sufficient_gaussian(m, rho=rho, epsilon=epsilon, delta=delta)
    true = float(levels.vector_log_delta(gamma, points=m, rho=rho, epsilon=epsilon))
    assert true <= math.log(delta)
    less = float(levels.vector_log_delta(gamma * 0.999, points=m, rho=rho, epsilon=epsilon))
    assert less > math.log(delta)


def test_the_delta_of_the_noisy_numbers_against_quadrature():
    m, rho, epsilon, gamma = 20, 0.1, 0.5, 1.3
    mu = mp.mpf(rho) * mp.sqrt(m) / gamma
    edge = epsilon / mu + mu / 2  # where the loss is ε, seen from the shifted law
    value = mp.quad(
        lambda u: mp.npdf(u - mu) - mp.exp(epsilon) * mp.npdf(u), [edge, edge + 4, mp.inf]
    )
    assert float(
        np.exp(levels.vector_log_delta(gamma, points=m, rho=rho, epsilon=epsilon))
    ) == pytest.approx(float(value), rel=1e-9)


@given(inside("public_points"), inside("samples"), inside("eta"), inside("epsilon"))
@settings(max_examples=60)
def test_the_laplace_condition_asks_for_twice_root_m_times_too_much(m, n, eta, epsilon):
    assume(eta * n > 4)
    rho = levels.regularized_stability(n, eta=eta)
    enough = levels.sufficient_laplace(m, rho=rho, epsilon=epsilon)
    printed = levels.regularized_stability(n, eta=eta, published=True)
    published = levels.published_laplace(m, rho=printed, epsilon=epsilon)
    assert published / enough == pytest.approx(1 * math.sqrt(m) * float(printed) / float(
        levels.regularized_stability(n, eta=eta)
    ))  # fmt: skip
    if printed < 2:
        assert published / enough == pytest.approx(2 * math.sqrt(m))


def test_lemma_1_and_conditions_102_and_103_as_printed():
    n, eta, j, delta, width, m, epsilon = 5000, 0.2, 400, 1e-6, 1.5, 50, 0.7
    rho = 2 / (eta * n) ** (1 / 3) * width ** (1 / 3) + math.sqrt(math.log(1 / delta) / j)
    assert float(
        levels.perturbed_stability(n, eta=eta, averages=j, delta=delta, width=width)
    ) == pytest.approx(rho)
    half = float(
        levels.perturbed_stability(n, eta=eta, averages=j, delta=delta, width=width, kappa=0.5)
    )
    root = math.sqrt(math.log(1 / delta) / j)
    assert (half - root) / (rho - root) == pytest.approx(2 ** (2 / 3))
    gamma = float(
        levels.perturbation_condition(
            m, samples=n, eta=eta, averages=j, epsilon=epsilon, delta=delta, width=width
        )
    )
    logs = math.log(2 / delta)
    left = m / (2 * gamma**2) * (1 + gamma * math.sqrt(logs))
    assert left * (4 / (n * eta) ** (1 / 3) * width + math.sqrt(logs / j)) == pytest.approx(epsilon)
    side = float(levels.points_condition(m, width=width, delta=delta, constant=0.3))
    first = math.log(m) ** 2 / math.sqrt(m) * width
    second = math.sqrt((math.log(math.log(m)) + math.log(1 / delta)) / m)
    assert side == pytest.approx(0.3 * (first + second))


def test_the_width_of_thresholds_against_simulation():
    rng = rng_of(8)
    for m in (1, 2, 7, 60):
        walk = np.cumsum(rng.standard_normal((40_000, m)), axis=1)
        lowest = np.minimum(walk.min(axis=1), 0.0)
        top = (walk[:, -1] - 2 * lowest) / math.sqrt(m)
        error = 5 * top.std() / math.sqrt(top.size)
        assert float(levels.threshold_width(m)) == pytest.approx(top.mean(), abs=error)
    assert float(levels.threshold_width(10**4)) < 2 * math.sqrt(2 / math.pi)


@pytest.mark.parametrize("name", TASKS)
def test_widths_bound_the_gaussian_complexity(name):
    task = Task(name, shifted("window", 1.0), 0.0)
    rng, m = rng_of(2), 12
    public = task.public_data(m, rng)
    process = rng.standard_normal((400, m)) / math.sqrt(m)
    oracle = task.oracle()
    nothing = Labelled(public[:0], np.empty(0)).loss(1.0)
    best = oracle.minimize_each(nothing, public, -process)
    tops = np.sum(oracle.predict(best, public) * process, axis=1)
    error = 4 * tops.std() / math.sqrt(400)
    assert tops.mean() <= task.width(m) + error
    if name == "thresholds":
        assert tops.mean() == pytest.approx(task.width(m), abs=error)


# ---- stability -----------------------------------------------------------------------------


@given(
    st.integers(1, 30), st.integers(1, 12), st.floats(0.01, 10), st.integers(0, 2**32),
    st.booleans(),
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_lemma_2_on_random_neighbours(n, m, eta, seed, extreme):
    rng = rng_of(seed)
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
            oracle, private, public=public, eta=eta, gamma=0.0, rng=rng_of(0)
        )
        means.append(found.on_public[0])
    moved = math.sqrt(float(np.mean((means[0] - means[1]) ** 2)))
    # minimise (w − y)²/4 + η·w²: w = y/(1 + 4η)
    assert moved == pytest.approx(2 / (1 + 4 * eta))
    bound = float(levels.regularized_stability(1, eta=eta))
    assert bound / 3 < moved <= bound


# ---- exact output laws, and privacy --------------------------------------------------------


def small_tables():
    """Classes of labelings on at most 2 points, or of at most 3 functions."""
    square = np.array(list(itertools.product([-1.0, 1.0], repeat=2)))
    steps = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]])
    line = np.array([[1.0], [-1.0]])
    return [line, steps, square]


TABLES = pytest.mark.parametrize("table", small_tables(), ids=["m=1", "steps", "all"])


@BOTH
@given(st.integers(2, 5), st.integers(1, 2), st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_exact_laws_against_draws(noise, k, m, seed):
    rng = rng_of(seed)
    offsets, slopes = rng.normal(size=k), rng.normal(size=(k, m))
    law = laws.argmin_law(offsets, slopes, noise=noise)
    assert law.sum() == pytest.approx(1, abs=1e-10)
    u = draw_noise(noise, (20_000, m), rng)
    counts = np.bincount(np.argmin(offsets + u @ slopes.T, axis=1), minlength=k)
    error = 6 * np.sqrt(law * (1 - law) / 20_000) + 1e-3
    assert np.all(np.abs(counts / 20_000 - law) <= error)


@given(st.integers(0, 2**32))
@settings(max_examples=15, deadline=None)
def test_three_functions_in_the_plane_both_ways(seed):
    rng = rng_of(seed)
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
@settings(max_examples=25, deadline=None)
def test_rrspm_with_laplace_weights_is_private(table, epsilon, seed, opposite):
    # Theorem 8: neighbouring data change each function's loss by at most 1
    rng = rng_of(seed)
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


def hockey_stick(first, second, epsilon):
    return float(np.maximum(first - math.exp(epsilon) * second, 0).sum())


@TABLES
@given(st.floats(0.05, 4), st.floats(1e-4, 0.3), st.floats(0.05, 2), st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_perturb_is_private_with_the_noise_that_suffices(table, epsilon, delta, rho, seed):
    rng = rng_of(seed)
    m = table.shape[1]
    mean, away = rng.uniform(-1, 1, m), rng.normal(size=m)
    other = mean + rho * away / math.sqrt(np.mean(away**2))
    gamma = float(levels.sufficient_gaussian(m, rho=rho, epsilon=epsilon, delta=delta))
    pair = [laws.perturb_law(v, table, gamma=gamma, noise="gaussian") for v in (mean, other)]
    assert hockey_stick(*pair, epsilon) <= delta * (1 + 1e-9) + 1e-12
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
    assert hockey_stick(*pair, epsilon) == pytest.approx(delta, rel=1e-6)


@given(st.floats(0.1, 2), st.floats(1e-3, 0.2), st.integers(2, 40), st.floats(0.05, 5),
       st.integers(0, 2**32))  # fmt: skip
@settings(max_examples=25, deadline=None)
def test_algorithm_3_is_private_by_its_exact_output_law(epsilon, delta, n, eta, seed):
    # constant functions w, |w| ≤ 1, on one public point: f̂ is f̄ + γζ, clipped to [−1, 1]
    rng = rng_of(seed)
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
    assert hockey_stick(*cells, epsilon) <= delta
    assert hockey_stick(*cells[::-1], epsilon) <= delta
    gamma = float(levels.sufficient_laplace(1, rho=rho, epsilon=epsilon))
    assert abs(means[0] - means[1]) / gamma <= epsilon


@BOTH
@TABLES
def test_algorithm_2_on_small_classes(table, noise):
    # As published: nothing is claimed, but at these sizes its noise is ample.
    n, eta, j, epsilon, delta = 20, 0.3, 4, 1.0, 1e-3
    m = table.shape[1]
    width = float(levels.threshold_width(m)) if m == 1 else math.sqrt(2 * math.log(len(table)))
    rho = levels.perturbed_stability(n, eta=eta, averages=j, delta=delta / 2, width=width)
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
        worst = max(worst, hockey_stick(*pair, epsilon), hockey_stick(*pair[::-1], epsilon))
    assert worst <= delta


def test_the_law_of_algorithm_2_against_draws():
    table = small_tables()[1]
    x, y = np.array([0.0, 1.0, 1.0, 0.0]), np.array([1.0, 1.0, -1.0, -1.0])
    oracle = FiniteClass(table)
    losses = np.array([np.mean(f[x.astype(int)] != y) for f in table])
    law = laws.perturbed_law(losses, table, eta=0.4, averages=3, gamma=0.8, noise="gaussian")
    found = perturbed_learner(
        oracle, Labelled(x, y), public=np.array([0.0, 1.0]), eta=0.4, averages=3, gamma=0.8,
        runs=30_000, rng=rng_of(4),
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
        runs=30_000, rng=rng_of(6),
    )  # fmt: skip
    counts = np.bincount(found.released[:, 0].astype(int), minlength=3)
    assert np.all(np.abs(counts / 30_000 - law) <= 5 * np.sqrt(law / 30_000))


@given(st.floats(0.1, 4), st.integers(1, 6), st.integers(0, 2**32))
@settings(max_examples=10, deadline=None)
def test_rspm_on_a_grid_is_private_by_its_exact_law(epsilon, n, seed):
    # two cells: thresholds at 0, 1/2 and 1, which the two middles tell apart
    rng = rng_of(seed)
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
            noise="gaussian", runs=runs, rng=rng_of(d),
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
    counts = rng_of(3).multinomial(d * each, np.full(d, 1 / d))
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
@settings(max_examples=40, deadline=None)
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


def test_the_interval_of_a_measured_loss_holds():
    rng, draws = rng_of(9), 2000
    p, q = 0.06, 0.03
    true = math.log(p / q)
    held = 0
    for _ in range(400):
        first, second = binom.rvs(draws, [p, q], random_state=rng)
        lower, estimate, upper = laws.counted_log_ratio(
            first, second, draws=draws, failure_probability=0.05
        )
        assert lower <= estimate <= upper
        held += lower <= true <= upper
    assert held >= 380
    lower, estimate, upper = laws.counted_log_ratio(0, 7, draws=draws, failure_probability=0.05)
    assert upper == math.inf
    assert estimate == pytest.approx(math.log(7))


def test_privacy_by_simulation_beyond_small_classes():
    # Thresholds, 6 public points, one example with either label: 7 outputs, all alike to 4 ε
    epsilon, runs = 1.0, 60_000
    public, rng = np.linspace(0.1, 0.9, 6), rng_of(12)
    counts = []
    for label in (1.0, -1.0):
        private = Labelled(np.array([0.5]), np.array([label]))
        scale = float(levels.laplace_weights(6, epsilon=epsilon))
        found = rrspm(Thresholds(0.0, 1.0), private, public=public, scale=scale, runs=runs, rng=rng)
        places, count = np.unique(found.released[:, 0], return_counts=True)
        assert places.size == 7
        counts.append(count)
    for first, second in zip(*counts, strict=True):
        lower, _, _ = laws.counted_log_ratio(
            first, second, draws=runs, failure_probability=0.01 / 7
        )
        assert lower <= epsilon


# ---- learners by name, and the views -------------------------------------------------------


def test_each_learner_gets_the_noise_it_needs():
    rng = rng_of(0)
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
    width = float(levels.threshold_width(10))
    rho = levels.perturbed_stability(500, eta=0.1, averages=50, delta=5e-7, width=width)
    assert found.rho == float(rho)
    assert found.scale == levels.sufficient_gaussian(10, rho=rho, epsilon=1.0, delta=5e-7)
    task = Task("regression", shifted("window", 1.0), 0.1)
    shared |= {"private": task.private_data(500, rng)}
    found = learn("regularization", task, budget=budget, **shared)
    assert found.rho == pytest.approx(1 / math.sqrt(50), rel=1e-3)
    assert found.rho > 1 / math.sqrt(50)  # the optimiser's gap
    assert found.scale == pytest.approx(10 * found.rho)


def test_claims_of_privacy():
    assert claim("rrspm", "laplace") == claim("rspm", "gaussian") == "pure"
    assert claim("rrspm", "gaussian") == "broken"
    assert claim("perturbation", "gaussian") == "published"
    assert claim("regularization", "gaussian") == "approximate"


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("learner", LEARNERS)
def test_learners_refuse_what_does_not_suit_them(name, learner):
    task = Task(name, shifted("window", 1.0), 0.1)
    rng = rng_of(0)
    arguments = {
        "private": task.private_data(20, rng), "public": task.public_data(3, rng),
        "budget": Budget(1.0, 1e-6, "laplace", 0.1, 5), "rng": rng,
    }  # fmt: skip
    if suits(learner, task):
        assert np.isfinite(learn(learner, task, **arguments).learned.released).all()
    else:
        with pytest.raises(ParameterError, match="learner"):
            learn(learner, task, **arguments)


SETTING = {
    "task": "thresholds", "learner": "rrspm", "noise": "laplace", "samples": 300,
    "public_points": 8, "epsilon": 1.0, "delta": 1e-6, "family": "window", "smoothness": 1.0,
    "label_noise": 0.1, "eta": 0.1, "averages": 20, "runs": 4, "constant": 1.0,
}  # fmt: skip
VIEWS = [lesson, error_against_samples, error_against_points, error_against_shift]


def names_of(view):
    named = inspect.signature(view).parameters
    return {*named, *Setting.__annotations__}


def called(view, **changes):
    values = {key: value for key, value in (SETTING | changes).items() if key in names_of(view)}
    result = view(rng=rng_of(1), **values)
    return list(result) if inspect.isgenerator(result) else [result]


@pytest.mark.parametrize("view", VIEWS)
@given(st.data())
@settings(max_examples=15, deadline=None)
def test_views_refuse_parameters_out_of_range(view, data):
    names = [n for n in sorted(names_of(view)) if n in LIMITS and n in SETTING]
    name = data.draw(st.sampled_from(names))
    with pytest.raises(ParameterError):
        called(view, **{name: data.draw(outside(name))})


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("key", ["task", "family", "noise"])
def test_views_refuse_names_they_do_not_know(view, key):
    with pytest.raises(ParameterError, match=key):
        called(view, **{key: "else"})


def test_half_planes_have_few_samples():
    with pytest.raises(ParameterError, match="at most 500"):
        called(lesson, task="halfplanes", samples=501)


@pytest.mark.parametrize("view", VIEWS[1:])
def test_simulations_grow_run_by_run(view):
    found = called(view, runs=6)
    assert found[-1].runs == 6
    assert found[-1].done == 1
    assert [chart.done for chart in found] == sorted(chart.done for chart in found)
    for result in found:
        for curve in result.curves:
            known = np.isfinite(curve.y)
            assert np.all(curve.y[known] >= 0)
            if curve.lower is not None:
                assert np.all(curve.lower[known] <= curve.y[known])
                assert np.all(curve.upper[known] >= curve.y[known])
    last = found[-1]
    assert np.isfinite(last.curve("rrspm").y).all()
    assert last.here in last.curve("rrspm").x
    assert last.calls["rrspm"] == 2


def test_more_private_examples_help_and_privacy_costs():
    [*_, chart] = called(error_against_samples, runs=20, averages=50)
    private, plain = chart.curve("rrspm"), chart.curve("non_private")
    assert private.y[-1] < private.y[0] / 3
    assert np.all(plain.y[3:] < private.y[3:])
    assert 300 in private.x


def test_too_many_public_points_hurt():
    [*_, chart] = called(error_against_points, samples=3000, runs=20, constant=0.3)
    curve = chart.curve("rrspm")
    best = int(np.argmin(curve.y))
    assert 3 < curve.x[best] < 300
    assert curve.y[-1] > 3 * curve.y[best]
    assert curve.y[0] > curve.y[best]
    # Lemma 23 bounds what the weights cost: 4m²·log(m/β)/(εn)
    lemma = chart.curve("lemma_23")
    assert lemma.y[0] == pytest.approx(4 * math.log(20) / 3000)
    # Theorem 10, (183): the projection, the sampling twice, the weights; d = 1, β = .05, C = .3
    total = chart.curve("lemmas")
    known = np.isfinite(total.y)
    assert known.any()
    m, capacity = total.x[known], 1 + math.log(20)
    terms = [0.3 * np.sqrt(capacity / m), 2 * 0.3 * math.sqrt(capacity / 3000)]
    terms.append(4 * m**2 * np.log(20 * m) / 3000)
    assert total.y[known] == pytest.approx(sum(terms))
    assert chart.curve("theorem_9").y == pytest.approx(np.full(total.x.shape, terms[1]))


def test_a_shift_costs_accuracy_not_privacy():
    [*_, chart] = called(error_against_shift, samples=5000, runs=10, public_points=20)
    curve = chart.curve("rrspm")
    assert curve.y[0] > 3 * curve.y[-1]
    loss = chart.privacy.curve("loss")
    assert np.all(loss.lower <= 1.0)
    assert set(chart.columns()) >= {"smoothness", "rrspm", "loss", "promised"}
    [*_, chart] = called(
        error_against_shift, task="regression", learner="regularization", samples=500, runs=2
    )
    loss = chart.privacy.curve("loss")
    assert loss.evidence is Evidence.UPPER  # the release shows less than the noisy numbers
    assert "at most" in loss.label
    assert np.all(loss.y <= 1.0)
    assert np.all(loss.y > 0)


def test_a_lesson_is_one_run():
    [result] = called(lesson, task="intervals")
    assert result.outcome.calls == 2
    assert result.excess == pytest.approx(float(result.task.excess(result.released[None])[0]))
    assert result.between.tolist() == result.values(
        result.outcome.learned.intermediate[0]
    )[0].tolist()  # fmt: skip
    table = result.columns()
    assert (table["part"] == "public").sum() == 8
    assert (table["part"] == "private").sum() == 300


@given(
    inside("samples"), inside("public_points"), inside("epsilon"), inside("delta"), inside("eta"),
    inside("averages"),
)  # fmt: skip
@settings(max_examples=30, deadline=None)
def test_noise_along_m_holds_exactly_where_it_is_proved(n, m, epsilon, delta, eta, averages):
    chart = noise_against_points(
        samples=n,
        public_points=m,
        epsilon=epsilon,
        delta=delta,
        eta=eta,
        averages=averages,
        constant=1.0,
    )
    exact = chart.curve("gaussian").y
    for key in ("lemma_9", "lemma_11"):
        curve = chart.curve(key)
        assert np.array_equal(curve.holds, curve.y >= exact * (1 - 1e-9)) or np.all(
            np.abs(np.log(curve.y / exact)[curve.holds != (curve.y >= exact)]) < 1e-8
        )
    rho = min(1 / math.sqrt(eta * n), 2)
    if rho <= 1:
        lemma = chart.curve("lemma_9")
        assert lemma.holds[lemma.x >= 8].all()
    assert np.all(chart.curve("laplace_11").y >= chart.curve("laplace").y)
    assert chart.curve("gaussian").evidence is Evidence.UPPER
    assert chart.curve("laplace").evidence is Evidence.UPPER


NOISE = {"delta": 1e-6, "averages": 300, "constant": 1.0, "public_points": 1}


def test_what_is_not_proved_of_the_vector_is_not_refuted_for_the_release():
    # ρ = 1, m = 1: (14) leaves the noisy number δ = 5e-3, but no release of it has loss ε = 1
    chart = noise_against_points(samples=100, eta=0.01, epsilon=1.0, **NOISE)
    lemma = chart.curve("lemma_9")
    assert not lemma.holds[0]
    assert chart.curve("gaussian").y[0] == pytest.approx(4.22, abs=0.01)
    worst = 0.0
    for mean, other in itertools.product(np.linspace(-1, 1, 21), repeat=2):
        if abs(mean - other) <= 1 + 1e-9:
            first, second = (cut_off(v, lemma.y[0], 400) for v in (mean, other))
            worst = max(worst, laws.log_ratio(first, second))
    assert worst < 1.0
    assert chart.too_little == 0
    assert [mark.text for mark in chart.marks] == ["(14) is not proved to suffice up to m = 4"]


def test_what_is_refuted_is_refuted_for_the_release():
    # the same ρ at ε = 10: the cut is out of the way
    chart = noise_against_points(samples=100, eta=0.01, epsilon=10.0, **NOISE)
    lemma = chart.curve("lemma_9")
    assert chart.too_little == 2
    for m, gamma in zip(lemma.x, lemma.y, strict=True):
        pair = [cut_off(mean, gamma / math.sqrt(m)) for mean in (0.0, -1.0)]
        if m <= chart.too_little:
            assert hockey_stick(*pair, 10.0) > 1e-6
        else:
            assert hockey_stick(*pair, 10.0) <= 1e-6
    assert [m.text for m in chart.marks] == ["(14) is too little for constants up to m = 2"]


def test_the_true_delta_of_gaussian_weights_is_told():
    told = {"alpha": 0.1, "beta": 0.05, "smoothness": 1.0, "constant": 1.0}
    chart = weights_against_dimension(vc_dimension=10**6, epsilon=1.0, delta=1e-6, **told)
    assert chart.public_points == 10**8
    assert chart.true_delta == pytest.approx(0.783, abs=5e-4)
    assert 10**4 < chart.broken_from < 10**5
    allowed = chart.curve("allowed").y
    assert np.all(chart.curve("laplace").y <= allowed)
    e = math.e
    guess = chart.curve("gaussian").y[np.searchsorted(chart.curve("gaussian").x, 10**6)]
    # guessing right with chance g against the other label: δ(ε) = g − e^ε·(1 − g)
    assert chart.true_delta == pytest.approx(guess - e * (1 - guess))
    assert allowed[0] - e * (1 - allowed[0]) == pytest.approx(1e-6)
    over = chart.curve("gaussian").y > allowed
    assert np.array_equal(over, chart.curve("gaussian").x >= chart.broken_from)
    with pytest.raises(ParameterError, match="alpha"):
        weights_against_dimension(
            vc_dimension=3, epsilon=1.0, delta=1e-6, **(told | {"alpha": 0.0})
        )


@pytest.mark.parametrize("setting", SETTINGS)
def test_shapes_have_the_slopes_of_the_theorems(setting):
    chart = samples_needed(
        setting=setting, alpha=0.05, beta=0.05, epsilon=1e-3, delta=0.4, smoothness=0.5,
        vc_dimension=4, constant=1.0,
    )  # fmt: skip
    powers = {rate.key: rate.power for rate in RATES}
    for curve in chart.curves:
        slope = math.log(curve.y[-1] / curve.y[-2]) / math.log(curve.x[-1] / curve.x[-2])
        if curve.key == "inefficient":
            assert 1 <= slope <= 2
        else:
            assert slope == pytest.approx(powers[curve.key])


def test_shapes_multiply_with_the_constant_and_sigma():
    setting = {
        "setting": "classification", "alpha": 0.05, "beta": 0.05, "epsilon": 1.0, "delta": 1e-6,
        "vc_dimension": 4,
    }  # fmt: skip
    one = samples_needed(**setting, smoothness=1.0, constant=1.0)
    half = samples_needed(**setting, smoothness=0.5, constant=3.0)
    # σ^−4 in Theorem 10, σ^−12 where the first term of (129) leads, none without privacy
    for key, power in (("theorem_10", 4), ("non_private", 0)):
        ratio = half.curve(key).y / one.curve(key).y
        assert ratio == pytest.approx(np.full(ratio.shape, 3 * 2.0**power))
    leads = half.curve("theorem_6").y[-1] / one.curve("theorem_6").y[-1]
    assert leads == pytest.approx(3 * 2.0**12)
    with pytest.raises(ParameterError, match="setting"):
        samples_needed(**(setting | {"setting": "else"}), smoothness=1.0, constant=1.0)
