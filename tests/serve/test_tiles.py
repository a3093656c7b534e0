"""The pictures of topics: of their own results, drawn once for each theme."""

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

    def draw(charts, theme):
        calls.append(theme.name)
        return [f"<svg>{theme.name} {chart.y.label}</svg>".encode() for chart in charts]

    monkeypatch.setattr(drawing, "draw", draw)
    monkeypatch.setattr(tiles, "chart", lambda _, entry: chart_named(entry.slug))
    app = Starlette(routes=[tiles.route(Topics())])
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
    assert app.calls == ["light", "dark"]
    assert run(asked(app, "/tile/nothing", {})).status == 404


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
