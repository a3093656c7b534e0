"""A control of the noise is shown where it does something."""

import pytest

from dpviz.topics.bounded_noise.controls_shown import idle_controls


@pytest.mark.parametrize(
    ("shape", "show_shapes", "idle"),
    [
        ("power", True, set()),
        ("power", False, {"constant"}),
        ("iterated", True, {"power"}),
        ("iterated", False, {"power", "constant"}),
    ],
)
def test_what_has_no_effect_is_not_shown_and_all_else_is(shape, show_shapes, idle):
    assert idle_controls({"shape": shape, "show_shapes": show_shapes}) == idle
