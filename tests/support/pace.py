"""Time as the tests tell it, so that what a result shows does not depend on the machine.

How many partial results come, and how far a link goes, are matters of seconds in the app. Here they
are counted: `tests/conftest.py` puts `steadily` in the place of `Pace.due`, and `Steps` in that of
the clock of `dpviz.serve.computing`. A test that wants something else puts `always`, `never` or
`by_the_clock` there. In a server of its own process a `Gate` does that.
"""

import math
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

from dpviz.results.folders import ROOT
from dpviz.results.refining import Pace, pause
from dpviz.serve import computing, scheduler

STEP = 0.25  # seconds of every result: most links give eight
_FOLDER = "DPVIZ_TESTS_GATE"
_OF_LINK = 128  # looks of eight results: what goes on after them was begun by a click
_MOST_WAITING = 10**6
_PAUSE = 0.01  # seconds between looks whether a gate is open

by_the_clock = Pace.due


def steadily(pace: Pace) -> bool:
    """Have a result due at the first look, the second, the fourth, the eighth and so on."""
    pause()
    looks = pace.__dict__["looks"] = pace.__dict__.get("looks", 0) + 1
    return looks & (looks - 1) == 0


def always(_: Pace) -> bool:
    """A machine slow without end: a result is due at every look."""
    pause()
    return True


def never(_: Pace) -> bool:
    """A machine fast without end."""
    pause()
    return False


class Steps(threading.local):
    """A clock that goes on by one step at every look, for each thread on its own."""

    looks = 0

    def thread_time(self) -> float:
        self.looks += 1
        return self.looks * STEP


@dataclass(frozen=True)
class Gate:
    """What holds the computations of a server back until a test lets them go on.

    However fast the machine, what is held has not ended; however slow, it waits. `shut` holds only
    what goes further than a link. The server has two places: one for what is long.

    folder: an empty one, known to the server from its surroundings.
    """

    folder: Path

    @property
    def surroundings(self) -> Mapping[str, str]:
        """Environment variables for the server."""
        path = os.pathsep.join(map(str, (ROOT, Path(__file__).with_name("gated_server"))))
        return {"PYTHONPATH": path, _FOLDER: str(self.folder)}

    def shut(self, after: int = 0) -> None:
        """Hold what is long at its next look, once it gave so many results more, one a look."""
        # The test and its server both do so, and neither may take the other's away.
        new = self.folder / f"new-{os.getpid()}-{threading.get_ident()}"
        new.write_text(str(after))
        new.replace(self._file)

    def hold(self) -> None:
        """Hold everything at its next look, what a link gives, too."""
        self._all.touch()

    def open(self) -> None:
        """Let everything go on."""
        for file in (self._all, self._file):
            file.unlink(missing_ok=True)

    def crowd(self) -> None:
        """Have the server turn every wish away that it need not hear."""
        self._crowd.touch()

    def disperse(self) -> None:
        """Have it hear them again."""
        self._crowd.unlink(missing_ok=True)

    @property
    def most_waiting(self) -> int:
        """How many wishes may wait; for the server."""
        return 0 if self._crowd.exists() else _MOST_WAITING

    def due(self, pace: Pace) -> bool:
        """Wait before a shut gate, and say whether a result is due; for the server."""
        while self._all.exists():
            pause()
            time.sleep(_PAUSE)
        looks = pace.__dict__.get("looks", 0)
        while looks >= _OF_LINK and (left := self._left()) is not None:
            pause()
            if left:
                self.shut(left - 1)
                return True
            time.sleep(_PAUSE)
        return steadily(pace)

    @property
    def _file(self) -> Path:
        return self.folder / "shut"

    @property
    def _all(self) -> Path:
        return self.folder / "all"

    @property
    def _crowd(self) -> Path:
        return self.folder / "crowd"

    def _left(self) -> int | None:
        try:
            return int(self._file.read_text())
        except FileNotFoundError:
            return None


def tell() -> None:
    """Tell this process, a server that a test has started, the pace."""
    gate = Gate(Path(os.environ[_FOLDER]))
    Pace.due = lambda pace: gate.due(pace)  # type: ignore[method-assign]
    computing.time = SimpleNamespace(thread_time=Steps().thread_time)  # type: ignore[assignment]
    # What a link asks for finds a place beside what is held, however dear its steps were before.
    scheduler._SHORT = math.inf
    office = scheduler.SCHEDULER
    office.capacity, office.longest_wait, limit = 2, math.inf, office._limit_waiting

    def looked(now: float) -> None:
        office.most_waiting = gate.most_waiting
        limit(now)

    office._limit_waiting = looked  # type: ignore[method-assign]
