"""The local vote that lists nothing: its hash, its privacy, and how often it finds the item."""

import itertools
import math

import numpy as np
import pytest

from dpviz.maths.selection.heavy_hitters import AffineHash, HeavyHitter
from dpviz.results.parameters import ParameterError


def test_buckets_are_of_one_size_and_two_items_share_one_as_seldom_as_promised():
    rng = np.random.default_rng(1)
    shared = np.zeros((32, 32))
    runs = 2000
    for _ in range(runs):
        buckets = AffineHash.draw(5, 2, rng)(np.arange(32))
        assert np.all(np.bincount(buckets, minlength=4) == 8)
        shared += buckets == buckets[:, None]
    pairs = shared[np.triu_indices(32, 1)] / runs
    assert pairs.mean() == pytest.approx(7 / 31)  # of the other 31, exactly 7 share the bucket
    assert np.abs(pairs - 7 / 31).max() < 5 * math.sqrt(0.25 * 0.75 / runs)


@pytest.mark.parametrize("bits", [1, 8, 9, 40])
def test_a_clear_majority_is_found(bits):
    rng = np.random.default_rng(bits)
    found = 0
    for _ in range(20):
        winner, rival = rng.choice(2 ** min(bits, 20), size=2, replace=False) * 2 ** max(
            bits - 20, 0
        )
        items = np.repeat([winner, rival], [2400, 600])
        found += HeavyHitter(1.0, bits).select(rng.permutation(items), rng) == winner
    assert found >= 19


def test_too_few_users_do_not_find_it():
    rng = np.random.default_rng(2)
    items = np.full(60, 2**39 + 5)
    assert sum(HeavyHitter(0.2, 40).select(items, rng) == items[0] for _ in range(20)) < 3


class GivenCoin(np.random.Generator):
    """Public coins of a seed, and a user's own coin that is given."""

    coin = 0.0

    def random(self, size):
        return np.full(size, self.coin)


def test_a_user_is_protected_in_every_state_of_the_public_coins():
    """The exact law of the output for one user: each of two messages has its own probability."""
    epsilon = 0.7
    truth = 1 / (1 + math.exp(-epsilon))
    differ = 0
    for seed in range(25):
        laws = []
        for item in range(8):
            law = dict.fromkeys(range(8), 0.0)
            for coin, chance in ((0.0, truth), (1.0, 1 - truth)):
                rng = GivenCoin(np.random.PCG64(seed))
                rng.coin = coin
                law[HeavyHitter(epsilon, 3).select([item], rng)] += chance
            laws.append(law)
        for first, second in itertools.permutations(laws, 2):
            differ += first != second
            for chosen, chance in first.items():
                assert chance <= math.exp(epsilon) * second[chosen] + 1e-12
    assert differ


@pytest.mark.parametrize(
    "broken",
    [
        lambda _: HeavyHitter(1.0, 41),
        lambda _: HeavyHitter(float("nan"), 4),
        lambda rng: HeavyHitter(1.0, 4).select([-1], rng),
        lambda rng: AffineHash.draw(3, 4, rng),
    ],
)
def test_what_is_out_of_range_is_refused(broken):
    with pytest.raises(ParameterError):
        broken(np.random.default_rng(0))
