"""The attack: its picture, its sentence and its preset."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dpviz.plot.theme import DARK, LIGHT
from dpviz.topics.adaptive_analysis.views import attack_shown
from dpviz.topics.adaptive_analysis.views.attack import TUNED, attack
from tests.support.declarations import last, page, shown
from tests.support.examples import chosen
from tests.support.specs import Checked

drawn = Checked(attack_shown)
VIEW = attack_shown.VIEW
PAGE = page("adaptive_analysis")
ALL_THEMES = (LIGHT, DARK, LIGHT.narrow())
# By default the one that differs in more than colours: other tests draw in the light one.
THEMES = pytest.mark.parametrize("theme", chosen(ALL_THEMES, ALL_THEMES[2:]))


def test_the_sentence_says_what_many_answers_do_and_what_noise_does_and_where_it_begins():
    result = last(PAGE, "attack", questions=3000, sample_size=1000, runs=2)
    exact, noisy = (attack_shown._percent(result.expected[n][-1]) for n in ("empirical", "bounded"))
    said = attack_shown.takeaway(result)
    assert said == (
        f"Told 3,000 exact answers, an analyst finds a rule that looks {exact} right; on new data "
        f"it is right half the time. With bounded noise it looks {noisy} right."
    )
    notes = [note.text for note in drawn.figure(result, LIGHT).layout.annotations]
    assert "<b>60%</b> after about 100 answers" in notes
    right = np.random.default_rng(0).random((200, 101, 1000)) < 0.5  # each coin, in each sample
    kept = right == (right.mean(axis=2, keepdims=True) > 0.5)
    assert np.mean(kept.sum(axis=1) > 50) == pytest.approx(0.6, abs=0.01)
    few = attack_shown.detail(last(PAGE, "attack", questions=10, sample_size=1000, runs=2))
    assert "bounded noise goes up to 0.91:" in attack_shown.detail(result)
    assert "goes up to" not in few


@THEMES
def test_three_curves_end_at_their_numbers_above_the_truth_and_simulated_means_lie_at_them(theme):
    """Means of noisy answers stood at 40% and 59%, three panels for what differs by little."""
    result = last(PAGE, "attack", questions=200, sample_size=101)
    figure = drawn.figure(result, theme)
    assert {trace.xaxis or "x" for trace in figure.data} == {"x"}
    notes = {note.text: note.y for note in figure.layout.annotations}
    [true] = [text for text in notes if text in ("<b>50%</b> on new data", "<b>50%</b> new")]
    ends = [
        (f"<b>{attack_shown._percent(claim[-1])}</b>", claim[-1])
        for claim in result.expected.values()
    ]
    places = [[y for text, y in notes.items() if share in text] for share, _ in ends]
    assert [len(found) for found in places] == [1, 1, 1]
    heights = [y for [y] in places]
    assert heights == sorted(heights, reverse=True)
    assert heights[-1] > notes[true]
    low, high = figure.layout.yaxis.range
    assert np.all(np.abs(np.subtract(heights, [end for _, end in ends])) < 0.2 * (high - low))
    simulated = [t for t in figure.data if t.mode == "markers"]
    for trace, name in zip(simulated, result.expected, strict=True):
        assert trace.x[-1] == 200
        exact = np.interp(trace.x, result.stops, result.expected[name])
        assert np.all(np.abs(trace.y - exact) < 5 * 0.5 / np.sqrt(101 * result.runs))
    assert all(text.endswith("%") for text in figure.layout.yaxis.ticktext)
    assert len(figure.frames) > 10
    first, final = figure.frames[0], figure.frames[-1]
    assert {len(data.x) for data in first.data} <= {0, 1, 2}
    for number, data in zip(final.traces, final.data, strict=True):
        np.testing.assert_array_equal(figure.data[number].y, data.y)


@pytest.mark.parametrize("samples", [1, 10, 1000])
def test_all_simulated_means_are_in_the_picture(samples):
    for seed in range(3):
        result = last(PAGE, "attack", sample_size=samples, questions=100, runs=5, seed=seed)
        low = drawn.figure(result, LIGHT).layout.yaxis.range[0]
        assert all(low <= float(np.min(result.mean[name])) for name in result.mean)


def test_the_chart_is_about_no_noise_and_bounded_noise_after_all_coins():
    result = last(PAGE, "attack", questions=200, sample_size=101)
    assert result.here == 200
    assert result.in_headline == ("empirical_expected", "bounded_expected")
    for key, name in zip(result.in_headline, ("empirical", "bounded"), strict=True):
        assert result.value(key) == result.expected[name][-1]


def test_a_moving_control_sends_no_frames():
    result = last(PAGE, "attack", questions=200, sample_size=101)
    assert not drawn.figure(result, LIGHT.holding(((0, 1), (0, 1)))).frames


def test_the_attack_before_any_run_shows_the_exact_curves_alone():
    first = next(
        attack(
            sample_size=100,
            questions=50,
            epsilon=1.0,
            delta=1e-6,
            shape="power",
            power=2.0,
            runs=5,
            rng=np.random.default_rng(0),
        )
    )
    assert {trace.mode for trace in drawn.figure(first, LIGHT).data} == {"lines"}
    assert len(VIEW.notes(first)) == 1


def test_a_probability_below_one_is_never_told_as_one():
    assert attack_shown._percent(1.0) == "100%"
    assert attack_shown._percent(0.99999) == "more than 99.9%"
    assert attack_shown._percent(0.5) == "50%"


def test_noise_free_answers_fail():
    _, result, _ = shown(PAGE, "Noise-free answers fail")
    assert result.expected["empirical"][-1] > 0.99
    assert result.expected["bounded"][-1] < result.expected["gaussian"][-1] < 0.6


def test_the_attacked_mechanism_may_be_tuned():
    asked = {"sample_size": 1e4, "questions": 1000, "epsilon": 1.0, "delta": 1e-6, "power": 2.0}
    drawn = {"runs": 1, "rng": np.random.default_rng(1)}
    tuned, power = (next(attack(**asked, **drawn, shape=s)) for s in (TUNED, "power"))
    assert tuned.radius < 0.93 * power.radius
    assert math.isclose(tuned.sigma, power.sigma)


def test_the_last_coin_is_dragged_on_an_axis_that_stays():
    ends = set()
    for questions in (200, 3000):
        result = last(PAGE, "attack", questions=questions, sample_size=101, runs=2)
        layout = attack_shown.figure(result, replace(LIGHT, labels="only")).layout
        assert layout["meta"]["drag"] == {"key": "questions", "x": questions, "line": True}
        ends.add(tuple(layout["xaxis"]["range"]))
    [(low, high)] = ends
    assert low <= 0
    assert high >= 4


@pytest.mark.parametrize(("questions", "named"), [(3000, True), (100, False)])
def test_what_is_true_of_this_sample_only_is_named_inside_what_is_claimed(questions, named):
    result = last(PAGE, "attack", questions=questions)
    notes = {note.text: note for note in drawn.figure(result, LIGHT).layout.annotations}
    assert ("true of this sample only" in notes) == named
    if named:
        assert result.expected["gaussian"][-1] < notes["true of this sample only"].y
        assert notes["true of this sample only"].y < result.expected["empirical"][-1]
