"""A line to the server that stays open, for the figures a tab asks for."""

import asyncio
import json
import zlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit


@dataclass
class Line:
    """One connection to an address, for one request at a time."""

    address: str
    received: int = 0
    _open: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = field(default=None)
    _used: bool = False

    async def ask(self, path: str, headers: Mapping[str, str]) -> AsyncIterator[dict[str, Any]]:
        """Ask for a figure and yield its lines as they come."""
        try:
            reader, status, answered = await self._asked(path, headers)
        except (OSError, asyncio.IncompleteReadError):
            if not self._used:
                raise
            await self.close()  # it was idle for so long that the server hung up: as browsers do
            reader, status, answered = await self._asked(path, headers)
        self._used = True
        packed = answered.get("content-encoding") == "gzip"
        unpack = zlib.decompressobj(31) if packed else None
        text = b""
        async for piece in _pieces(reader, answered):
            self.received += len(piece)
            text += unpack.decompress(piece) if unpack else piece
            *whole, text = text.split(b"\n")
            for line in whole:
                yield json.loads(line)
        if status != 200:
            raise OSError(f"{status} {path}")

    async def _asked(
        self, path: str, headers: Mapping[str, str]
    ) -> tuple[asyncio.StreamReader, int, dict[str, str]]:
        place = urlsplit(self.address)
        if self._open is None:
            self._used = False
            self._open = await asyncio.open_connection(place.hostname, place.port)
        reader, writer = self._open
        sent = {"Host": place.netloc, "Accept-Encoding": "gzip", **headers}
        lines = [f"GET {path} HTTP/1.1", *(f"{key}: {value}" for key, value in sent.items())]
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        return reader, *await _head(reader)

    async def close(self) -> None:
        """Hang up."""
        if self._open is not None:
            self._open[1].close()
            self._open = None


async def _head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    first, *rest = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = (line.partition(": ") for line in rest if line)
    return int(first.split()[1]), {key.lower(): value for key, _, value in pairs}


async def _pieces(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> AsyncIterator[bytes]:
    if "content-length" in headers:
        yield await reader.readexactly(int(headers["content-length"]))
        return
    while size := int(await reader.readuntil(b"\r\n"), 16):
        yield await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readexactly(2)
