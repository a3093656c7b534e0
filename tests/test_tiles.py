"""Tiles: the curves of the topics' charts, in the colours of the large figures."""

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from benchmarks import tiles
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, Source, Subject
from dpviz.scene.catalogue import PAGES
from dpviz.serve.tiles import FOLDER, name
from dpviz.serve.topics import Topics
from tests.support.examples import chosen

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


def test_a_tile_has_the_colours_and_lines_of_its_chart():
    first, second = tiles.drawn([CHART, CHART], LIGHT)
    [dark] = tiles.drawn([CHART], DARK)
    assert first == second
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


NUMBER = re.compile(r"#[0-9a-fA-F]{6}|-?\d+\.?\d*(?:e-?\d+)?")


def parts(svg):
    """All that a picture is made of, without the numbers; and these. A colour is no number."""
    numbers = []

    def taken(match):
        if match[0].startswith("#"):
            return match[0]
        numbers.append(float(match[0]))
        return "number"

    root = ET.fromstring(svg)
    said = [f"{part.tag} {sorted(part.attrib.items())} {part.text}" for part in root.iter()]
    return [NUMBER.sub(taken, text) for text in said], numbers


@pytest.mark.parametrize("entry", chosen(PAGES, [PAGES[0]]), ids=lambda entry: entry.slug)
def test_the_tiles_of_the_tree_are_as_fresh_ones(entry):
    """Whoever changes what a tile shows runs `make tiles`; processors round in their own way."""
    chart = tiles.chart(Topics(), entry)
    for theme in (LIGHT, DARK):
        [fresh] = tiles.drawn([chart], theme)
        kept = (FOLDER / name(entry.slug, dark=theme is DARK)).read_text(encoding="utf-8")
        (words, numbers), (others, places) = parts(fresh), parts(kept)
        assert words == others
        np.testing.assert_allclose(numbers, places, rtol=0, atol=0.2)  # pixels


def test_the_comparison_would_notice():
    svg = (FOLDER / name("promise", dark=False)).read_text(encoding="utf-8")
    words, numbers = parts(svg)
    assert len(numbers) > 100
    colors = [color for color in LIGHT.subjects.values() if color in svg]
    assert parts(svg.replace(colors[0], "#123456"))[0] != words
    assert parts(svg.replace("L", "L1", 1))[1] != numbers
