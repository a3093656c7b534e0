"""What a figure shows while a control moves: curves that are so, and the last ones until then.

For the sliders of all views: the first result after a step of the slider is drawn as a reader gets
it who has seen the figure before, and compared with what the view finds at last.
"""

import math
import re

import numpy as np
import pytest

from dpviz.plot.labels import label
from dpviz.plot.partial_chart import FADED, stand_in
from dpviz.plot.steady import ranges
from dpviz.results.evidence import Chart, parts_of
from dpviz.serve.lines import Look, charts_before
from dpviz.serve.lines import drawn as shown
from tests.support.declarations import SLUGS, first, page
from tests.support.drags import LOOK, computed, drawn, held, sliders, sliders_of, states
from tests.support.examples import by_ring

# Pixels from a line of a first result to the curve: the line's own width, and a little more.
_OFF = 3.5


def _places(values, axis):
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.asarray(values, dtype=float)
        return np.log10(values) if axis.get("type") == "log" else values


def _lines(figure):
    return [
        trace
        for trace in figure.data
        if trace["type"] == "scatter"
        and "lines" in trace.get("mode", "")
        and trace.get("opacity") != FADED
        and "fill" not in trace
        and "rgba" not in trace["line"]["color"]
    ]


def _axes(line, layout):
    return [layout[f"{k}axis{line.get(f'{k}axis', k)[1:]}"] for k in "xy"]


def _off(line, final, layout):
    """How many pixels a line is off the curve of the final figure, where both are."""
    across, up = _axes(line, layout)
    x, y = _places(line["x"], across), _places(line["y"], up)
    at, curve = _places(final["x"], across), _places(final["y"], up)
    known, known_too = np.isfinite(x) & np.isfinite(y), np.isfinite(at) & np.isfinite(curve)
    x, y, at, curve = x[known], y[known], at[known_too], curve[known_too]
    low, high = up["range"]
    inside = (at >= x.min(initial=math.inf)) & (at <= x.max(initial=-math.inf))
    inside &= (curve >= low) & (curve <= high)
    if not inside.any() or (np.diff(x) <= 0).any():
        return 0.0
    found = np.clip(np.interp(at[inside], x, y), low, high)
    margin, (foot, top) = layout["margin"], up.get("domain", (0, 1))
    return float(abs(found - curve[inside]).max()) * (
        (top - foot) * (layout["height"] - margin["t"] - margin["b"]) / (high - low)
    )


def _known(chart):
    return {curve.key for curve in chart.curves if np.isfinite(curve.y).any()}


def _about(computation):
    """What the charts of a result are about."""
    return [chart.in_headline for chart in parts_of(computation.result, Chart)]


def _aside(figure):
    """Which curves a figure has, and whether it is not about them."""
    return {_plain(t["name"]): "meta" in t for t in figure.data if t.get("name")}


def _labels(key, *charts):
    every = [(curve, one.y) for one in charts if one is not None for curve in one.curves]
    return {_plain(label(curve, y)) for curve, y in every if curve.key == key}


def _plain(name):
    """A label whatever the numbers in it are, such as how many runs there were so far."""
    return " ".join(re.sub(r"[\d,.]+", "", name).split())


@pytest.mark.parametrize(("declared", "view", "key"), list(sliders()))
def test_no_line_of_a_movement_is_off_its_curve_and_no_curve_is_gone(declared, view, key):
    state, *moved = states(declared, view, key)
    if not moved:
        return
    first = computed(declared.slug, view.key, moved[-1], 1)
    if first.whole:
        return
    shown, final = (computed(declared.slug, view.key, one, 400) for one in (state, moved[-1]))
    usual = drawn(view, shown, LOOK)
    before = charts_before(shown.result, LOOK)
    figure = drawn(view, first, held(usual), before)
    if ranges(figure) is None:
        return
    last = {_which(line): line for line in _lines(drawn(view, final, held(usual)))}
    for line in _lines(figure):
        which = _which(line)
        if which in last:
            assert _off(line, last[which], figure.layout) <= _OFF, which
    names = {_plain(trace.get("name", "")) for trace in figure.data}
    usually = {_plain(trace.get("name", "")) for trace in usual.data}
    for chart in parts_of(final.result, Chart):
        old = stand_in(chart, before)
        new = stand_in(chart, tuple(parts_of(first.result, Chart)))
        for key in _known(chart) & (_known(old) if old else set()):
            labels = _labels(key, old, new)
            assert not labels & usually or labels & names, key
    if _about(shown) == _about(first):  # strong curves stay strong, and grey ones grey
        both = _aside(usual).keys() & _aside(figure).keys()
        assert {n: _aside(usual)[n] for n in both} == {n: _aside(figure)[n] for n in both}
    same_axis = figure.layout["xaxis"]["range"] == usual.layout["xaxis"]["range"]
    if same_axis and _about(shown) == _about(first):  # else the labels are others
        margins = [drawn.layout["margin"]["r"] for drawn in (figure, usual)]
        assert margins[0] == margins[1]


@pytest.mark.parametrize(
    ("slug", "key"),
    [
        ("adaptive_analysis", "attack"),
        ("public_data", "shift"),
        ("adaptive_analysis", "queries"),
    ][: by_ring(3, 4, 4)],
)
def test_what_panels_and_bars_do_not_know_yet_keeps_its_last_state_faded(slug, key):
    declared = page(slug)
    view = next(view for view in declared.views if view.key == key)
    state, *moved = states(declared, view, sliders_of(declared, view)[0])
    shown = computed(slug, key, state, 25)
    first = computed(slug, key, moved[-1], 1)
    usual = drawn(view, shown, LOOK)
    figure = drawn(view, first, held(usual), charts_before(shown.result, LOOK))
    old = [trace for trace in figure.data if trace.get("opacity") == FADED]
    assert any(np.isfinite(np.asarray(trace["y"], dtype=float)).any() for trace in old)
    names = [
        {(_plain(t.get("name", "")), t.get("yaxis", "y")) for t in drawn.data}
        for drawn in (usual, figure)
    ]
    assert names[0] <= names[1]


@pytest.mark.parametrize(("moves", "fades"), [("queries", False), ("epsilon", True)])
def test_a_curve_that_does_not_depend_on_what_moves_does_not_fade(moves, fades):
    declared = page("bounded_noise")
    view = declared.open_view(declared.usual("errors"))
    state, *moved = states(declared, view, moves)
    shown = computed("bounded_noise", "errors", state, 400)
    first = computed("bounded_noise", "errors", moved[-1], 1)
    usual = drawn(view, shown, LOOK)
    figure = drawn(view, first, held(usual), charts_before(shown.result, LOOK))
    bounded = [t for t in figure.data if (t.get("name") or "").startswith("Bounded, one by")]
    assert bounded
    assert any(trace.get("opacity") == FADED for trace in bounded) == fades


def _which(line):
    return line.get("name") or "", line["line"]["color"], line.get("yaxis", "y")


EXTREME = ("-5000,5000,-5000,5000", "0,1e6,0,1e9", "1e-320,1e308,-1e308,1e308", "0,5e-324,0,5e-324")


@pytest.mark.parametrize("slug", SLUGS)
def test_an_address_may_hold_on_to_any_axes(slug):
    """On axes of ten thousand decades there are no ticks; who looked for them never ended."""
    for view in page(slug).views:
        result = first(page(slug), view.key)
        for ends in EXTREME:
            look = Look.read({"held": ends, "across": "960"})
            figure = shown(view, result, look, whole=False).figure
            for name, axis in figure.layout.items():
                if name[1:5] == "axis" and "range" in axis:
                    assert np.isfinite(axis["range"]).all()
