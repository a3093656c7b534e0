"""Marks: each says what it shows, the place decides what of it is drawn, and how large."""

import ast
from dataclasses import replace

import numpy as np
import pytest

from dpviz.plot.marks import Bars, Dots, Part, Rule, Text, tinted
from dpviz.plot.panels import Handle, Panel, Side, stacked
from dpviz.plot.picture import picture
from dpviz.plot.play import played
from dpviz.plot.theme import LIGHT, Theme
from dpviz.plot.together import spans
from dpviz.results.evidence import Subject
from dpviz.results.folders import ROOT

PLACES = {
    "page": replace(LIGHT, labels="few"),
    "phone": LIGHT.narrow(),
    "projector": LIGHT.projected(560),
    "path": replace(LIGHT.narrow(), labels="only"),
    "picture": LIGHT,
}
every_place = pytest.mark.parametrize("theme", PLACES.values(), ids=PLACES)


def panel(*marks, **more):
    dots = Dots([1.0, 100.0], [1.0, 2.0], about=Subject.BOUNDED, said="%{x}")
    return Panel(Side.around([1, 100], "n", log=True), Side(0, 3, "Errors"), [dots, *marks], **more)


def words(figure):
    return [note["text"] for note in figure.layout["annotations"]]


@every_place
def test_a_place_gets_the_words_and_the_parts_that_it_has_room_for(theme):
    short, alone = theme.compact or theme.scale > 1, theme.labels == "only"
    marks = [
        Text(("in full", "short"), 10.0, 1.0),
        Text(("in full alone", ""), 10.0, 1.0),
        Text("beside", 10.0, 1.0, aside=True),
        None,
    ]
    figure = stacked(theme, panel(*marks), panel(roomy=True), panel(aside=True))
    said = words(figure)
    assert ("short" in said) is short
    assert ("in full alone" in said) is not short
    assert ("beside" in said) is not alone
    assert len(figure.data) == 3 - short - alone
    assert {trace["marker"]["size"] for trace in figure.data} == {10 * theme.crowded().scale}


@every_place
def test_a_broad_panel_is_left_out_on_a_phone_alone(theme):
    figure = stacked(theme, [panel(), panel(broad=True)])
    assert len(figure.data) == 2 - theme.compact


def test_what_stands_above_each_other_does_not_overlap_and_keeps_its_axes():
    figure = stacked(LIGHT, panel(), panel(pixels=60), (panel(), panel()), tall=1.5)
    layout = figure.layout
    ends = [layout[f"yaxis{number}"]["domain"] for number in ("", "2", "3", "4")]
    assert ends[0][0] > ends[1][1] > ends[1][0] > ends[2][1]
    assert ends[2] == ends[3]
    first, second = (layout[f"xaxis{number}"]["domain"] for number in "34")
    assert first[1] < second[0]
    plot = layout["height"] - layout["margin"]["t"] - layout["margin"]["b"]
    assert plot * (ends[1][1] - ends[1][0]) == pytest.approx(60, abs=1)
    assert [trace.get("xaxis", "x") for trace in figure.data] == ["x", "x2", "x3", "x4"]


def test_words_stand_at_data_and_at_parts_of_their_panel():
    marks = [Text("here", 100.0, 2.0, to="NE"), Text("corner", Part(0.5), Part(1), to="S")]
    made = stacked(LIGHT, panel(), panel(*marks, Rule(x=10.0, called="a rule")))
    here, corner, rule = (n for n in made.layout["annotations"] if n["text"][0] in "hca")
    assert (here["xref"], here["x"], here["y"]) == ("x2", 2.0, 2.0)  # plotly wants logarithms
    assert (here["xanchor"], here["yanchor"]) == ("left", "bottom")
    assert (corner["xref"], corner["yref"]) == ("x2 domain", "y2 domain")
    assert (rule["x"], rule["yref"], rule["yanchor"]) == (1.0, "y2 domain", "bottom")
    [line] = made.layout["shapes"]
    assert (line["xref"], line["yref"], line["y0"], line["y1"]) == ("x2", "y2 domain", 0, 1)
    [title] = [n for n in made.layout["annotations"] if n["text"] == "Errors" and n["y"] < 1]
    # Its line is above that of the rule's name.
    assert title["yshift"] > 1.3 * LIGHT.font_size


@every_place
@pytest.mark.parametrize("to", ["", "N", "S"])
def test_words_around_a_place_near_an_end_move_inwards(theme, to):
    marks = [Text("words that are long", at, 2.0, to=to) for at in (1.0, 10.0, 100.0)]
    made = stacked(theme, panel(*marks))
    sides = [n["xanchor"] for n in made.layout["annotations"] if n["text"].startswith("words")]
    assert sides == ["left", "center", "right"]


def test_a_hand_takes_hold_on_a_page_alone():
    held = panel(handle=Handle("users", 10.0))
    assert stacked(LIGHT, held).layout.get("meta") is None
    page = stacked(PLACES["page"], held).layout
    assert page["meta"] == {"drag": {"key": "users", "x": 10.0, "line": True}}
    assert page["dragmode"] is False


def test_panels_beside_each_other_have_their_widths_and_stand_in_columns_on_a_phone():
    rows = Panel(Side(0, 1), Side.rows(["a long name", "b"]), [])
    grid = (replace(panel(), wide=2.0), rows), (replace(panel(), wide=2.0), panel())
    layout = stacked(LIGHT, *grid, beside=1).layout
    ends = [layout[f"xaxis{number}"]["domain"] for number in ("", "2", "3", "4")]
    assert ends[1][0] == ends[3][0]
    assert ends[3][1] - ends[3][0] == pytest.approx(ends[0][1] / 2, rel=0.05)
    names = (ends[1][0] - ends[0][1]) * LIGHT.width
    assert names > 0.5 * LIGHT.font_size * len("a long name")
    assert ends[0][1] < ends[2][1] < ends[3][0]  # where no name is, there is more room
    phone = stacked(LIGHT.narrow(), *grid, beside=1).layout
    feet = [phone[f"yaxis{number}"]["domain"][0] for number in ("", "2", "3", "4")]
    assert feet == sorted(feet, reverse=True)
    assert phone["yaxis3"]["ticktext"] == ["a long name", "b"]
    assert phone["xaxis3"]["domain"][0] > phone["xaxis"]["domain"][0] == 0


def test_of_rows_without_room_for_their_names_some_are_named():
    rows = Side.rows([f"row {number}" for number in range(40)])
    named = stacked(LIGHT, Panel(Side(0, 1), rows, [])).layout["yaxis"]["ticktext"]
    assert named[0] == "row 0"
    assert 10 < len(named) < 40
    weights = np.where(np.arange(40) == 33, 1.0, 0.0)  # the one that there is most of is named
    rows = Side.rows([f"row {number}" for number in range(40)], weights)
    assert "row 33" in stacked(LIGHT, Panel(Side(0, 1), rows, [])).layout["yaxis"]["ticktext"]
    assert "row 33" not in named


def test_tinted_words_have_the_colour_of_what_they_are_about():
    text = tinted("τ", Subject.DANGER) + tinted("P", 7)
    [note] = [
        n
        for n in stacked(LIGHT, panel(Text(text, 10.0, 1.0))).layout["annotations"]
        if "τ" in n["text"]
    ]
    assert LIGHT.subjects[Subject.DANGER] in note["text"]
    assert LIGHT.palette[7] in note["text"]


def test_a_button_plays_what_differs_and_makes_no_frame_before_it_is_looked_at():
    made = []

    def at(stop: int) -> list[Panel]:
        made.append(stop)
        return [panel(Bars(np.arange(3), np.arange(3) * stop, about=0), Text(f"{stop}", 10.0, 1.0))]

    figure = played(LIGHT, at, [1, 2, 3], each=100)
    assert made == [3]
    assert len(figure.frames) == 3
    first, *_, last = figure.frames
    assert [sorted(part) for part in first["data"]] == [[], ["y"]]
    assert [sorted(part) for part in last["data"]] == [[], ["y"]]
    assert "1" in [note["text"] for note in first["layout"]["annotations"]]
    moving = played(LIGHT.holding(((0, 1), (0, 1))), at, [1, 2, 3], each=100)
    assert not moving.frames
    assert moving.layout["height"] == figure.layout["height"]
    assert not played(PLACES["path"], at, [1, 2, 3], each=100).layout.get("updatemenus")


def test_a_point_that_begins_where_it_ends_does_not_stay_where_it_was_between():
    """Its place was alike at both ends, so the last frame left it out."""

    def at(stop: int) -> list[Panel]:
        return [panel(Dots(np.array([1.0]), np.array([float(stop % 2)])))]

    figure = played(LIGHT, at, [1, 2, 3], each=100)
    heights = [frame["data"][-1]["y"].tolist() for frame in figure.frames]
    assert heights == [[1.0], [0.0], [1.0]]


@every_place
def test_every_place_has_a_drawing(theme: Theme):
    figure = stacked(theme, panel(above="<b>One</b>", inside=True), panel())
    assert picture(figure, theme, 600).svg.count("</text>") > 6


def test_a_square_panel_has_steps_of_one_length_and_names_below_have_room():
    flat = Panel(Side.bare(0, 1), Side.bare(0, 1), [Dots([0.5], [0.5])], square=True, pixels=90)
    named = Panel(Side(0, 1, "x"), Side(0, 1), [Dots([0.5], [0.5], name="a dot")])
    layout = stacked(LIGHT, named, flat).layout
    assert layout["yaxis2"]["scaleanchor"] == "x2"
    assert "scaleanchor" not in layout["yaxis"]
    below = [stacked(LIGHT, replace(named, inside=i)).layout["margin"]["b"] for i in (True, False)]
    assert below[0] < below[1]


def test_a_panel_that_is_full_of_words_has_no_larger_ones_on_a_projector():
    sizes = [
        stacked(PLACES["projector"], panel(full=full)).layout["template"]["layout"]["font"]["size"]
        for full in (False, True)
    ]
    assert sizes[1] < sizes[0]


def test_what_never_changes_is_in_no_frame():
    def at(stop: int) -> list[Panel]:
        runs = Dots([1.0, 2.0][:stop], [1.0, 2.0][:stop], off=[0.1, 0.2][:stop])
        return [panel(runs, Text("stays", 10.0, 1.0))]

    for frame in played(LIGHT, at, [1, 2], each=100).frames:
        assert frame["layout"] == {}
        assert [sorted(part) for part in frame["data"]] == [[], ["error_y", "x", "y"]]


def test_no_view_asks_where_it_is_drawn():
    """What a phone, a projector or a class has no room for, is decided once, for all."""
    for file in sorted((ROOT / "dpviz/topics").rglob("*_shown.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            match node:
                case ast.Attribute(value=ast.Name(id="theme"), attr=asked):
                    assert asked in ("before", "subjects"), f"{file.name} asks for theme.{asked}"
                case ast.Call(func=ast.Name(id="replace"), args=[ast.Name(id="theme"), *_]):
                    pytest.fail(f"{file.name} changes its theme")


def test_no_panel_ends_beyond_the_paper_by_rounding():
    widths = ((1.0, 2.2, 3.425, 2.2), (0.7, 0.2, 0.1), (1.0,) * 7)
    for row in ([panel(wide=wide) for wide in one] for one in widths):
        assert spans(row, len(row))[-1][1] <= 1.0


def test_large_words_above_a_panel_have_room_and_stay_within_it():
    said = Text("w" * 20, 10**0.6, Part(1), to="N")
    usual, large = (
        stacked(LIGHT.narrow(), panel(replace(said, large=size))).layout for size in (False, True)
    )
    more = large["margin"]["t"] - usual["margin"]["t"]
    assert 0.5 * LIGHT.narrow().font_size <= more <= LIGHT.narrow().font_size
    anchors = [layout["annotations"][-1]["xanchor"] for layout in (usual, large)]
    assert anchors == ["center", "left"]
