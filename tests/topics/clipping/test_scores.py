"""Clipped scores and their sensitivities, against the definition and all users."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.maths.clipped_scores import largest_move, theorem_threshold
from dpviz.results.parameters import ParameterError
from dpviz.topics.clipping.scores import (
    clipped_pairwise_scores,
    realizable_scores,
)
from dpviz.topics.clipping.tasks import TASKS, make_task, scheffe_comparisons
from tests.support.examples import examples
from tests.support.strategies import inside, outside

every_task = pytest.mark.parametrize("name", TASKS)
some = examples(60)


def examples_of(users):
    """The users' examples one by one, as cells."""
    return [[z for z, count in enumerate(row) for _ in range(int(count))] for row in users]


def clip(value, low, high):
    return min(max(value, low), high)


def brute_force(users, psi, threshold):
    """The definition of ClippedPairwiseEM's score, example by example."""
    size = len(psi)
    return [
        max(
            math.fsum(
                clip(math.fsum(psi[h][g][z] for z in user), -threshold, threshold)
                for user in examples_of(users)
            )
            for g in range(size)
            if g != h
        )
        for h in range(size)
    ]


@st.composite
def problems(draw, most_users=6):
    """Users and comparisons, of any shape."""
    candidates, cells = draw(st.integers(2, 5)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    users = rng.integers(0, 6, size=(draw(st.integers(1, most_users)), cells))
    return users, rng.uniform(-1, 1, size=(candidates, candidates, cells))


@given(problems(), inside("threshold", 0.01, 30))
def test_scores_are_those_of_the_definition(problem, threshold):
    users, psi = problem
    np.testing.assert_allclose(
        clipped_pairwise_scores(users, psi, threshold=threshold),
        brute_force(users, psi, threshold),
        atol=1e-9,
    )


def test_blocks_of_users_add_up():
    rng = np.random.default_rng(0)
    users, psi = rng.integers(0, 9, (3000, 7)), rng.uniform(-1, 1, (20, 20, 7))
    each = [clipped_pairwise_scores(users[i : i + 1], psi, threshold=4) for i in range(3)]
    assert all(np.all(np.abs(score) <= 4) for score in each)
    parts = np.clip(np.einsum("iz,hgz->ihg", users, psi), -4, 4).sum(axis=0)
    np.fill_diagonal(parts, -np.inf)
    np.testing.assert_allclose(
        clipped_pairwise_scores(users, psi, threshold=4), parts.max(axis=1), rtol=1e-9
    )


@given(problems())
def test_no_clipping_from_m_on(problem):
    users, psi = problem
    np.testing.assert_allclose(
        clipped_pairwise_scores(users, psi, threshold=max(users.sum(axis=1).max(), 0.01)),
        brute_force(users, psi, math.inf),
        atol=1e-9,
    )


@given(problems(), st.data(), inside("threshold", 0.01, 30))
def test_sensitivity_of_the_clipped_score_at_random_users(problem, data, threshold):
    users, psi = problem
    replaced = users.copy()
    cells = st.lists(st.integers(0, 40), min_size=users.shape[1], max_size=users.shape[1])
    replaced[data.draw(st.integers(0, len(users) - 1))] = data.draw(cells)
    before = clipped_pairwise_scores(users, psi, threshold=threshold)
    after = clipped_pairwise_scores(replaced, psi, threshold=threshold)
    assert np.abs(before - after).max() <= 2 * threshold * (1 + 1e-12) + 1e-12


@every_task
@some
@given(st.data())
def test_sensitivity_at_adversarial_users(name, data):
    """Every user who holds m copies of one example replaces another: the extreme ones."""
    task = make_task(name, candidates=data.draw(st.sampled_from([4, 8])))
    m = data.draw(st.integers(1, 50))
    threshold = data.draw(inside("threshold", 0.01, 60))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    users = task.draw(rng, users=5, examples_per_user=m)
    found = []
    for cell in range(task.law.size):
        users[0] = m * (np.arange(task.law.size) == cell)
        found.append(task.scores(users, threshold=threshold))
    moved = np.ptp(found, axis=0).max()
    assert moved <= task.sensitivity(threshold, examples_per_user=m) * (1 + 1e-12) + 1e-12


def every_user(m, cells):
    """Every user of exactly m examples, as counts."""
    held = itertools.combinations_with_replacement(range(cells), m)
    return np.array([np.bincount(user, minlength=cells) for user in held])


@every_task
@pytest.mark.parametrize(("candidates", "m"), [(2, 3), (3, 2), (4, 2)])
@pytest.mark.parametrize("part", [0.13, 0.33, 0.45, 0.8, 1.0])
def test_the_sensitivity_by_brute_force(name, candidates, m, part):
    """Over all replacements of a user: never more than stated, and somewhere as much.

    The others are 0 to 10 copies of one user, so that any pair of candidates can be what counts.
    """
    task = make_task(name, candidates=candidates, domain_size=3)
    threshold, size = part * m, len(task.names)
    users = every_user(m, task.law.size)
    pairs = [task.psi[h, g] for h in range(size) for g in range(size) if g != h]
    rows, low = (pairs, -threshold) if task.loss is None else (task.loss, 0)
    each = np.clip(users @ np.transpose(rows), low, threshold)
    alone = each[np.max(users, axis=1) == m]
    totals = each[None, None] + np.multiply.outer([0, 1, 3, 10], alone)[:, :, None]
    scores = totals
    if task.loss is None:
        scores = totals.reshape(*totals.shape[:-1], size, size - 1).max(axis=-1)
    moved = np.ptp(scores, axis=2).max()
    stated = task.sensitivity(threshold, examples_per_user=m)
    assert moved == pytest.approx(stated, rel=1e-9)
    assert stated <= task.published_sensitivity(threshold) * (1 + 1e-12)


@pytest.mark.parametrize("name", ["discrete", "gaussian", "selection"])
@pytest.mark.parametrize("m", [1, 8, 1000])
def test_one_user_moves_a_scheffe_score_by_m(name, m):
    """P(W) − 1[z ∈ W] takes two values that differ by 1: m without clipping, not 2m."""
    task = make_task(name, candidates=16)
    assert task.sensitivity(m, examples_per_user=m) == pytest.approx(m)
    assert task.sensitivity(0.05 * m, examples_per_user=m) == pytest.approx(0.1 * m)
    assert task.sensitivity(0.7 * m, examples_per_user=m) <= m * (1 + 1e-12)
    assert task.published_sensitivity(0.7 * m) == pytest.approx(1.4 * m)


@given(
    st.floats(0.05, 0.95), st.floats(0.05, 0.95), st.integers(1, 40), inside("threshold", 0.01, 60)
)
def test_the_sensitivity_is_attained_where_it_can_be(first, second, m, threshold):
    """Scheffé on two coins: at most min(2τ, m), and 2τ iff τ ≤ m·min(P(W), 1 − P(W))."""
    if first == second:
        return
    points = np.array([[first, 1 - first], [second, 1 - second]])
    psi = scheffe_comparisons(points)
    inside_w = points[0] > points[1]
    share = float(points[0][inside_w].sum())
    extremes = [np.array([[m, 0], [5, 5]]), np.array([[0, m], [5, 5]])]
    moved = abs(
        clipped_pairwise_scores(extremes[0], psi, threshold=threshold)[0]
        - clipped_pairwise_scores(extremes[1], psi, threshold=threshold)[0]
    )
    room = m * min(share, 1 - share)
    assert moved <= 2 * threshold * (1 + 1e-12)
    if threshold <= room:
        assert moved == pytest.approx(2 * threshold, rel=1e-9, abs=1e-9)
    elif threshold > room * (1 + 1e-6):
        assert moved < 2 * threshold
    assert moved == pytest.approx(min(threshold, m * share) + min(threshold, m * (1 - share)))
    stated = largest_move(psi[0, 1], examples_per_user=m, low=-threshold, high=threshold)
    assert moved == pytest.approx(stated)
    assert stated <= min(2 * threshold, m) * (1 + 1e-12)


@given(st.integers(1, 30), st.integers(0, 30))
def test_the_unclipped_score_moves_by_up_to_2m(m, others):
    """On labels: a user who speaks for one candidate replaces one who speaks against it."""
    task = make_task("noisy_thresholds", candidates=2)
    base = np.tile(np.array([others, others, 0, 0]), (2, 1))[:, : task.law.size]
    before, after = base.copy(), base.copy()
    before[0], after[0] = 0, 0
    before[0, 0], after[0, 1] = m, m
    moved = np.subtract(*(brute_force(users, task.psi, math.inf) for users in (before, after)))
    assert np.abs(moved).max() == pytest.approx(2 * m)
    assert task.sensitivity(m, examples_per_user=m) == pytest.approx(2 * m)


@given(problems(), st.data())
def test_realizable_scores_count_users(problem, data):
    users, psi = problem
    seed = data.draw(st.integers(0, 10**6))
    loss = np.random.default_rng(seed).integers(0, 2, size=psi.shape[1:])
    expected = [
        sum(any(row[z] for z in user) for user in examples_of(users)) for row in loss.tolist()
    ]
    assert realizable_scores(users, loss).tolist() == expected
    replaced = users.copy()
    replaced[0] = data.draw(
        st.lists(st.integers(0, 9), min_size=users.shape[1], max_size=users.shape[1])
    )
    assert np.abs(realizable_scores(replaced, loss) - expected).max() <= 1


def test_a_user_can_move_a_realizable_score_by_one():
    loss = [[0, 1], [1, 0]]
    moved = realizable_scores([[5, 0]], loss) - realizable_scores([[0, 5]], loss)
    assert moved.tolist() == [-1, 1]


@given(inside("alpha"), st.integers(1, 10**9), inside("constant"))
def test_theorem_37s_threshold_leaves_little_outside(alpha, m, constant):
    """Its two parts: the mean α·m, and enough deviations for McDiarmid's bound (12)."""
    tau = theorem_threshold(alpha=alpha, examples_per_user=m, constant=constant)
    assert tau >= constant * alpha * m
    assert tau >= constant * math.sqrt(m * math.log(1 / alpha))
    assert tau <= 2 * constant * max(alpha * m, math.sqrt(m * math.log(1 / alpha)))
    if constant >= 4:
        mean = 0.5 * alpha * m
        outside_ = 2 * math.exp(-0.5 * (tau - mean) ** 2 / m)
        assert outside_ <= 2 * alpha**8 * (1 + 1e-9)


def test_what_has_no_shape_is_refused():
    psi = np.zeros((2, 2, 3))
    for users in ([1, 2, 3], [[1, 2]], [[1, -1, 0]], [[1, math.nan, 0]]):
        with pytest.raises(ParameterError, match=r"^users must be"):
            clipped_pairwise_scores(users, psi, threshold=1)
    for bad in (np.zeros((2, 3, 3)), np.zeros((1, 1, 3)), np.full((2, 2, 3), 1.5)):
        with pytest.raises(ParameterError, match=r"^psi must be"):
            clipped_pairwise_scores([[1, 2, 3]], bad, threshold=1)
    for bad in ([[1, 0, 0]], [[1, 2, 0], [0, 0, 0]], [1, 0, 0]):
        with pytest.raises(ParameterError, match=r"^loss must be"):
            realizable_scores([[1, 2, 3]], bad)


@given(outside("threshold"))
def test_a_threshold_outside_its_range_is_refused(threshold):
    with pytest.raises(ParameterError, match=r"^threshold must be"):
        clipped_pairwise_scores([[1, 2]], np.zeros((2, 2, 2)), threshold=threshold)
