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


def test_a_tile_has_the_colours_and_lines_of_its_chart_and_no_words():
    light, dark = (tiles.drawn(CHART, theme) for theme in (LIGHT, DARK))
    colors = LIGHT.subjects
    for subject in (Subject.BOUNDED, Subject.GAUSSIAN, Subject.DANGER):
        assert colors[subject] in light
    assert DARK.subjects[Subject.BOUNDED] not in light
    assert DARK.subjects[Subject.BOUNDED] in dark
    paths = re.findall(rf'd="(M[-0-9.,ML]+)"[^>]*{colors[Subject.BOUNDED]}', light)
    [square] = map(points, paths)
    # A straight line on both logarithmic axes, from one side of the picture to the other.
    assert np.ptp(square[:, 0]) > 0.9 * (tiles.WIDTH - 2 * tiles.EDGE)
    slopes = np.diff(square[:, 1]) / np.diff(square[:, 0])
    assert slopes == pytest.approx(slopes[0], rel=1e-2)
    assert "stroke-dasharray" in light
    assert "<text" not in light


def points(path):
    return np.array([list(map(float, pair.split(","))) for pair in re.split("[ML]", path)[1:]])


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
        fresh = tiles.drawn(chart, theme)
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
