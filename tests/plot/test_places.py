"""Where words and marks of every view stand: on no point, and in one window with the sentence."""

from dataclasses import replace

import numpy as np
import pytest

from dpviz.plot.axes import Scale
from dpviz.plot.chart import draw
from dpviz.plot.coordinates import Paper
from dpviz.plot.ink import CHARACTER, LINE, plain_lines
from dpviz.plot.marks import Text
from dpviz.plot.obstacles import marks
from dpviz.plot.panels import Charted, stacked
from dpviz.plot.theme import LIGHT
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, Landmark, Source, Subject
from dpviz.scene.scene import Scene
from tests.support.declarations import SLUGS, begun, first, opened, page

WIDE, LOW = 780, 440  # pixels of a figure's place in a window of 1280x720
PHONE = 520  # pixels that a window of 390x844 leaves below a page's head, for a sentence of 3 lines


def points(figure, paper):
    """The places of all points of simulations, in pixels."""
    for trace in figure.data:
        if trace["type"] == "scatter" and trace.get("mode") == "markers" and "error_y" in trace:
            axes = paper.pair(trace)
            at = np.stack([axis.pixels(trace[k]) for axis, k in zip(axes, "xy", strict=True)])
            yield from at[:, np.isfinite(at).all(axis=0)].T.tolist()


def words(figure, paper):
    """What is written in the plot with a line to its place: words, their middle, half their size.

    Letters are not as wide as they may be at most, nor a line as high as from line to line.
    """
    for note in figure.layout.get("annotations", ()):
        if note.get("showarrow") and note.get("xanchor") != "left":  # not at the end of a curve
            lines, size = plain_lines(note["text"]), note.get("font", {}).get("size", 15)
            x, y = (paper.place(note[k], note.get(f"{k}ref", k), k) for k in "xy")
            across = 0.9 * CHARACTER * size * max(map(len, lines)) / 2
            up = LINE * size * len(lines) / 2 - 4
            yield note["text"], x + note["ax"], y + note["ay"], across, up


def test_words_keep_off_points_and_their_intervals():
    """A short line among points has its words where no interval is."""
    about = {"subject": Subject.USER_LEVEL, "source": Source("here", "there")}
    x = np.linspace(0.0, 10.0, 21)
    tall = np.where((x > 2.5) & (x < 7.5), 0.4, 0.0)
    simulated = Curve(
        "runs",
        "runs",
        evidence=Evidence.SIMULATED,
        x=x,
        y=0 * x + 0.5,
        lower=0.5 - tall,
        upper=0.5 + tall,
        **about,
    )
    upright = Curve(
        "line",
        "a line among the points",
        evidence=Evidence.EXACT,
        x=np.full(9, 5.0),
        y=np.linspace(0.2, 0.8, 9),
        **about,
    )
    axes = (Axis(name, name, log=False, base=0.0, reach=1.0) for name in "xy")
    figure = draw(Chart(*axes, curves=(simulated, upright)), LIGHT.within(LOW))
    paper = Paper(figure.layout, WIDE)
    across, up = paper.pair(figure.data[0])
    [(_, right, down, half, high)] = words(figure, paper)
    for at, reach in zip(x, tall, strict=True):
        beside = abs(across.pixels(at) - right) > half
        assert (
            beside
            or abs(up.pixels(0.5) - down) > abs(up.pixels(0.5 + reach) - up.pixels(0.5)) + high
        )


def test_all_parts_of_a_line_are_equally_in_the_way():
    """However far apart the points are that it is drawn by."""
    x = np.arange(1.0, 101.0)  # half of the axis has ten of them
    line = Curve("a", "a", Subject.BOUNDED, Evidence.EXACT, Source("here"), x, 0 * x + 5.0)
    scales = Scale(Axis("n", "n"), 0.0, 2.0), Scale(Axis("r", "r", log=False), 0.0, 10.0)
    right, _, down, weight = marks(line, *scales, lambda at: at * [[100.0], [10.0]])
    assert set(down) == {50.0}
    assert weight[right < 100].sum() == pytest.approx(weight[right >= 100].sum(), rel=0.02)


def test_the_lower_of_two_values_goes_up_where_there_is_no_room_below():
    """But not above the other: beside it there are points."""
    about = {"source": Source("here"), "subject": Subject.BOUNDED}
    x = np.linspace(0.0, 10.0, 41)
    runs = {"evidence": Evidence.SIMULATED, "lower": 0 * x, "upper": 0 * x + 0.2}
    curves = [
        Curve("low", "low", x=x, y=0 * x + 0.1, **about | runs),
        Curve("high", "high", x=x, y=0 * x + 2.8, **about, evidence=Evidence.EXACT),
        Curve("top", "top", x=x, y=0 * x + 9.0, **about, evidence=Evidence.EXACT),
    ]
    axes = Axis("x", "x", log=False), Axis("y", "y", log=False)
    chart = Chart(*axes, tuple(curves), here=5.0, in_headline=("low", "high"))
    figure = draw(chart, LIGHT.within(260))
    paper = Paper(figure.layout, WIDE)
    places = {text: (down, up) for text, _, down, _, up in words(figure, paper)}
    assert places["2.8"][0] < places["0.1"][0] < paper.place(0.1, "y", "y") - places["0.1"][1]


def test_words_that_keep_each_other_from_a_place_all_find_one():
    """Written one after the other, each where it was best, one stood on two points."""
    x = np.linspace(0.0, 10.0, 26)
    low = np.full(x.size, 0.1)
    at = [x[place] for place in (11, 13, 16, 24)]
    texts = ("the best of all", "what is proposed", "as it was published", "and without")
    about = {"subject": Subject.USER_LEVEL, "source": Source("here", "there")}
    runs = Curve(
        "runs", "runs", x=x, y=low, lower=low, upper=low, evidence=Evidence.SIMULATED, **about
    )
    axes = (Axis(name, name, log=False, base=0.0, reach=1.0) for name in "xy")
    marks = tuple(Landmark(float(one), 0.1, text) for one, text in zip(at, texts, strict=True))
    chart = Chart(*axes, curves=(runs,), landmarks=marks, in_headline=("runs",))
    figure = draw(chart, LIGHT.projected(300))
    paper = Paper(figure.layout, 898)
    found = [*words(figure, paper)]
    assert len(found) == len(texts)
    for text, right, down, across, up in found:
        others = [*points(figure, paper), *(one[1:3] for one in found if one[0] != text)]
        assert not [p for p in others if abs(p[0] - right) < across and abs(p[1] - down) < up]


@pytest.mark.parametrize("slug", SLUGS)
def test_words_at_lines_and_marks_stand_on_no_point(slug):
    for view in page(slug).views:
        figure = view.figure(first(page(slug), view.key), LIGHT.within(LOW))
        paper = Paper(figure.layout, WIDE)
        covered = [
            text
            for text, x, y, across, up in words(figure, paper)
            for right, down in points(figure, paper)
            if abs(right - x) < across and abs(down - y) < up
        ]
        assert not covered, view.key


def upright(figure, paper):
    """The upright lines drawn over a plot, in pixels: how far right, from where to where down."""
    for shape in figure.layout.get("shapes", ()):
        over = shape["type"] == "line" and shape.get("layer") != "below"
        if over and shape["x0"] == shape["x1"]:
            refs = {letter: shape.get(f"{letter}ref", letter) for letter in "xy"}
            ends = sorted(paper.at(shape[end], refs["y"], "y") for end in ("y0", "y1"))
            yield paper.at(shape["x0"], refs["x"], "x"), *ends


def struck(figure):
    """The words at lines and marks that a line of another one crosses."""
    paper = Paper(figure.layout, WIDE)
    return [
        text
        for text, x, y, across, up in words(figure, paper)
        for right, top, foot in upright(figure, paper)
        if abs(right - x) < across and top - up < y < foot + up
    ]


@pytest.mark.parametrize("slug", SLUGS)
def test_words_at_lines_and_marks_stand_across_no_line(slug):
    for view in page(slug).views:
        result = first(page(slug), view.key)
        assert not struck(view.figure(result, LIGHT.within(LOW))), view.key


@pytest.mark.parametrize("seed", range(6))
def test_words_keep_off_lines_that_are_drawn_over_a_chart(seed):
    """What is published may stand where a curve's name would."""
    scene = Scene.settled(page("promise"), page("promise").usual("play") | {"seed": seed})
    result = begun(page("promise"), scene.view, scene.values)
    assert not struck(scene.view.figure(result, LIGHT.within(LOW)))


@pytest.mark.parametrize("slug", SLUGS)
def test_a_phone_shows_each_figure_together_with_its_sentence(slug):
    for view in page(slug).views:
        figure = opened(page(slug), view.key).view.figure(
            first(page(slug), view.key), LIGHT.narrow()
        )
        high = figure.layout["height"]
        assert high <= PHONE, view.key


ABOUT_TWO = [
    ("clipping", {"view": "real"}),
    ("shared_darts", {"view": "disagreement", "gap": 6.0, "outcomes": 20}),
    ("shared_darts", {"view": "disagreement", "along": "darts", "darts": 5}),
    *((slug, {"view": view.key}) for slug in SLUGS for view in page(slug).views),
]


@pytest.mark.parametrize("theme", [LIGHT, LIGHT.narrow()], ids=["wide", "narrow"])
@pytest.mark.parametrize(("slug", "changes"), ABOUT_TWO)
def test_two_values_stand_one_above_the_other_as_their_curves_do(slug, changes, theme):
    scene = Scene.settled(page(slug), page(slug).usual(changes["view"]) | changes)
    figure = scene.view.figure(begun(page(slug), scene.view, scene.values), theme)
    paper = Paper(figure.layout, theme.width)
    values = [
        note
        for note in figure.layout.get("annotations", ())
        if note.get("arrowhead") == 6 and not any(letter.isalpha() for letter in note["text"])
    ]
    if len(values) != 2 or values[0].get("yref", "y") != values[1].get("yref", "y"):
        return
    at = [paper.place(note["y"], note.get("yref", "y"), "y") for note in values]
    words = [place + note["ay"] for place, note in zip(at, values, strict=True)]
    if abs(at[0] - at[1]) > 1:
        assert (at[0] < at[1]) == (words[0] < words[1])


@pytest.mark.parametrize("theme", [LIGHT, LIGHT.narrow()], ids=["wide", "narrow"])
@pytest.mark.parametrize("slug", SLUGS)
def test_no_value_is_written_along_its_own_level(slug, theme):
    """Above it there was no room, and below it values might have changed places, however far."""
    for view in page(slug).views:
        figure = opened(page(slug), view.key).view.figure(first(page(slug), view.key), theme)
        lines = [t["y"] for t in figure.data if t["type"] == "scatter" and t["mode"] == "lines"]
        levels = {y[0] for y in lines if len(set(y)) == 1}
        for note in figure.layout.get("annotations", ()):
            if note.get("arrowhead") == 6 and note["ay"] == 0:
                axis = figure.layout[f"yaxis{note.get('yref', 'y')[1:]}"]
                at = 10 ** note["y"] if axis.get("type") == "log" else note["y"]
                # below 0, at the foot of a plot, there is no room
                assert at == 0 or not np.isclose(at, [*levels]).any(), (view.key, note["text"])


@pytest.mark.parametrize("slug", SLUGS)
def test_a_line_that_a_hand_drags_is_on_the_axes_along_which_it_is_dragged(slug):
    """Below bars, the grip of a chart's line stood on the bars, or nowhere."""
    for view in page(slug).views:
        layout = view.figure(first(page(slug), view.key), replace(LIGHT, labels="few")).layout
        drag = layout.get("meta", {}).get("drag", {})
        lines = [shape for shape in layout.get("shapes", ()) if shape.get("x0") == drag.get("x")]
        there = [shape for shape in lines if shape.get("xref", "x") == "x"]
        assert there or not drag.get("line"), view.key


def test_the_unit_of_an_axis_has_no_number_and_words_keep_off_those_of_other_marks():
    """A curve that is 1 everywhere is what the axis counts in; a name beside it is in the way."""
    about = {"evidence": Evidence.EXACT, "source": Source("here", "there")}
    x = np.linspace(0.0, 10.0, 21)
    unit = Curve("unit", "unit", Subject.GAUSSIAN, x=x, y=0 * x + 1, **about)
    other = Curve("other", "other", Subject.BOUNDED, x=x, y=0.2 + x / 20, **about)
    axes = Axis("x", "x", log=False), Axis("y", "Times the unit", log=False)
    chart = Chart(*axes, (unit, other), here=5.0, in_headline=("unit", "other"))

    def value(*marks):
        figure = stacked(LIGHT, Charted(chart, marks))
        notes = [note for note in figure.layout["annotations"] if note["text"] in ("1", "0.45")]
        [note] = notes
        return note

    alone = value()
    # On the place where the number would stand.
    right, up = alone["ax"], -alone["ay"]
    there = value(Text("something else", 5.0, 0.45, shift=(right, up)))
    assert (there["ax"], there["ay"]) != (alone["ax"], alone["ay"])
