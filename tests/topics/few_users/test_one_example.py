"""Parity with one example each: the protocol against simulation, the bound against channels."""

import itertools
import math

import numpy as np
import pytest

from dpviz.results.parameters import ParameterError
from dpviz.topics.few_users.one_example import success_probability, users_enough, users_too_few
from dpviz.topics.few_users.problems import parities_served


def parities(bits):
    """χ_a(x) for every mask a (row) and vector x (column)."""
    places = np.arange(2**bits)
    return 1 - 2 * (np.bitwise_count(places & places[:, None]) & 1).astype(int)


@pytest.mark.parametrize("alpha", [0.05, 0.2, 0.249, 0.25, 0.3, 0.4])
def test_no_function_on_three_bits_serves_more_parities(alpha):
    values = np.array(list(itertools.product((-1, 1), repeat=8)))
    errors = (1 - values @ parities(3) / 8) / 2
    most = int((errors <= alpha + 1e-12).sum(axis=1).max())
    assert most <= parities_served(alpha)
    assert alpha >= 0.25 or most == 1


def divergence(channel, bits):
    """The mean over all parities of the divergence of the null from the parity, by listing.

    channel: probabilities of messages (last axis) for every vector and label.
    """
    labels = (1 - parities(bits)) // 2
    null = channel.mean(axis=(0, 1))
    each = [channel[np.arange(2**bits), row].mean(axis=0) for row in labels]
    return np.mean([(null * np.log(null / law)).sum() for law in each])


def allowed(bits, epsilon):
    """What the bound charges a user, from `users_too_few` at β so small that only it is left."""
    beta, size = 1e-3, 2**bits
    p, q = 1 / size, 1 - beta
    apart = p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))
    return apart / users_too_few(bits, epsilon=epsilon, alpha=0.1, beta=beta)


@pytest.mark.parametrize("bits", [2, 3])
def test_no_private_channel_tells_more_than_the_bound_charges(bits):
    rng = np.random.default_rng(bits)
    for epsilon in (0.3, 1.0, 2.0):
        for _ in range(100):
            high = rng.random((2**bits, 2)) < rng.random()  # two messages, extreme probabilities
            if high.any() and not high.all():
                odds = math.exp(epsilon)
                chance = np.where(high, odds, 1.0) / (1 + odds)
                channel = np.stack([chance, 1 - chance], axis=-1)
                assert divergence(channel, bits) <= allowed(bits, epsilon) * (1 + 1e-9)
            wide = np.exp(epsilon * rng.random((2**bits, 2, 5)) / 2)  # any, of five messages
            wide /= wide.sum(axis=-1, keepdims=True)
            assert divergence(wide, bits) <= allowed(bits, epsilon)


def test_the_bound_is_nearly_paid_by_asking_one_question():
    """For small ε a user's answer about one parity loses a constant of the charge at most."""
    labels = np.arange(2)[None, :] == ((1 - parities(3)) // 2)[5][:, None]
    chance = np.where(labels, math.exp(0.1), 1.0) / (1 + math.exp(0.1))
    asked = divergence(np.stack([chance, 1 - chance], axis=-1), 3)
    assert 0.9 * allowed(3, 0.1) < asked <= allowed(3, 0.1)


def test_the_protocol_succeeds_as_often_as_its_law_says():
    rng, bits, group, truth = np.random.default_rng(1), 3, 25, 0.75
    target, size, runs, hits = 5, 8, 4000, 0
    signs = parities(bits)
    for _ in range(runs):
        vectors = rng.integers(size, size=(size, group))
        yes = signs[np.arange(size)[:, None], vectors] == signs[target, vectors]
        votes = (yes == (rng.random((size, group)) < truth)).sum(axis=1)
        hits += votes[target] > np.delete(votes, target).max()
    expected = success_probability(size, group, truth)
    assert abs(hits / runs - expected) < 4 * math.sqrt(expected * (1 - expected) / runs)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 2.0])
def test_enough_is_the_least_and_more_than_too_few(epsilon):
    truth = 1 / (1 + math.exp(-epsilon))
    for bits in (1, 4, 20, 40):
        users = users_enough(bits, epsilon=epsilon, beta=0.05)
        group = int(users / 2**bits)
        assert (
            success_probability(2**bits, group, truth)
            >= 0.95
            > success_probability(2**bits, group - 1, truth)
        )
        assert users_too_few(bits, epsilon=epsilon, alpha=0.1, beta=0.05) < users


def test_nothing_is_claimed_where_one_function_serves_enough():
    assert users_too_few(2, epsilon=1.0, alpha=0.4, beta=0.3) == 0.0
    assert users_too_few(8, epsilon=1.0, alpha=0.4, beta=0.05) > 0


@pytest.mark.parametrize("bits", [0, 41, math.nan])
def test_bits_out_of_range_are_refused(bits):
    with pytest.raises(ParameterError, match="class_bits"):
        users_too_few(bits, epsilon=1.0, alpha=0.1, beta=0.05)
