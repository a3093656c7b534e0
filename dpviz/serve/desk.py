"""Who computes next: a few at once, short ones first, and each network its share.

In the order in which a computation meets them:

1. `Desk.watched`: somebody wants a computation, or joins those who want the same. Where too many
   wait, one of the network with most of them is refused.
2. `Desk._next`: a thread of the desk that is free takes the work whose turn it is (`_rank`), and
   refuses those who have waited for too long. One place is kept for short ones.
3. `Desk._turn`: that thread takes one step of it, which ends with a result. Then turns are decided
   again. So a computation of many results never keeps others waiting for longer than a step.
4. `Desk._at_pause`: a step that takes long pauses (`dpviz.results.refining.pause`). There it ends
   if all have left, and one that is shorter than what it has taken so far is computed in between.

Threads, and no processes: a reader's own data never leaves the process; a result is shared by all
who ask for it, and lends itself to figure, table and file without a copy; and what worker processes
gained did not make up for what they cost (docs/architecture.md).
"""

import contextlib
import math
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator

from dpviz.results.refining import pausing
from dpviz.serve.askers import Asker
from dpviz.serve.computing import Computation, Progress, State
from dpviz.serve.shares import Shares
from dpviz.serve.turns import SCRIPTS
from dpviz.serve.work import Durations, LeftError, Tell, Watcher, Wish, Work

_AGING = 0.25  # seconds of work that each second of waiting makes up for
_SHORT = 0.1  # a step of at most so many seconds may take the place that is kept free
_LOOK = 0.05  # seconds between looks whether a script that waits has to end
_NOW = 1.0  # seconds for which a reader counts as present after asking
_MOST_WAITING = 200  # works that have not begun
_LONGEST_WAIT = 10.0  # seconds in which one has to begin


class Desk:
    """Where computations are admitted, one for the whole process.

    places: how many compute at once. Long ones, and those whose next step is not known to be
    short, never take the last of several places: whoever wants something light finds it free.
    most_waiting, longest_wait: works, and seconds, from which on who can ask again is refused.
    """

    def __init__(
        self,
        places: int,
        clock: Callable[[], float] = time.monotonic,
        *,
        most_waiting: int = _MOST_WAITING,
        longest_wait: float = _LONGEST_WAIT,
    ) -> None:
        self.places, self.most_waiting, self.longest_wait = places, most_waiting, longest_wait
        self._clock = clock
        self._asked: dict[str, float] = {}  # readers, in the order in which they last did, and when
        self._works: dict[State, Work] = {}
        self._shares = Shares(lambda: self._clock())
        self._first, self._later = Durations(), Durations()  # of first results, and those after
        self._changed = threading.Condition()
        self._threads: list[threading.Thread] = []

    def __len__(self) -> int:
        return len(self._works)

    # --- Those who ask ----------------------------------------------------------------------------

    @contextlib.contextmanager
    def watched(
        self, computation: Computation, tell: Tell, watcher: Watcher | None = None
    ) -> Iterator[Work]:
        """Have a computation go on, or share the one of the same state; leave it at the end.

        tell: called from another thread whenever there is something new to see.
        """
        watcher = watcher or Watcher(Wish.LINK)
        work = self._join(computation, tell, watcher)
        try:
            yield work
        finally:
            with self._changed:
                work.watchers.pop(tell, None)
                if not work.watchers and not work.running:
                    self._forget(work)

    def results(
        self,
        computation: Computation,
        alive: Callable[[], None],
        asker: Asker = Asker(),  # noqa: B008, it is frozen
        *,
        patient: bool = False,
    ) -> Iterator[Progress]:
        """Yield what a link gives, waiting in this thread; `alive` may raise to leave.

        The last comes twice if that it is whole is known only afterwards. Raises `BusyError` unless
        `patient`.
        """
        news = threading.Event()
        with self.watched(computation, news.set, Watcher(Wish.LINK, asker, patient)) as work:
            seen = (0, False)
            while True:
                ended, count, progress = work.ended, work.count, work.computation.progress
                news.clear()
                if progress is not None and (count, progress.whole) > seen:
                    seen = (count, progress.whole)
                    yield progress
                if ended:
                    break
                with SCRIPTS.away():
                    while not news.wait(_LOOK) and not work.ended:
                        alive()
            if work.fault is not None:
                raise work.fault

    def ahead(self, work: Work) -> int:
        """Return how many long computations take their turns before that of `work` comes."""
        with self._changed:
            now = self._clock()
            mine = self._rank(work, now)
            others = [other for other in self._works.values() if other.long and other is not work]
            return sum(self._rank(other, now) < mine for other in others)

    def charge(self, asker: Asker, seconds: float) -> None:
        """Note that somebody has had so many seconds of work elsewhere."""
        with self._changed:
            self._shares.charge(asker, seconds)

    def _join(self, computation: Computation, tell: Tell, watcher: Watcher) -> Work:
        with self._changed:
            now = self._clock()
            if watcher.asker.reader:
                self._asked.pop(watcher.asker.reader, None)
                self._asked[watcher.asker.reader] = now
            work = self._works.get(computation.state)
            if work is None or work.ended:
                step = self._later.of(computation.name, 0.0)
                work = Work(computation, tell, watcher, now, step)
                if not work.ended:
                    self._works[computation.state] = work
                    self._turn_away(now)
            work.watchers[tell], work.asked = watcher, now
            if len(self._threads) < self.places and not work.ended:
                thread = threading.Thread(target=self._serve, name="desk", daemon=True)
                self._threads.append(thread)
                thread.start()
            self._changed.notify()
            return work

    def _turn_away(self, now: float) -> None:
        """If too many wait, refuse one of those who ask for most at once; the lock is held."""
        waiting = [work for work in self._works.values() if work.dispensable]
        if len(waiting) <= self.most_waiting:
            return
        queue = Counter[Asker | str]()
        for work in waiting:
            for asker in {watcher.asker for watcher in work.watchers.values()}:
                queue.update((asker.network, asker))

        def asks(work: Work) -> tuple[int, int]:
            askers = {watcher.asker for watcher in work.watchers.values()}
            return min(((queue[one.network], queue[one]) for one in askers), default=(0, 0))

        self._refuse(max(reversed(waiting), key=lambda work: (asks(work), self._rank(work, now))))

    def _refuse(self, work: Work) -> None:
        self._forget(work)
        work.refuse()

    def _forget(self, work: Work) -> None:
        if self._works.get(work.computation.state) is work:
            del self._works[work.computation.state]

    # --- Whose turn it is -------------------------------------------------------------------------

    def _next(self) -> Work | None:
        """Return the work whose turn it is; the lock is held."""
        now = self._clock()
        for work in list(self._works.values()):
            if work.dispensable and now - work.asked > self.longest_wait:
                self._refuse(work)
        works = list(self._works.values())
        running = sum(work.running and work.heavy for work in works)
        free = running < max(1, self.places - 1)
        ready = [w for w in works if not w.running and (free or not self._is_heavy(w))]
        chosen = min(ready, key=lambda work: self._rank(work, now), default=None)
        if chosen is not None:
            chosen.heavy = self._is_heavy(chosen)
        return chosen

    def _rank(self, work: Work, now: float) -> tuple[int, float]:
        """Return what turns go by: the least comes first.

        First what a link gives, then what goes on to the end, then what nobody has asked for yet.
        Within each it is seconds of work: those that the next result is expected to take, and
        those that whoever asks has had lately, less the longer the work has waited.
        """
        had = min((self._shares.had(one.asker) for one in work.watchers.values()), default=0.0)
        turn = had - _AGING * (now - work.since)
        if work.long:
            return 1, turn
        if work.idle:
            return 2, turn
        expected = 0.0 if work.count else self._first.of(work.computation.name, 0.0)
        return 0, turn + work.computation.spent + expected

    def _is_heavy(self, work: Work) -> bool:
        name, spent = work.computation.name, work.computation.spent
        next_one = self._later.of(name, spent) if work.count else self._first.of(name, math.inf)
        return work.long or next_one > _SHORT

    def _crowd(self) -> int:
        """Return how many share the machine: who computes at once, or asks one after the other.

        Beside what is computed, each who asks has a script run, and figures packed and sent.
        """
        earliest = self._clock() - _NOW
        for reader, when in list(self._asked.items()):
            if when >= earliest:
                break
            del self._asked[reader]
        computing = sum(not other.long for other in self._works.values())
        return max(computing, len(self._asked) - 1, 1)  # two have it as if alone

    # --- Taking a turn ----------------------------------------------------------------------------

    def _serve(self) -> None:
        while True:
            with self._changed:
                while (work := self._next()) is None:
                    self._changed.wait()
                work.running = True
                crowd = self._crowd()
            self._turn(work, crowd)

    def _turn(self, work: Work, crowd: int, *, inner: bool = False) -> float:
        """Take one step of a work that is marked as running; return its processor seconds.

        inner: whether it is computed at a pause of another. Then nothing comes between its own
        pauses: no more than two are ever on the stack of a thread.
        """
        count, begin, within = work.count, time.thread_time(), 0.0
        # Watchers leave in threads of their own: a list is made at once, whoever does meanwhile.
        askers = [watcher.asker for watcher in list(work.watchers.values())]

        def look() -> None:
            nonlocal within
            spent = time.thread_time() - begin - within
            within += self._at_pause(work, crowd, spent, inner=inner)

        with pausing(look):
            work.advance()
        seconds = time.thread_time() - begin - within
        with self._changed:
            work.running = False
            for asker in askers:  # also those who have left
                self._shares.charge(asker, seconds / len(askers))
            if work.count > count:  # a step left half-way says nothing of its length
                (self._later if count else self._first).learn(work.computation.name, seconds)
            work.step = self._later.of(work.computation.name, 0.0)
            work.settle(crowd, self._clock())
            if work.ended or not work.watchers:
                self._forget(work)
            self._changed.notify_all()
        return seconds

    def _at_pause(self, work: Work, crowd: int, spent: float, *, inner: bool) -> float:
        """Do what is to be done in the middle of a step; return the seconds of work it took.

        The step is a function that has not returned: it can be ended by an exception, and other
        work can be called here, on top of it. It goes on when that has returned; so only what is
        shorter than the step itself is worth the wait. What it took is not the step's own.
        """
        if work.left:
            raise LeftError
        other = None if inner else self._shorter(spent)
        if other is None:
            return 0.0
        seconds = self._turn(other, crowd, inner=True)
        work.computation.spent -= seconds  # `advance` counts its whole step, with these seconds
        return seconds

    def _shorter(self, spent: float) -> Work | None:
        """Return a work whose first result takes less than `spent` seconds, marked as running."""
        with self._changed:
            now = self._clock()
            waiting = [
                other
                for other in self._works.values()
                if not (other.running or other.count or other.long or other.idle)
                and self._first.of(other.computation.name, math.inf) < spent
            ]
            chosen = min(waiting, key=lambda other: self._rank(other, now), default=None)
            if chosen is not None:
                chosen.running, chosen.heavy = (
                    True,
                    False,
                )  # it takes no place of its own
            return chosen


DESK = Desk(places=max(2, os.cpu_count() or 1) + 1)
