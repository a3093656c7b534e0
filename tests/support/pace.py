"""Time as the tests tell it, so that what a result shows does not depend on the machine.

How many partial results come, and how far a link goes, are matters of seconds in the app. Here they
are counted: `tests/conftest.py` puts `steadily` in the place of `Pace.due`, and `Steps` in that of
the clock of `dpviz.serve.computing`. A test that wants something else puts `always`, `never` or
`by_the_clock` there.
"""

import threading

from dpviz.results.refining import Pace, pause

STEP = 0.25  # seconds of every result: most links give eight

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
