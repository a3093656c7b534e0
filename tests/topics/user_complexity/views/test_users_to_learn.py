"""The chart of the users needed in d dimensions: reproducible, its slope, its words."""

import numpy as np
import pytest

from dpviz.results.parameters import ParameterError
from dpviz.topics.user_complexity.views.users_to_learn import users_to_learn
from dpviz.topics.user_complexity.views.users_to_learn_shown import VIEW
from tests.support.examples import only_in_nightly

STATE = {
    "learned": "labels",
    "axis": "m",
    "dimensions": 3,
    "examples_held": 10,
    "task_epsilon": 2.0,
    "target_error": 0.05,
    "clip_scale": 1.0,
    "cover": "half",
}


def final(**changed):
    *_, chart = users_to_learn(**(STATE | changed), rng=np.random.default_rng(0))
    return chart


@pytest.fixture(scope="module")
def chart():
    return final()


@only_in_nightly
def test_the_same_state_gives_the_same_numbers(chart):
    stages = users_to_learn(**STATE, rng=np.random.default_rng(0))
    again = next(stage for stage in stages if stage.fewest and stage.fewest.finished)
    assert again.fewest.interval == chart.fewest.interval
    assert again.fewest.estimate == chart.fewest.estimate
    *_, again = stages
    for curve in chart.curves:
        assert curve.y == pytest.approx(again.curve(curve.key).y)


@only_in_nightly
def test_the_slope_is_that_of_a_fitted_line_within_what_the_intervals_allow(chart):
    measured = chart.curve("measured")
    line = np.polyfit(np.log(measured.x), np.log(measured.y), 1)
    assert chart.power.exponent == pytest.approx(line[0])
    rng = np.random.default_rng(1)
    share = rng.random((400, measured.x.size)).round()
    possible = np.log(measured.lower) * (1 - share) + np.log(measured.upper) * share
    slopes = np.polyfit(np.log(measured.x), possible.T, 1)[0]
    assert chart.power.lower - 1e-9 <= slopes.min() < slopes.max() <= chart.power.upper + 1e-9
    assert slopes.max() > chart.power.upper - 0.15


@only_in_nightly
def test_rare_points_are_labelled_with_fewer_users_the_more_examples_each_holds(chart):
    """One user who saw the rare points tells; the users needed fall until noise is all."""
    users = chart.curve("measured")
    assert users.upper[-1] < users.lower[0]
    assert chart.power.upper < 0


@only_in_nightly
def test_what_the_shape_is_fitted_to_lies_on_both_sides_of_it(chart):
    ratio = chart.curve("measured").y / chart.curve("row").y
    assert np.log(ratio).mean() == pytest.approx(0, abs=1e-9)


@only_in_nightly
def test_more_dimensions_need_more_users():
    along = final(axis="d", learned="noisy_labels", target_error=0.2)
    users = along.curve("measured")
    assert list(users.x) == [1, 2, 3, 4, 5, 6]
    assert users.lower[-1] > users.upper[0]
    assert "Twice the dimensions need" in VIEW.detail(along)


def test_a_dimension_that_cannot_be_run_is_lowered_and_said():
    changed = STATE | {"learned": "known", "dimensions": 6}
    first = next(users_to_learn(**changed, rng=np.random.default_rng(0)))
    assert first.dimension == 1
    assert any("too many candidates" in note for note in VIEW.notes(first))
    coarse = changed | {"learned": "product", "target_error": 0.4}
    trivial = next(users_to_learn(**coarse, rng=np.random.default_rng(0)))
    assert all(curve.key != "proven" for curve in trivial.curves)
    assert any("packings tried prove no more" in note for note in VIEW.notes(trivial))
    assert "not measured yet" in VIEW.takeaway(first)
    assert VIEW.detail(first) == ""


@only_in_nightly
def test_the_sentence_says_what_the_chart_shows(chart):
    said = VIEW.takeaway(chart)
    assert f"{int(np.ceil(chart.value('measured')))} users" in said
    detail = VIEW.detail(chart)
    assert f"{chart.fewest.interval.upper:g}" in detail
    assert f"{chart.power.of_row:.2f}".replace("-", "−") in detail


@only_in_nightly
def test_without_clipping_more_examples_save_nothing_and_a_lower_threshold_saves_more():
    """At m = 100 the noise is for m examples, for 2τ, or for less than that."""
    given = {"learned": "noisy_labels", "dimensions": 2, "target_error": 0.2, "examples_held": 100}
    usual = final(**given)
    known = users_to_learn(**(STATE | given | {"clip_scale": 0.3}), rng=np.random.default_rng(0))
    low = next(chart for chart in known if chart.fewest and chart.fewest.finished)
    assert usual.curve("plain").lower[-1] > 0.8 * usual.curve("plain").lower[2]
    assert usual.curve("plain").lower[-1] > low.fewest.interval.upper
    assert low.clips_from < usual.clips_from
    assert np.all(usual.curve("proven").y <= usual.curve("measured").upper)
    assert usual.curve("proven").y[0] > 1
    assert "Noise is why most of these users are needed" in VIEW.detail(usual)
    assert "C = 0.3" in " ".join(VIEW.notes(low))


@only_in_nightly
def test_where_nothing_is_clipped_both_curves_are_one(chart):
    assert chart.curve("plain").y[0] == chart.curve("measured").y[0]


def test_the_radius_of_the_paper_is_taken_where_it_can_be_run():
    changed = STATE | {"learned": "known", "dimensions": 1, "target_error": 0.2}
    half = next(users_to_learn(**changed, rng=np.random.default_rng(0)))
    paper = next(users_to_learn(**changed | {"cover": "paper"}, rng=np.random.default_rng(0)))
    assert paper.candidates > 4 * half.candidates


def test_unknown_covers_are_refused():
    with pytest.raises(ParameterError, match=r"^cover must be"):
        final(cover="fine")


def test_unknown_tasks_are_refused():
    with pytest.raises(ParameterError, match=r"^learned must be"):
        final(learned="parity")
