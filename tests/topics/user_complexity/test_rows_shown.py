"""Controls without effect are hidden, and only they."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.declarations import page
from tests.support.examples import examples
from tests.support.strategies import inside
from tests.support.tabulated_bounds import COVERED

PAGE = page("user_complexity")


@pytest.mark.parametrize(
    "view", [v for v in PAGE.views if v.key in ("users", "constants", "kinds")]
)
@examples(15)
@given(data=st.data())
def test_a_hidden_control_has_no_effect_and_a_shown_one_is_in_the_formulas(view, data):
    covered = [c for c in COVERED if view.key != "kinds" or c[0] in ("pac", "discrete", "product")]
    problem, privacy, model = data.draw(st.sampled_from(covered))
    values = {p.key: p.default for p in PAGE.url_parameters}
    values |= {"problem": problem, "privacy": privacy, "model": model, "log_power": 1.0}
    idle = sorted(view.idle(values) & set(view.parameters))
    changed = dict(values)
    for key in idle:
        changed[key] = data.draw(
            st.booleans() if isinstance(values[key], bool) else inside(key), label=key
        )
    before, after = (view.compute(**PAGE.arguments(view, v)) for v in (values, changed))
    assert view.detail(before) == view.detail(after)
    assert view.takeaway(before) == view.takeaway(after)
    for name, column in before.columns().items():
        np.testing.assert_array_equal(column, after.columns()[name])
