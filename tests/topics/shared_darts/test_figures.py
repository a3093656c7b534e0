"""The page on shared darts: its games, its pictures, its sentences, its presets."""

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import binomtest

from dpviz.maths import correlated_sampling
from dpviz.plot.theme import DARK, LIGHT
from dpviz.topics.shared_darts import figures, words
from tests.support.declarations import last, page, shown, states
from tests.support.examples import examples
from tests.support.headlines import faults
from tests.support.specs import Checked

figures = Checked(figures)

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
    told, exact = words.board_takeaway(board), words.board_detail(board)
    assert f"art {board.first + 1}" in told
    assert ("pick the same" in told or "same pick" in told) == (len(set(board.picks)) == 1)
    assert all(f"P picks {pick}" in exact or f" {pick}" in exact for pick in board.picks)
    assert not faults(told)


def test_games_agree_as_often_as_they_say():
    boards = [last(PAGE, "board", gap=4.0, seed=seed) for seed in range(100)]
    shared = np.concatenate([board.shared_games for board in boards])
    own = np.concatenate([board.own_games for board in boards])
    truth = float(correlated_sampling.independent_disagreement(boards[0].p, boards[0].q))
    for agree, differ in ((shared, boards[0].disagreement), (own, truth)):
        assert binomtest(int(agree.sum()), agree.size, 1 - differ).pvalue > 1e-3
    for board in boards:
        assert board.shared_games[0] == (board.picks[0] == board.picks[1])
    texts = [note.text for note in figures.board_figure(boards[0], LIGHT).layout.annotations]
    assert f"Shared darts: {boards[0].shared_games.sum()} of 40 games agree" in texts


@THEMES
def test_the_frames_throw_the_darts_one_by_one(theme):
    board = last(PAGE, "board", gap=4.0, seed=1)
    figure = figures.board_figure(board, theme)
    counts = [len(frame.data[0].x) for frame in figure.frames]
    assert counts == sorted(counts)
    assert counts[-1] == len(figure.data[2].x)
    assert 1 < len(figure.frames) <= 61
    assert len(figure.frames[-1].data[1].x) == len({board.first, board.second})
    assert "still waiting" in figure.frames[0].layout.annotations[0].text
    assert "waiting" not in figure.layout.annotations[0].text


def test_the_rings_are_around_the_darts_chosen():
    for seed in range(5):
        board = last(PAGE, "board", gap=6.0, seed=seed)
        rings = figures.board_figure(board, LIGHT).data[3]
        for dart in {board.first, board.second}:
            assert board.heights[dart] in rings.y
        assert np.all(np.abs(np.array(rings.x) - np.rint(rings.x)) <= 0.3501)


def test_simulated_points_lie_at_their_exact_curve():
    chart = last(PAGE, "disagreement")
    points, curve = chart.curve("simulated"), chart.curve("outputs")
    exact = np.interp(points.x, curve.x, curve.y)
    assert np.mean((points.lower <= exact + 1e-9) & (exact - 1e-9 <= points.upper)) >= 0.8
    assert np.max(points.upper - points.lower) < 0.05


def test_games_with_few_darts_lie_at_their_exact_curve():
    chart = last(PAGE, "supply", gap=2.0, darts=30)
    points, curve = chart.curve("simulated"), chart.curve("limited")
    exact = np.interp(points.x, curve.x, curve.y)
    assert np.mean((points.lower <= exact + 1e-9) & (exact - 1e-9 <= points.upper)) >= 0.7
    assert chart.endless < chart.limited < chart.independent
    assert "With 30 shared darts" in words.supply_takeaway(chart)
    assert f"{chart.enough} shared darts are enough" in words.supply_detail(chart)


def test_one_dart_is_one_and_enough_of_them_are_as_good_as_endless_ones():
    apart = {"gap": 20, "width": 0.3, "width_ratio": 0.2, "outcomes": 2}
    chart = last(PAGE, "supply", darts=1, **apart)  # whichever outcome it hits is someone's
    assert chart.enough == 1
    assert "With 1 shared dart the two" in words.supply_takeaway(chart)
    assert " 1 shared dart is enough" in words.supply_detail(chart)
    many = words.supply_takeaway(last(PAGE, "supply", darts=1000))
    assert many.startswith("With 1,000 shared darts")
    assert many.endswith("of games, as with endless ones.")


def test_equal_bells_never_differ_with_anything_shared():
    chart = last(PAGE, "disagreement", gap=0)
    assert chart.outputs == chart.darts == chart.inverse == 0
    assert "one shared uniform number with 0," in words.disagreement_detail(chart)


@few
@given(values=states(PAGE))
def test_curves_lie_in_their_order(values):
    chart = last(PAGE, "disagreement", **values | {"view": "disagreement"})
    least, outputs, darts = (chart.curve(key).y for key in ("least", "outputs", "darts"))
    assert np.all(least <= outputs + 1e-9)
    assert np.all(outputs <= darts + 1e-9)
    assert np.all(darts <= 2 * chart.curve("darts").x + 1e-9)
    low, high = chart.curve("least").x.min(), chart.curve("least").x.max()
    assert low - 1e-9 <= chart.distance <= high + 0.05
    assert not faults(words.disagreement_takeaway(chart))
    assert "nan" not in words.disagreement_detail(chart)
    assert ("(at most" in words.disagreement_detail(chart)) == (chart.distance < 0.5)


@THEMES
def test_the_joint_laws_are_drawn_as_they_are(theme):
    laws = last(PAGE, "joint")
    figure = figures.joint_figure(laws, theme)
    for trace, law in zip(figure.data, (laws.darts, laws.inverse, laws.independent), strict=True):
        np.testing.assert_allclose(np.array(trace.customdata).T, law)
        assert law.sum() == pytest.approx(1)
    columns = laws.columns()
    agree = columns["shared_darts"][columns["pick_p"] == columns["pick_q"]].sum()
    assert agree == pytest.approx(laws.agreement[0])
    assert f"{agree:.3g}" in words.joint_takeaway(laws)


# The presets show what their names say.


def test_almost_the_same():
    _, board, _ = shown(PAGE, "Almost the same")
    assert board.disagreement < 0.1


def test_one_shared_number_is_not_enough():
    _, laws, _ = shown(PAGE, "One shared number is not enough")
    darts, inverse, _ = laws.agreement
    assert darts > 0.75
    assert inverse < 0.1


def test_agreement_breaks():
    _, chart, _ = shown(PAGE, "Agreement breaks")
    assert chart.outputs > 0.8


def test_nothing_in_common():
    _, board, _ = shown(PAGE, "Nothing in common")
    assert board.distance > 0.99


@pytest.mark.parametrize("gap", [0.37, 1.0, 12.5])
def test_the_curves_go_through_the_readers_own_place(gap):
    chart = last(PAGE, "disagreement", gap=gap)
    for key in ("outputs", "darts", "independent", "inverse"):
        assert chart.value(key) == pytest.approx(getattr(chart, key), rel=1e-12)
