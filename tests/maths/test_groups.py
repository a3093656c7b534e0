"""Groups of people: every one is in one of them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dpviz.maths.groups import edges_around
from tests.support.examples import examples


@examples(20)
@given(st.lists(st.integers(-50, 400), min_size=1, max_size=30), st.integers(1, 12))
def test_groups_hold_everybody_are_few_and_at_least_one_wide(values, most):
    edges = edges_around(np.array(values, dtype=float), most)
    assert edges.size - 1 <= most + 1
    assert np.histogram(values, edges)[0].sum() == len(values)
    assert np.all(np.diff(edges) >= 1)
