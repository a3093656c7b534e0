"""A pace told by a clock of our own, and the order from coarse to fine."""

import inspect
import itertools

from hypothesis import given
from hypothesis import strategies as st

from dpviz.results import refining
from tests.support.pace import by_the_clock


def test_a_result_is_due_again_and_again(monkeypatch):
    monkeypatch.setattr(refining.Pace, "due", by_the_clock)
    clock = iter([10.0, 10.2, 10.6, 10.7, 11.0, 11.2, 13.0, 13.1])
    monkeypatch.setattr(refining.time, "perf_counter", lambda: next(clock))
    pace = refining.Pace(0.5)
    assert [pace.due() for _ in range(7)] == [False, True, False, False, True, True, False]


def test_the_order_is_ones_own_place_the_ends_and_ever_smaller_steps():
    assert refining.coarse_to_fine(9, 4) == [0, 8, 4, 2, 6, 1, 3, 5, 7]
    assert refining.coarse_to_fine(9, 4, here=5) == [5, 0, 8, 1, 3, 7, 2, 4, 6]
    assert refining.coarse_to_fine(1, 3) == [0]


@given(st.integers(1, 70), st.integers(1, 80), st.data())
def test_every_place_comes_once_and_no_gap_is_wider_than_the_stride_before(size, stride, data):
    here = data.draw(st.integers(0, size - 1))
    order = refining.coarse_to_fine(size, stride, here=here)
    assert sorted(order) == list(range(size))
    assert order[0] == here
    assert {0, size - 1} <= set(order[:3])
    coarse = sorted(order[: len({here, 0, size - 1}) + size // stride + 1])
    gaps = [right - left for left, right in itertools.pairwise(coarse)]
    assert max(gaps, default=0) <= stride


def test_to_ask_whether_a_result_is_due_is_a_pause(monkeypatch):
    monkeypatch.setattr(refining.Pace, "due", by_the_clock)
    paused = []
    pace = refining.Pace(1e9)
    with refining.pausing(lambda: paused.append(1)):
        assert not pace.due()
    pace.due()
    assert paused == [1]


def test_nothing_is_due_where_nobody_looks(monkeypatch):
    monkeypatch.setattr(refining.Pace, "due", by_the_clock)
    pace = refining.Pace(-1.0)  # always
    with refining.unseen():
        assert not pace.due()
    assert pace.due()


def test_a_computation_in_steps_is_a_function_of_the_same_name_words_and_parameters():
    @refining.in_steps
    def halved(size: float, *, times: int = 1) -> refining.Steps[float]:
        """Return what is left."""
        for _ in range(times):
            yield
        return size / 2**times

    paused = []
    with refining.pausing(lambda: paused.append(1)):
        assert halved(12.0, times=2) == 3.0
    assert len(paused) == 3
    assert len(list(halved.steps(12.0, times=2))) == 2
    assert (halved.__name__, halved.__doc__) == ("halved", "Return what is left.")
    assert str(inspect.signature(halved)) == "(size: float, *, times: int = 1) -> float"
