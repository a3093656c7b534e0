"""The smoothness of pairs against all unions of their pieces, and what it allows."""

from itertools import chain, combinations

import numpy as np
import pytest

from dpviz.topics.public_data.shift import FAMILIES, Shift, shifted

UNEVEN = Shift(
    np.array([0.0, 0.2, 0.5, 0.9, 1.0]),
    np.array([1.0, 1.0, 0.25, 4.0]),
    np.array([0.0, 0.5, 2.0, 0.5]),
)


@pytest.mark.parametrize(
    "pair", [UNEVEN, *(shifted(family, s) for family in FAMILIES for s in (0.03, 0.4, 1.0))]
)
def test_no_set_has_more_private_mass_than_the_smoothness_allows_and_one_has_as_much(pair):
    widths = np.diff(pair.edges)
    public, private = pair.public * widths, pair.private * widths
    assert public.sum() == pytest.approx(1)
    assert private.sum() == pytest.approx(1)
    pieces = range(widths.size)
    sets = chain.from_iterable(combinations(pieces, size) for size in range(1, widths.size + 1))
    held = [np.array([public[list(one)].sum(), private[list(one)].sum()]) for one in sets]
    ratios = [inside / outside for outside, inside in held if outside > 0]
    assert max(ratios) == pytest.approx(1 / pair.smoothness)
