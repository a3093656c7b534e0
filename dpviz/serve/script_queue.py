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
from dpviz.serve.quotas import SCRIPTS_EACH, SCRIPTS_RUN
from dpviz.serve.usage import Usage

_LOOK = 0.5  # seconds between looks whether one inside has been there for too long
_LONGEST = 3.0  # seconds after which one inside no longer keeps others out


@dataclass(eq=False)
class _Script:
    client: Client
    entered: float = 0.0


class ScriptQueue:
    """Whose script runs, by network and reader; see `dpviz.serve.usage`.

    capacity: how many run at once. each: how many of them of one network.
    """

    def __init__(
        self, capacity: int, each: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._capacity, self._each, self._clock = capacity, each, clock
        self._inside: list[_Script] = []
        self._waiting: list[_Script] = []  # in the order in which they came
        self._usage = Usage(clock)
        self._changed = threading.Condition()
        self._local = threading.local()

    @contextmanager
    def taken(self, client: Client) -> Iterator[None]:
        """Wait for a turn in this thread, then have it."""
        script = _Script(client)
        with self._changed:
            self._waiting.append(script)
            self._move()
            while script in self._waiting:
                self._changed.wait(_LOOK)
                self._move()
        self._local.script, begin = script, time.thread_time()
        try:
            yield
        finally:
            self._local.script = None
            with self._changed:
                self._usage.charge(client, time.thread_time() - begin)
                self._leave(script)

    @contextmanager
    def away(self) -> Iterator[None]:
        """Let others have the turn of this thread, if it has one, while it waits for something.

        It is not waited for afterwards: who has begun may hold what others inside wait for.
        """
        script: _Script | None = getattr(self._local, "script", None)
        if script is None:
            yield
            return
        with self._changed:
            self._leave(script)
        try:
            yield
        finally:
            with self._changed:
                self._enter(script)

    def _enter(self, script: _Script) -> None:
        script.entered = self._clock()
        self._inside.append(script)

    def _leave(self, script: _Script) -> None:
        self._inside.remove(script)
        self._move()

    def _move(self) -> None:
        """Let in whom there is room for; the lock is held."""
        earliest = self._clock() - _LONGEST
        inside = Counter(
            script.client.network_id for script in self._inside if script.entered > earliest
        )
        moved = False
        while inside.total() < self._capacity:
            may = [one for one in self._waiting if inside[one.client.network_id] < self._each]
            if not may:
                break
            script = min(may, key=lambda one: self._usage.spent(one.client))
            self._waiting.remove(script)
            self._enter(script)
            inside[script.client.network_id] += 1
            moved = True
        if moved:
            self._changed.notify_all()


SCRIPTS = ScriptQueue(SCRIPTS_RUN, SCRIPTS_EACH)
"""The scripts of pages; of one network they leave a place to others."""
