"""Two data sets: the law they are drawn from, their picture, their sentence."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpviz.maths.randomized_response import RandomizedResponse
from dpviz.maths.sum_mechanisms import GeometricCount
from dpviz.plot.steady import ranges
from dpviz.plot.text import power_of_ten, readable, upwards
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.parameters import ParameterError
from dpviz.topics.perfect_generalization.named_mechanisms import MECHANISMS
from dpviz.topics.perfect_generalization.views import sample_pairs_shown
from dpviz.topics.perfect_generalization.views.sample_pairs import _farthest_last, two_samples
from tests.support.declarations import last, page
from tests.support.examples import examples, some
from tests.support.plays import frames
from tests.support.sample_pairs import close_share
from tests.support.specs import Checked

figures = Checked(sample_pairs_shown)
VIEW = sample_pairs_shown.VIEW
PAGE = page("perfect_generalization")
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])
every_mechanism = pytest.mark.parametrize("mechanism", MECHANISMS)
few = examples(10)


def test_two_samples_follow_the_exact_law():
    mechanism = RandomizedResponse(0.1)
    arguments = {"samples": 1000, "rate": 0.3, "delta": 1e-3}
    rng = np.random.default_rng(8)
    losses = np.array(
        [
            draw.epsilon
            for _ in range(some(10, 4))
            for draw in two_samples(mechanism, **arguments, draws=60, rng=rng)
        ]
    )
    middle = np.quantile(losses, [0.2, 0.5, 0.8]) * (1 + 1e-9)
    exact = close_share(mechanism, epsilon=middle, **arguments)
    share = np.array([np.mean(losses <= value) for value in middle])
    assert share == pytest.approx(exact, abs=5 * math.sqrt(0.25 / losses.size))


def test_more_pairs_than_can_be_played_are_refused():
    with pytest.raises(ParameterError, match="draws"):
        two_samples(
            GeometricCount(0.3),
            samples=5,
            rate=0.5,
            delta=0.1,
            draws=61,
            rng=np.random.default_rng(),
        )


def _texts(result, theme=LIGHT):
    return [note["text"] for note in VIEW.figure(result, theme).layout["annotations"]]


def _curves(figure):
    """Return the curves of the upper panel and those of the lower one."""
    curves = [trace for trace in figure.data if trace.get("fill") == "tozeroy"]
    return curves[:2], curves[2:]


def _rug(traces):
    """Return the dots of the data sets: of each row those before, then the last."""
    return [trace for trace in traces if trace["mode"] == "markers"][:4]


@THEMES
@every_mechanism
def test_the_pairs_can_be_played_and_end_in_the_still_picture(theme, mechanism):
    result = last(PAGE, "pairs", mechanism=mechanism)
    figure = figures.figure(result, theme)
    assert 2 <= len(figure.frames) <= 60
    assert len(figures.figure.__wrapped__(result, theme).json()) < 350_000
    assert figure.layout.updatemenus[0].buttons[0].method == "animate"
    assert (result.places is None) == (mechanism == "response")
    for stop, traces in enumerate(frames(VIEW.figure(result, theme)), start=1):
        if result.places is not None:
            assert [len(dots["x"]) for dots in _rug(traces)] == [stop - 1, 1, stop - 1, 1]
    for still, played in zip(figure.data, figure.frames[-1].data, strict=True):
        if played.y is not None:
            np.testing.assert_array_equal(still.y, played.y)
    still, played = figure.layout.annotations, figure.frames[-1].layout.annotations
    assert [note.text for note in still] == [note.text for note in played]
    for frame in figure.frames:  # a frame without every trace would clear a panel
        assert list(frame.traces) == list(range(len(figure.data)))


def test_each_data_set_is_a_dot_at_its_number_of_heads():
    result = last(PAGE, "pairs")
    before, now, others, other = _rug(VIEW.figure(result, LIGHT).data)
    pairs = [draw.pair for draw in result.draws]
    assert [*before["x"], *now["x"]] == [pair.first for pair in pairs]
    assert [*others["x"], *other["x"]] == [pair.second for pair in pairs]
    assert "● 80 fresh data sets" in _texts(result)


@pytest.mark.parametrize("mechanism", ["gaussian", "mean"])
def test_a_dot_lies_below_the_top_of_its_curve(mechanism):
    result = last(PAGE, "pairs", mechanism=mechanism, samples=10**4)
    figure = VIEW.figure(result, LIGHT)
    for curve, dot in zip(_curves(figure)[0], _rug(figure.data)[1::2], strict=True):
        step = np.diff(curve["x"]).max()
        assert abs(curve["x"][np.argmax(curve["y"])] - dot["x"][0]) <= step


@few
@given(seed=st.integers(0, 1000), beta=st.sampled_from([0.01, 0.05, 0.5]))
def test_the_pair_shown_is_the_farthest_of_those_that_are_close(seed, beta):
    result = last(PAGE, "pairs", seed=seed, failure_probability=beta)
    within = result.losses[result.losses <= result.needed * (1 + 1e-9)]
    assert result.shown == within.max()
    most = upwards(math.exp(result.needed))
    sure = f"{readable(100 * (1 - beta))}% of pairs"
    assert f"{sure}: at most <b>{most} times</b> as likely" in _texts(result)


def test_of_pairs_that_are_all_too_far_apart_the_nearest_is_shown():
    draws = last(PAGE, "pairs").draws
    ordered = _farthest_last(draws, -1.0)
    assert ordered[-1].epsilon == min(draw.epsilon for draw in draws)
    assert {id(draw) for draw in ordered} == {id(draw) for draw in draws}


@every_mechanism
def test_the_marked_place_is_where_the_laws_are_so_far_apart(mechanism):
    result = last(PAGE, "pairs", mechanism=mechanism, samples=200, epsilon=0.1, sigma=100.0)
    for draw in (*result.draws, result.apart):
        law, at = draw.outputs, np.flatnonzero(draw.outputs.x == draw.farthest)[0]
        ratio = abs(math.log(law.first[at] / law.second[at]))
        most = np.abs(np.log(law.first / law.second)).max()
        assert draw.there == pytest.approx(ratio)
        assert ratio >= min(draw.epsilon, most) * (1 - 1e-9)


def test_all_tails_and_all_heads_attain_what_group_privacy_allows():
    """The masses (1 − a)/(1 + a)·a^|k| of the noise, a = e^(−ε), at one output left of both."""
    result = last(PAGE, "pairs")
    a, at = math.exp(-0.005), result.apart.farthest
    masses = [(1 - a) / (1 + a) * a ** abs(at - total) for total in (0, 1000)]
    assert max(masses) / min(masses) == pytest.approx(math.exp(5), rel=1e-9)
    figure = VIEW.figure(result, LIGHT)
    here = [trace for trace in figure.data if trace["mode"] == "markers"][-1]
    assert list(here["x"]) == [at, at]
    assert list(here["y"]) == pytest.approx(masses)
    assert "here <b>148 times</b>" in _texts(result)


@pytest.mark.parametrize(
    "changes",
    [
        {"mechanism": "gaussian"},  # some outputs are farther apart, which δ′ covers
        {"closeness_delta": 0.5},
        {"epsilon": 1e-4},  # curves that nearly coincide
        {"epsilon": 10.0},  # numbers too small to be compared
    ],
)
def test_a_place_is_marked_only_where_the_curves_are_as_far_apart_as_is_said(changes):
    texts = _texts(last(PAGE, "pairs", **changes))
    assert not any(text.startswith("here ") for text in texts)


def test_the_most_unlike_samples_need_what_group_privacy_allows():
    """n changed bits under geometric noise: n·ε, but for what δ′ covers."""
    for n, epsilon in ((1000, 0.005), (50, 0.1)):
        result = last(PAGE, "pairs", samples=n, epsilon=epsilon)
        assert (result.apart.pair.first, result.apart.pair.second) == (0, n)
        assert 0.99 * n * epsilon < result.unlike <= n * epsilon * (1 + 1e-12)
        times = f"{readable(math.exp(result.unlike))} times"
        assert f"group privacy allows <b>{times}</b>" in _texts(result)
        assert VIEW.takeaway(result).endswith(f"; group privacy allows {times}.")
        assert VIEW.detail(result).endswith(
            f" For any two data sets, group privacy allows {times}."
        )


@every_mechanism
def test_no_pair_needs_more_than_the_farthest(mechanism):
    result = last(PAGE, "pairs", mechanism=mechanism, samples=20, epsilon=1.0, sigma=5.0)
    assert result.losses.max() <= result.unlike * (1 + 1e-9)


@pytest.mark.parametrize("changes", [{}, {"samples": 10}, {"mechanism": "exponential"}])
def test_both_panels_have_one_axis_where_the_fresh_curves_can_be_seen_on_it(changes):
    result = last(PAGE, "pairs", **changes)
    layout = VIEW.figure(result, LIGHT).layout
    assert layout["xaxis"]["range"] == layout["xaxis2"]["range"]
    assert layout["yaxis"]["range"][1] == layout["yaxis2"]["range"][1]
    assert "The two farthest data sets: all tails, all heads" in _texts(result)


@pytest.mark.parametrize("changes", [{"samples": 10**6}, {"mechanism": "response"}])
def test_where_they_would_be_needles_each_panel_has_an_axis_of_its_own_and_says_so(changes):
    result = last(PAGE, "pairs", **changes)
    layout = VIEW.figure(result, LIGHT).layout
    assert layout["xaxis"]["range"] != layout["xaxis2"]["range"]
    own = "The two farthest data sets: all tails, all heads (axis of its own)"
    assert own in _texts(result)


@pytest.mark.parametrize(
    ("mechanism", "changes"),
    [("geometric", {}), ("gaussian", {"sigma": 10.0}), ("response", {"epsilon": 1.0})],
)
def test_a_needle_is_drawn_to_its_top(mechanism, changes):
    result = last(PAGE, "pairs", mechanism=mechanism, samples=10**6, **changes)
    match mechanism:
        case "geometric":
            top = math.tanh(0.005 / 2)
        case "gaussian":
            top = stats.norm.pdf(0, scale=10)
        case _:
            answers = stats.binom(10**6, 1 / (1 + math.exp(-1.0)))
            top = answers.pmf(round(answers.mean()))
    for curve in _curves(VIEW.figure(result, LIGHT))[1]:
        assert float(np.max(curve["y"])) == pytest.approx(top, rel=0.04)


@every_mechanism
def test_a_data_set_is_named_above_its_curve_on_its_free_side(mechanism):
    result = last(PAGE, "pairs", mechanism=mechanism)
    figure = figures.figure(result, LIGHT)
    pair = result.draws[-1].pair
    names = ["data set 1", "data set 2"]
    if result.coins:
        sums = pair.first, pair.second
        names = [f"{name}: {readable(ones)} heads" for name, ones in zip(names, sums, strict=True)]
    notes = {note.text: note for note in figure.layout.annotations}
    named = sorted((notes[f"<b>{name}</b>"] for name in names), key=lambda note: note.x)
    curves = [trace for trace in figure.data if trace.fill == "tozeroy"][:2]
    tops = sorted(float(curve.x[np.argmax(curve.y)]) for curve in curves)
    assert [note.x for note in named] == pytest.approx(tops)
    assert [note.xanchor for note in named] == ["right", "left"]
    assert all(note.y > max(float(np.max(curve.y)) for curve in curves) for note in named)


def test_no_output_is_said_only_where_group_privacy_says_it_of_the_distance():
    """Of Gaussian noise almost every output is as alike, and what δ′ excepts is said."""
    sure = VIEW.takeaway(last(PAGE, "pairs"))
    assert ", no output is more than" in sure
    rare, common = (
        VIEW.takeaway(last(PAGE, "pairs", mechanism="gaussian", closeness_delta=delta))
        for delta in (1e-6, 0.01)
    )
    assert ", almost no output is over" in rare
    assert "δ′" not in sure + rare
    assert "times as likely on either (but for δ′);" in common


@pytest.mark.parametrize("mechanism", ["geometric", "response"])
def test_what_is_said_of_every_output_is_true_of_every_output_drawn(mechanism):
    result = last(PAGE, "pairs", mechanism=mechanism, samples=50, epsilon=0.1)
    for draw in result.draws:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.abs(np.log(draw.outputs.first / draw.outputs.second))
        if draw.epsilon <= result.needed:
            assert np.nanmax(np.where(np.isfinite(ratio), ratio, 0)) <= result.surely * (1 + 1e-9)


def test_where_group_privacy_allows_no_more_that_is_said():
    result = last(PAGE, "pairs")
    same = replace(result, apart=replace(result.apart, epsilon=result.needed))
    assert VIEW.takeaway(same).endswith("; group privacy allows as much.")
    assert "group privacy allows <b>1.25 times</b>" in _texts(same)


def test_a_control_that_moves_has_no_frames_to_wait_for():
    result = last(PAGE, "pairs")
    still = figures.figure.__wrapped__(result, LIGHT)
    assert not figures.figure(result, LIGHT.holding(ranges(still))).frames


@few
@given(seed=st.integers(0, 1000), beta=st.sampled_from([0.01, 0.05, 0.5]))
def test_pairs_in_a_sentence(seed, beta):
    result = last(PAGE, "pairs", seed=seed, failure_probability=beta)
    sentence = VIEW.takeaway(result)
    within = np.count_nonzero(result.columns()["epsilon"] <= result.needed * (1 + 1e-9))
    times = upwards(math.exp(result.needed))
    sure = readable(100 * (1 - beta))
    assert sentence == (
        f"In {sure}% of pairs of fresh data sets, no output is more than {times} times as likely "
        "on one as on the other; group privacy allows 148 times."
    )
    assert f"{within} of the 40 drawn keep it." in VIEW.detail(result)
    farthest = result.columns()["epsilon"].max()
    assert f"drawn needs ε′ = {readable(farthest)}." in VIEW.detail(result)


def test_what_is_far_apart_is_a_power_of_ten_and_what_is_not_apart_is_equal():
    far = last(PAGE, "pairs", epsilon=10.0, samples=1000)
    assert far.unlike == pytest.approx(10**4, rel=1e-3)
    power = power_of_ten(math.ceil(far.needed / math.log(10)))
    assert f"no output is more than {power} times as likely" in VIEW.takeaway(far)
    assert VIEW.takeaway(far).endswith("group privacy allows 10⁴³⁴² times.")
    near = last(PAGE, "pairs", samples=1, epsilon=1e-4, closeness_delta=0.5)
    assert near.shown == 0
    assert "every output is as likely on one as on the other (but for δ′)" in VIEW.takeaway(near)
    assert "95% of pairs: <b>equally likely</b>" in _texts(near)
    nearly = replace(near, needed=0.0044)
    assert "output is more than 1.0045 times as likely" in VIEW.takeaway(nearly)
