"""A lesson: one run, what is drawn of it and what is said."""

import itertools
import math
import re
from dataclasses import replace

import numpy as np
import pytest

from dpviz.plot.theme import DARK, LIGHT
from dpviz.results import refining
from dpviz.topics.public_data.excess_errors_shown import error_notes
from dpviz.topics.public_data.learners import LEARNERS
from dpviz.topics.public_data.oracles import half_plane_search, half_planes
from dpviz.topics.public_data.views import one_lesson_shown
from dpviz.topics.public_data.views.one_lesson import one_lesson
from tests.support import pace
from tests.support.declarations import last, page
from tests.support.headlines import faults
from tests.support.small_lessons import QUICK, SETTING, called, names_of
from tests.support.specs import Checked

one_lesson_shown = Checked(one_lesson_shown)
PAGE = page("public_data")
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])
LESSONS = [
    ("thresholds", "rrspm"),
    ("intervals", "rspm"),
    ("halfplanes", "rrspm"),
    ("halfplanes", "perturbation"),
    ("regression", "regularization"),
    ("regression", "perturbation"),
]


def generator(**changes):
    values = {
        key: value for key, value in (SETTING | changes).items() if key in names_of(one_lesson)
    }
    return one_lesson(rng=np.random.default_rng(1), **values)


def traces(figure, name):
    return [trace for trace in figure.data if trace.name == name]


def test_a_lesson_is_one_run():
    [result] = called(one_lesson, task="intervals")
    assert result.outcome.calls == 2
    assert result.excess == pytest.approx(float(result.task.excess(result.released[None])[0]))
    assert result.between.tolist() == result.values(
        result.outcome.learned.intermediate[0]
    )[0].tolist()  # fmt: skip
    table = result.columns()
    assert (table["part"] == "public").sum() == 8
    assert (table["part"] == "private").sum() == 300


@THEMES
@pytest.mark.parametrize(("task", "learner"), LESSONS)
def test_a_lesson_shows_data_and_functions(theme, task, learner):
    result = last(PAGE, "learn", task=task, learner=learner, **QUICK)
    figure = one_lesson_shown.figure(result, theme)
    [public] = traces(figure, "public points, without labels")
    assert len(public.x) == 20
    private = [t for t in figure.data if (t.name or "").startswith("private")]
    assert sum(len(t.x) for t in private) == 300
    cuts = {shape.x0 for shape in figure.layout.shapes if shape.x0 == shape.x1}
    if task == "halfplanes":
        [released] = traces(figure, "released: f̂")
        x, y = np.asarray(released.x), np.asarray(released.y)
        u, v, b = result.released
        assert u * x[:2] + v * y[:2] == pytest.approx([b, b])
        drawn = [t for t in figure.data if t.type == "contour"]
        assert len(drawn) == (learner == "perturbation")
    elif task == "regression":
        [released] = traces(figure, "released: f̂")
        assert np.asarray(released.y) == pytest.approx(result.values(result.released[None])[0])
    else:
        assert {*result.released, *result.task.target} <= cuts
    assert len(figure.data) >= 6


@pytest.mark.parametrize(("task", "learner"), [("thresholds", "rrspm"), ("intervals", "rspm")])
def test_where_the_function_released_and_the_best_differ_is_shaded_and_nothing_else(task, learner):
    result = last(PAGE, "learn", task=task, learner=learner, epsilon=0.1, **QUICK)
    shaded = [s for s in one_lesson_shown.figure(result, LIGHT).layout.shapes if s.type == "rect"]
    x = np.linspace(0, 1, 2003)[1:-1]
    inside = np.any([(s.x0 <= x) & (x <= s.x1) for s in shaded], axis=0)
    one, other = result.task.oracle().predict(np.stack([result.released, result.task.target]), x)
    np.testing.assert_array_equal(inside, one != other)
    assert result.excess == pytest.approx(0.8 * sum(s.x1 - s.x0 for s in shaded))


@pytest.mark.parametrize(("task", "learner"), LESSONS)
def test_a_lesson_is_told(task, learner):
    result = last(PAGE, "learn", task=task, learner=learner, **QUICK)
    detail = one_lesson_shown.VIEW.detail(result)
    assert LEARNERS[learner] in detail
    # nobody reads of public points where the learner has none
    points = "a grid of 20 cells" if learner == "rspm" else "20 public points"
    assert f"300 private examples and {points}" in detail
    takeaway = one_lesson_shown.VIEW.takeaway(result)
    assert takeaway.startswith(("Privacy costs this learner ", "This release "))
    assert ("squared error" in takeaway) == (task == "regression")
    assert not faults(takeaway)
    calls = {"rrspm": "2 times", "rspm": "once", "regularization": "2 times"}
    assert f"called {calls.get(learner, '21 times')}" in detail
    notes = " ".join(one_lesson_shown.VIEW.notes(result))
    assert ("Lemma 1" in notes) == (learner == "perturbation")
    assert ("ρ = " in notes) == (learner in ("perturbation", "regularization"))
    # a chance of half of δ, 10⁻⁶, is left out of the bound on Algorithm 2
    assert ("except with probability δ/2 = 5 × 10⁻⁷" in notes) == (learner == "perturbation")
    weights = {"rrspm": "on the public points", "rspm": "on the middles of the grid's cells"}
    for name, where in weights.items():
        assert (f"The weights {where} have scale" in notes) == (learner == name)


def test_the_errors_told_are_those_drawn():
    result = last(PAGE, "learn", task="thresholds")
    told = one_lesson_shown.VIEW.takeaway(result)
    said = re.findall(r"\d+(?:\.\d+)?", told)
    words = " ".join(
        note.text for note in one_lesson_shown.figure(result, LIGHT).layout.annotations
    )
    assert re.findall(r": ([\d.]+)", words)[1:] == said
    few = replace(result, spread=result.spread[:3])
    assert "average over the noise" not in one_lesson_shown.VIEW.takeaway(few)


def test_one_point_is_told_in_the_singular():
    assert "and 1 public point releases" in one_lesson_shown.VIEW.detail(
        last(PAGE, "learn", public_points=1)
    )


def test_many_examples_are_thinned_out_and_that_is_told():
    result = last(PAGE, "learn", samples=5000)
    assert any("600 of 5,000 private" in note for note in one_lesson_shown.VIEW.notes(result))


def test_the_grid_of_rspm_may_err_by_less_than_half_a_cell():
    half = 0.8 * 0.5 / 20  # of a cell's mass, label noise 0.1
    assert last(PAGE, "learn", learner="rspm").excess < half
    assert "half a cell" not in " ".join(error_notes(last(PAGE, "points", more="private", **QUICK)))


MANY = {"task": "halfplanes", "samples": 900, "public_points": 120, "label_noise": 0.45}
"""So many points that every run searches for a half-plane of its own."""


def test_the_first_run_is_shown_before_the_optimum_and_the_redraws_are_searched_for(monkeypatch):
    """A result is due at every look: no later step goes on for a whole search."""
    monkeypatch.setattr(refining.Pace, "due", pace.always)
    searches, nodes = [0], [0]
    searched, looked = half_planes.best_half_plane, half_plane_search._Search.look

    def search(points, costs):
        searches[-1] += 1
        return searched(points, costs)

    def look(*node):
        nodes[-1] += 1
        looked(*node)

    monkeypatch.setattr(half_planes, "best_half_plane", search)
    monkeypatch.setattr(half_plane_search._Search, "look", look)
    found = []
    for result in generator(**MANY):
        found.append(result)
        searches.append(0)
        nodes.append(0)
    assert searches[0] == 2  # the function before its projection, and the projection
    assert max(nodes[1:]) < nodes[0] / 2  # a projection, of the public points alone, is short
    first, whole = found[0], found[-1]
    redraws = whole.planned
    assert sum(searches) == 2 * (1 + redraws) + 1
    assert (len(first.spread), math.isnan(first.optimum_excess)) == (0, True)
    assert len(whole.spread) == redraws > 3
    assert whole.done == 1
    seen = list(dict.fromkeys((len(r.spread), not math.isnan(r.optimum_excess)) for r in found))
    assert seen == [(0, False), *((k, True) for k in range(redraws + 1))]
    assert all(
        later.done > earlier.done
        for earlier, later in itertools.pairwise(
            [next(r for r in found if len(r.spread) == k) for k in range(redraws + 1)]
        )
    )
    for part in found:  # what was shown stays
        np.testing.assert_array_equal(part.released, whole.released)
        np.testing.assert_array_equal(part.redraws, whole.redraws[: len(part.redraws)])


def test_what_is_not_known_yet_is_not_told():
    found = {(len(r.spread), math.isnan(r.optimum_excess)): r for r in generator(**MANY)}
    shown, redraws = one_lesson_shown.VIEW, max(count for count, _ in found)
    first, alone = found[0, True], found[0, False]
    assert "without privacy" not in shown.takeaway(first) + shown.detail(first)
    assert shown.takeaway(first).endswith("than the best half-plane.")
    assert ". The optimiser was called 2 times." in shown.detail(first)
    assert "redraw" not in shown.detail(first) + shown.detail(alone)
    cost = shown.takeaway(alone)
    assert cost.endswith(" without privacy.") or "public points gets noise" in cost
    assert f"(the first of {redraws} redraws: " in shown.detail(found[1, False])
    assert f"(the first 3 of {redraws} redraws: " in shown.detail(found[3, False])
    assert "(80% of redraws: " in shown.detail(found[redraws, False])
    for result in found.values():
        assert "nan" not in shown.detail(result)
        assert not faults(shown.takeaway(result))
        drawn = one_lesson_shown.figure(result, LIGHT)
        assert len(traces(drawn, "released with other noise")) == bool(len(result.spread))


def test_few_points_are_learned_from_all_at_once():
    """There the runs share their work: one by one they would take as many times as long."""
    [result] = called(one_lesson, task="halfplanes", samples=500, public_points=60)
    assert len(result.spread) == result.planned > 3


def test_the_noise_is_no_reason_where_one_point_tells_too_little():
    """Among 100,000 examples noise of two losses moves nothing: what is dear is the projection."""
    [first, *_] = generator(learner="rrspm", samples=100_000, public_points=1)
    told = replace(first, optimum_excess=first.noisy_excess)
    assert first.excess > first.noisy_excess + 0.05
    assert "gets noise" not in one_lesson_shown.VIEW.takeaway(told)
    noisy = replace(first, noisy_excess=first.excess, optimum_excess=0.0)
    assert "its public point gets noise" in one_lesson_shown.VIEW.takeaway(noisy)
