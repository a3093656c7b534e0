"""What goes along from page to page: tried over all pairs of pages."""

import pytest

from dpviz.scene.carrying import changed, opened
from dpviz.scene.catalogue import PAGES
from dpviz.scene.codec import CARRIED, Number, encode
from dpviz.scene.scene import Scene
from tests.support.declarations import page

SLUGS = [named.slug for named in PAGES]


def asked(texts):
    return {key: [text] for key, text in texts.items()}


@pytest.mark.parametrize("slug", SLUGS)
def test_who_has_changed_nothing_takes_nothing_along(slug):
    declared = page(slug)
    for view in declared.views:
        assert changed(declared.usual(view.key), declared.url_parameters) == {}


def moved(declared):
    """Yield states of a page in which one of the shared numbers is at an end or in the middle."""
    usual = declared.usual()
    for key in CARRIED:
        parameter = next((p for p in declared.parameters if p.key == key), None)
        if isinstance(parameter, Number):
            grid = parameter.slider.grid
            for value in (grid[0], grid[len(grid) // 2], grid[-1]):
                yield {**usual, key: int(value) if parameter.limit.integer else float(value)}


@pytest.mark.parametrize("to", SLUGS)
def test_from_no_page_does_another_open_where_nothing_happens(to):
    there = page(to)
    seen = set()
    for slug in SLUGS:
        for values in moved(page(slug)):
            texts = changed(values, page(slug).url_parameters)
            if slug == to or tuple(texts.items()) in seen:
                continue
            seen.add(tuple(texts.items()))
            state = opened(there, asked(texts))
            scene = Scene.settled(there, state.values)
            assert not scene.is_still, (slug, texts)
            has = {key: text for key, text in texts.items() if key in state.values}
            written = encode(state.values, there.url_parameters)
            for key, text in has.items():  # it is there, or offered, or out of the page's range
                value, _ = there.parameter(key).read(text, 0)
                assert state.offered.get(key, state.values[key]) == value or (
                    written[key] == there.parameter(key).write(there.usual()[key])
                )


def test_what_would_end_in_nothing_is_offered_instead():
    """Ten examples of each user are fewer than the threshold of clipping cuts."""
    there = page("clipping")
    brought = {"examples_per_user": "10", "epsilon": "1"}
    assert Scene.settled(there, {**there.usual(), "examples_per_user": 10}).is_still
    state = opened(there, asked(brought))
    assert state.values == there.usual()
    assert state.offered == {"examples_per_user": 10, "epsilon": 1.0}
    assert opened(there, asked({"epsilon": "1"})).values["epsilon"] == 1
    link = {**encode(there.usual(), there.url_parameters), "examples_per_user": "10"}
    assert opened(there, asked(link)).values["examples_per_user"] == 10  # a link says what it says
