"""Sketches: what is one, where its points are, what many of them say together."""

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.evidence import Subject
from dpviz.results.parameters import ParameterError
from dpviz.topics.classroom.sketches import (
    COLUMNS,
    STEPS,
    Plane,
    Side,
    fractions,
    is_sketch,
    quartiles,
)
from dpviz.topics.classroom.sketches_shown import with_sketch
from dpviz.topics.classroom.views.class_sketches import class_sketches
from dpviz.topics.classroom.views.class_sketches_shown import VIEW

PLANE = Plane(
    Side("k", "Answers, k", 0.0, 4.0, log=True, ticks=((0.0, "1"), (2.0, "100"))),
    Side("share", "Share", -0.5, 1.5, log=False),
)
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def written(heights):
    """A sketch as a phone writes it."""
    pairs = ["--" if h is None else DIGITS[h // 36] + DIGITS[h % 36] for h in heights]
    return "".join(pairs)


HEIGHTS = st.lists(st.none() | st.integers(0, STEPS), min_size=COLUMNS, max_size=COLUMNS)


@given(HEIGHTS)
def test_a_sketch_is_read_as_it_was_written(heights):
    drawn = sum(h is not None for h in heights)
    assert is_sketch(written(heights)) == (drawn >= 2)
    if drawn >= 2:
        read = fractions([written(heights)])[0]
        assert [h is None for h in heights] == np.isnan(read).tolist()
        known = [h / STEPS for h in heights if h is not None]
        assert read[~np.isnan(read)] == pytest.approx(known)


@given(st.text(max_size=120) | st.text(DIGITS + "-", max_size=120))
def test_any_text_is_a_sketch_or_none(text):
    if is_sketch(text):
        row = fractions([text])
        assert row.shape == (1, COLUMNS)
        assert np.nanmin(row) >= 0
        assert np.nanmax(row) <= 1
    else:
        with pytest.raises(ParameterError):
            fractions([text])


@pytest.mark.parametrize(
    "text", ["", "--" * COLUMNS, "0" * 2 * COLUMNS + "0", "ZZ" * COLUMNS, "٣٣" * COLUMNS,
             "00" * COLUMNS + "\n", "0." * COLUMNS, "00" + "--" * (COLUMNS - 1)]
)  # fmt: skip
def test_what_is_no_line_is_no_sketch(text):
    assert not is_sketch(text)


def test_heights_lie_on_the_axes_as_drawn():
    ends = class_sketches(PLANE, state="k = 3", rounds=[["00" * 20 + "zz" * 21]])
    assert PLANE.places[[0, 20, 40]] == pytest.approx([1, 100, 10_000])
    assert ends.rounds[0][0][[0, 40]] == pytest.approx([-0.5, 1.5])


@given(st.lists(HEIGHTS.filter(lambda h: sum(x is not None for x in h) > 1), max_size=7))
def test_quartiles_are_those_of_who_drew_there(sketches):
    rows = quartiles(fractions([written(heights) for heights in sketches]))
    for column in range(COLUMNS):
        there = [h[column] / STEPS for h in sketches if h[column] is not None]
        if 2 * len(there) < len(sketches) or not there:
            assert np.isnan(rows[:, column]).all()
        else:
            assert rows[1, column] == pytest.approx(statistics.median(there))
            assert sum(t <= rows[0, column] + 1e-12 for t in there) >= len(there) / 4
            assert sum(t >= rows[2, column] - 1e-12 for t in there) >= len(there) / 4


def test_on_a_log_axis_the_median_is_that_of_the_heights():
    plane = Plane(PLANE.x, Side("eps", "ε", 0.0, 2.0, log=True))
    result = class_sketches(plane, state="k = 3", rounds=[["00" * COLUMNS, "zz" * COLUMNS]])
    assert result.middle[1] == pytest.approx(np.full(COLUMNS, 10.0))


def test_the_figure_shows_the_curve_only_where_it_is_given():
    texts = ["00" * COLUMNS, "zz" * COLUMNS, "hr" * COLUMNS]
    x, y = np.array([1.0, 10.0]), np.array([0.0, 1.0])
    sealed = class_sketches(PLANE, state="k = 3", rounds=[[]])
    shown = class_sketches(PLANE, state="k = 3", rounds=[texts, texts[:1]])
    known = class_sketches(
        PLANE, state="k = 3", rounds=[texts], exact=(x, y), label="exact", sentence="So"
    )
    for theme in (LIGHT, DARK.narrow()):
        assert VIEW.figure(sealed, theme).data == []
        names = [trace.get("name") for trace in VIEW.figure(shown, theme).data]
        assert names == ["first vote", "second vote", None, "median"]
        traces = VIEW.figure(known, theme).data
        assert [t["name"] for t in traces if t.get("name")] == ["sketches", "median", "exact"]
        assert VIEW.figure(known, theme).layout["xaxis"]["tickvals"] == [1.0, 100.0]
    assert [VIEW.takeaway(each) for each in (shown, known)] == ["k = 3", "So"]


def test_a_table_has_a_row_for_each_point():
    gap = "--" * (COLUMNS - 2)
    result = class_sketches(PLANE, state="k = 3", rounds=[["00zz" + gap, "zz" * COLUMNS]])
    table = result.columns()
    assert list(table) == ["round", "sketch", "k", "share"]
    assert table["sketch"].tolist() == [1, 1] + [2] * COLUMNS
    assert table["share"][:2] == pytest.approx([-0.5, 1.5])


def test_ones_own_sketch_lies_over_a_figure():
    figure = VIEW.figure(class_sketches(PLANE, state="k = 3", rounds=[]), LIGHT)
    assert with_sketch(figure, PLANE, "nonsense", LIGHT).data == []
    own = with_sketch(figure, PLANE, "zz" * COLUMNS, LIGHT).data
    assert own[0]["y"] == pytest.approx(np.full(COLUMNS, 1.5))
    assert own[0]["line"]["color"] != LIGHT.subjects[Subject.USER_LEVEL]
