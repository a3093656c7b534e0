"""Who computes next: a few at once, short ones first, and each network its share.

In the order in which a computation meets them:

1. `watched`: somebody wants a computation, or joins those who want the same. Where too many wait,
   one of the network with most of them is refused.
2. `_next`: a thread of the scheduler that is free takes the job whose turn it is (`_rank`), and
   refuses those who have waited for too long. One place is kept for short ones.
3. `_step`: that thread takes one step of it, which ends with a result. Then turns are decided
   again. So a computation of many results never keeps others waiting for longer than a step.
4. `_at_pause`: a step that takes long pauses (`dpviz.results.refining.pause`). There it ends if all
   have left, and one that is shorter than what it has taken so far is computed in between.

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
from dpviz.serve.clients import Client
from dpviz.serve.computing import Computation, ComputationKey, Progress
from dpviz.serve.jobs import Durations, Job, LeftError, Listener, Notify, Wish
from dpviz.serve.quotas import COMPUTATION_WAIT, COMPUTATIONS
from dpviz.serve.script_queue import SCRIPTS
from dpviz.serve.usage import Usage

_AGING = 0.25  # seconds of work that each second of waiting makes up for
_SHORT = 0.1  # a step of at most so many seconds may take the place that is kept free
_LOOK = 0.05  # seconds between looks whether a script that waits has to end
_NOW = 1.0  # seconds for which a reader counts as present after asking


class Scheduler:
    """Where computations are admitted, one for the whole process.

    capacity: how many compute at once. Long ones, and those whose next step is not known to be
    short, never take the last of several places: whoever wants something light finds it free.
    most_waiting, longest_wait: works, and seconds, from which on who can ask again is refused.
    """

    def __init__(
        self,
        capacity: int,
        clock: Callable[[], float] = time.monotonic,
        *,
        most_waiting: int = COMPUTATIONS,
        longest_wait: float = COMPUTATION_WAIT,
    ) -> None:
        self.capacity, self.most_waiting, self.longest_wait = capacity, most_waiting, longest_wait
        self._clock = clock
        self._last_request: dict[str, float] = {}  # of each reader: when, the latest last
        self._jobs: dict[ComputationKey, Job] = {}
        self._usage = Usage(lambda: self._clock())
        self._first, self._later = Durations(), Durations()  # of first results, and those after
        self._changed = threading.Condition()
        self._threads: list[threading.Thread] = []

    def __len__(self) -> int:
        return len(self._jobs)

    # --- Those who ask ----------------------------------------------------------------------------

    @contextlib.contextmanager
    def watched(
        self, computation: Computation, tell: Notify, listener: Listener | None = None
    ) -> Iterator[Job]:
        """Have a computation go on, or share the one of the same state; leave it at the end.

        tell: called from another thread whenever there is something new to see.
        """
        listener = listener or Listener(Wish.LINK)
        job = self._join(computation, tell, listener)
        try:
            yield job
        finally:
            with self._changed:
                job.listeners.pop(tell, None)
                if not job.listeners and not job.running:
                    self._forget(job)

    def results(
        self,
        computation: Computation,
        alive: Callable[[], None],
        client: Client = Client(),  # noqa: B008, it is frozen
        *,
        patient: bool = False,
    ) -> Iterator[Progress]:
        """Yield what a link gives, waiting in this thread; `alive` may raise to leave.

        The last comes twice if that it is whole is known only afterwards. Raises `BusyError` unless
        `patient`.
        """
        news = threading.Event()
        with self.watched(computation, news.set, Listener(Wish.LINK, client, patient)) as job:
            seen = (0, False)
            while True:
                ended, count, progress = job.ended, job.count, job.computation.progress
                news.clear()
                if progress is not None and (count, progress.whole) > seen:
                    seen = (count, progress.whole)
                    yield progress
                if ended:
                    break
                with SCRIPTS.away():
                    while not news.wait(_LOOK) and not job.ended:
                        alive()
            if job.fault is not None:
                raise job.fault

    def ahead(self, job: Job) -> int:
        """Return how many long computations take their turns before that of `job` comes."""
        with self._changed:
            now = self._clock()
            mine = self._rank(job, now)
            others = [other for other in self._jobs.values() if other.long and other is not job]
            return sum(self._rank(other, now) < mine for other in others)

    def charge(self, client: Client, seconds: float) -> None:
        """Note that somebody has had so many seconds of work elsewhere."""
        with self._changed:
            self._usage.charge(client, seconds)

    def _join(self, computation: Computation, tell: Notify, listener: Listener) -> Job:
        with self._changed:
            now = self._clock()
            if listener.client.reader:
                self._last_request.pop(listener.client.reader, None)
                self._last_request[listener.client.reader] = now
            job = self._jobs.get(computation.state)
            if job is None or job.ended:
                step = self._later.of(computation.name, 0.0)
                job = Job(computation, tell, listener, now, step)
                if not job.ended:
                    self._jobs[computation.state] = job
                    self._limit_waiting(now)
            job.listeners[tell], job.last_request = listener, now
            if len(self._threads) < self.capacity and not job.ended:
                thread = threading.Thread(target=self._serve, name="scheduler", daemon=True)
                self._threads.append(thread)
                thread.start()
            self._changed.notify()
            return job

    def _limit_waiting(self, now: float) -> None:
        """If too many wait, refuse one of those who ask for most at once; the lock is held."""
        waiting = [job for job in self._jobs.values() if job.dispensable]
        if len(waiting) <= self.most_waiting:
            return
        queue = Counter[Client | str]()
        for job in waiting:
            for client in {listener.client for listener in job.listeners.values()}:
                queue.update((client.network_id, client))

        def asks(job: Job) -> tuple[int, int]:
            clients = {listener.client for listener in job.listeners.values()}
            return min(((queue[one.network_id], queue[one]) for one in clients), default=(0, 0))

        self._refuse(max(reversed(waiting), key=lambda job: (asks(job), self._rank(job, now))))

    def _refuse(self, job: Job) -> None:
        self._forget(job)
        job.refuse()

    def _forget(self, job: Job) -> None:
        if self._jobs.get(job.computation.state) is job:
            del self._jobs[job.computation.state]

    # --- Whose turn it is -------------------------------------------------------------------------

    def _next(self) -> Job | None:
        """Return the job whose turn it is; the lock is held."""
        now = self._clock()
        for job in list(self._jobs.values()):
            if job.dispensable and now - job.last_request > self.longest_wait:
                self._refuse(job)
        jobs = list(self._jobs.values())
        running = sum(job.running and job.heavy for job in jobs)
        free = running < max(1, self.capacity - 1)
        ready = [w for w in jobs if not w.running and (free or not self._is_heavy(w))]
        chosen = min(ready, key=lambda job: self._rank(job, now), default=None)
        if chosen is not None:
            chosen.heavy = self._is_heavy(chosen)
        return chosen

    def _rank(self, job: Job, now: float) -> tuple[int, float]:
        """Return what turns go by: the least comes first.

        First what a link gives, then what goes on to the end, then what nobody has asked for yet.
        Within each it is seconds of work: those that the next result is expected to take, and
        those that whoever asks has had lately, less the longer the job has waited.
        """
        spent = min((self._usage.spent(one.client) for one in job.listeners.values()), default=0.0)
        turn = spent - _AGING * (now - job.waiting_since)
        if job.long:
            return 1, turn
        if job.idle:
            return 2, turn
        expected = 0.0 if job.count else self._first.of(job.computation.name, 0.0)
        return 0, turn + job.computation.spent + expected

    def _is_heavy(self, job: Job) -> bool:
        name, spent = job.computation.name, job.computation.spent
        next_one = self._later.of(name, spent) if job.count else self._first.of(name, math.inf)
        return job.long or next_one > _SHORT

    def _crowd(self) -> int:
        """Return how many share the machine: who computes at once, or asks one after the other.

        Beside what is computed, each who asks has a script run, and figures packed and sent.
        """
        earliest = self._clock() - _NOW
        for reader, when in list(self._last_request.items()):
            if when >= earliest:
                break
            del self._last_request[reader]
        computing = sum(not other.long for other in self._jobs.values())
        return max(computing, len(self._last_request) - 1, 1)  # two have it as if alone

    # --- Taking a turn ----------------------------------------------------------------------------

    def _serve(self) -> None:
        while True:
            with self._changed:
                while (job := self._next()) is None:
                    self._changed.wait()
                job.running = True
                crowd = self._crowd()
            self._step(job, crowd)

    def _step(self, job: Job, crowd: int, *, inner: bool = False) -> float:
        """Take one step of a job that is marked as running; return its processor seconds.

        inner: whether it is computed at a pause of another. Then nothing comes between its own
        pauses: no more than two are ever on the stack of a thread.
        """
        count, begin, within = job.count, time.thread_time(), 0.0
        # Listeners leave in threads of their own: a list is made at once, whoever does meanwhile.
        clients = [listener.client for listener in list(job.listeners.values())]

        def look() -> None:
            nonlocal within
            spent = time.thread_time() - begin - within
            within += self._at_pause(job, crowd, spent, inner=inner)

        with pausing(look):
            job.advance()
        seconds = time.thread_time() - begin - within
        with self._changed:
            job.running = False
            for client in clients:  # also those who have left
                self._usage.charge(client, seconds / len(clients))
            if job.count > count:  # a step left half-way says nothing of its length
                (self._later if count else self._first).learn(job.computation.name, seconds)
            job.step = self._later.of(job.computation.name, 0.0)
            job.settle(crowd, self._clock())
            if job.ended or not job.listeners:
                self._forget(job)
            self._changed.notify_all()
        return seconds

    def _at_pause(self, job: Job, crowd: int, spent: float, *, inner: bool) -> float:
        """Do what is to be done in the middle of a step; return the seconds of work it took.

        The step is a function that has not returned: it can be ended by an exception, and other
        work can be called here, on top of it. It goes on when that has returned; so only what is
        shorter than the step itself is worth the wait. What it took is not the step's own.
        """
        if job.left:
            raise LeftError
        other = None if inner else self._shorter(spent)
        if other is None:
            return 0.0
        seconds = self._step(other, crowd, inner=True)
        job.computation.spent -= seconds  # `advance` counts its whole step, with these seconds
        return seconds

    def _shorter(self, spent: float) -> Job | None:
        """Return a job whose first result takes less than `spent` seconds, marked as running."""
        with self._changed:
            now = self._clock()
            waiting = [
                other
                for other in self._jobs.values()
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


SCHEDULER = Scheduler(capacity=max(2, os.cpu_count() or 1) + 1)
