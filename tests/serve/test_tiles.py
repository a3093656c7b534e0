"""The pictures of topics: of their own results, drawn once for each theme."""

import asyncio
import threading
from types import SimpleNamespace

import pytest
from starlette.applications import Starlette

from dpviz.plot import tiles as drawing
from dpviz.results.evidence import Axis, Chart
from dpviz.scene.catalogue import PAGES
from dpviz.serve import tiles
from dpviz.serve.figures import version
from dpviz.serve.topics import Topics
from tests.serve.asgi import asked
from tests.support.loops import run


@pytest.fixture
def app(monkeypatch):
    calls = []

    def draw(charts, themes):
        calls.append([theme.name for theme in themes])
        return [[f"<svg>{theme.name} {c.y.label}</svg>" for c in charts] for theme in themes]

    monkeypatch.setattr(drawing, "draw", draw)
    monkeypatch.setattr(tiles, "chart", lambda _, entry: chart_named(entry.slug))
    app = Starlette(routes=[tiles.route(tiles.Tiles(Topics()))])
    app.calls = calls
    return app


def chart_named(name):
    return Chart(Axis("x", "x"), Axis("y", name), ())


def test_all_are_drawn_once_and_kept_by_browsers(app):
    for _ in range(2):
        for entry in PAGES:
            answer = run(asked(app, f"/tile/{entry.slug}", {"v": version()}))
            assert answer.status == 200
            assert answer.content.decode() == f"<svg>light {entry.slug}</svg>"
            assert "immutable" in answer.headers["cache-control"]
            assert answer.headers["content-type"] == "image/svg+xml"
    dark = run(asked(app, "/tile/promise", {"theme": "dark"}))
    assert dark.content.decode() == "<svg>dark promise</svg>"
    assert dark.headers["cache-control"] == "no-cache"
    assert app.calls == [["light", "dark"]]
    assert run(asked(app, "/tile/nothing", {})).status == 404


def test_the_next_start_of_the_same_version_finds_them(app, tmp_path, monkeypatch):
    def started():
        return run(tiles.Tiles(Topics(), tmp_path / "new").picture("promise", dark=True))

    assert started() == started() == "<svg>dark promise</svg>"
    assert len(app.calls) == 1
    [file] = (tmp_path / "new").iterdir()
    for damaged in ("", "[]", '{"version": 1}', file.read_text().replace("promise", "kept")):
        app.calls.clear()
        file.write_text(damaged)
        assert started() == "<svg>dark promise</svg>"
        assert app.calls
    monkeypatch.setattr(tiles, "version", lambda: "another")
    app.calls.clear()
    assert started() == "<svg>dark promise</svg>"
    assert app.calls


@pytest.mark.usefixtures("app")
def test_where_nothing_can_be_written_they_are_drawn_all_the_same(tmp_path):
    (tmp_path / "file").touch()
    kept = tiles.Tiles(Topics(), tmp_path / "file" / "folder")
    assert run(kept.picture("promise", dark=True)) == "<svg>dark promise</svg>"


def test_a_picture_that_cannot_be_drawn_is_missing_and_breaks_nothing(app, monkeypatch, caplog):
    def broken(*_):
        raise OSError("no process")

    monkeypatch.setattr(drawing, "draw", broken)
    assert run(asked(app, "/tile/promise", {})).status == 204
    assert "could not be drawn" in caplog.text


@pytest.mark.parametrize("entry", PAGES, ids=lambda entry: entry.slug)
def test_every_topic_has_a_chart_of_its_own_result(entry):
    shown = tiles.chart(Topics(), entry)
    assert shown.curves


def test_nobody_waits_long_for_a_picture_and_it_comes_later(app, monkeypatch):
    gate, draw = threading.Event(), drawing.draw

    def slowly(*asked_for):
        gate.wait()
        return draw(*asked_for)

    monkeypatch.setattr(drawing, "draw", slowly)
    monkeypatch.setattr(tiles, "_PATIENCE", 0.01)

    async def crowd():
        paths = [f"/tile/{entry.slug}" for entry in PAGES] * 20
        early = await asyncio.gather(*(asked(app, path) for path in paths))
        assert {(answer.status, answer.headers["cache-control"]) for answer in early} == {
            (204, "no-store")
        }
        gate.set()
        while (late := await asked(app, paths[0])).status != 200:
            await asyncio.sleep(0.01)
        return late

    assert run(crowd()).content
    assert app.calls == [["light", "dark"]]


def test_what_failed_is_tried_again_but_not_at_once(app, monkeypatch, caplog):
    now, draw = [1e6], drawing.draw
    monkeypatch.setattr(tiles, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(drawing, "draw", lambda *_: [])
    assert run(asked(app, "/tile/promise", {})).status == 204
    monkeypatch.setattr(drawing, "draw", draw)
    assert run(asked(app, "/tile/promise", {})).status == 204
    now[0] += 60
    assert run(asked(app, "/tile/promise", {})).status == 200
    assert caplog.text.count("could not be drawn") == 1


def test_a_server_draws_before_anybody_asks_but_not_while_anybody_computes(app, monkeypatch):
    busy = [1, 1, 0]
    monkeypatch.setattr(tiles, "_QUIET", 0.0)

    class Desk:
        def __len__(self):
            return busy.pop(0) if busy else 0

    monkeypatch.setattr(tiles, "DESK", Desk())
    kept = tiles.Tiles(Topics())

    async def started():
        async with kept.early():
            while not app.calls:
                await asyncio.sleep(0.01)
        return await kept.picture("promise", dark=True)

    assert run(started()) == "<svg>dark promise</svg>"
    assert not busy
