"""Answers packed by gzip: line by line as they come, or whole."""

import contextlib
import zlib
from collections.abc import AsyncGenerator

from starlette.requests import Request

from dpviz.serve.jobs import BusyError
from dpviz.serve.workers import SLOW_DRAWINGS

_LONG_TEXT = 100_000  # bytes: they take some milliseconds to pack


def unpacks(http: Request) -> bool:
    """Return whether who asks takes packed answers."""
    return "gzip" in http.headers.get("accept-encoding", "")


async def packed(lines: AsyncGenerator[bytes, None], *, pack: bool) -> AsyncGenerator[bytes, None]:
    """Compress lines so that each can be read as it arrives."""
    packer = zlib.compressobj(1, wbits=31)
    async with contextlib.aclosing(lines):
        async for text in lines:
            yield await _pressed(text, packer, zlib.Z_SYNC_FLUSH) if pack else text
    if pack:
        yield packer.flush()


async def whole(text: bytes) -> bytes:
    """Return a text compressed, well, as it is to be kept."""
    return await _pressed(text, zlib.compressobj(6, wbits=31), zlib.Z_FINISH)


def unpacked(text: bytes) -> bytes:
    """Return a text as it was before `whole` compressed it."""
    return zlib.decompress(text, wbits=31)


async def _pressed(text: bytes, packer: "zlib._Compress", end: int) -> bytes:
    """Return a text compressed; a long one in another thread, as the event loop answers all."""

    def press() -> bytes:
        return packer.compress(text) + packer.flush(end)

    if len(text) >= _LONG_TEXT:
        with contextlib.suppress(BusyError):  # what is drawn is not thrown away
            return await SLOW_DRAWINGS.do(press)
    return press()
