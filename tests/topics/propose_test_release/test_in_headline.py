"""The curves that a figure is about: one or two of many, in every choice and preset."""

import pytest

from dpviz.results.evidence import Chart, parts_of
from dpviz.scene.codec import Choice
from tests.support.declarations import begun, page

PAGE = page("propose_test_release")


def states():
    for view in PAGE.views:
        yield {"view": view.key}
        for key in view.parameters:
            parameter = PAGE.parameter(key)
            if isinstance(parameter, Choice):
                yield from ({"view": view.key, key: option} for option in parameter.options)
    yield from (dict(preset.values) for preset in PAGE.presets)


@pytest.mark.parametrize("state", list(states()), ids=str)
def test_a_figure_of_many_curves_is_about_one_or_two(state):
    values = PAGE.usual(state.get("view", "")) | state
    for chart in parts_of(begun(PAGE, PAGE.open_view(values), values), Chart):
        if len(chart.curves) > 2:
            assert 1 <= len(chart.in_headline) <= 2
            assert set(chart.in_headline) <= {curve.key for curve in chart.curves}
