"""The tasks in d dimensions: scores by definition, sensitivity by brute force, true errors."""

import itertools

import numpy as np
import pytest
from scipy import stats

from dpviz.maths.exponential_mechanism import log_probabilities
from dpviz.results.parameters import ParameterError
from dpviz.topics.user_complexity.covers import (
    bounded_cover,
    known_cover,
    product_cover,
    product_laws,
)
from dpviz.topics.user_complexity.learning_tasks import (
    LEARNED,
    how_many_candidates,
    learning_task,
    most_dimensions,
    scheffe_rows,
)
from tests.support.examples import chosen

COVERS = {"known": known_cover, "bounded": bounded_cover}
every_task = pytest.mark.parametrize("key", LEARNED)


def defined_scores(users, psi, count, threshold):
    """Scores by definition. users: lists of examples; psi(h, g, z): the comparison."""
    scores = []
    for h in range(count):
        totals = [
            sum(np.clip(sum(psi(h, g, z) for z in user), -threshold, threshold) for user in users)
            for g in range(count)
            if g != h
        ]
        scores.append(max(totals))
    return np.array(scores)


def as_examples(counts):
    return [[z for z, n in enumerate(row) for _ in range(n)] for row in counts]


@pytest.mark.parametrize("threshold", [1.5, 4.0])
def test_scores_of_product_distributions_are_those_of_the_definition(threshold):
    task = learning_task("product", dimension=2, alpha=0.2)
    laws = product_laws(product_cover(2, 0.1, 729).rates)
    counts = np.random.default_rng(1).multinomial(4, task.rows.law, size=7)

    def psi(h, g, z):
        wins = laws[h] > laws[g] + 1e-12
        return laws[h][wins].sum() - wins[z]

    expected = defined_scores(as_examples(counts), psi, task.candidates, threshold)
    totals = task.totals(np.random.default_rng(1), users=7, examples=4, threshold=threshold)
    if threshold < 4:
        assert task.scores(totals) == pytest.approx(expected, abs=1e-5)
    pooled = np.random.default_rng(1).multinomial(28, task.rows.law)
    unclipped = defined_scores(as_examples([pooled]), psi, task.candidates, 1e9)
    if threshold == 4:
        assert task.scores(totals) == pytest.approx(unclipped, abs=1e-5)


GAUSSIANS = [("known", 2, 0.4), ("bounded", 1, 0.3)]


@pytest.mark.parametrize(("key", "dimension", "alpha"), chosen(GAUSSIANS, GAUSSIANS[1:]))
def test_scores_of_gaussians_are_those_of_the_definition(key, dimension, alpha):
    task = learning_task(key, dimension=dimension, alpha=alpha)
    points = np.random.default_rng(2).standard_normal((12, dimension)) + task.rows.mean
    cover = COVERS[key](dimension, alpha / 2, 400)
    laws = [
        stats.multivariate_normal(*both)
        for both in zip(cover.means, cover.covariances, strict=True)
    ]
    draws = np.random.default_rng(3).standard_normal((20_000, dimension))
    logs = []
    for law, mean, covariance in zip(laws, cover.means, cover.covariances, strict=True):
        own = draws @ np.linalg.cholesky(covariance).T + mean
        logs.append([law.logpdf(own) > other.logpdf(own) for other in laws])
    shares = np.array(logs).mean(axis=2)

    def psi(h, g, z):
        return shares[h, g] - (laws[h].logpdf(points[z]) > laws[g].logpdf(points[z]))

    users = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]
    expected = defined_scores(users, psi, task.candidates, 1.2)
    totals = task.totals(np.random.default_rng(2), users=4, examples=3, threshold=1.2)
    assert task.scores(totals) == pytest.approx(expected, abs=0.15)  # shares are simulated
    pooled = task.rows.pooled(np.random.default_rng(2), users=4, examples=3)
    each = task.rows.sums(np.random.default_rng(2), users=4, examples=3)
    assert pooled == pytest.approx(each.sum(axis=0), abs=1e-4)


@pytest.mark.parametrize(
    ("key", "dimension", "alpha"),
    [("product", 2, 0.3), ("labels", 2, 0.2), ("noisy_labels", 2, 0.2)],
)
@pytest.mark.parametrize("threshold", [0.8, 1.0])
def test_no_neighbour_moves_a_score_by_more_than_the_sensitivity(key, dimension, alpha, threshold):
    """All users with two examples each, all data sets of two, every user substituted."""
    task, m, epsilon = learning_task(key, dimension=dimension, alpha=alpha), 2, 0.7
    cells = np.flatnonzero(task.rows.law > 0)
    types = np.array(
        [
            np.bincount(pair, minlength=task.rows.law.size)
            for pair in itertools.combinations_with_replacement(cells, m)
        ]
    )
    parts = np.clip(types @ task.rows.columns, task.low(threshold), threshold)
    scores = np.array([[task.scores(one + two) for one in parts] for two in parts])
    moved = np.abs(scores[:, :, None] - scores[:, None, :]).max()
    stated = task.sensitivity(threshold=threshold, examples=m)
    assert moved <= stated + 1e-6
    assert moved >= 0.7 * stated
    logs = log_probabilities(scores, epsilon=epsilon, sensitivity=stated)
    ratio = np.abs(logs[:, :, None] - logs[:, None, :]).max()
    assert ratio <= epsilon * (1 + 1e-6)


def test_distinct_rows_are_all_comparisons():
    laws = product_laws(product_cover(3, 0.15, 729).rates)
    columns, row = scheffe_rows(laws)
    wins = laws[:, None] > laws[None] + 1e-12
    expected = (wins * laws[:, None]).sum(axis=2)[:, :, None] - wins
    assert columns.T[row] == pytest.approx(expected, abs=1e-6)
    assert columns.shape[1] < laws.shape[0] ** 2 / 2


def test_errors_are_distances_from_the_truth():
    task = learning_task("known", dimension=1, alpha=0.2)
    x = np.linspace(-12, 12, 100_001)
    truth = stats.norm(1.5).pdf(x)
    means = known_cover(1, 0.1, 400).means
    apart = np.abs(stats.norm(means).pdf(x) - truth).sum(axis=1) * (x[1] - x[0]) / 2
    assert task.errors == pytest.approx(apart, abs=1e-6)
    bounded = learning_task("bounded", dimension=1, alpha=0.2)
    cover = bounded_cover(1, 0.1, 400)
    laws = stats.norm(cover.means, np.sqrt(cover.covariances[:, :, 0])).pdf(x)
    apart = np.abs(laws - stats.norm(1.0).pdf(x)).sum(axis=1) * (x[1] - x[0]) / 2
    assert bounded.errors == pytest.approx(apart, abs=1e-6)


@every_task
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_some_candidate_is_good_and_some_is_not(key, alpha):
    most = most_dimensions(key, alpha=alpha)
    task = learning_task(key, dimension=min(most, 2), alpha=alpha)
    assert task.candidates == how_many_candidates(key, dimension=min(most, 2), alpha=alpha)
    assert task.errors.min() <= max(task.radius, 1e-12) <= alpha / 2
    assert task.good(alpha).any()
    assert task.errors.max() > alpha * 0.9


@every_task
def test_more_dimensions_than_can_be_run_are_refused(key):
    most = most_dimensions(key, alpha=0.1)
    with pytest.raises(ParameterError, match=r"^dimensions must be"):
        learning_task(key, dimension=most + 1, alpha=0.1)


def test_unknown_tasks_are_refused():
    with pytest.raises(ParameterError, match=r"^learned must be"):
        most_dimensions("parity", alpha=0.1)


@pytest.mark.parametrize("key", ["product", "noisy_labels"])
def test_clipping_lowers_the_noise_from_the_m_that_is_stated(key):
    task = learning_task(key, dimension=2, alpha=0.1)
    width = 2 if key == "noisy_labels" else 1
    first = task.clips_from(0.1)
    for m in (1, int(first) - 1, int(first), int(first) + 50):
        tau = task.threshold(alpha=0.1, examples=m)
        lowered = task.sensitivity(threshold=tau, examples=m) < width * m - 1e-4
        assert lowered == (m >= first)


def test_a_large_constant_clips_nothing_up_to_a_hundred_examples():
    task = learning_task("noisy_labels", dimension=2, alpha=0.4)
    assert task.clips_from(0.4, 4.0) == np.inf
    assert task.threshold(alpha=0.4, examples=100, scale=4.0) == 100


@pytest.mark.parametrize(("key", "dimension"), [("product", 1), ("known", 1)])
def test_the_paper_s_cover_has_the_paper_s_radius(key, dimension):
    assert learning_task(key, dimension=dimension, alpha=0.2, cover="paper").radius <= 0.02
    fits = learning_task("bounded", dimension=1, alpha=0.05, cover="paper")
    assert 0.005 < fits.radius <= 0.025  # too many candidates at 0.005


@every_task
def test_nested_data_sets_are_prefixes_of_one(key):
    """What is said of n users does not depend on how many more there are."""
    task = learning_task(key, dimension=1, alpha=0.2)
    given = {"examples": 20, "epsilon": 1.0, "alpha": 0.2, "threshold": 9.5}
    few = task.successes(np.random.default_rng(5), sizes=np.array([3, 8]), **given)
    more = task.successes(np.random.default_rng(5), sizes=np.array([3, 8, 30]), **given)
    assert more[:2] == pytest.approx(few)
    assert np.all((more >= 0) & (more <= 1))
