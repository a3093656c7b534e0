"""What a server says to those who ask for anything but what it offers."""

import asyncio
import json
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.datastructures import QueryParams

from dpviz.results.caching import Cache
from dpviz.serve import pictures, previews, tiles
from tests.serve.asgi import app, ask, asked
from tests.support.examples import examples
from tests.support.loops import run

MARKUP = '"><script>alert(1)</script>'
HOSTS = ["[garbled", MARKUP, "a b", "x:99999999", "evil.example/x?", "a@b", "[::1", "é", "'&lt;"]


@pytest.fixture
def _at_once(monkeypatch):
    """Nothing is computed: a picture says that it is late, a page keeps its sentence back."""
    monkeypatch.setattr(previews, "_MOMENT", 0)
    monkeypatch.setattr(pictures, "_PATIENCE", 0)


@pytest.mark.parametrize("path", ["/figure/home/attackers", "/picture/home/attackers.svg"])
def test_many_fields_are_read_in_one_go(path, monkeypatch):
    """To look every field up in all of them held up everybody for a tenth of a second a link."""
    looked = []

    def getlist(self, key):
        looked.append(key)
        return [value for other, value in self.multi_items() if other == key]

    monkeypatch.setattr(QueryParams, "getlist", getlist)
    monkeypatch.setattr(pictures, "finest", lambda *_: None)
    ask(path, "&".join(f"a{number}" for number in range(1500)))
    assert len(looked) < 100


@pytest.mark.usefixtures("_at_once")
@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize(
    "path", ["/promise", "/robots.txt", "/oembed", "/picture/promise/odds.svg"]
)
def test_a_false_host_is_never_repeated(path, host):
    answer = ask(path, {"url": f"http://{host}/promise"}, Host=host)
    assert answer.status in (200, 404, 503)
    assert MARKUP.encode() not in answer.content
    assert b"evil.example/x?" not in answer.content


@pytest.mark.usefixtures("_at_once")
@given(
    st.dictionaries(
        st.sampled_from(["epsilon", "view", "mechanism", "queries", "theme", "x", "<b>", "said"]),
        st.one_of(
            st.text(max_size=30),
            st.sampled_from(
                [MARKUP, "nan", "-1", "1e999", "'", "a\r\nSet-Cookie: x=1", "9" * 4000]
            ),
        ),
    ),
    st.sampled_from(["odds.svg", "odds.png", "play.svg", "../odds.svg", "odds.SVG", "%00.png"]),
)
@examples(60)
def test_no_picture_breaks(query, name):
    legible = {key: text.encode("utf-8", "replace").decode() for key, text in query.items()}
    answer = ask(f"/picture/promise/{name}", legible)
    assert answer.status in (200, 404, 503)
    assert "set-cookie" not in answer.headers
    assert MARKUP.encode() not in answer.content


PATHS = [
    *("picture/promise/../../etc/passwd.png", "picture/promise/odds.svg/", "picture//odds.svg"),
    *("picture/promise/odds.svg%00.png", "picture/home/..svg", "oembed/x", "sitemap.xml/"),
]


@pytest.mark.parametrize("path", PATHS)
def test_there_is_nothing_beside_what_is_offered(path):
    assert ask(f"/{path}").status in (307, 404)


@pytest.mark.parametrize("name", ["..", "promise.svg", "Promise", "\0", "%2e%2e", "x" * 5000])
def test_there_are_no_other_tiles(name):
    site = Starlette(routes=[tiles.route()])
    assert run(asked(site, f"/tile/{name}")).status == 404


OTHERS = [
    "http://testserver@evil.example/promise",
    "//evil.example",
    "http://testserver:81/promise",
    "javascript:alert(1)//testserver/promise",
    "promise",
]


@pytest.mark.parametrize("link", OTHERS)
def test_only_our_own_links_are_shown_elsewhere(link):
    assert ask("/oembed", {"url": link}).status == 404


def test_what_is_shown_elsewhere_holds_our_own_link_and_no_markup_of_it():
    link = f"http://testserver/promise?epsilon={MARKUP}&x={MARKUP}&epsilon=nan"
    shown = json.loads(ask("/oembed", {"url": link, "maxwidth": "9" * 50}).content)
    assert shown["width"] == 1000
    assert "<script" not in shown["html"]
    assert shown["html"].count("<") == 2


@pytest.fixture
def held(monkeypatch):
    """Pictures whose drawing waits for a gate, and what was drawn."""
    gate, drawn = threading.Event(), []

    def draw(scene, *_, **__):
        gate.wait(600)
        drawn.append(scene.query.get("epsilon"))
        return b"<svg/>"

    monkeypatch.setattr(pictures, "_drawn", draw)
    monkeypatch.setattr(pictures, "PICTURES", Cache(2**20))
    return gate, drawn


async def _together(gate, queries, refused=0):
    """Ask for all of these before any is drawn, and wait until so many are refused."""
    site = app()
    asking = [
        asyncio.create_task(asked(site, "/picture/promise/odds.svg", query)) for query in queries
    ]
    await asyncio.wait(asking, timeout=0.2)
    while sum(one.done() for one in asking) < refused:
        await asyncio.sleep(0.01)
    gate.set()
    return await asyncio.gather(*asking)


def test_readers_of_one_link_have_its_picture_drawn_once(held):
    gate, drawn = held
    answers = run(_together(gate, [{"epsilon": "0.7"}] * 5))
    assert [answer.status for answer in answers] == [200] * 5
    assert len(drawn) == 1


def test_no_more_pictures_wait_than_can_be_drawn_soon(held):
    gate, drawn = held
    answers = run(
        _together(gate, [{"epsilon": f"0.{number}"} for number in range(10, 60)], refused=40)
    )
    refused = [answer for answer in answers if answer.status == 503]
    assert len(drawn) + len(refused) == 50
    assert len(refused) >= 40
    assert all(answer.headers["retry-after"] for answer in refused)


@pytest.mark.parametrize("path", ["/promise", "/robots.txt", "/picture/promise/odds.svg"])
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_routes_are_read_only(path, method):
    assert run(asked(app(), path, method=method)).status == 405


@pytest.mark.usefixtures("_at_once")
def test_a_part_of_a_file_is_the_whole_of_it():
    answer = ask("/robots.txt", Range="bytes=0-0,5-,-99999999999")
    assert answer.status == 200
    assert answer.content.startswith(b"User-agent")
