"""Long computations: in which order they proceed, and when they show how far they are.

Curves grow from coarse to fine, so that their whole course is seen early; `coarse_to_fine` is that
order. Simulations grow in the number of runs, and show all places from the first run on.

A computation that takes long has `pause`s in it. At a pause a server can look whether its reader is
still waiting. Elsewhere pauses do nothing, and no result depends on them.
"""

import inspect
import math
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import update_wrapper
from typing import Any, ParamSpec, Protocol, TypeVar, get_args

P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Coarse = TypeVar("Coarse")

Steps = Generator[None, None, T]
"""A computation with pauses, which returns its result at the end."""


class _Watch(threading.local):
    """What the thread does at a pause, and when somebody sees how far it has come.

    seldom: seconds between two partial results, if more than usual; is_counted: see `counted`.
    """

    look: Callable[[], None] | None = None
    seldom = 0.0
    is_counted = False


_WATCH = _Watch()


def pause() -> None:
    """Pause for a moment in a computation that has nothing new to show yet."""
    if _WATCH.look is not None:
        _WATCH.look()


@contextmanager
def pausing(look: Callable[[], None] | None) -> Iterator[None]:
    """Call `look` at every pause of this thread; what it raises ends the computation."""
    before, _WATCH.look = _WATCH.look, look
    try:
        yield
    finally:
        _WATCH.look = before


@contextmanager
def unseen(seconds: float = math.inf) -> Iterator[None]:
    """Let a partial result be due in this thread after so many seconds at the soonest.

    By default never: only the last one is wanted.
    """
    before, _WATCH.seldom = _WATCH.seldom, seconds
    try:
        yield
    finally:
        _WATCH.seldom = before


@contextmanager
def counted() -> Iterator[None]:
    """Let partial results be due by count in this thread, not by the clock.

    One is due at the first look, the second, the fourth, the eighth and so on: what they are is the
    same on every machine.
    """
    before, _WATCH.is_counted = _WATCH.is_counted, True
    try:
        yield
    finally:
        _WATCH.is_counted = before


def whole(steps: Steps[T]) -> T:
    """Return the result of a computation that nobody else goes through step by step."""
    while True:
        pause()
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result


class InSteps(Protocol[P, T_co]):
    """A function that returns its result, and whose `steps` reach it with pauses."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T_co:
        """Return the result."""

    def steps(self, *args: P.args, **kwargs: P.kwargs) -> Steps[T_co]:
        """Compute it with pauses."""


def in_steps(compute: Callable[P, Steps[T]]) -> InSteps[P, T]:
    """Return the function whose `steps` are this computation, with its name and its docstring."""

    def function(*args: P.args, **kwargs: P.kwargs) -> T:
        return whole(compute(*args, **kwargs))

    made: Any = update_wrapper(function, compute)
    del made.__wrapped__  # the reference would look there, and say that it returns steps
    signature = inspect.signature(compute)
    *_, returned = get_args(signature.return_annotation)
    made.__signature__ = signature.replace(return_annotation=returned)
    made.steps = compute
    result: InSteps[P, T] = made
    return result


class Pace:
    """Says when the next partial result is due: every `seconds`, or a little later.

    The default leaves room below the 100 ms at which partial results have to come.
    """

    def __init__(self, seconds: float = 0.08) -> None:
        self._seconds = seconds
        self._last = time.perf_counter()
        self._looks = 0

    def due(self) -> bool:
        """Return whether so much time has passed since a result was due, or since the start.

        It is a `pause`, too: a computation asks at the end of a part.
        """
        pause()
        if _WATCH.is_counted:
            self._looks += 1
            return self._looks & (self._looks - 1) == 0
        now = time.perf_counter()
        if now - self._last <= max(self._seconds, _WATCH.seldom):
            return False
        self._last = now
        return True


def coarse_to_fine(size: int, stride: int, *, here: int = 0) -> list[int]:
    """Return the places 0 to size − 1 of a grid, each once: coarse ones first, then those between.

    First comes `here`, such as the reader's own place, then both ends, then every stride-th place,
    counted from `here`, and so on with half the stride, rounded down, until all are there.
    """
    order = dict.fromkeys((here, 0, size - 1))
    while len(order) < size:
        order |= dict.fromkeys(range(here % stride, size, stride))
        stride = max(stride // 2, 1)
    return list(order)


def paused(steps: Steps[T], pace: Pace, shown: Coarse) -> Generator[Coarse, None, T]:
    """Compute what the steps lead to, and yield what is shown already whenever that takes long."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
        if pace.due():
            yield shown
