"""What a server tells those who run it, on an address of its own: numbers, nothing of any reader.

The address is on loopback, and none that a proxy asks. Whether the process is to live is no matter
of these numbers: else whoever slows figures down could have it killed.
"""

import asyncio
import contextlib
import logging
import math
import os
import resource
import sys
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import orjson

_PAGE = os.sysconf("SC_PAGE_SIZE")
_MINUTE = 60.0
_MOST = 2000  # first lines of which the seconds are kept
_PATIENCE = 5.0  # seconds to ask in
_HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"

Numbers = Mapping[str, object]

_log = logging.getLogger(__name__)


class Lately:
    """How long what happened in the last minute took."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._noted: deque[tuple[float, float]] = deque(maxlen=_MOST)
        self._lock = threading.Lock()

    def note(self, seconds: float) -> None:
        """Note one that has just come to its end."""
        with self._lock:
            self._noted.append((self._clock(), seconds))

    def numbers(self) -> Numbers:
        """Return how many there were in the last minute, their median and 95% quantile."""
        with self._lock:
            start = self._clock() - _MINUTE
            lately = sorted(seconds for when, seconds in self._noted if when >= start)
        if not lately:
            return {"count": 0, "p50": None, "p95": None}
        p50, p95 = (round(lately[math.ceil(q * len(lately)) - 1], 3) for q in (0.5, 0.95))
        return {"count": len(lately), "p50": p50, "p95": p95}


FIRST_LINES = Lately()
"""Seconds from the request for a figure to its first line."""


def memory() -> float:
    """Return the resident memory of this process in MB; where the system does not say, its peak."""
    pages = Path("/proc/self/statm")
    if pages.exists():
        return int(pages.read_text().split()[1]) * _PAGE / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


class Monitor:
    """Numbers of this process. readings: by name, how each is had."""

    def __init__(self, readings: Mapping[str, Callable[[], object]]) -> None:
        self._readings: dict[str, Callable[[], object]] = {**readings}
        self._readings["memory_mb"] = lambda: round(memory(), 1)

    def numbers(self) -> Numbers:
        """Return all of them as they are now."""
        return {name: read() for name, read in self._readings.items()}

    @asynccontextmanager
    async def listening(self, port: str) -> AsyncIterator[None]:
        """Answer on a port of loopback, none if ""; and once a minute write a line to the log."""
        writing, server = asyncio.create_task(self._write()), None
        if port:
            try:
                server = await asyncio.start_server(self._answer, "127.0.0.1", int(port))
            except (OSError, ValueError, OverflowError) as fault:
                _log.warning("DPVIZ_MONITOR: no numbers on port %r: %s", port[:20], fault)
        try:
            yield
        finally:
            writing.cancel()
            if server is not None:
                server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, ValueError, TimeoutError, asyncio.IncompleteReadError):
            async with asyncio.timeout(_PATIENCE):
                while (await reader.readline()).strip():
                    pass
                writer.write(_HEAD.encode() + orjson.dumps(self.numbers()) + b"\n")
                await writer.drain()
        writer.close()

    async def _write(self) -> None:
        before: Numbers = {}
        while True:
            await asyncio.sleep(_MINUTE)
            now = self.numbers()
            if any(now[name] != before.get(name) for name in self._readings if name != "memory_mb"):
                _log.info("%s", orjson.dumps(now).decode())  # nothing where nothing goes on
            before = now
