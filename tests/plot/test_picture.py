"""Pictures without a browser: everything is where plotly's own rules put it."""

import contextlib
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from dpviz.plot.captioned import WIDTH, Caption, captioned
from dpviz.plot.ink import UNSEEN, plain_lines, stepped
from dpviz.plot.picture import picture, svg
from dpviz.plot.spec import Figure, bar, scatter
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.parameters import ParameterError
from tests.support.declarations import SLUGS, begun, opened, page
from tests.support.examples import chosen, in_nightly
from tests.support.scenes import scenes

SVG = "{http://www.w3.org/2000/svg}"
UNIT = {"range": [0, 1]}
MARGIN = {"l": 50, "r": 150, "t": 20, "b": 80}  # of 700 by 400: 500 by 300 are left

COLORS = {"seen": "#123456", "read": UNSEEN}


def drawn(figure, **layout):
    usual = {"height": 400, "margin": MARGIN, "xaxis": UNIT, "yaxis": UNIT}
    return ET.fromstring(svg(figure.update_layout(**usual).update_layout(**layout), LIGHT, 700))


def test_a_line_runs_from_corner_to_corner_of_its_axes():
    figure = Figure([scatter(x=[0, 5, 10], y=[0, np.nan, 4], mode="lines")])
    root = drawn(figure, xaxis={"range": [0, 10]}, yaxis={"range": [0, 4]})
    [line] = root.findall(f".//{SVG}path")
    assert line.get("d") == "M50,320M550,20"
    assert root.find(f".//{SVG}clipPath") is None
    root = drawn(figure, xaxis={"range": [0, 10]}, yaxis={"range": [0, 3]})  # it leaves them
    clip = root.find(f".//{SVG}clipPath/{SVG}rect")
    assert (clip.get("x"), clip.get("width")) == ("49", "502")


def test_a_page_finds_the_first_axes_for_a_pen():
    figure = Figure([scatter(x=[0, 1], y=[0, 1], mode="lines")]).update_layout(
        height=400, margin=MARGIN, xaxis=UNIT, yaxis=UNIT
    )
    rect = f"{SVG}rect[@class='axes']"
    found = ET.fromstring(picture(figure, LIGHT, 700, "live-").svg).find(rect)
    place = {"x": "50", "y": "20", "width": "500", "height": "300"}
    assert place.items() <= found.attrib.items()
    assert ET.fromstring(svg(figure, LIGHT, 700)).find(rect) is None


def test_the_numbers_of_axes_stand_outside_of_the_plot():
    figure = Figure([scatter(x=[2, 4], y=[2, 4], mode="lines")])
    root = drawn(figure, xaxis={"range": [2, 4]}, yaxis={"range": [2, 4]})
    numbers = [e for e in root.iter(f"{SVG}text") if "".join(e.itertext()).strip() in "2 3 4"]
    below = [e for e in numbers if e.get("text-anchor") == "middle"]
    beside = [e for e in numbers if e.get("text-anchor") == "end"]
    assert len(below) >= 2
    assert len(beside) >= 2
    high = LIGHT.font_size * 0.7  # of a digit
    assert all(320 <= float(e.get("y")) - high <= 340 for e in below)
    assert all(35 <= float(e.get("x")) <= 50 for e in beside)


def test_what_is_written_at_axes_is_on_the_paper_in_a_low_figure_too():
    figure = Figure([scatter(x=[1, 10_000], y=[0, 300], mode="lines")])
    margin = {"l": 50, "r": 4, "t": 20, "b": 40}
    across = {"type": "log", "range": [0, 4], "title": {"text": "Answers"}}
    root = drawn(figure, height=120, margin=margin, xaxis=across, yaxis={"range": [0, 300]})
    title = root.find(f".//{SVG}text[@class='xtitle']")
    assert float(title.get("y")) + 0.25 * LIGHT.font_size <= 120
    [last] = [e for e in root.iter(f"{SVG}text") if e.text == "10,000"]
    assert float(last.get("x")) + 0.24 * (LIGHT.font_size - 1) * len(last.text) <= 700
    heights = sorted(float(e.get("y")) for e in root.findall(f".//{SVG}text[@class='ytick']"))
    assert len(heights) >= 2
    assert min(np.diff(heights)) >= LIGHT.font_size - 1


def test_a_logarithmic_axis_is_even_in_powers_and_has_no_place_for_zero():
    figure = Figure([scatter(x=[1, 10, 100], y=[0, 1, 2], mode="lines")])
    log = {"type": "log", "range": [0, 2]}
    root = drawn(figure, xaxis=log, yaxis={"range": [0, 2]})
    assert root.find(f".//{SVG}path").get("d") == "M50,320L300,170L550,20"
    root = drawn(figure, xaxis=log | {"type": None}, yaxis={"type": "log", "range": [0, 1]})
    assert "320" in root.find(f".//{SVG}path").get("d")
    assert root.find(f".//{SVG}path").get("d").count(",") == 2


def test_bars_lie_and_stand_where_numbers_say():
    figure = Figure([bar(x=[1, 2], y=[2, 4], width=1), bar(x=[1, 2], y=[1, -1], width=1)])
    axes = {"xaxis": {"range": [0.5, 2.5]}, "yaxis": {"range": [-1, 5]}, "barmode": "stack"}
    boxes = [dict(box.attrib) for box in drawn(figure, **axes).findall(f"{SVG}g/{SVG}rect")]
    assert [(b["x"], b["y"], b["width"], b["height"]) for b in boxes] == [
        ("50", "170", "250", "100"),
        ("300", "70", "250", "200"),
        ("50", "120", "250", "50"),
        ("300", "70", "250", "50"),
    ]
    lying = Figure([bar(x=[3], y=[1], base=[1], width=1, orientation="h")])
    axes = {"xaxis": {"range": [0, 5]}, "yaxis": {"range": [0, 2]}}
    [box] = drawn(lying, **axes).findall(f"{SVG}g/{SVG}rect")
    assert (box.get("x"), box.get("width")) == ("150", "300")
    assert (box.get("y"), box.get("height")) == ("95", "150")


def test_the_colours_of_a_heatmap_lie_between_the_ends_of_its_scale():
    grid = {"x": [0, 1], "y": [0, 1], "z": [[0, 1], [2, 4]], "zmin": 0, "zmax": 4}
    scale = [[0, LIGHT.background], [1, "#80ff40"]]
    figure = Figure([{"type": "heatmap", **grid, "colorscale": scale}])
    root = drawn(figure, xaxis={"range": [-0.5, 1.5]}, yaxis={"range": [-0.5, 1.5]})
    boxes = root.findall(f"{SVG}g/{SVG}rect")
    assert [box.get("fill") for box in boxes] == ["#80ff40"] * 3
    assert [box.get("fill-opacity") for box in boxes] == ["0.25", "0.5", "1"]
    assert (boxes[-1].get("x"), boxes[-1].get("y")) == ("300", "20")


def test_words_stand_at_their_points():
    figure = Figure()
    figure.add_annotation(
        text="a<br>b &amp; 10<sup>−3</sup>", x=1, y=1, ax=30, ay=0, xanchor="left"
    )
    paper = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top"}
    figure.add_annotation(paper, text="above", x=0, y=1, showarrow=False)
    axes = {"range": [0, 2]}
    root = drawn(figure, xaxis=axes | {"visible": False}, yaxis=axes | {"visible": False})
    found = {text.text: text for text in root.findall(f"{SVG}text")}
    assert list(found) == ["a", "b & 10⁻³", "above"]
    assert (found["a"].get("x"), found["a"].get("text-anchor")) == ("330", "start")
    assert float(found["a"].get("y")) < 170 < float(found["b & 10⁻³"].get("y"))
    assert (found["above"].get("x"), found["above"].get("text-anchor")) == ("50", "start")


def test_a_step_changes_at_the_point_or_half_way_to_it():
    x, y = np.array([0.0, 2.0, 4.0]), np.array([1.0, 5.0, 3.0])
    where = np.array([0.5, 1.5, 2.5, 3.5])
    for shape, expected in (("hv", [1, 1, 5, 5]), ("hvh", [1, 5, 5, 3])):
        corners = stepped(x, y, shape)
        assert list(np.interp(where, *corners)) == expected


def test_a_curve_that_can_be_meant_says_how_it_looks_then():
    """Also in a figure that moves, of which nothing is read off."""
    line = scatter(x=[1, 2], y=[1, 2], mode="lines")
    meant = [line | {"meta": {"key": key, "color": c, "width": 3}} for key, c in COLORS.items()]
    parts = [part for part in drawn(Figure([line, *meant])).iter() if "data-curve" in part.attrib]
    assert {part.get("data-curve"): part.get("style") for part in parts} == {
        "seen": "--own:#123456;--wide:3px",
        "read": None,
    }


def test_only_what_is_bold_is_bold():
    figure = Figure()
    text = "<b>Step 1</b><br>then <i>more</i> <span style='color:#123456'>of it</span>"
    figure.add_annotation(text=text, x=0, y=0, showarrow=False)
    hidden = {"visible": False, "range": [0, 1]}
    bold, plain = drawn(figure, xaxis=hidden, yaxis=hidden).findall(f"{SVG}text")
    assert (bold.text, bold.get("font-weight")) == ("Step 1", "600")
    assert plain.get("font-weight") is None
    assert "".join(plain.itertext()) == "then more of it"
    runs = {run.text: dict(run.attrib) for run in plain}
    assert runs["more"] == {"font-style": "italic"}
    assert runs["of it"] == {"fill": "#123456"}
    assert runs["then "] == {}


@pytest.mark.parametrize(
    ("trace", "layout"),
    [
        ({"type": "violin"}, {}),
        ({"type": "scatter", "mode": "lines+wings"}, {}),
        ({"type": "scatter"}, {}),
        ({"type": "scatter", "mode": "lines", "line": {"dash": "12px,3px"}}, {}),
        ({"type": "scatter", "mode": "lines", "line": {"shape": "spline"}}, {}),
        ({"type": "scatter", "mode": "lines", "line": {"smoothing": 1}}, {}),
        ({"type": "scatter", "mode": "lines", "fill": "tonextx"}, {}),
        ({"type": "scatter", "mode": "markers", "marker": {"symbol": "star"}}, {}),
        ({"type": "scatter", "mode": "markers", "marker": {"symbol": ["circle", "star"]}}, {}),
        ({"type": "bar", "text": ["a", "b"]}, {}),
        ({"type": "bar", "error_y": {"array": [1, 1]}}, {}),
        ({"type": "contour", "z": [[0, 1], [1, 0]]}, {}),
        ({"type": "scatter", "mode": "lines"}, {"shapes": [{"type": "circle"}]}),
        ({"type": "scatter", "mode": "lines"}, {"xaxis": {"type": "category"}}),
        ({"type": "scatter", "mode": "lines"}, {"barmode": "relative"}),
        ({"type": "scatter", "mode": "lines"}, {"yaxis": {"range": None}}),
    ],
)
def test_what_a_picture_does_not_know_is_an_error(trace, layout):
    with pytest.raises(ValueError, match="a picture knows no"):
        drawn(Figure([trace | {"x": [0, 1], "y": [0, 1]}]), **layout)


def test_words_of_points_and_bars_stand_where_they_belong():
    named = scatter(x=[1, 1], y=[1, 3], mode="markers+text", text=["in", "beside"])
    named |= {"textposition": ["middle center", "middle right"], "marker": {"size": 16}}
    bars = bar(x=[2], y=[1], orientation="h", text=["out"], width=0.5, textposition="outside")
    axes = {"visible": False, "range": [0, 5]}
    root = drawn(Figure([named, bars]), xaxis=axes, yaxis=axes)
    found = {
        text.text: (text.get("x"), text.get("text-anchor")) for text in root.iter(f"{SVG}text")
    }
    assert found == {
        "in": ("150", "middle"),
        "beside": ("161", "start"),
        "out": ("253", "start"),
    }


def test_markup_becomes_characters():
    assert plain_lines("<b>1 &lt; 2</b><br/><i>k</i> = 10<sup>-12</sup>") == ["1 < 2", "k = 10⁻¹²"]
    assert plain_lines("(1 − u²)<sup>−<i>p</i></sup>, 2<sup>−O(d)</sup>") == [
        "(1 − u²)⁻ᵖ, 2^(−O(d))"
    ]


@pytest.mark.parametrize("slug", SLUGS)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_every_view_is_drawn_whole(slug, theme):
    declared = page(slug)
    # By default each view in one theme, and every page in both.
    for view in chosen(declared.views, declared.views[theme.name == "dark" :: 2]):
        scene = opened(declared, view.key)
        result = begun(declared, scene.view, scene.values)
        figure = view.figure(result, theme)
        words = Caption("Why?", "Because.", "", (), "http://localhost/")
        root = ET.fromstring(svg(captioned(figure, words, theme), theme, WIDTH))
        texts = {"".join(text.itertext()) for text in root.iter(f"{SVG}text")}
        for note in figure.layout.get("annotations", ()):
            assert set(plain_lines(note["text"])) <= texts
        assert {"Why?", "Because."} <= texts
        assert len(root.findall(f"{SVG}g")) == len(figure.data)
        numbers = [v for part in root.iter() for v in part.attrib.values() if v in ("nan", "inf")]
        assert not numbers


@pytest.mark.parametrize("slug", SLUGS)
def test_no_state_has_a_part_that_a_picture_does_not_know(slug):
    """Choices of all views, presets and scenes of lectures: every other one; by default a few."""
    every = scenes(slug)
    drawn = 0
    for scene in every[:: 2 if in_nightly() else max(len(every) // 4, 1)]:
        if scene.upload is None:
            with contextlib.suppress(ParameterError):
                result = begun(scene.page, scene.view, scene.values)
                assert svg(scene.view.figure(result, LIGHT), LIGHT, WIDTH)
                drawn += 1
    assert drawn


def test_a_legend_stands_above_a_caption():
    traces = [scatter(x=[0, 1], y=[0, 1], mode="lines", name=name) for name in ("one", "other")]
    words = Caption("Why?", "A sentence.", "A caption.", (), "http://x/")
    figure = Figure(traces).update_layout(
        height=400, margin=MARGIN, xaxis=UNIT, yaxis=UNIT, showlegend=True
    )
    root = ET.fromstring(svg(captioned(figure, words), LIGHT, WIDTH))
    places = {text.text: float(text.get("y")) for text in root.iter(f"{SVG}text")}
    assert places["other"] < places["A caption."] - 10


def placed(figure, **layout):
    """Where each word of a picture stands, and the sample before it in a legend."""
    root = drawn(figure, showlegend=True, **layout)
    return {
        text.text: (float(text.get("x")), float(text.get("y"))) for text in root.iter(f"{SVG}text")
    }


def test_a_legend_stands_where_its_figure_says():
    """In a corner of the axes it covered the words above the left one."""
    traces = [bar(x=[0, 1], y=[1, 1], width=0.8, name=name) for name in ("lower", "upper")]
    corner = {"x": 1, "y": 1, "xanchor": "right", "yanchor": "top", "orientation": "v"}
    legend = corner | {"yref": "paper"}
    found = placed(Figure(traces), barmode="stack", legend=legend)
    (left, upper), (same, lower) = found["upper"], found["lower"]
    assert left == same > 400
    assert 20 < upper < lower < 80  # what is stacked is named from above
    beside = placed(Figure(traces), barmode="overlay", legend=legend | {"orientation": "h"})
    assert beside["lower"][1] == beside["upper"][1]
    assert beside["lower"][0] < beside["upper"][0]


def test_bars_stand_on_an_axis_without_a_grid():
    standing = {"x": [1, 2], "y": [2, 4], "width": 0.8}
    for lying, lines in (({}, {"y"}), ({"orientation": "h"}, {"x"})):
        figure = Figure([bar(**standing, **lying)])
        rules = drawn(figure).findall(f"{SVG}line")
        assert {"y" if rule.get("y1") == rule.get("y2") else "x" for rule in rules} == lines


def test_intervals_end_with_the_axes_and_their_dots_are_whole():
    figure = Figure([scatter(x=[10], y=[1], mode="markers", error_y={"array": [9]})])
    root = drawn(figure, xaxis={"range": [0, 10]}, yaxis={"range": [0, 2]})
    [interval] = root.iterfind(f".//{SVG}g[@clip-path='url(#y0)']")
    assert interval.findall(f"{SVG}line")
    assert not interval.findall(f"{SVG}circle")
    dot = root.find(f".//{SVG}g[@class='part0']")
    assert dot.find(f"{SVG}circle") is not None
    assert dot.get("clip-path") is None


@pytest.mark.parametrize(("line", "width"), [({}, "1"), ({"width": 3}, "3")])
def test_an_open_symbol_is_as_thick_as_it_says(line, width):
    marker = {"symbol": "circle-open", "size": 19, "color": "#123456", "line": line}
    [ring] = drawn(Figure([scatter(x=[1], y=[1], mode="markers", marker=marker)])).iter(
        f"{SVG}circle"
    )
    assert (ring.get("stroke"), ring.get("stroke-width"), ring.get("fill")) == (
        *("#123456", width),
        "none",
    )
