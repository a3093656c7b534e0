"""Figures of people: what a hand may choose, and where the panels stand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.maths.groups import intervals
from dpviz.plot.dots import Dots
from dpviz.plot.hand import NOBODY, Hand
from dpviz.plot.linked import brushed
from dpviz.plot.marks import Line
from dpviz.plot.panels import Handle, Side, Stops
from dpviz.plot.people_figure import curves, dots_panel, drawn, range_of, shares
from dpviz.plot.theme import LIGHT
from dpviz.results.evidence import Subject


@pytest.mark.parametrize("groups", [1, 2, 7, 12])
def test_a_range_is_found_among_all_of_them(groups):
    numbers = [range_of(groups, Hand(ends)) for ends in map(tuple, intervals(groups).tolist())]
    assert numbers == list(range(1, len(numbers) + 1))
    assert range_of(groups, NOBODY) == 0


@given(st.text(max_size=12), st.text(max_size=8))
def test_whatever_an_address_says_is_some_of_the_groups_or_everybody(groups, place):
    hand = Hand.read(groups, place).among(9, 5)
    first, last = hand.groups or (0, 0)
    assert 0 <= first <= last < 9
    assert 0 <= (hand.place or 0) < 5


def test_an_address_names_groups_and_a_place():
    assert Hand.read("2-5", "17") == Hand((2, 5), 17)
    assert Hand.read("2-5", "17").among(4, 9) == Hand((2, 3), 8)
    assert Hand.read("5-2", "-1") == Hand.read("12345-12346", "12345") == NOBODY
    assert Hand((4, 6), None).among(4) == NOBODY


def panels(hand=NOBODY):
    values = np.array([0.5, 1.5, 1.6, 2.5])
    dots = Dots(values, np.array([0.0, 1.0, 2.0, 3.0]), values.astype(int))
    names = ["a name of more than twenty letters", "b"]
    whole = np.array([0.5, 0.5]) if hand.groups else None
    x, y = np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, np.nan])
    line, sides = Line(x, y, about=Subject.DANGER), (Side(1, 3), Side(0, 2))
    said = ["one", "two", "three", "four"]
    kinds = shares(names, [0, 1], np.array([0.2, 0.8]), whole, ["", ""], "kinds")
    return (
        (dots_panel(dots, hand, Side(0, 3), "dots", abouts=[0, 0, 1, 0], said=said), kinds),
        (
            curves([line], 1, sides, "control", handle=Handle("noise", 2.0)),
            curves([line], 0, sides, "outcome", handle=Stops("R", x, 0, 0.0, "1")),
        ),
    )


@pytest.mark.parametrize(
    "theme",
    [LIGHT, LIGHT.within(400), LIGHT.narrow(), LIGHT.projected(300), LIGHT.narrow().projected(360)],
)
def test_panels_stand_beside_and_below_each_other(theme):
    layout = drawn(theme, panels()).layout
    boxes = {
        name: (*layout[f"xaxis{name}"]["domain"], *layout[f"yaxis{name}"]["domain"])
        for name in ("", "2", "3", "4")
    }
    for one, (left, right, foot, top) in boxes.items():
        assert 0 <= left < right <= 1 + 1e-9
        assert 0 <= foot < top <= 1
        for other, (start, end, low, high) in boxes.items():
            apart = right <= start or end <= left or top <= low or high <= foot
            assert one == other or apart
    # On a phone each has the width; what a control does is next to the dots.
    if theme.compact and not theme.room:
        order = sorted(boxes, key=lambda name: -boxes[name][3])
        assert order == ["2", "", "3", "4"]


def test_a_hand_finds_what_it_takes_hold_of():
    layout = drawn(replace(LIGHT, labels="few"), panels()).layout
    assert layout["meta"]["drag"] == {"key": "noise", "x": 2.0, "line": True}
    brush = layout["meta"]["brush"]
    assert (brush["axes"], brush["edges"]) == (["x2", "y2"], [0.0, 1.0, 2.0, 3.0])
    assert (brush["slide"]["axes"], brush["slide"]["now"]) == (["x4", "y4"], 0)
    assert "meta" not in drawn(LIGHT, panels()).layout  # a picture has nothing to take hold of


def test_where_everybody_is_stands_at_the_bars_of_those_chosen():
    figure = drawn(LIGHT, panels(Hand((1, 1))))
    [bars] = (trace for trace in figure.data if trace["type"] == "bar")
    lines = [s for s in figure.layout["shapes"] if s.get("xref") == "x3" or s["x0"] == 0.5]
    assert list(bars["x"]) == [0.2, 0.8]
    assert [line["x0"] for line in lines] == [0.5, 0.5]
    for row, line in zip(bars["y"], lines, strict=True):
        assert line["y0"] < row < line["y1"]
    assert max(map(len, figure.layout["yaxis3"]["ticktext"])) <= 20
    strong = [t for t in figure.data if t.get("xaxis") == "x2" and "opacity" not in t]
    assert all(1 < x < 2 for trace in strong for x in trace["x"])
    assert sum(trace["x"].size for trace in strong) == 2


def test_a_brushed_figure_looks_up_what_the_panels_show_of_each_range():
    made = brushed(LIGHT, panels, 3)
    lines = [layer["data"]["values"] for layer in made["concat"][1]["layer"][1:]]
    assert [row["x"] for row in lines[0]] == [0.5, 0.5]
    there = made["concat"][1]["layer"][1]["transform"][0]["filter"]
    assert there == f"[false{',true' * 6}][which]"
    assert made["concat"][2]["layer"][0]["data"]["values"][2] == {"x": 3.0, "y": None}
    assert made["concat"][0]["layer"][0]["data"]["values"][0]["said"] == "one"
