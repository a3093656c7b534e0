"""The views of the pages at their defaults: until the first result, and until the last."""

import runpy
import time
from collections.abc import Iterator
from typing import Any

from benchmarks.timing import heading, row
from dpviz.results.folders import ROOT
from dpviz.scene.catalogue import HOME, PAGES
from dpviz.scene.codec import Value
from dpviz.scene.page import Page
from dpviz.scene.scene import Scene
from dpviz.scene.view import View
from dpviz.serve.computing import Computation

_RUNS = 5


def report(runs: int, only: str) -> None:
    """Print the time to the first and to the last result of every view of every page.

    runs: so many at most. only: views with this in their names.
    """
    heading("views at their defaults: first result / last result")
    for name, declared, view, values in views(only):
        first, last = [], []
        for run in range(min(_RUNS, runs)):
            one, whole = _times(declared, view, values | _moved(declared, view, run))
            first.append(one)
            last.append(whole)
        row(f"{name}, first", first)
        row(f"{name}, last", last)


def views(only: str) -> Iterator[tuple[str, Page, View, dict[str, Value]]]:
    """Yield every view with this in its name, its name as page/view, and the defaults."""
    for entry in (HOME, *PAGES):
        declared = runpy.run_path(str(ROOT / entry.path))["PAGE"]
        for view in declared.views:
            name = f"{declared.name}/{view.key}"
            if only in name:
                yield name, declared, view, declared.usual(view.key)


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
