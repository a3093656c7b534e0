"""Axes that stand still during a movement."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dpviz.plot.axes import Scale
from dpviz.plot.chart import draw
from dpviz.plot.partial_chart import PartialCurve, begun, judged
from dpviz.plot.spec import Figure, scatter
from dpviz.plot.steady import ranges, steady_x, steady_y
from dpviz.plot.theme import LIGHT
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, Source, Subject
from dpviz.serve.lines import Look

ends = st.tuples(st.floats(-100, 100), st.floats(1e-3, 100)).map(lambda p: (p[0], p[0] + p[1]))


def scale(ends, log=True):
    return Scale(Axis("y", "y", log=log), *ends)


def held(wanted, before, log=True):
    kept = steady_y(scale(wanted, log), before)
    return kept.low, kept.high


def chart(*y):
    curve = Curve("a", "a", Subject.BOUNDED, Evidence.EXACT, Source("Test"), np.arange(1, 4), y)
    return Chart(Axis("x", "x"), Axis("y", "y"), (curve,))


@given(ends, ends)
def test_nothing_is_cut_off_and_nothing_is_lost_in_a_wide_range(before, wanted):
    low, high = held(wanted, before)
    span = wanted[1] - wanted[0]
    room = 0.05 / 1.1 * span  # that axes have around their curves at first
    assert low <= wanted[0] + room
    assert wanted[1] - room <= high
    assert high - low <= 2 * span * (1 + 1e-9)
    assert held(wanted, (low, high)) == (low, high)


@given(ends, st.floats(0, 0.4), st.floats(0, 0.09))
def test_an_axis_that_fits_stands_still(before, left, right):
    span = before[1] - before[0]
    wanted = before[0] + left * span, before[1] - right * span
    assert held(wanted, before) == before
    kept = steady_x(scale(wanted), before)
    assert (kept.low, kept.high) == before


@given(ends, ends)
def test_a_horizontal_axis_is_the_one_before_or_its_own(before, wanted):
    kept = steady_x(scale(wanted), before)
    assert (kept.low, kept.high) in (before, wanted)
    assert kept.low <= wanted[0] < wanted[1] <= kept.high


def test_a_curve_that_drifts_moves_its_axis_only_now_and_then():
    before, moves = (0.5, 2.5), 0
    for shift in np.arange(0.0, 8.0, 0.1):
        new = held((0.5 + shift, 2.5 + shift), before)
        moves, before = moves + (new != before), new
    assert 5 <= moves <= 25


def test_an_axis_of_positive_quantities_gets_no_room_below_zero():
    assert held((0.0, 1.0), (5.0, 6.0), log=False)[0] == 0.0
    assert held((-0.05, 1.0), (5.0, 6.0), log=False)[0] == -0.05
    assert held((-0.2, 1.0), (5.0, 6.0), log=False)[0] < -0.2
    assert held((0.0, 1.0), (5.0, 6.0))[0] < 0.0


def test_a_figure_holds_on_to_the_axes_of_the_one_before():
    first = ranges(draw(chart(1.0, 10.0, 100.0), LIGHT))
    drawn = draw(chart(2.0, 20.0, 90.0), LIGHT.holding(first))
    assert ranges(drawn) == first
    assert ranges(draw(chart(2.0, 20.0, 90.0), LIGHT)) != first
    assert 0 <= np.log10(drawn.layout["yaxis"]["tickvals"][0]) <= first[1][1]


def test_a_figure_of_a_part_of_its_curves_moves_no_axis_for_being_a_part():
    before = (0.0, 6.0), (-3.0, 4.0)
    wanted = scale((0.0, 1.0)), scale((-3.0, -1.2))
    for place, steady in enumerate((steady_x, steady_y)):
        part = steady(wanted[place], before[place], in_parts=True)
        whole = steady(wanted[place], before[place])
        assert (part.low, part.high) == before[place]
        assert whole.high < before[place][1]


def test_a_plot_does_not_go_to_and_fro_with_the_words_at_its_ticks():
    first = draw(chart(1000.0, 2000.0, 3000.0), LIGHT)
    left = first.layout["margin"]["l"]
    short = chart(1.0, 2.0, 3.0)
    assert draw(short, LIGHT).layout["margin"]["l"] < left
    drawn = draw(short, LIGHT.holding(ranges(first), left))
    assert drawn.layout["margin"]["l"] == left
    [title] = [note for note in drawn.layout["annotations"] if note["text"] == "y"]
    assert title["xshift"] == 8 - left
    wide = draw(chart(1000.0, 2000.0, 3000.0), LIGHT.holding(ranges(first), left - 7))
    assert wide.layout["margin"]["l"] == left


def test_a_figure_without_a_past_keeps_its_own_ranges():
    usual = draw(chart(1.0, 2.0, 3.0), LIGHT)
    assert draw(chart(1.0, 2.0, 3.0), LIGHT.holding(None)).json() == usual.json()
    assert ranges(Figure([scatter(y=[1, 2])])) is None


def test_an_axis_of_nothing_yet_stays():
    """A panel that is not computed yet must not stretch the axis that its curve will need."""
    first = ranges(draw(chart(2.0, 20.0, 90.0), LIGHT))
    nothing = draw(chart(math.nan, math.nan, math.nan), LIGHT.holding(first, partial=True))
    assert nothing.layout["yaxis"]["range"] == list(first[1])


def test_points_of_a_simulation_stand_alone_once_they_reach_the_end_of_those_before():
    x = np.arange(1.0, 11)

    def shown(known):
        y = np.where(np.arange(10) < known, 0.5, math.nan)
        curve = Curve("a", "a", Subject.BOUNDED, Evidence.SIMULATED, Source("Test"), x, y)
        return Chart(Axis("x", "x"), Axis("y", "y", log=False), (curve,))

    before = shown(10)
    parts = [begun(shown(known), before)[0].before for known in (5, 9, 10)]
    assert parts == [*before.curves, *before.curves, None]


def test_rows_named_from_above_are_told_from_below():
    """Such an axis is drawn downwards, and an address that named it so was not read at all."""
    panel, rows = {"range": [0.0, 2.0]}, {"range": [1.5, -0.5]}
    figure = Figure().update_layout(xaxis=panel, yaxis=rows, xaxis2=panel, yaxis2=panel)
    assert ranges(figure) == ((0.0, 2.0), (-0.5, 1.5), (0.0, 2.0))
    held = ",".join(str(end) for ends in ranges(figure) for end in ends)
    assert Look.read({"held": held}).held == ranges(figure)


def test_a_curve_of_which_no_point_is_on_the_axes_yet_is_judged_too():
    before, now = chart(1.0, 2.0, 3.0).curves[0], chart(np.nan, 50.0, np.nan).curves[0]
    axes = (Scale(Axis("x", "x", log=False), 1, 3), Scale(Axis("y", "y", log=False), 0, 4))
    [part] = judged([PartialCurve(now, joined=False, before=before)], *axes, 400)
    assert not part.joined
