"""A pace told by a clock of our own."""

from dpviz.results import refining


def test_a_result_is_due_again_and_again(monkeypatch):
    clock = iter([10.0, 10.2, 10.6, 10.7, 11.0, 11.2, 13.0, 13.1])
    monkeypatch.setattr(refining.time, "perf_counter", lambda: next(clock))
    told = refining.Pace(0.5)
    assert [told.due() for _ in range(7)] == [False, True, False, False, True, True, False]
