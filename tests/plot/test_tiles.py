"""Small pictures of topics: the curves of their charts, in the colours of the large figures."""

import re

import numpy as np
import pytest

from dpviz.plot import tiles
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, Source, Subject

X = np.geomspace(1, 1e4, 50)
SOURCE = Source("x")
CHART = Chart(
    Axis("x", "x"),
    Axis("y", "y", least=1.0),
    (
        Curve("a", "a", Subject.BOUNDED, Evidence.EXACT, SOURCE, X, X**2),
        Curve("b", "b", Subject.GAUSSIAN, Evidence.ASYMPTOTIC, SOURCE, X, X / 10),
        Curve("c", "c", Subject.DANGER, Evidence.SIMULATED, SOURCE, X[::10], X[::10]),
    ),
    here=100.0,
)


def test_one_process_draws_all_of_them_with_their_colours_and_lines():
    [[first, second], [dark, _]] = tiles.draw([CHART, CHART], [LIGHT, DARK])
    assert re.sub(r"clip\d+", "", first) == re.sub(r"clip\d+", "", second)
    colors = LIGHT.subjects
    for subject in (Subject.BOUNDED, Subject.GAUSSIAN, Subject.DANGER):
        assert colors[subject] in first
    assert DARK.subjects[Subject.BOUNDED] not in first
    assert DARK.subjects[Subject.BOUNDED] in dark
    paths = re.findall(r'd="(M[-0-9.,ML]+)" stroke="' + colors[Subject.BOUNDED], first)
    [square] = map(points, paths)
    # A straight line on both logarithmic axes, from one corner of the picture to the other.
    assert np.ptp(square[:, 0]) == pytest.approx(tiles.WIDTH, abs=0.1)
    assert np.ptp(square[:, 1]) == pytest.approx(tiles.HEIGHT, abs=0.1)
    slopes = np.diff(square[:, 1]) / np.diff(square[:, 0])
    assert slopes == pytest.approx(slopes[0], rel=1e-2)
    assert "stroke-dasharray" in first


def points(path):
    return np.array([list(map(float, pair.split(","))) for pair in re.split("[ML]", path)[1:]])


def test_what_cannot_be_drawn_is_left_out_and_dots_are_no_lines():
    holes = Curve(
        "h", "h", Subject.BOUNDED, Evidence.EXACT, SOURCE, X, np.where(X < 10, np.nan, -X)
    )
    chart = Chart(Axis("x", "x"), Axis("y", "y"), (holes, *CHART.curves))
    specification = tiles.specification(chart, LIGHT)
    rows = [
        row for part in specification["layer"] for row in part.get("data", {}).get("values", [])
    ]
    rows += specification.get("data", {}).get("values", [])
    assert {row["curve"] for row in rows} == {"a", "b", "c"}
    assert {row["curve"] for row in rows if row["drawn"]} == {"c"}
