"""Parity: simulated users, lower bounds from both sides, and the preset."""

import itertools
import math

import numpy as np
import pytest

from dpviz.plot.theme import LIGHT
from dpviz.topics.few_users.views import users_to_learn_parity as parity_module
from dpviz.topics.few_users.views.users_to_learn_parity import users_to_learn_parity
from tests.support.declarations import every, page
from tests.support.examples import some
from tests.support.few_users import final, reached, rng

PAGE = page("few_users")


def test_parity():
    [preset] = [preset for preset in PAGE.presets if preset.label == "Parity"]
    values = PAGE.preset_values(preset)
    view = PAGE.open_view(values)
    chart = next(r for r in every(PAGE, view, values) if r.done > 0.1)
    assert math.isfinite(chart.needed)
    assert "With one example each it doubles with every bit" in view.detail(chart)
    assert (
        "though nobody is trusted; with one each, 7,930 are too few if all speak at once"
        in view.takeaway(chart)
    )
    assert "7,930 users are too few if all speak at once, 3,770 if one" in view.detail(chart)
    assert "23,808 are enough, even if all speak at once" in view.detail(chart)


@pytest.mark.parametrize("alpha", [0.24, 0.25, 0.4])
def test_the_lines_of_parity_allow_for_functions_that_serve_many(alpha):
    call = {"bits": 4, "examples_per_user": 1000, "failure_probability": 0.1, "runs": 5}
    chart = next(users_to_learn_parity(**call, alpha=alpha, epsilon=1.0, constant=1.0, rng=rng(15)))
    served = 1 if alpha < 0.25 else round((1 - 2 * alpha) ** -2)
    for d, least in zip(chart.curve("least").x, chart.curve("least").y, strict=True):
        # With a user less, from where the outputs for one parity serve another on average:
        allowed = (served - 0.9) / (2**d - 1)
        for _ in range(int(least) - 1):
            allowed = min(np.e * allowed, 1 - (1 - allowed) / np.e)
        assert least == 1 or allowed < 0.9
    in_turn, at_once, many = (chart.curve(key) for key in ("item_few", "item_once", "item"))
    assert np.all(in_turn.y <= at_once.y)
    assert np.all(at_once.y < many.y)


def test_parity_needs_users_like_d():
    call = {"bits": 4, "examples_per_user": 1000, "alpha": 0.1, "failure_probability": 0.1}
    charts = users_to_learn_parity(
        **call, epsilon=1.0, constant=1.0, runs=some(100, 50), rng=rng(13)
    )
    chart = reached(charts, 0.2)
    curve = chart.curve("simulated")
    known = np.isfinite(curve.y)
    assert known.sum() >= 5
    assert np.all(curve.lower[known] <= curve.y[known])
    assert np.all(curve.y[known] <= curve.upper[known])
    least = chart.curve("least")
    floor = np.interp(curve.x[known], least.x, least.y)
    assert np.all(curve.y[known] >= floor)
    assert np.nanmax(curve.y) < 4 * np.nanmin(curve.y)
    few, many = (chart.curve(key) for key in ("item_few", "item"))
    assert np.all(curve.y[known].max() < few.y[few.x > 8])
    assert np.all(few.y < many.y)


def test_users_of_parity_do_not_depend_on_the_votes(monkeypatch):
    """The first users of a run pick the same, however many come after them."""
    seen = []

    def listened(_, picks, **__):
        seen.append(picks)
        return 0

    monkeypatch.setattr(parity_module, "release", listened)
    call = {"bits": 4, "examples_per_user": 300, "alpha": 0.1, "failure_probability": 0.1}
    runs = []
    for epsilon in (1.0, 2.0):
        seen.clear()
        final(users_to_learn_parity(**call, epsilon=epsilon, constant=1.0, runs=2, rng=rng(13)))
        largest = [one for one, more in itertools.pairwise([*seen, []]) if len(more) < len(one)]
        runs.append(largest)
    assert len(runs[0]) == len(runs[1]) == 14
    for one, other in zip(*runs, strict=True):
        both = min(one.size, other.size)
        assert both < max(one.size, other.size)
        np.testing.assert_array_equal(one[:both], other[:both])


def test_the_number_in_the_plot_is_that_of_the_headline():
    """The headline said 112 users, the upper end, and the plot 103, the estimate."""
    values = PAGE.usual("parity")
    view = PAGE.open_view(values)
    chart = next(r for r in every(PAGE, view, values) if r.runs and math.isfinite(r.users.upper))
    words = [note["text"] for note in view.figure(chart, LIGHT).layout["annotations"]]
    assert view.takeaway(chart).split()[0] in words
