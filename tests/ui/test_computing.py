"""How results are computed: all at once, for a limited time, in haste, and on demand."""

import itertools
import threading
import time
from dataclasses import dataclass, replace

import numpy as np
import pytest
from dpviz.ui.computing import CROWD, Computation, Hasty, Line, Recent, weight

from dpviz.results.evidence import Axis
from dpviz.results.parameters import ParameterError
from dpviz.scene.page import Page, View
from dpviz.ui import computing
from tests.support import sample
from tests.support.sample import PAGE


@pytest.fixture(autouse=True)
def _forget():
    sample.calls.clear()


def view(key):
    return next(view for view in PAGE.views if view.key == key)


def state(**values):
    return {p.key: p.default for p in PAGE.url_parameters} | values


@dataclass(frozen=True)
class Count:
    number: int

    def columns(self):
        return {"number": np.array([self.number])}


def quickly():
    yield from map(Count, range(5))


def slowly():
    for number in range(20):
        begin = time.thread_time()
        while time.thread_time() < begin + 0.02:
            pass
        yield Count(number)


def computation_of(compute, **options):
    view = View("only", "Only", compute, None, str, (), **options)
    return Computation(Page(slug="", parameters=(), views=(view,)), view, {})


def numbers(results):
    return [result.number for result in results]


def test_results_that_come_quickly_are_all_shown():
    computation = computation_of(quickly)
    assert numbers(computation.first()) == [0, 1, 2, 3, 4]
    assert computation.whole


def test_results_that_take_long_end_early_and_go_on_where_they_were():
    computation = computation_of(slowly, first_seconds=0.1)
    shown = numbers(computation.first())
    assert 1 <= len(shown) < 19
    assert not computation.whole
    again = numbers(computation.first())
    assert again == shown[-1:]
    first = next(computation.further())
    assert first.number == shown[-1] + 1  # a reader stopped here
    rest = numbers(computation.further())
    assert [*shown, first.number, *rest] == list(range(20))
    assert computation.whole
    assert numbers(computation.first()) == [19]
    assert numbers(computation.further()) == []
    assert numbers(computation_of(slowly).first()) == [19]


def test_readers_who_compute_at_once_share_the_time():
    def busily():  # no result of another test is remembered for it
        yield from slowly()

    alone = numbers(computation_of(busily, first_seconds=0.3).first())
    with CROWD.joined(), CROWD.joined():
        crowded = computation_of(busily, first_seconds=0.3)
        shown = numbers(crowded.first())
    assert 1 <= len(shown) < len(alone) / 2
    assert not crowded.whole
    stages = computation_of(busily).first()
    next(stages)
    assert len(CROWD) == 1
    del stages  # a reader left
    assert len(CROWD) == 0
    assert numbers(crowded.further())[-1] == 19


def test_what_fails_half_way_does_not_pass_for_whole():
    def faulty():
        yield Count(1)
        raise RuntimeError

    computation = computation_of(faulty)
    with pytest.raises(RuntimeError):
        list(computation.first())
    assert not computation.whole
    with pytest.raises(RuntimeError):
        list(computation.further())


def test_the_last_results_are_bounded_in_number_and_in_bytes():
    recent = Recent(entries=3, size=2000)
    for number in range(5):
        recent.add((number,), Count(number))
    assert [recent.get((number,)) is None for number in range(5)] == [True] * 2 + [False] * 3
    recent.get((2,))
    recent.add((5,), Count(5))
    assert recent.get((2,)) == Count(2)
    assert recent.get((3,)) is None
    big = sample.curve(epsilon=1.0, queries=10, log=True, x="queries")
    assert weight(big) > 2 * 9 * 8
    for number in range(20):
        recent.add((number,), big)
    assert recent.bytes <= 2000
    recent.add((99,), replace(Axis("x", "x"), label=np.zeros(10**6)))
    assert recent.get((99,)) is None


def test_no_more_run_at_once_than_there_are_places_and_the_others_come_in_order():
    line = Line(places=2, turn=60)
    with line.join() as a, line.join() as b:
        with line.join() as c:
            assert [ticket.ahead() for ticket in (a, b, c)] == [0, 0, 1]
            with line.join() as d:
                assert d.ahead() == 2
            assert len(line) == 3
        with pytest.raises(KeyboardInterrupt), line.join():
            raise KeyboardInterrupt
        assert [ticket.ahead() for ticket in (a, b)] == [0, 0]
    assert len(line) == 0


def test_who_has_run_for_long_lets_the_others_go_first():
    line = Line(places=1, turn=0.05)
    with line.join() as a:
        assert a.ahead() == 0
        time.sleep(0.06)
        assert a.ahead() == 0  # nobody waits
        with line.join() as b, line.join() as c:
            assert a.ahead() == 2
            assert [b.ahead(), c.ahead(), a.ahead()] == [0, 1, 2]
            time.sleep(0.06)
            assert b.ahead() == 2
            assert [c.ahead(), a.ahead(), b.ahead()] == [0, 1, 2]


def points(results):
    [chart] = results
    return len(chart.curves[0].x)


def test_in_haste_the_finest_result_is_taken_that_takes_little_time(monkeypatch):
    declared, values, hasty = view("refined"), state(epsilon=0.654), Hasty()
    monkeypatch.setattr(computing, "_PATIENCE", -1.0)
    assert points(hasty.results(PAGE, declared, values)) == 5
    assert len(sample.calls) == 1
    monkeypatch.setattr(computing, "_PATIENCE", 60.0)
    assert points(hasty.results(PAGE, declared, values)) == 9
    assert len(sample.calls) == 1 + 5
    assert points(hasty.results(PAGE, view("curve"), values)) == 9


def test_in_haste_nobody_waits_for_what_takes_long_or_computes_it_twice_at_once(monkeypatch):
    gate, begun = threading.Event(), []

    def laborious(*, epsilon):
        begun.append(epsilon)
        yield from itertools.islice(sample.refined(epsilon=epsilon), 1)
        gate.wait()
        yield from sample.refined(epsilon=epsilon)

    monkeypatch.setattr(computing, "_LONGEST", 0.05)
    declared, hasty = replace(view("refined"), compute=laborious), Hasty()
    for epsilon in (1.1, 1.2, 1.3):
        assert points(hasty.results(PAGE, declared, state(epsilon=epsilon))) == 5
    assert begun == [1.1, 1.2, 1.3]
    assert sum(thread.name.startswith("finer") for thread in threading.enumerate()) == 1
    gate.set()


def test_in_haste_a_refusal_is_told_and_a_later_fault_leaves_the_first_result():
    def faulty(*, epsilon):
        yield from itertools.islice(sample.refined(epsilon=epsilon), 1)
        raise RuntimeError

    declared = replace(view("refined"), compute=faulty)
    assert points(Hasty().results(PAGE, declared, state(epsilon=1.4))) == 5
    with pytest.raises(ParameterError):
        list(Hasty().results(PAGE, view("refuses"), state()))
