"""Which curves a headline is about: one or two, wherever a chart has more."""

import pytest

from dpviz.results.evidence import Chart
from dpviz.results.parameters import ParameterError
from dpviz.scene.codec import Choice
from dpviz.scene.scene import Scene
from tests.support.declarations import begun, page

SLUGS = ("clipping", "few_users", "public_data", "shared_darts", "user_complexity")


@pytest.mark.parametrize(
    ("slug", "key"), [(slug, view.key) for slug in SLUGS for view in page(slug).views]
)
def test_a_headline_is_about_one_or_two_curves(slug, key):
    declared = page(slug)
    view, usual = declared.open_view({"view": key}), declared.usual(key)
    options = [
        usual | {choice.key: option}
        for choice in map(declared.parameter, view.parameters)
        if isinstance(choice, Choice)
        for option in choice.options
        if option != "own"  # there is no file
    ]
    presets = [declared.preset_values(preset) for preset in declared.presets]
    for values in (usual, *options, *(one for one in presets if one["view"] == key)):
        try:
            chart = begun(declared, view, Scene.settled(declared, values).values).drawn_chart
        except ParameterError:
            continue  # the papers have no such bound
        if isinstance(chart, Chart) and len(chart.curves) > 2:
            assert 1 <= len(chart.in_headline) <= 2, values
            assert set(chart.in_headline) <= {curve.key for curve in chart.curves}, values
