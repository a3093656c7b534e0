"""Connections are taken one by one, and answers leave at once: TCP_NODELAY on each.

asyncio switches it on by itself only where the listening socket was made with the protocol named;
Streamlit's is made without (uvicorn, issue 3149). Then the last, not quite full packet of every
answer waits for the acknowledgement of the one before, which a client delays by 40 ms.

asyncio accepts as many connections in one go as may queue, 2,048 here. Where no descriptor is left
it logs and plans another try for each of them, and never ends: so it accepts one at a time.

What is heard over a WebSocket has a limit of its own, since Streamlit's is that of what it says, a
table of 100,000 rows: packed, so much may come in a thousandth of its bytes.

And each connection is told apart by who opened it, whatever its requests say of themselves.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from dpviz.serve.clients import at_first_hand
from dpviz.serve.websocket_frames import LittleByLittle

LARGEST_MESSAGE = 5 * 2**16
"""Bytes heard at once over a WebSocket: the fields of a long lecture or homework take a little
less."""
_QUEUE = 100  # connections that may wait, where nobody says how many: asyncio's own number


@asynccontextmanager
async def prompt(_: object) -> AsyncIterator[None]:
    """Make the running event loop send at once wherever it listens; enter it before it does.

    Set on each connection: those that queue while the server starts, as a proxy's do,
    would not inherit it from the listening socket.
    """
    loop: Any = asyncio.get_running_loop()
    listen: Callable[..., Any] = loop.create_server

    async def listen_promptly(factory: Callable[[], Any], *args: Any, **more: Any) -> Any:
        queue = more.pop("backlog", _QUEUE)
        server = await listen(lambda: _prompt_protocol(factory()), *args, **more, backlog=1)
        for listening in server.sockets:
            with socket.fromfd(listening.fileno(), listening.family, listening.type) as same:
                same.listen(queue)  # as many may wait as before
        return server

    loop.create_server = listen_promptly
    try:
        yield
    finally:
        loop.create_server = listen


def _prompt_protocol(protocol: Any) -> Any:
    """Return the protocol, which now begins a connection with the option."""
    at_first_hand(protocol)
    config = getattr(protocol, "config", None)
    if config is not None:
        config.ws_max_size = min(config.ws_max_size, LARGEST_MESSAGE)
    if getattr(protocol, "ws_protocol_class", None) is WebSocketsSansIOProtocol:
        protocol.ws_protocol_class = LittleByLittle
    begin = protocol.connection_made

    def connection_made(transport: asyncio.BaseTransport) -> None:
        accepted = transport.get_extra_info("socket")
        if accepted is not None and accepted.family in (socket.AF_INET, socket.AF_INET6):
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        begin(transport)

    protocol.connection_made = connection_made
    return protocol
