"""The page: which curves its views are about, and what its addresses of former times show."""

import pytest

from dpviz.results.evidence import Chart
from dpviz.results.parameters import ParameterError
from dpviz.scene.codec import Choice, decode_address
from dpviz.scene.scene import Scene
from tests.support.declarations import begun, last, page

PAGE = page("user_complexity")


def states(view):
    """Yield how a view opens, its presets, and every choice it offers."""
    opens = PAGE.usual(view.key)
    yield opens
    yield from (PAGE.preset_values(p) for p in PAGE.presets if p.values["view"] == view.key)
    for parameter in PAGE.parameters:
        if isinstance(parameter, Choice) and parameter.key in view.parameters:
            yield from (opens | {parameter.key: option} for option in parameter.options)


@pytest.mark.parametrize("view", PAGE.views, ids=lambda view: view.key)
def test_a_chart_of_many_curves_is_about_one_or_two_of_them(view):
    for values in states(view):
        scene = Scene.opened(PAGE, values)
        scene = Scene.opened(PAGE, {**values, **scene.fallen_back})
        try:
            chart = begun(PAGE, scene.view, scene.values)
        except ParameterError:  # the papers have no such bound
            continue
        assert isinstance(chart, Chart)
        assert 1 <= len(set(chart.in_headline)) <= 2, values
        assert set(chart.in_headline) & {curve.key for curve in chart.curves}, values


def _without_view(values):
    return {key: value for key, value in values.items() if key != "view"}


def test_the_budget_that_was_a_view_of_its_own_is_seen_as_it_was():
    values, notes = decode_address({"view": ["budget"]}, PAGE.url_parameters)
    assert values["view"] == "own"
    chart = last(PAGE, "own", **_without_view(values))
    assert not notes
    assert chart.theorem == pytest.approx(8.26e-6, rel=1e-3)
    assert chart.group == pytest.approx(0.1 / 100)
    moved, _ = decode_address({"view": ["budget"], "epsilon": ["0.5"]}, PAGE.url_parameters)
    assert last(PAGE, "own", **_without_view(moved)).group == pytest.approx(0.5 / 100)
