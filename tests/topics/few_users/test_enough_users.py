"""The users a vote needs: laws against enumeration and runs, privacy against exact divergences."""

import itertools
import math

import numpy as np
import pytest

from dpviz.maths.intervals import clopper_pearson
from dpviz.maths.selection.exponential import CountExponential
from dpviz.maths.selection.local import HadamardHistogram
from dpviz.maths.selection.shuffle import NegativeBinomialSum, exchange_delta
from dpviz.maths.truncated_laplace import TruncatedDiscreteLaplace
from dpviz.results.parameters import LIMITS, ParameterError
from dpviz.topics.few_users.enough_users import (
    LikeForLike,
    best_vote_users,
    enough_users,
    full_rank,
    least_groups,
    local_failures,
    parity_users,
)

VOTE = LikeForLike(1.0, 1e-2)


def two_counts(noise, counts):
    """The joint law of two released counts, as the stable histogram releases them."""
    size = max(counts) + 1
    laws = []
    for count in counts:
        law = np.zeros(size)
        for value, mass in enumerate(noise.pmf(np.arange(2 * noise.kappa + 1))):
            law[max(count - value, 0)] += mass
        laws.append(law)
    return laws, size


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.05), (1.0, 1e-2), (2.0, 1e-3)])
def test_the_stable_histogram_is_private_under_substitution_and_no_more(epsilon, delta):
    noise = LikeForLike(epsilon, delta).stable_noise
    top = 2 * noise.kappa + 3
    worst = 0.0
    for first, second in itertools.product((1, 2, noise.kappa, top), repeat=2):
        pair = []
        for counts in ((first, second), (first - 1, second + 1)):
            (a, b), _ = two_counts(noise, (*counts, top + 1)[:2])
            joint = np.zeros((top + 2, top + 2))
            joint[: a.size, : b.size] = np.outer(a, b)
            pair.append(joint)
        for p, q in (pair, pair[::-1]):
            worst = max(worst, float(np.maximum(p - math.exp(epsilon) * q, 0).sum()))
    assert worst <= delta * (1 + 1e-9)
    assert worst == pytest.approx(1 - (1 - float(noise.pmf(0))) ** 2)
    assert worst > 0.85 * delta * math.exp(-epsilon / 2)


def test_the_exponential_mechanism_is_private_under_substitution():
    def law(counts):
        weights = np.exp(np.array(counts) / 2)
        return weights / weights.sum()

    for counts in itertools.product(range(4), repeat=3):
        for a, b in itertools.permutations(range(3), 2):
            if counts[a]:
                other = list(counts)
                other[a] -= 1
                other[b] += 1
                assert np.log(law(counts) / law(other)).max() <= 1 + 1e-12
    assert VOTE.pure(2, 2) == pytest.approx(law([8, 2, 0, 0])[0])
    assert VOTE.pure(3, 1) == pytest.approx(law([12, 3])[0])


@pytest.mark.parametrize(("epsilon", "delta"), [(0.2, 1e-12), (0.7, 1e-2), (2.0, 0.1)])
def test_every_model_spends_what_it_is_given_and_no_more(epsilon, delta):
    """One user's item exchanged: the exact price of each mechanism, and of a little less noise."""
    vote = LikeForLike(epsilon, delta)
    ends = float(vote.stable_noise.pmf(0))
    tighter = TruncatedDiscreteLaplace(epsilon / 2, delta, vote.stable_noise.kappa - 1)
    assert 1 - (1 - ends) ** 2 <= delta * (1 + 1e-9) < 1 - (1 - float(tighter.pmf(0))) ** 2
    r = vote.shuffle_noise.dispersion
    less = NegativeBinomialSum(epsilon / 2, max(r * (1 - 1e-4), 1.0))
    assert exchange_delta(vote.shuffle_noise, epsilon) <= delta
    assert r == 1 or exchange_delta(less, epsilon) > delta
    chosen, n = CountExponential(epsilon / 2, 2), math.ceil(60 / epsilon)
    assert vote.pure(3, 1) == pytest.approx(chosen.law([12, 3])[0])
    rare = [math.log(chosen.law(counts)[0]) for counts in ([0, n], [1, n - 1])]
    assert epsilon * (1 - 1e-9) < rare[1] - rare[0] <= epsilon * (1 + 1e-12)
    law, other = (HadamardHistogram(epsilon, 4).message_law(item, 1) for item in (0, 1))
    assert float(np.log(law / other).max()) == pytest.approx(epsilon)


@pytest.mark.parametrize("groups", [1, 3, 6])
def test_the_stable_histogram_wins_as_often_as_all_pairs_of_noise_say(groups):
    noise = VOTE.stable_noise
    masses = noise.pmf(np.arange(2 * noise.kappa + 1))
    wins = sum(
        p * q
        for (i, p), (j, q) in itertools.product(enumerate(masses), repeat=2)
        if 4 * groups - i > max(groups - j, 0)
    )
    assert VOTE.approximate(groups) == pytest.approx(wins, abs=1e-12)


@pytest.mark.parametrize("bits", [1, 3])
def test_counting_from_below_wins_as_often_as_in_runs(bits):
    groups, runs = 12, 40_000
    bucket = VOTE.shuffle_noise
    assert exchange_delta(bucket, VOTE.epsilon) <= VOTE.delta
    noise = np.random.default_rng(1).negative_binomial(
        bucket.dispersion, bucket.success, size=(runs, 2**bits)
    )
    estimates = np.array([4 * groups, groups, *[0] * (2**bits - 2)]) - noise
    wins = np.count_nonzero(estimates[:, 0] > estimates[:, 1:].max(axis=1))
    low, high = clopper_pearson(wins, runs, level=0.999)
    assert low <= VOTE.shuffle(groups, bits) <= high
    assert 0.05 < wins / runs < 0.99


@pytest.mark.parametrize("groups", [1, 2])
def test_one_rival_reaches_the_right_item_as_often_as_enumeration_says(groups):
    """Over all rows and all flips of up to ten users, group by group of equal users."""
    epsilon = 0.7
    truth = 1 / (1 + math.exp(-epsilon))
    for failure, other in zip(local_failures(epsilon, groups), (1 - truth, 0.5), strict=True):
        law = np.array([1.0])
        for chance in [truth] * 4 * groups + [other] * groups:
            law = np.convolve(law, [(1 - chance) / 2, 0.5, chance / 2])
        assert failure == pytest.approx(law[: 5 * groups + 1].sum(), rel=1e-11)


def test_tiny_failures_keep_their_precision():
    """Half of all users tell the items apart: a sum of binomials, in the far tail."""
    groups, truth = 130, 1 / (1 + math.exp(-1.0))
    law = np.array([1.0], dtype=np.longdouble)
    for chance, count in ((truth, 4 * groups), (0.5, groups)):
        step = np.array([(1 - chance) / 2, 0.5, chance / 2], dtype=np.longdouble)
        for _ in range(count):
            law = np.convolve(law, step)
    assert local_failures(1.0, groups)[1] == pytest.approx(
        float(law[: 5 * groups + 1].sum()), rel=1e-9
    )
    assert local_failures(1.0, groups)[1] < 1e-11


def test_the_local_bounds_hold_what_is_simulated():
    groups, bits, runs = 6, 4, 3000
    mechanism = HadamardHistogram(1.0, 2**bits)
    rng = np.random.default_rng(2)
    items = np.repeat([5, 9], [4 * groups, groups])
    wins = 0
    for _ in range(runs):
        found = mechanism.histogram(items, rng)
        wins += found[5] > np.delete(found, 5).max() + 1e-9
    low, high = clopper_pearson(wins, runs, level=0.999)
    bounds = VOTE.local(groups, bits)
    assert bounds.lower <= high
    assert low <= bounds.upper


@pytest.mark.parametrize(("bits", "examples"), [(1, 1), (2, 2), (2, 4), (3, 3), (3, 2)])
def test_full_rank_is_as_likely_as_enumeration_says(bits, examples):
    """By counting the masks that fit all examples, over all of them."""
    vectors = range(2**bits)
    alone = sum(
        all(any((mask & v).bit_count() % 2 for v in drawn) for mask in range(1, 2**bits))
        for drawn in itertools.product(vectors, repeat=examples)
    )
    assert full_rank(bits, examples) == pytest.approx(alone / 2 ** (bits * examples), abs=1e-15)


def test_parity_of_many_bits_is_learned_by_the_users_proved():
    """At d = 6 the protocol itself is run; at d = 32 nothing of size 2^32 is."""
    users = parity_users(6, epsilon=1.0, examples=100, beta=0.1)
    mechanism, rng = HadamardHistogram(1.0, 64), np.random.default_rng(4)
    wins = sum(mechanism.select(np.full(int(users), 37), rng) == 37 for _ in range(300))
    assert wins >= 270
    many = parity_users(32, epsilon=1.0, examples=100, beta=0.1)
    assert users < many < 8 * users
    assert parity_users(32, epsilon=1.0, examples=31, beta=0.1) == math.inf


def test_the_least_number_is_the_least():
    for model in ("approximate", "pure", "shuffle"):
        found = enough_users(model, VOTE, bits=12, beta=0.05)
        assert found.lower == found.upper
        groups = round(found.upper / 5)
        chance = {
            "approximate": VOTE.approximate,
            "pure": lambda g: VOTE.pure(g, 12),
            "shuffle": lambda g: VOTE.shuffle(g, 12),
        }[model]
        assert all(chance(g) >= 0.95 for g in range(groups, 3 * groups))
        assert all(chance(g) < 0.95 for g in range(1, groups))
    local = enough_users("local", VOTE, bits=12, beta=0.05)
    assert local.lower < local.upper
    assert VOTE.local(round(local.upper / 5), 12).lower >= 0.95
    assert least_groups(lambda groups: groups >= 77) == 77
    assert least_groups(lambda _: False) == math.inf
    assert least_groups(lambda groups: groups >= 77, 80) == 77  # which no doubling reaches
    assert least_groups(lambda groups: groups >= 77, 76) == math.inf


@pytest.mark.parametrize("epsilon", [LIMITS["epsilon"].minimum, 1e-4])
def test_a_vote_that_needs_more_users_than_it_takes_has_no_number(epsilon):
    assert best_vote_users(epsilon=epsilon, bits=8, beta=0.05) == math.inf


def test_a_vote_may_need_nearly_as_many_users_as_it_takes():
    users = best_vote_users(epsilon=1.9e-4, bits=8, beta=0.05)
    assert users == pytest.approx(
        16915 * 1e-3 / 1.9e-4, rel=0.01
    )  # like 1/ε; more than 2^14 groups


@pytest.mark.parametrize(
    "broken",
    [
        lambda: LikeForLike(0.0, 0.1),
        lambda: LikeForLike(1.0, 0.9),
        lambda: enough_users("global", VOTE, bits=3, beta=0.1),
        lambda: enough_users("pure", VOTE, bits=41, beta=0.1),
        lambda: enough_users("pure", VOTE, bits=3, beta=0.9),
    ],
)
def test_what_makes_no_sense_is_refused(broken):
    with pytest.raises(ParameterError):
        broken()
