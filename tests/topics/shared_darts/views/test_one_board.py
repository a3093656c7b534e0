"""One board: its game, its pictures, its presets."""

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
    assert ("pick the same" in headline) == (len(set(board.picks)) == 1)
    assert ("the same dart" in headline) == (board.first == board.second)
    assert all(f"P picks {pick}" in detail or f" {pick}" in detail for pick in board.picks)
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
    """Return the darts of a board, and the rings around those that were chosen."""
    darts, rings = [
        trace for trace in figure.data if trace.type == "scatter" and "markers" in trace.mode
    ][:2]
    return darts, rings


@THEMES
def test_the_frames_throw_the_darts_one_by_one(theme):
    board = last(PAGE, "board", gap=4.0, seed=1)
    figure = drawn.figure(board, theme)
    at = [trace.type == "scatter" and "markers" in trace.mode for trace in figure.data].index(True)
    frames = figure.frames
    counts, ringed = (
        [len((figure if frame.data[place].x is None else frame).data[place].x) for frame in frames]
        for place in (at, at + 1)
    )
    assert counts == sorted(counts)
    assert counts[-1] == board.places.size == len(figure.data[at].x)
    assert 1 < len(figure.frames) <= 61
    assert ringed[-1] == len({board.first, board.second})
    said = [words(one) for one in (figure.frames[0], figure)]
    assert ["waits" in text for text in said] == [True, False]


def words(figure):
    return " ".join(note.text for note in figure.layout.annotations)


def test_the_rings_are_around_the_darts_chosen():
    for seed in range(5):
        board = last(PAGE, "board", gap=6.0, seed=seed)
        _, rings = thrown(drawn.figure(board, LIGHT))
        for dart in {board.first, board.second}:
            assert board.heights[dart] in rings.y
        assert np.all(np.abs(np.array(rings.x) - np.rint(rings.x)) <= 0.3501)


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


@pytest.mark.parametrize("width", [0.3, 4.0])
def test_the_names_of_the_curves_stay_on_the_board(width):
    """Above a column as high as the board they lay over the words there."""
    board = last(PAGE, "board", width=width)
    layout = VIEW.figure(board, LIGHT).layout
    names = [note for note in layout["annotations"] if note["text"] in ("<b>P</b>", "<b>Q</b>")]
    assert len(names) == 2
    top = layout["yaxis"]["range"][1]
    assert all(note["yanchor"] == "top" or note["y"] <= 0.9 * top for note in names)


def test_the_board_that_opens_answers_the_question_and_all_darts_are_in_the_picture():
    """Seed 0 opened: the two differed, and 26 of 32 darts were above the picture."""
    assert PAGE.usual("board")["seed"] == 96
    board = last(PAGE, "board", **PAGE.usual("board"))
    assert "pick the same" in VIEW.takeaway(board)
    assert board.places.size == 7
    assert "both take dart 7" in words(drawn.figure(board, LIGHT))


@THEMES
def test_all_darts_are_in_the_picture_and_those_above_it_in_their_strip(theme):
    for seed in range(5):
        board = last(PAGE, "board", gap=3.0, seed=seed)
        figure = drawn.figure(board, theme)
        darts, _ = thrown(figure)
        low, high = figure.layout.yaxis.range
        [top] = [shape.y0 for shape in figure.layout.shapes]
        y = np.array(darts.y)
        assert np.all((low <= y) & (y <= high))
        assert np.array_equal(y > top, board.heights > top)
        assert np.array_equal(y[y <= top], board.heights[board.heights <= top])


def test_equal_bells_agree_in_all_games_whatever_their_sum_rounds_to():
    board = last(PAGE, "board", gap=0.0, width=2.0)
    assert "Of a hundred games all end in the same pick" in VIEW.takeaway(board)
