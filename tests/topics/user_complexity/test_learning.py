"""The chart of the users needed in d dimensions: reproducible, its slope, its words."""

import numpy as np
import pytest

from dpviz.results.parameters import ParameterError
from dpviz.topics.user_complexity.learning_words import (
    learning_detail,
    learning_notes,
    learning_takeaway,
)
from dpviz.topics.user_complexity.views.learning import users_to_learn

STATE = {
    "learned": "labels",
    "axis": "m",
    "dimensions": 3,
    "examples_held": 10,
    "task_epsilon": 2.0,
    "target_error": 0.05,
}


def final(**changed):
    *_, chart = users_to_learn(**(STATE | changed), rng=np.random.default_rng(0))
    return chart


@pytest.fixture(scope="module")
def chart():
    return final()


def test_the_same_state_gives_the_same_numbers(chart):
    again = final()
    for curve in chart.curves:
        assert curve.y == pytest.approx(again.curve(curve.key).y)


def test_the_slope_is_that_of_a_fitted_line_within_what_the_intervals_allow(chart):
    measured = chart.curve("measured")
    line = np.polyfit(np.log(measured.x), np.log(measured.y), 1)
    assert chart.slope.slope == pytest.approx(line[0])
    rng = np.random.default_rng(1)
    share = rng.random((400, measured.x.size)).round()
    possible = np.log(measured.lower) * (1 - share) + np.log(measured.upper) * share
    slopes = np.polyfit(np.log(measured.x), possible.T, 1)[0]
    assert chart.slope.lower - 1e-9 <= slopes.min() < slopes.max() <= chart.slope.upper + 1e-9
    assert slopes.max() > chart.slope.upper - 0.15


def test_rare_points_are_labelled_with_fewer_users_the_more_examples_each_holds(chart):
    """One user who saw the rare points tells; the users needed fall until noise is all."""
    users = chart.curve("measured")
    assert users.upper[-1] < users.lower[0]
    assert chart.slope.upper < 0


def test_what_the_shape_is_fitted_to_lies_on_both_sides_of_it(chart):
    ratio = chart.curve("measured").y / chart.curve("row").y
    assert np.log(ratio).mean() == pytest.approx(0, abs=1e-9)


def test_more_dimensions_need_more_users():
    along = final(axis="d", learned="noisy_labels", target_error=0.2)
    users = along.curve("measured")
    assert list(users.x) == [1, 2, 3, 4, 5, 6]
    assert users.lower[-1] > users.upper[0]
    assert "Along d the users go" in learning_detail(along)


def test_a_dimension_that_cannot_be_run_is_lowered_and_said():
    changed = STATE | {"learned": "known", "dimensions": 6}
    first = next(users_to_learn(**changed, rng=np.random.default_rng(0)))
    assert first.dimension == 1
    assert any("too many candidates" in note for note in learning_notes(first))
    assert "being measured" in learning_takeaway(first)
    assert learning_detail(first) == ""


def test_the_sentence_says_what_the_chart_shows(chart):
    said = learning_takeaway(chart)
    assert f"{int(np.ceil(chart.value('measured')))} users" in said
    detail = learning_detail(chart)
    assert f"{chart.fewest.interval.upper:g}" in detail
    assert f"{chart.slope.row:.2f}".replace("-", "−") in detail


def test_unknown_tasks_are_refused():
    with pytest.raises(ParameterError, match=r"^learned must be"):
        final(learned="parity")
