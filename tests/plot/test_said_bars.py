"""Bars with words: as long as they say, in every place, and with the headline's numbers."""

import re

import numpy as np
import pytest

from dpviz.plot.panels import stacked
from dpviz.plot.said_bars import Bar, said_bars
from dpviz.plot.theme import DARK, LIGHT
from tests.support.declarations import opened, page
from tests.support.specs import Checked

VIEWS = [
    ("clipping", "real"),
    *(("propose_test_release", key) for key in ("promise", "naming")),
]
_NUMBER = r"\d[\d,.]*"


def numbers(text):
    return {number.rstrip(".,") for number in re.findall(_NUMBER, text)}


def test_bars_begin_at_0_on_one_scale_and_one_that_is_not_known_has_its_words_alone():
    rows = [
        Bar("a 2", 2.0, 0),
        Bar(("b 5 in full", "b 5"), 5.0, 1),
        Bar("not yet known", np.nan, 2),
    ]
    for theme, said in ((LIGHT, "b 5 in full"), (DARK.narrow(), "b 5")):
        figure = Checked(stacked)(theme, said_bars(rows, 8.0))
        assert tuple(figure.layout.xaxis.range) == (0, 8)
        long = [trace.x[0] for trace in figure.data]
        assert long[:2] == [2.0, 5.0]
        assert not np.isfinite(np.asarray(long[2], dtype=float))
        assert [note.text for note in figure.layout.annotations] == ["a 2", said, "not yet known"]
    with_nothing = Checked(stacked)(LIGHT, said_bars([]))
    assert tuple(with_nothing.layout.xaxis.range) == (0, 1)


@pytest.mark.parametrize(("slug", "key"), VIEWS)
def test_the_numbers_of_the_headline_stand_in_the_picture(slug, key):
    scene = opened(page(slug), key)
    view, found = scene.view, scene.view.compute(**scene.page.call(scene.arguments))
    results = found if view.in_parts else [found]
    result = next(one for one in results if numbers(view.takeaway(one)))
    for theme in (LIGHT, LIGHT.narrow()):
        notes = view.figure(result, theme).layout["annotations"]
        seen = numbers(" ".join(re.sub("<[^>]*>", "", note["text"]) for note in notes))
        assert numbers(view.takeaway(result)) <= seen
