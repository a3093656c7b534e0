"""Processes that are kept alive: one that ends is started again, ever later if it ends at once.

One that hangs is killed, and so started again.
"""

import ctypes
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Thread
from typing import Protocol

_LIVED = 10.0  # seconds after which an end is no failure to start
_FIRST, _LONGEST = 0.5, 30.0  # seconds of waiting after failures to start
_GRACE = 10  # seconds to end in
_BEAT = 1.0  # seconds from an answer to the next look for one
_PATIENCE = 3.0  # seconds to answer in
_HUNG = 4  # looks in a row without an answer; all of it takes less than 15 seconds
_COMES_UP = 180.0  # seconds until the first answer of a process, on a busy machine
_WHEN_PARENT_DIES = 1  # PR_SET_PDEATHSIG

Process = subprocess.Popen[bytes]


class Life(Protocol):
    """Tells whether a process hangs."""

    def begin(self) -> None:
        """Look at a process that has just been started."""

    def hangs(self, seconds: float) -> bool:
        """Return whether the process hangs, so many seconds after it was started."""


class Pulse:
    """Looks in a thread whether what listens on a port of this machine answers, whatever it says.

    The address it asks for is answered by the event loop alone: neither figures that are slow nor
    rooms that are lost can delay it. The connection stays open, so that a process without a free
    descriptor still answers. Looks are counted, not seconds: when this process itself was stopped
    for a while, the others have missed nothing.
    """

    def __init__(self, port: int) -> None:
        self._missed, self._answered = 0, False
        self._line = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
        Thread(target=self._look, name=f"pulse {port}", daemon=True).start()

    def begin(self) -> None:
        """Look at a process that has just been started."""
        self._missed, self._answered = 0, False

    def hangs(self, seconds: float) -> bool:
        """Return whether the process hangs, so many seconds after it was started."""
        return self._missed >= _HUNG and (self._answered or seconds > _COMES_UP)

    def _look(self) -> None:
        while True:
            begun = time.monotonic()
            try:
                self._line.request("GET", "/_stcore/health")
                self._line.getresponse().read()
            except (OSError, http.client.HTTPException):
                self._line.close()
                self._missed += 1
                time.sleep(max(0.0, begun + _PATIENCE - time.monotonic()))
            else:
                self._missed, self._answered = 0, True
                time.sleep(_BEAT)


class Kept:
    """A process that `start` begins, and that `look` begins again when it has ended or hangs.

    failures: how often in a row it ended soon after it began. hung: whether the last one was killed
    because it hung.
    """

    def __init__(
        self,
        name: str,
        start: Callable[[], Process],
        clock: Callable[[], float] = time.monotonic,
        life: Life | None = None,
    ) -> None:
        self.name, self.failures, self.hung = name, 0, False
        self.process: Process | None = None
        self._start, self._clock, self._life = start, clock, life
        self._begun = self._due = 0.0
        self._alive = False

    def look(self) -> bool:
        """Start the process if it is time to; return whether it was started."""
        now = self._clock()
        if self.process is not None and self.process.poll() is None:
            if self._life is None or not self._life.hangs(now - self._begun):
                return False
            self.process.kill()  # a process that is stopped heeds no other signal
            self.process.wait()
            self.hung = True
        elif self._alive:
            self.hung = False
        if self._alive:
            self._alive = False
            self.failures = self.failures + 1 if now - self._begun < _LIVED else 0
            # The first end may be an accident; who does not come up is in nobody's way.
            waited = _FIRST * 2 ** (self.failures - 2) if self.failures > 1 else 0.0
            self._due = now + min(waited, _LONGEST)
        if now < self._due:
            return False
        self.process, self._begun, self._alive = self._start(), now, True
        if self._life is not None:
            self._life.begin()
        return True


def begin(command: list[str], folder: Path, surroundings: dict[str, str] | None = None) -> Process:
    """Start a process that ends with this one, however this one ends."""
    parent = os.getpid()

    def follow() -> None:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_WHEN_PARENT_DIES, signal.SIGTERM)
            if os.getppid() != parent:  # it has died in between
                os.kill(os.getpid(), signal.SIGTERM)

    environment = dict(os.environ) | (surroundings or {})
    return subprocess.Popen(command, cwd=folder, env=environment, preexec_fn=follow)


def end(processes: Iterable[Process]) -> None:
    """End processes, by force if need be."""
    known = list(processes)
    for process in known:
        process.terminate()
    for process in known:
        try:
            process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            process.kill()


def occupied(address: str, ports: Iterable[int]) -> list[int]:
    """Return the ports on which somebody else listens."""
    taken = []
    for port in ports:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((address, port))
            except OSError:
                taken.append(port)
    return taken
