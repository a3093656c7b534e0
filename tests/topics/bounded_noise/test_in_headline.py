"""The curves a figure is about: one or two where there are many, as it opens and in each preset."""

import pytest

from dpviz.results.evidence import Chart, parts_of
from tests.support.declarations import begun, page

SLUGS = ("bounded_noise", "promise")


def states():
    for slug in SLUGS:
        for view in page(slug).views:
            yield slug, {"view": view.key}
        for preset in page(slug).presets:
            yield slug, dict(preset.values)


@pytest.mark.parametrize(("slug", "state"), list(states()))
def test_a_figure_of_many_curves_is_about_one_or_two(slug, state):
    declared = page(slug)
    values = declared.usual(state["view"]) | state
    for chart in parts_of(begun(declared, declared.open_view(values), values), Chart):
        if len(chart.curves) > 2 and chart.x.name != "step":  # a bar for each step of a proof
            assert 1 <= len(chart.in_headline) <= 2
            assert set(chart.in_headline) <= {curve.key for curve in chart.curves}
