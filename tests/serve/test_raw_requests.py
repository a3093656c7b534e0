"""Whatever bytes somebody sends as a request, no answer is a 500."""

import json
import re
import socket
from dataclasses import dataclass
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import urlopen

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.browser.conftest import running_app
from tests.support.examples import examples

_PARTS = (
    *("figure", "home", "attackers", "promise", "odds", "picture", "attackers.svg"),
    *("room", "CODE", "screen", "events", "answer", "do", "counts", "sketches.csv", "qr.svg"),
    *("files", "reference", "dpviz", "index.html", "oembed", "robots.txt", "sitemap.xml", "tile"),
    *("scripts", "fonts", "sans.woff2", "static", "media", "component", "_stcore", "health"),
    *("host-config", "upload_file", "stream", "app", "auth", "oauth2callback", "lectures", "what"),
)
_ODD = ("", "[", "]", "%", "%00", "%ff", "..", "%2e%2e", "\\", ":", "@", ";", "é", "💥", "a" * 300)
_VALUES = (*_ODD, "http://[", "http://]", "null", "-1", "1e999", "nan", "{}", "[]", "0", "Infinity")
_KEYS = ("view", "seed", "epsilon", "code", "at", "url", "format", "maxwidth", "held", "room", "v")
_HEADERS = {
    "Origin": ("http://[", "http://]:x", "null", "http://HOST", "//", "é"),
    "Host": ("[", "[::1", "HOST", "x:99999999", "a b", "é", "a@b", "http://x/"),
    "Cookie": ("dpviz_room=SECRET", "dpviz_phone=PHONE", ";;=", '_="\\"', "é=é", "a=1; " * 300),
    "Content-Type": ("application/json", "multipart/form-data", "multipart/form-data; boundary="),
    "Accept": ("text/html", "*/*;q=é", ","),
    "Accept-Encoding": ("gzip", "br;q=x", "identity;q=0", "é"),
    "Range": ("bytes=0-0", "bytes=9-1", "bytes=-0", "bytes=x-", "lines=1", "bytes=0-9,3-"),
    "If-None-Match": ("*", 'W/"', "é"),
    "If-Modified-Since": ("yesterday", "Thu, 01 Jan 99999 00:00:00 GMT"),
    "If-Range": ("é", "Thu, 01 Jan 1970 00:00:00 GMT"),
    "X-Forwarded-For": ("[", "1.2.3.4, é", "::ffff:1.2.3.4%x"),
    "X-Forwarded-Proto": ("https", "é"),
    "X-Dpviz-Session": ("x", "é"),
    "Upgrade": ("websocket", "h2c"),
    "Transfer-Encoding": ("chunked", "x"),
    "Content-Length": ("-1", "1e9", "99999999999999999999"),
}
_FIGURES = ("/figure/home/attackers", "/figure/home/[?view=[", "//[")
_LINKS = ("/?class=survey", "/promise?view=[", "/[?class=sketch")
_WORDS = ("go", "predict", "ask", "reveal", "sketch", "show", "again", "pause", "clear", "é", 5)

texts = st.one_of(st.sampled_from(_VALUES), st.text(max_size=20))
documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
led = st.fixed_dictionaries(
    {"word": st.sampled_from(_WORDS)},
    optional={
        "figure": st.sampled_from(_FIGURES) | documents,
        "heading": documents,
        "link": st.sampled_from(_LINKS) | documents,
        "kind": st.sampled_from(["survey", "worlds", "shuffle"]) | documents,
        "text": documents,
        "epsilon": documents,
        "question": documents,
        "round": documents,
        "answer": documents,
    },
)
paths = st.lists(st.sampled_from(_PARTS) | st.sampled_from(_ODD), max_size=5)
queries = st.lists(st.tuples(st.sampled_from(_KEYS), texts), max_size=12)
headers = st.lists(
    st.sampled_from(sorted(_HEADERS)).flatmap(
        lambda name: st.tuples(st.just(name), st.sampled_from(_HEADERS[name]) | texts)
    ),
    max_size=5,
)
bodies = st.one_of(
    st.binary(max_size=50),
    st.integers(0, 300).map(lambda count: "&".join(f"at={n}" for n in range(count)).encode()),
    (led | documents).map(lambda said: json.dumps(said).encode()),
    st.integers(900, 19_000).map(lambda deep: b"[" * deep),
)
methods = st.sampled_from(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "É"])


@dataclass(frozen=True)
class Server:
    """A running app, with a room that is open there."""

    place: str
    code: str = ""
    secret: str = ""
    phone: str = ""

    def answer(self, request: bytes) -> bytes:
        """Send bytes as they are; return the head of what comes back, and a little of the rest."""
        host, _, port = self.place.partition(":")
        with socket.create_connection((host, int(port)), timeout=600) as line:
            line.sendall(request)
            line.shutdown(socket.SHUT_WR)
            answer = b""
            while b"\r\n\r\n" not in answer and (piece := line.recv(2**16)):
                answer += piece
        return answer

    def known(self, text: str) -> str:
        """Put what stands for the names of this server in their places."""
        pairs = {"HOST": self.place, "SECRET": self.secret, "PHONE": self.phone, "CODE": self.code}
        for word, name in pairs.items():
            text = text.replace(word, name)
        return text

    def request(self, method, path, query, headers, body):
        """Return a request; what a body needs is said, unless `headers` say otherwise."""
        target = f"/{'/'.join(path)}"
        if query:
            target += f"?{urlencode(query, errors='replace')}"
        said = {"Host": self.place, "Content-Length": str(len(body)), "Connection": "close"}
        said |= {"Content-Type": "application/x-www-form-urlencoded"} | dict(headers)
        lines = [f"{method} {quote(self.known(target), safe='/?&=%[]:@;+')} HTTP/1.1"]
        lines += [f"{name}: {self.known(value)}" for name, value in said.items()]
        written = [re.sub(r"[\r\n\0]", " ", line) for line in lines]
        return "\r\n".join([*written, "", ""]).encode("utf-8", "replace") + body


@pytest.fixture(scope="module")
def server():
    with running_app() as address:
        with urlopen(f"{address}/room") as page:
            code = re.search(rb'action="[./]*room/(\w+)"', page.read())[1].decode()
        with urlopen(f"{address}/room/{code}", b"at=/promise") as opened:
            secret = re.search(r"dpviz_room=([^;]+)", opened.headers["Set-Cookie"])[1]
        with urlopen(f"{address}/room/{code}") as joined:
            phone = re.search(r"dpviz_phone=([^;]+)", joined.headers["Set-Cookie"])[1]
        yield Server(urlsplit(address).netloc, code, secret, phone)


ROOM = ["room", "CODE"]
LECTURER = ("Cookie", "dpviz_room=SECRET")


@examples(2000, usual=150)
@given(methods, paths, queries, headers, bodies)
@example("POST", ROOM, [], [("Origin", "http://[")], b"at=/")
@example("POST", ROOM, [], [], b"at=/&" * 10)
@example("GET", [*ROOM, "screen"], [], [LECTURER, ("Host", "[")], b"")
@example("POST", [*ROOM, "do"], [], [LECTURER, ("Origin", "//]")], b"{}")
def test_no_request_is_answered_with_500(server, method, path, query, headers, body):
    request = server.request(method, path, query, headers, body)
    assert not server.answer(request).startswith(b"HTTP/1.1 500"), request


@examples(2000, usual=150)
@given(st.sampled_from(["do", "answer"]), st.booleans(), bodies)
def test_nothing_said_in_a_room_is_answered_with_500(server, where, leads, body):
    cookie = LECTURER if leads else ("Cookie", "dpviz_phone=PHONE")
    request = server.request("POST", [*ROOM, where], [], [cookie], body)
    assert not server.answer(request).startswith(b"HTTP/1.1 500"), request
