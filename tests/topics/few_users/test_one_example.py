"""Parity with one example each: the protocol against simulation, the bound against channels."""

import itertools
import math

import numpy as np
import pytest

from dpviz.results.parameters import ParameterError
from dpviz.topics.few_users.one_example import (
    success_probability,
    users_enough,
    users_too_few_at_once,
    users_too_few_in_turn,
)
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


def laws(channel, bits):
    """The law of a message for every parity (rows), and where labels are fair coins, by listing.

    channel: probabilities of messages (last axis) for every vector and label.
    """
    labels = (1 - parities(bits)) // 2
    each = [channel[np.arange(2**bits), row].mean(axis=0) for row in labels]
    return np.array(each), channel.mean(axis=(0, 1))


def divergence(channel, bits):
    """The mean over all parities of the divergence of the null from the parity."""
    each, null = laws(channel, bits)
    return np.mean((null * np.log(null / each)).sum(axis=1))


def told(channels, bits):
    """What the messages of several users, one channel each, tell of a uniform parity together."""
    joint = np.ones((2**bits, 1))
    for channel in channels:
        each = laws(channel, bits)[0]
        joint = (joint[:, :, None] * each[:, None, :]).reshape(2**bits, -1)
    return np.mean((joint * np.log(joint / joint.mean(axis=0))).sum(axis=1))


def allowed(bits, epsilon):
    """What a user is charged in turn, from `users_too_few_in_turn`."""
    beta, size = 1e-3, 2**bits
    p, q = 1 / size, 1 - beta
    apart = p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))
    return apart / users_too_few_in_turn(bits, epsilon=epsilon, alpha=0.1, beta=beta)


def allowed_at_once(bits, epsilon):
    """What a user is charged where all speak at once; at β = 0.5 that bound is the larger one."""
    p, q = 0.5, 2.0**-bits
    apart = p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))
    return apart / users_too_few_at_once(bits, epsilon=epsilon, alpha=0.1, beta=0.5)


def channels(bits, epsilon, rng):
    """Private channels: of two messages with extreme probabilities, and any, of five messages."""
    high = rng.random((2**bits, 2)) < rng.random()
    chance = np.where(high, math.exp(epsilon), 1.0) / (1 + math.exp(epsilon))
    wide = np.exp(epsilon * rng.random((2**bits, 2, 5)) / 2)
    return np.stack([chance, 1 - chance], axis=-1), wide / wide.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("bits", [2, 3])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.0, 5.0])
def test_no_private_channel_tells_more_than_the_bound_charges(bits, epsilon):
    rng = np.random.default_rng(bits)
    for _ in range(100):
        for channel in channels(bits, epsilon, rng):
            assert divergence(channel, bits) <= allowed(bits, epsilon) * (1 + 1e-9)
            assert told([channel], bits) <= allowed_at_once(bits, epsilon) * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_users_who_speak_at_once_tell_at_most_the_sum(epsilon):
    rng = np.random.default_rng(5)
    for _ in range(30):
        several = [channels(3, epsilon, rng)[i] for i in (0, 0, 1, 0)]
        assert told(several, 3) <= 4 * allowed_at_once(3, epsilon) * (1 + 1e-9)


def test_the_bounds_are_nearly_paid_by_asking_one_question():
    """For small ε a user's answer about one parity loses a constant of the charge at most."""
    labels = np.arange(2)[None, :] == ((1 - parities(3)) // 2)[5][:, None]
    chance = np.where(labels, math.exp(0.1), 1.0) / (1 + math.exp(0.1))
    asked = np.stack([chance, 1 - chance], axis=-1)
    assert 0.9 * allowed(3, 0.1) < divergence(asked, 3) <= allowed(3, 0.1)
    # The law of the message is not that of the null on average: 1/8 of what is charged is lost.
    charged = allowed_at_once(3, 0.1)
    assert 0.8 * charged < told([asked], 3) <= charged


def test_too_few_at_once_by_the_figures_of_a_hand_computation():
    few = users_too_few_at_once(8, epsilon=1.0, alpha=0.1, beta=0.05)
    tilt = math.tanh(0.5)
    bend = ((1 - tilt) * math.log(1 - tilt) + tilt) / tilt**2
    apart = 0.95 * math.log(0.95 * 256) + 0.05 * math.log(0.05 * 256 / 255)
    assert few == pytest.approx(256 * apart / (bend * math.sinh(0.5) ** 2), rel=1e-12)
    assert few == pytest.approx(7938, abs=1)


def test_the_protocol_succeeds_as_often_as_its_law_says():
    rng, bits, group, truth = np.random.default_rng(1), 3, 25, 0.75
    target, size, runs, hits = 5, 8, 4000, 0
    signs = parities(bits)
    for _ in range(runs):
        vectors = rng.integers(size, size=(size, group))
        yes = signs[np.arange(size)[:, None], vectors] == signs[target, vectors]
        votes = (yes == (rng.random((size, group)) < truth)).sum(axis=1)
        best = np.flatnonzero(votes == votes.max())
        hits += rng.choice(best) == target
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
        setting = {"epsilon": epsilon, "alpha": 0.1, "beta": 0.05}
        assert users_too_few_in_turn(bits, **setting) <= users_too_few_at_once(bits, **setting)
        assert users_too_few_at_once(bits, **setting) < users


def test_ties_are_broken_by_chance():
    """One user a group: the target wins alone, or one time in two if both say the same."""
    expected = 0.73 * (0.5 + 0.5 / 2) + 0.27 * 0.5 / 2
    assert success_probability(2, 1, 0.73) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("too_few", [users_too_few_in_turn, users_too_few_at_once])
def test_nothing_is_claimed_where_one_function_serves_enough(too_few):
    assert too_few(2, epsilon=1.0, alpha=0.4, beta=0.3) == 0.0
    assert too_few(8, epsilon=1.0, alpha=0.4, beta=0.05) > 0


@pytest.mark.parametrize("bits", [0, 41, math.nan])
def test_bits_out_of_range_are_refused(bits):
    with pytest.raises(ParameterError, match="class_bits"):
        users_too_few_at_once(bits, epsilon=1.0, alpha=0.1, beta=0.05)
