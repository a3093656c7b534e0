"""Titles of axes are written one way: in sentence case, and those of y-axes above, horizontally."""

import pytest

from dpviz.plot.theme import LIGHT
from dpviz.results.evidence import Chart, parts_of
from dpviz.scene.codec import Number
from tests.support.declarations import SLUGS, first, opened, page

VIEWS = [(slug, view.key) for slug in SLUGS for view in page(slug).views]
SYMBOLS = {"x"}  # titles that are a symbol


def lower_case(words):
    return words.split()[0] not in SYMBOLS and words[0].isascii() and words[0].islower()


@pytest.mark.parametrize(("slug", "key"), VIEWS)
@pytest.mark.parametrize("theme", [LIGHT, LIGHT.narrow()], ids=["wide", "narrow"])
def test_titles_of_axes_are_in_sentence_case_and_horizontal(slug, key, theme):
    view, result = opened(page(slug), key).view, first(page(slug), key)
    layout = view.figure(result, theme).layout
    axes = {name: axis for name, axis in layout.items() if name[1:5] == "axis"}
    titles = [
        (name[0], words)
        for name, axis in axes.items()
        if (words := (axis.get("title") or {}).get("text"))
    ]
    above = [  # what stands at the left edge, where titles of y-axes do
        note["text"]
        for note in layout.get("annotations", ())
        if note.get("xref") == "paper" and note.get("x") == 0 and note.get("xshift", 0) < 0
    ]
    assert not [words for name, words in titles if name == "y"]
    assert not [words for words in (*above, *(words for _, words in titles)) if lower_case(words)]


@pytest.mark.parametrize(("slug", "key"), VIEWS)
def test_an_axis_and_the_control_that_moves_along_it_have_one_name(slug, key):
    declared, result = page(slug), first(page(slug), key)
    numbers = {p.key: p.limit for p in declared.parameters if isinstance(p, Number)}
    for chart in parts_of(result, Chart):
        limit = numbers.get(chart.x.name)
        if limit is not None and chart.x.name in opened(declared, key).view.parameters:
            called = chart.x.label.partition(":")[0]
            for symbol in (limit.symbol, limit.symbol.partition("_")[0]):
                called = called.removesuffix(f", {symbol}")
            assert called.lower() == limit.called.lower()
