"""What is read off a drawing is what its values are, where they are."""

import numpy as np

from dpviz.plot.picture import picture
from dpviz.plot.readings import readings
from dpviz.plot.spec import Figure, bar, scatter
from dpviz.plot.text import readable
from dpviz.plot.theme import LIGHT

AXES = {
    "height": 400,
    "margin": {"l": 50, "r": 150, "t": 20, "b": 80},  # of 700 by 400: 500 by 300 are left
    "xaxis": {"range": [0, 10], "unifiedhovertitle": {"text": "x = %{x}"}},
    "yaxis": {"range": [0, 4]},
}


def read(*traces, **layout):
    figure = Figure(list(traces)).update_layout(**AXES).update_layout(**layout)
    return readings(figure.data, picture(figure, LIGHT, 700))


def test_a_curve_says_its_own_values_below_its_own_x():
    x, y = np.array([0.0, 5.0, 10.0]), np.array([0.123456, np.nan, 4.0])
    [found] = read(scatter(x=x, y=y, mode="lines", hovertemplate="%{y:.4~g}<extra></extra>"))
    assert found["said"] == [readable(y[0], 4), None, readable(4.0, 4)]
    assert found["at"] == [f"x = {readable(value)}" for value in x]
    assert found["places"][-1] == [5500, 200]
    assert found["way"] == "line"


def test_what_is_skipped_or_has_no_words_says_nothing():
    looks = {"x": [1, 2], "y": [1, 2], "mode": "lines"}
    assert not read(scatter(**looks), scatter(**looks, hovertemplate="%{y}", hoverinfo="skip"))


def test_bars_and_cells_have_their_corners():
    shown = bar(x=[1, 2], y=[2, 4], width=1, hovertemplate="%{y}")
    [found] = read(shown, xaxis={"range": [0.5, 2.5]})
    assert found["places"] == [[500, 3200, 3000, 1700], [3000, 3200, 5500, 200]]
    assert found["said"] == ["2", "4"]
    cells = {"type": "heatmap", "x": [2.5, 7.5], "y": [1, 3], "z": [[1, 2], [3, 4]]}
    cells["colorscale"] = [[0, LIGHT.background], [1, LIGHT.text]]
    cells |= {"zmin": 1, "zmax": 4}
    [found] = read(cells | {"hovertemplate": "%{x} %{y} %{z}"}, xaxis={"range": [0, 10]})
    assert [words[-1] for words in found["said"]] == ["1", "2", "3", "4"]
    assert [sorted(corners[::2]) for corners in found["places"]] == [[500, 3000], [3000, 5500]] * 2
    assert [sorted(corners[1::2]) for corners in found["places"]] == [
        *[[1700, 3200]] * 2,
        *[[200, 1700]] * 2,
    ]
