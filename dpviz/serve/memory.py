"""Memory that nobody needs any more goes back to the system.

The C library keeps what large arrays leave behind, in heaps of its own for several threads: so one
client who asked for heavy figures took a process to more than twice the memory in use. Two heaps
are enough here; arrays of more than a few megabytes live outside of them, and go at once.
"""

import asyncio
import contextlib
import ctypes
import gc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from dpviz.serve.monitor import memory

_LOOK = 2.0  # seconds between two looks
_MORE = 24.0  # MB beyond what was left the last time
_TRIM, _MAP, _HEAPS = -1, -3, -8  # M_TRIM_THRESHOLD, M_MMAP_THRESHOLD and M_ARENA_MAX of mallopt(3)
_LARGE = 4 * 2**20  # bytes; with a sixteenth of it, figures take half as much time again


def keep_apart() -> None:
    """Have large arrays outside of the heaps, and few heaps; nothing where that cannot be said."""
    with contextlib.suppress(AttributeError, OSError, TypeError):
        library = ctypes.CDLL(None)
        for name, value in ((_TRIM, _LARGE), (_MAP, _LARGE), (_HEAPS, 2)):
            library.mallopt(name, value)


def give_back() -> None:
    """Give free memory back; nothing where the C library cannot."""
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def settle() -> None:
    """Spare what has been loaded the search for garbage, which stops all threads while it lasts."""
    gc.collect()
    gc.freeze()


@asynccontextmanager
async def tidy(
    used: Callable[[], float] = memory, give: Callable[[], None] = give_back
) -> AsyncIterator[None]:
    """Give memory back whenever much more is held than was left after the last time."""

    async def look() -> None:
        left = used()
        while True:
            await asyncio.sleep(_LOOK)
            if used() > left + _MORE:
                await asyncio.to_thread(give)
                left = used()
            left = min(left, used())

    looking = asyncio.create_task(look())
    try:
        yield
    finally:
        looking.cancel()
