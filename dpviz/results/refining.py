"""When a computation that takes longer than the eye shows how far it is."""

import time


class Pace:
    """Tells when the next partial result is due: every `seconds`, or a little later.

    The default leaves room below the 100 ms at which partial results have to come.
    """

    def __init__(self, seconds: float = 0.08) -> None:
        self._seconds = seconds
        self._last = time.perf_counter()

    def due(self) -> bool:
        """Return whether so much time has passed since a result was due, or since the start."""
        now = time.perf_counter()
        if now - self._last <= self._seconds:
            return False
        self._last = now
        return True
