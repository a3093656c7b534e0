"""The four models: what they release, and bounds on the users they need."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpviz.maths.selection.exponential import CountExponential
from dpviz.maths.selection.shuffle import ShuffleSelection
from dpviz.maths.selection.stable import StableHistogram
from dpviz.topics.few_users.models import (
    MODELS,
    least_users,
    release,
    substitution_budget,
    success_ceiling,
    theorem_users,
)
from dpviz.topics.few_users.problems import packing, problem
from tests.support.examples import examples

PRIVACY = {"hypotheses": 16, "epsilon": 1.0, "delta": 0.05}
every_model = pytest.mark.parametrize("model", MODELS)
few = examples(25)


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("model", ["approximate", "pure", "shuffle"])
def test_a_release_follows_the_law_of_its_mechanism(model):
    picks = np.repeat([3, 7, 9], [14, 11, 4])
    counts = np.bincount(picks, minlength=16)
    law = {
        "approximate": lambda: StableHistogram(1.0, 0.05).law(counts),
        "pure": lambda: np.append(CountExponential(1.0, 16).law(counts), 0.0),
        "shuffle": lambda: np.append(ShuffleSelection(1.0, 0.05, 16).law(counts), 0.0),
    }[model]()
    draws = rng(1)
    drawn = [release(model, picks, rng=draws, **PRIVACY) for _ in range(3000)]
    seen = np.bincount(np.array(drawn) % 17, minlength=17)
    common = law * 3000 > 5
    assert stats.chisquare(
        np.append(seen[common], seen[~common].sum() + 1e-9),
        np.append(law[common], law[~common].sum() + 1e-9 / 3000) * 3000,
    ).pvalue > 1e-3  # fmt: skip


@every_model
def test_many_votes_for_one_hypothesis_are_released(model):
    picks = np.full(2000, 5)
    assert release(model, picks, rng=rng(2), **PRIVACY) == 5


def test_who_picked_nothing_votes_for_the_first():
    picks = np.full(2000, -1)
    for model in MODELS:
        assert release(model, picks, rng=rng(3), **PRIVACY) == 0


def test_an_empty_histogram_releases_nothing():
    assert release("approximate", [4], rng=rng(4), **PRIVACY | {"delta": 1e-6}) == -1


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_theorems_scale_as_printed(epsilon):
    setting = {"dimension": 5.0, "epsilon": epsilon, "delta": 1e-6, "beta": 0.05}
    users = {model: theorem_users(model, **setting) for model in MODELS}
    assert users["local"] == pytest.approx(users["pure"] / epsilon)
    assert users["approximate"] == users["shuffle"]
    assert users["approximate"] == pytest.approx(math.log(1 / (1e-6 * 0.05)) / epsilon)
    richer = theorem_users("approximate", **setting | {"dimension": 50.0})
    assert richer == users["approximate"]  # however rich the class
    assert theorem_users("pure", **setting | {"dimension": 50.0}) > 5 * users["pure"]


@few
@given(
    n=st.integers(0, 12),
    size=st.integers(2, 30),
    epsilon=st.sampled_from([0.1, 0.5, 1.0]),
)
def test_no_exponential_vote_beats_the_ceiling_and_it_is_nearly_reached(n, size, epsilon):
    """Where all users agree the pure vote's success is e^(nε)/(e^(nε) + N − 1), exactly."""
    counts = np.zeros(size, dtype=int)
    counts[0] = n
    exact = CountExponential(epsilon, size).law(counts)[0]
    ceiling = float(success_ceiling(n, targets=size, epsilon=epsilon, delta=0))
    assert exact <= ceiling + 1e-12
    assert exact >= ceiling / 2


@few
@given(
    n=st.integers(0, 25), epsilon=st.sampled_from([0.5, 1.0]), delta=st.sampled_from([0.01, 0.1])
)
def test_no_stable_vote_beats_the_ceiling(n, epsilon, delta):
    counts = np.zeros(8, dtype=int)
    counts[0] = n
    exact = StableHistogram(epsilon, delta).law(counts)[0]
    assert exact <= float(success_ceiling(n, targets=8, epsilon=epsilon, delta=delta)) + 1e-12


def test_the_fewest_users_are_where_the_ceiling_gets_high_enough():
    for delta in (0.0, 1e-6, 1e-2):
        given_ = {"targets": 64, "epsilon": 0.5, "delta": delta}
        n = least_users(beta=0.05, **given_)
        assert success_ceiling(n, **given_) >= 0.95 > success_ceiling(n - 1, **given_)
    # Lemma 4's shape: min{ln(1/δ), ln N}/ε
    rich = {"targets": 2**200, "epsilon": 0.5, "beta": 0.05}
    assert least_users(delta=1e-6, **rich) == pytest.approx(math.log(1e6) / 0.5, rel=0.1)
    assert least_users(delta=0, **rich) == pytest.approx(200 * math.log(2) / 0.5, rel=0.02)


def test_an_improper_learner_does_with_fewer():
    """Blocks of 52 points: 1[x in block] is good for every point in it, so five outputs do."""
    size, alpha, epsilon, beta = 256, 0.1, 0.2, 0.05
    targets = packing("points", bits=8, alpha=alpha)
    assert len(targets) == size
    block = np.arange(size) // 52
    for target in (0, 51, 255):
        made = problem("points", bits=8, target=target)
        output = block == block[target]
        assert made.weights[output != made.labels[target]].sum() <= alpha
    proper = least_users(targets=size, epsilon=epsilon, delta=0, beta=beta)
    counts = np.zeros(block[-1] + 1, dtype=int)
    counts[0] = 22
    assert CountExponential(epsilon, counts.size).law(counts)[0] >= 1 - beta
    assert 22 < proper == 36


@few
@given(
    counts=st.lists(st.integers(0, 9), min_size=2, max_size=4),
    epsilon=st.sampled_from([0.2, 1.0]),
    delta=st.sampled_from([0.01, 0.1]),
)
def test_substituting_a_user_costs_up_to_twice(counts, epsilon, delta):
    """Exact laws of both central models, one vote moved from each hypothesis to each other."""
    twice, lost = substitution_budget(epsilon=epsilon, delta=delta)
    for mechanism, allowed in (
        (CountExponential(epsilon, len(counts)), 0.0),
        (StableHistogram(epsilon, delta), lost),
    ):
        law = mechanism.law(counts)
        for i, j in itertools.permutations(range(len(counts)), 2):
            if counts[i]:
                moved = [c - (k == i) + (k == j) for k, c in enumerate(counts)]
                gaps = np.maximum(law - math.exp(twice) * mechanism.law(moved), 0)
                assert gaps.sum() <= allowed + 1e-12


def test_and_twice_is_nearly_needed():
    """Two hypotheses far ahead of none: one vote moved changes the odds by e^2ε."""
    mechanism = CountExponential(1.0, 2)
    before, after = mechanism.law([0, 10]), mechanism.law([1, 9])
    assert math.log(after[0] / before[0]) == pytest.approx(2.0, abs=1e-3)
    assert substitution_budget(epsilon=1.0, delta=0) == (2.0, 0.0)
