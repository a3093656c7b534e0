"""The fewest users: their order, Observation 28, and what is said where they are unknown."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dpviz.maths import interior_points
from dpviz.maths.coin_tests import Coins
from dpviz.plot.theme import LIGHT
from dpviz.results import refining
from dpviz.results.parameters import ParameterError
from dpviz.results.refining import whole
from dpviz.topics.user_complexity import coin_users
from dpviz.topics.user_complexity.optimal import best_success
from dpviz.topics.user_complexity.views.fewest_users_there_can_be import fewest_users_there_can_be
from dpviz.topics.user_complexity.views.fewest_users_there_can_be_shown import VIEW
from tests.support import pace

USUAL = {"task": "two", "coin": 0.35, "tosses": 3, "task_epsilon": 0.5, "success": 0.75}


@pytest.mark.parametrize("task", ["two", "three"])
def test_the_view_orders_its_curves_and_keeps_observation_28(task):
    setting = {"coin": 0.3, "tosses": 2, "task_epsilon": 1.0, "success": 0.7}
    *_, chart = fewest_users_there_can_be(task=task, **setting)
    best, proven = chart.curve("optimum"), chart.curve("proven").y
    known = best.lower == best.upper
    assert known[0]
    assert chart.single == best.y[0]
    assert np.all(proven <= best.lower)
    assert np.all(best.upper <= chart.curve("laplace").y)
    assert np.all(np.ceil(chart.single / best.x) <= best.lower)
    assert np.all(best.upper <= chart.single)
    for ends in (best.lower, best.upper):
        assert np.all(np.diff(ends) <= 0)
    users = int(chart.optimum)
    coins = Coins((0.3, 0.7)) if task == "two" else Coins((0.3, 0.5, 0.7))
    for n, enough in ((users - 1, False), (users, True)):
        bounds = whole(best_success(coins, users=n, examples=2, epsilon=1.0)).success
        assert (bounds.lower >= 0.7) == enough == (bounds.upper >= 0.7)


def test_no_result_waits_for_more_than_one_step_of_a_program(monkeypatch):
    """A result is due at every look."""
    monkeypatch.setattr(refining.Pace, "due", pace.always)
    factorise, steps = interior_points.cholesky_banded, []

    def counted(*given, **more):
        steps.append(given)
        return factorise(*given, **more)

    monkeypatch.setattr(interior_points, "cholesky_banded", counted)
    results = fewest_users_there_can_be(**USUAL | {"task": "three", "success": 0.6})
    so_far = [len(steps) for _ in results]
    assert np.diff([0, *so_far]).max() == 1
    assert so_far[-1] > 10


def test_where_the_fewest_are_not_found_the_answer_is_between_bounds(monkeypatch):
    """It takes 8 users with 3 tosses each, but programs of 300 pairs cannot prove it."""
    monkeypatch.setattr(coin_users, "_MOST_PAIRS", {"two": 300})
    *_, chart = fewest_users_there_can_be(**USUAL)
    prediction = VIEW.prediction
    assert math.isnan(chart.optimum)
    assert math.isfinite(chart.single)
    assert prediction.value(chart) is None
    assert prediction.answer(chart) == "between 5 and 8 users"
    assert "needs between 5 and 8 users" in VIEW.takeaway(chart)
    best = chart.curve("optimum")
    assert (best.lower[2], best.y[2], best.upper[2]) == (5, 8, 8)
    assert prediction.answer(replace(chart, done=0.5)) == ""


def test_a_guess_without_users_names_one_of_two_coins_half_the_time():
    *_, chart = fewest_users_there_can_be(**USUAL | {"success": 0.5})
    assert VIEW.takeaway(chart).startswith("No user is needed")
    assert "1 user" not in VIEW.detail(chart)
    asked = VIEW.prediction.applies
    assert not asked(USUAL | {"success": 0.5})
    assert asked(USUAL)
    assert asked(USUAL | {"task": "three", "success": 0.5})


def test_one_user_is_one():
    *_, chart = fewest_users_there_can_be(
        **USUAL | {"coin": 0.05, "tosses": 9, "task_epsilon": 4.0}
    )
    assert VIEW.takeaway(chart).endswith(
        "needs 1 user with 9 tosses each, no fewer than with one toss each."
    )
    assert "noise need 1 user," in VIEW.detail(chart)
    assert VIEW.prediction.answer(chart) == "1 user"


def test_unknown_tasks_are_named():
    with pytest.raises(ParameterError, match="task"):
        next(fewest_users_there_can_be(task="ten", coin=0.3, tosses=1, task_epsilon=1, success=0.7))


def test_the_readme_says_what_the_view_computes():
    *_, chart = fewest_users_there_can_be(**USUAL)
    for key, expected in (
        ("optimum", "13 11 8"),
        ("laplace", "14 12 8"),
        ("exponential", "21 19 14"),
    ):
        assert chart.curve(key).y[:3].tolist() == [float(n) for n in expected.split()]


def test_more_tosses_are_compared_with_one_toss_each():
    *_, chart = fewest_users_there_can_be(**USUAL)
    assert VIEW.takeaway(chart) == (
        "To tell two coins apart three times in four, the best private algorithm needs 8 users "
        "with 3 tosses each, and 13 with one toss each."
    )
    *_, alone = fewest_users_there_can_be(**USUAL | {"tosses": 1})
    assert VIEW.takeaway(alone).endswith("needs 13 users with 1 toss each.")


def test_between_two_m_that_are_computed_the_fewest_lie_in_the_band():
    """The grid has no 11 tosses each; with 11 on it, what is found there must lie in the band."""
    *_, without = fewest_users_there_can_be(**USUAL)
    *_, found = fewest_users_there_can_be(**USUAL | {"tosses": 11})
    best = without.curve("optimum")
    assert best.lower[10] <= found.needed <= found.reached <= best.upper[10]


@pytest.mark.parametrize("task", coin_users.TASKS)
def test_a_guess_can_be_as_large_as_the_answer_in_every_state(task):
    hardest = {"tosses": 1, "task_epsilon": 0.1, "coin": 0.45, "success": 0.9}
    result = next(fewest_users_there_can_be(task=task, **hardest))
    most = VIEW.prediction.guess.limit.maximum
    assert result.needed <= result.reached < most < 10 * result.reached


def test_where_only_bounds_are_known_the_shading_has_a_name():
    *_, chart = fewest_users_there_can_be(**USUAL)
    best, names = (
        chart.curve("optimum"),
        {"the best: somewhere in here", "m tosses each, at most"},
    )
    gap = np.log(best.upper / best.lower)
    assert names <= set(_words(chart))
    note = next(
        n for n in VIEW.figure(chart, LIGHT).layout["annotations"] if "in here" in n["text"]
    )
    there = int(np.searchsorted(best.x, 10 ** note["x"]))
    assert best.lower[there] < 10 ** note["y"] < best.upper[there - 1]
    known = [replace(c, lower=c.y, upper=c.y) if c.key == "optimum" else c for c in chart.curves]
    assert gap.max() > 0.1
    assert not names & set(_words(replace(chart, curves=tuple(known))))


def _words(chart):
    notes = VIEW.figure(chart, LIGHT).layout["annotations"]
    return [note["text"].replace("<br>", " ") for note in notes]
