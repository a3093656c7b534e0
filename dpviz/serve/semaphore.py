"""Where few may be at once, and the others wait their turn.

No thread: all of it belongs to the event loop of the server.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from dpviz.serve.clients import Client
from dpviz.serve.jobs import BusyError
from dpviz.serve.usage import Usage


class FairSemaphore:
    """Lets in whoever has had least lately, by network and reader; see `dpviz.serve.usage`.

    capacity: how many are inside at once. most: with those who wait; when there is one more, one of
    the network with most of them is refused. each: how many of one network may be inside at once.
    """

    def __init__(
        self,
        capacity: int,
        most: int,
        each: int | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._capacity, self._most, self._clock = capacity, most, clock
        self._each = capacity if each is None else each
        self._inside = Counter[str]()  # by network
        self._waiting: dict[asyncio.Future[None], Client] = {}  # in the order in which they came
        self._usage = Usage(clock)

    @asynccontextmanager
    async def passed(self, client: Client) -> AsyncIterator[None]:
        """Wait outside, then be inside. Raises `BusyError`."""
        ticket = asyncio.get_running_loop().create_future()
        self._waiting[ticket] = client
        self._move()
        try:
            await ticket
            begin = self._clock()
            try:
                yield
            finally:
                self._usage.charge(client, self._clock() - begin)
        finally:
            self._waiting.pop(ticket, None)
            if ticket.done() and not ticket.cancelled() and ticket.exception() is None:
                self._leave(client)
            self._move()

    def _leave(self, client: Client) -> None:
        self._inside[client.network_id] -= 1
        if not self._inside[client.network_id]:
            del self._inside[client.network_id]

    def _move(self) -> None:
        """Let in whom there is room for, and refuse whom there is no room for outside."""
        while self._inside.total() < self._capacity and (may := self._who_may()):
            ticket = min(may, key=self._spent)
            client = self._waiting.pop(ticket)
            if not ticket.done():  # else they have given up meanwhile
                self._inside[client.network_id] += 1
                ticket.set_result(None)
        while self._inside.total() + len(self._waiting) > self._most and self._waiting:
            asking = Counter(client.network_id for client in self._waiting.values())
            ticket = max(
                reversed(self._waiting),
                key=lambda one: (asking[self._waiting[one].network_id], self._spent(one)),
            )
            del self._waiting[ticket]
            if not ticket.done():
                ticket.set_exception(BusyError())

    def _who_may(self) -> list[asyncio.Future[None]]:
        inside, each = self._inside, self._each
        return [
            ticket for ticket, client in self._waiting.items() if inside[client.network_id] < each
        ]

    def _spent(self, ticket: asyncio.Future[None]) -> float:
        return self._usage.spent(self._waiting[ticket])
