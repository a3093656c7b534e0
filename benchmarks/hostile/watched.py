"""Start the app with an event loop that is timed: python watched.py PORT, in a checkout.

On SIGUSR1 it writes what it has seen to the file DPVIZ_WATCHED, and begins anew: the longest
callback of the loop, and the longest time for which the loop did not take up a new one, which
threads that hold the interpreter's lock count in; each in seconds, and who it was.
"""

import asyncio
import gc
import json
import os
import signal
import sys
import threading
import time
import types
from functools import cache
from pathlib import Path
from typing import Any

_BEAT = 0.004  # seconds between two looks
_LATE = 0.02  # seconds from which on it is asked who it is
_seen: dict[str, tuple[float, str]] = {}


def _note(kind: str, seconds: float, who: str) -> None:
    if seconds > _seen.get(kind, (0.0, ""))[0]:
        _seen[kind] = seconds, who


def _who(callback: object) -> str:
    """Name a callback; of a task, the innermost coroutine that it waits in."""
    task = getattr(callback, "__self__", None)
    if not isinstance(task, asyncio.Task):
        return getattr(callback, "__qualname__", type(callback).__name__)
    names: list[str] = []
    waiting: Any = task.get_coro()
    while waiting is not None and len(names) < 40:
        code = getattr(waiting, "cr_code", None) or getattr(waiting, "ag_code", None)
        if code is not None:
            names.append(f"{Path(code.co_filename).name}:{code.co_name}")
        waiting = getattr(waiting, "cr_await", None)
    ours = [name for name in names if name.partition(":")[0] not in _COMMON]
    return (ours or names or ["?"])[-1]


_COMMON = {"routing.py", "base.py", "errors.py", "exceptions.py", "applications.py", "tasks.py"}


def _timed() -> None:
    handles: Any = asyncio.events.Handle
    run = handles._run

    def timed(handle: Any) -> None:
        _begin(handle._loop)
        callback, begin, spent = handle._callback, time.perf_counter(), time.thread_time()
        who = _who(callback)
        run(handle)
        _note("callback", time.thread_time() - spent, who)
        _note("callback with waits", time.perf_counter() - begin, who)

    handles._run = timed


def _frames() -> str:
    """Name what all other threads are at, as far as it is code of ours."""
    found = []
    for number, frame in sys._current_frames().items():
        place: types.FrameType | None = frame
        while place is not None and "/dpviz/" not in place.f_code.co_filename:
            place = place.f_back
        if number != threading.get_ident() and place is not None:
            file = Path(place.f_code.co_filename).name
            found.append(f"{file}:{place.f_code.co_name}:{place.f_lineno}")
    return ", ".join(sorted(set(found)))


@cache
def _begin(loop: asyncio.AbstractEventLoop) -> None:
    threading.Thread(target=_watch, args=(loop,), daemon=True).start()


def _watch(loop: asyncio.AbstractEventLoop) -> None:
    while True:
        beat, begin = threading.Event(), time.perf_counter()
        loop.call_soon_threadsafe(beat.set)
        who = ""
        while not beat.wait(_BEAT):
            late = time.perf_counter() - begin
            if late > _LATE and not who:
                who = _frames()
        _note("silence", time.perf_counter() - begin, who)
        time.sleep(_BEAT)


def main() -> None:
    """Run the app of the folder this is started in."""
    sys.path[0] = str(Path.cwd())
    _timed()
    begun = 0.0

    def collecting(phase: str, said: dict[str, int]) -> None:
        nonlocal begun
        if phase == "start":
            begun = time.perf_counter()
        else:
            _note("collection", time.perf_counter() - begun, f"generation {said['generation']}")

    gc.callbacks.append(collecting)

    def report(*_: object) -> None:
        Path(os.environ["DPVIZ_WATCHED"]).write_text(json.dumps(_seen))
        _seen.clear()

    signal.signal(signal.SIGUSR1, report)
    from streamlit.web import cli

    sys.argv = ["streamlit", "run", "app.py", "--server.headless=true"]
    sys.argv.append("--server.address=127.0.0.1")
    sys.argv.append(f"--server.port={os.environ['DPVIZ_PORT']}")
    cli.main()


if __name__ == "__main__":
    main()
