"""Controls without effect are hidden, and only they."""

import numpy as np
import pytest

from dpviz.scene.scene import Scene
from dpviz.serve.computing import Computation
from dpviz.topics.propose_test_release import data as users_data
from tests.support.declarations import page

PAGE = page("propose_test_release")

DEFAULTS = {p.key: p.default for p in PAGE.url_parameters}

every_data = pytest.mark.parametrize("data", users_data.DATA)


@pytest.mark.parametrize("view", PAGE.views, ids=lambda view: view.key)
@every_data
def test_a_hidden_control_has_no_effect(view, data):
    values = DEFAULTS | {"view": view.key, "data": data}
    other = {
        "users": 2000,
        "examples_per_user": 50,
        "rate": 0.2,
        "outliers": 7,
        "outlier_distance": 1.0,
        "seed": 3,
    }
    idle = set(view.idle(values)) & set(view.parameters)

    def some(values):
        """Compute a few results."""
        computation = Computation(Scene(PAGE, view, values))
        for _ in range(2):
            computation.advance()
        return computation.result

    before, after = some(values), some(values | {key: other[key] for key in idle})
    assert view.detail(before) == view.detail(after)
    assert view.takeaway(before) == view.takeaway(after)
    for name, column in before.columns().items():
        np.testing.assert_array_equal(column, after.columns()[name])
