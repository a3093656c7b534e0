"""The log of the server: clear lines, and the same trouble at most once a minute."""

import logging
import sys
import threading
import time
from collections.abc import Callable

_MINUTE = 60.0
# What somebody from outside can have said again and again, beside what dpviz says itself.
_OTHERS = ("asyncio", "uvicorn.error")

Trouble = tuple[object, ...]


class Seldom(logging.Filter):
    """Lets a warning or a fault pass once a minute, and with it how many there were in between.

    The same is what the same line of code says of a fault from the same place: places in the code
    are few, whatever is asked of it.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._said: dict[Trouble, tuple[float, int]] = {}
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a line is to be written; one after many tells their number."""
        if record.levelno < logging.WARNING:
            return True
        trouble, now = _trouble(record), self._clock()
        with self._lock:
            last, more = self._said.get(trouble, (now - _MINUTE, 0))
            if now - last < _MINUTE:
                self._said[trouble] = last, more + 1
                return False
            self._said[trouble] = now, 0
        if more:
            record.msg = f"{record.getMessage()} [{more} more like this since the last such line]"
            record.args = ()
        return True


def _trouble(record: logging.LogRecord) -> Trouble:
    # Of a fault, its kind and place: see `dpviz.serve.faults`.
    return record.name, record.pathname, record.lineno, record.exc_text


def begin() -> None:
    """Write what dpviz says to the standard error, and keep it and others from flooding."""
    seldom, ours = Seldom(), logging.getLogger("dpviz")
    if not ours.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        handler.addFilter(seldom)
        ours.addHandler(handler)
        ours.setLevel(logging.INFO)
    for name in _OTHERS:
        logging.getLogger(name).addFilter(seldom)
