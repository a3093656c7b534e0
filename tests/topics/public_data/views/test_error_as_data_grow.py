"""Errors as data grow: public points may be too few and too many, private ones never too many."""

import numpy as np
import pytest

from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.parameters import ParameterError
from dpviz.topics.public_data.views import error_as_data_grow_shown
from dpviz.topics.public_data.views.error_as_data_grow import (
    error_against_points,
    error_against_samples,
    error_as_data_grow,
)
from tests.support.declarations import last, page
from tests.support.examples import only_in_nightly, some
from tests.support.headlines import faults
from tests.support.small_lessons import QUICK, called
from tests.support.specs import Checked

error_as_data_grow_shown = Checked(error_as_data_grow_shown)
PAGE = page("public_data")
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])


def test_too_many_public_points_hurt():
    [*_, chart] = called(error_against_points, samples=3000, runs=20)
    curve = chart.curve("rrspm")
    best = int(np.argmin(curve.y))
    assert 3 < curve.x[best] < 300
    assert curve.y[-1] > 3 * curve.y[best]
    assert curve.y[0] > curve.y[best]


def test_no_number_of_points_wins_before_runs_tell_them_apart():
    first, *_, last_but_one, _ = called(error_against_points, runs=3)
    takeaway = error_as_data_grow_shown.VIEW.takeaway
    unknown = "Which number of public points is best, these runs do not tell."
    assert takeaway(first) == unknown
    assert last_but_one.going_on
    assert len(last_but_one.claims) == 1
    for chart in (first, last_but_one):
        drawn = error_as_data_grow_shown.figure(chart, LIGHT)
        assert not any("<b>best" in note.text for note in drawn.layout.annotations)


@THEMES
def test_the_best_numbers_of_points_are_shaded_and_are_those_of_the_sentence(theme):
    chart = last(PAGE, "points", samples=3000, runs=30)
    curve = chart.curve("rrspm")
    best = curve.x[np.argmin(curve.y)]
    layout = error_as_data_grow_shown.figure(chart, theme).layout
    [claim] = chart.claims
    assert claim.lower <= best <= claim.upper
    (shade,) = (shape for shape in layout.shapes if shape.type == "rect")
    inside = (shade.x0 <= curve.x) & (curve.x <= shade.x1)
    tied = (claim.lower <= curve.x) & (curve.x <= claim.upper)
    np.testing.assert_array_equal(inside, tied)
    texts = [note.text for note in layout.annotations]
    said = f"{claim.lower:g} to {claim.upper:g}" if claim.lower < claim.upper else f"{best:g}"
    assert f"<b>best:</b><br>{said}" in texts
    assert error_as_data_grow_shown.VIEW.takeaway(chart).startswith(f"{said} public points are ")
    assert {"too few", "too many"} <= {text.partition(":")[0] for text in texts}
    assert f"came with m = {best:,.0f}" in error_as_data_grow_shown.VIEW.detail(chart)


def test_a_best_number_of_points_at_the_end_is_told_as_such():
    chart = last(PAGE, "points", samples=10**5, epsilon=10, runs=3)
    curve = chart.curve("rrspm")
    if np.nanargmin(curve.y) < curve.y.size - 1:
        curve.y[-1] = np.nanmin(curve.y) / 2
    assert "; with " not in error_as_data_grow_shown.VIEW.detail(chart)


def test_the_best_of_a_few_runs_is_told_as_theirs():
    call = {"samples": 3000, "runs": 20}
    charts = [chart for chart in called(error_against_points, **call) if chart.done]
    headlines = [error_as_data_grow_shown.VIEW.headline(chart) for chart in charts]
    assert len(headlines) > 1
    assert all(said.startswith("So far, from ") for said in headlines[:-1])
    assert "best for this learner, of the numbers tried: " in headlines[-1]


@only_in_nightly
def test_algorithm_2_is_left_out_where_half_planes_are_many():
    chart = called(error_against_samples, task="halfplanes", samples=600, runs=1)[-1]
    known = np.isfinite(chart.curve("perturbation").y)
    np.testing.assert_array_equal(known, chart.curve("perturbation").x <= 500)
    assert np.isfinite(chart.curve("rrspm").y).all()
    assert "nan" not in error_as_data_grow_shown.VIEW.detail(chart)
    assert "the perturbed learner" not in error_as_data_grow_shown.VIEW.detail(chart)


def test_more_private_examples_help_and_privacy_costs():
    [*_, chart] = called(error_against_samples, runs=some(20, 8), averages=some(50, 20))
    private, plain = chart.curve("rrspm"), chart.curve("non_private")
    assert private.y[-1] < private.y[0] / 3
    assert np.all(plain.y[3:] < private.y[3:])
    assert 300 in private.x


def test_errors_and_calls_are_told():
    chart = last(PAGE, "points", more="private", **QUICK)
    detail = error_as_data_grow_shown.VIEW.detail(chart)
    assert "n = 300" in detail
    assert not faults(error_as_data_grow_shown.VIEW.takeaway(chart))
    for calls in ("(2 calls)", "(21 calls)", "(1 call)"):
        assert calls in detail


@pytest.mark.parametrize("task", ["thresholds", "intervals", "regression"])
def test_the_headline_along_n_is_about_one_learner_and_none(task):
    learner = "regularization" if task == "regression" else "rrspm"
    chart = last(PAGE, "points", more="private", task=task, **QUICK)
    assert chart.in_headline == (learner, "non_private")
    said = error_as_data_grow_shown.VIEW.takeaway(chart)
    excess = chart.value(learner)
    error = excess if task == "regression" else 100 * excess
    assert any(f"{float(f'{error:.{digits}g}'):g}" in said for digits in (1, 2))
    assert "without privacy" in said
    assert not faults(said)


def test_cells_of_a_grid_are_not_called_public_points():
    chart = last(PAGE, "points", learner="rspm", **QUICK)
    assert "grid cell" in error_as_data_grow_shown.VIEW.takeaway(chart)
    assert "public point" not in error_as_data_grow_shown.VIEW.takeaway(chart)
    assert chart.in_headline == ("rspm", "non_private")


def test_more_of_what_is_unknown_is_refused():
    with pytest.raises(ParameterError, match="more"):
        called(error_as_data_grow, more="noise")


def test_the_bound_lies_above_the_errors_and_the_sentence_says_where_it_says_something():
    asked = {"task": "regression", "learner": "regularization", "noise": "gaussian", "runs": 3}
    chart = last(PAGE, "points", samples=20_000, public_points=100, **asked)
    bound, quiet, made = (chart.curve(key) for key in ("bound", "bound_quiet", chart.learner))
    above = np.interp(made.x, bound.x, bound.y)
    known = np.isfinite(above)
    assert known.sum() > 3
    assert np.all(made.upper[known] < above[known])
    assert np.all((quiet.y <= bound.y)[np.isfinite(bound.y)])
    detail = error_as_data_grow_shown.VIEW.detail(chart)
    assert "its error is proved to be at most 0.15" in detail
    assert any("Lemmas 12 to 16" in note for note in error_as_data_grow_shown.VIEW.notes(chart))
    few = last(PAGE, "points", samples=20_000, public_points=5, **asked)
    assert "nothing is proved of its error" in error_as_data_grow_shown.VIEW.detail(few)
    labels = last(PAGE, "points", learner="perturbation", noise="gaussian", samples=300, runs=1)
    said = " ".join(error_as_data_grow_shown.VIEW.notes(labels))
    assert "the lemma is false as stated" in said
