"""Where few may be at once, and the others wait their turn: pictures, which are drawn one by one.

No thread: all of it belongs to the event loop of the server.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from dpviz.serve.askers import Asker
from dpviz.serve.shares import Shares
from dpviz.serve.work import BusyError


class Door:
    """Lets in whoever has had least lately, by network and reader; see `dpviz.serve.shares`.

    room: how many are inside at once. most: with those who wait; when there is one more, one of the
    network with most of them is refused.
    """

    def __init__(self, room: int, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._room, self._most, self._clock = room, most, clock
        self._inside = 0
        self._waiting: dict[asyncio.Future[None], Asker] = {}  # in the order in which they came
        self._shares = Shares(clock)

    @asynccontextmanager
    async def passed(self, asker: Asker) -> AsyncIterator[None]:
        """Wait outside, then be inside. Raises `BusyError`."""
        place = asyncio.get_running_loop().create_future()
        self._waiting[place] = asker
        self._move()
        try:
            await place
            begin = self._clock()
            try:
                yield
            finally:
                self._shares.charge(asker, self._clock() - begin)
        finally:
            self._waiting.pop(place, None)
            if place.done() and not place.cancelled() and place.exception() is None:
                self._inside -= 1
            self._move()

    def _move(self) -> None:
        """Let in whom there is room for, and refuse whom there is no room for outside."""
        while self._waiting and self._inside < self._room:
            place = min(self._waiting, key=self._had)
            del self._waiting[place]
            self._inside += 1
            if place.done():  # has given up meanwhile
                self._inside -= 1
            else:
                place.set_result(None)
        while self._inside + len(self._waiting) > self._most:
            place = max(reversed(self._waiting), key=self._asks)
            del self._waiting[place]
            if not place.done():
                place.set_exception(BusyError())

    def _asks(self, place: asyncio.Future[None]) -> tuple[int, float]:
        network = self._waiting[place].network
        many = sum(asker.network == network for asker in self._waiting.values())
        return many, self._had(place)

    def _had(self, place: asyncio.Future[None]) -> float:
        return self._shares.had(self._waiting[place])
