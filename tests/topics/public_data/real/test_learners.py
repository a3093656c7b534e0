"""Learners on real data, with much privacy and with little."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from dpviz.results.evidence import Source, Subject
from dpviz.results.parameters import LIMITS
from dpviz.topics.public_data.real import learners
from dpviz.topics.public_data.real.data_sets import real_data_set
from dpviz.topics.public_data.real.learners import Given, RealLearner
from dpviz.topics.public_data.real.split import split
from dpviz.topics.public_data.views.accuracy_on_real_data import accuracy_on_real_data
from tests.support.examples import only_in_ci


@pytest.mark.parametrize("name", learners.LEARNERS)
def test_with_much_privacy_nothing_is_learned_and_with_none_much(name):
    data, rng = real_data_set("cancer"), np.random.default_rng(7)
    parts = split(data, rng, public_share=0.25, components=3)
    learner = learners.LEARNERS[name]
    given = Given(np.array([0.001, 10.0]), 1e-6, rng, 300)
    found = np.array(
        [[learner.run(parts, given, s) for s in learner.strengths] for _ in range(8)]
    ).mean(axis=0)
    if name in ("non_private", "constant"):
        np.testing.assert_array_equal(found[:, 0], found[:, 1])
        return
    assert found[:, 0].max() < 0.75
    least = 0.6 if name == "perturbation" else 0.8
    assert found[:, 1].max() > least


def test_what_is_shown_of_a_split_is_the_mean_over_the_draws():
    given = Given(np.array([1.0, 2.0]), 1e-6, np.random.default_rng(0), 1, draws=3)
    assert given.each.tolist() == [1, 1, 1, 2, 2, 2]
    assert given.mean(np.array([0.1, 0.2, 0.6, 1, 1, 0.4])) == pytest.approx([0.3, 0.8])


@dataclass
class Recorder:
    """A learner that answers with its strength, and notes what it was given."""

    seen: list

    def release(self, parts, given, strength):
        self.seen.append((strength, parts.private))
        return np.tile(strength * parts.test.y, (given.each.size, 1))


def test_a_private_choice_shows_each_unit_to_one_strength_or_to_the_judges():
    """Strength 1 labels every row correctly, strength −1 none: with a large ε the first wins."""
    data, rng = real_data_set("union"), np.random.default_rng(2)
    parts = split(data, rng, public_share=0.25, components=3)
    seen = []
    learner = RealLearner(
        "a test", Subject.LAPLACE, Source("a test"), False, (-1.0, 1.0, -2.0), 0,
        Recorder(seen).release,
    )  # fmt: skip
    given = Given(np.array([LIMITS["epsilon"].minimum, 10.0]), 1e-6, rng, 1, draws=400)
    accuracy = learner.chosen_in_private(parts, given)
    assert accuracy[1] == 1
    assert accuracy[0] == pytest.approx(1 / 3, abs=0.08)
    assert [strength for strength, _ in seen] == [-1.0, 1.0, -2.0]
    sizes = [part.size for _, part in seen]
    assert max(sizes) - min(sizes) <= 1
    assert sum(sizes) == pytest.approx(parts.private.size * 3 / 4, abs=1)


def test_the_strength_is_drawn_by_the_exponential_mechanism():
    """At ε = 2·ln 3/units, e^(−ε·mistakes/2) is 1 of strength 1 and 1/3 of strength −1."""
    data, rng = real_data_set("union"), np.random.default_rng(4)
    parts = split(data, rng, public_share=0.25, components=3)
    seen = []
    learner = RealLearner(
        "a test", Subject.LAPLACE, Source("a test"), False, (1.0, -1.0), 0, Recorder(seen).release
    )
    epsilon = 2 * math.log(3) / (parts.private.size / 3)
    given = Given(np.array([epsilon, 5 * epsilon]), 1e-6, rng, 1, draws=2000)
    accuracy = learner.chosen_in_private(parts, given)
    judges = parts.private.size - sum(part.size for _, part in seen)
    for found, each in zip(accuracy, given.epsilons, strict=True):
        assert found == pytest.approx(1 / (1 + math.exp(-each * judges / 2)), abs=0.04)


def test_parts_keep_a_unit_together_and_lose_nothing():
    data, rng = real_data_set("union"), np.random.default_rng(3)
    whole = split(data, rng, public_share=0.25, components=3)
    parts = whole.private_parts(5, rng)
    assert sum(len(part.y) for part in parts) == len(whole.private.y)
    for part in parts:  # whole units: their rows' parts sum to a whole number
        assert part.parts.sum() == pytest.approx(part.size)
    rows = np.concatenate([part.x for part in parts])
    assert np.sort(rows.sum(axis=1)) == pytest.approx(np.sort(whole.private.x.sum(axis=1)))


@only_in_ci
@pytest.mark.parametrize("knob", ["fixed", "private"])
def test_no_honest_choice_beats_hindsight_on_average(knob):
    def run(how):
        return list(
            accuracy_on_real_data(
                data_set="cancer", public_share=0.25, components=3, epsilon=1.0, delta=1e-6,
                runs=3, rng=np.random.default_rng(5), knob=how, averages=100,
            )
        )[-1]  # fmt: skip

    honest, hindsight = run(knob), run("hindsight")
    assert honest.knob == knob
    for name in ("objective", "output", "rrspm"):
        mean, best = (np.mean(chart.curve(name).y) for chart in (honest, hindsight))
        assert mean <= best + 0.03
    learned = honest.curve("objective").y[-1]
    assert learned > honest.curve("constant").y[-1] + 0.1
