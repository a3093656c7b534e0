"""Figures of people: what a hand may choose, and where the panels stand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.maths.groups import intervals
from dpviz.plot.hand import NOBODY, Hand
from dpviz.plot.people_figure import CONTROL, DOTS, KINDS, OUTCOME, Places, range_of, shares
from dpviz.plot.theme import LIGHT


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


@pytest.mark.parametrize(
    "theme",
    [LIGHT, LIGHT.within(400), LIGHT.narrow(), LIGHT.projected(300), LIGHT.narrow().projected(360)],
)
def test_panels_stand_beside_and_below_each_other(theme):
    places = Places.of(theme, (OUTCOME, CONTROL), {KINDS: ["a name"], OUTCOME: ["a" * 60]})
    boxes = {name: (*places.across[name], *places.upwards[name]) for name in places.across}
    assert set(boxes) == {CONTROL, DOTS, KINDS, OUTCOME}
    for one, (left, right, foot, top) in boxes.items():
        assert 0 <= left < right <= 1
        assert 0 <= foot < top <= 1
        for other, (start, end, low, high) in boxes.items():
            apart = right <= start or end <= left or top <= low or high <= foot
            assert one == other or apart
    if theme.room:
        assert places.height == theme.height


def test_where_everybody_is_stands_at_the_bars_of_those_chosen():
    rows = [("one", "#2761db"), ("a name of more than twenty letters", "#be5203")]
    panel = shares(LIGHT, ("", ""), rows, [0.2, 0.8], [0.5, 0.5], ["", ""])
    bars, lines = panel.traces
    assert list(bars["x"]) == [0.2, 0.8]
    assert list(lines["x"]) == [0.5, 0.5]
    assert np.array_equal(bars["y"], lines["y"])
    assert max(map(len, panel.y["ticktext"])) <= 20
    assert len(shares(LIGHT, ("", ""), rows, [0.2, 0.8], None, ["", ""]).traces) == 1
