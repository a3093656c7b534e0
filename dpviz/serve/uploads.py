"""Files on their way to the server: few at once, none for ever, and one kept for a session.

ASGI, and no Streamlit, whose own route takes a file after this; it limits the size of each. That it
keeps them in memory, and off the disk, is said in dpviz/ui/server.py.
"""

import asyncio
from collections.abc import Callable
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dpviz.serve.clients import Client, network_id
from dpviz.serve.jobs import BusyError
from dpviz.serve.quotas import UPLOADS, Capacity
from dpviz.serve.semaphore import FairSemaphore

ROUTE = "/_stcore/upload_file/"
_FULL = "Too many files here now.\n"


class Uploads:
    """Middleware around the route that takes files.

    has_room: drops what a session has sent before, and says whether there is room for another file.
    capacity: how many are received. seconds: until one has to be there.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        has_room: Callable[[str], bool],
        capacity: Capacity = UPLOADS,
        seconds: float = 60,
    ) -> None:
        self._app, self._has_room, self._seconds = app, has_room, seconds
        self._semaphore = FairSemaphore(*capacity)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass; one with a file waits for its turn."""
        if scope["type"] != "http" or scope["method"] != "PUT":
            await self._app(scope, receive, send)
        elif scope["path"].startswith(ROUTE):
            begun = False

            async def watched(message: Message) -> None:
                nonlocal begun
                begun = True
                await send(message)

            try:
                async with asyncio.timeout(self._seconds):
                    await self._take(scope, receive, watched)
            except BusyError:
                await _refusal(_FULL, 503)(scope, receive, send)
            except TimeoutError:
                if not begun:
                    await _refusal("The file took too long.\n", 408)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _take(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = unquote(scope["path"].removeprefix(ROUTE)).partition("/")[0]
        async with self._semaphore.passed(Client(network_id(Request(scope)))):
            app = self._app if self._has_room(session) else _refusal(_FULL, 503)
            await app(scope, receive, send)


def _refusal(words: str, status: int) -> PlainTextResponse:
    # What is left of the file is not read.
    return PlainTextResponse(words, status, headers={"Connection": "close"})
