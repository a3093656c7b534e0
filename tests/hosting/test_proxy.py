"""What the proxy adds to the app: one replica for one reader, small files, headers, limits."""

import base64
import gzip
import hashlib
import http.client
import http.server
import re
import secrets
import threading
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from streamlit.file_util import get_static_dir
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from dpviz.results.folders import ROOT
from dpviz.scene.codec import LONGEST_LINK
from dpviz.serve import scripts
from tests.hosting.site import MISSING, proxy
from tests.hosting.tab import Tab, played

LARGEST_UPLOAD = 20 * 2**20


def get(site, path, **headers):
    asked = urllib.request.Request(f"{site.address}{path}", headers=headers)
    with urllib.request.urlopen(asked) as answer:
        return answer.headers, answer.read()


def script_address(site):
    _, page = get(site, "/bounded_noise")
    return re.search(r'src="\.(/static/js/index\.[^"]+)"', page.decode()).group(1)


def test_readers_are_spread_and_each_stays_where_he_is(site):
    async def visits():
        ports = set()
        while ports != set(site.ports):  # one that a test killed is started again first
            async with Tab.at(site.address) as tab:
                ports.add(site.port(tab.cookie))
        async with Tab.at(site.address, query="sigma=3&seed=5") as tab:
            await tab.run()
            session, port = tab.session, site.port(tab.cookie)
            for _ in range(10):
                await tab.close()
                await site.left(port)  # who is back before is another one for Streamlit
                await tab.connect()
                await tab.run()
                assert tab.session == session

    played(visits())


@pytest.mark.parametrize("encoding", ["br", "gzip"])
def test_streamlits_files_come_compressed_and_may_be_kept(site, encoding):
    path = script_address(site)
    original = (Path(get_static_dir()) / path.lstrip("/")).read_bytes()
    headers, sent = get(site, path, **{"Accept-Encoding": encoding})
    assert headers["Content-Encoding"] == encoding
    assert len(sent) < 0.35 * len(original)
    assert "immutable" in headers["Cache-Control"]
    if encoding == "gzip":
        assert gzip.decompress(sent) == original
    _, plain = get(site, path, **{"Accept-Encoding": "identity"})
    assert plain == original


def test_the_scripts_come_compressed_and_no_page_announces_them(site):
    [path] = re.findall(r'href="\.([^"]+/stage\.js)"', scripts.preloads("stage.js"))
    headers, sent = get(site, path, **{"Accept-Encoding": "br, gzip"})
    assert headers["Content-Encoding"] in ("br", "gzip")
    assert "immutable" in headers["Cache-Control"]
    assert len(sent) < 0.5 * len(scripts.content(path.removeprefix("/scripts/")))
    for page in ("/bounded_noise", "/lectures"):
        headers, _ = get(site, page)
        assert headers["Link"] is None


def test_what_is_not_there_may_not_be_kept(site):
    headers, _ = get(site, "/static/js/index.00000000.js")
    assert headers["Cache-Control"] == "no-cache"


def test_a_page_comes_compressed_and_with_its_headers(site, school):
    headers, sent = get(site, "/bounded_noise", **{"Accept-Encoding": "gzip"})
    assert headers["Content-Encoding"] == "gzip"
    page = gzip.decompress(sent).decode()
    policy = dict(
        part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";")
    )
    found = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in found]
    assert digests
    assert {f"'sha256-{digest}'" for digest in digests} <= set(policy["script-src"].split())
    assert not {"'unsafe-inline'", "'unsafe-eval'", "*"} & set(policy["script-src"].split())
    assert policy["default-src"] == "'self'"
    assert policy["frame-ancestors"] == f"'self' {school}"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cache-Control"] == "no-cache"
    assert "Server" not in headers


def test_what_the_server_tells_of_itself_is_not_for_readers(site):
    with pytest.raises(urllib.error.HTTPError, match="404"):
        get(site, "/_stcore/metrics")


def test_a_link_of_any_length_gets_an_answer(site):
    # The app tells those it gets, the proxy all others, in the same words.
    for length in (LONGEST_LINK - 100, LONGEST_LINK + 1, 15_000, 60_000):
        path = "/bounded_noise?delta=" + length * "1"
        if length < LONGEST_LINK:
            assert get(site, path)
            continue
        with pytest.raises(urllib.error.HTTPError, match="414") as refused:
            get(site, path)
        answer = " ".join(refused.value.read().decode().split())
        assert f"longer than {LONGEST_LINK:,} characters, and dpviz reads no longer ones" in answer


def test_the_cookie_of_a_replica_is_for_no_script_and_cannot_be_made_up(site):
    headers, _ = get(site, "/bounded_noise")
    [cookie] = [c for c in headers.get_all("Set-Cookie") if c.startswith("dpviz_replica=")]
    name, *flags = cookie.split("; ")
    assert name in map(site.cookie, site.ports)
    assert {"HttpOnly", "SameSite=Lax"} <= set(flags)


def test_no_other_sites_page_opens_a_line(site):
    async def visit():
        for origin in ("http://localhost:1", "https://evil.example"):
            with pytest.raises(InvalidStatus, match="403"):
                await connect(site.address.replace("http", "ws") + "/_stcore/stream", origin=origin)

    played(visit())


class Upload:
    """A file on its way to a session."""

    def __init__(self, site, tab):
        self.boundary = secrets.token_hex(8)
        self.connection = http.client.HTTPConnection(urlsplit(site.address).netloc, timeout=600)
        self.connection.request("GET", "/_stcore/health", headers={"Cookie": tab.cookie})
        answer = self.connection.getresponse()
        answer.read()
        [token] = re.findall(r"_streamlit_xsrf=([^;]+)", str(answer.headers))
        self.headers = {
            "Cookie": f"{tab.cookie}; _streamlit_xsrf={token}",
            "X-Xsrftoken": token,
            "Content-Type": f"multipart/form-data; boundary={self.boundary}",
        }
        self.path = f"/_stcore/upload_file/{tab.session}/{secrets.token_hex(8)}"
        self.sent = 0

    def parts(self, size):
        """The body with a file of so many bytes, piece by piece."""
        yield (
            f"--{self.boundary}\r\n"
            'Content-Disposition: form-data; name="file"; filename="data.csv"\r\n'
            "Content-Type: text/csv\r\n\r\n"
        ).encode()
        piece = bytes(2**16)
        while self.sent < size:
            self.sent += len(piece)
            yield piece
        yield f"\r\n--{self.boundary}--\r\n".encode()

    def put(self, size, *, announced):
        """Send it, its size `announced` or not; return the status, None if the line was cut."""
        headers, body = self.headers, self.parts(size)
        if announced:
            body = b"".join(body)
        else:
            headers = {**headers, "Transfer-Encoding": "chunked"}
        try:
            self.connection.request("PUT", self.path, body, headers, encode_chunked=not announced)
            return self.connection.getresponse().status
        except ConnectionError:
            return None
        finally:
            self.connection.close()


def test_uploads_end_at_the_limit_and_drive_nobody_away(site):
    async def uploads():
        async with Tab.at(site.address, query="sigma=3&seed=5") as tab:
            await tab.run()
            session, port = tab.session, site.port(tab.cookie)
            within = Upload(site, tab)
            assert within.put(LARGEST_UPLOAD - 2**17, announced=False) == 204
            before = site.memory(port)
            # Who still sends when he is refused may find the line cut before he reads why.
            assert Upload(site, tab).put(LARGEST_UPLOAD + 2**17, announced=True) in (None, 413)
            for _ in range(3):
                endless = Upload(site, tab)
                assert endless.put(10**10, announced=False) in (None, 413, 502)
                # How much lies in buffers on the way depends on how busy the machine is.
                assert endless.sent < 10 * LARGEST_UPLOAD
            assert site.memory(port) - before < 60
            await tab.close()
            await site.left(port)
            await tab.connect()
            assert not (await tab.run()).faults
            assert (tab.session, site.port(tab.cookie)) == (session, port)

    played(uploads())


def test_nobody_uploads_without_a_session_of_his_own(site):
    async def upload():
        async with Tab.at(site.address) as tab:
            await tab.run()
            forged = Upload(site, tab)
            del forged.headers["X-Xsrftoken"]
            assert forged.put(1000, announced=True) == 403
            tab.session = "00000000-0000-0000-0000-000000000000"
            assert Upload(site, tab).put(1000, announced=True) == 400

    played(upload())


def test_containers_and_processes_have_the_same_shape():
    compose = (ROOT / "hosting/compose.yaml").read_text()
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert "COPY hosting/Caddyfile /etc/caddy/Caddyfile" in dockerfile
    upstreams = re.search(r"DPVIZ_UPSTREAMS:-([^}]*)}", compose).group(1).split()
    assert len(upstreams) == int(re.search(r"DPVIZ_REPLICAS:-(\d+)}", compose).group(1))
    port = re.search(r"--port=(\d+)", dockerfile).group(1)
    assert upstreams == [f"dpviz-app-{n + 1}:{port}" for n in range(len(upstreams))]
    command = dockerfile[dockerfile.rindex("\nFROM ") :]  # what is built and run by itself
    assert '"hosting", "--alone"' in command  # who keeps a replica is in its container
    known = set(re.findall(r"{\$(DPVIZ_\w+)", (ROOT / "hosting/Caddyfile").read_text()))
    own = {"DPVIZ_REPLICAS", "DPVIZ_ADDRESS", "DPVIZ_FRAME_ANCESTORS", "DPVIZ_ROOMS"}  # not Caddy's
    assert set(re.findall(r"DPVIZ_\w+", compose)) - own <= known


class OnceRead(http.server.BaseHTTPRequestHandler):
    """Says two lines of an answer, the second only when its reader has the first."""

    read = threading.Event()
    kind, packing = "", ""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", self.kind)
        self.send_header("Content-Encoding", self.packing)
        self.end_headers()
        if self.path != "/_stcore/health":
            self.wfile.write(b"one\n")
            self.read.wait()
            self.wfile.write(b"two\n")

    def log_message(self, *_):
        pass


@pytest.mark.parametrize("kind", ["application/x-ndjson", "text/event-stream"])
@pytest.mark.parametrize("path", ["/figure/home/attackers", "/room/aaaaa/events"])
def test_the_proxy_holds_no_line_back(kind, path):
    """As the app answers: of unknown length, and with its packing named."""
    assert not MISSING, MISSING
    said = {"read": threading.Event(), "kind": kind, "packing": "identity"}
    handler = type("Handler", (OnceRead,), said)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with proxy([server.server_port]) as address:
            asked = urllib.request.Request(address + path, headers={"Accept-Encoding": "gzip"})
            with urllib.request.urlopen(asked, timeout=600) as answer:
                assert answer.readline() == b"one\n"
                said["read"].set()
                assert answer.readline() == b"two\n"
        server.shutdown()


def test_a_figure_comes_line_by_line_from_the_replica_of_its_session(site):
    async def visit():
        async with Tab.at(site.address, "bounded_noise", "epsilon=0.2") as tab:
            run = await tab.run()
            assert run.figures
            assert not run.faults
            assert site.port(tab.cookie) in site.ports

    played(visit())


def test_a_room_that_no_header_can_name_is_answered_by_any_replica(site):
    place = urlsplit(site.address)
    for code in ("%00", "%0d%0aa", "%7f", "%C3%A9"):
        line = http.client.HTTPConnection(place.netloc)
        line.request("GET", f"/room/{code}/plan")
        assert line.getresponse().status in (400, 404)
        line.close()
