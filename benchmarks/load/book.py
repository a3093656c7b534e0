"""Readers of a book, from Caddy's file server: each opens a page and moves its sliders.

Clients share the processors with the server. What is timed is a request, to its last byte.
"""

import asyncio
import base64
import gzip
import json
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.support.ports import own_ports

_CADDYFILE = """{{
    admin off
    auto_https off
}}
http://127.0.0.1:{port} {{
    root * {root}
    encode gzip
    file_server
}}
"""
_LINK = re.compile(r'(?:href|src)="((?:\.\./)?own/[^"]+)"')
_FIRST = re.compile(r'data-first="([^"]+)"')
_PAUSE = 5.0  # seconds from a slider to the next
_KEEP = {".css", ".js", ".woff2"}  # what a browser asks for once


@contextmanager
def served(folder: Path) -> Iterator[int]:
    """Serve a folder, packed as Caddy packs; yield the port."""
    port = own_ports()
    caddy = subprocess.Popen(
        ["caddy", "run", "--adapter", "caddyfile", "--config", "-"],
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert caddy.stdin is not None
    caddy.stdin.write(_CADDYFILE.format(port=port, root=folder.resolve()).encode())
    caddy.stdin.close()
    try:
        asyncio.run(_ready(port))
        yield port
    finally:
        caddy.terminate()
        caddy.wait()


async def _ready(port: int) -> None:
    for _ in range(100):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.1)
        else:
            writer.close()
            return
    raise TimeoutError("Caddy did not start")


class _Reader:
    """One browser with one connection; took: seconds of each request; size: bytes of all."""

    def __init__(self, port: int) -> None:
        self.port, self.known = port, set[str]()
        self.took: list[float] = []
        self.size = 0

    async def open(self) -> None:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)

    async def get(self, path: str) -> bytes:
        """Ask for a file, unless a browser has it already; return it packed."""
        if path in self.known:
            return b""
        begin = time.perf_counter()
        self.writer.write(
            f"GET /{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip\r\n\r\n".encode()
        )
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().lower()
        if " 200 " not in head.splitlines()[0]:
            raise OSError(f"{path}: {head.splitlines()[0]}")
        if length := re.search(r"content-length: (\d+)", head):
            body = await self.reader.readexactly(int(length[1]))
        else:
            body = b""
            while size := int(await self.reader.readline(), 16):
                body += await self.reader.readexactly(size)
                await self.reader.readexactly(2)
            await self.reader.readexactly(2)
        self.took.append(time.perf_counter() - begin)
        self.size += len(body)
        if Path(path).suffix in _KEEP:
            self.known.add(path)
        return body


@cache
def _held(folder: Path, page: str) -> dict[str, Any]:
    """Return what the script of a page reads first."""
    [name] = _FIRST.findall((folder / page).read_text(encoding="utf-8"))
    text = (folder / "held" / f"{name}.js").read_text(encoding="utf-8").split('"')[-2]
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(text)))
    return found


async def _read(
    folder: Path, number: int, reader: _Reader, pages: list[str], *, begin: float, end: float
) -> None:
    rng = np.random.default_rng([2026, number])
    await asyncio.sleep(begin * rng.random())
    await reader.open()
    page = str(rng.choice(pages))
    for path in ("index.html", page):
        await reader.get(path)
        text = (folder / path).read_text(encoding="utf-8")
        for link in _LINK.findall(text):
            await reader.get(link.removeprefix("../"))
        if found := _FIRST.search(text):
            await reader.get(f"held/{found[1]}.js")
    chunks = [part["name"] for part in _held(folder, page)["chunks"]]
    while chunks and time.monotonic() < end:
        await asyncio.sleep(_PAUSE * rng.random())
        await reader.get(f"held/{chunks.pop()}.js")
    reader.writer.close()


def measure(folder: Path, readers: int, *, seconds: float) -> None:
    """Have so many readers open a book within so many seconds; print what they met."""
    pages = [
        file.relative_to(folder).as_posix()
        for file in folder.glob("*/*.html")
        if _FIRST.search(file.read_text(encoding="utf-8"))
    ]
    with served(folder) as port:
        known = [_Reader(port) for _ in range(readers)]

        async def all_of_them() -> list[BaseException | None]:
            end = time.monotonic() + 2 * seconds
            ways = (
                _read(folder, number, reader, pages, begin=seconds, end=end)
                for number, reader in enumerate(known)
            )
            return await asyncio.gather(*ways, return_exceptions=True)

        faults = [fault for fault in asyncio.run(all_of_them()) if fault is not None]
    took = [one for reader in known for one in reader.took]
    median, high = 1000 * np.quantile(took, [0.5, 0.95])
    size = np.median([reader.size for reader in known]) / 1e3
    print(
        f"{readers} readers, {len(took)} requests: p50 {median:.1f} ms, p95 {high:.1f} ms, "
        f"{size:.0f} kB a reader, {len(faults)} faults {faults[:3] or ''}"
    )
