"""Margins give way to words: of axes, and of legends."""

from xml.etree import ElementTree as ET

import numpy as np
import pytest

from dpviz.plot.captioned import WIDTH, Caption, captioned
from dpviz.plot.ink import LINE
from dpviz.plot.picture import picture
from dpviz.plot.spec import Figure, bar, scatter
from dpviz.plot.theme import LIGHT

SVG = "{http://www.w3.org/2000/svg}"
WIDE = 600
MARGIN = {"l": 30, "r": 20, "t": 20, "b": 50}
ACROSS = {"range": [0, 1], "title": {"text": "Answers"}}


def drawn(*traces, theme=LIGHT, **layout):
    usual = {"height": 300, "margin": MARGIN, "xaxis": ACROSS, "yaxis": {"range": [0, 1]}}
    figure = Figure(list(traces)).update_layout(**usual).update_layout(**layout)
    made = picture(figure, theme, WIDE)
    return made, list(ET.fromstring(made.svg).iter(f"{SVG}text"))


def line(name, **more):
    return scatter(x=[0, 1], y=[0, 1], mode="lines", name=name, **more)


def test_the_left_margin_holds_what_stands_beside_an_axis():
    names = ["an algorithm with a long name", "another"]
    up = {"range": [0, 3], "tickvals": [1, 2], "ticktext": names}
    made, words = drawn(bar(x=[1, 2], y=[1, 2], width=0.8, orientation="h"), yaxis=up)
    [long] = [text for text in words if text.text == names[0]]
    wide = 0.5 * float(long.get("font-size")) * len(names[0])  # of the app's font, and of others
    assert float(long.get("x")) - wide >= 0
    x = made.paper.axes["xaxis"]
    assert float(long.get("x")) < x.start < 300
    assert made.places[0][0][0] == pytest.approx(x.start)  # bars and what is read off go along
    sound, _ = drawn(line("short"))
    assert sound.paper.axes["xaxis"].start == pytest.approx(MARGIN["l"], abs=1)


@pytest.mark.parametrize("scale", [1, 1.4])
def test_a_legend_stands_below_what_the_axis_says(scale):
    theme = LIGHT.projected(300) if scale > 1 else LIGHT
    names = [f"the curve number {number}" for number in range(5)]
    made, words = drawn(*map(line, names), theme=theme, showlegend=True)
    places = {text.text: float(text.get("y")) for text in words}
    size = theme.font_size
    assert len({places[name] for name in names}) >= 2  # rows
    numbers = [float(text.get("y")) for text in words if text.get("class") == "xtick"]
    assert max(numbers) + 0.25 * size < places["Answers"] - 0.75 * size
    assert places["Answers"] + 0.25 * size < min(places[name] for name in names) - 0.7 * size
    assert max(places[name] for name in names) + 0.25 * size <= 300
    assert made.paper.axes["yaxis"].start - made.paper.axes["yaxis"].end > 100


def test_a_legend_of_too_many_rows_leaves_some_of_the_plot():
    made, _ = drawn(*(line(f"curve {n} " + 8 * "long ") for n in range(40)), showlegend=True)
    y = made.paper.axes["yaxis"]
    assert y.start - y.end >= 0.4 * 300 - 1


def test_words_are_as_large_as_the_figure_has_them():
    """On a projector those of several panels are smaller, and the room is made for these."""
    theme = LIGHT.projected(400)
    [usual, *_], [smaller, *_] = (
        drawn(line("one"), theme=theme, template=own.template())[1]
        for own in (theme, theme.crowded())
    )
    assert float(usual.get("font-size")) == theme.font_size - 1
    assert float(smaller.get("font-size")) == theme.crowded().font_size - 1


def test_numbers_stand_as_far_from_their_axis_as_it_says():
    def low(apart):
        _, words = drawn(
            line("one"), margin=MARGIN | {"b": 60}, xaxis=ACROSS | {"ticklabelstandoff": apart}
        )
        titles = (float(text.get("y")) for text in words if text.get("class") == "xtitle")
        numbers = (float(text.get("y")) for text in words if text.get("class") == "xtick")
        return max(numbers), next(titles)

    assert low(9) == pytest.approx(tuple(np.add(low(3), 6)))
    assert low(9)[0] + LINE < low(9)[1]


def test_a_caption_stands_below_a_legend_that_has_more_rows_than_a_figure_foresaw():
    names = [f"the curve with the long name and the number {number}" for number in range(6)]
    figure = Figure([line(name) for name in names]).update_layout(
        height=300, margin=MARGIN, xaxis=ACROSS, yaxis={"range": [0, 1]}, showlegend=True
    )
    words = Caption("Why?", "A sentence.", "A caption.", (), "http://x/")
    made = picture(captioned(figure, words), LIGHT, WIDTH)
    places = {
        text.text: float(text.get("y")) for text in ET.fromstring(made.svg).iter(f"{SVG}text")
    }
    assert places["Answers"] < places[names[0]] - 10 < places[names[-1]]
    assert places[names[-1]] < places["A caption."] - 10
