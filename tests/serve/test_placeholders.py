"""The place of a figure that no server has drawn yet: what the file of the tree tells of it."""

import json
from dataclasses import asdict

import pytest

from benchmarks.placeholders import opening
from dpviz.serve.placeholders import FILE
from tests.support.declarations import SLUGS, opened, page
from tests.support.examples import chosen

VIEWS = [(slug, view.key) for slug in SLUGS for view in page(slug).views]
KEPT = json.loads(FILE.read_bytes())


def test_the_file_tells_of_every_view_and_of_no_other():
    assert list(KEPT) == [opened(page(slug), key).name for slug, key in VIEWS]


@pytest.mark.parametrize(("slug", "key"), chosen(VIEWS, [("promise", "odds")]))
def test_the_places_of_the_tree_are_as_fresh_ones(slug, key):
    """Whoever changes the height of a figure, or its sentence, runs `make placeholders`."""
    scene = opened(page(slug), key)
    assert KEPT[scene.name] == asdict(opening(scene))
