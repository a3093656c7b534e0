"""How often they differ: curves, simulated points, sentences."""

import numpy as np
import pytest
from hypothesis import given

from dpviz.topics.shared_darts.views import how_often_they_differ_shown
from tests.support.declarations import last, page, shown, states
from tests.support.examples import examples
from tests.support.headlines import faults

VIEW = how_often_they_differ_shown.VIEW
PAGE = page("shared_darts")
few = examples(20)


def test_simulated_points_lie_at_their_exact_curve():
    chart = last(PAGE, "disagreement")
    points, curve = chart.curve("simulated"), chart.curve("outputs")
    exact = np.interp(points.x, curve.x, curve.y)
    assert np.mean((points.lower <= exact + 1e-9) & (exact - 1e-9 <= points.upper)) >= 0.8
    assert np.max(points.upper - points.lower) < 0.05


def test_equal_bells_never_differ_with_anything_shared():
    chart = last(PAGE, "disagreement", gap=0)
    assert chart.outputs == chart.darts == chart.inverse == 0
    assert "one shared uniform number with 0," in VIEW.detail(chart)


@few
@given(values=states(PAGE))
def test_curves_lie_in_their_order(values):
    chart = last(PAGE, "disagreement", **values | {"view": "disagreement"})
    least, outputs, darts = (chart.curve(key).y for key in ("least", "outputs", "darts"))
    assert np.all(least <= outputs + 1e-9)
    assert np.all(outputs <= darts + 1e-9)
    assert np.all(darts <= 2 * chart.curve("darts").x + 1e-9)
    low, high = chart.curve("least").x.min(), chart.curve("least").x.max()
    assert low - 1e-9 <= chart.distance <= high + 0.05
    assert not faults(VIEW.takeaway(chart))
    assert "nan" not in VIEW.detail(chart)
    assert ("(at most" in VIEW.detail(chart)) == (chart.distance < 0.5)


def test_agreement_breaks():
    _, chart, _ = shown(PAGE, "Agreement breaks")
    assert chart.outputs > 0.8


@pytest.mark.parametrize("gap", [0.37, 1.0, 12.5])
def test_the_curves_go_through_the_readers_own_place(gap):
    chart = last(PAGE, "disagreement", gap=gap)
    for key in ("outputs", "darts", "independent", "inverse"):
        assert chart.value(key) == pytest.approx(getattr(chart, key), rel=1e-12)
