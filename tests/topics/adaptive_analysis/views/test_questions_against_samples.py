"""Questions against samples: its curves, its picture, its sentences and its presets."""

import re
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from dpviz.maths.bounded_noise import PowerNoise
from dpviz.plot.text import downwards, readable
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.caching import Cache
from dpviz.results.evidence import Evidence
from dpviz.results.refining import Pace
from dpviz.topics.adaptive_analysis import budget_cache
from dpviz.topics.adaptive_analysis.budget import max_queries, search
from dpviz.topics.adaptive_analysis.budget_cache import budget_here
from dpviz.topics.adaptive_analysis.noisy_answers import BoundedAnswers, GaussianAnswers
from dpviz.topics.adaptive_analysis.tuned import TunedAnswers
from dpviz.topics.adaptive_analysis.views import questions_against_samples as module
from dpviz.topics.adaptive_analysis.views import questions_against_samples_shown
from dpviz.topics.adaptive_analysis.views.questions_against_samples import questions_against_samples
from tests.support.declarations import page
from tests.support.examples import chosen, only_in_nightly
from tests.support.headlines import faults
from tests.support.pace import always
from tests.support.specs import Checked

drawn = Checked(questions_against_samples_shown)
VIEW = questions_against_samples_shown.VIEW
PAGE = page("adaptive_analysis")
ALL_THEMES = (LIGHT, DARK, LIGHT.narrow())
# By default the one that differs in more than colours: other tests draw in the light one.
THEMES = pytest.mark.parametrize("theme", chosen(ALL_THEMES, ALL_THEMES[2:]))
SMALL = {"alpha": 0.2, "beta": 0.05}
FIGURE_2 = {"alpha": 0.1, "beta": 0.05}
POWERS = (2.0,)  # of bounded noise; each is a curve that takes a second
ASKED = {"samples": 1e6, "alpha": 0.1, "beta": 0.05}


def numbers(text):
    return [float(word.replace(",", "")) for word in re.findall(r"\d[\d,]*\.?\d*", text)]


@cache
def curves(samples=1e5, **changes):
    """All of the curves, in the order they come, through every fourth of their points."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_GRID", module._GRID[::4])
        patch.setattr(module, "_SEARCHED", Cache(2**24))
        return tuple(questions_against_samples(samples=samples, powers=POWERS, **SMALL | changes))


@only_in_nightly
def test_curves_appear_one_at_a_time_and_agree_with_single_values():
    results = list(
        questions_against_samples(samples=8e5, **FIGURE_2, powers=(2.0,), show_shape=True)
    )
    assert [r.done for r in results] == sorted(r.done for r in results)
    assert results[0].done == 0
    assert results[-1].done == 1
    assert [c.key for c in results[0].curves] == ["split", "nonadaptive", "corollary", "gaussian"]
    last = results[-1]
    # What the reader asks about is known before the curves around it.
    known = list(dict.fromkeys((len(r.curves), *r.budgets) for r in results))
    assert known[:2] == [(4, "gaussian"), (5, "gaussian", "bounded_2")]
    # However many results show the first searches, what the reader asks about stands before the
    # curves around it begin.
    assert next(r for r in results if r.budgets == last.budgets).done == 0
    assert last.here == 8e5
    for key, mechanism in (
        ("gaussian", GaussianAnswers()),
        ("bounded_2", BoundedAnswers(PowerNoise(2))),
    ):
        curve = last.curve(key)
        assert curve.evidence is Evidence.LOWER
        assert last.budgets[key] == max_queries(mechanism, samples=8e5, **FIGURE_2)
        for i in chosen((3, 10, 20), [10]):
            alone = max_queries(mechanism, samples=curve.x[i], **FIGURE_2).queries
            drawn = curve.y[i]
            assert drawn == pytest.approx(alone, rel=5e-4, abs=1) if alone else np.isnan(drawn)
        known = curve.y[np.isfinite(curve.y)]
        assert np.all(np.diff(known) > 0)
    assert last.curve("corollary").evidence is Evidence.ASYMPTOTIC
    one_sided = [c for c in last.curves if c.evidence is Evidence.LOWER]
    assert {c.key for c in one_sided} == {"gaussian", "bounded_2", "split", "nonadaptive"}
    assert all(c.lower is None and c.upper is None for c in one_sided)
    assert len({len(column) for column in last.columns().values()}) == 1


@pytest.fixture
def no_memory():
    kept = (budget_cache.BUDGETS, module._SEARCHED)
    for known in kept:
        known.clear()
    yield
    for known in kept:
        known.clear()


@pytest.mark.usefixtures("no_memory")
def test_a_step_is_one_search(monkeypatch):
    """What else waits for the processor, and a reader who leaves, wait for no more than that."""
    budget, found = search(GaussianAnswers(), samples=1e5, **FIGURE_2)
    searched = []

    def searching(*_, **__):
        searched.append(1)
        yield
        return budget, found

    monkeypatch.setattr(budget_cache, "search", SimpleNamespace(steps=searching))
    monkeypatch.setattr(Pace, "due", always)
    steps = [
        len(searched) for _ in questions_against_samples(samples=1e5, **FIGURE_2, show_best=True)
    ]
    assert len(searched) > 150
    assert max(np.diff(steps)) == 1


@only_in_nightly
def test_beyond_1e10_a_curve_goes_on_as_its_limit():
    *_, last = questions_against_samples(samples=1e6, alpha=0.5, beta=0.5, powers=(2.0,))
    exact, limit = (last.curve(key).y for key in ("bounded_2", "bounded_2_limit"))
    assert np.nanmax(exact) <= 1e10 < np.nanmin(limit)
    assert not np.any(np.isfinite(exact) & np.isfinite(limit))
    assert last.curve("bounded_2_limit").evidence is Evidence.LIMIT


@THEMES
@pytest.mark.parametrize("guess", [np.nan, 5.0])
def test_the_bars_are_as_long_as_the_questions_and_say_how_many_times_as_many(theme, guess):
    result = replace(curves()[-1], guess=guess)
    figure = drawn.figure(result, theme)
    bars = [float(bar.x[0]) for bar in figure.data if bar.type == "bar"]
    _, best = result.best_bounded
    usual = result.budgets["gaussian"].queries
    assert bars == [result.split, usual, best.queries]
    said = [note.text for note in figure.layout.annotations]
    sentence, times = VIEW.takeaway(result), readable(best.queries / usual)
    assert any(times in text and downwards(best.queries) in text for text in said)
    for many in (best.queries, usual):  # as at the curves, rounded down: they are proven
        assert downwards(many) in sentence
        assert any(downwards(many) in text for text in said)
    predicted = [shape.x0 for shape in figure.layout.shapes if shape.x0 == guess * usual]
    assert len(predicted) == np.isfinite(guess)


@THEMES
def test_before_the_answer_there_is_no_bar_of_bounded_noise(theme):
    hidden = VIEW.prediction.hide(curves()[-1])
    figure = drawn.figure(hidden, theme)
    assert len([bar for bar in figure.data if bar.type == "bar"]) == 2
    assert not any("times" in note.text for note in figure.layout.annotations)


def test_the_chart_is_about_what_the_sentence_compares():
    for stage in curves():
        assert stage.in_headline in {("bounded_2", "gaussian"), ("bounded_1", "gaussian")}
    assert curves()[-1].in_headline == ("bounded_2", "gaussian")
    few = curves(samples=1e3)[-1]
    assert few.in_headline == ("split", "bounded_2")


def test_every_stage_of_the_curves_is_a_figure_with_a_sentence():
    stages = curves()
    assert stages[0].done == 0
    assert stages[-1].done == 1
    for stage in (stages[0], stages[len(stages) // 2], stages[-1]):
        assert drawn.figure(stage, LIGHT).data
        assert not faults(VIEW.takeaway(stage))
    first = VIEW.takeaway(stages[0])  # as a slider moves: Gaussian noise is known at once
    known = readable(stages[-1].budgets["gaussian"].queries)
    assert f"Gaussian noise is proven to answer {known} adaptive questions" in first
    assert "not computed yet" in first


@only_in_nightly
def test_a_figure_that_grows_keeps_its_size():
    stages = curves()
    first, last = (drawn.figure(stage, LIGHT).layout for stage in (stages[0], stages[-1]))
    assert first.height == last.height


@only_in_nightly
def test_the_sentence_names_p_where_the_paper_promises_twice_as_many():
    shown = questions_against_samples(samples=8e5, alpha=0.1, beta=0.05, show_published=True)
    sentence = VIEW.detail(next(r for r in shown if len(r.budgets) == 5))
    ending = "As published, with β′ = 0: 1.976 times for p = 1 and 1.647 times for p = 2."
    assert sentence.endswith(ending)


def test_the_sentence_gives_the_certified_numbers():
    sentence = VIEW.detail(curves()[-1])
    best = max_queries(BoundedAnswers(PowerNoise(2)), samples=1e5, **SMALL)
    assert numbers(downwards(best.queries))[0] in numbers(sentence)
    assert "p = 2" in sentence


@only_in_nightly
def test_what_is_beyond_the_accountant_or_fails_an_assumption_is_said():
    result = curves(samples=1e8, alpha=0.5, show_shape=True)[-1]
    notes = " ".join(VIEW.notes(result))
    assert "its limit" in notes
    assert "lower bounds" in notes


@only_in_nightly
def test_the_sentence_says_how_many_more():
    for result in questions_against_samples(**ASKED, show_tuned=True):
        if "tuned" in result.budgets:
            break
    more = result.budgets["tuned"].queries / result.budgets["bounded_1"].queries - 1
    sentence = VIEW.detail(result)
    assert f"answers {100 * more:.0f}% more than the best power" in sentence
    assert "by tuned bounded noise" in sentence
    assert budget_here(TunedAnswers(), *ASKED.values()).queries == result.budgets["tuned"].queries


# The presets show what their names say.


def answered(label):
    """What a preset opens, once all is known of the reader's own sample, and not yet around it."""
    values = PAGE.preset_values(next(p for p in PAGE.presets if p.label == label))
    view = PAGE.open_view(values)
    stages = view.compute(**PAGE.call(PAGE.arguments(view, values)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pace, "due", always)  # else many points around it come with the first
        return view, next(stage for stage in stages if stage.done > 0), values


def test_splitting_is_better_for_a_small_sample():
    view, result, _ = answered("Small sample: splitting is better")
    assert result.split > max(budget.queries for budget in result.budgets.values())
    headline = view.takeaway(result)
    assert headline.startswith("From only 6,000 samples it is best to split them")
    assert not faults(headline)
    # Both noises answer a single question.
    assert view.prediction.answer(result) == "as many"
    assert "1 adaptive question, Gaussian noise as many." in view.takeaway(
        replace(result, split=0.0)
    )


@only_in_nightly
def test_certainty_costs_a_few_percent():
    _, certain, _ = answered("What certainty costs")
    free = max_queries(BoundedAnswers(PowerNoise(1)), samples=8e5, alpha=0.1, beta=0.05)
    budget = certain.budgets["bounded_1"]
    assert budget.sample_failure == 0
    assert 0.9 < budget.queries / free.queries < 1


@only_in_nightly
def test_the_published_radius_stands_beside_the_exact_one():
    _, result, values = answered("Figure 2 of the paper")
    assert values["samples"] == 8e5
    assert {"gaussian", "bounded_1", "bounded_2"} <= result.budgets.keys()
    published = BoundedAnswers(PowerNoise(2), published=True)
    printed = max_queries(published, samples=8e5, alpha=0.1, beta=0.05).queries
    assert 2 < printed / result.budgets["gaussian"].queries < 2.2
    assert result.budgets["bounded_2"].queries > 3.4 * result.budgets["gaussian"].queries


def test_bars_alone_compute_nothing_along_n():
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr(module, "searched_steps")
        *_, alone = questions_against_samples(samples=1e5, powers=POWERS, **SMALL)
    assert alone.done == 1
    assert alone.curve("bounded_2").x.tolist() == [1e5]
    whole = curves(show_shape=True)[-1]
    assert alone.value("bounded_2") == whole.value("bounded_2")
    assert VIEW.takeaway(alone) == VIEW.takeaway(whole)
