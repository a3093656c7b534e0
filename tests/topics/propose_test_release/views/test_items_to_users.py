"""How many users it takes: every way counted, and what is said before it is."""

import itertools
import math
import re
from dataclasses import replace

import numpy as np
import pytest

from dpviz.plot.theme import LIGHT
from dpviz.topics.propose_test_release import choice_runs
from dpviz.topics.propose_test_release.delstab import Budget
from dpviz.topics.propose_test_release.naming import least_sizes
from dpviz.topics.propose_test_release.views import items_to_users as view
from dpviz.topics.propose_test_release.views.items_to_users import items_to_users
from dpviz.topics.propose_test_release.views.items_to_users_shown import VIEW
from tests.support.declarations import last, page
from tests.support.examples import only_in_nightly

USUAL = {
    "lean": 0.02,
    "task_epsilon": 0.5,
    "promised_delta": 0.1,
    "success": 0.6,
    "subsample": 1.0,
}


@only_in_nightly
def test_the_view_counts_users_of_every_way(monkeypatch):
    monkeypatch.setattr(view, "_EXAMPLES", (1, 10**7))
    monkeypatch.setattr(view, "_MOST_RUN", 100)
    monkeypatch.setattr(choice_runs, "RUNS", 30)
    monkeypatch.setattr(view, "RUNS", 30)
    setting = USUAL | {"task_epsilon": 2.0, "lean": 0.05}
    *_, chart = items_to_users(
        learner="threshold", repeats=1000, **setting, rng=np.random.default_rng(1)
    )
    assert chart.done == 1.0
    single = chart.curve("single").y
    assert np.all(single == single[0])
    learner, proof = chart.curve("learner"), chart.curve("proof").y
    known = np.isfinite(learner.y)
    assert np.all(learner.y[known] >= chart.fewest)
    both = known & np.isfinite(proof)
    assert np.all(learner.y[both] <= proof[both] * 1.2)
    assert np.all(np.diff(learner.y[known]) < 0.2 * learner.y[known][:-1])
    # one example each, private for whole users, is group privacy at m = 1
    assert chart.curve("plain").y[0] == pytest.approx(single[0], rel=0.5)
    for key, fewest in (("best", chart.fewest), ("exponential", 1)):
        run = chart.curve(key)
        sure = np.isfinite(run.y) & np.isfinite(run.lower) & np.isfinite(run.upper)
        assert sure.any()
        assert np.all(run.lower[sure] <= run.y[sure])
        assert np.all(run.y[sure] <= run.upper[sure])
        assert np.all(run.y[sure] >= fewest)
    assert chart.needed["best"] <= chart.needed["learner"]
    words = VIEW.takeaway(chart) + VIEW.detail(chart)
    assert str(int(chart.needed["best"])) in words
    assert "clipped" in words


def test_what_is_not_yet_known_is_no_number_of_users():
    rng = np.random.default_rng(0)
    first = next(items_to_users(learner="threshold", repeats=10, **USUAL, rng=rng))
    assert "around the best choice not yet known (never" in VIEW.detail(first)
    for single, said in ((1.0, "1 user with"), (math.inf, "too many users with")):
        known = replace(first, needed=first.needed | {"single": single})
        assert f"takes {said} one example each" in VIEW.takeaway(known)


def test_only_the_ways_of_the_sentence_are_drawn_and_for_which_privacy_is_said():
    rng = np.random.default_rng(0)
    usual = USUAL | {"promised_delta": 1e-3, "success": 0.75}
    *_, chart = items_to_users(learner="coin", repeats=1000, **usual, rng=rng)
    full, short = (
        " ".join(note["text"] for note in VIEW.figure(chart, theme).layout["annotations"])
        for theme in (LIGHT, LIGHT.narrow())
    )
    assert "A coin shows heads in 48% of tosses, or in 52%" in full
    assert "probability 0.75, with 1,000 tosses each, at ε = 0.5 and δ" in full
    assert "48% or 52% heads? 1,000 tosses each" in short
    for number in ("4", "209"):
        assert f"<b>{number} users</b>" in full
        assert f"<b>{number}</b>" in short
    first = next(items_to_users(learner="threshold", repeats=10, **USUAL, rng=rng))
    words = " ".join(note["text"] for note in VIEW.figure(first, LIGHT).layout["annotations"])
    assert "only one example of each user" in words  # of which the sentence speaks
    assert chart.fewest == 209
    assert VIEW.takeaway(chart) == (
        "To tell two coins apart, clipped votes with noise take 4 users. A majority vote made "
        "private by propose-test-release takes 209."
    )
    assert "it must stay the same whichever 208 its test drops (×)" in full
    assert "208 dropped (×)" in short
    assert "1 user left: whoever it is, the vote is the same" in full


def test_no_number_is_said_twice():
    rng = np.random.default_rng(0)
    usual = USUAL | {"promised_delta": 1e-3, "success": 0.75}
    *_, chart = items_to_users(learner="coin", repeats=1000, **usual, rng=rng)
    for clipped in (208, 209, 4, math.inf):
        for majority in (209, 250, 3714, math.inf):
            needed = chart.needed | {"clipped": clipped, "majority": majority}
            said = VIEW.takeaway(replace(chart, needed=needed))
            assert len(said.split()) <= 29  # of a category it is one more
            numbers = re.findall("[0-9,]*[0-9]", said)
            assert len(numbers) == len(set(numbers)), said


@pytest.mark.parametrize("lean", [0.02, 0.1])
@pytest.mark.parametrize("repeats", [1, 1000])
def test_whoever_the_test_leaves_votes_the_same(lean, repeats):
    """Every set that may be dropped first, and whoever is left alone then, by counting votes."""
    budget = Budget(10.0, 0.1)
    rng = np.random.default_rng(repeats)
    for _ in range(20):
        heads = rng.binomial(repeats, 0.5 + lean, 4 * budget.kappa + 1)
        votes = [int(np.sum(np.sign(2 * heads - repeats) == vote)) for vote in (1, -1, 0)]
        least = [
            int(least_sizes(one, examples=repeats, budget=budget)[0])
            for one in (heads, repeats - heads)
        ]
        for size in range(2 * budget.kappa + 1):
            first = itertools.product(*(range(many + 1) for many in votes))
            rests = [np.subtract(votes, some) for some in first if sum(some) == size]
            agreed = {int(np.argmax(rest)) for rest in rests if max(rest) == sum(rest)}
            assert len(agreed - {2}) <= 1
            assert [vote in agreed for vote in (0, 1)] == [size >= one for one in least]


@pytest.mark.parametrize("lean", [0.02, 0.3])
@pytest.mark.parametrize("epsilon", [0.1, 0.5])
def test_as_many_users_are_drawn_as_are_needed_and_as_are_dropped(lean, epsilon):
    chart = last(page("propose_test_release"), "naming", lean=lean, task_epsilon=epsilon)
    figure = VIEW.figure(chart, LIGHT)
    said = " ".join(note["text"] for note in figure.layout["annotations"])
    found = re.search("a dot is ([0-9,]+) users", said)
    per = int(found[1].replace(",", "")) if found else 1
    clipped, dropped, left = (len(trace["x"]) for trace in figure.data)
    assert clipped == max(round(chart.needed["clipped"] / per), 1)
    assert dropped + left == round(chart.needed["majority"] / per)
    assert abs(dropped - (chart.fewest - 1) / per) <= 1
    assert left >= 1
