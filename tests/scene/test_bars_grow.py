"""Bars that count users grow with their number: an axis that follows it would show nothing."""

import pytest

from dpviz.plot.theme import LIGHT
from dpviz.scene.scene import Scene
from tests.support.declarations import begun, opened, page


def heights(slug, key, users):
    """How many times the height of the plot all bars on top of each other are."""
    declared = page(slug)
    scene = Scene.settled(declared, opened(declared, key).values | {"users": users})
    figure = scene.view.figure(begun(declared, scene.view, scene.values), LIGHT)
    found = 0.0
    for bars in figure.data:
        if bars["type"] == "bar":
            low, high = figure.layout["yaxis" + (bars.get("yaxis") or "y")[1:]]["range"]
            found += float(sum(bars["y"])) / (high - low)
    return found


@pytest.mark.parametrize(
    ("slug", "key", "few", "more"), [("few_users", "votes", 30, 40), ("clipping", "user", 120, 240)]
)
def test_more_users_make_higher_bars(slug, key, few, more):
    assert heights(slug, key, more) > 1.2 * heights(slug, key, few)
