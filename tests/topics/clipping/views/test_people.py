"""The people of real data: every chance against a mechanism written out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.plot.hand import Hand
from dpviz.plot.people_figure import range_of
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.parameters import ParameterError
from dpviz.results.user_data import UserData
from dpviz.topics.clipping.views.people import people, taus_up_to
from dpviz.topics.clipping.views.people_shown import VIEW
from tests.support.declarations import last, page
from tests.support.examples import examples, only_in_nightly
from tests.support.linked import now, seen, titles, understood

PAGE = page("clipping")
SETTING = {"bins": 4, "unequal": "cap", "epsilon": 0.7, "rival": 3}
few = examples(12)


def by_hand(task, users, threshold, epsilon, examples):
    """The law of the answer: each user clipped, pair by pair, and the exponential mechanism."""
    count = len(task.psi)
    scores, moves = [], []
    for h in range(count):
        totals = []
        for g in range(count):
            if g == h:
                continue
            said = [sum(c * p for c, p in zip(u, task.psi[h, g], strict=True)) for u in users]
            totals.append(sum(min(max(s, -threshold), threshold) for s in said))
            ends = [0.0, *(examples * p for p in task.psi[h, g])]
            cut = [min(max(end, -threshold), threshold) for end in ends]
            moves.append(max(cut) - min(cut))
        scores.append(max(totals))
    weights = [math.exp(-epsilon * (s - min(scores)) / (2 * max(moves))) for s in scores]
    return np.array(weights) / sum(weights)


def own_people(seed, categories=3, users=14, most=7):
    rng = np.random.default_rng(seed)
    held = rng.integers(1, most + 1, users)
    user = np.repeat(np.arange(users), held)
    likings = rng.dirichlet(np.ones(categories), users)
    value = np.concatenate(
        [np.arange(categories), [rng.choice(categories, p=likings[u]) for u in user[categories:]]]
    )
    return UserData("answer", tuple("abc"[:categories]), user, value.astype(int))


def of_own(data, threshold=1.5, **changes):
    setting = SETTING | {"candidates": 6, "examples_per_user": 20} | changes
    rng = np.random.default_rng(0)
    return people(data="own", own=data, threshold=threshold, rng=rng, **setting)


@few
@given(st.integers(0, 10**6), st.floats(0.1, 6))
def test_chances_with_and_without_some_people_by_hand(seed, threshold):
    result = of_own(own_people(seed), threshold)
    examples = int(result.counts.sum(axis=1).max())
    rng = np.random.default_rng(seed)
    for place in {result.here, int(rng.integers(result.taus.size))}:
        about = (float(result.taus[place]), 0.7, examples)
        whole = by_hand(result.task, result.counts, *about)
        assert result.laws[place] == pytest.approx(whole, abs=1e-9)
        number = int(rng.integers(len(result.intervals)))
        first, end = result.intervals[number]
        low, high = result.edges[first], result.edges[end + 1]
        others = [
            u for u, s in zip(result.counts, result.scores, strict=True) if not low <= s < high
        ]
        if others:
            law = by_hand(result.task, others, *about)
        else:
            law = np.full(len(result.task.psi), 1 / len(result.task.psi))
        assert result.without[number, place] == pytest.approx(law, abs=1e-9)


@few
@given(st.integers(0, 10**6))
def test_what_is_told_of_some_people_is_counted_by_hand(seed):
    result = of_own(own_people(seed))
    row = result.task.psi[result.rival, result.best]
    assert result.scores == pytest.approx([float(u @ row) for u in result.counts])
    for number, (first, end) in enumerate(result.intervals):
        low, high = result.edges[first], result.edges[end + 1]
        some = [i for i, s in enumerate(result.scores) if low <= s < high]
        assert result.people[number] == len(some)
        assert list(result.rows[number]) == [
            sum(result.counts[i][z] for i in some) for z in (0, 1, 2)
        ]
        for place, tau in enumerate(result.taus):
            beyond = [i for i in some if abs(result.scores[i]) > tau]
            assert result.cut[number, place] == len(beyond)


def test_bias_and_noise_of_the_panel():
    result = last(PAGE, "people", data="union", threshold=2.0, epsilon=0.5)
    assert result.users == 545
    cut = [min(max(float(score), -2.0), 2.0) for score in result.scores]
    assert result.bias[result.here] == pytest.approx(abs(np.mean(cut) - np.mean(result.scores)))
    # One person moves a Scheffé score by 2τ = 4 at most.
    assert result.noise[result.here] == pytest.approx(2 * 4 / (0.5 * 545))
    assert result.bias[-1] == 0


def test_the_people_are_those_of_real_data():
    both = {"data": "union", "examples_per_user": 3, "threshold": 1.5, "candidates": 12, "seed": 5}
    real, ones = last(PAGE, "real", **both), last(PAGE, "people", **both)
    assert ones.laws[ones.here].max() == pytest.approx(real.probability)
    assert "though they are read from all rows" in VIEW.notes(ones)[-1]
    assert float(ones.laws[ones.here] @ ones.task.errors) == pytest.approx(real.error)


def test_people_keep_their_numbers_when_others_are_left_out():
    user = np.array([0, 1, 1, 2, 3, 3])
    data = UserData("answer", ("a", "b"), user, np.array([0, 1, 1, 0, 0, 1]))
    result = of_own(data, unequal="drop", examples_per_user=2)
    assert list(result.numbers) == [2, 4]
    assert list(result.columns()["person"]) == [2, 4]


def test_thresholds_are_those_of_the_slider_and_the_readers_own():
    taus = taus_up_to(8, 2.34)
    stops = page("clipping").parameter("threshold").limit.grid
    assert set(taus) - set(stops) == {2.34}
    assert taus[-1] == 8
    assert taus[0] == 0.1
    assert 0.001 in taus_up_to(8, 0.001)


def test_own_data_are_asked_for():
    with pytest.raises(ParameterError, match="until a file is uploaded"):
        last(PAGE, "people", data="own")


def panel(**changes):
    return last(PAGE, "people", **({"data": "union", "threshold": 4.0} | changes))


def of_many(users):
    rng = np.random.default_rng(1)
    value = rng.integers(0, 3, 2 * users)
    value[:3] = 0, 1, 2
    data = UserData("colour", ("red", "<b>", "blue"), np.repeat(np.arange(users), 2), value)
    return people(
        data="own",
        own=data,
        bins=4,
        candidates=10,
        rival=2,
        examples_per_user=5,
        unequal="cap",
        epsilon=1.0,
        threshold=1.0,
        rng=np.random.default_rng(0),
    )


@only_in_nightly
@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_vega_lite_knows_all_of_the_specification(theme):
    understood(VIEW.linked(panel(), theme))


def test_chances_are_looked_up_where_they_were_computed():
    result = panel(candidates=64)
    drawn = VIEW.linked(result, LIGHT)
    chances, said = (np.array(now(drawn, 3, "rect", key)).T for key in ("x2", "said"))
    names = [words[0].partition(":")[0] for words in said.T[:-1]]
    shown = [result.task.names.index(name) for name in names]
    assert result.best in shown
    assert result.rival in shown
    assert chances.sum(axis=1) == pytest.approx(1, abs=1e-4)
    laws = np.concatenate([result.laws[None], result.without])[:, result.here, shown]
    assert chances[:, :-1] == pytest.approx(laws, abs=1e-5)


def dots_of(result):
    return VIEW.linked(result, LIGHT)["concat"][0]["layer"][0]["data"]["values"]


def test_every_person_is_a_dot_in_its_group():
    result = panel()
    dots = dots_of(result)
    assert len(dots) == 545
    assert len({(dot["x"], dot["y"]) for dot in dots}) == 545
    for dot in dots:
        score = result.scores[int(dot["said"].split(":")[0].removeprefix("person ")) - 1]
        low, high = result.edges[dot["group"]], result.edges[dot["group"] + 1]
        assert low <= score < high
        assert low <= dot["x"] <= high
    union = result.data.value[result.data.user == 0].sum()
    theirs = f"person 1: {8 - union} × 0, {union} × 1; "
    assert any(dot["said"].startswith(theirs) for dot in dots)


def test_a_dot_stands_for_several_of_many_people():
    result = of_many(3000)
    assert 550 <= len(dots_of(result)) <= 600 + result.groups
    assert "one of about 5 people" in VIEW.notes(result)[0]
    numbers = now(VIEW.linked(result, LIGHT), 0, "text", "text")
    assert sum(int(number.replace(",", "")) for number in numbers) == 3000


def test_the_sentence_counts_those_cut_off():
    result = panel()
    beyond = np.abs(result.scores) > 4
    theirs = result.counts[beyond].sum(axis=0) / result.counts[beyond].sum()
    often = theirs[1] / result.data.law[1]
    assert VIEW.takeaway(result) == (
        f"This threshold τ clips {beyond.sum()} people; union “1” is {often:.1f} times as "
        "frequent in their rows as in all rows."
    )
    assert VIEW.takeaway(panel(threshold=8.0)).startswith("This threshold τ clips no one.")
    assert VIEW.takeaway(panel(threshold=0.1)).startswith("This threshold τ clips everyone.")
    assert "number 2 of 16 candidates" in VIEW.detail(result)


def test_a_chance_that_is_none_is_not_told_as_certainty_while_people_are_brushed():
    result = last(PAGE, "people", epsilon=5.0)
    drawn = VIEW.linked(result, LIGHT)
    chances, said = (np.array(now(drawn, 3, "rect", key)) for key in ("x2", "said"))
    laws = np.concatenate([result.laws[None], result.without])[:, result.here]
    assert ((laws > 0.99995) & (laws < 1 - 1e-9)).any()
    certain = np.char.endswith(said, "chance 100%")
    assert not (certain & (chances < 1)).any()


def test_a_dashed_line_passes_behind_the_numbers_of_people():
    layers = VIEW.linked(panel(), LIGHT)["concat"][0]["layer"]
    *below, halo, numbers = (layer["mark"] for layer in layers)
    assert [mark["type"] for mark in below] == ["circle", "rule"]
    assert halo["type"] == numbers["type"] == "text"
    assert halo["stroke"] == LIGHT.background


def test_what_is_brushed_is_said_above_and_looked_up():
    result = panel()
    drawn = VIEW.linked(result, LIGHT)
    above = titles(drawn, 0)
    assert above[0][0].startswith("All 545 people, 4,360 rows; τ = 4 cuts off ")
    for number, (first, end) in enumerate(result.intervals.tolist(), 1):
        some = (result.scores >= result.edges[first]) & (result.scores < result.edges[end + 1])
        assert above[number][0].startswith(f"{some.sum()} of 545 people, ")
    assert "What the rows say" in seen(drawn)
    assert above[range_of(result.groups, Hand((2, 5)))][0] in seen(drawn, 2, 5)


@few
@given(st.integers(0, 10**6))
def test_what_the_figure_shows_of_those_chosen_is_counted_by_hand(seed):
    result = of_own(own_people(seed))
    rng = np.random.default_rng(seed)
    number = int(rng.integers(len(result.intervals)))
    first, end = result.intervals[number].tolist()
    brushing, hand = VIEW.brushing, Hand((first, end))
    figure = brushing.figure(result, LIGHT, hand)
    within = (result.scores >= result.edges[first]) & (result.scores < result.edges[end + 1])
    bars = {trace["xaxis"]: trace for trace in figure.data if trace["type"] == "bar"}
    rows = result.counts[within].sum(axis=0)
    assert bars["x3"]["x"] == pytest.approx(rows / max(rows.sum(), 1))
    law = result.without[number, result.here]
    assert sorted(bars["x4"]["x"])[-1] == pytest.approx(law.max())
    dots = [trace for trace in figure.data if trace.get("xaxis") == "x2"]
    strong = [trace for trace in dots if "opacity" not in trace]
    assert sum(trace["x"].size for trace in dots) == result.users
    assert sum(trace["x"].size for trace in strong) == within.sum()
    said = brushing.takeaway(result, hand)
    assert f"{within.sum()} of {result.users} people" in said
    cut = int((within & (np.abs(result.scores) > result.threshold)).sum())
    assert f"clips {cut or 'none'} of them" in said
