"""The four models: what they release, and bounds on the users they need."""

import numpy as np
import pytest
from scipy import stats

from dpviz.maths.selection.exponential import CountExponential
from dpviz.maths.selection.shuffle import ShuffleSelection
from dpviz.maths.selection.stable import StableHistogram
from dpviz.topics.few_users.models import (
    MODELS,
    release,
)
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
