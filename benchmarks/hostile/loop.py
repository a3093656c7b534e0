"""How long the event loop is kept from answering, route by route.

Every route is asked its dearest (`inputs`). The longest callback of the loop is wanted below 10 ms
of the processor; the longest silence, in which threads that hold the interpreter's lock count,
below 50 ms on a quick machine with nothing beside.
"""

import asyncio
import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.hostile.inputs import Ask, asks, message
from benchmarks.hostile.rooms import Client
from benchmarks.hostile.row import Row
from dpviz.results.folders import ROOT
from tests.hosting.tab import Tab
from tests.support.ports import own_ports

_TIMES, _AT_ONCE = 6, 3
_KINDS = ("callback", "silence", "collection")
_CALM = 0.3  # seconds between two routes


@contextmanager
def watched(folder: Path) -> Iterator[tuple[str, "Loop"]]:
    """Start the app of a checkout with a loop that is timed; yield its address, and what times."""
    port = own_ports()
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "seen.json"
        server = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("watched.py")],
            cwd=folder,
            env=os.environ | {"DPVIZ_WATCHED": str(file), "DPVIZ_PORT": str(port)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        address = f"http://127.0.0.1:{port}"
        try:
            while True:
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(f"{address}/_stcore/health", timeout=5).close()
                    break
                time.sleep(0.1)
            yield address, Loop(server.pid, file)
        finally:
            server.terminate()
            server.wait(timeout=600)


class Loop:
    """What times the loop of a server."""

    def __init__(self, process: int, file: Path) -> None:
        self._process, self._file = process, file

    def seen(self) -> dict[str, tuple[float, str]]:
        """Return what was longest since the last time, and who it was."""
        self._file.unlink(missing_ok=True)
        os.kill(self._process, signal.SIGUSR1)
        while not self._file.exists() or not (text := self._file.read_text()):
            time.sleep(0.02)
        found: dict[str, tuple[float, str]] = json.loads(text)
        return found


def rows(folder: Path = ROOT) -> Iterator[Row]:
    """Yield a row for each request; at the end the worst of all."""
    worst = dict.fromkeys(_KINDS, (0.0, "", ""))
    with watched(folder) as (address, loop):
        client = Client(address)
        _, code, secret = client.open()
        lead = {"X-Dpviz-Lead": secret}
        page = client.ask(f"/room/{code}/screen", None, "GET", **lead)[2]
        for path in ("/", "/promise", "/shared_darts", "/bounded_noise", "/reference/index.html"):
            client.ask(path)  # everything is loaded
        assert re.search("data-secret", page)
        for ask in [*asks(code, secret, lead), None]:
            time.sleep(_CALM)
            loop.seen()
            said = _speak(address) if ask is None else _put(address, ask)
            found = loop.seen()
            name = "WebSocket" if ask is None else f"{ask.method} {ask.route}"
            for kind in worst:
                seconds, who = found.get(kind, (0.0, ""))
                worst[kind] = max(worst[kind], (seconds, name, who))
            what = "20 kB of digits" if ask is None else ask.path[:40]
            yield Row(name, f"{what} {said}", _told(found))
    for kind, (seconds, name, who) in worst.items():
        yield Row(f"the longest {kind}", name, f"{1000 * seconds:.0f} ms: {who}")


def _told(found: dict[str, tuple[float, str]]) -> str:
    parts = []
    for kind in _KINDS:
        seconds, who = found.get(kind, (0.0, ""))
        parts.append(f"{kind} {1000 * seconds:.0f} ms ({who})")
    return "; ".join(parts)


def _put(address: str, ask: Ask) -> str:
    """Ask a few times, some of them at once; return the statuses."""

    def one(number: int) -> int:
        source = f"127.0.3.{1 + number}"  # each has an allowance of its own
        line = http.client.HTTPConnection(
            urlsplit(address).netloc, timeout=60, source_address=(source, 0)
        )
        headers = dict(ask.headers)
        if "Host" in headers:
            headers["Host"] = f"{number}{headers['Host']}"
        try:
            line.request(ask.method, ask.path, ask.body, headers)
            answer = line.getresponse()
            answer.read()
            return answer.status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            line.close()

    with ThreadPoolExecutor(_AT_ONCE) as many:
        found = set(many.map(one, range(_TIMES)))
    return ", ".join(map(str, sorted(found)))


def _speak(address: str) -> str:
    async def say() -> None:
        async with Tab.at(address, "promise") as tab:
            await tab.run()
            socket = tab._socket
            assert socket is not None
            await socket.send(message())
            await asyncio.sleep(1.0)

    asyncio.run(say())
    return "said"
