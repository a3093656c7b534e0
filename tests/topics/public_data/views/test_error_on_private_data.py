"""What is said of errors on private data."""

import pytest

from dpviz.topics.public_data.shift import FAMILIES
from dpviz.topics.public_data.views import error_on_private_data_shown
from dpviz.topics.public_data.views.error_on_private_data import error_on_private_data
from tests.support.headlines import faults


@pytest.mark.parametrize("family", list(FAMILIES))
@pytest.mark.parametrize("smoothness", [0.01, 0.5, 1.0])
def test_what_is_said_is_short(family, smoothness):
    found = error_on_private_data(family=family, smoothness=smoothness, alpha=0.05)
    assert found.smoothness == pytest.approx(smoothness)
    assert not faults(error_on_private_data_shown.VIEW.takeaway(found))
    assert ("are alike" in error_on_private_data_shown.VIEW.takeaway(found)) == (smoothness == 1)
    assert "KL" in error_on_private_data_shown.VIEW.detail(found)
    assert len(error_on_private_data_shown.VIEW.notes(found)) == 3
