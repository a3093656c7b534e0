"""The plain way: a few worker processes, one computation each, stopped when nobody waits.

`Pool` offers what `dpviz.serve.desk.Desk` does, so that the whole app can run on either. A reader's
own data never leaves its process: what needs them is left to a desk.
"""

import contextlib
import math
import multiprocessing
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection

from benchmarks.workers import worker
from dpviz.serve.computing import RECENT, Computation
from dpviz.serve.desk import Desk
from dpviz.serve.work import _LIMITS, Tell, Watcher, Wish, Work

_LOOK = 0.05  # seconds between looks whether anybody still waits
_LONGEST = 60.0  # seconds of one computation, unless somebody asked for all of it
_NICE = 5  # of processes that take long computations: the system lets the others go first
_SHORT = 0.1  # seconds of a computation up to which it may take a place that is kept free
_WARM = ("benchmarks.workers.worker",)


class _Process:
    """A worker process and the line to it; `renew` ends it and starts another."""

    line: Connection

    def __init__(self, nice: int) -> None:
        self._nice = nice
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(list(_WARM))
        self._process = self._start()

    def _start(self) -> multiprocessing.process.BaseProcess:
        self.line, theirs = self._context.Pipe()
        process = self._context.Process(target=worker.work, args=(theirs, self._nice), daemon=True)
        process.start()
        theirs.close()
        return process

    def renew(self) -> None:
        """Stop what it computes, wherever that is."""
        self._process.kill()
        self._process.join()
        self.line.close()
        self._process = self._start()


class Pool(Desk):
    """Worker processes under the desk's rules of turns: short ones first, places kept free.

    places: how many processes; every second one takes short computations only. A turn is a whole
    computation, not a step of it.
    """

    def __init__(self, places: int) -> None:
        super().__init__(places)
        self._own = Desk(2)
        self._least: dict[object, float] = {}  # seconds of first results: the least there were

    def __len__(self) -> int:
        return len(self._works) + len(self._own)

    @contextlib.contextmanager
    def watched(
        self, computation: Computation, tell: Tell, watcher: Watcher | None = None
    ) -> Iterator[Work]:
        """Have a computation go on; see `Desk.watched`."""
        with contextlib.ExitStack() as stack:
            if computation._own:
                yield stack.enter_context(self._own.watched(computation, tell, watcher))
            else:
                yield stack.enter_context(super().watched(computation, tell, watcher))

    def _join(self, computation: Computation, tell: Tell, watcher: Watcher) -> Work:
        with self._changed:
            for place in range(len(self._threads), self.places):
                short = bool(place % 2)
                thread = threading.Thread(target=self._serve, args=(short,), daemon=True)
                self._threads.append(thread)
                thread.start()
        work = super()._join(computation, tell, watcher)
        with self._changed:
            self._changed.notify_all()  # not everybody may take it
        return work

    def _serve(self, light: bool = False) -> None:
        process = _Process(0 if light else _NICE)
        while True:
            with self._changed:
                while (work := self._chosen(light=light)) is None:
                    self._changed.wait()
                work.running = True
                crowd = self._crowd()
            try:
                self._computed(process, work, crowd)
            except Exception as fault:  # the process has died
                work.fault = fault
                process.renew()
            with self._changed:
                work.running, work.ended = False, True
                self._forget(work)
                self._changed.notify_all()
            for tell in list(work.watchers):
                tell()

    def _chosen(self, *, light: bool) -> Work | None:
        """Return the work for a process of short computations, or of any; the lock is held."""
        now, ready = self._clock(), [work for work in self._works.values() if not work.running]
        if light:  # what is not known takes its chance
            least = self._least
            ready = [w for w in ready if least.get(w.computation.name, 0.0) <= _SHORT]
            ready = [work for work in ready if not work.long]
        return min(ready, key=lambda work: self._rank(work, now), default=None)

    def _computed(self, process: _Process, work: Work, crowd: int) -> None:
        """Have a process compute a work to its end."""
        computation, begin = work.computation, time.monotonic()
        scene = computation._scene
        granted = self._limit(work, crowd)
        wishes = {watcher.wish for watcher in work.watchers.values()}
        step = work.step if wishes <= {Wish.SOON, Wish.IDLE} else 0.0
        keywords = scene.page.call(scene.arguments)
        process.line.send((scene.view.compute, keywords, granted, step))
        before, name = 0.0, computation.name
        while True:
            if not process.line.poll(_LOOK):
                late = not work.long and time.monotonic() - begin > _LONGEST
                if late or not work.watchers:
                    process.renew()
                    return
                if (more := self._limit(work, crowd)) > granted:
                    granted = more
                    process.line.send(more)
                continue
            result, computation.spent, whole, ended, work.fault = process.line.recv()
            if result is not None:
                computation.result = result
                work.count += 1
                if before:
                    self._later.learn(name, computation.spent - before)
                else:  # a new process finds no cache filled
                    self._least[name] = min(self._least.get(name, math.inf), computation.spent)
                    self._first.learn(name, computation.spent)
                before = computation.spent
            computation.whole = whole
            if ended:
                if whole and computation.result is not None:
                    RECENT.add(computation.state, computation.result)
                return
            for tell in list(work.watchers):
                tell()

    @staticmethod
    def _limit(work: Work, crowd: int) -> float:
        if work.long:
            return math.inf
        most = work.computation.first_seconds
        wishes = (watcher.wish for watcher in work.watchers.values())
        limit = max((_LIMITS.get(wish, most) for wish in wishes), default=0.0)
        return min(limit, most) / crowd**2
