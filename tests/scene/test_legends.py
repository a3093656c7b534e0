"""A legend, and what stands beside the curves, name what is drawn and nothing else."""

import numpy as np
import pytest

from dpviz.plot.theme import LIGHT
from tests.support.declarations import SLUGS, first, opened, page

VIEWS = [(slug, view.key) for slug in SLUGS for view in page(slug).views]


@pytest.mark.parametrize(("slug", "key"), VIEWS)
def test_what_is_named_is_drawn(slug, key):
    """As if no more would come: while more does, a legend keeps the place of it."""
    figure = opened(page(slug), key).view.figure(first(page(slug), key), LIGHT)
    named, drawn = set(), set()
    for trace in figure.data:  # of one name there may be several, grey where an assumption fails
        name = trace.get("name")
        named |= {name} - {None, ""}
        if trace["type"] == "bar" or np.isfinite(np.asarray(trace["y"], dtype=float)).any():
            drawn.add(name)
    assert named <= drawn
