"""What a button plays: frames that draw nothing that is not so."""

import numpy as np
import pytest

from dpviz.plot.theme import LIGHT
from tests.support.declarations import SLUGS, begun, opened, page
from tests.support.plays import PLAYS, frames, played

# What plotly.js draws of a frame without drawing all of it anew.
QUICK = {"x", "y", "text", "textposition"}


def test_all_plays_are_known():
    found = set()
    for slug in SLUGS:
        for view in page(slug).views:
            scene = opened(page(slug), view.key)
            layout = view.figure(begun(page(slug), view, scene.values), LIGHT).layout
            found |= {(slug, view.key)} if "updatemenus" in layout else set()
            for menu in layout.get("updatemenus", ()):  # its button is within the figure
                assert 0 <= menu["x"] <= 1
    assert found == set(PLAYS)


@pytest.mark.parametrize(("slug", "view"), PLAYS)
def test_what_is_filled_between_two_curves_ends_with_both(slug, view):
    for shown in frames(played(slug, view)):
        for number, trace in enumerate(shown):
            if trace.get("fill") == "tonexty":
                ends = [
                    list(t["x"][:1]) + list(t["x"][-1:]) for t in shown[number - 1 : number + 1]
                ]
                assert ends[0] == ends[1]


@pytest.mark.parametrize(("slug", "view"), PLAYS)
def test_every_point_of_a_frame_has_its_interval(slug, view):
    for shown in frames(played(slug, view)):
        for trace in shown:
            for bars in (trace[key] for key in ("error_x", "error_y") if key in trace):
                assert len(bars["array"]) == len(bars["arrayminus"]) == len(trace["x"])


@pytest.mark.parametrize(("slug", "view"), PLAYS)
def test_a_play_ends_with_the_still_figure(slug, view):
    figure = played(slug, view)
    *_, end = frames(figure)
    for still, last in zip(figure.data, end, strict=True):
        for key in "xy":
            np.testing.assert_array_equal(still[key], last[key])
        assert ("error_y" in still) == ("error_y" in last)
    if figure.frames[-1].get("layout"):
        assert figure.frames[-1]["layout"]["annotations"] == figure.layout["annotations"]


@pytest.mark.parametrize(("slug", "view"), PLAYS)
def test_what_is_not_drawn_anew_only_moves_points(slug, view):
    figure = played(slug, view)
    [menu] = figure.layout["updatemenus"]
    if menu["buttons"][0]["args"][1]["frame"]["redraw"]:
        return
    assert not [trace for trace in figure.data if {"error_x", "error_y", "fill"} & set(trace)]
    for frame, shown in zip(figure.frames, frames(figure), strict=True):
        assert frame["traces"] == list(range(len(figure.data)))  # else a panel is cleared
        assert not frame.get("layout")
        assert set().union(*frame["data"]) <= QUICK
        assert all(len(trace["x"]) for trace in shown)
