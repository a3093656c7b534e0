"""Differences of JSON: what they are applied to becomes what it was to become."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.serve.lecture.delta import difference
from tests.serve.lecture.files import changed

plain = st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "a", "b"])
anything = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3)
    ),
)


@given(anything, anything)
def test_a_difference_leads_from_one_to_the_other(old, new):
    before = json.dumps(old)
    written = json.loads(json.dumps(difference(old, new)))
    assert json.dumps(changed(old, written), sort_keys=True) == json.dumps(new, sort_keys=True)
    assert json.dumps(old) == before


@given(anything)
def test_there_is_no_difference_to_itself(value):
    assert difference(value, json.loads(json.dumps(value))) is None


@pytest.mark.parametrize(("old", "new"), [(1, True), (0, False), (1, 1.0)])
def test_what_only_counts_as_equal_differs(old, new):
    assert difference([old], [new]) == ["at", {"0": ["is", new]}]


def test_only_what_changed_is_said():
    old = {"a": [1, {"b": 2, "c": 3}], "d": 4, "e": 5}
    new = {"a": [1, {"b": 2, "c": 6}], "d": 4}
    assert difference(old, new) == ["in", {"a": ["at", {"1": ["in", {"c": ["is", 6]}, []]}]}, ["e"]]
