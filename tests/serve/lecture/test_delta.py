"""Differences of JSON: what they are applied to becomes what it was to become."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.serve.lecture.delta import columns, difference
from tests.serve.lecture.files import held
from tests.support.examples import examples

plain = st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "a", "b"])
anything = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3)
    ),
)


@examples(60)
@given(st.lists(st.tuples(anything, anything), min_size=1, max_size=20))
def test_a_difference_leads_from_one_to_the_other(pairs):
    before = json.dumps(pairs)
    asked = (("changed", old, difference(old, new)) for old, new in pairs)
    assert held(*asked) == [new for _, new in pairs]
    assert json.dumps(pairs) == before


@given(anything)
def test_there_is_no_difference_to_itself(value):
    assert difference(value, json.loads(json.dumps(value))) is None


@pytest.mark.parametrize(("old", "new"), [(1, True), (0, False), (1, 1.0)])
def test_what_only_counts_as_equal_differs(old, new):
    assert difference([old, 2], [new, 2]) == ["at", {"0": ["is", new]}]


def test_only_what_changed_is_said():
    old = {"a": [1, {"b": 2, "c": 3}], "d": 4, "e": 5}
    new = {"a": [1, {"b": 2, "c": 6}], "d": 4}
    assert difference(old, new) == [
        "in",
        {"a": ["at", {"1": ["in", {"c": ["is", 6]}]}], "e": ["gone"]},
    ]
    assert difference([1, 2, 3, 4], [1, 9, 8, 7, 4]) == ["cut", 1, 3, [9, 8, 7]]


def test_differences_stand_place_by_place():
    first, others = {"a": 1, "b": 2}, [{"a": 1, "b": 3}, {"a": 1, "b": 2}, {"b": 2, "c": 4}]
    parts = columns([difference(first, other) for other in others])
    assert parts == {
        "b": [["is", 3], None, None],
        "a": [None, None, ["gone"]],
        "c": [None, None, ["is", 4]],
    }
    names = ["one", "same", "more"]
    differing = held(*(("differing", {"names": names, "parts": parts}, name) for name in names))
    assert held(*(("changed", first, one) for one in differing)) == others
