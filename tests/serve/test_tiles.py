"""The route of the tiles: files of the tree, which browsers keep."""

from xml.etree import ElementTree as ET

import pytest
from starlette.applications import Starlette

from dpviz.plot.theme import DARK, LIGHT
from dpviz.scene.catalogue import PAGES
from dpviz.serve import tiles
from tests.serve.asgi import asked
from tests.support.loops import run

SITE = Starlette(routes=[tiles.route()])


def test_every_topic_has_a_tile_in_both_themes_and_there_are_no_others():
    wanted = {tiles.name(entry.slug, dark=dark) for entry in PAGES for dark in (False, True)}
    assert {file.name for file in tiles.FOLDER.iterdir()} == wanted


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("entry", PAGES, ids=lambda entry: entry.slug)
def test_a_tile_comes_at_once_and_is_kept_by_browsers(entry, dark):
    path, _, query = tiles.address(entry.slug, dark=dark).partition("?")
    answer = run(asked(SITE, path, dict(part.split("=") for part in query.split("&"))))
    assert answer.status == 200
    assert answer.headers["content-type"] == "image/svg+xml"
    assert "immutable" in answer.headers["cache-control"]
    assert ET.fromstring(answer.content).tag.endswith("svg")
    said = answer.content.decode().casefold()
    ours, others = (
        set(theme.subjects.values()) for theme in ((DARK, LIGHT) if dark else (LIGHT, DARK))
    )
    assert any(color.casefold() in said for color in ours)
    assert not any(color.casefold() in said for color in others - ours)


def test_a_tile_that_is_asked_for_by_no_version_is_asked_for_again():
    for query in ({}, {"v": "another"}):
        answer = run(asked(SITE, "/tile/promise", query))
        assert (answer.status, answer.headers["cache-control"]) == (200, "no-cache")
    assert run(asked(SITE, "/tile/nothing")).status == 404
