"""How often they differ: curves, simulated points, sentences."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

from dpviz.plot.text import percent
from dpviz.results.parameters import ParameterError
from dpviz.scene.codec import decode_address
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
    chart = last(PAGE, "disagreement", **values | {"view": "disagreement", "along": "gap"})
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


def test_games_with_few_darts_lie_at_their_exact_curve():
    chart = last(PAGE, "disagreement", along="darts", gap=2.0, darts=30)
    points, curve = chart.curve("simulated"), chart.curve("limited")
    exact = np.interp(points.x, curve.x, curve.y)
    assert np.mean((points.lower <= exact + 1e-9) & (exact - 1e-9 <= points.upper)) >= 0.7
    assert chart.outputs < chart.limited < chart.independent
    assert "With 30 shared darts" in VIEW.takeaway(chart)
    assert f"{chart.enough} shared darts are enough" in VIEW.detail(chart)


def test_one_dart_is_one_and_enough_of_them_are_as_good_as_endless_ones():
    # Whichever outcome the dart hits is someone's.
    apart = {"gap": 20, "width": 0.3, "width_ratio": 0.2, "outcomes": 2}
    chart = last(PAGE, "disagreement", along="darts", darts=1, **apart)
    assert chart.enough == 1
    assert "With 1 shared dart Ann" in VIEW.takeaway(chart)
    assert " 1 shared dart is enough" in VIEW.detail(chart)
    many = VIEW.takeaway(last(PAGE, "disagreement", along="darts", darts=1000))
    assert many.startswith("With 1,000 shared darts")
    assert many.endswith("; the same as with endless ones.")


def test_the_view_of_its_own_that_few_darts_had_is_seen_as_it_was():
    query = {"view": ["supply"], "darts": ["30"]}
    values, notes = decode_address(query, PAGE.url_parameters)
    assert (values["view"], values["along"], notes) == ("disagreement", "darts", ())
    chart = last(PAGE, "disagreement", along="darts", darts=30)
    assert chart.here == values["darts"]
    assert [c.key for c in chart.curves] == ["own", "limited", "endless", "simulated"]
    asked = (VIEW.prediction.applies, VIEW.sketch.applies)
    assert not any(applies(values) for applies in asked)
    assert all(applies(PAGE.usual("disagreement")) for applies in asked)


@pytest.mark.parametrize("along", ["gap", "darts"])
def test_two_curves_are_those_of_the_sentence(along):
    chart = last(PAGE, "disagreement", along=along)
    assert len(set(chart.in_headline)) == 2
    for key in chart.in_headline:
        assert percent(chart.value(key)) in VIEW.takeaway(chart)


def test_unknown_directions_are_named():
    with pytest.raises(ParameterError, match="along"):
        last(PAGE, "disagreement", along="sideways")


@pytest.mark.parametrize(("ratio", "said"), [(1, True), (0.2, False)])
def test_nearer_bells_are_said_to_differ_less_often_where_they_do(ratio, said):
    """Of bells that are not as wide, two at a larger distance can differ less often."""
    setting = {"width": 2, "width_ratio": ratio, "outcomes": 10}
    chart = last(PAGE, "disagreement", **setting, gap=1)
    farther = [last(PAGE, "disagreement", **setting, gap=gap) for gap in np.linspace(0, 10, 41)]
    pairs = sorted((one.distance, one.outputs) for one in farther)
    rises = all(after[1] >= before[1] - 1e-9 for before, after in pairwise(pairs))
    assert rises == said
    assert ("The nearer the bells" in VIEW.takeaway(chart)) == said
