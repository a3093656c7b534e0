"""No view keeps others waiting: between two results lies one integral, however hard the state."""

import pytest

from dpviz.maths.accounting import composition
from dpviz.results import refining
from dpviz.topics.bounded_noise import error_points
from dpviz.topics.bounded_noise.views.error_curves import error_curves
from tests.support import pace

PRIVACY = {"epsilon": 0.1, "delta": 1e-100, "shape": "power", "power": 0.5}
"""A tiny δ and heavy tails: every evaluation of δ takes several integrals."""
VIEWS = {
    "errors": lambda: error_curves(
        **PRIVACY, against="queries", queries=1000.0, failure_probability=0.05, units="absolute",
        quantile="corrected", show_published=False, show_shapes=False, constant=1.0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_that_has_shown_something_rests_after_every_integral(monkeypatch, view):
    """A result is due at every look; sixty of them show how it goes on."""
    error_points._RADII.clear()
    monkeypatch.setattr(refining.Pace, "due", pace.always)
    integrals, integrated = [0], composition._bounds

    def counted(*given):
        integrals[-1] += 1
        return integrated(*given)

    monkeypatch.setattr(composition, "_bounds", counted)
    for _, _found in zip(range(60), VIEWS[view](), strict=False):
        integrals.append(0)
    assert max(integrals[1:]) == 1
    assert sum(integrals[1:]) > 2
