"""Server-sent events: what a room tells its phones and the lecturer's screen, as it changes.

All of a room is sent each time, so that whoever comes late or comes back is where the class is.
"""

import asyncio
import math
import signal
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, aclosing, asynccontextmanager, contextmanager
from types import FrameType
from typing import Any

import orjson

from dpviz.serve.rooms.room import Room

HEADERS = {
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
    "Content-Encoding": "identity",  # or a middleware would hold events back to pack them
}
_BEAT = 15.0  # seconds of silence after which a comment shows that the connection lives
SEEN = _BEAT  # seconds after which a phone that listens is seen again
_PAUSE = 0.15  # seconds between two events to one reader at least

Events = AsyncGenerator[bytes, None]


class Hub:
    """Who listens to which room, and what all phones of a room get, written once."""

    def __init__(self) -> None:
        self._listening: dict[str, set[asyncio.Event]] = {}
        self._written: dict[str, tuple[int, bytes]] = {}
        self._closing = False

    def tell(self, room: Room) -> None:
        """Wake all that listen to a room; each sees for itself whether there is news for it."""
        for news in self._listening.get(room.code, ()):
            news.set()
        if room.over:
            self._written.pop(room.code, None)

    def close(self) -> None:
        """End all streams: the server is going."""
        self._closing = True
        for listening in self._listening.values():
            for news in listening:
                news.set()

    def over(self, room: Room) -> bool:
        """Return whether a stream of this room has to end."""
        return self._closing or room.over

    @contextmanager
    def listening(self, room: Room) -> Iterator[asyncio.Event]:
        """Listen to a room: the event is set whenever there may be news."""
        news, all_of_it = asyncio.Event(), self._listening.setdefault(room.code, set())
        all_of_it.add(news)
        try:
            yield news
        finally:
            all_of_it.discard(news)
            if not all_of_it and self._listening.get(room.code) is all_of_it:
                del self._listening[room.code]

    def for_phones(self, room: Room) -> bytes:
        """Return the event that all phones of a room get."""
        written = self._written.get(room.code)
        if written is None or written[0] != room.version:
            written = self._written[room.code] = (room.version, event("room", room.for_phones()))
        return written[1]


def event(name: str, data: object) -> bytes:
    """Return a server-sent event."""
    return b"event: %b\ndata: %b\n\n" % (name.encode(), orjson.dumps(data))


async def for_phone(
    hub: Hub,
    room: Room,
    phone: str,
    sweep: Callable[[], None],
    seen: Callable[[], Awaitable[None]],
    left: Callable[[], None],
    *,
    has_cookie: bool = True,
) -> Events:
    """Yield what a phone gets, at once and whenever the room changes.

    seen: notes that the phone listens, at first and every few seconds; left: that it does no more.
    has_cookie: whether its browser has kept the cookie by which it is known.
    """

    def write() -> bytes:
        mine = room.for_phone(phone) | ({} if has_cookie else {"kept": False})
        return event("mine", mine) + hub.for_phones(room)

    with ExitStack() as stack:
        stack.callback(left)
        stack.enter_context(room.heard_by(phone))
        changes = _changes(hub, room, lambda: room.version, write, sweep)
        async with aclosing(_noted(room, changes, seen)) as noted:
            async for text in noted:
                yield text
                if phone not in room.joined:  # turned out, or its place was taken
                    return


async def for_screen(
    hub: Hub,
    room: Room,
    sweep: Callable[[], None],
    seen: Callable[[], Awaitable[None]],
    state: Callable[[], object],
) -> Events:
    """Yield what the lecturer's screen gets, whenever anything in the room changes.

    seen: notes that the screen listens, at first and every few seconds. state: returns what it
    gets.
    """

    def write() -> bytes:
        return event("room", state())

    with room.shown_on_screen():
        changes = _changes(hub, room, lambda: room.news, write, sweep)
        async with aclosing(_noted(room, changes, seen)) as noted:
            async for text in noted:
                yield text


async def _noted(room: Room, changes: Events, seen: Callable[[], Awaitable[None]]) -> Events:
    """Yield the changes, and note every few seconds that somebody listens to them."""
    last = -math.inf
    async with aclosing(changes):
        async for text in changes:
            if room.clock() - last >= SEEN:
                last = room.clock()
                await seen()
            yield text


async def _changes(
    hub: Hub,
    room: Room,
    count: Callable[[], int],
    write: Callable[[], bytes],
    sweep: Callable[[], None],
) -> Events:
    """Yield what `write` returns when `count` has changed, comments in between, until the end."""
    seen = -1
    yield b"retry: 1000\n\n"
    with hub.listening(room) as news:
        while not hub.over(room):
            news.clear()
            if count() != seen:
                seen = count()
                yield write()
                await asyncio.sleep(_PAUSE)
                continue
            try:
                await asyncio.wait_for(news.wait(), _BEAT)
            except TimeoutError:
                sweep()
                yield b": here\n\n"
        if room.over:
            yield event("over", {})


@asynccontextmanager
async def ending(hub: Hub) -> AsyncIterator[None]:
    """End all streams as soon as the server is told to go: it would wait for them.

    Entered where the server has its signal handlers already, as in a lifespan.
    """
    loop, before = asyncio.get_running_loop(), {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            handler = signal.getsignal(number)
            if callable(handler):
                before[number] = handler
                signal.signal(number, _after(lambda: loop.call_soon_threadsafe(hub.close), handler))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


SignalHandler = Callable[[int, FrameType | None], Any]


def _after(first: Callable[[], object], handler: SignalHandler) -> SignalHandler:
    def handle(number: int, frame: FrameType | None) -> None:
        first()
        handler(number, frame)

    return handle
