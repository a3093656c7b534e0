"""A process beside this one that computes a share of a lecture's scenes.

Its readers' figures are computed in threads, which take turns (`dpviz.serve.scheduler`); a file is
hundreds of figures at once, has nothing of a reader's own in it, and ends with its process.
"""

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType

from dpviz.scene.lecture_checks import LectureError
from dpviz.serve.lecture.share import Handout, Share
from dpviz.serve.topics import Topics

_LOOK = 0.1  # seconds between looks whether somebody still waits


class ShareProcess:
    """A share that is computed beside this process, which has to end it: a context manager.

    done: how far it is, from 0 to 1.
    """

    def __init__(self, share: Share) -> None:
        self.done = 0.0
        self._found: dict[int, tuple[Handout, str]] | LectureError | None = None
        self._hurried = False
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._listening.start()
        self._say(share)

    def __enter__(self) -> "ShareProcess":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._listening.join()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def hurry(self) -> None:
        """Have what there is do, once all of its scenes open."""
        if not self._hurried:
            self._hurried = True
            self._say(None)

    def result(self, wait: Callable[[], None]) -> dict[int, tuple[Handout, str]]:
        """Return what `Share.computed` does. wait: called meanwhile; it may raise to stop."""
        while self._listening.is_alive():
            wait()
            self._listening.join(_LOOK)
        if isinstance(self._found, LectureError):
            raise self._found
        if self._found is None:
            raise RuntimeError("the process beside has ended")
        return self._found

    def _say(self, message: object) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):  # it has ended: `result` says so
            self._process.stdin.write(pickle.dumps(message))
            self._process.stdin.flush()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with suppress(EOFError, OSError, pickle.UnpicklingError):
            while isinstance(message := pickle.load(self._process.stdout), float):
                self.done = message
            self._found = message


def main() -> None:
    """Compute the share that the input holds; say how far it is, and then what was found."""
    source, output, hurried = sys.stdin.buffer, sys.stdout.buffer, threading.Event()
    sys.stdout = sys.stderr  # whatever is printed on the way
    share: Share = pickle.load(source)

    def say(message: object) -> None:
        output.write(pickle.dumps(message))
        output.flush()

    def listen() -> None:
        with suppress(EOFError):
            while True:
                pickle.load(source)
                hurried.set()
        os._exit(1)  # nobody is there any more

    threading.Thread(target=listen, daemon=True).start()
    try:
        say(share.computed(Topics(), lambda part, _: say(part), hurried.is_set))
    except LectureError as refusal:
        say(refusal)


if __name__ == "__main__":
    main()
