"""Below a page there is nothing, and who asks for it sees the page; asked without a server."""

from urllib.parse import quote, urljoin

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route
from streamlit.web.server.starlette.starlette_app import create_streamlit_middleware
from streamlit.web.server.starlette.starlette_static_routes import (
    create_streamlit_static_assets_routes,
)

from dpviz.ui import server
from tests.serve.asgi import SHELL, asked
from tests.support.loops import run

BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture(scope="module")
def site():
    """Streamlit's files behind our guards and its own, and one route that is ours."""

    async def room(_):
        return HTMLResponse("a room")

    return Starlette(
        routes=[Route("/room/{code}", room), *create_streamlit_static_assets_routes("")],
        middleware=[*server.guards(), *create_streamlit_middleware()],
    )


@pytest.mark.parametrize(
    ("path", "query", "back"),
    [
        ("/promise/extra", "", "/promise"),
        ("/promise/extra", "view=odds&epsilon=2", "/promise?view=odds&epsilon=2"),
        ("/a/b/c", "", "/a"),
        ("/é?\t:/x", "", "/%C3%A9%3F%09%3A"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_who_asks_for_a_page_below_a_page_is_led_back(site, path, query, back, method):
    answer = run(asked(site, path, query, BROWSER, method=method))
    assert (answer.status, urljoin(quote(path), answer.headers["location"])) == (302, back)
    assert answer.headers["cache-control"] == "no-cache"
    assert not answer.content


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("name", ["nosuchpage", "<b>x", "é" * 500])
def test_who_asks_for_a_page_that_is_none_is_told_so(site, name, method):
    answer = run(asked(site, f"/{name}", "", BROWSER, method=method))
    assert answer.status == 404
    said = answer.content.decode()
    assert "<b>" not in said
    if method == "GET":
        assert "dpviz has no page" in said
        assert 'href="./promise"' in said


def asset():
    return next((SHELL.parent / "static" / "js").glob("index.*.js"))


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/", BROWSER, 200),
        ("/nosuchpage", {"accept": "*/*"}, 200),
        ("/promise/", BROWSER, 301),
        ("/room/ABCD", BROWSER, 200),
        (f"/static/js/{asset().name}", BROWSER, 200),
        ("/static/js/index.00000000.js", {"accept": "*/*"}, 200),
        ("/promise/_stcore/health", BROWSER, 404),
        ("/promise/_stcore/host-config", {}, 404),
        ("//evil.example/x", BROWSER, 400),
        ("/\\evil.example/x", BROWSER, 400),
    ],
)
def test_all_else_is_answered_as_before(site, path, headers, status):
    answer = run(asked(site, path, "", headers))
    assert answer.status == status
    if path.endswith(asset().name):
        assert answer.content == asset().read_bytes()
