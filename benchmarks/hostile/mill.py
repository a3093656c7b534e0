"""What a running server says to those who ask for anything but what it offers, or never read."""

import contextlib
import http.client
import re
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from urllib.parse import quote, urlencode, urlsplit

from benchmarks.hostile.row import Row
from tests.browser.conftest import running_app
from tests.hosting.site import Site

ROUTES = (
    *("/", "/promise", "/figure/home/play", "/figure/few_users/votes?learner=lists&users=3000"),
    *("/picture/promise/odds.svg", "/tile/promise", "/room", "/reference/", "/sitemap.xml"),
    *("/robots.txt", "/oembed?url=x", "/_stcore/health", "/scripts/none.js", "/room/aaaaa/events"),
)
PATHS = (
    *("/reference/../../etc/passwd", "/reference/..%2f..%2f..%2fetc%2fpasswd", "/reference//etc"),
    *(
        "/reference/%00",
        "/reference/dpviz/../../app.py",
        "/fonts/..%2fREADME.md",
        "/static/%2e%2e/",
    ),
    *("/static/..%5c..%5capp.py", "/static//etc/passwd", "/media/../../app.py", "/scripts/..%2f.."),
    *("/room/files/x/..%2froutes.py", "/app/static/../app.py", "/.streamlit/config.toml"),
    *("/component/x/../../../etc/passwd", "//evil.example/promise", "/.git/config"),
)
RANGES = (
    "bytes=0-0,5-,-9",
    "bytes=9-1",
    "bytes=-0",
    f"bytes={'0-,' * 2500}",
    "bytes=0-9223372036854775808",
)
_SLOW = 150
_FLOOD = 700


def rows() -> Iterator[Row]:
    """Try everything on one fresh server."""
    with running_app() as address:
        server = Site(address, (int(address.rpartition(":")[2]),))
        for attack, tried, found in ATTACKS:
            begin = server.memory(server.ports[0])
            result = found(server)
            more = server.memory(server.ports[0]) - begin
            yield Row(attack, tried, f"{result}; {more:+.0f} MB")


def _line(server: Site) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(urlsplit(server.address).netloc, timeout=60)


def _asked(
    server: Site, path: str, method: str = "GET", **headers: str
) -> tuple[int, bytes, float, http.client.HTTPMessage]:
    """Ask on a connection of its own; return status, body, seconds and headers."""
    line, begin = _line(server), time.monotonic()
    try:
        line.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})
        answer = line.getresponse()
        return answer.status, answer.read(), time.monotonic() - begin, answer.headers
    finally:
        line.close()


def _counted(counts: Counter[object]) -> str:
    return ", ".join(f"{times} × {what}" for what, times in sorted(counts.items(), key=str))


def _heads(server: Site) -> str:
    asked = {path: _asked(server, path, "HEAD") for path in ROUTES}
    assert not any(body for _, body, *_ in asked.values())
    slowest = max(asked, key=lambda path: asked[path][2])
    found: Counter[object] = Counter(status for status, *_ in asked.values())
    return f"{_counted(found)}; longest {asked[slowest][2]:.2f} s ({slowest})"


def _paths(server: Site) -> str:
    found: Counter[object] = Counter()
    for path in PATHS:
        status, body, *_ = _asked(server, path)
        leaked = any(sign in body for sign in (b"root:", b"import ", b"[theme", b"[core]"))
        shell = status == 200 and b"<title>Streamlit</title>" in body
        found["leak" if leaked else "the page of the app" if shell else status] += 1
    return _counted(found)


def _ranges(server: Site) -> str:
    _, page, *_ = _asked(server, "/")
    files = ["/scripts/none.js", "/fonts/sans.woff2", "/robots.txt"]
    files += re.findall(r'src="\./?(static/js/index[^"]+)"', page.decode())
    found, longest = Counter[object](), 0.0
    for path in files:
        for words in RANGES:
            status, _, seconds, _ = _asked(server, f"/{path.lstrip('/')}", Range=words)
            found[status] += 1
            longest = max(longest, seconds)
    return f"{_counted(found)}; longest {longest:.2f} s"


def _headers(server: Site) -> str:
    found: Counter[object] = Counter()
    for name, value in (("X-A", "a" * 20_000), ("Cookie", "a=1; " * 2500), ("Host", "h" * 15_000)):
        with contextlib.suppress(OSError, http.client.HTTPException):
            status, *_ = _asked(server, "/robots.txt", **{name.replace("-", "_"): value})
            found[status] += 1
    many = {f"X_{number}": "1" for number in range(1500)}
    with contextlib.suppress(OSError, http.client.HTTPException):
        status, *_ = _asked(server, "/robots.txt", **many)
        found[status] += 1
    return _counted(found)


def _flood(path: Callable[[int], str]) -> Callable[[Site], str]:
    def flood(server: Site) -> str:
        line, found = _line(server), Counter[object]()
        for number in range(_FLOOD):
            line.request("GET", path(number))
            answer = line.getresponse()
            answer.read()
            found[answer.status] += 1
        line.close()
        return _counted(found)

    return flood


def _rooms(server: Site) -> str:
    found: Counter[object] = Counter()
    for _ in range(100):
        _, page, *_ = _asked(server, "/room?at=/promise")
        action = re.search(rb'action="(/room/\w+)"', page)
        if action is None:
            return "no form"
        line = _line(server)
        line.request("POST", action[1].decode(), urlencode({"at": "/promise"}))
        found[line.getresponse().status] += 1
        line.close()
    return _counted(found)


def _phone(server: Site) -> tuple[str, str]:
    """Open a room and join it as a phone; return its path and the phone's cookie."""
    for _ in range(20):
        _, page, *_ = _asked(server, "/room?at=/promise")
        action = re.search(rb'action="(/room/\w+)"', page)
        assert action is not None
        path, line = action[1].decode(), _line(server)
        line.request("POST", path, urlencode({"at": "/promise"}))
        status = line.getresponse().status
        line.close()
        if status == 200:
            *_, headers = _asked(server, path)
            return path, headers["set-cookie"].split(";")[0]
        time.sleep(1)
    raise TimeoutError("no room could be opened")


def _idle(server: Site, request: str, count: int) -> str:
    """Open so many connections that ask and never read; say how readers fare beside them."""
    host, port = urlsplit(server.address).netloc.split(":")
    open_ones = 0
    with ExitStack() as stack:
        for number in range(count):
            plain = stack.enter_context(socket.socket())
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            plain.settimeout(10)
            with contextlib.suppress(OSError):
                plain.connect((host, int(port)))
                plain.sendall(request.replace("NUMBER", str(number)).encode())
                open_ones += 1
        time.sleep(2)
        waits = []
        for number in range(10):
            _, _, seconds, _ = _asked(server, f"/figure/home/play?seed={number + 10**6}")
            waits.append(seconds)
        memory = server.memory(server.ports[0])
    return (
        f"{open_ones} open, a reader beside them waits {max(waits):.2f} s at most, {memory:.0f} MB"
    )


def _slow(server: Site) -> str:
    path = "/figure/bounded_noise/errors?queries=1NUMBER"
    return _idle(server, f"GET {path} HTTP/1.1\r\nHost: here\r\n\r\n", _SLOW)


def _unsaid(server: Site) -> str:
    return _idle(server, "GET /promise HTTP/1.1\r\nHost: here\r\nX-A: ", _SLOW)


def _events(server: Site) -> str:
    path, cookie = _phone(server)
    head = f"GET {path}/events HTTP/1.1\r\nHost: here\r\nCookie: {cookie}\r\n\r\n"
    return _idle(server, head, _SLOW)


ATTACKS: tuple[tuple[str, str, Callable[[Site], str]], ...] = (
    ("HEAD", f"{len(ROUTES)} routes", _heads),
    ("path tricks", f"{len(PATHS)} paths", _paths),
    ("ranges of files", f"{len(RANGES)} kinds, 2,500 parts in one", _ranges),
    ("huge headers", "20 kB, 2,500 cookies, a long host, 1,500 lines", _headers),
    (
        "cache flooding: figures",
        f"{_FLOOD} links with a guess of 6 kB each",
        _flood(lambda n: f"/figure/home/attackers?epsilon={1 + n / 1e4}&guess={n}{'x' * 6000}"),
    ),
    (
        "cache flooding: heights",
        f"{_FLOOD} heights of a projector",
        _flood(lambda n: f"/figure/home/play?room={300 + n}&theme=dark"),
    ),
    (
        "cache flooding: previews",
        f"{_FLOOD} links in chats",
        _flood(lambda n: f"/promise?epsilon={1 + n / 1e4}&x={quote('é' * 500)}"),
    ),
    ("a phone listens often", f"{_SLOW} streams of one phone, unread", _events),
    # Later: who has opened ten rooms may open no other for a while.
    ("rooms beyond their limit", "one visitor opens 100", _rooms),
    ("slow readers", f"{_SLOW} figures asked for and never read", _slow),
    ("headers without an end", f"{_SLOW} connections", _unsaid),
)
