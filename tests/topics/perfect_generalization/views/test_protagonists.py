"""Every chart of the page is about one or two of its curves, in every state that it offers."""

import pytest

from dpviz.results.evidence import Chart, parts_of
from dpviz.scene.codec import Choice
from tests.support.declarations import begun, page

PAGE = page("perfect_generalization")
STATES = [
    *[(view.key, {}) for view in PAGE.views],
    *[
        (view.key, {choice.key: option})
        for view in PAGE.views
        for choice in PAGE.parameters
        if isinstance(choice, Choice) and choice.key in view.parameters
        for option in choice.options
    ],
    *[(str(preset.values["view"]), dict(preset.values)) for preset in PAGE.presets],
]


@pytest.mark.parametrize(("key", "changes"), STATES)
def test_a_chart_is_about_one_or_two_of_its_curves(key, changes):
    state = PAGE.usual(key) | changes
    result = begun(PAGE, PAGE.open_view(state), state)
    for chart in parts_of(result, Chart):
        if len(chart.curves) > 2:
            drawn = {curve.key for curve in chart.curves}
            assert 1 <= len(chart.in_headline) <= 2
            assert set(chart.in_headline) <= drawn


@pytest.mark.parametrize(("key", "changes"), STATES)
def test_at_most_three_controls_are_in_sight(key, changes):
    state = PAGE.usual(key) | changes
    view = PAGE.open_view(state)
    assert 1 <= len(set(view.in_sight) - set(view.idle(state))) <= 3


def test_presets_change_settings_of_a_view_and_every_view_for_everyone_has_one():
    opened = {preset.values["view"] for preset in PAGE.presets}
    assert {view.key for view in PAGE.for_everyone} <= opened
    assert all(len(preset.values) > 1 for preset in PAGE.presets)
