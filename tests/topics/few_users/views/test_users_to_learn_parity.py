"""Parity: proven numbers from both sides, the picture, and the preset."""

import numpy as np
import pytest

from dpviz.plot.theme import LIGHT
from dpviz.topics.few_users.views.users_to_learn_parity import users_to_learn_parity
from dpviz.topics.few_users.views.users_to_learn_parity_shown import VIEW
from tests.support.declarations import page, shown
from tests.support.specs import Checked

PAGE = page("few_users")
CALL = {"bits": 4, "examples_per_user": 1000, "failure_probability": 0.1}


def test_parity():
    _, chart, _ = shown(PAGE, "Parity")
    assert VIEW.takeaway(chart) == (
        "Where nobody is trusted, 112 users with 1,000 examples each learn a parity; with one "
        "example each, even 3,770 are too few."
    )
    detail = VIEW.detail(chart)
    assert "With one example each it doubles with every bit" in detail
    assert "3,770 users are too few even if one is asked after another, 7,930 if all" in detail
    assert "speak at once, when 23,808 are enough" in detail


@pytest.mark.parametrize("alpha", [0.24, 0.25, 0.4])
def test_the_lines_of_parity_allow_for_functions_that_serve_many(alpha):
    chart = users_to_learn_parity(**CALL, alpha=alpha, epsilon=1.0)
    served = 1 if alpha < 0.25 else round((1 - 2 * alpha) ** -2)
    for d, least in zip(chart.curve("least").x, chart.curve("least").y, strict=True):
        # With a user less, from where the outputs for one parity serve another on average:
        allowed = (served - 0.9) / (2**d - 1)
        for _ in range(int(least) - 1):
            allowed = min(np.e * allowed, 1 - (1 - allowed) / np.e)
        assert least <= 1 or allowed < 0.9
    in_turn, at_once, many = (chart.curve(key) for key in ("item_few", "item_once", "item"))
    assert np.all(in_turn.y <= at_once.y)
    assert np.all(at_once.y < many.y)
    drawn = VIEW.figure(users_to_learn_parity(**CALL | {"bits": 2}, alpha=alpha, epsilon=2), LIGHT)
    words = [note["text"] for note in drawn.layout["annotations"]]
    none = "with one example each, no number is proved too few"  # it said that 1 is, at α = 0.25
    assert (none in words) == (alpha >= 0.25)


def test_users_with_many_examples_grow_like_d_and_others_double_with_every_bit():
    chart = users_to_learn_parity(**CALL, alpha=0.1, epsilon=1.0)
    proved, few = (chart.curve(key).y for key in ("proved", "item_once"))
    assert np.ptp(np.diff(proved)) <= 5
    assert np.all((np.diff(np.log2(few)) > 1) & (np.diff(np.log2(few)) < 1.75))
    assert np.all(chart.curve("least").y <= proved)


def test_the_bars_are_as_long_as_the_headline_says():
    """The headline said 112 users, the upper end, and the plot 103, the estimate."""
    chart = users_to_learn_parity(**CALL | {"bits": 8}, alpha=0.1, epsilon=1.0)
    figure = Checked(VIEW.figure)(chart, LIGHT)
    many, few = figure.data
    words = [note.text for note in figure.layout.annotations]
    assert f"<b>{many.x[0]:,.0f}</b> users are enough with 1,000 examples each" in words
    assert VIEW.takeaway(chart).startswith(
        f"Where nobody is trusted, {many.x[0]:,.0f} users with 1,000 examples each learn"
    )
    assert many.x[0] <= few.x[0] == chart.value("item_few")
    assert any(word.endswith("</b> users are too few with one example each") for word in words)
    assert "<b>more<br>needed →</b>" in words  # a bound below is open at its end
