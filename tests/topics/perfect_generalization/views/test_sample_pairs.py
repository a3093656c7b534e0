"""Two data sets: the law they are drawn from, their picture, their sentence."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def _heaps(traces):
    """Return the dots of the pairs, after those of the two heights."""
    return [trace for trace in traces if trace["mode"] == "markers"][1:]


@THEMES
@every_mechanism
def test_the_pairs_can_be_played_and_end_in_the_still_picture(theme, mechanism):
    result = last(PAGE, "pairs", mechanism=mechanism)
    figure = figures.figure(result, theme)
    assert 2 <= len(figure.frames) <= 60
    assert len(figures.figure.__wrapped__(result, theme).json()) < 350_000
    assert figure.layout.updatemenus[0].buttons[0].method == "animate"
    for stop, traces in enumerate(frames(VIEW.figure(result, theme)), start=1):
        heaps = [len(heap["x"]) for heap in _heaps(traces)]
        assert heaps[2] == 1
        assert sum(heaps) == stop
    for still, played in zip(figure.data, figure.frames[-1].data, strict=True):
        if played.y is not None:
            np.testing.assert_array_equal(still.y, played.y)
    still, played = figure.layout.annotations, figure.frames[-1].layout.annotations
    assert [note.text for note in still] == [note.text for note in played]
    for frame in figure.frames:  # a frame without every trace would clear a panel
        assert list(frame.traces) == list(range(len(figure.data)))


@few
@given(seed=st.integers(0, 1000), beta=st.sampled_from([0.01, 0.05, 0.5]))
def test_the_pair_shown_is_the_farthest_of_those_that_are_close(seed, beta):
    result = last(PAGE, "pairs", seed=seed, failure_probability=beta)
    within = result.losses[result.losses <= result.needed * (1 + 1e-9)]
    assert result.shown == within.max()
    figure = VIEW.figure(result, LIGHT)
    close, far, this = _heaps(figure.data)
    assert [len(heap["x"]) for heap in (close, far, this)] == [within.size - 1, 40 - within.size, 1]
    shapes = [shape for shape in figure.layout["shapes"] if shape.get("xref") == "x2"]
    worst, line = [shape["x0"] for shape in shapes if shape["type"] == "line"]
    assert worst == result.unlike
    allowed, area = [(shape["x0"], shape["x1"]) for shape in shapes if shape["type"] == "rect"]
    assert allowed == (area[0], result.unlike)
    assert area[1] == line
    assert area[0] <= 0.0
    assert max(*close["x"], *this["x"]) < line == result.needed < min(far["x"], default=math.inf)
    texts = [note["text"] for note in figure.layout["annotations"]]
    nearly_all = f"{readable(100 * (1 - beta))}% of pairs"
    most = upwards(math.exp(result.needed))
    assert f"<b>{nearly_all}</b>: at most <b>{most} times</b>" in texts
    this = f"most here: <b>{readable(math.exp(result.shown))} times</b>"
    said = [trace["hovertemplate"] for trace in figure.data if "hovertemplate" in trace]
    assert f"{this}<extra></extra>" in said


def test_of_pairs_that_are_all_too_far_apart_the_nearest_is_shown():
    draws = last(PAGE, "pairs").draws
    ordered = _farthest_last(draws, -1.0)
    assert ordered[-1].epsilon == min(draw.epsilon for draw in draws)
    assert {id(draw) for draw in ordered} == {id(draw) for draw in draws}


@every_mechanism
def test_the_marked_place_is_where_the_laws_are_so_far_apart(mechanism):
    result = last(PAGE, "pairs", mechanism=mechanism, samples=200, epsilon=0.1, sigma=100.0)
    for draw in result.draws:
        law, at = draw.outputs, np.flatnonzero(draw.outputs.x == draw.farthest)[0]
        ratio = abs(math.log(law.first[at] / law.second[at]))
        most = np.abs(np.log(law.first / law.second)).max()
        assert ratio >= min(draw.epsilon, most) * (1 - 1e-9)


def test_the_most_unlike_samples_need_what_group_privacy_allows():
    """n changed bits under geometric noise: n·ε, but for what δ′ covers."""
    for n, epsilon in ((1000, 0.005), (50, 0.1)):
        result = last(PAGE, "pairs", samples=n, epsilon=epsilon)
        assert 0.99 * n * epsilon < result.unlike <= n * epsilon * (1 + 1e-12)
        figure = VIEW.figure(result, LIGHT)
        texts = [note["text"] for note in figure.layout["annotations"]]
        assert f"group privacy allows <b>{readable(math.exp(result.unlike))} times</b>" in texts
        assert VIEW.detail(result).endswith(
            " For any two data sets, group privacy must allow "
            f"{readable(math.exp(result.unlike))} times."
        )


def test_rounding_does_not_make_a_pair_look_farther_apart_than_it_is():
    """37 heads more at ε = 0.005: e^0.185 = 1.203 was told as 1.21."""
    result = last(PAGE, "pairs")
    pair = result.draws[-1].pair
    assert result.shown == pytest.approx(0.005 * abs(pair.first - pair.second), rel=1e-3)
    assert abs(pair.first - pair.second) == 37
    said = [trace.get("hovertemplate", "") for trace in VIEW.figure(result, LIGHT).data]
    assert "most here: <b>1.2 times</b><extra></extra>" in said


@every_mechanism
def test_outputs_differ_most_at_the_marked_place_only_if_nowhere_more(mechanism):
    """Of Gaussian noise there are outputs farther apart, which δ′ covers."""
    result = last(PAGE, "pairs", mechanism=mechanism)
    law = result.draws[-1].outputs
    widest = np.exp(np.abs(np.log(law.first / law.second)).max())
    texts = [note["text"] for note in VIEW.figure(result, LIGHT).layout["annotations"]]
    most = "■ here they differ most" in texts
    assert most == (readable(widest) == readable(math.exp(result.shown)))
    assert most or mechanism != "geometric"
    assert not most or mechanism != "gaussian"


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
    curves = [trace for trace in figure.data if trace.fill == "tozeroy"]
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
    same = replace(result, unlike=result.needed)
    assert VIEW.takeaway(same).endswith("; group privacy allows as much.")


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
        f"In {sure}% of pairs of fresh data sets, no output is more than {times} times as "
        "likely on one as on the other; group privacy allows 148 times."
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
    texts = [note["text"] for note in VIEW.figure(near, LIGHT).layout["annotations"]]
    assert "<b>95% of pairs</b>: <b>equal</b>" in texts
    nearly = replace(near, needed=0.0044)
    assert "output is more than 1.0045 times as likely" in VIEW.takeaway(nearly)


def test_two_samples_with_as_many_heads_have_no_place_that_differs():
    result = last(PAGE, "pairs", samples=10)
    seen = set()
    for draw, traces in zip(result.draws, frames(VIEW.figure(result, LIGHT)), strict=True):
        dots = traces[2]  # after the two curves
        far = draw.pair.first != draw.pair.second
        assert np.isfinite(dots["y"]).tolist() == [far, far]
        assert len(dots["x"]) == len(dots["marker"]["color"]) == 2
        seen.add(far)
    assert seen == {False, True}
