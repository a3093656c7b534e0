import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.results.evidence import (
    Axis,
    Bracket,
    Chart,
    Curve,
    Evidence,
    Result,
    Source,
    Subject,
)

X = np.array([1.0, 2.0, 3.0])


def curve(key, x=X, y=None, **rest):
    y = x * 2 if y is None else y
    return Curve(key, key, Subject.BOUNDED, Evidence.EXACT, Source("Test"), x, y, **rest)


def chart(*curves):
    return Chart(Axis("queries", "Queries"), Axis("error", "Error"), curves)


finite = st.floats(allow_nan=False, allow_infinity=False)


@given(finite, finite)
def test_a_bracket_is_ordered_and_its_midpoint_inside(a, b):
    bracket = Bracket(min(a, b), max(a, b))
    if math.isfinite(bracket.upper - bracket.lower):
        assert bracket.lower <= bracket.midpoint <= bracket.upper
    if a != b:
        with pytest.raises(ValueError, match="lower must not exceed upper"):
            Bracket(max(a, b), min(a, b))


def test_a_bracket_refuses_nan():
    with pytest.raises(ValueError, match="nan"):
        Bracket(math.nan, 1.0)


@pytest.mark.parametrize(("bracket", "width"), [((0, 0), 0.0), ((3, 4), 0.25), ((5, 5), 0.0)])
def test_relative_width(bracket, width):
    assert Bracket(*bracket).relative_width == width


@pytest.mark.parametrize("name", ["y", "lower", "upper", "holds"])
def test_a_curve_refuses_arrays_of_another_shape(name):
    with pytest.raises(ValueError, match=f"{name} must have the shape of x"):
        curve("a", **{name: np.ones(2)})


def test_a_source_names_paper_and_item():
    assert str(Source("Dagan & Kur", "Lemma 10.2")) == "Dagan & Kur, Lemma 10.2"
    assert str(Source("Dagan & Kur")) == "Dagan & Kur"


def test_a_chart_finds_its_curves():
    drawn = chart(curve("a"), curve("b"))
    assert drawn.curve("b").key == "b"
    with pytest.raises(KeyError, match="no curve 'c'"):
        drawn.curve("c")


def test_a_result_says_which_chart_it_draws():
    class Picture(Result):
        def columns(self):
            return {}

    drawn = chart(curve("bounded"))
    assert drawn.drawn_chart is drawn
    assert Picture().drawn_chart is None


def test_columns_are_wide_when_the_curves_share_their_x():
    table = chart(
        curve("a", lower=X, upper=X * 3), curve("b", holds=np.array([True, False, True]))
    ).columns()
    assert list(table) == ["queries", "a", "a_lower", "a_upper", "b", "b_holds"]
    assert table["queries"].tolist() == [1, 2, 3]
    assert table["a_upper"].tolist() == [3, 6, 9]


def test_columns_are_long_when_they_do_not():
    other = np.array([5.0, 6.0])
    table = chart(curve("a", lower=X, upper=X), curve("b", x=other)).columns()
    assert list(table) == ["curve", "queries", "error", "error_lower", "error_upper"]
    assert table["curve"].tolist() == ["a", "a", "a", "b", "b"]
    assert table["queries"].tolist() == [1, 2, 3, 5, 6]
    assert table["error"].tolist() == [2, 4, 6, 10, 12]
    assert np.isnan(table["error_lower"][3:]).all()


def test_of_a_long_table_the_ends_are_named_once():
    other = np.array([1.0, 5.0])
    long = chart(curve("a", lower=X, upper=X), curve("b", x=other)).headings
    assert {long["error_lower"], long["error_upper"]} == {"lower end", "upper end"}
    wide = chart(curve("a", lower=X, upper=X), curve("b")).headings
    assert wide["a_lower"] == f"{wide['a']}, lower end"


def test_long_columns_say_that_an_unstated_assumption_holds():
    holds = np.array([True, False, True])
    table = chart(curve("a", holds=holds), curve("b", x=np.array([5.0]))).columns()
    assert table["error_holds"].tolist() == [True, False, True, True]


def test_headings_are_the_labels_of_the_figure():
    both = [curve("a", lower=X, upper=X, holds=X > 1), curve("b")]
    drawn = chart(*both)
    said = drawn.headings
    assert list(said) == list(drawn.columns())
    a = drawn.curve("a").label
    assert said["a"] == a
    assert said["a_lower"] == f"{a}, lower end"
    assert said["a_holds"] == f"{a}, whether the assumption holds"
    assert said["queries"].startswith(drawn.x.label)
    assert chart(curve("a"), curve("b", x=X[:2])).curve_labels == {"a": a, "b": said["b"]}


@given(st.lists(st.integers(0, 4), max_size=4))
def test_columns_are_equally_long(sizes):
    curves = [curve(f"c{i}", x=np.arange(float(n))) for i, n in enumerate(sizes)]
    table = chart(*curves).columns()
    assert len({len(column) for column in table.values()}) <= 1


def test_a_curve_is_read_at_the_readers_place_or_next_to_it():
    x = np.array([1.0, 10.0, 100.0])
    curve = Curve(
        "c", "", Subject.BOUNDED, Evidence.EXACT, Source("dpviz"), x=x, y=np.array([3.0, 5.0, 7.0])
    )
    for here, expected in ((10.0, 5.0), (12.0, 5.0), (90.0, 7.0)):
        assert Chart(Axis("x", "x"), Axis("y", "y"), (curve,), here=here).value("c") == expected
