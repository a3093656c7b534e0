"""The app as it is hosted: what ``python -m hosting`` starts, for tests and benchmarks."""

import asyncio
import contextlib
import hashlib
import hmac
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from dpviz.results.folders import ROOT
from tests.support.ports import own_ports

PROGRAMS = ("caddy", "brotli")
ABSENT = [program for program in PROGRAMS if not shutil.which(program)]
MISSING = f"no {', '.join(ABSENT)}: replicas behind a proxy are UNTESTED" if ABSENT else ""
KEY = "key-of-the-tests"
_HEALTH = "/_stcore/health"
_CLOCK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Site:
    """A proxy and its replicas: the address readers open, the replicas' ports, and their log."""

    address: str
    ports: tuple[int, ...]
    log: Path = Path(os.devnull)

    def faults(self) -> list[str]:
        """Return what the log tells of faults, as `dpviz.serve.faults` writes it, oldest first."""
        text = self.log.read_text(errors="replace")
        return re.findall(r"^\S.*\n(?: +(?:at|after) .+(?:\n|\Z))+", text, re.MULTILINE)

    def numbers(self, port: int) -> dict[str, Any]:
        """What the replica on `port` tells of itself."""
        address = f"http://127.0.0.1:{port + len(self.ports)}"
        with urllib.request.urlopen(address, timeout=60) as answer:
            numbers: dict[str, Any] = json.loads(answer.read())
        return numbers

    def cookie(self, port: int) -> str:
        """The cookie that holds a reader to the replica on `port`."""
        return f"dpviz_replica={self.mark(port)}"

    def mark(self, port: int) -> str:
        """What that cookie says, as Caddy computes it."""
        return hmac.new(KEY.encode(), f"127.0.0.1:{port}".encode(), hashlib.sha256).hexdigest()

    def port(self, cookie: str) -> int:
        """The replica to which a cookie holds a reader."""
        return next(port for port in self.ports if self.cookie(port) == cookie)

    def process(self, port: int) -> int:
        """The process that serves on `port` now."""
        option = re.compile(rb"--server\.port[=\0]%d\0" % port)
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if option.search((folder / "cmdline").read_bytes()):
                    return int(folder.name)
            except (FileNotFoundError, ProcessLookupError):
                continue
        raise LookupError(f"nothing serves on port {port}")

    def proxy(self) -> int:
        """The process of the proxy now."""
        mark = f"DPVIZ_SITE=:{urlsplit(self.address).port}\0".encode()
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                begun = (folder / "cmdline").read_bytes().startswith(b"caddy\0")
                if begun and mark in (folder / "environ").read_bytes():
                    return int(folder.name)
        raise LookupError("there is no proxy")

    def kill(self, port: int) -> None:
        """Kill a replica, as the kernel does when memory runs out, and wait for its end."""
        doomed = self.process(port)
        watch = os.pidfd_open(doomed)
        os.kill(doomed, signal.SIGKILL)
        select.select([watch], [], [])
        os.close(watch)

    def reaches(self, port: int) -> bool:
        """Whether the proxy has found the replica on `port` in order, and sends its readers there.

        To others it gives another cookie.
        """
        headers = {"Cookie": self.cookie(port)}
        asked = urllib.request.Request(f"{self.address}{_HEALTH}", headers=headers)
        try:
            with urllib.request.urlopen(asked, timeout=600) as answer:
                cookies = answer.headers.get_all("Set-Cookie") or []
        except (urllib.error.URLError, ConnectionError):
            return False
        return not any(cookie.startswith("dpviz_replica=") for cookie in cookies)

    def be_whole(self) -> None:
        """Wait until the proxy reaches all replicas: one that was killed has begun again."""
        while not all(self.reaches(port) for port in self.ports):
            time.sleep(0.1)

    async def left(self, port: int) -> None:
        """Wait until the replica on `port` knows that all its readers have gone."""
        while self.numbers(port)["readers"]:
            await asyncio.sleep(0.01)

    def memory(self, port: int) -> float:
        """The resident memory of a replica in MB."""
        fields = Path(f"/proc/{self.process(port)}/statm").read_text().split()
        return int(fields[1]) * _PAGE / 1e6

    async def idle(self, port: int) -> None:
        """Wait until a replica computes nothing."""
        quiet = 0
        while quiet < 3:
            before = self.processor_seconds(port)
            await asyncio.sleep(0.5)
            quiet = quiet + 1 if self.processor_seconds(port) - before < 0.1 else 0

    def processor_seconds(self, port: int) -> float:
        """The processor time a replica has used."""
        fields = Path(f"/proc/{self.process(port)}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _CLOCK


@contextmanager
def hosted(
    replicas: int = 2,
    surroundings: Mapping[str, str] | None = None,
    program: Sequence[str] = ("hosting",),
    folder: Path = ROOT,
) -> Iterator[Site]:
    """Start the app by the command of the README, or another module, on free ports.

    folder: the checkout whose code runs.
    """
    first = own_ports(2 * replicas + 1)
    ports = tuple(range(first + 1, first + 1 + replicas))
    command = [sys.executable, "-m", *program, f"--replicas={replicas}", f"--port={first}"]
    with tempfile.NamedTemporaryFile() as log:
        site = Site(f"http://127.0.0.1:{first}", ports, Path(log.name))
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(os.environ) | {"DPVIZ_COOKIE_KEY": KEY} | dict(surroundings or {}),
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            for address in (site.address, *(f"http://127.0.0.1:{port}" for port in site.ports)):
                _wait_for(f"{address}{_HEALTH}", process)
            yield site
        finally:
            process.terminate()
            process.wait(timeout=600)


@contextmanager
def proxy(upstreams: Iterable[int]) -> Iterator[str]:
    """Start the proxy alone, before whatever listens on these ports; yield its address."""
    port = own_ports()
    with tempfile.TemporaryDirectory() as static, tempfile.TemporaryFile() as log:
        surroundings = {
            "DPVIZ_SITE": f":{port}",
            "DPVIZ_BIND": "127.0.0.1",
            "DPVIZ_STATIC": static,
            "DPVIZ_COOKIE_KEY": KEY,
            "DPVIZ_UPSTREAMS": " ".join(f"127.0.0.1:{upstream}" for upstream in upstreams),
        }
        process = subprocess.Popen(
            ["caddy", "run", "--adapter", "caddyfile", "--config", "hosting/Caddyfile"],
            cwd=ROOT,
            env=dict(os.environ) | surroundings,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_for(f"http://127.0.0.1:{port}{_HEALTH}", process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(timeout=600)


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    while True:  # compressing the static files, once, takes a while; on a busy machine, minutes
        assert process.poll() is None, "the proxy ended at once"
        try:
            with urllib.request.urlopen(url, timeout=60):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
