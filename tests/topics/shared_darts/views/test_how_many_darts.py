"""How many darts: what a limited supply costs."""

import numpy as np

from dpviz.topics.shared_darts.views import how_many_darts_shown
from tests.support.declarations import last, page

VIEW = how_many_darts_shown.VIEW
PAGE = page("shared_darts")


def test_games_with_few_darts_lie_at_their_exact_curve():
    chart = last(PAGE, "supply", gap=2.0, darts=30)
    points, curve = chart.curve("simulated"), chart.curve("limited")
    exact = np.interp(points.x, curve.x, curve.y)
    assert np.mean((points.lower <= exact + 1e-9) & (exact - 1e-9 <= points.upper)) >= 0.7
    assert chart.endless < chart.limited < chart.independent
    assert "With 30 shared darts" in VIEW.takeaway(chart)
    assert f"{chart.enough} shared darts are enough" in VIEW.detail(chart)


def test_one_dart_is_one_and_enough_of_them_are_as_good_as_endless_ones():
    apart = {"gap": 20, "width": 0.3, "width_ratio": 0.2, "outcomes": 2}
    chart = last(PAGE, "supply", darts=1, **apart)  # whichever outcome it hits is someone's
    assert chart.enough == 1
    assert "With 1 shared dart the two" in VIEW.takeaway(chart)
    assert " 1 shared dart is enough" in VIEW.detail(chart)
    many = VIEW.takeaway(last(PAGE, "supply", darts=1000))
    assert many.startswith("With 1,000 shared darts")
    assert many.endswith("of games, as with endless ones.")
