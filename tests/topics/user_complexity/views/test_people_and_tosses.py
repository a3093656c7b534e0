"""People as rows of tosses: how many it takes, who must stay, and what is drawn of them."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dpviz.plot.theme import LIGHT
from dpviz.results.parameters import ParameterError
from dpviz.topics.user_complexity.views.people_and_tosses import (
    MOST_TOSSES,
    always_needed,
    people_and_tosses,
)
from dpviz.topics.user_complexity.views.people_and_tosses_shown import VIEW


def last(tosses, epsilon=0.5, seed=1):
    rng = np.random.default_rng(seed)
    *_, result = people_and_tosses(tosses=tosses, task_epsilon=epsilon, rng=rng)
    return result


@pytest.mark.parametrize(("tosses", "clip"), [(1, 1), (3, 1), (12, 4)])
def test_as_many_people_as_are_enough_name_the_coin_by_noise_on_clipped_votes(tosses, clip):
    """Simulated, with one person more than the best algorithm needs, which is no clipped vote."""
    people, rng, runs = last(tosses).enough + 1, np.random.default_rng(7), 40_000
    lead = 2 * rng.binomial(tosses, 0.65, size=(runs, people)) - tosses
    votes = np.clip(lead, -clip, clip).sum(axis=1)
    named = np.mean(votes + rng.laplace(scale=2 * clip / 0.5, size=runs) > 0)
    assert named >= 0.75 - 4 * math.sqrt(0.75 * 0.25 / runs)


def test_the_people_are_as_many_as_certified_programs_find():
    assert [(r.users.lower, r.users.upper) for r in map(last, (1, 2, 3))] == [
        (13, 13),
        (11, 11),
        (8, 8),
    ]


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 4.0])
def test_as_many_must_stay_as_those_need_who_know_the_coin(epsilon):
    """Randomised response on what all n know succeeds with e^(nε)/(1 + e^(nε))."""
    stay = always_needed(epsilon)
    chance = [1 / (1 + math.exp(-n * epsilon)) for n in (stay - 1, stay)]
    assert chance[0] < 0.75 <= chance[1]
    assert stay <= last(MOST_TOSSES, epsilon).users.lower


def test_the_axes_stand_and_the_tosses_stay_while_more_come():
    few, many = last(5), last(8)
    assert np.array_equal(few.heads, many.heads)
    layouts = [VIEW.figure(result, LIGHT).layout for result in (few, many)]
    for name in ("xaxis", "yaxis", "xaxis2", "yaxis2", "xaxis3", "yaxis3", "xaxis4"):
        assert layouts[0][name]["range"] == layouts[1][name]["range"]


def test_those_with_one_toss_stand_above_those_with_more():
    result = last(3)
    figure = VIEW.figure(result, LIGHT)
    more, one = ([t for t in figure.data if t.get("xaxis", "x") == x] for x in ("x", "x2"))
    for traces, people, m in ((one, 13, 1), (more, 8, 3)):
        head, body, tails, heads = traces[:4]
        assert list(head["x"]) == list(body["x"]) == list(range(1, people + 1))
        assert len(heads["x"]) == result.heads[:people, :m].sum()
        assert len(heads["x"]) + len(tails["x"]) == people * m
    assert list(more[4]["x"]) == [9, 10, 11, 12, 13]  # in grey, who may go
    texts = [note["text"] for note in figure.layout["annotations"]]
    assert "5 fewer" in texts
    assert any(text.startswith("<b>13 people</b>, 1 toss each") for text in texts)
    assert any(text.startswith("<b>8 people</b>, 3 tosses each") for text in texts)
    assert np.isfinite(result.columns()["share"]).sum() == 8
    above, below = (figure.layout[axis]["domain"] for axis in ("yaxis2", "yaxis"))
    assert above[0] > below[1]
    assert figure.layout["xaxis"]["range"] == figure.layout["xaxis2"]["range"]


def test_it_is_said_once_in_words_that_fit():
    takes = "To tell two coins apart privately takes"
    assert VIEW.takeaway(last(3)) == (
        f"{takes} 13 people with one toss each, and only 8 with 3 tosses each."
    )
    assert VIEW.takeaway(last(1)) == f"{takes} 13 people with 1 toss each."
    assert "7 people with one toss each, and only 1 with 9 tosses" in VIEW.takeaway(last(9, 2.0))
    alike = replace(last(2), single=last(2).users)
    assert VIEW.takeaway(alike).endswith("people with 2 tosses each, as many as with one.")
    assert VIEW.takeaway(last(12)).endswith("and at most 5 with 12 tosses each.")
    assert "needs 3 to 5 people" in VIEW.detail(last(12))
    assert "it needs 3 people at least" in VIEW.detail(last(12))


@pytest.mark.parametrize("tosses", [1, 2, 3, 8, 12])
def test_one_person_tells_the_coin_by_a_majority(tosses):
    tossed = np.random.default_rng(3).binomial(tosses, 0.65, size=40_000)
    right = np.mean((tossed > tosses / 2) + (tossed == tosses / 2) / 2)
    assert last(tosses).told_alone(tosses) == pytest.approx(right, abs=0.01)


def test_longer_rows_than_can_be_seen_are_refused():
    with pytest.raises(ParameterError, match="tosses"):
        last(MOST_TOSSES + 1)


def test_dots_have_the_room_of_a_row_however_many_there_are():
    few, many = (VIEW.figure(last(3, epsilon), LIGHT) for epsilon in (0.5, 0.1))
    sizes = [figure.data[2]["marker"]["size"] for figure in (few, many)]
    assert 1.5 * sizes[1] < sizes[0]


def test_a_prediction_is_a_line_below_as_many_people():
    guessed = VIEW.prediction.mark(last(3), 10)
    layout = VIEW.figure(guessed, LIGHT).layout
    assert any(shape.get("x0") == shape.get("x1") == 10.5 for shape in layout["shapes"])
    assert any(note["text"] == "your prediction: 10" for note in layout["annotations"])


@pytest.mark.parametrize("tosses", [1, 3, 12])
def test_the_shares_of_heads_are_those_of_both_coins__of_both_rows(tosses):
    figure = VIEW.figure(last(tosses), LIGHT)
    bars = [trace for trace in figure.data if trace["type"] == "bar"]
    settings = [(1, 0.35), (1, 0.65), (tosses, 0.35), (tosses, 0.65)]
    for bar, (m, coin) in zip(bars, settings, strict=True):
        law = [math.comb(m, k) * coin**k * (1 - coin) ** (m - k) for k in range(m + 1)]
        assert bar["x"] == pytest.approx(np.arange(m + 1) / m)
        assert bar["y"] == pytest.approx(law)
    one, more = (figure.layout[axis] for axis in ("yaxis3", "yaxis4"))
    steps = [np.ptp(axis["domain"]) / np.ptp(axis["range"]) for axis in (one, more)]
    assert steps[0] == pytest.approx(steps[1], rel=0.02)  # one scale for both


def test_what_tosses_tell_stands_beside_those_who_make_them():
    layout = VIEW.figure(last(3), LIGHT).layout
    for people, told in (("2", "3"), ("", "4")):
        assert layout[f"xaxis{people}"]["domain"][1] < layout[f"xaxis{told}"]["domain"][0]
        assert layout[f"yaxis{people}"]["domain"] == layout[f"yaxis{told}"]["domain"]


@pytest.mark.parametrize("tosses", [1, 3, 12])
def test_heads_are_counted_along_the_axis(tosses):
    figure = VIEW.figure(last(tosses), LIGHT)
    axis = figure.layout["xaxis4"]
    for at, named in zip(axis["tickvals"], axis["ticktext"], strict=True):
        assert int(named) == pytest.approx(at * tosses)
    assert len(axis["tickvals"]) <= 5
