"""Errors against σ: a shift costs accuracy, not privacy."""

import re

import numpy as np
import pytest

from dpviz.plot.theme import DARK, LIGHT
from dpviz.topics.public_data.shift import CENTRE
from dpviz.topics.public_data.views.error_against_shift import error_against_shift
from dpviz.topics.public_data.views.error_against_shift_shown import VIEW
from tests.support.declarations import last, page
from tests.support.small_lessons import QUICK, called

PAGE = page("public_data")


def errors_drawn(traces):
    """The bars on the right, the lowest row first."""
    bars = [one for one in traces if one.get("type") == "bar" and one.get("xaxis") == "x2"]
    rows = {row: x for one in bars for row, x in zip(one["y"], one["x"], strict=True)}
    return [rows[row] for row in sorted(rows, reverse=True)]


def test_a_shift_costs_accuracy_and_public_points_leave_the_private_data():
    [*_, chart] = called(error_against_shift, samples=5000, runs=10, public_points=20)
    curve = chart.curve("rrspm")
    assert curve.y[0] > 3 * curve.y[-1]
    inside = []
    for sigma, pair, points in zip(curve.x, chart.shifts, chart.public, strict=True):
        assert pair.smoothness == pytest.approx(sigma)
        low, high = pair.quantiles(np.array([0.0, 1.0]))
        inside.append(np.count_nonzero((low <= points) & (points <= high)))
    assert inside == sorted(inside)
    assert inside[-1] == 20


def test_while_runs_come_in_no_digit_is_told_that_they_leave_open():
    charts = called(error_against_shift, runs=4)
    said = [VIEW.takeaway(chart) for chart in charts if chart.going_on]
    errors = [each for text in said for each in re.findall(r"([\d.]+)(?:%| percentage)", text)]
    assert errors
    assert all(len(each.replace(".", "").strip("0")) == 1 for each in errors)


@pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])
@pytest.mark.parametrize("family", ["window", "rare", "mixture"])
def test_each_row_has_its_place_and_its_error_and_those_of_the_sentence_are_at_bars(theme, family):
    chart = last(PAGE, "shift", family=family, **QUICK)
    drawn = VIEW.figure(chart, theme).data
    assert errors_drawn(drawn) == pytest.approx(100 * chart.curve("rrspm").y)
    (words,) = (one["text"] for one in drawn if one.get("text"))
    said = re.findall(r"\d[\d.]*\d|\d", VIEW.takeaway(chart))
    where, *said = said
    assert where == "10"
    row = list(chart.curve("rrspm").x).index(0.1)
    assert {word.strip() for word in (words[row], words[-1])} == set(said)
    places = [one for one in drawn if one.get("type") == "bar" and one.get("xaxis") != "x2"]
    assert len(places) == chart.curve("rrspm").x.size
    for bar, pair in zip(places, chart.shifts, strict=True):
        assert bar["base"].min() <= CENTRE <= (bar["base"] + bar["x"]).max()
        inside = pair.private[np.searchsorted(pair.edges, CENTRE) - 1]
        assert inside == pair.private.max()


@pytest.mark.parametrize("family", ["window", "mixture"])
def test_points_that_lie_among_private_data_are_dark(family):
    chart = last(PAGE, "shift", family=family, **QUICK)
    drawn = VIEW.figure(chart, LIGHT).data
    places = [one for one in drawn if one.get("type") == "bar" and one.get("xaxis") != "x2"]
    ticks = [one for one in drawn if one.get("marker", {}).get("symbol") == "line-ns-open"]
    for bar, away, there in zip(places, ticks[::2], ticks[1::2], strict=True):
        ends = list(zip(bar["base"], np.add(bar["base"], bar["x"]), strict=True))
        for dots, among in ((away, False), (there, True)):
            assert set(dots["y"]) <= set(bar["y"])
            assert all(any(a < x < b for a, b in ends) == among for x in dots["x"])
        assert len(away["x"]) + len(there["x"]) == chart.public[0].size


@pytest.mark.parametrize(("sigma", "row"), [(0.1, 2), (0.02, 1), (0.01, 0), (1, 0)])
def test_the_sentence_and_the_strong_bars_are_about_the_readers_shift(sigma, row):
    chart = last(PAGE, "shift", smoothness=sigma, **QUICK)
    assert chart.shifted == row
    fills = 100 * (sigma if sigma < 1 else 0.01)
    assert VIEW.takeaway(chart).startswith(
        f"If private data crowd into {fills:g}% of the public range"
    )
    bars = [one for one in VIEW.figure(chart, LIGHT).data if one["type"] == "bar"]
    strong = [one for one in bars if one.get("xaxis") == "x2" and one.get("opacity", 1) == 1]
    assert [x for one in strong for x in one["x"]] == pytest.approx(
        100 * chart.curve("rrspm").y[[row, -1]]
    )


def test_privacy_is_said_as_far_as_it_is_proved():
    chart = last(PAGE, "shift", **QUICK)
    assert "at σ = 0.1," in VIEW.detail(chart)
    assert "stays private at every σ" in VIEW.detail(chart)
    broken = last(PAGE, "shift", noise="gaussian", **QUICK)
    assert "nothing is proved of its privacy" in VIEW.detail(broken)


def test_squares_are_no_percent():
    chart = last(PAGE, "shift", task="regression", learner="regularization", **QUICK)
    drawn = errors_drawn(VIEW.figure(chart, LIGHT).data)
    assert drawn == pytest.approx(chart.curve("regularization").y)
    assert "%" not in VIEW.takeaway(chart).split(", ", 1)[1]
