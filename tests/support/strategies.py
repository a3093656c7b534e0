"""Hypothesis draws parameters from the table of limits: inside, at the ends, and outside."""

import math
from functools import cache

from hypothesis import strategies as st

from dpviz.results.parameters import LIMITS, Limit


@cache  # Hypothesis looks through a strategy once
def inside(name: str, minimum: float | None = None, maximum: float | None = None):
    """Valid values of a parameter, ends included, spread evenly over its scale."""
    limit = LIMITS[name]
    low = limit.minimum if minimum is None else minimum
    high = limit.maximum if maximum is None else maximum
    if limit.log:
        values = st.floats(math.log(low), math.log(high)).map(
            lambda x: min(max(math.exp(x), low), high)
        )
    else:
        values = st.floats(low, high)
    if limit.integer:
        values = values.map(round)
    return st.one_of(values, st.sampled_from([low, high]))


@cache
def outside(name: str, *, minimum: float | None = None, limit: Limit | None = None):
    """Values a parameter must refuse: just beyond the ends, far beyond, NaN and infinities."""
    limit = limit or LIMITS[name]
    least = limit.minimum if minimum is None else minimum
    return st.one_of(
        st.floats(max_value=least, exclude_max=True),
        st.floats(min_value=limit.maximum, exclude_min=True),
        st.sampled_from([math.nan, math.inf, -math.inf]),
    )
