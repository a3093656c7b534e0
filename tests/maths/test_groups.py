"""Groups of people, and ranges of them, counted one by one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dpviz.maths.groups import edges_around, group_of, intervals, within
from tests.support.examples import examples


def test_every_range_of_neighbouring_groups_once():
    assert sorted(map(tuple, intervals(3))) == [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]


@examples(20)
@given(st.lists(st.integers(-50, 400), min_size=1, max_size=30), st.integers(1, 12))
def test_sums_of_ranges_are_those_of_their_people(values, most):
    numbers = np.array(values, dtype=float)
    edges = edges_around(numbers, most)
    assert edges.size - 1 <= most + 1
    group = group_of(numbers, edges)
    sums = within(numbers[:, None], group, edges.size - 1)
    for (first, last), total in zip(intervals(edges.size - 1), sums, strict=True):
        inside = [v for v in values if edges[first] <= v < edges[last + 1]]
        assert total == sum(inside)


def test_what_is_beyond_the_ends_is_in_the_outer_groups():
    assert list(group_of(np.array([-9.0, 0.5, 9.0]), np.array([0.0, 1.0, 2.0]))) == [0, 0, 1]
