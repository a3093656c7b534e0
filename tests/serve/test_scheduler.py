"""Who computes next: few at once, short ones first, shared among those who ask for the same."""

import threading
import time
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from dpviz.results.refining import pause
from dpviz.scene.page import Page
from dpviz.scene.scene import Scene
from dpviz.scene.view import View
from dpviz.serve import computing
from dpviz.serve import scheduler as desk_module
from dpviz.serve.clients import Client
from dpviz.serve.computing import RESULTS, Computation
from dpviz.serve.jobs import Job, LeftError, Listener, Wish
from dpviz.serve.scheduler import Scheduler


def known(scheduler, computation, seconds):
    """Teach a scheduler how long the first result of a view takes."""
    scheduler._first.learn(computation.name, seconds)


@dataclass(frozen=True)
class Count:
    number: int

    def columns(self):
        return {"number": np.array([self.number])}


class Clock(threading.local):
    """Processor time as the tests tell it, of each thread its own."""

    seconds = 0.0

    def work(self, seconds):
        self.seconds += seconds

    def thread_time(self):
        return self.seconds


CLOCK = Clock()


@pytest.fixture(autouse=True)
def _told_time(monkeypatch):
    clock = SimpleNamespace(thread_time=CLOCK.thread_time, monotonic=time.monotonic)
    monkeypatch.setattr(computing, "time", clock)
    monkeypatch.setattr(desk_module, "time", clock)


def computation_of(compute, **options):
    view = View("only", "Only", compute, None, str, (), **options)
    return Computation(Scene(Page(slug="", parameters=(), for_everyone=(view,)), view, {}))


def silent():
    """Nothing ends the script."""


def numbers(scheduler, computation):
    found = [found.result.number for found in scheduler.results(computation, silent)]
    return list(dict.fromkeys(found))  # the last may come twice


def test_results_come_to_the_end():
    def quickly():
        yield from map(Count, range(5))

    assert numbers(Scheduler(2), computation_of(quickly))[-1] == 4


def held(begun, gate, number, kind):
    """A computation that says that it has begun, and then waits at a gate."""

    def compute():
        begun.append(number)
        gate.acquire()
        yield Count(number)

    compute.__qualname__ = f"{kind}-{number}"
    return computation_of(compute)


def reading(scheduler, computations):
    """Threads that wait for the results of computations, one each."""
    made = [
        threading.Thread(target=numbers, args=(scheduler, one), daemon=True) for one in computations
    ]
    for thread in made:
        thread.start()
    return made


def test_no_more_compute_at_once_than_there_are_places():
    gate, begun = threading.Semaphore(0), []
    scheduler, made = Scheduler(2), [held(begun, gate, number, "held") for number in range(4)]
    for computation in made:
        known(scheduler, computation, 0.01)
    readers = reading(scheduler, made)
    while len(scheduler) < 4 or len(begun) < 2:
        time.sleep(0.01)
    assert len(begun) == 2
    gate.release(4)
    for reader in readers:
        reader.join(600)
    assert sorted(begun) == [0, 1, 2, 3]
    assert len(scheduler) == 0


@pytest.mark.parametrize("seconds", [1.0, None])
def test_heavy_ones_leave_a_place_for_a_light_one(seconds):
    gate, begun, scheduler = threading.Semaphore(0), [], Scheduler(3)

    def light():
        yield Count(7)

    heavy = [held(begun, gate, number, f"heavy-{seconds}") for number in range(5)]
    for computation in heavy if seconds else []:
        known(scheduler, computation, seconds)
    readers = reading(scheduler, heavy)
    while len(scheduler) < 5 or len(begun) < 2:
        time.sleep(0.01)
    quick, found = computation_of(light), []
    known(scheduler, quick, 0.01)
    network_of = threading.Thread(
        target=lambda: found.extend(numbers(scheduler, quick)), daemon=True
    )
    network_of.start()
    network_of.join(600)
    assert found == [7]
    assert len(begun) == 2
    gate.release(5)
    for reader in readers:
        reader.join(600)
    assert sorted(begun) == [0, 1, 2, 3, 4]


def test_a_short_one_comes_between_two_steps_of_a_long_one():
    steps, asked, short = [], threading.Event(), []

    def heavy():
        for number in range(200):
            if number == 3:
                asked.set()
                while len(scheduler) < 2:
                    time.sleep(0.001)
            CLOCK.work(0.01)
            steps.append(number)
            yield Count(number)

    def light():
        short.append(len(steps))
        yield Count(0)

    scheduler = Scheduler(1)
    reader = threading.Thread(
        target=numbers, args=(scheduler, computation_of(heavy, first_seconds=0.5)), daemon=True
    )
    reader.start()
    asked.wait(600)
    numbers(scheduler, computation_of(light))
    assert short[0] <= 5
    reader.join(600)


def test_readers_of_one_link_share_one_computation():
    gate, begun = threading.Event(), []

    def shared():
        begun.append(1)
        gate.wait(600)
        yield Count(1)

    scheduler, got = Scheduler(2), []
    readers = [
        threading.Thread(
            target=lambda: got.append(numbers(scheduler, computation_of(shared))), daemon=True
        )
        for _ in range(5)
    ]
    for reader in readers:
        reader.start()
    while not scheduler._jobs or len(next(iter(scheduler._jobs.values())).listeners) < 5:
        time.sleep(0.01)
    gate.set()
    for reader in readers:
        reader.join(600)
    assert got == [[1]] * 5
    assert len(begun) == 1


def test_what_takes_long_ends_early_and_goes_on_where_it_was():
    def slowly():
        for number in range(12):
            CLOCK.work(0.02)
            yield Count(number)

    scheduler, computation = Scheduler(2), computation_of(slowly, first_seconds=0.1)
    shown = numbers(scheduler, computation)
    assert shown[-1] < 11
    assert not computation.whole
    assert numbers(scheduler, computation) == shown[-1:]
    news = threading.Event()
    with scheduler.watched(computation, news.set, Listener(Wish.ALL)) as work:
        while not work.ended:
            news.wait(0.05)
    assert computation.whole
    assert computation.result.number == 11
    assert numbers(scheduler, computation_of(slowly)) == [11]


@pytest.mark.parametrize(("others", "results"), [(0, 12), (1, 12), (3, 2), (9, 1)])
def test_the_more_ask_within_a_second_the_less_goes_into_each(others, results):
    """Though they come one after the other: each has a script run, and an answer sent."""
    now = [0.0]

    def slowly():
        for number in range(12):
            CLOCK.work(0.02)
            yield Count(number)

    def quickly():
        yield Count(0)

    def ask(compute, who):
        """Return how many results somebody gets."""
        RESULTS.clear()
        news, computation = threading.Event(), computation_of(compute, first_seconds=0.5)
        with scheduler.watched(computation, news.set, Listener(Wish.LINK, Client("", who))) as work:
            while not work.ended:
                news.wait(0.05)
        return work.count

    scheduler = Scheduler(2, clock=lambda: now[0])
    assert ask(slowly, "me") == 12  # so it is known what a step takes
    for number in range(others):
        ask(quickly, f"another {number}")
        ask(quickly, f"another {number}")  # one who asks again is no crowd
    assert ask(slowly, "me") == results
    now[0] += 1.5
    assert ask(slowly, "me") == 12  # they have gone


def test_a_movement_begins_no_finer_result_that_takes_long():
    begun = []

    def slowly():
        for number in range(4):
            begun.append(number)
            CLOCK.work(0.05 * (number > 0))
            yield Count(number)

    scheduler = Scheduler(2)
    assert numbers(scheduler, computation_of(slowly))[-1] == 3  # so it is known what a step takes
    RESULTS.clear()
    begun.clear()
    news = threading.Event()
    with scheduler.watched(computation_of(slowly), news.set, Listener(Wish.SOON)) as work:
        while not work.ended:
            news.wait(0.05)
    assert begun == [0]
    assert work.computation.result.number == 0


def test_a_movement_takes_along_what_comes_at_once():
    def quickly():
        yield from map(Count, range(3))

    news, scheduler = threading.Event(), Scheduler(2)
    with scheduler.watched(computation_of(quickly), news.set, Listener(Wish.SOON)) as work:
        while not work.ended:
            news.wait(0.05)
    assert work.computation.whole


def test_who_wants_more_joins_a_movement_and_gets_it():
    gate = threading.Event()

    def slowly():
        for number in range(4):
            gate.wait(600)
            CLOCK.work(0.05)
            yield Count(number)

    scheduler, got = Scheduler(1), []
    with scheduler.watched(computation_of(slowly), lambda: None, Listener(Wish.SOON)) as work:
        reader = threading.Thread(
            target=lambda: got.extend(numbers(scheduler, computation_of(slowly))), daemon=True
        )
        reader.start()
        while len(work.listeners) < 2:
            time.sleep(0.01)
        gate.set()
        reader.join(600)
    assert got[-1] == 3


def test_a_fault_is_told_and_does_not_pass_for_whole():
    def faulty():
        yield Count(1)
        raise RuntimeError

    scheduler, computation = Scheduler(2), computation_of(faulty)
    with pytest.raises(RuntimeError):
        numbers(scheduler, computation)
    assert not computation.whole
    assert len(scheduler) == 0


def test_a_script_that_has_to_end_leaves():
    class End(BaseException):
        pass

    def end():
        raise End

    def slow():
        yield Count(0)
        gate.wait(600)

    gate, scheduler = threading.Event(), Scheduler(2)
    with pytest.raises(End):
        list(scheduler.results(computation_of(slow, first_seconds=1e9), end))
    gate.set()
    while scheduler:
        time.sleep(0.01)
    assert len(scheduler) == 0


def paused_until(gate, begun, name="long"):
    """Return a computation whose only result is not there before the gate is open."""

    def compute():
        begun.append(name)
        while not gate.is_set():
            pause()
            time.sleep(0.001)
        yield Count(1)

    compute.__qualname__ = f"paused-{name}"
    return computation_of(compute)


def until(condition):
    while not condition():
        time.sleep(0.001)


def test_a_long_step_ends_when_nobody_waits_any_more():
    gate, begun, scheduler = threading.Event(), [], Scheduler(1)
    with scheduler.watched(paused_until(gate, begun), silent):
        until(lambda: begun)
    until(lambda: not len(scheduler))
    assert not gate.is_set()
    assert numbers(scheduler, computation_of(lambda: iter([Count(7)]))) == [7]


def test_who_comes_while_a_step_ends_has_it_computed_anew():
    gate, begun, scheduler = threading.Event(), [], Scheduler(1)
    computation, asked = paused_until(gate, begun), []
    left = LeftError()

    def leave():
        if not asked:
            asked.append(scheduler._join(computation, silent, Listener(Wish.LINK)))
            raise left

    with scheduler.watched(computation, silent):
        until(lambda: begun)
        with scheduler._changed:
            scheduler._at_pause = lambda *_, **__: leave() or 0.0
        until(lambda: len(begun) == 2)
        gate.set()
        until(lambda: not len(scheduler))
    assert computation.result == Count(1)
    assert asked[0].fault is None


def test_who_leaves_while_a_turn_begins_ends_no_thread():
    class Passing:
        """Somebody during whose listing another one leaves, as threads may do."""

        wish, patient = Wish.LINK, False

        @property
        def client(self):
            work.listeners.pop(other, None)
            return Client()

    def other():
        """Tell nobody."""

    computation = computation_of(lambda: iter([Count(1)]))
    work = Job(computation, silent, Passing(), 0.0)
    work.listeners[other] = Listener(Wish.LINK)
    Scheduler(1)._step(work, 1)
    assert computation.result == Count(1)


@pytest.mark.parametrize("seconds", [0.2, 2.0])
def test_a_shorter_one_is_computed_within_a_long_step(seconds):
    gate, begun, scheduler = threading.Event(), [], Scheduler(1)

    def compute():
        begun.append("long")
        CLOCK.work(1.0)
        while not gate.is_set():
            pause()
            time.sleep(0.001)
        yield Count(1)

    def short():
        begun.append("short")
        CLOCK.work(seconds)
        return iter([Count(2)])

    compute.__qualname__, short.__qualname__ = f"within-{seconds}", f"shorter-{seconds}"
    long, other = computation_of(compute), computation_of(short)
    known(scheduler, other, seconds)
    results = []
    with scheduler.watched(long, silent) as work:
        until(lambda: begun)
        reader = threading.Thread(
            target=lambda: results.extend(numbers(scheduler, other)), daemon=True
        )
        reader.start()
        if seconds < 1:
            reader.join(600)
            assert results == [2]
            assert begun == ["long", "short"]
        until(lambda: len(scheduler) == 2 or results)
        gate.set()
        until(lambda: work.ended)  # a result is there before its seconds are
    reader.join(600)
    assert results == [2]
    assert long.spent == pytest.approx(1.0)  # what was computed in between is not counted


def test_a_session_that_leaves_finds_its_computation_where_it_was():
    gate, begun, scheduler = threading.Event(), [], Scheduler(1)

    def compute():
        yield Count(1)
        begun.append(1)
        while not gate.is_set():
            pause()
            time.sleep(0.001)
        yield Count(2)

    computation = computation_of(compute)
    computation.resumable = True
    with scheduler.watched(computation, silent, Listener(Wish.ALL)):
        until(lambda: begun)
    gate.set()
    until(lambda: not len(scheduler))
    assert computation.result == Count(2)
    assert begun == [1]
