"""What a command that takes its time says meanwhile, on the standard error."""

import sys
import threading
import time
from types import TracebackType

_SILENT = 2.0  # seconds in which nobody wonders
_BEAT = 0.5  # seconds between two looks at a line in a terminal
_WIDTH = 75


class Waiting:
    """Says how far a command is, once it has taken two seconds, and until it ends.

    In a terminal one line is written over and cleared in the end. In a file, a log say, there are
    few lines: each comes when twice the time of the one before has passed.
    """

    def __init__(self) -> None:
        self._begin, self._far, self._shown = time.monotonic(), "", False
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> "Waiting":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()
        if self._shown and sys.stderr.isatty():
            sys.stderr.write(f"\r{' ' * _WIDTH}\r")
            sys.stderr.flush()

    def tell(self, far: str) -> None:
        """Take how far it is, in words."""
        self._far = far

    def _beat(self) -> None:
        due = _SILENT
        while not self._over.wait(max(due - self._spent, 0.0)):
            seconds = self._spent
            words = f"dpviz: {self._far or 'computing'}, {seconds:.0f} s so far"
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{words[:_WIDTH]:{_WIDTH}}")
                due = seconds + _BEAT
            else:
                sys.stderr.write(f"{words}\n")
                due = 2 * seconds
            sys.stderr.flush()
            self._shown = True

    @property
    def _spent(self) -> float:
        return time.monotonic() - self._begin
