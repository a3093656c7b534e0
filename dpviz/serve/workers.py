"""Threads of their own for what takes longer than a moment, each kind at the account of who asks.

The event loop answers all readers, so that nothing is computed there; and the threads that
Starlette keeps for everybody belong to files, which wait for no computation. See `FairSemaphore`
for whose turn it is.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

from dpviz.serve import quotas
from dpviz.serve.clients import CLIENT
from dpviz.serve.semaphore import FairSemaphore

_P = ParamSpec("_P")
_T = TypeVar("_T")


def ended(work: Callable[_P, _T], *args: _P.args, **more: _P.kwargs) -> _T:
    """Return what a function returns; a future cannot end with StopIteration: it never would."""
    try:
        return work(*args, **more)
    except StopIteration as fault:
        raise RuntimeError("a loop went on beyond its end") from fault


class Workers:
    """So many threads, and who waits for them.

    most: those who wait and those inside; each: of one network inside at once. See `FairSemaphore`.
    """

    def __init__(self, name: str, threads: int, most: int, each: int | None = None) -> None:
        self._semaphore = FairSemaphore(threads, most, each)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)

    async def do(self, work: Callable[_P, _T], *args: _P.args, **more: _P.kwargs) -> _T:
        """Return what a function returns, once it is the turn of who asks. Raises `BusyError`."""
        async with self._semaphore.passed(CLIENT.get()):
            call = partial(ended, work, *args, **more)
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._pool, copy_context().run, call)


STARTS = Workers("pages", *quotas.STARTS)
"""What a page says of itself before any script runs."""
LINKS = Workers("links", *quotas.LINKS)
"""Lectures that links carry whole."""
ROOMS = Workers("rooms", *quotas.ROOM_ACTS)
"""What lecturers have a room do; most of these wait for `dpviz.serve.scheduler`."""
COPIES = Workers("copies", *quotas.COPIES)
"""Where other replicas have led a room."""
FILES = Workers("files", *quotas.FILES)
"""What pages and rooms offer to keep: PDF, PNG, tables. A converter has a process, and its half a
second is waited for here; see `dpviz.plot.converter`."""
DRAWINGS = Workers("drawings", *quotas.DRAWINGS)
"""Figures whose numbers came at once."""
SLOW_DRAWINGS = Workers("slow-drawings", *quotas.SLOW_DRAWINGS)
"""Figures that took longer to compute, and the packing of long answers."""
PLAYS = Workers("plays", *quotas.PLAYS)
"""What a button plays: each of its frames is a drawing."""
ASIDES = Workers("asides", *quotas.ASIDES)
"""QR codes, and the reference."""
