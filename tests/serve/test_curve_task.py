"""Curves as answers: what a browser is told, and what is said of what was drawn."""

import numpy as np
import pytest

from dpviz.scene.exercise import CurveAnswer
from dpviz.serve.curve_task import CurveTask
from dpviz.topics.classroom.sketches import COLUMNS, STEPS, Plane, Side, heights_at

X = Side("samples", "Samples, n", 0, 4, log=True, ticks=((0, "1"), (4, "10,000")))
Y = Side("epsilon", "ε", -2, 2, log=True, ticks=((-2, "0.01"), (2, "100")))
CURVE = CurveAnswer("exact", "n", (1, 100, 300), 0.05, "epsilon=1")
LINE = np.linspace(0, 1, 5)
DRAWING = CurveTask(CURVE, Plane(X, Y), (LINE, 0.25 + LINE / 2))  # ε = 0.1 √n


def written(*heights):
    """A sketch with so high a line in each column, None for a gap."""
    assert len(heights) == COLUMNS
    pairs = (
        np.base_repr(round(h * STEPS), 36).lower().rjust(2, "0") if h is not None else "--"
        for h in heights
    )
    return "".join(pairs)


def line(lift=0.0, slope=0.5):
    return [0.25 + lift + slope * part for part in np.linspace(0, 1, COLUMNS)]


def test_a_sketch_is_read_between_its_columns():
    text = written(0, 1, *[None] * (COLUMNS - 2))
    parts = np.array([0, 0.25, 1, 1.5]) / (COLUMNS - 1)
    assert heights_at(text, parts) == pytest.approx([0, 0.25, 1, np.nan], nan_ok=True, abs=1e-3)
    assert heights_at(written(*line()), np.array([1.0])) == pytest.approx([0.75], abs=1e-3)


def test_what_is_where_it_should_be_is_right():
    assert DRAWING.allowance == "within a factor of 1.6 of the exact curve"
    right, said = DRAWING.checked(written(*line()))
    assert right
    assert said == f"It is {DRAWING.allowance} at all 3 places."
    assert DRAWING.checked(written(*line(lift=0.049)))[0]
    assert not DRAWING.checked(written(*line(lift=0.052)))[0]


def test_it_says_where_a_curve_is_off():
    right, said = DRAWING.checked(written(*line(lift=0.06, slope=0.45)))
    assert not right
    assert said == "It is too high at n = 1. The other 2 places are right."
    _, said = DRAWING.checked(written(*line(lift=0.2, slope=-0.2)))
    assert said == "It is too high at n = 1, and too low at n = 100 and 300."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Draw the curve first."),
        ("zz", "Draw the curve first."),
        ("--" * COLUMNS, "Draw the curve first."),
        (written(*line()[:10], *[None] * (COLUMNS - 10)), "Nothing is drawn at n = 100 and 300."),
    ],
)
def test_what_is_not_whole_is_no_answer(text, said):
    assert DRAWING.checked(text) == (None, said)


def test_a_browser_is_told_the_curve_only_when_it_may_know():
    told = DRAWING.as_data(exact=False)
    assert told["exact"] is None
    parts, names = zip(*told["marks"], strict=True)
    assert parts == pytest.approx([0, 0.5, 0.619], abs=1e-3)
    assert names == ("n = 1", "n = 100", "n = 300")
    assert DRAWING.as_data(exact=True)["exact"] == [[x, 0.25 + x / 2] for x in LINE]


def test_a_file_has_a_curve_in_words():
    assert DRAWING.drawn(written(*line())) == "n = 1: 0.1; n = 100: 1; n = 300: 1.7"
    half = written(*line()[:10], *[None] * (COLUMNS - 10))
    assert DRAWING.drawn(half) == "n = 1: 0.1; n = 100: nothing; n = 300: nothing"
    assert not DRAWING.drawn("zz")


def test_a_linear_axis_allows_a_part_of_itself():
    linear = Side("hits", "Hits", 0, 2, log=False)
    drawing = CurveTask(CURVE, Plane(X, linear), DRAWING.line)
    assert drawing.allowance == "within 0.1 of the exact curve"
    assert linear.parts(linear.values(LINE)) == pytest.approx(LINE)
    assert X.parts(X.values(LINE)) == pytest.approx(LINE)
