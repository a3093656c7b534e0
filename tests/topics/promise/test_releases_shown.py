"""A control of a release is shown where it does something."""

import pytest

from dpviz.topics.promise.releases_shown import idle_together


@pytest.mark.parametrize(
    ("mechanism", "idle"),
    [("bounded", set()), ("laplace", {"power"}), ("gaussian", {"power", "queries"})],
)
def test_what_has_no_effect_is_not_shown_and_all_else_is(mechanism, idle):
    assert idle_together({"mechanism": mechanism}) == idle
