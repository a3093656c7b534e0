"""The presets of the page show what they say."""

import pytest

from dpviz.topics.clipping import words
from tests.support.declarations import last, page, preset_values, shown
from tests.support.examples import only_in_long_run

PAGE = page("clipping")


def test_no_clipping_shows_an_answer_worse_than_the_default():
    _, result, _ = shown(PAGE, "No clipping")
    assert result.threshold == result.examples_per_user
    usual = last(PAGE, "selected")
    assert usual.success(usual.clipped) > 0.95
    assert result.success(result.clipped) < 0.75


def test_too_tight_shows_clipping_that_lies():
    _, result, _ = shown(PAGE, "Too tight")
    assert result.success(result.unclipped) > 0.9
    assert result.success(result.clipped) < 0.3


def test_m_equal_to_1_has_nothing_to_clip():
    view, result, _ = shown(PAGE, "m = 1")
    assert "clips nothing" in view.takeaway(result)


def test_union_membership_shows_what_correlation_does():
    view, result, values = shown(PAGE, "Union membership in the wage panel")
    assert values["candidates"] == 64
    assert result.error > 4 * result.unclipped
    told = view.takeaway(result)
    assert told.startswith("No threshold τ lowers the expected error of 0.0193 by a tenth")
    assert "with the rows shuffled over all people it would fall to 0.007" in told


@pytest.mark.parametrize("epsilon", [0.05, 0.2, 1.0, 3.0])
def test_no_threshold_helps_on_union_membership(epsilon):
    result = last(PAGE, "real", data="union", candidates=64, epsilon=epsilon)
    assert result.least_error > 0.9 * result.unclipped
    assert result.permuted_error < result.least_error or epsilon == 3.0


@only_in_long_run
def test_clipping_helps_where_a_preset_says_so():
    values = preset_values(PAGE, "Where clipping helps")
    errors = last(PAGE, **{"key": values.pop("view")} | values).errors
    assert errors["best"] < 0.4 * errors["unclipped"]
    assert errors["best"] < 0.7 * errors["laplace"]


@only_in_long_run
def test_users_too_much_alike_are_those_of_the_panel():
    values = preset_values(PAGE, "Users too much alike")
    panel = last(PAGE, "real", data="union")
    assert values["correlation"] == pytest.approx(panel.correlation, abs=0.005)
    assert (values["users"], values["examples_per_user"]) == (panel.users, panel.examples)
    chart = last(PAGE, **{"key": values.pop("view")} | values)
    assert "no threshold τ lowers the expected error" in words.helps_takeaway(chart)
