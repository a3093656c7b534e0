"""Where clipping helps: correlated users, and the boundary of the correlations."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dpviz.plot.chart import draw
from dpviz.plot.filling import FADED
from dpviz.plot.theme import LIGHT
from dpviz.results.parameters import ParameterError
from dpviz.topics.clipping.errors_by_threshold import WORTH
from dpviz.topics.clipping.tasks import make_task
from dpviz.topics.clipping.views.where_clipping_helps import (
    SMALLEST,
    boundary,
    correlated_users,
    where_clipping_helps,
)
from dpviz.topics.clipping.views.where_clipping_helps_shown import VIEW
from tests.support.declarations import last, page, preset_values
from tests.support.examples import only_in_nightly

PAGE = page("clipping")
AT = {"candidates": 32, "domain_size": 2, "users": 150, "epsilon": 0.2, "alpha": 0.05}
AT |= {"constant": 1, "examples_per_user": 100, "correlation": 0.02}


@pytest.mark.parametrize("correlation", [0.0, 0.05, 0.5, 1.0])
def test_users_have_the_correlation_they_should(correlation):
    law = np.array([0.5, 0.3, 0.2])
    users = correlated_users(
        np.random.default_rng(0), law, users=40_000, examples_per_user=6, correlation=correlation
    )
    assert np.all(users.sum(axis=1) == 6)
    np.testing.assert_allclose(users.mean(axis=0) / 6, law, atol=0.01)
    expected = 6 * law * (1 - law) * (1 + 5 * correlation)
    np.testing.assert_allclose(users.var(axis=0), expected, rtol=0.05)


def test_the_boundary_is_where_the_gain_is_just_worth_it():
    axis = np.geomspace(SMALLEST, 0.95, 9)
    rival = np.ones(9)
    errors = WORTH * (axis / 0.04) ** 0.3
    assert float(boundary(errors, rival)) == pytest.approx(0.04)
    assert math.isnan(boundary(np.ones(9), rival))
    assert float(boundary(0.5 * rival, rival)) == pytest.approx(0.95)
    errors[4] = np.nan
    assert math.isnan(boundary(errors, rival))


def test_many_examples_allow_some_correlation_and_few_do_not():
    *parts, chart = where_clipping_helps(**AT, rng=np.random.default_rng(0))
    best, paper, laplace = (chart.curve(key) for key in ("best", "paper", "laplace"))
    assert np.isnan(best.y[0])  # at m = 2
    many = best.x >= 50
    assert np.all((best.y[many] > 0.1) & (best.y[many] < 0.6))
    assert np.all(paper.y[many] < best.y[many])
    assert np.all(laplace.y[many] < best.y[many])
    assert np.all((best.lower[many] < best.y[many]) & (best.y[many] < best.upper[many]))
    assert chart.done == 1
    for part in parts:
        assert 0 <= part.done < 1
    assert len(draw(chart, LIGHT).data) == 3
    assert "clipping lowers the expected error" in VIEW.takeaway(chart)
    assert "fresh data sets" in " ".join(VIEW.notes(chart))


def test_errors_at_the_readers_point_are_those_of_choosing_a_threshold():
    """Independent examples: what clipping and its absence do, against direct simulation."""
    *_, chart = where_clipping_helps(**AT | {"correlation": 0.0}, rng=np.random.default_rng(0))
    task = make_task("discrete", candidates=32)
    rng, runs = np.random.default_rng(1), 60
    errors = []
    for _ in range(runs):
        users = task.draw(rng, users=150, examples_per_user=100)
        scores = task.scores(users, threshold=100)
        weights = np.exp(-0.2 * (scores - scores.min()) / 200)
        errors.append(weights @ task.errors / weights.sum())
    room = 5 * np.std(errors) / math.sqrt(runs) + 5 * np.std(errors) / math.sqrt(chart.passes)
    assert chart.errors["unclipped"] == pytest.approx(np.mean(errors), abs=room)
    assert not chart.marks


def test_what_lies_below_the_best_boundary_is_shaded_and_named():
    *_, chart = where_clipping_helps(**AT, rng=np.random.default_rng(0))
    figure = VIEW.figure(chart, LIGHT)
    best = chart.curve("best")
    edge = np.where(np.isfinite(best.y), best.y, SMALLEST)
    for shade, end in zip(figure.data, (SMALLEST, 1.0), strict=False):
        np.testing.assert_array_equal(shade["y"][: edge.size], edge)
        assert set(shade["y"][edge.size :].tolist()) == {end}
        np.testing.assert_array_equal(shade["x"], [*best.x, *best.x[::-1]])
    handle = VIEW.figure(chart, replace(LIGHT, labels="few")).layout["meta"]["drag"]
    assert (handle["x"], handle["y"]) == (chart.here, chart.correlation)
    said = [note["text"] for note in figure.layout["annotations"]]
    assert {"clipping helps", "clipping does not help"} <= set(said)
    # In a movement the shades stay, faded, until the first pass at the new place is whole.
    theme = replace(LIGHT, partial=True, before=(chart,))
    moved = VIEW.figure(replace(chart, passes=0, curves=nothing_known(chart)), theme)
    for faded, shade in zip(moved.data[:2], figure.data, strict=False):
        np.testing.assert_array_equal(faded["y"], shade["y"])
        assert faded["opacity"] == FADED * shade["opacity"]


def nothing_known(chart):
    return tuple(replace(c, y=np.full(c.y.shape, np.nan)) for c in chart.curves)


def test_where_no_threshold_helps_the_axes_are_there_and_the_figure_says_so():
    setting = {"users": 10_000, "domain_size": 16, "candidates": 2}
    chart = next(where_clipping_helps(**AT | setting, rng=np.random.default_rng(0)))
    nowhere = replace(chart, curves=nothing_known(chart))
    assert nowhere.passes == 0  # nothing is known, and so nothing said
    said = [note["text"] for note in VIEW.figure(nowhere, LIGHT).layout["annotations"]]
    assert not any("helps" in text for text in said)
    figure = VIEW.figure(replace(nowhere, passes=1), LIGHT)
    assert set(figure.data[0]["y"]) == {SMALLEST}  # all of the plot is grey
    low, high = figure.layout["yaxis"]["range"]
    assert low <= math.log10(SMALLEST) < 0 <= high
    said = [note["text"] for note in figure.layout["annotations"]]
    assert "no τ helps, however little<br>a user's examples have in common" in said
    assert not any(text.startswith("clipping") for text in said)


def test_what_is_out_of_range_is_refused():
    with pytest.raises(ParameterError, match=r"^correlation must be"):
        next(where_clipping_helps(**AT | {"correlation": 1.5}, rng=np.random.default_rng(0)))


def test_the_first_pass_has_every_point_of_the_boundaries():
    results = where_clipping_helps(**AT, rng=np.random.default_rng(0))
    result = next(part for part in results if part.passes >= 1)
    assert np.isfinite(result.curve("best").y).any()


@only_in_nightly
def test_moving_the_readers_correlation_leaves_the_boundaries_where_they_are():
    """The data of each point are drawn from a stream of its own."""
    found = []
    for correlation in (0.02, 0.5):
        setting = AT | {"correlation": correlation}
        *_, chart = where_clipping_helps(**setting, rng=np.random.default_rng(0))
        found.append(chart)
    assert found[0].errors != found[1].errors
    for curve, other in zip(found[0].curves, found[1].curves, strict=True):
        np.testing.assert_array_equal(curve.y, other.y)


@only_in_nightly
def test_clipping_helps_where_a_preset_says_so():
    values = preset_values(PAGE, "More candidates")
    errors = last(PAGE, **{"key": values.pop("view")} | values).errors
    assert errors["best"] < 0.4 * errors["unclipped"]
    assert errors["best"] < 0.7 * errors["laplace"]


@only_in_nightly
def test_users_too_much_alike_are_those_of_the_panel():
    values = preset_values(PAGE, "Users too much alike")
    panel = last(PAGE, "real", data="union")
    assert values["correlation"] == pytest.approx(panel.correlation, abs=0.005)
    assert (values["users"], values["examples_per_user"]) == (panel.users, panel.examples)
    chart = last(PAGE, **{"key": values.pop("view")} | values)
    assert "no threshold τ lowers the expected error" in VIEW.takeaway(chart)
