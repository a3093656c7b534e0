"""Processes that are kept alive: one that ends is started again, ever later if it ends at once."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

_LIVED = 10.0  # seconds after which an end is no failure to start
_FIRST, _LONGEST = 0.5, 30.0  # seconds of waiting after failures to start
_GRACE = 10  # seconds to end in
_WHEN_PARENT_DIES = 1  # PR_SET_PDEATHSIG

Process = subprocess.Popen[bytes]


class Kept:
    """A process that `start` begins, and that `look` begins again when it has ended.

    failures: how often in a row it ended soon after it began.
    """

    def __init__(
        self,
        name: str,
        start: Callable[[], Process],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name, self.failures = name, 0
        self.process: Process | None = None
        self._start, self._clock = start, clock
        self._begun = self._due = 0.0
        self._alive = False

    def look(self) -> bool:
        """Start the process if it is time to; return whether it was started."""
        now = self._clock()
        if self.process is not None and self.process.poll() is None:
            return False
        if self._alive:
            self._alive = False
            self.failures = self.failures + 1 if now - self._begun < _LIVED else 0
            # The first end may be an accident; who does not come up is in nobody's way.
            waited = _FIRST * 2 ** (self.failures - 2) if self.failures > 1 else 0.0
            self._due = now + min(waited, _LONGEST)
        if now < self._due:
            return False
        self.process, self._begun, self._alive = self._start(), now, True
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
