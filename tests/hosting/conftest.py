"""Two replicas behind the proxy, which serve all tests of this folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import unquote, urlsplit

import pytest

from tests.hosting.site import MISSING, Site, hosted


class _Embedding(BaseHTTPRequestHandler):
    """Answers with a page that frames the address behind the question mark."""

    def do_GET(self):
        framed = unquote(urlsplit(self.path).query)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(f'<iframe src="{framed}" width="1200" height="900">'.encode())

    def log_message(self, *_):
        pass


@contextmanager
def _embedding_site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Embedding)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def school() -> Iterator[str]:
    """The address of a site that may embed the app."""
    with _embedding_site() as address:
        yield address


@pytest.fixture(scope="session")
def stranger() -> Iterator[str]:
    """The address of a site that may not."""
    with _embedding_site() as address:
        yield address


@pytest.fixture(scope="session")
def _running(school) -> Iterator[Site]:
    assert not MISSING, MISSING
    with hosted(surroundings={"DPVIZ_FRAME_ANCESTORS": f"'self' {school}"}) as running:
        yield running


@pytest.fixture
def site(_running) -> Site:
    """The replicas, all of them: what a test before has killed has begun again."""
    _running.be_whole()
    return _running
