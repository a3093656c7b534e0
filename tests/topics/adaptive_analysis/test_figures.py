"""The page on adaptive analysis: its pictures, its sentences and its presets."""

import itertools
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from dpviz.maths.bounded_noise import PowerNoise
from dpviz.plot.legend import legend_html
from dpviz.plot.panels import stacked
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.refining import Pace
from dpviz.topics.adaptive_analysis import figures, words
from dpviz.topics.adaptive_analysis.budget import max_queries
from dpviz.topics.adaptive_analysis.mechanisms import BoundedAnswers
from dpviz.topics.adaptive_analysis.views import queries
from dpviz.topics.adaptive_analysis.views.attack import attack
from dpviz.topics.adaptive_analysis.views.budget import budget_parts
from dpviz.topics.adaptive_analysis.views.queries import queries_against_samples
from tests.support.declarations import last, page, shown
from tests.support.examples import chosen, only_in_long_run
from tests.support.headlines import faults
from tests.support.pace import always
from tests.support.specs import Checked

figures, stacked = Checked(figures), Checked(stacked)

PAGE = page("adaptive_analysis")
ALL_THEMES = (LIGHT, DARK, LIGHT.narrow())
# By default the one that differs in more than colours: other tests draw in the light one.
THEMES = pytest.mark.parametrize("theme", chosen(ALL_THEMES, ALL_THEMES[2:]))
SMALL = {"alpha": 0.2, "beta": 0.05}
POWERS = (2.0,)  # of bounded noise; each is a curve that takes a second


def numbers(text):
    return [float(word.replace(",", "")) for word in re.findall(r"\d[\d,]*\.?\d*", text)]


@cache
def curves(samples=1e5, **changes):
    """All of the curves, in the order they come, through every fourth of their points."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(queries, "_GRID", queries._GRID[::4])
        patch.setattr(queries, "_kept_at", cache(queries._kept_at.__wrapped__))
        return tuple(queries_against_samples(samples=samples, powers=POWERS, **SMALL | changes))


@cache
def parts():
    """The parts of α and β, mechanism by mechanism."""
    return tuple(budget_parts(samples=1e5, powers=POWERS, **SMALL))


@THEMES
def test_the_attack_is_three_panels_of_what_is_claimed_above_what_is_true(theme):
    result = last(PAGE, "attack", questions=200, sample_size=101)
    figure = figures.attack_figure(result, theme)
    panels = {trace.xaxis for trace in figure.data}
    assert panels == {"x", "x2", "x3"}
    words = [note.text for note in figure.layout.annotations]
    assert [word.split(":")[0] for word in words] == ["No noise", "Gaussian noise", "Bounded noise"]
    filled = [trace for trace in figure.data if trace.fill == "tonexty"]
    for trace, name in zip(filled, result.expected, strict=True):
        np.testing.assert_array_equal(trace.y, result.expected[name])
        simulated = next(t for t in figure.data if t.xaxis == trace.xaxis and t.mode == "markers")
        assert simulated.x[-1] == 200
        assert len(simulated.x) < len(trace.x) / 2
    assert len(figure.frames) > 10
    first, final = figure.frames[0], figure.frames[-1]
    assert {len(data.x) for data in first.data} <= {0, 1}
    for number, data in zip(final.traces, final.data, strict=True):
        np.testing.assert_array_equal(figure.data[number].y, data.y)


def test_a_moving_control_sends_no_frames():
    result = last(PAGE, "attack", questions=200, sample_size=101)
    assert not figures.attack_figure(result, LIGHT.holding(((0, 1), (0, 1)))).frames


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
    assert {trace.mode for trace in figures.attack_figure(first, LIGHT).data} == {"lines"}
    assert len(words.attack_notes(first)) == 1


def test_a_probability_below_one_is_never_told_as_one():
    assert words.percent(1.0) == "100%"
    assert words.percent(0.99999) == "more than 99.9%"
    assert words.percent(0.5) == "50%"


@THEMES
def test_the_lower_panel_shares_the_axis_of_the_upper(theme):
    result = curves()[-1]
    figure = figures.queries_figure(result, theme)
    layout = figure.layout
    assert layout.xaxis.range == layout.xaxis2.range
    assert layout.yaxis.domain[0] > layout.yaxis2.domain[1]
    below = [trace for trace in figure.data if trace.yaxis == "y2"]
    assert {trace.name for trace in below} <= {trace.name for trace in figure.data}
    assert all(trace.showlegend is False for trace in below)
    lines = [shape for shape in layout.shapes if shape.x0 == 1e5]
    assert [shape.xref for shape in lines] == ["x", "x2"]
    for shape, axis in zip(lines, (layout.yaxis, layout.yaxis2), strict=True):
        assert (shape.y0, shape.y1) == pytest.approx(tuple(axis.domain))


def test_stacked_panels_keep_their_words_at_their_curves():
    result = curves()[-1]
    figure = stacked(result.chart, result.ratio, LIGHT)
    known = {"paper", "x", "y", "x2", "y2", None}
    assert {note.xref for note in figure.layout.annotations} <= known
    titles = [n for n in figure.layout.annotations if n.text.startswith("Times as many")]
    assert titles[0].y == pytest.approx(figure.layout.yaxis2.domain[1])


def test_every_stage_of_the_curves_is_a_figure_with_a_sentence():
    stages = curves()
    assert stages[0].done == 0
    assert stages[-1].done == 1
    for stage in (stages[0], stages[len(stages) // 2], stages[-1]):
        assert figures.queries_figure(stage, LIGHT).data
        assert not faults(words.queries_takeaway(stage))
    assert "not computed yet" in words.queries_takeaway(stages[0])


@only_in_long_run
def test_a_figure_that_grows_keeps_its_size_and_its_rows():
    stages = curves()
    first, last = (figures.queries_figure(stage, LIGHT).layout for stage in (stages[0], stages[-1]))
    assert first.height == last.height
    stages = parts()
    some = (*stages[:: max(len(stages) // 4, 1)], stages[-1])
    bars = [figures.budget_figure(part, LIGHT) for part in some]
    assert len({figure.layout.yaxis.range for figure in bars}) == 1


@only_in_long_run
def test_the_sentence_names_p_where_the_paper_promises_twice_as_many():
    shown = queries_against_samples(samples=8e5, alpha=0.1, beta=0.05, show_published=True)
    sentence = words.queries_detail(next(r for r in shown if len(r.here) == 5))
    told = "As published, with β′ = 0: 1.976 times for p = 1 and 1.647 times for p = 2."
    assert sentence.endswith(told)


def test_the_sentence_gives_the_certified_numbers():
    sentence = words.queries_detail(curves()[-1])
    best = max_queries(BoundedAnswers(PowerNoise(2)), samples=1e5, **SMALL)
    assert best.queries in numbers(sentence)
    assert "p = 2" in sentence


@only_in_long_run
def test_what_is_beyond_the_accountant_or_fails_an_assumption_is_said():
    result = curves(samples=1e8, alpha=0.5, show_shape=True)[-1]
    notes = " ".join(words.queries_notes(result))
    assert "its limit" in notes
    assert "lower bounds" in notes


@THEMES
def test_the_bars_add_up_to_alpha_and_beta(theme):
    result = parts()[-1]
    figure = figures.budget_figure(result, theme)
    for axis, whole in (("y", result.alpha), ("y2", result.beta)):
        bars = [trace for trace in figure.data if trace.yaxis == axis]
        ends = sum(np.asarray(bar.x) for bar in bars)
        np.testing.assert_allclose(ends, whole, rtol=1e-6)
        for before, bar in itertools.pairwise(bars):
            starts = [np.asarray(b.base, dtype=float) for b in (before, bar)]
            np.testing.assert_allclose(starts[1], starts[0] + np.asarray(before.x))
    assert legend_html(figures.budget_figure.__wrapped__(result, theme)).count("■") == 6


def test_the_best_mechanism_is_named():
    first, *_, result = parts()
    assert words.budget_takeaway(first).startswith("Gaussian noise answers most questions so far,")
    assert words.budget_takeaway(result).startswith("Bounded noise answers most")
    sentence = words.budget_detail(result)
    best = max(result.budgets.values(), key=lambda budget: budget.queries)
    assert best.queries in numbers(sentence)
    *_, none = budget_parts(samples=1e3, alpha=0.005, beta=1e-9)
    assert "single question" in words.budget_detail(none)


# The presets show what their names say.


def answered(label):
    """What a preset opens, once all is known of the reader's own sample, and not yet around it."""
    values = PAGE.preset_values(next(p for p in PAGE.presets if p.label == label))
    view = PAGE.open_view(values)
    stages = view.compute(**PAGE.call(PAGE.arguments(view, values)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pace, "due", always)  # else many points around it come with the first
        return view, next(stage for stage in stages if stage.done > 0), values


def test_noise_free_answers_fail():
    _, result, _ = shown(PAGE, "Noise-free answers fail")
    assert result.expected["empirical"][-1] > 0.99
    assert result.expected["bounded"][-1] < result.expected["gaussian"][-1] < 0.6


def test_splitting_is_better_for_a_small_sample():
    view, result, _ = answered("Small sample: splitting is better")
    assert result.split > max(budget.queries for budget in result.here.values())
    told = view.takeaway(result)
    assert told.startswith("From only 6,000 samples it is best to split them")
    assert not faults(told)
    # Both noises answer a single question.
    assert view.prediction.answer(result) == "as many"
    assert "answer as many adaptive questions as" in view.takeaway(replace(result, split=0.0))


@only_in_long_run
def test_certainty_costs_a_few_percent():
    _, certain, _ = answered("What certainty costs")
    free = max_queries(BoundedAnswers(PowerNoise(1)), samples=8e5, alpha=0.1, beta=0.05)
    budget = certain.here["bounded_1"]
    assert budget.sample_failure == 0
    assert 0.9 < budget.queries / free.queries < 1


@only_in_long_run
def test_the_published_radius_stands_beside_the_exact_one():
    _, result, values = answered("Figure 2 of the paper")
    assert values["samples"] == 8e5
    assert {"gaussian", "bounded_1", "bounded_2"} <= result.here.keys()
    published = BoundedAnswers(PowerNoise(2), published=True)
    printed = max_queries(published, samples=8e5, alpha=0.1, beta=0.05).queries
    assert 2 < printed / result.here["gaussian"].queries < 2.2
    assert result.here["bounded_2"].queries > 3.4 * result.here["gaussian"].queries
