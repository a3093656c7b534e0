"""Errors by simulation: what they show first, how they grow, what stays where the reader moves."""

import numpy as np
import pytest

from dpviz.plot.theme import LIGHT
from dpviz.results.evidence import Evidence
from dpviz.results.refining import Pace
from dpviz.topics.public_data.views.error_against_shift import error_against_shift
from dpviz.topics.public_data.views.error_as_data_grow import (
    error_against_points,
    error_against_samples,
)
from tests.support.declarations import page
from tests.support.examples import chosen, some
from tests.support.pace import never
from tests.support.small_lessons import called

VIEWS = [error_against_samples, error_against_points, error_against_shift]

MOVED = [
    (error_against_samples, {"samples": 3000}),
    (error_against_points, {"public_points": 30}),
    (error_against_shift, {"smoothness": 0.4}),
]

PAGE = page("public_data")


@pytest.mark.parametrize("view", VIEWS)
def test_the_first_figure_shows_all_of_the_first_run(view, monkeypatch):
    monkeypatch.setattr(Pace, "due", never)
    first, last = called(view, runs=3)
    for curve in first.curves:
        np.testing.assert_array_equal(np.isfinite(curve.y), np.isfinite(last.curve(curve.key).y))


@pytest.mark.parametrize("view", VIEWS)
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


def test_first_results_are_told_without_numbers():
    values = {p.key: p.default for p in PAGE.url_parameters}
    for view in PAGE.views:
        if view.key in ("samples", "points", "shift"):
            first = next(view.compute(**PAGE.call(PAGE.arguments(view, values))))
            assert "undefined" not in view.takeaway(first) + view.detail(first)
            view.figure(first, LIGHT)
