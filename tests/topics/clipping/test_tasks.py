"""The tasks: their candidates, comparisons and true errors."""

import numpy as np
import pytest
from hypothesis import given
from scipy import integrate, stats

from dpviz.results.parameters import LIMITS, ParameterError
from dpviz.topics.clipping.tasks import TASKS, make_task
from tests.support.strategies import outside

every_task = pytest.mark.parametrize("name", TASKS)


@every_task
@pytest.mark.parametrize("candidates", [2, 3, 16, 64])
def test_a_task_is_consistent(name, candidates):
    task = make_task(name, candidates=candidates)
    size = len(task.names)
    assert 2 <= size <= candidates
    assert len(set(task.names)) == size
    assert task.psi.shape == (size, size, task.law.size)
    assert np.abs(task.psi).max() <= 1
    assert np.all(task.law >= 0)
    assert task.law.sum() == pytest.approx(1)
    assert task.errors.min() == task.optimum == task.errors[task.best]
    assert np.all(task.good(0.0) == (task.excess <= 1e-12))
    assert task.optimum <= task.radius + (0.2 if name.startswith("noisy") else 1e-12)


@pytest.mark.parametrize("name", ["discrete", "gaussian", "selection"])
def test_scheffe_scores_are_right_in_expectation(name):
    """E ψ[h, g] = P_h(W) − D(W): at most the distance of h, and for the best g at least TV − it."""
    task = make_task(name, candidates=16)
    means = task.psi @ task.law
    assert np.all(means <= task.errors[:, None] + 1e-12)
    against_best = np.delete(means[:, task.best], task.best)
    errors = np.delete(task.errors, task.best)
    assert np.all(against_best >= errors - 2 * task.optimum - 1e-12)


@pytest.mark.parametrize("candidates", [5, 16])
def test_a_gaussians_cells_are_its_density(candidates):
    """By quadrature: total variation, and P(W) and D(W) of every pair of means."""
    task = make_task("gaussian", candidates=candidates)
    means = np.linspace(-2, 2, candidates)
    grid = np.linspace(-14, 14, 560_001)
    truth = stats.norm.pdf(grid, 0.3)
    for h, g in [(0, 1), (3, 1), (4, 2), (1, 4)]:
        own, other = stats.norm.pdf(grid, means[h]), stats.norm.pdf(grid, means[g])
        distance = integrate.trapezoid(np.abs(own - truth), grid) / 2
        assert task.errors[h] == pytest.approx(distance, abs=1e-6)
        expected = integrate.trapezoid((own > other) * (own - truth), grid)
        assert task.psi[h, g] @ task.law == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("name", ["thresholds", "noisy_thresholds", "intervals", "noisy_intervals"])
def test_labels_are_what_the_names_say(name):
    """Errors against fresh labelled examples, each candidate as its name reads."""
    task = make_task(name, candidates=16)
    rng = np.random.default_rng(3)
    x = rng.uniform(size=200_000)

    def predicts(words):
        if words == "never":
            return np.zeros(x.size, dtype=bool)
        ends = [
            float(end)
            for end in words.replace("≤", " ")
            .replace("<", " ")
            .replace("≥", " ")
            .replace("x", " ")
            .split()
        ]
        return (x >= ends[0]) & ((x < ends[1]) if len(ends) > 1 else True)

    flip = rng.uniform(size=x.size) < (0.2 if name.startswith("noisy") else 0)
    labels = predicts(task.names[task.best]) ^ flip
    for words, error in zip(task.names, task.errors, strict=True):
        assert (predicts(words) != labels).mean() == pytest.approx(error, abs=6e-3)


@every_task
def test_users_are_drawn_from_the_law(name):
    task = make_task(name, candidates=8)
    users = task.draw(np.random.default_rng(1), users=4000, examples_per_user=25)
    assert np.all(users.sum(axis=1) == 25)
    possible = task.law > 0
    assert not users[:, ~possible].any()
    totals = users.sum(axis=0)[possible]
    assert stats.chisquare(totals, task.law[possible] * 100_000).pvalue > 1e-4


@every_task
def test_many_users_find_the_best(name):
    task = make_task(name, candidates=8)
    users = task.draw(np.random.default_rng(1), users=20_000, examples_per_user=10)
    scores = task.scores(users, threshold=1 if task.loss is not None else 10)
    assert task.good(0.05)[scores.argmin()]


@given(outside("candidates"))
def test_candidates_outside_their_range_are_refused(candidates):
    with pytest.raises(ParameterError, match=r"^candidates must be"):
        make_task("gaussian", candidates=candidates)


def test_a_task_nobody_knows_is_refused():
    with pytest.raises(ParameterError, match=r"^task must be one of discrete"):
        make_task("sorting", candidates=4)
    assert LIMITS["candidates"].maximum == 64


@pytest.mark.parametrize("name", TASKS)
def test_the_noise_grows_up_to_the_full_threshold(name):
    task = make_task(name, candidates=12, domain_size=8)
    full = task.full_threshold(examples_per_user=100)
    below, at, without = (
        task.sensitivity(tau, examples_per_user=100) for tau in (0.99 * full, full, 100.0)
    )
    assert below < at
    assert at == pytest.approx(without)
