"""What comes over a WebSocket, read little by little.

uvicorn reads all frames of 256 kB at once, and answers each ping: 20 kB of pings keep the event
loop for a tenth of a second. Packed, 20 kB hold 20 MB of messages, all of them unpacked before the
first is heard. So little is read at a time, nothing while a message waits to be heard, and who
sends more frames than a page has to say loses the line.
"""

import time
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

PIECE = 1024
"""Bytes read in one go: at most 170 frames."""
AT_ONCE, A_SECOND = 500, 50
"""Frames of one line. Browsers send one for each message, or a few for a large one; no pings."""

_Event = Any  # of ASGI


class LittleByLittle(WebSocketsSansIOProtocol):  # type: ignore[misc]
    """The protocol of a WebSocket, which reads a piece at a time."""

    def __init__(
        self, *args: Any, clock: Callable[[], float] = time.monotonic, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self._ahead = bytearray()
        self._clock = clock
        self._free, self._since = float(AT_ONCE), clock()

    def data_received(self, data: bytes) -> None:
        """Take what has come; what comes too fast ends the line."""
        self._ahead += data
        self._go_on()

    async def receive(self) -> _Event:
        """Return the next message, and read on."""
        event = await super().receive()
        self._go_on()
        return event

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget what was not read of a line that has ended."""
        self._ahead.clear()
        super().connection_lost(exc)

    def handle_cont(self, event: Frame) -> None:
        """Take a further part of a message."""
        self._count()
        super().handle_cont(event)

    def handle_ping(self) -> None:
        """Answer."""
        self._count()
        super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        """Take an answer."""
        self._count()
        super().handle_pong(event)

    def _go_on(self) -> None:
        while self._ahead and not self.read_paused and not self.transport.is_closing():
            piece = bytes(self._ahead[:PIECE])
            del self._ahead[:PIECE]
            super().data_received(piece)
            if self._free < 0:
                self.transport.abort()

    def _count(self) -> None:
        now = self._clock()
        self._free = min(self._free + (now - self._since) * A_SECOND, AT_ONCE) - 1
        self._since = now
