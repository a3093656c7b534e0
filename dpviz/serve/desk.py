"""Who computes next: a few at once, short ones first, and one place is kept for them.

A computation proceeds step by step, one result each. After every step the desk decides again whose
turn it is. Steps that take long pause: there, too, what nobody waits for any more ends, and a
shorter one is computed in between. Readers of one link share one computation.
"""

import contextlib
import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from enum import Enum

from dpviz.results.refining import pausing
from dpviz.serve.computing import Computation, Found, State

_AGING = 0.25  # seconds of work by which somebody gets shorter for each second of waiting
_WEIGHT = 0.3  # of the newest, in the mean of what first results of a view take
_SHORT = 0.1  # seconds of work up to which a step may have the place that is kept free
_LOOK = 0.05  # seconds between looks whether a script that waits has to end
_NOW = 1.0  # seconds for which somebody who asked counts among those who are there


class Wish(Enum):
    """How far somebody who watches wants a computation to go."""

    SOON = "the first result, or a finer one that takes hardly longer"
    IDLE = "all of it, if that takes little and nobody else waits"
    LINK = "what a link gives"
    ALL = "to the end"


# Seconds of work after which no finer result is begun.
_LIMITS = {Wish.SOON: 0.02, Wish.IDLE: 0.1}


class LeftError(Exception):
    """Nobody waits any more for what would still take long."""


class Work:
    """A computation that continues while somebody watches it.

    count: of the results so far. ended: nothing more will come. fault: why, if it failed.
    watchers: what tells each of them, and how far that one wants it to go. step: seconds that a
    result after the first is expected to take. heavy: whether it did not begin as a short step.
    """

    def __init__(
        self, computation: Computation, tell: Callable[[], None], wish: Wish, step: float = 0.0
    ) -> None:
        self.computation = computation
        self.count = 0 if computation.result is None else 1
        self.fault: Exception | None = None
        self.running = self.heavy = False
        self.since = time.monotonic()
        self.watchers = {tell: wish}
        self.step = step
        self.ended = computation.whole or (self.count > 0 and not self.long and self._over(1))

    @property
    def long(self) -> bool:
        """Whether it goes on to the end, and not only as far as a link gives."""
        return Wish.ALL in self.watchers.values()

    def _over(self, crowd: int) -> bool:
        spent, most = self.computation.spent, self.computation.first_seconds
        limit = max((_LIMITS.get(wish, most) for wish in self.watchers.values()), default=0.0)
        if limit < most or crowd > 1:
            spent += self.step  # it cannot be left half-way: one that takes too long must not begin
        return spent * crowd**2 >= min(limit, most)

    def advance(self) -> None:
        """Take one step."""
        before = self.computation.result
        try:
            self.computation.advance()
        except LeftError:
            pass  # whoever has come meanwhile has it computed anew
        except Exception as fault:  # reported to those who watch
            self.fault = fault
        self.count += self.computation.result is not before
        self.since = time.monotonic()

    def settle(self, crowd: int) -> None:
        """End where the work is done, or where the time for it is over, and report what is new.

        The time shrinks with the square of the crowd: what they want first is a first figure each.
        """
        known = self.computation.result is not None
        self.ended = bool(
            self.fault or self.computation.whole or (known and not self.long and self._over(crowd))
        )
        for tell in list(self.watchers):
            tell()


class Desk:
    """Where computations are admitted, one for the whole process.

    places: how many compute at once. Long ones, and those whose next step is not known to be
    short, never take the last of several places: whoever wants something light finds it free.
    """

    def __init__(self, places: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.places = places
        self._clock = clock
        self._asked: dict[str, float] = {}  # who, in the order in which they last did, and when
        self._works: dict[State, Work] = {}
        self._expected: dict[object, float] = {}  # seconds of first results
        self._steps: dict[object, float] = {}  # and of those after them
        self._changed = threading.Condition()
        self._threads: list[threading.Thread] = []

    def __len__(self) -> int:
        return len(self._works)

    @contextlib.contextmanager
    def watched(
        self,
        computation: Computation,
        tell: Callable[[], None],
        wish: Wish = Wish.LINK,
        who: str = "",
    ) -> Iterator[Work]:
        """Have a computation go on, or share the one of the same state; leave it at the end.

        tell: called from another thread whenever there is something new to see. who: asks, "" if
        that is not known.
        """
        if who:
            with self._changed:
                self._asked.pop(who, None)
                self._asked[who] = self._clock()
        work = self._join(computation, tell, wish)
        try:
            yield work
        finally:
            with self._changed:
                work.watchers.pop(tell, None)
                if not work.watchers and not work.running:
                    self._forget(work)

    def results(self, computation: Computation, alive: Callable[[], None]) -> Iterator[Found]:
        """Yield what a link gives, waiting in this thread; `alive` may raise to leave.

        The last comes twice if that it is whole is known only afterwards.
        """
        news = threading.Event()
        with self.watched(computation, news.set) as work:
            seen = (0, False)
            while True:
                ended, count, found = work.ended, work.count, work.computation.found
                news.clear()
                if found is not None and (count, found.whole) > seen:
                    seen = (count, found.whole)
                    yield found
                if ended:
                    break
                while not news.wait(_LOOK) and not work.ended:
                    alive()
            if work.fault is not None:
                raise work.fault

    def ahead(self, work: Work) -> int:
        """Return how many long computations take their turns before that of `work` comes."""
        with self._changed:
            return sum(other.long and other.since < work.since for other in self._works.values())

    def _join(self, computation: Computation, tell: Callable[[], None], wish: Wish) -> Work:
        with self._changed:
            work = self._works.get(computation.state)
            if work is None or work.ended:
                step = self._steps.get(computation.name, 0.0)
                work = Work(computation, tell, wish, step)
                if not work.ended:
                    self._works[computation.state] = work
            work.watchers[tell] = wish
            if len(self._threads) < self.places and not work.ended:
                thread = threading.Thread(target=self._serve, name="desk", daemon=True)
                self._threads.append(thread)
                thread.start()
            self._changed.notify()
            return work

    def _serve(self) -> None:
        while True:
            with self._changed:
                while (work := self._next()) is None:
                    self._changed.wait()
                work.running = True
                crowd = self._crowd()
            self._turn(work, crowd, within=None)

    def _crowd(self) -> int:
        """Return how many share the machine: who computes at once, or asks one after the other.

        Beside what is computed, each who asks has a script run, and figures packed and sent.
        """
        earliest = self._clock() - _NOW
        for who, when in list(self._asked.items()):
            if when >= earliest:
                break
            del self._asked[who]
        computing = sum(not other.long for other in self._works.values())
        return max(computing, len(self._asked) - 1)  # two have it as if alone

    def _turn(self, work: Work, crowd: int, *, within: Work | None) -> float:
        """Take one step of a work that is marked as running, and return the seconds of it.

        within: whose step is interrupted by this one.
        """
        is_first, begin, aside = work.count == 0, time.thread_time(), 0.0

        def look() -> None:
            nonlocal aside
            if self._is_left(work):
                raise LeftError
            if within is None and (other := self._shorter(time.thread_time() - begin)):
                spent = self._turn(other, crowd, within=work)
                aside += spent
                work.computation.spent -= spent

        with pausing(look):
            work.advance()
        seconds = time.thread_time() - begin
        with self._changed:
            work.running = False
            known = self._expected if is_first else self._steps
            self._learn(known, work.computation.name, seconds - aside)
            work.step = self._steps.get(work.computation.name, 0.0)
            work.settle(max(crowd, 1))
            if work.ended or not work.watchers:
                self._forget(work)
            self._changed.notify_all()
        return seconds

    @staticmethod
    def _is_left(work: Work) -> bool:
        kept = work.computation.kept and work.computation.result is not None
        return not (work.watchers or kept)

    def _shorter(self, spent: float) -> Work | None:
        """Return a work whose first result takes less than `spent` seconds, marked as running."""
        with self._changed:
            waiting = [
                (expected, other)
                for other in self._works.values()
                if not (other.running or other.count or self._rank(other)[0])
                and (expected := self._expected.get(other.computation.name, math.inf)) < spent
            ]
            _, shortest = min(waiting, key=lambda pair: pair[0], default=(0.0, None))
            if shortest is not None:
                shortest.running, shortest.heavy = True, False  # it takes no other place
            return shortest

    def _next(self) -> Work | None:
        """Return the work whose turn it is; the lock is held."""
        works = list(self._works.values())
        running = sum(work.running and work.heavy for work in works)
        free = running < max(1, self.places - 1)
        ready = [w for w in works if not w.running and (free or not self._is_heavy(w))]
        chosen = min(ready, key=self._rank, default=None)
        if chosen is not None:
            chosen.heavy = self._is_heavy(chosen)
        return chosen

    def _is_heavy(self, work: Work) -> bool:
        name, spent = work.computation.name, work.computation.spent
        next_one = (
            self._steps.get(name, spent) if work.count else self._expected.get(name, math.inf)
        )
        return work.long or next_one > _SHORT

    def _rank(self, work: Work) -> tuple[int, float]:
        if work.long:
            return 1, work.since
        if set(work.watchers.values()) == {Wish.IDLE}:
            return 2, work.since
        waited = time.monotonic() - work.since
        expected = 0.0 if work.count else self._expected.get(work.computation.name, 0.0)
        return 0, work.computation.spent + expected - _AGING * waited

    def _learn(self, known: dict[object, float], name: object, seconds: float) -> None:
        before = known.get(name, seconds)
        known[name] = before + _WEIGHT * (seconds - before)

    def _forget(self, work: Work) -> None:
        if self._works.get(work.computation.state) is work:
            del self._works[work.computation.state]


DESK = Desk(places=max(2, os.cpu_count() or 1) + 1)
