"""Results that take long end early, and the reader is told."""

import time
from dataclasses import dataclass

import numpy as np

from dpviz.ui import page as pages
from dpviz.ui.page import Page, View, is_whole, results


@dataclass(frozen=True)
class Count:
    number: int

    def columns(self):
        return {"number": np.array([self.number])}


def quickly():
    yield from map(Count, range(5))


def slowly():
    for number in range(1000):
        begin = time.thread_time()
        while time.thread_time() < begin + 0.02:
            pass
        yield Count(number)


def view_of(compute):
    return View("only", "Only", compute, figure=None, takeaway=str, parameters=())


def page_of(view):
    return Page(slug="", parameters=(), views=(view,))


def test_results_that_come_quickly_are_all_shown():
    view = view_of(quickly)
    page = page_of(view)
    assert [result.number for result in results(page, view, {})] == [0, 1, 2, 3, 4]
    assert is_whole(page, view, {})


def test_results_that_take_long_end_early_and_are_not_taken_for_whole(monkeypatch):
    monkeypatch.setattr(pages, "_MOST_SECONDS", 0.1)
    view = view_of(slowly)
    page = page_of(view)
    shown = list(results(page, view, {}))
    assert 1 <= len(shown) <= 20
    assert not is_whole(page, view, {})
