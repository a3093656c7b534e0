"""The vote: counted, released and drawn as it was cast."""

import numpy as np
import pytest
from hypothesis import given

from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.refining import Pace
from dpviz.topics.few_users.learners import ListLearner
from dpviz.topics.few_users.views.votes_of_one_group import votes_of_one_group
from dpviz.topics.few_users.views.votes_of_one_group_shown import VIEW
from tests.support.declarations import last, page, shown, states
from tests.support.examples import examples
from tests.support.few_users import SETTING, VOTE, final, rng
from tests.support.pace import always, never
from tests.support.specs import Checked

draw = Checked(VIEW.figure)
PAGE = page("few_users")
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])
few = examples(8)


@THEMES
def test_the_bars_are_the_votes_and_each_way_leads_to_one(theme):
    result = last(PAGE, "votes", bits=6, users=50)
    figure = draw(result, theme)
    shared, own = (np.array(trace.y) for trace in figure.data if trace.type == "bar")
    np.testing.assert_array_equal(shared, result.shared)
    np.testing.assert_array_equal(own, result.own)
    ways = [np.array(t.x) for t in figure.data if t.type == "scatter" and len(t.x) == 3 * 50]
    for way, counts in zip(ways, (shared, own), strict=True):
        arrived = way[1::3].astype(int)
        np.testing.assert_array_equal(np.bincount(arrived, minlength=counts.size), counts)
    low, high = figure.layout["xaxis2"].range
    voted = np.flatnonzero(result.shared + result.own)
    assert low < voted[0] <= voted[-1] < high
    texts = [note.text for note in figure.layout.annotations]
    assert f"<b>{shared.max()}</b>" in texts
    assert f"<b>{own.max()}</b>" in texts


@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_as_many_are_enough_as_the_four_models_have_it(epsilon):
    result = last(PAGE, "votes", epsilon=epsilon, users=60)
    assert result.enough == last(PAGE, "models", epsilon=epsilon, class_bits=8).least
    drawn = VIEW.figure(result, LIGHT)
    told = f"● 60 users; {result.enough:.0f} are enough for a private vote (ε = {epsilon:g}"
    assert drawn.layout["xaxis"]["title"]["text"].startswith(told)
    apart = last(PAGE, "votes", examples_per_user=100)
    assert 5 * apart.shared.max() < 4 * apart.users
    words = " ".join(note.text for note in draw(apart, LIGHT).layout.annotations)
    assert "enough" not in words + str(draw(apart, LIGHT).layout.xaxis.title.text)


def test_the_axes_stand_while_examples_change():
    few, many = (draw(last(PAGE, "votes", examples_per_user=m), LIGHT) for m in (1000, 10**6))
    for axis in ("xaxis", "yaxis", "xaxis2", "yaxis2"):
        assert few.layout[axis].range == many.layout[axis].range


def test_before_the_votes_two_users_take_the_first_dart_below_their_curves():
    result = last(PAGE, "votes", bits=6, users=10)
    example = result.example
    np.testing.assert_allclose(example.laws.sum(axis=1), 1)
    for law, taken in zip(example.laws, example.taken, strict=True):
        below = example.heights < law[example.places]
        assert np.flatnonzero(below)[0] == taken
    drawn = draw(VIEW.prediction.hide(result), LIGHT)
    first, second = (
        t for t in drawn.data if t.type == "scatter" and t.marker.symbol == "circle-open"
    )
    for ring, taken in zip((first, second), example.taken, strict=True):
        assert [*ring.x, *ring.y] == [example.places[taken], example.heights[taken]]
    words = [" ".join(n.text for n in f.layout.annotations) for f in (drawn, draw(result, LIGHT))]
    assert ["first dart below each curve" in text for text in words] == [True, False]


def test_what_each_model_releases_is_said_on_demand():
    result = last(PAGE, "votes", users=10)
    told, *_ = VIEW.notes(result)
    assert not result.is_good(result.released["approximate"])
    assert "with shared darts releases, central, (ε, δ): nothing; central, δ = 0" in told
    assert f"local, δ = 0: hypothesis {result.released_own['local']}" in told
    assert any(
        "the first 60 are drawn" in note for note in VIEW.notes(last(PAGE, "votes", users=61))
    )


@few
@given(values=states(PAGE))
def test_the_sentence_counts_the_models_that_succeed(values):
    result = last(PAGE, "votes", **values | {"view": "votes"})
    detail = VIEW.detail(result)
    right = sum(result.is_good(h) for h in result.released.values())
    assert f"{right} of 4 ways to count votes privately release" in detail
    assert f"{result.shared.max():,} of {result.users:,} users" in detail


def test_same_samples_different_coins():
    result = last(PAGE, "votes", users=200)
    assert result.shared.max() > 0.9 * result.users
    assert result.own.max() < 0.3 * result.users
    assert all(result.is_good(h) for h in result.released.values())


def test_agreement_breaks():
    _, result, values = shown(PAGE, "Fewer examples: agreement breaks")
    assert values["examples_per_user"] < 1000
    assert result.shared.max() < 0.9 * result.users


def test_votes_are_counted_and_released():
    call = SETTING | {"concept": "thresholds", "bits": 8} | VOTE | {"users": 300}
    result = final(votes_of_one_group(**call, examples_per_user=10**5, rng=rng(12)))
    assert result.shared.sum() == result.own.sum() == 300
    assert result.shared.max() > 200 > 3 * result.own.max()
    assert all(result.is_good(chosen) for chosen in result.released.values())
    assert not result.is_good(-1)
    columns = result.columns()
    best = columns["votes_shared"].argmax()
    assert columns["error"][best] <= 0.1
    assert "pure" in columns["released_by"][best]


@pytest.mark.parametrize("learner", ["gibbs", "lists"])
def test_votes_come_in_blocks_and_end_the_same(learner, monkeypatch):
    blocks = []
    pick = ListLearner.picks

    def watched(self, users, **call):
        blocks.append(users)
        return pick(self, users, **call)

    monkeypatch.setattr(ListLearner, "picks", watched)
    call = SETTING | VOTE | {"users": 1000, "learner": learner, "examples_per_user": 500}
    ends = []
    for due in (always, never):
        monkeypatch.setattr(Pace, "due", due)
        results = list(votes_of_one_group(**call, rng=rng(14)))
        assert [r.users for r in results] == sorted({r.users for r in results})
        assert all(r.shared.sum() == r.own.sum() == r.users for r in results)
        assert results[-1].done == 1
        ends.append(results[-1])
    assert (len(results), results[-1].users) == (1, 1000)
    assert ends[0].released == ends[1].released
    assert ends[0].released_own == ends[1].released_own
    for name, column in ends[0].columns().items():
        np.testing.assert_array_equal(column, ends[1].columns()[name])
    assert learner == "gibbs" or max(blocks) <= 30
