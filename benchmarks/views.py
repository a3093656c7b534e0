"""The views of the pages at their defaults: until the first result, and until the last."""

import time
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.timing import heading, row
from dpviz.scene.page import Page
from dpviz.scene.scene import Scene
from dpviz.scene.view import View
from dpviz.serve.computing import Computation
from tests.support.declarations import SLUGS, page

_RUNS = 5


def report(runs: int, only: Sequence[str]) -> None:
    """Print the time to the first and to the last result of every view of every page.

    runs: so many at most. only: see `views`.
    """
    heading("views at their defaults: first result / last result")
    for name, declared, view in views(only):
        values = declared.usual(view.key)
        first, last = [], []
        for run in range(min(_RUNS, runs)):
            one, whole = _times(declared, view, values | _moved(declared, view, run))
            first.append(one)
            last.append(whole)
        row(f"{name}, first", first)
        row(f"{name}, last", last)


def views(only: Sequence[str]) -> Iterator[tuple[str, Page, View]]:
    """Yield the views whose names, as page/view, contain one of these parts; their names first."""
    for declared in pages(only):
        for view in declared.views:
            name = f"{declared.name}/{view.key}"
            if any(part in name for part in only):
                yield name, declared, view


def pages(only: Sequence[str]) -> Iterator[Page]:
    """Yield the pages that may have a view with one of these parts in its name; load no other."""
    for slug in SLUGS:
        ends = [part.rpartition("/")[0] for part in only]  # "" where a part names no page
        if any((slug or "home").endswith(end) for end in ends):
            yield page(slug)


def _moved(declared: Any, view: Any, run: int) -> dict[str, Any]:
    """Return one parameter moved a little, so that no result is remembered."""
    for key in ("epsilon", "sigma"):
        if key in view.parameters:
            return {key: declared.parameter(key).default * (1 + 0.01 * (run + 1))}
    return {}


def _times(declared: Any, view: Any, values: Any) -> tuple[float, float]:
    start, first = time.perf_counter(), 0.0
    for _ in Computation(Scene(declared, view, values)).first():
        first = first or time.perf_counter() - start
    return 1e3 * first, 1e3 * (time.perf_counter() - start)
