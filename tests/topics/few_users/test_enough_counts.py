"""Histograms until every count is right: laws against runs of the mechanisms and enumeration."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from dpviz.maths.intervals import clopper_pearson
from dpviz.maths.selection.local import HadamardHistogram
from dpviz.maths.selection.shuffle import ShuffleSelection
from dpviz.results.parameters import ParameterError
from dpviz.topics.few_users.enough_counts import all_right, enough_for_counts, local_errors
from dpviz.topics.few_users.enough_users import LikeForLike
from dpviz.topics.few_users.views.four_models import four_models

VOTE = LikeForLike(1.0, 1e-2)
SETTING = {"epsilon": 2.0, "delta": 1e-4, "alpha": 0.1, "failure_probability": 0.05}


def counts_of(tens, bits):
    return np.array([8 * tens, 2 * tens, *[0] * (2**bits - 2)])


def share_right(released, counts, tens):
    right = np.abs(released - counts).max(axis=1) <= tens
    return clopper_pearson(int(right.sum()), right.size, level=0.999)


@pytest.mark.parametrize(("tens", "bits"), [(2, 1), (7, 2)])
def test_the_stable_histogram_errs_as_all_pairs_of_noise_say(tens, bits):
    noise = VOTE.stable_noise
    masses = noise.pmf(np.arange(2 * noise.kappa + 1))
    right = sum(
        p * q
        for (i, p), (j, q) in itertools.product(enumerate(masses), repeat=2)
        if 8 * tens - max(8 * tens - i, 0) <= tens and 2 * tens - max(2 * tens - j, 0) <= tens
    )
    found = all_right("approximate", VOTE, tens=tens, bits=bits)
    assert found.lower == found.upper == pytest.approx(right, rel=1e-12)
    assert 0 < right < 1


def test_counting_from_below_errs_as_lemma_37_runs():
    """The histogram of the core itself, with the noise that suffices for an exchange."""
    tens, bits, runs = 60, 3, 1500
    bucket = VOTE.shuffle_noise
    mechanism = ShuffleSelection(VOTE.epsilon, VOTE.delta, 2**bits, bucket.dispersion)
    assert mechanism.bucket == bucket
    rng, counts = np.random.default_rng(5), counts_of(tens, bits)
    released = np.array([mechanism.histogram(counts, rng) for _ in range(runs)])
    low, high = share_right(released, counts, tens)
    found = all_right("shuffle", VOTE, tens=tens, bits=bits)
    assert low <= found.lower == found.upper <= high
    assert low > 0.05
    assert high < 0.99


def test_noise_on_every_count_errs_as_in_runs_and_is_private():
    tens, bits, runs = 9, 4, 10_000
    success = -math.expm1(-VOTE.epsilon / 2)
    rng, counts = np.random.default_rng(6), counts_of(tens, bits)
    drawn = rng.geometric(success, size=(2, runs, counts.size))
    released = np.maximum(counts + drawn[0] - drawn[1], 0)
    low, high = share_right(released, counts, tens)
    assert low <= all_right("pure", VOTE, tens=tens, bits=bits).lower <= high
    # One count falls by 1 and another rises by 1: two ratios of neighbouring masses.
    masses = stats.dlaplace(VOTE.epsilon / 2).logpmf(np.arange(-30, 31))
    assert 2 * np.abs(np.diff(masses)).max() == pytest.approx(VOTE.epsilon)


@pytest.mark.parametrize("tens", [1, 3])
def test_one_local_count_errs_as_enumeration_says(tens):
    """The law of the sum of all users' signs, user after user."""
    mechanism = HadamardHistogram(0.7, 4)
    n, truth = 10 * tens, mechanism.truth_probability
    held, nobody = local_errors(0.7, tens)
    for count, found in ((8 * tens, held[0]), (2 * tens, held[1]), (0, nobody)):
        law = np.array([1.0])
        for chance in [truth] * count + [0.5] * (n - count):
            law = np.convolve(law, [1 - chance, chance])
        estimates = mechanism.scale * (2 * np.arange(n + 1) - n)
        wrong = abs(np.maximum(estimates, 0) - count) > tens + 1e-9
        assert found == pytest.approx(law[wrong].sum(), rel=1e-9, abs=1e-12)


def test_local_bounds_hold_what_is_simulated():
    """The protocol itself, at a size where most errors are of items nobody holds."""
    tens, bits, runs, vote = 70, 6, 300, LikeForLike(2.0, 1e-2)
    mechanism, rng = HadamardHistogram(vote.epsilon, 2**bits), np.random.default_rng(7)
    counts = counts_of(tens, bits)
    items = np.repeat(np.arange(counts.size), counts)
    released = np.maximum([mechanism.histogram(items, rng) for _ in range(runs)], 0)
    low, high = share_right(released, counts, tens)
    found = all_right("local", vote, tens=tens, bits=bits)
    assert found.lower <= high
    assert low <= found.upper
    assert low > 0.05
    assert high < 0.995


def test_the_least_number_is_the_least():
    """In the local model but for the jumps of whole numbers, a few percent of n."""
    vote = LikeForLike(2.0, 1e-2)
    for model in ("approximate", "pure", "shuffle", "local"):
        found, slack = enough_for_counts(model, vote, bits=2, beta=0.05), 1.0
        if model == "local":
            assert found.lower <= found.upper
            slack = 1.15
        for end, n in (("upper", found.lower), ("lower", found.upper)):
            for tens in range(1, round(n / 7)):
                right = getattr(all_right(model, vote, tens=tens, bits=2), end) >= 0.95
                if not n / slack <= 10 * tens < n * slack:
                    assert right == (10 * tens >= n), (model, tens)


@pytest.mark.parametrize(
    "broken",
    [
        lambda: all_right("global", VOTE, tens=3, bits=3),
        lambda: enough_for_counts("pure", VOTE, bits=41, beta=0.1),
        lambda: enough_for_counts("pure", VOTE, bits=4, beta=0.9),
        lambda: next(four_models(class_bits=3, released="all", **SETTING)),
    ],
)
def test_what_makes_no_sense_is_refused(broken):
    with pytest.raises(ParameterError):
        broken()
