"""The page on public data: its pictures, its sentences, its presets."""

import math

import numpy as np
import pytest

from dpviz.plot.chart import draw
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.evidence import Subject
from dpviz.topics.public_data import figures
from dpviz.topics.public_data.learners import LEARNERS
from tests.specs import Checked
from tests.support.declarations import last, page, shown

draw, figures = Checked(draw), Checked(figures)

PAGE = page("public_data")
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])
QUICK = {"averages": 20, "samples": 300, "runs": 3}
LESSONS = [
    ("thresholds", "rrspm"),
    ("intervals", "rspm"),
    ("halfplanes", "rrspm"),
    ("halfplanes", "perturbation"),
    ("regression", "regularization"),
    ("regression", "perturbation"),
]


def traces(figure, name):
    return [trace for trace in figure.data if trace.name == name]


@THEMES
@pytest.mark.parametrize(("task", "learner"), LESSONS)
def test_a_lesson_shows_data_and_functions(theme, task, learner):
    result = last(PAGE, "learn", task=task, learner=learner, **QUICK)
    figure = figures.lesson_figure(result, theme)
    [public] = traces(figure, "public points, without labels")
    assert len(public.x) == 20
    private = [t for t in figure.data if t.name.startswith("private")]
    assert sum(len(t.x) for t in private) == 300
    [released] = traces(figure, "released, f̂")
    assert released.line.width > 3
    x, y = np.asarray(released.x), np.asarray(released.y)
    if task == "halfplanes":
        u, v, b = result.released
        assert u * x[:2] + v * y[:2] == pytest.approx([b, b])
        drawn = [t for t in figure.data if t.type == "contour"]
        assert len(drawn) == (learner == "perturbation")
    else:
        assert y == pytest.approx(result.values(result.released[None])[0])
    assert len(figure.data) >= 6


@pytest.mark.parametrize(("task", "learner"), LESSONS)
def test_a_lesson_is_told(task, learner):
    result = last(PAGE, "learn", task=task, learner=learner, **QUICK)
    told = figures.lesson_takeaway(result)
    assert LEARNERS[learner] in told
    assert "300 private examples and 20 public points" in told
    calls = {"rrspm": "2 times", "rspm": "once", "regularization": "2 times"}
    assert f"called {calls.get(learner, '21 times')}" in told
    notes = " ".join(figures.lesson_notes(result))
    assert ("Lemma 1" in notes) == (learner == "perturbation")
    assert ("ρ = " in notes) == (learner in ("perturbation", "regularization"))


def test_one_point_is_told_in_the_singular():
    assert "and 1 public point releases" in figures.lesson_takeaway(
        last(PAGE, "learn", public_points=1)
    )


def test_many_examples_are_thinned_out_and_that_is_told():
    result = last(PAGE, "learn", samples=5000)
    assert any("600 of 5,000 private" in note for note in figures.lesson_notes(result))


def test_broken_promises_are_told():
    result = last(PAGE, "learn", noise="gaussian", **QUICK)
    assert "not private for every class" in figures.lesson_takeaway(result)
    assert figures._color(result, LIGHT) == LIGHT.subjects[Subject.DANGER]
    chart = last(PAGE, "samples", noise="gaussian", **QUICK)
    assert any("Theorem 4" in note for note in figures.error_notes(chart))
    assert any("not private" in curve.label for curve in chart.curves)
    sound = last(PAGE, "samples", **QUICK)
    assert not any("Theorem 4" in note for note in figures.error_notes(sound))


def test_errors_and_calls_are_told():
    told = figures.samples_takeaway(last(PAGE, "samples", **QUICK))
    assert "n = 300" in told
    for calls in ("(2 calls)", "(21 calls)", "(1 call)"):
        assert calls in told


@THEMES
def test_the_best_number_of_points_is_marked(theme):
    chart = last(PAGE, "points", samples=3000, runs=10)
    curve = chart.curve("rrspm")
    best = curve.x[np.argmin(curve.y)]
    texts = [
        n.text.replace("<br>", " ") for n in figures.points_figure(chart, theme).layout.annotations
    ]
    assert f"least at m = {best:,.0f}" in texts
    assert f"best with m = {best:,.0f}" in figures.points_takeaway(chart)


@THEMES
def test_a_shift_has_two_panels(theme):
    chart = last(PAGE, "shift", smoothness=0.1, **QUICK)
    figure = figures.shift_figure(chart, theme)
    lower = [trace for trace in figure.data if trace.yaxis == "y2"]
    assert len(lower) == 2
    assert all(trace.xaxis == "x2" for trace in lower)
    assert figure.layout.yaxis2.domain[1] < figure.layout.yaxis.domain[0]
    assert tuple(figure.layout.xaxis2.range) == tuple(figure.layout.xaxis.range)
    told = figures.shift_takeaway(chart)
    assert "at σ = 0.1," in told
    assert "stays private at every σ" in told
    assert "ε = 1" in told


def test_what_is_not_measured_is_not_drawn():
    chart = last(PAGE, "shift", learner="perturbation", **QUICK)
    figure = figures.shift_figure(chart, LIGHT)
    assert len([trace for trace in figure.data if trace.yaxis == "y2"]) == 1
    assert "for every σ or for none" in figures.shift_takeaway(chart)
    assert "the loss of" not in figures.shift_takeaway(chart)
    broken = last(PAGE, "shift", noise="gaussian", **QUICK)
    assert "no claim of privacy" in figures.shift_takeaway(broken)


def test_first_results_are_told_without_numbers():
    values = {p.key: p.default for p in PAGE.url_parameters}
    for view in PAGE.views:
        if view.key in ("samples", "points", "shift"):
            first = next(view.compute(**PAGE.call(PAGE.arguments(view, values))))
            assert "undefined" not in view.takeaway(first)
            view.figure(first, LIGHT)


@pytest.mark.parametrize(("m", "enough"), [(1, False), (20, True)])
def test_conditions_are_compared_with_the_exact_noise(m, enough):
    chart = last(PAGE, "noise", public_points=m)
    told = figures.noise_takeaway(chart)
    assert ("not enough" in told) != enough
    ratio = 2 * math.sqrt(m)
    assert f"asks for {figures.readable(ratio)} times that" in told
    texts = [n.text.replace("<br>", " ") for n in draw(chart, LIGHT).layout.annotations]
    assert any(text.startswith("(14) is not enough up to m = ") for text in texts)


def test_gaussian_weights_are_told():
    told = figures.weights_takeaway(last(PAGE, "weights", public_points=1000))
    assert "0.9994" in told
    assert "breaks the promise" in told
    assert "keeps the promise" in figures.weights_takeaway(
        last(PAGE, "weights", public_points=2, constant=10.0)
    )


@pytest.mark.parametrize("setting", ["classification", "realizable", "convex"])
def test_shapes_are_told(setting):
    chart = last(PAGE, "rates", setting=setting)
    told = figures.rates_takeaway(chart)
    assert "α = 0.05" in told
    assert "constants are hidden" in told
    assert "not private" not in told


@pytest.mark.parametrize("preset", [preset.label for preset in PAGE.presets])
def test_presets_show_what_they_say(preset):
    view, result, values = shown(PAGE, preset)
    told = view.takeaway(result)
    assert view.figure(result, LIGHT).data
    if preset.startswith("Algorithm"):
        assert preset.partition(":")[0] in told
    if preset == "Too much public data":
        here = figures._at_here(result, "rrspm")
        assert here > 5 * np.nanmin(result.curve("rrspm").y)
    if preset.startswith("Shifted"):
        assert figures._at_here(result, "rrspm") > 5 * result.curve("rrspm").y[-1]
        assert np.nanmax(result.privacy.curve("loss").lower) <= values["epsilon"]


def test_controls_without_effect_are_hidden():
    values = {p.key: p.default for p in PAGE.url_parameters}
    learn = PAGE.views[0]
    assert learn.idle(values) == {"eta", "averages", "delta", "family"}
    assert "delta" not in learn.idle(values | {"noise": "gaussian"})
    assert {"noise", "delta"} <= learn.idle(values | {"learner": "rspm"})
    assert "eta" not in learn.idle(values | {"learner": "regularization"})
    assert "family" not in learn.idle(values | {"smoothness": 0.5})
    assert not learn.idle(values | {"view": "rates"})
