"""Errors against σ: a shift costs accuracy, not privacy."""

import re

import numpy as np
import pytest

from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.evidence import Evidence
from dpviz.topics.public_data.measured_loss import counted_log_ratio
from dpviz.topics.public_data.views import (
    error_against_shift as module,
)
from dpviz.topics.public_data.views import (
    error_against_shift_shown,
)
from dpviz.topics.public_data.views.error_against_shift import error_against_shift
from tests.support.declarations import last, page
from tests.support.small_lessons import QUICK, called
from tests.support.specs import Checked

error_against_shift_shown = Checked(error_against_shift_shown)
PAGE = page("public_data")
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])


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


def test_the_intervals_of_the_losses_hold_together(monkeypatch):
    """Of several lower ends the largest is told: at 95% each, one is too high in 15%."""
    spent = []

    def count(*counts, draws, failure_probability):
        spent.append(failure_probability)
        return counted_log_ratio(*counts, draws=draws, failure_probability=failure_probability)

    monkeypatch.setattr(module, "counted_log_ratio", count)
    [*_, chart] = called(error_against_shift, runs=1)
    assert len(spent) == chart.privacy.curve("loss").x.size
    assert sum(spent) <= 0.05 + 1e-12


def test_while_runs_come_in_no_digit_is_told_that_they_leave_open():
    charts = called(error_against_shift, runs=4)
    said = [error_against_shift_shown.VIEW.takeaway(chart) for chart in charts if chart.going_on]
    errors = [each for text in said for each in re.findall(r"([\d.]+)%", text)]
    assert errors
    assert all(len(each.replace(".", "").strip("0")) == 1 for each in errors)


@THEMES
def test_a_shift_has_two_panels(theme):
    chart = last(PAGE, "shift", smoothness=0.1, **QUICK)
    figure = error_against_shift_shown.figure(chart, theme)
    lower = [trace for trace in figure.data if trace.yaxis == "y2"]
    assert len(lower) == 2
    assert all(trace.xaxis == "x2" for trace in lower)
    assert figure.layout.yaxis2.domain[1] < figure.layout.yaxis.domain[0]
    assert tuple(figure.layout.xaxis2.range) == tuple(figure.layout.xaxis.range)
    detail = error_against_shift_shown.VIEW.detail(chart)
    assert "stays private" in error_against_shift_shown.VIEW.takeaway(chart)
    assert "at σ = 0.1," in detail
    assert "stays private at every σ" in detail
    assert "ε = 1" in detail


def test_what_is_not_measured_is_not_drawn():
    chart = last(PAGE, "shift", learner="perturbation", **QUICK)
    figure = error_against_shift_shown.figure(chart, LIGHT)
    assert len([trace for trace in figure.data if trace.yaxis == "y2"]) == 1
    assert "It stays private at every σ" in error_against_shift_shown.VIEW.detail(chart)
    assert "loss of the pair" not in error_against_shift_shown.VIEW.detail(chart)
    assert (
        "the largest loss of the pair shown is at least"
        in error_against_shift_shown.VIEW.detail(last(PAGE, "shift", **QUICK))
    )
    bound = last(PAGE, "shift", task="regression", learner="regularization", **QUICK)
    assert "the largest loss of the pair shown is at most" in error_against_shift_shown.VIEW.detail(
        bound
    )
    broken = last(PAGE, "shift", noise="gaussian", **QUICK)
    assert "nothing is proved of its privacy" in error_against_shift_shown.VIEW.detail(broken)
