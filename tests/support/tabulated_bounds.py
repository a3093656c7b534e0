"""What the tests of bounds from the papers' tables share: settings, and what any chart keeps."""

import numpy as np
import pytest
from hypothesis import strategies as st

from dpviz.results.evidence import Evidence
from dpviz.topics.user_complexity.monomials import PARAMETERS
from dpviz.topics.user_complexity.rows import ROWS
from tests.support.strategies import inside

COVERED = sorted({(row.problem, row.privacy, row.model) for row in ROWS})
"""Each problem with the kinds of privacy and the models for which the tables have bounds."""
every_problem = pytest.mark.parametrize(("problem", "privacy", "model"), COVERED)


def any_setting():
    """Some parameters of the tables, inside their ranges; those left out take their defaults."""
    return st.fixed_dictionaries({}, optional={n: inside(n) for n in PARAMETERS.values()})


def check_chart(chart):
    assert len({curve.key for curve in chart.curves}) == len(chart.curves)
    for curve in chart.curves:
        assert (np.diff(curve.x) > 0).all()
        assert np.isfinite(curve.y).all()
        assert (curve.y >= 0).all()
        assert str(curve.source)
    # The reader's value lies on the axis, and so do the marks.
    x = chart.curves[-1].x
    assert x[0] <= chart.here <= x[-1]
    assert all(x[0] <= mark.x <= x[-1] and np.isfinite(mark.y) for mark in chart.landmarks)
    # What is left out of all curves is said at their axis.
    if chart.y.label.endswith("up to constants"):
        assert {curve.evidence for curve in chart.curves} == {Evidence.ASYMPTOTIC}
    else:
        assert chart.y.name not in ("users", "samples")
    assert len({len(column) for column in chart.columns().values()}) == 1
