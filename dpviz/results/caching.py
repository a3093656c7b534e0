"""What is kept of computations goes by bytes, whatever links name.

`functools.lru_cache` counts entries: one of a million numbers as much as one of two. It serves
where all are small.
"""

import contextlib
import functools
import sys
import threading
import types
import weakref
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, ParamSpec, TypeVar

import numpy as np
from cachetools import LRUCache

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")

_ENTRY = 500  # bytes that an entry takes beside what it holds
_SHARED = (type, types.ModuleType, types.FunctionType, types.MethodType, functools.partial)


def weight(value: object) -> int:
    """Return about how many bytes a value keeps from being freed, itself and all it holds.

    Arrays with what they are views of; what is met twice counts once. What classes and functions
    hold does not count: they stay anyhow.
    """
    total, met, ahead = 0, set[int](), [value]
    while ahead:
        part = ahead.pop()
        if id(part) in met or isinstance(part, _SHARED):
            continue
        met.add(id(part))
        total += sys.getsizeof(part)
        if isinstance(part, np.ndarray):
            ahead.append(part.base)
        elif isinstance(part, Mapping):
            ahead += part.keys()
            ahead += part.values()
        elif isinstance(part, tuple | list | set | frozenset):
            ahead += part
        ahead += getattr(part, "__dict__", {}).values()
    return total


class Cache(Generic[Returned]):
    """The last values that were made, by what they depend on, for all threads.

    size: bytes of all of them, with what they depend on, which links may make long. Those not asked
    for longest go first; one larger than that is not kept.
    """

    _every: ClassVar[weakref.WeakSet["Cache[Any]"]] = weakref.WeakSet()

    def __init__(self, size: int) -> None:
        self.size = size
        self._every.add(self)
        self._kept: LRUCache[object, tuple[object, Returned]] = LRUCache(size, getsizeof=_entry)
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def bytes(self) -> int:
        """What all weigh together."""
        return int(self._kept.currsize)

    def get(self, key: object) -> Returned | None:
        """Return a value, if it is still there."""
        with self._lock:
            return self._kept.get(key, (key, None))[1]

    def add(self, key: object, value: Returned) -> None:
        """Keep a value."""
        with self._lock:
            self._kept.pop(key, None)
            with contextlib.suppress(ValueError):  # larger than all together may be
                self._kept[key] = (key, value)

    def clear(self) -> None:
        """Drop everything."""
        with self._lock:
            self._kept.clear()

    @classmethod
    def clear_all(cls) -> None:
        """Drop everything of all of them."""
        for cache in cls._every:
            cache.clear()


def cached(size: int) -> Callable[[Callable[Arguments, Returned]], Callable[Arguments, Returned]]:
    """Return a decorator of a function whose results are kept in a `Cache` of so many bytes.

    Two threads that ask for the same at once both compute it: to wait could be to wait for oneself,
    as `pause` may continue another computation on the same stack.
    """

    def decorate(function: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
        cache = Cache[tuple[Returned]](size)

        @functools.wraps(function)
        def remembering(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Returned:
            key = (args, tuple(kwargs.items()))
            found = cache.get(key)
            if found is None:
                found = (_complete(function(*args, **kwargs)),)
                cache.add(key, found)
            return found[0]

        vars(remembering)["cache"] = cache  # for tests
        return remembering

    return decorate


def _complete(value: Returned) -> Returned:
    """Compute what would be computed when asked, and come on top of what was weighed."""
    for name, part in vars(type(value)).items():
        if isinstance(part, functools.cached_property):
            getattr(value, name)
    return value


def _entry(value: object) -> int:
    return weight(value) + _ENTRY
