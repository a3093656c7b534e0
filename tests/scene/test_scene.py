"""One state of a page: its view, and what follows from it."""

import dataclasses

import pytest

from dpviz.scene.catalogue import GUIDES, HOME, PAGES, entry, groups
from dpviz.scene.codec import decode
from dpviz.scene.scene import Scene
from tests.support.declarations import SLUGS, page
from tests.support.sample import PAGE


def state(declared, **values):
    return {p.key: p.default for p in declared.url_parameters} | values


def test_the_values_open_the_view():
    scene = Scene.opened(PAGE, state(PAGE, view="random", seed=7))
    assert scene.view.key == "random"
    assert scene.arguments == {"epsilon": 0.1, "seed": 7}
    assert scene.name == "dpviz-sample-random"
    with pytest.raises(dataclasses.FrozenInstanceError):
        scene.view = PAGE.views[0]


@pytest.mark.parametrize("slug", SLUGS)
def test_the_query_reads_back_as_the_scene(slug):
    declared = page(slug)
    for preset in declared.presets:
        scene = Scene.opened(declared, declared.preset_values(preset))
        assert not scene.fallen_back
        given = {key: [text] for key, text in scene.query.items()}
        assert decode(given, declared.url_parameters) == (scene.values, ())


def test_what_can_be_predicted_or_uploaded_depends_on_the_state():
    noise, clipping = page("bounded_noise"), page("clipping")
    errors = noise.open_view({"view": "errors"})
    assert Scene.opened(noise, state(noise, view="errors")).prediction is errors.prediction
    assert Scene.opened(noise, state(noise, against="epsilon")).prediction is None
    assert Scene.opened(clipping, state(clipping, view="real", data="own")).upload is not None
    assert Scene.opened(clipping, state(clipping, view="real")).upload is None


def test_idle_parameters_are_those_of_the_scenes_own_view():
    declared = page("bounded_noise")
    choice = next(view for view in declared.views if view.key == "best")
    scene = Scene(declared, choice, state(declared))
    assert "failure_probability" in Scene.opened(declared, scene.values | {"view": "best"}).idle
    assert scene.page.name == "bounded_noise"
    assert page("").name == "home"


def test_the_catalogue_has_every_page_once_with_its_prose():
    entries = (HOME, *PAGES, *GUIDES)
    assert len({one.slug for one in entries}) == len(entries)
    assert [one for group in groups().values() for one in group] == [*PAGES, *GUIDES]
    assert all(entry(one.slug) is one for one in entries)
    assert all(one.prose.is_file() for one in (HOME, *PAGES))
