"""The page on perfect generalization: its figures, its sentences, its presets."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpviz.plot.chart import draw
from dpviz.plot.steady import ranges
from dpviz.plot.text import readable
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.parameters import ParameterError
from dpviz.topics.perfect_generalization import figures, words
from dpviz.topics.perfect_generalization.average_words import average_takeaway
from dpviz.topics.perfect_generalization.expected_words import expected_detail
from dpviz.topics.perfect_generalization.mechanisms import MECHANISMS
from tests.support.declarations import last, page, shown
from tests.support.examples import examples
from tests.support.specs import Checked

draw, figures = Checked(draw), Checked(figures)

PAGE = page("perfect_generalization")
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])
every_mechanism = pytest.mark.parametrize("mechanism", MECHANISMS)
few = examples(10)


# The figures.


@THEMES
@every_mechanism
def test_the_pairs_can_be_played_and_end_in_the_still_picture(theme, mechanism):
    result = last(PAGE, "pairs", mechanism=mechanism)
    figure = figures.pairs_figure(result, theme)
    assert 2 <= len(figure.frames) <= 60
    assert len(figures.pairs_figure.__wrapped__(result, theme).json()) < 300_000
    assert figure.layout.updatemenus[0].buttons[0].method == "animate"
    drawn = [np.asarray(frame.data[-1].y).sum() for frame in figure.frames]
    np.testing.assert_allclose(drawn, np.arange(1, 41) / 40)
    for still, played in zip(figure.data, figure.frames[-1].data, strict=True):
        if played.y is not None:
            np.testing.assert_array_equal(still.y, played.y)
    still, played = figure.layout.annotations, figure.frames[-1].layout.annotations
    assert [note.text for note in still] == [note.text for note in played]
    for frame in figure.frames:  # a frame without every trace would clear a panel
        assert list(frame.traces) == list(range(len(figure.data)))


def test_the_histogram_stands_on_the_exact_law():
    result = last(PAGE, "pairs")
    outline, bars = figures.pairs_figure(result, LIGHT).data[2:]
    law = result.histogram
    assert law.probability.sum() == pytest.approx(1)
    np.testing.assert_array_equal(np.unique(outline.x), np.unique(law.edges))
    np.testing.assert_array_equal(bars.customdata, law.probability)
    assert sum(np.asarray(bars.y)) == pytest.approx(1)


def test_a_control_that_moves_has_no_frames_to_wait_for():
    result = last(PAGE, "pairs")
    still = figures.pairs_figure.__wrapped__(result, LIGHT)
    assert not figures.pairs_figure(result, LIGHT.holding(ranges(still))).frames


def test_a_promise_stands_where_it_is_made():
    chart = last(PAGE, "closeness")
    drawn = figures.closeness_figure(chart, LIGHT).data
    stems = [t for t in drawn if t.x is not None and np.ptp(t.x) == 0]
    places = {float(stem.x[0]) for stem in stems}
    assert places == {chart.group, chart.theorem_13, chart.derived}


@pytest.mark.parametrize("wide", [600, 780, 900])
@pytest.mark.parametrize("mechanism", [m for m in MECHANISMS if m != "response"])
def test_no_line_to_words_runs_through_other_words(mechanism, wide):
    figure = figures.closeness_figure(last(PAGE, "closeness", mechanism=mechanism), LIGHT)
    margin, (low, high) = figure.layout.margin, figure.layout.xaxis.range
    foot, head = figure.layout.yaxis.range
    across, up = wide - margin.l - margin.r, figure.layout.height - margin.t - margin.b
    lines, boxes = [], []
    for note in figure.layout.annotations:
        if note.showarrow:
            at = across * (note.x - low) / (high - low), up * (head - note.y) / (head - foot)
            lines.append(np.linspace(at, (at[0] + note.ax, at[1] + note.ay), 50))
            rows = note.text.split("<br>")
            half = 0.22 * LIGHT.font_size * max(map(len, rows)), 0.5 * LIGHT.font_size * len(rows)
            left = 0 if note.xanchor == "left" else half[0]
            boxes.append((at[0] + note.ax - left + half[0], at[1] + note.ay, *half))
    assert len(boxes) >= 4
    for i, line in enumerate(lines):
        for j, (x, y, wide_half, high_half) in enumerate(boxes):
            inside = (abs(line[:, 0] - x) < wide_half) & (abs(line[:, 1] - y) < high_half)
            assert i == j or not inside.any(), (figure.layout.annotations[i + 1].text, j)


# The sentences.


def test_closeness_in_a_sentence():
    chart = last(PAGE, "closeness")
    told = words.closeness_detail(chart)
    assert "With probability 0.95" in told
    # n·ε = 1000 · 0.005, and ε√(n ln(n/(βδ′))).
    assert "group privacy promises 5," in told
    assert (
        f"Theorem 13 promises {0.005 * math.sqrt(1000 * math.log(1000 / 0.05e-6)):.3g} up" in told
    )
    nothing = last(PAGE, "closeness", mechanism="response", epsilon=2.0)
    told = words.closeness_detail(nothing)
    assert "Theorem 13, whose assumptions fail here, would say" in told
    assert "its proof gives nothing here" in told
    weak = last(PAGE, "closeness", mechanism="gaussian", samples=10**6)
    assert "group privacy promises nothing at this δ′" in words.closeness_detail(weak)


def test_close_at_once_is_told():
    chart = last(PAGE, "growth", samples=1, epsilon=1e-4, closeness_delta=0.5)
    assert chart.needed == 0
    assert words.growth_takeaway(chart).endswith("lost in δ′.")
    assert "times as much" not in words.closeness_detail(
        last(PAGE, "closeness", samples=1, epsilon=1e-4, closeness_delta=0.5)
    )


def test_a_theorem_promises_nothing_at_a_smaller_delta_than_it_spends():
    """Theorem 13 spends n·δ = 1000·10⁻³, which is no δ′ at all, Theorem 17 m·δ."""
    chart = last(PAGE, "growth", mechanism="gaussian", delta=1e-3)
    shape = chart.curve("theorem_13")
    assert not shape.holds.any()
    told = words.closeness_detail(last(PAGE, "closeness", mechanism="gaussian", delta=1e-3))
    assert "Theorem 13, whose assumptions fail here" in told
    users = last(PAGE, "users", noise="gaussian", delta=1e-4).curve("theorem_17")
    assert not users.holds.any()
    pure = last(PAGE, "growth").curve("theorem_13")  # an algorithm with δ = 0 spends what it likes
    assert pure.holds.any()


def test_what_rounds_to_nothing_is_not_told_as_a_number():
    free = {"noise": "gaussian", "examples_per_user": 1, "closeness_delta": 0.5, "delta": 0.5}
    chart = last(PAGE, "users", **free)
    assert words.users_takeaway(chart).endswith("group privacy allows 0.")
    assert "group privacy allows 0" in words.users_detail(chart)
    alone = last(PAGE, "closeness", samples=1)
    assert "promises 0.005, as much, and" in words.closeness_detail(alone)
    alike = last(PAGE, "growth", mechanism="response", samples=1)
    assert words.growth_takeaway(alike).endswith("their number, as group privacy fears.")
    many = last(PAGE, "growth", mechanism="response", samples=10**6)
    assert "takes hardly more than that ε′" in words.growth_detail(many)
    loud = last(PAGE, "growth", mechanism="gaussian", closeness_delta=0.5)
    assert loud.bends_at < 1
    assert "outweighs the spread at every n" in words.growth_detail(loud)


@pytest.mark.parametrize(("epsilon", "where"), [(0.005, "at so small an ε′"), (0.6, "at any ε′")])
def test_lemma_14_is_silent_for_the_reason_told(epsilon, where):
    state = {"epsilon": epsilon, "closeness_epsilon": 1e-3 if epsilon < 0.5 else 100}
    assert f"says nothing {where}" in expected_detail(last(PAGE, "expected", **state))


def test_an_output_near_a_second_one_may_be_far_from_the_average():
    near = {"samples": 1, "epsilon": 0.000394, "failure_probability": 0.5, "rate": 0.73}
    chart = last(PAGE, "average", **near)
    assert chart.second <= 0 < chart.needed
    assert f"within a privacy loss of {readable(chart.needed)}" in average_takeaway(chart)


def test_users_in_a_sentence():
    told = words.users_detail(last(PAGE, "users"))
    assert "with 100 examples each" in told
    assert "group privacy allows 0.5, and" in told
    assert "with 1 example each" in words.users_detail(last(PAGE, "users", examples_per_user=1))


@few
@given(seed=st.integers(0, 1000), beta=st.sampled_from([0.01, 0.05, 0.5]))
def test_pairs_in_a_sentence(seed, beta):
    result = last(PAGE, "pairs", seed=seed, failure_probability=beta)
    told = words.pairs_takeaway(result)
    within = np.count_nonzero(result.columns()["epsilon"] <= result.needed * (1 + 1e-9))
    assert told.startswith(
        f"{within} of the 40 pairs of samples drawn {'is' if within == 1 else 'are'}"
    )
    farthest = result.columns()["epsilon"].max()
    assert words.pairs_detail(result).endswith(f"drawn needs ε′ = {readable(farthest)}.")


@every_mechanism
def test_failed_assumptions_are_named(mechanism):
    chart = last(PAGE, "growth", mechanism=mechanism, samples=1000)
    told = " ".join(words.notes(chart))
    for curve in chart.curves:
        fails = curve.holds is not None and not curve.holds.all()
        assert fails == (curve.assumption in told if curve.assumption else False)
    assert "reconstructed from the proof" in told


def test_too_many_samples_for_the_exponential_mechanism_are_refused_with_the_reason():
    with pytest.raises(ParameterError, match="at most 1000 for the exponential mechanism"):
        last(PAGE, "closeness", mechanism="exponential", samples=1001)


# The presets show what their names say.


def test_root_n_against_n():
    _, chart, _ = shown(PAGE, "√n against n")
    assert chart.slope == pytest.approx(0.5, abs=0.02)
    group = chart.curve("group")
    assert np.polyfit(np.log(group.x), np.log(group.y), 1)[0] == pytest.approx(1)
    nearest = np.abs(chart.curve("exact").x - chart.here).argmin()
    assert chart.curve("theorem_13").holds[nearest]


def test_a_billion_times_surer():
    view, chart, values = shown(PAGE, "A billion times more certain")
    assert values["failure_probability"] / 1e-12 >= 1e9
    sentence = view.detail(chart)
    assert "for all but a share 0.001 of the pairs" in sentence
    assert f"10⁻¹² takes {quantile(1e-12) / quantile(1e-3):.3g} times that ε′" in sentence


def quantile(beta, n=1000):
    """The distance of two sums of n fair coins exceeded with probability β, by SciPy."""
    return float(stats.binom(2 * n, 0.5).isf(beta / 2) - n)


@pytest.mark.parametrize(
    ("mechanism", "changes", "factor"),
    [
        ("geometric", {}, 2.15),
        ("gaussian", {"sigma": 10.0, "samples": 10**5}, 4.4),
        ("response", {"samples": 1000}, 1.06),
    ],
)
def test_what_beta_costs_is_told_for_each_mechanism(mechanism, changes, factor):
    chart = last(PAGE, "growth", mechanism=mechanism, failure_probability=1e-3, **changes)
    needed = [
        last(PAGE, "closeness", mechanism=mechanism, failure_probability=beta, **changes).needed
        for beta in (1e-3, 1e-12)
    ]
    ratio = needed[1] / needed[0]
    assert ratio == pytest.approx(factor, rel=5e-3)
    assert f"takes {readable(ratio)} times that ε′" in words.growth_detail(chart)


def test_gaussian_noise_bends():
    view, chart, values = shown(PAGE, "Gaussian noise bends")
    assert chart.slope == pytest.approx(0.94, abs=0.005)
    assert chart.here > 10 * chart.bends_at
    # D²/(2σ²) is most of ε′, at the distance that all but β of the pairs keep.
    distance = stats.norm.isf(values["failure_probability"] / 2) * math.sqrt(chart.here / 2)
    assert 0.8 < (distance / values["sigma"]) ** 2 / 2 / chart.needed < 1
    assert "like their number to the power 0.94" in view.takeaway(chart)
    assert f"outweighs the spread from n = {readable(chart.bends_at)} on" in view.detail(chart)
    assert [mark.x for mark in chart.marks] == [chart.bends_at]


def test_randomised_response_breaks_the_assumption():
    view, chart, _ = shown(PAGE, "Randomised response breaks the assumption")
    assert chart.here > 10 * chart.bends_at
    assert chart.slope > 0.9
    theorem = chart.curve("theorem_13")
    assert not theorem.holds[np.abs(theorem.x - chart.here).argmin()]
    assert "the mean outweighs the spread from" in view.detail(chart)
    # geometric noise on the sum, of the same ε, does not bend
    straight = last(PAGE, "growth", epsilon=0.5, samples=10**5)
    assert straight.slope == pytest.approx(0.5, abs=0.02)
    assert math.isnan(straight.bends_at)
    assert "outweighs" not in words.growth_detail(straight)
    assert "outweighs" in " ".join(n.text for n in draw(chart, LIGHT).layout.annotations)
