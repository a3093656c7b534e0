"""The fewest users: their order, Observation 28, and what is said where they are unknown."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dpviz.maths import interior_points
from dpviz.maths.coin_tests import Coins
from dpviz.results import refining
from dpviz.results.parameters import ParameterError
from dpviz.results.refining import whole
from dpviz.topics.user_complexity.optimal import best_success
from dpviz.topics.user_complexity.views import fewest_users_there_can_be as computing
from dpviz.topics.user_complexity.views import users_to_learn_shown
from dpviz.topics.user_complexity.views.fewest_users_there_can_be import fewest_users_there_can_be
from dpviz.topics.user_complexity.views.fewest_users_there_can_be_shown import VIEW
from tests.support import pace

USUAL = {"task": "two", "coin": 0.35, "tosses": 3, "task_epsilon": 0.5, "success": 0.75}


@pytest.mark.parametrize("task", ["two", "three"])
def test_the_view_orders_its_curves_and_keeps_observation_28(task):
    setting = {"coin": 0.3, "tosses": 2, "task_epsilon": 1.0, "success": 0.7}
    *_, chart = fewest_users_there_can_be(task=task, **setting)
    optimum, proven = chart.curve("optimum").y, chart.curve("proven").y
    known = np.isfinite(optimum)
    assert known[0]
    assert np.all(proven[known] <= optimum[known])
    assert np.all(optimum[known] <= chart.curve("laplace").y[known])
    band = chart.curve("sandwich")
    assert np.all((band.lower <= optimum)[known] & (optimum <= band.upper)[known])
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
    monkeypatch.setattr(computing, "_MOST_PAIRS", {"two": 300})
    *_, chart = fewest_users_there_can_be(**USUAL)
    prediction = VIEW.prediction
    assert math.isnan(chart.optimum)
    assert math.isfinite(chart.curve("optimum").y[0])
    assert prediction.value(chart) is None
    assert prediction.answer(chart) == "between 5 and 8 users"
    assert "at least 5 users" in VIEW.takeaway(chart)
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
    assert ", 1 user is the fewest" in VIEW.takeaway(chart)
    assert "noise need 1 user," in VIEW.detail(chart)
    assert VIEW.prediction.answer(chart) == "1 user"
    measured = replace(chart, curves=(replace(chart.curve("optimum"), key="measured"),))
    assert users_to_learn_shown.VIEW.prediction.answer(measured) == "1 user"


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
