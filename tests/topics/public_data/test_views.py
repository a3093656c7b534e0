"""A lesson, and errors by simulation."""

import inspect
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.results.evidence import Evidence
from dpviz.results.parameters import LIMITS, ParameterError
from dpviz.results.refining import Pace
from dpviz.topics.public_data.experiment import Setting
from dpviz.topics.public_data.views.errors import (
    error_against_points,
    error_against_samples,
    error_against_shift,
)
from dpviz.topics.public_data.views.lesson import lesson
from dpviz.topics.public_data.words import samples_detail
from tests.support.examples import chosen, examples, only_in_long_run, some
from tests.support.pace import never
from tests.support.strategies import outside

SETTING = {
    "task": "thresholds", "learner": "rrspm", "noise": "laplace", "samples": 300,
    "public_points": 8, "epsilon": 1.0, "delta": 1e-6, "family": "window", "smoothness": 1.0,
    "label_noise": 0.1, "eta": 0.1, "averages": 20, "runs": 4, "constant": 1.0,
}  # fmt: skip
VIEWS = [lesson, error_against_samples, error_against_points, error_against_shift]


def names_of(view):
    named = inspect.signature(view).parameters
    return {*named, *Setting.__annotations__}


def called(view, **changes):
    values = {key: value for key, value in (SETTING | changes).items() if key in names_of(view)}
    result = view(rng=np.random.default_rng(1), **values)
    return list(result) if inspect.isgenerator(result) else [result]


@pytest.mark.parametrize("view", VIEWS)
@given(st.data())
@examples(15)
def test_views_refuse_parameters_out_of_range(view, data):
    names = [n for n in sorted(names_of(view)) if n in LIMITS and n in SETTING]
    name = data.draw(st.sampled_from(names))
    with pytest.raises(ParameterError):
        called(view, **{name: data.draw(outside(name))})


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("key", ["task", "family", "noise"])
def test_views_refuse_names_they_do_not_know(view, key):
    with pytest.raises(ParameterError, match=key):
        called(view, **{key: "else"})


def test_half_planes_have_few_samples():
    with pytest.raises(ParameterError, match="at most 10,000 for half-planes"):
        called(lesson, task="halfplanes", samples=10_001)
    with pytest.raises(ParameterError, match="at most 200 for half-planes"):
        called(lesson, task="halfplanes", public_points=201)
    for view in (lesson, error_against_points, error_against_shift):
        for size in ({"samples": 501}, {"public_points": 61}):
            with pytest.raises(ParameterError, match="Algorithm 2 calls J times"):
                called(view, task="halfplanes", learner="perturbation", **size)


@only_in_long_run
def test_algorithm_2_is_left_out_where_half_planes_are_many():
    chart = called(error_against_samples, task="halfplanes", samples=600, runs=1)[-1]
    known = np.isfinite(chart.curve("perturbation").y)
    np.testing.assert_array_equal(known, chart.curve("perturbation").x <= 500)
    assert np.isfinite(chart.curve("rrspm").y).all()
    assert "nan" not in samples_detail(chart)
    assert "Algorithm 2" not in samples_detail(chart)


@pytest.mark.parametrize("view", VIEWS[1:])
def test_the_first_figure_shows_all_of_the_first_run(view, monkeypatch):
    monkeypatch.setattr(Pace, "due", never)
    first, last = called(view, runs=3)
    for curve in first.curves:
        np.testing.assert_array_equal(np.isfinite(curve.y), np.isfinite(last.curve(curve.key).y))


@pytest.mark.parametrize("view", VIEWS[1:])
def test_simulations_grow_run_by_run(view):
    found = called(view, runs=some(6, 3))
    assert found[-1].runs == some(6, 3)
    assert found[-1].done == 1
    assert [chart.done for chart in found] == sorted(chart.done for chart in found)
    for result in found:
        for curve in result.curves:
            known = np.isfinite(curve.y)
            assert np.all(curve.y[known] >= 0)
            if curve.lower is not None:
                assert np.all(curve.lower[known] <= curve.y[known])
                assert np.all(curve.upper[known] >= curve.y[known])
    last = found[-1]
    assert np.isfinite(last.curve("rrspm").y).all()
    assert last.here in last.curve("rrspm").x
    assert last.calls["rrspm"] == 2


def test_more_private_examples_help_and_privacy_costs():
    [*_, chart] = called(error_against_samples, runs=some(20, 8), averages=some(50, 20))
    private, plain = chart.curve("rrspm"), chart.curve("non_private")
    assert private.y[-1] < private.y[0] / 3
    assert np.all(plain.y[3:] < private.y[3:])
    assert 300 in private.x


def test_too_many_public_points_hurt():
    [*_, chart] = called(error_against_points, samples=3000, runs=20, constant=0.3)
    curve = chart.curve("rrspm")
    best = int(np.argmin(curve.y))
    assert 3 < curve.x[best] < 300
    assert curve.y[-1] > 3 * curve.y[best]
    assert curve.y[0] > curve.y[best]
    # Lemma 23 bounds what the weights cost: 4m²·log(m/β)/(εn)
    lemma = chart.curve("lemma_23")
    assert lemma.y[0] == pytest.approx(4 * math.log(20) / 3000)
    # Theorem 10, (183): the projection, the sampling twice, the weights; d = 1, β = .05, C = .3
    total = chart.curve("lemmas")
    known = np.isfinite(total.y)
    assert known.any()
    m, capacity = total.x[known], 1 + math.log(20)
    terms = [0.3 * np.sqrt(capacity / m), 2 * 0.3 * math.sqrt(capacity / 3000)]
    terms.append(4 * m**2 * np.log(20 * m) / 3000)
    assert total.y[known] == pytest.approx(sum(terms))
    assert chart.curve("theorem_9").y == pytest.approx(np.full(total.x.shape, terms[1]))


def test_a_shift_costs_accuracy_not_privacy():
    [*_, chart] = called(error_against_shift, samples=5000, runs=10, public_points=20)
    curve = chart.curve("rrspm")
    assert curve.y[0] > 3 * curve.y[-1]
    loss = chart.privacy.curve("loss")
    assert np.all(loss.lower <= 1.0)
    assert set(chart.columns()) >= {"smoothness", "rrspm", "loss", "promised"}
    [*_, chart] = called(
        error_against_shift, task="regression", learner="regularization", samples=500, runs=2
    )
    loss = chart.privacy.curve("loss")
    assert loss.evidence is Evidence.UPPER  # the release shows less than the noisy numbers
    assert "at most" in loss.label
    assert np.all(loss.y <= 1.0)
    assert np.all(loss.y > 0)


def test_a_lesson_is_one_run():
    [result] = called(lesson, task="intervals")
    assert result.outcome.calls == 2
    assert result.excess == pytest.approx(float(result.task.excess(result.released[None])[0]))
    assert result.between.tolist() == result.values(
        result.outcome.learned.intermediate[0]
    )[0].tolist()  # fmt: skip
    table = result.columns()
    assert (table["part"] == "public").sum() == 8
    assert (table["part"] == "private").sum() == 300


MOVED = [
    (error_against_samples, {"samples": 3000}),
    (error_against_points, {"public_points": 30}),
    (error_against_shift, {"smoothness": 0.4}),
]


@pytest.mark.parametrize(("view", "moved"), chosen(MOVED, MOVED[:2]))
def test_moving_the_readers_place_leaves_the_points_of_all_others(view, moved):
    before, after = (called(view, **changes)[-1] for changes in ({}, moved))
    compared = 0
    for one, other in zip(before.curves, after.curves, strict=True):
        if one.evidence is not Evidence.SIMULATED:
            continue
        _, left, right = np.intersect1d(one.x, other.x, return_indices=True)
        np.testing.assert_array_equal(one.y[left], other.y[right])
        compared += left.size
    assert compared > 3
