"""Scores, sensitivities, covers and tasks of the exponential mechanism with clipping."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from dpviz.results.parameters import LIMITS, ParameterError
from dpviz.topics.clipping.covers import cover, lattice_radius, lattice_scale, total_variation
from dpviz.topics.clipping.scores import (
    clipped_pairwise_scores,
    largest_move,
    pairwise_scores,
    realizable_scores,
    theorem_threshold,
)
from dpviz.topics.clipping.tasks import TASKS, make_task, scheffe_comparisons
from tests.support.strategies import inside, outside

every_task = pytest.mark.parametrize("name", TASKS)
some = settings(max_examples=60)


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
    np.testing.assert_allclose(
        pairwise_scores(users, psi), brute_force(users, psi, math.inf), atol=1e-9
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
        pairwise_scores(users, psi),
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
    moved = pairwise_scores(before, task.psi) - pairwise_scores(after, task.psi)
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


# Covers.


def nearest_by_brute_force(points, law):
    return min(total_variation(point, law) for point in points)


@pytest.mark.parametrize(("k", "scale"), [(2, 5), (3, 4), (3, 7), (4, 3), (5, 2), (6, 3), (9, 1)])
def test_the_radius_of_a_lattice(k, scale):
    points = [
        np.array(shares) / scale
        for shares in itertools.product(range(scale + 1), repeat=k)
        if sum(shares) == scale
    ]
    radius = lattice_radius(k, scale)
    rng = np.random.default_rng(0)
    for law in rng.dirichlet(np.ones(k), 300):
        assert nearest_by_brute_force(points, law) <= radius + 1e-12
    rounded = range(1, min(k, scale) + 1)
    worst = [np.full(k, r / k / scale) + (scale - r) / scale * (np.arange(k) == 0) for r in rounded]
    assert max(nearest_by_brute_force(points, law) for law in worst) == pytest.approx(radius)


@pytest.mark.parametrize("k", range(2, 17))
@pytest.mark.parametrize("candidates", [2, 7, 64])
def test_covers_are_distributions_and_say_how_near_they_come(k, candidates):
    found = cover(k, candidates)
    assert 2 <= len(found.points) <= candidates
    assert found.points.shape[1] == k
    assert np.all(found.points >= -1e-12)
    np.testing.assert_allclose(found.points.sum(axis=1), 1)
    drawn = np.random.default_rng(5).dirichlet(np.ones(k), 2000)
    nearest = np.min([total_variation(drawn, point) for point in found.points], axis=0)
    if found.exact:
        assert nearest.max() <= found.radius + 1e-12
    else:
        assert stats.binomtest(int((nearest <= found.radius).sum()), 2000, 0.95).pvalue > 1e-5


def test_the_scale_is_the_finest_there_is_room_for():
    for k, candidates in itertools.product(range(2, 17), (2, 16, 64)):
        scale = lattice_scale(k, candidates)
        assert math.comb(scale + k, k - 1) > candidates
        assert scale == 0 or math.comb(scale + k - 1, k - 1) <= candidates


# Tasks.


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


# What is refused.


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


@given(outside("candidates"))
def test_candidates_outside_their_range_are_refused(candidates):
    with pytest.raises(ParameterError, match=r"^candidates must be"):
        make_task("gaussian", candidates=candidates)


def test_a_task_nobody_knows_is_refused():
    with pytest.raises(ParameterError, match=r"^task must be one of discrete"):
        make_task("sorting", candidates=4)
    assert LIMITS["candidates"].maximum == 64
