"""What stands before the routes, asked without a server."""

import base64
import re
from hashlib import sha256
from http import cookies
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from streamlit.file_util import get_static_dir

from dpviz.scene.codec import LONGEST_LINK
from dpviz.serve import guard, scripts
from dpviz.serve.guard import policy
from dpviz.ui import server
from tests.serve.asgi import Answer, asked
from tests.support.loops import run

INDEX = Path(get_static_dir()) / "index.html"


async def talk(socket: WebSocket):
    await socket.accept()


async def page(_):
    return Response("page", headers={"Referrer-Policy": "no-referrer"})


def site(**options):
    routes = [Route("/{rest:path}", page), WebSocketRoute("/_stcore/stream", talk)]
    guard, *_ = server.guards()
    return guard.cls(Starlette(routes=routes), **{**guard.kwargs, **options})


def test_pages_come_with_headers_and_the_routes_may_say_more():
    answer = run(asked(site(), "/bounded_noise", "k=3"))
    assert answer.content == b"page"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "frame-ancestors 'self'" in answer.headers["content-security-policy"]
    assert "camera=()" in answer.headers["permissions-policy"]


def test_only_the_inline_scripts_of_the_page_are_allowed():
    allowed = policy(INDEX, "'self' https://moodle.example.edu")
    words = dict(part.strip().split(" ", 1) for part in allowed.split(";"))
    inline = re.findall(r"<script>(.*?)</script>", INDEX.read_text(), re.DOTALL)
    inline += re.findall(r"<script[^>]*>(.*?)</script>", scripts.early(), re.DOTALL)
    assert len(inline) == 4
    digests = [base64.b64encode(sha256(script.encode()).digest()).decode() for script in inline]
    allowed = [f"'sha256-{digest}'" for digest in digests]
    assert words["script-src"].split() == ["'self'", *allowed, "blob:"]
    assert words["frame-ancestors"] == "'self' https://moodle.example.edu"
    assert words["default-src"] == "'self'"


def test_who_may_embed_is_told_by_the_surroundings(monkeypatch):
    monkeypatch.setenv("DPVIZ_FRAME_ANCESTORS", "https://a.example")
    answer = run(asked(site(), "/"))
    assert answer.headers["content-security-policy"].endswith("frame-ancestors https://a.example")


@pytest.mark.parametrize("path", ["/bounded_noise", "/figure/bounded_noise/errors"])
def test_a_link_too_long_is_answered_in_words(path):
    short = "x=" + "1" * (LONGEST_LINK - len(path) - 2)
    assert run(asked(site(), path, short)).status == 200
    answer = run(asked(site(), path, short + "1"))
    assert answer.status == 414
    assert f"longer than {LONGEST_LINK:,} characters" in answer.content.decode().replace("\n", " ")
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path", ["/_stcore/agent/mcp", "/_stcore/agent/openapi.json", "/_stcore/metrics"]
)
def test_what_is_for_programs_is_not_there(path):
    assert run(asked(site(), path)).status == 404


def test_who_asks_for_the_head_gets_it_and_no_body_is_made():
    """Not even one that has no end, as of a room's events: it would be made for nobody."""
    made = []

    async def long():
        for _ in range(99):
            made.append(b"more")
            yield made[-1]

    async def stream(_):
        return StreamingResponse(long(), headers={"X-Said": "1"})

    routes = [Route("/long", stream), Route("/fault", lambda _: 1 / 0), Route("/page", page)]
    guard, *_ = server.guards()
    whole = guard.cls(Starlette(routes=routes), **guard.kwargs)
    for into in (None, Answer()):  # the two ways in which servers tell that somebody left
        answer = run(asked(whole, "/long", method="HEAD", into=into))
        assert (answer.status, answer.content, answer.headers["x-said"]) == (200, b"", "1")
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert not made
    kept = run(asked(whole, "/page", method="HEAD"))
    assert (kept.content, kept.headers["content-length"]) == (b"", "4")
    assert run(asked(whole, "/nothing", method="HEAD")).status == 404
    assert run(asked(whole, "/fault", method="HEAD")).status == 500


def opened(origin, **options):
    """The first word of the answer to somebody who opens a WebSocket."""
    said = []

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        said.append(message)

    headers = [(b"host", b"dpviz.example:8080")]
    headers += [(b"origin", origin.encode())] if origin else []
    scope = {
        "type": "websocket",
        "path": "/_stcore/stream",
        "headers": headers,
        "query_string": b"",
    }
    run(site(**options)(scope, receive, send))
    return said[0]["type"]


@pytest.mark.parametrize(
    ("origin", "answer"),
    [
        ("", "accept"),
        ("http://dpviz.example:8080", "accept"),
        ("https://dpviz.example:8080", "accept"),
        ("http://localhost:9999", "close"),
        ("http://127.0.0.1:8501", "close"),
        ("http://dpviz.example", "close"),
        ("https://evil.example", "close"),
        ("null", "close"),
        ("http://[", "close"),
    ],
)
def test_no_other_sites_page_opens_a_line(origin, answer):
    assert opened(origin) == f"websocket.{answer}"


def test_origins_that_the_settings_allow_may():
    assert opened("https://a.example", origins=("https://a.example",)) == "websocket.accept"
    assert opened("https://a.example", origins=None) == "websocket.accept"


def test_no_cookie_that_a_server_takes_long_to_read_goes_on(monkeypatch):
    """Python takes time that grows with the square of a quoted value with backslashes."""
    read = []
    kind = "_unquote"
    unquote = getattr(cookies, kind)
    monkeypatch.setattr(cookies, kind, lambda text: (read.append(text), unquote(text))[1])

    async def told(request):
        return Response("; ".join(f"{name}={value}" for name, value in request.cookies.items()))

    first, *_ = server.guards()
    whole = first.cls(Starlette(routes=[Route("/", told)]), **first.kwargs)
    slow = '"' + "\\" * 14_000 + '"'
    said = {"cookie": f'a=1; b={slow}; c="2"'}
    assert run(asked(whole, "/", headers=said)).content == b"a=1; c=2"
    assert read == ["1", '"2"']


def test_who_speaks_faster_than_a_hand_over_a_websocket_waits(monkeypatch):
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    monkeypatch.setattr(guard.asyncio, "sleep", sleep)
    monkeypatch.setattr(guard.time, "monotonic", lambda: 7.0)

    async def heard(*_):
        return {"type": "websocket.receive", "bytes": b"said"}

    async def app(_, receive, __):
        for _ in range(100):
            assert (await receive())["bytes"] == b"short"

    async def send(_):
        raise AssertionError

    scope = {"type": "websocket", "path": "/", "query_string": b"", "headers": []}
    run(guard.Guard(app, content="", short=lambda _: b"short")(scope, heard, send))
    assert len(slept) == 100  # each lets the event loop go on
    assert slept[0] == slept[20] == 0
    assert slept[99] == pytest.approx(3.0)


def test_a_large_message_counts_as_many(monkeypatch):
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    monkeypatch.setattr(guard.asyncio, "sleep", sleep)
    monkeypatch.setattr(guard.time, "monotonic", lambda: 7.0)

    async def heard():
        return {"type": "websocket.receive", "bytes": bytes(2**19)}

    async def app(_, receive, __):
        for _ in range(3):
            await receive()

    scope = {"type": "websocket", "path": "/", "query_string": b"", "headers": []}
    run(guard.Guard(app, content="", short=lambda _: b"short")(scope, heard, None))
    assert slept == pytest.approx([0, 1.3, 2.95])


def test_the_lines_of_a_network_wait_together_for_what_their_messages_take(monkeypatch):
    """Fifty lines with 5 kB each had both processes killed."""
    clock, slept = [7.0], []

    async def sleep(seconds):
        slept.append(seconds)
        clock[0] += seconds

    def short(_):
        worked[0] += 0.2
        return b"short"

    worked = [0.0]
    monkeypatch.setattr(guard.asyncio, "sleep", sleep)
    monkeypatch.setattr(guard.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(guard.time, "thread_time", lambda: worked[0])

    async def heard():
        return {"type": "websocket.receive", "bytes": b"said"}

    async def app(_, receive, __):
        await receive()

    whole = guard.Guard(app, content="", short=short)

    def waited(address):
        begin = clock[0]
        scope = {"type": "websocket", "path": "/", "query_string": b"", "headers": []}
        run(whole(scope | {"client": (address, 1)}, heard, None))
        return clock[0] - begin

    first = [waited("10.0.0.1") for _ in range(20)]
    assert first[0] == 0
    assert sum(first[10:]) > 10 * 2 * 0.2 / 0.2  # a message takes 0.4 s of the loop, of its fifth
    assert waited("10.0.0.2") == 0


def test_a_message_that_is_too_large_ends_its_websocket():
    sent = []

    async def heard():
        return {"type": "websocket.receive", "bytes": b"said"}

    async def app(_, receive, __):
        assert (await receive())["type"] == "websocket.disconnect"

    async def send(message):
        sent.append(message)

    scope = {"type": "websocket", "path": "/", "query_string": b"", "headers": []}
    run(guard.Guard(app, content="", short=lambda _: None)(scope, heard, send))
    assert sent == [{"type": "websocket.close", "code": 1009}]


def test_a_websocket_at_an_address_that_is_too_long_is_refused():
    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "websocket", "path": "/", "query_string": b"a" * 8000, "headers": []}
    run(guard.Guard(None, content="")(scope, None, send))
    assert sent == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize("path", ["/sitemap.xml", "/promise", "/robots.txt"])
def test_a_host_that_cannot_be_is_refused_at_every_route(path):
    longest, longer = (run(asked(site(), path, "", {"Host": "a" * n})) for n in (255, 256))
    assert (longest.status, longer.status) == (200, 400)
    assert len(longer.content) < 100


def test_a_websocket_for_a_host_that_cannot_be_is_refused():
    sent = []

    async def send(message):
        sent.append(message)

    headers = [(b"host", b"a" * 256)]
    scope = {"type": "websocket", "path": "/", "query_string": b"", "headers": headers}
    run(guard.Guard(None, content="")(scope, None, send))
    assert sent == [{"type": "websocket.close", "code": 1008}]
