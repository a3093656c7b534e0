"""One board: its game, its pictures, its presets."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from dpviz.maths import correlated_sampling
from dpviz.plot.theme import DARK, LIGHT
from dpviz.topics.shared_darts.views import one_board_shown
from tests.support.declarations import last, page, shown, states
from tests.support.examples import examples
from tests.support.headlines import faults
from tests.support.specs import Checked

drawn = Checked(one_board_shown)
VIEW = one_board_shown.VIEW
PAGE = page("shared_darts")
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])
few = examples(20)


@few
@given(values=states(PAGE))
def test_the_game_is_played_by_the_rules(values):
    board = last(PAGE, "board", **values | {"view": "board"})
    below_p, below_q = board.below
    assert below_p.argmax() == board.first
    assert below_q.argmax() == board.second
    assert board.places.size == max(board.first, board.second) + 1
    headline, detail = VIEW.takeaway(board), VIEW.detail(board)
    assert headline.startswith("Shared darts make Ann and Ben pick the same in ")
    assert ("Both pick" in detail) == (len(set(board.picks)) == 1)
    assert ("the same dart" in detail) == (board.first == board.second)
    assert all(f"picks {pick}" in detail or f" {pick}" in detail for pick in board.picks)
    assert not faults(headline)


@few
@given(values=states(PAGE))
def test_both_bars_are_as_long_as_the_sentence_says(values):
    """Of forty simulated games 7 agreed beside an exact 14 of a hundred, and nothing said why."""
    board = last(PAGE, "board", **values | {"view": "board"})
    truth = float(correlated_sampling.independent_disagreement(board.p, board.q))
    figure = drawn.figure(board, LIGHT)
    bars = [bar for bar in figure.data if bar.type == "bar"][-1]
    wanted = 100 * np.array([1 - board.disagreement, 1 - truth])
    np.testing.assert_allclose(bars.x, wanted, rtol=1e-6, atol=1e-6)
    texts = [note.text for note in figure.layout.annotations]
    for share in bars.x:
        many = one_board_shown.of_a_hundred(share / 100, agree=True)
        assert many in texts
        assert many in VIEW.takeaway(board)


def thrown(figure):
    """Return the darts of a board that nobody takes, and those that somebody does."""
    missed, taken = [t for t in figure.data if t.type == "scatter" and "markers" in t.mode]
    return missed, taken


@THEMES
def test_the_frames_throw_the_darts_one_by_one(theme):
    board = last(PAGE, "board", gap=4.0, seed=1)
    figure = drawn.figure(board, theme)
    kinds = [trace.type == "scatter" and "markers" in trace.mode for trace in figure.data]
    first, second = (place for place, dots in enumerate(kinds) if dots)

    def counted(place):
        known = figure.data[place].x
        return [len(known if f.data[place].x is None else f.data[place].x) for f in figure.frames]

    missed, taken = counted(first), counted(second)
    assert [one + two for one, two in zip(missed, taken, strict=True)] == list(
        range(1, board.places.size + 1)
    )
    assert taken[-1] == len({board.first, board.second})
    said = [words(one) for one in (figure.frames[0], figure)]
    picks = [len(re.findall("(picks?|Ann:|Ben:|both:) [0-9]", text)) for text in said]
    assert picks[0] < picks[1] == taken[-1]


def words(figure):
    return " ".join(note.text for note in figure.layout.annotations)


def test_the_darts_chosen_have_their_number_in_a_disc_and_others_are_small():
    for seed in range(5):
        board = last(PAGE, "board", gap=6.0, seed=seed)
        figure = drawn.figure(board, LIGHT)
        missed, taken = thrown(figure)
        chosen = sorted({board.first, board.second})
        assert list(taken.text) == [f"<b>{one + 1}</b>" for one in chosen]
        assert taken.y == pytest.approx(board.heights[chosen])
        assert taken.marker.size > 2 * missed.marker.size
        x = np.concatenate([missed.x, taken.x])
        assert np.all(np.abs(x - np.rint(x)) <= 0.3501)
        neither = np.delete(~np.logical_or(*board.below), chosen)
        assert [symbol.startswith("x") for symbol in missed.marker.symbol] == neither.tolist()
        for name, pick in zip(("Ann", "Ben"), board.picks, strict=True):
            who = "both pick" if board.first == board.second else f"{name} picks"
            assert f"<b>{who} {pick}</b>" in words(figure)


@pytest.mark.parametrize(("seed", "gap"), [(2469, 0.3), (96, 1.0)])
def test_words_below_both_curves_keep_off_the_dart_that_both_take(seed, gap):
    board = last(PAGE, "board", seed=seed, gap=gap)
    notes = drawn.figure(board, LIGHT).layout.annotations
    [inside] = [note for note in notes if "the same pick" in note.text]
    at = board.places[board.first] + 1
    apart = abs(inside.y - board.heights[board.first])
    assert abs(inside.x - at) > 1.5 or apart > 0.02


@pytest.mark.parametrize("gap", [0.0, 1.0, 7.5])
def test_the_hand_that_drags_q_gets_the_gap_of_its_bell(gap):
    board = last(PAGE, "board", gap=gap, outcomes=30)
    drag = VIEW.figure(board, replace(LIGHT, labels="few")).layout["meta"]["drag"]
    middle = np.average(np.arange(30) + 1, weights=board.q)
    assert drag["key"] == "gap"
    assert drag["x"] == pytest.approx(middle, abs=0.01)
    assert (drag["x"] - drag["from"]) / drag["each"] == pytest.approx(gap)


def test_almost_the_same():
    _, board, _ = shown(PAGE, "Almost the same")
    assert board.disagreement < 0.1


def test_nothing_in_common():
    _, board, _ = shown(PAGE, "Nothing in common")
    assert board.distance > 0.99


@pytest.mark.parametrize("width", [0.3, 4.0, 20.0])
def test_the_names_of_the_curves_stand_at_their_flanks_off_the_grip(width):
    """Above a column as high as the board they lay over the words there."""
    board = last(PAGE, "board", width=width)
    layout = VIEW.figure(board, LIGHT).layout
    named = {note["text"]: note for note in layout["annotations"]}
    ann, ben = (named[f"<b>{name}</b>"] for name in ("Ann", "Ben"))
    assert ann["x"] < ben["x"]
    assert all(0.5 <= note["x"] <= board.p.size + 0.5 for note in (ann, ben))
    assert all(note["y"] < 0.95 * board.q.max() for note in (ann, ben))


def test_the_board_that_opens_answers_the_question_and_all_darts_are_in_the_picture():
    """Seed 0 opened: the two differed, and 26 of 32 darts were above the picture."""
    assert PAGE.usual("board")["seed"] == 96
    board = last(PAGE, "board", **PAGE.usual("board"))
    assert VIEW.takeaway(board).endswith(
        "pick the same in 70 of 100 games; drawing alone, they do in 14."
    )
    assert board.places.size == 7
    assert "both pick 4" in words(drawn.figure(board, LIGHT))


@THEMES
def test_all_darts_are_in_the_picture_and_those_above_it_in_their_strip(theme):
    for seed in range(5):
        board = last(PAGE, "board", gap=3.0, seed=seed)
        figure = drawn.figure(board, theme)
        darts = thrown(figure)
        low, high = figure.layout.yaxis.range
        top = min(1.0, 1.18 * max(board.p.max(), board.q.max()))
        y = np.sort(np.concatenate([one.y for one in darts]))
        assert np.all((low <= y) & (y <= high))
        assert np.count_nonzero(y > top) == np.count_nonzero(board.heights > top)
        assert np.array_equal(y[y <= top], np.sort(board.heights[board.heights <= top]))


def test_equal_bells_agree_in_all_games_whatever_their_sum_rounds_to():
    board = last(PAGE, "board", gap=0.0, width=2.0)
    assert "pick the same in all of 100 games" in VIEW.takeaway(board)
