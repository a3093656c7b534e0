"""The page on public data: its pictures, its sentences, its presets."""

import math

import numpy as np
import pytest

from dpviz.plot.chart import draw
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.evidence import Subject
from dpviz.topics.public_data import figures, noise_words, words
from dpviz.topics.public_data.learners import LEARNERS
from tests.support.declarations import last, page, shown
from tests.support.examples import chosen
from tests.support.headlines import faults
from tests.support.specs import Checked

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
    told = words.lesson_detail(result)
    assert LEARNERS[learner] in told
    # nobody reads of public points where the learner has none
    points = "a grid of 20 cells" if learner == "rspm" else "20 public points"
    assert f"300 private examples and {points}" in told
    assert ("public point" in words.lesson_takeaway(result)) == (learner != "rspm")
    calls = {"rrspm": "2 times", "rspm": "once", "regularization": "2 times"}
    assert f"called {calls.get(learner, '21 times')}" in told
    notes = " ".join(words.lesson_notes(result))
    assert ("Lemma 1" in notes) == (learner == "perturbation")
    assert ("ρ = " in notes) == (learner in ("perturbation", "regularization"))
    # a chance of half of δ, 10⁻⁶, is left out of the bound on Algorithm 2
    assert ("but for a chance of δ/2 = 5 × 10⁻⁷" in notes) == (learner == "perturbation")
    weights = {"rrspm": "on the public points", "rspm": "on the middles of the grid's cells"}
    for name, where in weights.items():
        assert (f"The weights {where} have scale" in notes) == (learner == name)


def test_one_point_is_told_in_the_singular():
    assert "and 1 public point releases" in words.lesson_detail(
        last(PAGE, "learn", public_points=1)
    )


def test_many_examples_are_thinned_out_and_that_is_told():
    result = last(PAGE, "learn", samples=5000)
    assert any("600 of 5,000 private" in note for note in words.lesson_notes(result))


def test_broken_promises_are_told():
    result = last(PAGE, "learn", noise="gaussian", **QUICK)
    assert "without a proof of privacy" in words.lesson_detail(result)
    assert figures._color(result, LIGHT) == LIGHT.subjects[Subject.DANGER]
    chart = last(PAGE, "samples", noise="gaussian", **QUICK)
    assert any("Theorem 4" in note for note in words.error_notes(chart))
    assert any("not proved private" in curve.label for curve in chart.curves)
    sound = last(PAGE, "samples", **QUICK)
    assert not any("Theorem 4" in note for note in words.error_notes(sound))


def test_errors_and_calls_are_told():
    chart = last(PAGE, "samples", **QUICK)
    told = words.samples_detail(chart)
    assert "n = 300" in told
    assert not faults(words.samples_takeaway(chart))
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
    assert f"did best with m = {best:,.0f}" in words.points_detail(chart)


@THEMES
def test_a_shift_has_two_panels(theme):
    chart = last(PAGE, "shift", smoothness=0.1, **QUICK)
    figure = figures.shift_figure(chart, theme)
    lower = [trace for trace in figure.data if trace.yaxis == "y2"]
    assert len(lower) == 2
    assert all(trace.xaxis == "x2" for trace in lower)
    assert figure.layout.yaxis2.domain[1] < figure.layout.yaxis.domain[0]
    assert tuple(figure.layout.xaxis2.range) == tuple(figure.layout.xaxis.range)
    told = words.shift_detail(chart)
    assert "stays private" in words.shift_takeaway(chart)
    assert "at σ = 0.1," in told
    assert "stays private at every σ" in told
    assert "ε = 1" in told


def test_what_is_not_measured_is_not_drawn():
    chart = last(PAGE, "shift", learner="perturbation", **QUICK)
    figure = figures.shift_figure(chart, LIGHT)
    assert len([trace for trace in figure.data if trace.yaxis == "y2"]) == 1
    assert "It stays private at every σ" in words.shift_detail(chart)
    assert "the loss of" not in words.shift_detail(chart)
    assert "was measured at up to" in words.shift_detail(last(PAGE, "shift", **QUICK))
    bound = last(PAGE, "shift", task="regression", learner="regularization", **QUICK)
    assert "the loss of the pair shown is at most" in words.shift_detail(bound)
    broken = last(PAGE, "shift", noise="gaussian", **QUICK)
    assert "nothing is proved of its privacy" in words.shift_detail(broken)


def test_first_results_are_told_without_numbers():
    values = {p.key: p.default for p in PAGE.url_parameters}
    for view in PAGE.views:
        if view.key in ("samples", "points", "shift"):
            first = next(view.compute(**PAGE.call(PAGE.arguments(view, values))))
            assert "undefined" not in view.takeaway(first) + view.detail(first)
            view.figure(first, LIGHT)


@pytest.mark.parametrize(("m", "little"), [(1, True), (20, False)])
def test_conditions_are_compared_with_what_is_proved(m, little):
    chart = last(PAGE, "noise", public_points=m)
    told = noise_words.noise_detail(chart)
    assert "is proved to keep Algorithm 3 private" in told
    assert ("too little for the class of constants" in told) == little
    assert f"{words.readable(2 * math.sqrt(m))} times as much)" in told
    assert "exact" not in told
    texts = [n.text.replace("<br>", " ") for n in draw(chart, LIGHT).layout.annotations]
    assert "(14) is too little for constants up to m = 1" in texts
    assert "Gaussian, any stable learner (14)" in texts


def test_what_is_only_unproved_is_told_as_such():
    told = noise_words.noise_detail(last(PAGE, "noise", public_points=1, samples=100, eta=0.01))
    assert "0.96 times as much, which is not proved to suffice" in told
    assert "0.496 times as much Gaussian noise, not proved to suffice" in told
    assert "not enough" not in told


def test_gaussian_weights_are_told():
    broken = last(PAGE, "weights", vc_dimension=10**6, alpha=0.1)
    assert "94.16% of cases" in noise_words.weights_takeaway(broken)
    told = noise_words.weights_detail(broken)
    assert "0.9416" in told
    assert "The promise is broken: δ is 0.783" in told
    assert any("10⁸" in note for note in noise_words.weights_notes(broken))
    kept = noise_words.weights_takeaway(last(PAGE, "weights", vc_dimension=1000, alpha=0.1))
    assert "does not break" in kept
    assert "from 83,451 on it does" in kept


def test_the_grid_of_rspm_may_err_by_less_than_half_a_cell():
    half = 0.8 * 0.5 / 20  # of a cell's mass, label noise 0.1
    assert last(PAGE, "learn", learner="rspm").excess < half
    assert "half a cell" not in " ".join(words.error_notes(last(PAGE, "samples", **QUICK)))


def test_a_best_number_of_points_at_the_end_is_told_as_such():
    chart = last(PAGE, "points", samples=10**5, epsilon=10, runs=3)
    curve = chart.curve("rrspm")
    if np.nanargmin(curve.y) < curve.y.size - 1:
        curve.y[-1] = np.nanmin(curve.y) / 2
    assert "no more were tried" in words.points_detail(chart)


@pytest.mark.parametrize("setting", ["classification", "realizable", "convex"])
def test_shapes_are_told(setting):
    chart = last(PAGE, "rates", setting=setting)
    told = words.rates_detail(chart)
    assert "α = 0.05" in told
    assert "constants are hidden" in told
    assert "not private" not in told


PRESETS = [preset.label for preset in PAGE.presets]


# Of these a run takes seconds.
LONG = ("half-planes", "Shifted data", "60 splits", "100,000 examples", "Breast cancer")


@pytest.mark.parametrize(
    "preset", chosen(PRESETS, [p for p in PRESETS if not any(words in p for words in LONG)])
)
def test_presets_show_what_they_say(preset):
    view, result, values = shown(PAGE, preset)
    told = view.takeaway(result) + view.detail(result)
    assert view.figure(result, LIGHT).data
    if preset.startswith("Algorithm"):
        assert preset.partition(":")[0] in told
    if preset == "Too much public data":
        here = words.at_here(result, "rrspm")
        assert here > 5 * np.nanmin(result.curve("rrspm").y)
    if preset.startswith("Gaussian weights"):
        assert result.true_delta > 0.1
        assert "The promise is broken" in told
    if preset.startswith("Where 5%"):
        assert (result.here, result.value("exact")) == pytest.approx((0.05, 0.5))
    if preset.startswith("Shifted"):
        assert words.at_here(result, "rrspm") > 5 * result.curve("rrspm").y[-1]
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
