"""The best private test between coins, its certificate, and the simple mechanisms beside it."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack, kron, vstack
from scipy.special import softmax
from scipy.stats import binom, laplace

from dpviz.maths import interior_points
from dpviz.maths.coin_tests import (
    MOST_USERS,
    Coins,
    clipped_exponential_success,
    clipped_laplace_success,
    least_users,
    least_users_clipped,
    proven_least,
)
from dpviz.results.parameters import ParameterError
from dpviz.results.refining import whole
from dpviz.topics.user_complexity import optimal
from dpviz.topics.user_complexity.user_data_sets import DataSets, how_many_pairs
from tests.support.examples import examples as trying

TWO, THREE = Coins((0.35, 0.65)), Coins((0.3, 0.5, 0.7))


def best_success(*given, **more):
    return whole(optimal.best_success(*given, **more))


def over_single_tosses(coins, users, examples, epsilon, delta):
    """The optimum by brute force: every sequence of tosses is a data set, nothing is merged."""
    one = list(itertools.product((0, 1), repeat=examples))
    data = list(itertools.product(one, repeat=users))
    heads = np.array([sum(map(sum, x)) for x in data])
    total, count, grows = users * examples, len(coins), math.exp(epsilon)
    rows, ends = [], []
    sets = [s for k in range(1, count) for s in itertools.combinations(range(count), k)]
    for i, j in itertools.permutations(range(len(data)), 2):
        if sum(a != b for a, b in zip(data[i], data[j], strict=True)) == 1:
            for chosen in sets:
                row = np.zeros((count, len(data) + 1))[:, : len(data)]
                row[list(chosen), i], row[list(chosen), j] = 1, -grows
                rows.append(np.append(row.ravel(), 0))
                ends.append(delta)
    for o, p in enumerate(coins):
        row = np.zeros((count, len(data)))
        row[o] = -(p**heads) * (1 - p) ** (total - heads)
        rows.append(np.append(row.ravel(), 1))
        ends.append(0)
    equal = np.hstack([np.tile(np.eye(len(data)), count), np.zeros((len(data), 1))])
    cost = np.append(np.zeros(count * len(data)), -1)
    done = linprog(cost, np.array(rows), ends, equal, np.ones(len(data)), bounds=(0, 1))
    return -done.fun


@pytest.mark.parametrize(
    ("coins", "users", "examples", "delta"),
    [(TWO, 2, 2, 0.0), (TWO, 3, 1, 0.05), (THREE, 2, 2, 0.0), (THREE, 3, 1, 0.03)],
)
def test_the_optimum_is_that_of_the_program_over_all_sequences(coins, users, examples, delta):
    expected = over_single_tosses(coins.rates, users, examples, 0.7, delta)
    found = best_success(coins, users=users, examples=examples, epsilon=0.7, delta=delta)
    assert found.success.lower - 1e-7 <= expected <= found.success.upper + 1e-7
    assert found.success.upper - found.success.lower < 1e-6


def by_another_solver(coins, users, examples, epsilon, delta):
    """The optimum over all data sets without any symmetry: every coin, every set, every pair."""
    data, count = DataSets(users, examples), len(coins.rates)
    size = data.mirror.size
    one = eye_array(size, format="csr")
    first, second = data.neighbours
    pairs = one[first] - math.exp(epsilon) * one[second]
    sets = [s for k in range(1, count) for s in itertools.combinations(range(count), k)]
    chosen = [csr_array(np.isin(np.arange(count), s)[None, :] * 1.0) for s in sets]
    private = vstack([kron(s, pairs) for s in chosen])
    laws = [kron(csr_array(np.eye(count)[[o]]), data.law(p)) for o, p in enumerate(coins.rates)]
    rows = [hstack([private, csr_array((private.shape[0], 1))])]
    rows += [hstack([-csr_array(law), csr_array([[1.0]])]) for law in laws]
    ends = np.append(np.full(private.shape[0], delta), np.zeros(count))
    equal = hstack([kron(np.ones((1, count)), one), csr_array((size, 1))])
    cost = np.append(np.zeros(count * size), -1.0)
    done = linprog(cost, vstack(rows), ends, equal, np.ones(size), bounds=(0, 1))
    return -done.fun


SIZES = [(1, 1), (1, 4), (2, 3), (3, 2), (5, 2), (6, 1), (9, 1), (3, 3)]
LEANS, LOSSES = st.floats(0.02, 0.48), st.floats(0.05, 4.0)


@trying(60)
@given(
    st.sampled_from(SIZES),
    LEANS,
    LOSSES,
    st.sampled_from((0.0, 0.001, 0.1)),
    st.sampled_from((2, 3)),
)
def test_what_symmetry_leaves_of_the_program_has_the_optimum_of_the_whole(
    size, lean, epsilon, delta, count
):
    coins = Coins((0.5 - lean, 0.5 + lean) if count == 2 else (0.5 - lean, 0.5, 0.5 + lean))
    users, examples = size
    expected = by_another_solver(coins, users, examples, epsilon, delta)
    found = best_success(coins, users=users, examples=examples, epsilon=epsilon, delta=delta)
    assert found.success.lower - 1e-6 <= expected <= found.success.upper + 1e-6
    assert found.success.upper - found.success.lower < 1e-6


@trying(60)
@given(st.sampled_from(SIZES), LEANS, LOSSES, st.floats(0.4, 0.95))
def test_who_asks_for_a_target_gets_the_answer_of_the_optimum_in_fewer_steps(
    size, lean, epsilon, target
):
    users, examples = size
    setting = {"users": users, "examples": examples, "epsilon": epsilon}
    coins = Coins((0.5 - lean, 0.5, 0.5 + lean))
    optimum = best_success(coins, **setting).success
    told = best_success(coins, **setting, target=target).success
    assert told.lower <= optimum.upper
    assert optimum.lower <= told.upper
    if not optimum.lower < target <= optimum.upper:
        assert (told.lower >= target) == (optimum.lower >= target) == (told.upper >= target)
    steps = [sum(1 for _ in optimal.best_success(coins, **setting, target=t)) for t in (0.01, None)]
    assert steps[0] < steps[1]


@pytest.mark.parametrize(("coins", "users", "examples"), [(TWO, 40, 2), (THREE, 47, 2)])
def test_between_two_pauses_is_one_factorisation_of_a_narrow_band(
    monkeypatch, coins, users, examples
):
    """What a step costs is known before: it does not depend on the numbers in the matrix."""
    factorise, sizes = interior_points.cholesky_banded, []

    def counted(bands, **more):
        sizes.append(bands.shape)
        return factorise(bands, **more)

    monkeypatch.setattr(interior_points, "cholesky_banded", counted)
    steps = optimal.best_success(coins, users=users, examples=examples, epsilon=0.5)
    data = DataSets(users, examples).mirror.size
    for count, _ in enumerate(steps, 1):
        assert len(sizes) == count
        assert sizes[-1][0] < data / 6
        assert sizes[-1][1] <= data
    assert len(sizes) > 10


@pytest.mark.parametrize(("examples", "expected"), [(1, 0.6795), (2, 0.7006), (3, 0.7506)])
def test_known_values_for_eight_users(examples, expected):
    found = best_success(TWO, users=8, examples=examples, epsilon=0.5).success
    assert round(found.midpoint, 4) == expected
    assert found.upper - found.lower < 1e-7


def test_the_mechanism_found_is_private_without_exception_and_as_good_as_promised():
    for coins, delta in ((TWO, 0.0), (THREE, 0.01)):
        found = best_success(coins, users=5, examples=2, epsilon=0.5, delta=delta)
        data, q = DataSets(5, 2), found.naming
        assert q.sum(axis=1) == pytest.approx(1, abs=1e-12)
        first, second = data.neighbours
        count = len(coins.rates)
        for chosen in itertools.chain(*(itertools.combinations(range(count), k) for k in (1, 2))):
            if len(chosen) < count:
                chances = q[:, list(chosen)].sum(axis=1)
                assert np.all(chances[first] <= math.exp(0.5) * chances[second] + delta + 1e-14)
        success = [data.law(p) @ q[:, o] for o, p in enumerate(coins.rates)]
        assert min(success) >= found.success.lower


def test_the_certificate_holds_in_rational_arithmetic(monkeypatch):
    """That of every step, from the first on."""
    kept = []

    def listen(*given):
        kept.append((given, upper(*given)))
        return kept[-1][1]

    upper = optimal._upper_end
    monkeypatch.setattr(optimal, "_upper_end", listen)
    found = best_success(TWO, users=6, examples=2, epsilon=0.5).success
    data, _, rows, *_ = kept[0][0]
    loss = Fraction(math.nextafter(math.exp(0.5), 2))  # a larger e^ε allows more mechanisms
    law = []
    for rate in (Fraction(35, 100), Fraction(65, 100)):
        user = [math.comb(2, c) * rate**c * (1 - rate) ** (2 - c) for c in range(3)]
        law.append([])
        for counts in data.counts.tolist():
            orders = Fraction(math.factorial(6))
            for c, k in enumerate(counts):
                orders *= user[c] ** k / math.factorial(k)
            law[-1].append(orders / 2)
    mirror = data.mirror.tolist()
    ends = []
    for (*_, (multiplier,), _, _), end in kept:
        value = [list(one) for one in law]
        triples = zip(rows[0].first.tolist(), rows[0].second.tolist(), multiplier, strict=True)
        for i, j, weight in triples:
            half = Fraction(float(weight)) / 2
            for coin, a, b in ((0, i, j), (1, mirror[i], mirror[j])):
                value[coin][a] -= half
                value[coin][b] += loss * half
        exact = sum(max(a, b) for a, b in zip(*value, strict=True))
        assert found.lower <= exact <= end
        ends.append(end)
    assert found.upper == min(ends)
    assert len(ends) > 5


def test_multipliers_of_no_use_still_bound_the_optimum_from_above():
    data = DataSets(4, 2)
    laws = np.stack([data.law(rate) for rate in TWO.rates])
    rows = [optimal._Rows((0,), *data.neighbours)]
    truth = best_success(TWO, users=4, examples=2, epsilon=0.5).success.lower
    rng = np.random.default_rng(1)
    for scale in (0.0, 1e-3, 0.1):
        noise = scale * rng.random(data.neighbours[0].size)
        bound = optimal._upper_end(data, laws, rows, np.ones(2), [noise], math.exp(0.5), 0.0)
        assert bound >= truth


def test_data_sets_are_all_there_and_neighbours_differ_in_one_user():
    data = DataSets(4, 3)
    assert len({tuple(row) for row in data.counts.tolist()}) == math.comb(7, 3) == len(data.counts)
    assert data.counts.sum(axis=1).tolist() == [4] * len(data.counts)
    assert np.array_equal(data.index(data.counts), np.arange(len(data.counts)))
    first, second = data.neighbours
    assert first.size == how_many_pairs(4, 3)
    assert np.all(np.abs(data.counts[first] - data.counts[second]).sum(axis=1) == 2)
    assert sum(map(data.law, (0.3,)))[data.mirror] == pytest.approx(data.law(0.7))


def test_laws_of_simple_mechanisms_agree_with_the_sum_over_all_data_sets():
    users, examples, epsilon = 5, 3, 0.8
    data = DataSets(users, examples)
    heads = np.arange(examples + 1)
    for clip in (1, 3):
        votes = data.counts @ np.clip(2 * heads - examples, -clip, clip)
        expected = data.law(0.65) @ laplace.cdf(votes, scale=2 * clip / epsilon)
        setting = {"users": users, "examples": examples, "epsilon": epsilon}
        assert clipped_laplace_success(TWO, clip=clip, **setting) == pytest.approx(expected)
        tau = clip / 2
        scores = np.stack(
            [
                data.counts @ np.clip(heads - examples * 0.35, -tau, tau),
                data.counts @ np.clip(examples * 0.65 - heads, -tau, tau),
            ],
            axis=1,
        )
        named = softmax(-epsilon * scores / (2 * 2 * tau), axis=1)[:, 1]
        found = clipped_exponential_success(TWO, clip=tau, **setting)
        assert found == pytest.approx(data.law(0.65) @ named, rel=1e-9)


def test_no_simple_mechanism_beats_the_optimum_and_none_beats_the_proven_bound():
    for coins, epsilon, delta in ((TWO, 0.5, 0.0), (TWO, 1.0, 0.02), (THREE, 1.0, 0.0)):
        for users, examples in ((2, 2), (5, 2), (8, 1)):
            setting = {"users": users, "examples": examples, "epsilon": epsilon}
            best = best_success(coins, **setting, delta=delta).success
            laplaces = [clipped_laplace_success(coins, clip=c, **setting) for c in (1, 2)]
            assert max(laplaces) <= best.upper
            needed = proven_least(
                coins, examples=examples, target=best.lower, epsilon=epsilon, delta=delta
            )
            assert needed <= users


def test_three_coins_are_named_equally_often_by_the_noisy_sum():
    found = clipped_laplace_success(THREE, users=40, examples=2, clip=2, epsilon=1.0)
    rng, runs = np.random.default_rng(5), 40_000
    sums = 2 * rng.binomial(80, [[0.7], [0.5]], (2, runs)) - 80 + rng.laplace(0, 4, (2, runs))
    threshold = np.quantile(sums[0], 1 - found)
    assert np.mean(np.abs(sums[1]) < threshold) == pytest.approx(found, abs=0.012)


def test_least_users_by_a_plain_search():
    success = lambda n: float(binom.cdf(n // 2, n, 0.3))  # noqa: E731
    grows = lambda n: max(map(success, range(1, n + 1)))  # noqa: E731
    for target in (0.7, 0.8, 0.95):
        expected = next(n for n in itertools.count(1) if grows(n) >= target)
        assert least_users(grows, target) == expected
    assert least_users(lambda _: 0.5, 0.6) == math.inf


@pytest.mark.parametrize(("lean", "examples", "epsilon"), [(0.05, 20, 0.5), (0.2, 7, 0.1)])
def test_least_users_at_the_best_clip_by_a_plain_search(lean, examples, epsilon):
    coins, tried = Coins((0.5 - lean, 0.5 + lean)), []

    def success(users, clip):
        tried.append((users, clip))
        return clipped_laplace_success(
            coins, users=users, examples=examples, clip=clip, epsilon=epsilon
        )

    found = least_users_clipped(success, 0.8, examples)
    clips, count = {clip for _, clip in tried}, len(tried)
    assert max(clips) == examples
    assert any(success(int(found), clip) >= 0.8 for clip in clips)
    assert all(success(int(found) - 1, clip) < 0.8 for clip in clips)
    assert count < len(clips) * 2 * math.log2(found)  # fewer than all clips at each bisection
    assert least_users_clipped(lambda *_: 0.5, 0.8, examples) == math.inf
    assert least_users_clipped(lambda *_: 0.5, 0.8, examples, MOST_USERS - 1) == math.inf
    for too_few in {1, int(found) // 2, int(found) - 1}:
        tried.clear()
        assert least_users_clipped(success, 0.8, examples, too_few) == found
        assert too_few < min(users for users, _ in tried)
        assert len(tried) < count


def test_sums_of_many_votes_by_adding_one_user_at_a_time():
    users, examples, clip, epsilon = 300, 200, 20, 0.3
    heads = np.arange(examples + 1)
    votes = np.clip(2 * heads - examples, -clip, clip)
    one = np.bincount(votes + clip, binom.pmf(heads, examples, 0.51))
    law = np.ones(1)
    for _ in range(users):
        law = np.convolve(law, one)
    sums = np.arange(law.size) - users * clip
    named = laplace.cdf(sums, scale=2 * clip / epsilon)
    found = clipped_laplace_success(
        Coins((0.49, 0.51)), users=users, examples=examples, clip=clip, epsilon=epsilon
    )
    assert found == pytest.approx(law @ named, abs=1e-11)


USUAL = {"task": "two", "coin": 0.35, "tosses": 3, "task_epsilon": 0.5, "success": 0.75}


def test_rates_out_of_range_are_named():
    for rates in ((0.3, 0.6), (0.5,), (0.0, 1.0), (0.6, 0.4)):
        with pytest.raises(ParameterError, match="rates"):
            Coins(rates)
