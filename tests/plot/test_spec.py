"""Figures as plain data: what is written is what was drawn, and plotly knows every part of it."""

import pkgutil
import subprocess
import sys

import numpy as np
import orjson
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from dpviz import plot
from dpviz.plot.spec import Figure, bar, merged, scatter
from dpviz.plot.steady import ranges
from dpviz.plot.theme import DARK, LIGHT
from tests.support.declarations import SLUGS, begun, page
from tests.support.examples import chosen, in_nightly
from tests.support.specs import checked, decoded

KINDS = ["f8", "f4", "f2", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


def written(figure):
    return decoded(orjson.loads(figure.json()))


def of_one(**parts):
    [trace] = written(Figure([scatter(**parts)]))["data"]
    return trace


@given(st.sampled_from(KINDS).flatmap(lambda kind: arrays.arrays(kind, st.integers(0, 9))))
def test_what_is_written_is_read_again(values):
    again = of_one(x=values, hovertemplate="%{x}")["x"]
    whole = abs(values.astype(float)) < 2**53  # a browser's numbers end there
    exact = np.asarray(again, dtype=float)
    assert exact.shape == values.shape
    np.testing.assert_array_equal(exact[whole], values.astype(float)[whole])
    np.testing.assert_allclose(exact, values.astype(float))


def test_a_browser_knows_the_types_and_each_is_the_shortest():
    for values, kind in (
        (np.array([0, 255]), "u1"),
        (np.array([-1, 127]), "i1"),
        (np.array([-1, 300]), "i2"),
        (np.array([0, 70_000]), "u4"),
        (np.array([0, 2**40]), "f8"),
    ):
        [trace] = orjson.loads(Figure([scatter(customdata=values)]).json())["data"]
        assert trace["customdata"]["dtype"] == kind


def test_tables_keep_their_shape_and_words_are_lists():
    table = np.arange(6.0).reshape(2, 3)
    for form in (table, table.T, table[:, ::2]):
        np.testing.assert_array_equal(of_one(customdata=form)["customdata"], form)
    trace = of_one(text=np.array(["a", "b"]), size=np.float64(3), name="n", ids=np.empty(0))
    assert trace == {"type": "scatter", "text": ["a", "b"], "size": 3.0, "name": "n", "ids": []}
    with pytest.raises(TypeError):
        Figure([scatter(x={1, 2})]).json()


@given(arrays.arrays("f8", st.integers(1, 30)))
def test_what_nobody_reads_moves_by_less_than_anyone_sees(few):
    values = np.tile(few, 64)
    again = np.asarray(of_one(y=values, hovertemplate="%{text}")["y"], dtype=float)
    np.testing.assert_array_equal(np.isfinite(again), np.isfinite(values))
    known = values[np.isfinite(values)]
    moved = again[np.isfinite(values)] - known
    with np.errstate(over="ignore"):
        assert np.all(abs(moved) <= 1e-7 * abs(known))  # on a logarithmic axis
        if moved.any():  # on a linear one
            assert abs(moved).max() <= 1e-4 * (known.max() - known.min() or abs(known[0]))


def test_what_is_read_keeps_all_digits():
    y = np.geomspace(0.1, 1.0, 100)
    for look, kind in (
        ({"hovertemplate": "%{y:.3f}"}, "f8"),
        ({"hovertemplate": "%{text}"}, "f4"),
        ({"hoverinfo": "skip"}, "f4"),
        ({}, "f8"),
    ):
        figure = Figure([scatter(y=y, **look)])
        figure.frames = [{"name": "1", "traces": [0], "data": [{"y": y}]}]
        spec = orjson.loads(figure.json())
        assert spec["data"][0]["y"]["dtype"] == kind
        assert spec["frames"][0]["data"][0]["y"]["dtype"] == kind


def test_layouts_are_merged_as_deep_as_they_go_and_the_parts_stay_as_they_were():
    old = {"a": {"b": 1, "c": {"d": 2}}, "e": [1]}
    new = {"a": {"c": {"d": 3, "f": None}, "b": None}, "e": [2], "g": {"h": None}}
    assert merged(old, new) == {"a": {"c": {"d": 3}}, "e": [2], "g": {}}
    assert old == {"a": {"b": 1, "c": {"d": 2}}, "e": [1]}
    first = Figure().update_layout(**old)
    second = Figure().update_layout(**first.layout)
    second.update_layout(a={"c": {"d": 5}})
    second.add_shape(x0=1)
    assert first.layout == old


def test_the_same_parts_as_plotlys_own():
    x, layout = np.array([1.0, np.nan, 3.0]), {"xaxis": {"range": [0, 1]}, "height": 300}
    figure = Figure([scatter(x=x, name="a"), bar(y=x)]).update_layout(**layout)
    figure.add_annotation({"text": "a", "x": 1}, x=2)
    theirs = go.Figure([go.Scatter(x=x, name="a"), go.Bar(y=x)]).update_layout(**layout)
    theirs.add_annotation({"text": "a", "x": 1}, x=2)
    assert checked(figure) == theirs


def test_the_check_would_notice():
    for wrong in (
        Figure([scatter(color="red")]),
        Figure([bar(x=[1], hovermode="x")]),
        Figure([scatter(line={"wdth": 1})]),
        Figure().update_layout(xaxis={"title": {"txt": ""}}),
        Figure().update_layout(height="tall"),
    ):
        with pytest.raises(ValueError, match=r"(?i)invalid"):
            checked(wrong)


def test_no_figure_waits_for_plotlys_checks():
    names = [module.name for module in pkgutil.iter_modules(plot.__path__, "dpviz.plot.")]
    code = f"import sys, {', '.join(names)}\nprint('plotly' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# ---- every view ------------------------------------------------------------------------------

# Each differs from the one before in more than one way, and colours are no parts.
THEMES = (LIGHT, DARK.narrow(), DARK.projected(700))
PRESETS = [(slug, "", preset.label) for slug in SLUGS for preset in page(slug).presets]
STATES = [
    *((slug, view.key, "") for slug in SLUGS for view in page(slug).views),
    *chosen(PRESETS, PRESETS[::3]),
]


def opened(slug, key, label):
    """A view and the first result a reader sees of it; finer ones differ in numbers alone."""
    declared = page(slug)
    if label:
        [values] = [declared.preset_values(p) for p in declared.presets if p.label == label]
    else:
        values = declared.usual(key)
    view = declared.open_view(values)
    return view, begun(declared, view, values)


@pytest.mark.parametrize(("slug", "key", "label"), STATES)
def test_plotly_knows_every_part_of_every_figure(slug, key, label):
    """In all themes as a view opens; its presets draw the same parts, with other numbers.

    By default the light theme is that of presets and of axes held, and the others take turns; what
    is written of presets, and two presets of three, are left to the night.
    """
    view, result = opened(slug, key, label)
    if not key:
        look = assert_written if in_nightly() else checked
        look(view.figure(result, LIGHT))
        return
    turn = 1 + STATES.index((slug, key, label)) % 2
    for theme in chosen(THEMES, [THEMES[turn]]):
        assert_written(view.figure(result, theme))
    held = ranges(view.figure(result, LIGHT))
    checked(view.figure(result, LIGHT.holding(held)))


def assert_written(figure):
    """Plotly takes the figure and the JSON alike, and the JSON holds the figure's numbers."""
    drawn = checked(figure)
    spec = written(figure)
    read = go.Figure(spec)
    assert read.layout == drawn.layout
    for one, other in zip(read.data, drawn.data, strict=True):
        assert_alike(one.to_plotly_json(), other.to_plotly_json())
    for one, other in zip(read.frames, drawn.frames, strict=True):
        assert (one.name, one.traces, one.layout) == (other.name, other.traces, other.layout)
        assert set(one.traces) <= set(range(len(drawn.data)))
        for part, whole in zip(one.data, other.data, strict=True):
            assert_alike(part.to_plotly_json(), whole.to_plotly_json())


def assert_alike(one, other):
    assert one.keys() == other.keys()
    for key, value in one.items():
        if isinstance(value, dict) and "bdata" not in value:
            assert_alike(value, other[key])
        elif isinstance(value, np.ndarray | list | dict):
            drawn, read = (np.asarray(decoded(part)) for part in (other[key], value))
            if drawn.dtype.kind in "iuf":
                np.testing.assert_allclose(read.astype(float), drawn, rtol=1e-7, atol=0)
            else:
                np.testing.assert_array_equal(read, drawn)
        else:
            assert value == other[key]
