"""Figures of a movement, drawn by changing the one before, are those that plotly.js draws anew."""

import json
import re

import pytest

from dpviz.plot.steady import places, ranges
from dpviz.plot.theme import LIGHT
from dpviz.scene.scene import Scene
from dpviz.serve import bundles
from dpviz.serve.computing import Computation
from dpviz.serve.lecture import classic
from tests.support.declarations import page, state_showing

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
_MODULE = """import { follow } from "./follow.js";
import { remember } from "./libraries.js";
Object.assign(window, { follow, remember });
"""
# Draws specs one after the other, and says how many were drawn by changing the one before.
_DRAW = """async specs => {
    const plot = document.getElementById("plot");
    let before = null, followed = 0;
    for (const text of specs) {
        const spec = JSON.parse(text);
        if (follow(plot, before, spec)) followed += 1;
        else await window.Plotly.react(plot, JSON.parse(text));
        before = spec;
    }
    const parts = plot.querySelectorAll(".main-svg :is(path, text, tspan, rect, g)");
    return [followed, [...parts]
        .filter(part => !part.closest(".hoverlayer, .draglayer, [visibility=hidden]"))
        .map(part => ["d", "transform", "x", "y", "width", "style"]
            .map(name => part.getAttribute(name)?.replace(/(^| )opacity: 1;/, "")) // as without it
            .concat(part.tagName, part.children.length ? "" : part.textContent)
            .join(" "))];
}"""

_EMPTY = """() => {
    const before = document.getElementById("plot");
    if (before) window.Plotly.purge(before);
    document.body.innerHTML = '<div id="plot" style="width: 900px"></div>';
}"""
# What our way to find the arrays of traces finds, and plotly's own.
_ARRAYS = """async figures => {
    const { PlotSchema: schema } = window.Plotly;
    const theirs = schema.findArrayAttributes;
    remember(schema);
    const plot = document.getElementById("plot");
    const found = [];
    for (const text of figures) {
        const { data, layout } = JSON.parse(text);
        data[0].error_y = {array: [1]};
        await window.Plotly.react(plot, data, layout);
        for (const trace of plot._fullData)
            found.push([schema.findArrayAttributes(trace), theirs(trace)]);
    }
    return found;
}"""


def specs(slug: str, view: str, key: str) -> list[str]:
    """Return figures of three neighbouring values of a slider that has begun to move.

    All hold on to what the first of them has: as a movement begins, an axis may give way once.
    """
    declared = page(slug)
    number, theme, found = declared.parameter(key), LIGHT.holding(None, partial=True), []
    values = dict(state_showing(slug, key, view) or {})
    grid = number.limit.grid
    for value in grid[len(grid) // 2 :][:4]:
        values[key] = number.read(number.write(float(value)), 0)[0]
        scene = Scene(declared, next(v for v in declared.views if v.key == view), values)
        result = next(Computation(scene).first())
        figure = scene.view.figure(result, theme)
        if len(found) < 2:
            sides = figure.layout["margin"]
            held = ranges(figure), sides["l"], sides["r"]
            theme = LIGHT.holding(*held, partial=True, places=places(figure))
        found.append(figure.json().decode())
    return found[1:]


@pytest.fixture(scope="module")
def tab(chromium):
    """A page that has all that draws a figure."""
    tab = chromium.new_page(viewport={"width": 1000, "height": 800})
    tab.set_content(f"<!doctype html><script>{classic.script(_MODULE)}</script>")
    tab.add_script_tag(content=bundles.plotly().read_text(encoding="utf-8"))
    tab.wait_for_function("() => window.follow")
    yield tab
    tab.close()


@pytest.fixture
def empty(tab):
    """Make an empty place for a figure, whatever was drawn before."""

    def opened():
        tab.evaluate(_EMPTY)
        return tab

    return opened


@pytest.fixture
def drawn(empty):
    """Draw specs in an empty place."""

    def draw(figures: list[str]) -> tuple[int, list[str]]:
        followed, parts = empty().evaluate(_DRAW, figures)
        return followed, parts

    return draw


@pytest.mark.parametrize(
    ("slug", "view", "key"),
    [
        ("promise", "attackers", "power"),  # lines, dots, words and a line of their own
        ("promise", "odds", "epsilon"),  # dots of many colours, bold words
        ("shared_darts", "disagreement", "gap"),  # simulations with their intervals
        ("shared_darts", "joint", "gap"),  # tables of colours
        ("few_users", "messages", "users"),  # bars, another range of an axis and its ticks
        ("bounded_noise", "noise", "queries"),  # a title, and an axis of two plots
        ("clipping", "user", "examples_per_user"),  # bars as wide as they are heavy
        ("adaptive_analysis", "budget", "alpha"),  # bars that begin where the one before ends
        ("shared_darts", "joint", "outcomes"),  # another range beside a title
    ],
)
def test_a_changed_figure_is_the_one_drawn_anew(drawn, slug, view, key):
    figures = specs(slug, view, key)
    followed, parts = drawn(figures)
    assert followed == len(figures) - 1
    _, anew = drawn(figures[-1:])
    assert len(parts) == len(anew)
    for part, other in zip(parts, anew, strict=True):
        assert _NUMBER.sub("#", part) == _NUMBER.sub("#", other)
        ours, theirs = (list(map(float, _NUMBER.findall(each))) for each in (part, other))
        # Words are set on whole pixels.
        assert ours == pytest.approx(theirs, rel=1e-6, abs=1)


def test_what_cannot_be_changed_is_drawn_anew(drawn):
    first, second, *_ = specs("promise", "attackers", "epsilon")
    spec = json.loads(second)
    spec["layout"]["margin"]["l"] += 9
    assert drawn([first, json.dumps(spec)])[0] == 0
    assert drawn([first, json.dumps(json.loads(second) | {"data": []})])[0] == 0
    assert drawn([first, second])[0] == 1


def test_arrays_of_traces_are_those_that_plotly_finds(empty):
    figures = [*specs("promise", "odds", "epsilon")[:1], *specs("shared_darts", "joint", "gap")[:1]]
    found = empty().evaluate(_ARRAYS, figures)
    for ours, theirs in found:
        assert ours == theirs
    names = {name for ours, _ in found for name in ours}
    assert {"x", "z", "marker.color", "error_y.array"} <= names
