"""The palette in numbers: contrast, and distance for readers who see colours differently."""

import itertools
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.evidence import Subject

CONFIG = Path(__file__).parents[2] / ".streamlit" / "config.toml"
both = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])

# Machado, Oliveira & Fernandes 2009, severity 1, on linear RGB.
VISION = {
    "normal": np.eye(3),
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}


def linear(color):
    channels = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """WCAG 2 contrast ratio."""
    low, high = sorted(linear(c) @ [0.2126, 0.7152, 0.0722] for c in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(color, vision):
    """CIE L*a*b* under D65, as seen with the given cones."""
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    seen = np.clip(np.asarray(vision) @ linear(color), 0, 1)
    t = (np.asarray(to_xyz) @ seen) / [0.95047, 1.0, 1.08883]
    f = np.where(t > 216 / 24389, np.cbrt(t), (24389 / 27 * t + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_the_measures_are_right():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)
    assert lab("#ff0000", VISION["normal"]) == pytest.approx([53.24, 80.09, 67.20], abs=0.1)


@both
def test_everything_written_or_drawn_stands_out(theme):
    for color in (*theme.palette, theme.text, theme.muted):
        assert contrast(color, theme.background) >= 4.5, color


@both
def test_every_subject_has_a_colour_of_its_own(theme):
    assert set(theme.subjects) == set(Subject)
    assert len(set(theme.palette)) == len(theme.palette) == 10


@both
@pytest.mark.parametrize("vision", VISION)
def test_colours_can_be_told_apart(theme, vision):
    seen = {color: lab(color, VISION[vision]) for color in theme.palette}
    for one, other in itertools.combinations(theme.palette, 2):
        distance = np.linalg.norm(seen[one] - seen[other])
        assert distance >= 15, (one, other, distance)


@both
def test_the_page_and_the_figure_share_their_colours(theme):
    config = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["theme"][theme.name]
    assert config["backgroundColor"] == theme.background
    assert config["textColor"] == theme.text
    assert config["primaryColor"] == theme.text  # ink: no subject's colour


@both
def test_text_is_large_enough_for_a_projector(theme):
    for size in (theme, theme.narrow()):
        assert size.font_size >= 14


@pytest.mark.parametrize("theme", [LIGHT, LIGHT.narrow(), replace(LIGHT, scale=2.0)])
def test_the_numbers_of_an_axis_stand_near_to_it(theme):
    layout = theme.template()["layout"]
    for name in ("xaxis", "yaxis"):
        assert 0 < layout[name]["ticklabelstandoff"] < 2 * theme.font_size
