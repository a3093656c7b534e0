"""Page scripts take turns: few run at once, and who had least lately comes first.

Each script has a thread, and one thread at a time holds the interpreter's lock, so that many at
once are no faster: they only keep the event loop and the figures waiting. Those that wait here hold
nothing; what their readers do meanwhile becomes one run.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dpviz.serve.clients import Client
from dpviz.serve.usage import Usage

_LOOK = 0.5  # seconds between looks whether one inside has been there for too long
_LONGEST = 3.0  # seconds after which one inside no longer keeps others out


@dataclass(eq=False)
class _Turn:
    client: Client
    entered: float = 0.0


class Turns:
    """Whose script runs, by network and reader; see `dpviz.serve.usage`.

    capacity: how many run at once. each: how many of them of one network.
    """

    def __init__(
        self, capacity: int, each: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._capacity, self._each, self._clock = capacity, each, clock
        self._inside: list[_Turn] = []
        self._waiting: list[_Turn] = []  # in the order in which they came
        self._usage = Usage(clock)
        self._changed = threading.Condition()
        self._local = threading.local()

    @contextmanager
    def taken(self, client: Client) -> Iterator[None]:
        """Wait for a turn in this thread, then have it."""
        turn = _Turn(client)
        with self._changed:
            self._waiting.append(turn)
            self._move()
            while turn in self._waiting:
                self._changed.wait(_LOOK)
                self._move()
        self._local.turn, begin = turn, time.thread_time()
        try:
            yield
        finally:
            self._local.turn = None
            with self._changed:
                self._usage.charge(client, time.thread_time() - begin)
                self._leave(turn)

    @contextmanager
    def away(self) -> Iterator[None]:
        """Let others have the turn of this thread, if it has one, while it waits for something.

        It is not waited for afterwards: who has begun may hold what others inside wait for.
        """
        turn: _Turn | None = getattr(self._local, "turn", None)
        if turn is None:
            yield
            return
        with self._changed:
            self._leave(turn)
        try:
            yield
        finally:
            with self._changed:
                self._enter(turn)

    def _enter(self, turn: _Turn) -> None:
        turn.entered = self._clock()
        self._inside.append(turn)

    def _leave(self, turn: _Turn) -> None:
        self._inside.remove(turn)
        self._move()

    def _move(self) -> None:
        """Let in whom there is room for; the lock is held."""
        earliest = self._clock() - _LONGEST
        inside = Counter(turn.client.network for turn in self._inside if turn.entered > earliest)
        moved = False
        while inside.total() < self._capacity:
            may = [one for one in self._waiting if inside[one.client.network] < self._each]
            if not may:
                break
            turn = min(may, key=lambda one: self._usage.spent(one.client))
            self._waiting.remove(turn)
            self._enter(turn)
            inside[turn.client.network] += 1
            moved = True
        if moved:
            self._changed.notify_all()


SCRIPTS = Turns(capacity=2, each=1)
"""The scripts of pages; of one network they leave a place to others."""
