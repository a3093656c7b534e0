"""Where rooms live: in the memory of this process, or as `shared` has it, in all replicas at once.

Whatever changes a room goes through here, and whoever listens to it is told.
"""

import asyncio
from collections.abc import Callable
from typing import Protocol

from dpviz.serve.quotas import ROOMS, ROOMS_EACH
from dpviz.serve.rooms.room import Clock, Guesses, Room, Rooms
from dpviz.serve.rooms.streams import Hub
from dpviz.serve.rooms.tokens import network_here

_MINUTE = 60.0


class LostError(Exception):
    """The place where rooms live does not answer; asking again may help."""


class RoomStore(Protocol):
    """Where rooms are kept. All of it raises `RoomError` where a room says no, and `LostError`."""

    durable: bool
    """Whether rooms outlive this process."""

    @property
    def reached(self) -> bool | None:
        """Whether the place where they live answered when last asked, None if that is here."""

    def __len__(self) -> int:
        """Return how many rooms there are here."""

    def begin(self) -> None:
        """Look for the place where rooms live, as the server begins."""

    def fresh_code(self) -> str:
        """Return a code that no room here has."""

    async def open(self, code: str, link: str, network: str) -> Room:
        """Open a room for a network."""

    async def find(self, code: str) -> Room:
        """Return the room of a code as it is now."""

    async def guessed(self, network: str, *, wrong: bool) -> None:
        """Note that an address has sent a code and nothing that shows it belongs to the room."""

    async def crowding(self) -> float:
        """Return which share of all rooms is taken."""

    async def welcome(self, room: Room, network: str, word: str) -> str:
        """Return the token of a new phone, if one is let in."""

    async def join(self, room: Room, phone: str) -> None:
        """Give a phone that begins to listen a place, or leave it the one it has."""

    def left(self, room: Room, phone: str) -> None:
        """Note that a phone does not listen any more."""

    async def leave(self, room: Room, phone: str) -> None:
        """Take the place of a phone that leaves for good; its answers stay."""

    async def seen(self, room: Room, phone: str = "") -> None:
        """Note that a phone, or the screen, listens; asked for as long as it does."""

    async def answer(self, room: Room, phone: str, number: int, given: int, text: str) -> None:
        """Count the answer of a phone; it is kept once this returns."""

    async def lead(self, room: Room, act: Callable[[], None]) -> None:
        """Have the lecturer act on the room; what they did is kept once this returns."""

    async def clear(self, room: Room, network: str) -> None:
        """Turn out the phones of an address, and forget what they answered to the question."""

    async def end(self, room: Room) -> None:
        """Forget a room, and all that was answered there."""

    def sweep(self) -> None:
        """End what has been silent for long."""

    async def close(self) -> None:
        """Let go of what is held open, as the server ends."""


class MemoryStore:
    """Keeps rooms in this process, as long as it lives."""

    durable = False
    reached = None

    def __init__(self, hub: Hub, clock: Clock, processes: int = 1) -> None:
        self._hub = hub
        # A code leads to one of the processes: an address may open its share of rooms in each.
        each = max(1, ROOMS_EACH // processes)
        self.rooms = Rooms(clock, on_end=hub.tell, each=each)
        self._guesses = Guesses(clock)
        self._looking: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self.rooms)

    def begin(self) -> None:
        """Begin to end silent rooms, though nobody asks for a room any more."""
        self._looking = asyncio.create_task(self._look())

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(_MINUTE)
            self.sweep()

    def fresh_code(self) -> str:
        """Return a code that no room here has."""
        return self.rooms.fresh_code()

    async def open(self, code: str, link: str, network: str) -> Room:
        """Open a room for a network."""
        return self.rooms.open(code, link, network)

    async def find(self, code: str) -> Room:
        """Return the room of a code."""
        return self.rooms.find(code)

    async def guessed(self, network: str, *, wrong: bool) -> None:
        """Note that an address has sent a code."""
        self._guesses.note(network, wrong=wrong)

    async def crowding(self) -> float:
        """Return which share of all rooms is taken."""
        return len(self.rooms) / ROOMS

    async def welcome(self, room: Room, network: str, word: str) -> str:
        """Return the token of a new phone, if one is let in."""
        room.ask_in(word)
        return room.fresh_token(network_here(room.secret, network))

    async def join(self, room: Room, phone: str) -> None:
        """Give a phone a place, or leave it the one it has."""
        try:
            room.come_in(phone)
        finally:
            self._hub.tell(room)

    def left(self, room: Room, phone: str) -> None:
        """Note nothing: the room knows who listens."""

    async def leave(self, room: Room, phone: str) -> None:
        """Take the place of a phone that leaves for good."""
        if room.leave(phone):
            self._hub.tell(room)

    async def seen(self, room: Room, phone: str = "") -> None:
        """Note nothing, as before."""

    async def answer(self, room: Room, phone: str, number: int, given: int, text: str) -> None:
        """Count the answer of a phone."""
        room.answer(phone, number, given, text)
        self._hub.tell(room)

    async def lead(self, room: Room, act: Callable[[], None]) -> None:
        """Have the lecturer act on the room."""
        act()
        self._hub.tell(room)

    async def clear(self, room: Room, network: str) -> None:
        """Turn out the phones of an address."""
        room.clear(network)
        self._hub.tell(room)

    async def end(self, room: Room) -> None:
        """Forget a room, and all that was answered there."""
        self.rooms.end(room)

    def sweep(self) -> None:
        """End what has been silent for long."""
        self.rooms.sweep()

    async def close(self) -> None:
        """Let go of nothing: memory ends with the process."""
        if self._looking is not None:
            self._looking.cancel()
