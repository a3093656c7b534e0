"""A choice shows the options that mean something in the state, and no other one can stay."""

import pytest

from tests.support.declarations import page
from tests.ui.figures import figure
from tests.ui.opening import opened

PAGE = page("user_complexity")
PROBLEMS = tuple(PAGE.parameter("problem").options)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_every_axis_that_is_offered_has_a_figure(problem):
    app = opened(PAGE.slug, problem=problem)
    along = app.selectbox(key="axis")
    words = PAGE.parameter("axis").options
    assert "m" in along.options
    for key in (key for key, word in words.items() if word in along.options):
        app.selectbox(key="axis").select(key).run()
        assert "problem" not in figure(app).last
        assert app.query_params["axis"] == key


def test_an_axis_that_the_problem_does_not_have_falls_back():
    app = opened(PAGE.slug, problem="discrete", axis="d")
    assert app.query_params["axis"] == "m"
    assert "problem" not in figure(app).last
    app = opened(PAGE.slug, problem="pac", axis="d")
    assert app.query_params["axis"] == "d"
    app.selectbox(key="problem").select("discrete").run()
    assert app.query_params["axis"] == "m"
    assert "problem" not in figure(app).last
