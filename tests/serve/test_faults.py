"""Logs say what failed and where, and nothing that a reader entered."""

import asyncio
import gc
import io
import logging
import sys
import threading
from contextlib import contextmanager
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.scene.scene import Scene
from dpviz.serve import faults, links
from dpviz.serve.computing import Computation
from dpviz.serve.lecture import making
from dpviz.serve.scheduler import SCHEDULER
from dpviz.ui import stage
from tests.hosting.site import Site
from tests.serve.asgi import ask
from tests.support import loops, sample
from tests.support.declarations import page
from tests.support.examples import examples

ENTERED = st.text(min_size=12, alphabet=st.characters(blacklist_categories=["Cs", "Cc", "Z"]))


@contextmanager
def written():
    """What all logs of this process write meanwhile, and what goes to the standard error."""
    printed = io.StringIO()
    handler = logging.StreamHandler(printed)
    handler.setFormatter(logging.Formatter("%(name)s %(levelname)s %(message)s"))
    # Not all of them pass on what they are told.
    loggers = [logging.getLogger(name) for name in (None, "uvicorn.error", "streamlit.error_util")]
    console, sys.stderr = sys.stderr, printed
    for logger in loggers:
        logger.addHandler(handler)
    try:
        yield printed
    finally:
        sys.stderr = console
        for logger in loggers:
            logger.removeHandler(handler)


@contextmanager
def as_in_a_server():
    before = logging.getLogRecordFactory(), threading.excepthook, sys.unraisablehook
    faults.keep_values_out()
    try:
        yield
    finally:
        logging.setLogRecordFactory(before[0])
        threading.excepthook, sys.unraisablehook = before[1:]


def raised(entered, kind=ValueError):
    """A fault that came up as another was handled, in a group, with a cause: all tell the value."""
    try:
        try:
            try:
                raise KeyError(entered)
            except KeyError as first:
                raise kind(f"{entered} is too much") from first
        except kind as second:
            raise ExceptionGroup(f"with {entered}", [second, TypeError(entered)])  # noqa: B904
    except ExceptionGroup as group:
        return group


@examples(60)
@given(ENTERED)
def test_a_fault_is_told_by_kind_and_place(entered):
    said = faults.kinds(raised(entered))
    assert entered not in said
    assert [line.strip() for line in said.splitlines() if "at " not in line] == [
        "ExceptionGroup",
        "after ValueError",
        "after TypeError",
        "after KeyError",
    ]
    assert said.count("at tests/serve/test_faults.py, line ") == 3


def test_of_other_code_the_line_that_raised_is_told():
    with pytest.raises(ValueError, match="coroutine") as caught:
        loops.run(None)
    assert "at asyncio.runners, line" in faults.kinds(caught.value)


# A view that breaks tells in its words what it was given: `sample.breaks`.
WAYS = {
    "figure": lambda query, _: ask("/figure/sample/breaks", query),
    "movement": lambda query, _: ask("/figure/sample/breaks", query | {"moving": "1"}),
    "picture": lambda query, _: ask("/picture/sample/breaks.svg", query),
    "page": lambda _, scene: stage.shown(scene),
    "preview": lambda _, scene: links.finest(scene, 600.0),
}


@pytest.mark.parametrize("way", WAYS)
@examples(40, usual=3)
@given(queries=st.integers(100_000, 999_999), epsilon=st.floats(0.1, 5), seed=st.integers(10**6))
def test_a_view_that_fails_is_named_without_what_it_was_given(way, queries, epsilon, seed):
    query = {"queries": str(queries), "epsilon": f"{epsilon!r}", "seed": str(seed)}
    values = {p.key: p.default for p in sample.PAGE.url_parameters}
    values |= {"queries": queries, "epsilon": epsilon, "seed": seed, "view": "breaks"}
    with written() as log:
        WAYS[way](query, Scene.opened(sample.PAGE, values))
    assert "dpviz-sample-breaks failed: RuntimeError" in log.getvalue()
    assert "at tests/support/sample.py, line" in log.getvalue()
    assert not [text for text in query.values() if len(text) > 5 and text in log.getvalue()]


def test_a_real_view_that_fails_tells_its_log_none_of_its_parameters():
    declared = page("clipping")
    values = {p.key: p.default for p in declared.url_parameters}
    scene = Scene.opened(declared, values | {"seed": 7_315_824})

    def broken(**given):
        raise ArithmeticError(f"no luck with {given}, {scene.query}")

    scene = replace(scene, view=replace(scene.view, compute=broken))
    with written() as log:
        assert stage.shown(scene) is None
        assert links.finest(scene, 600.0) is None
    assert log.getvalue().count("ArithmeticError") == 2
    assert "7315824" not in log.getvalue()
    assert "no luck" not in log.getvalue()
    assert not len(SCHEDULER)
    assert Computation(scene).progress is None


def test_a_lecture_that_fails_is_not_written_out(monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("its third scene")

    monkeypatch.setattr(making, "made", broken)
    with written() as log:
        making._make(making.Making(), None, "text", "site")
    assert "could not be made into a file: RuntimeError" in log.getvalue()
    assert "third" not in log.getvalue()


@examples(40)
@given(ENTERED)
def test_what_others_report_of_a_fault_in_a_server_holds_no_value(entered):
    """Uvicorn, Streamlit, asyncio, threads and the collector: each says what its own code says."""
    fault = raised(entered)
    with as_in_a_server(), written() as log:
        logging.getLogger("uvicorn.error").error("Exception in ASGI application\n", exc_info=fault)
        logging.getLogger("streamlit.error_util").error("Uncaught app execution", exc_info=fault)
        logging.getLogger("any").warning(fault)
        logging.getLogger("any").warning("not read: %s", fault, exc_info=fault)
        loops.run(_forgotten(entered))
        thread = threading.Thread(target=_breaking, args=(entered,))
        thread.start()
        thread.join()
        _Breaking(entered)
        gc.collect()
    assert entered not in log.getvalue()
    for words in (
        "Exception in ASGI application",
        "Uncaught app execution",
        "not read: ExceptionGroup",
        "Task exception was never retrieved",
        "a fault that nobody caught: ZeroDivisionError",
        "a fault that nobody caught: LookupError",
    ):
        assert words in log.getvalue()


async def _forgotten(entered):
    async def task(value):
        raise ArithmeticError(value)

    forgotten = asyncio.create_task(task(entered), name=entered)
    await asyncio.wait({forgotten})
    del forgotten
    gc.collect()


def _breaking(entered):
    raise ZeroDivisionError(entered)


class _Breaking:
    def __init__(self, entered):
        self.entered = entered

    def __del__(self):
        raise LookupError(self.entered)


def test_a_log_is_searched_for_faults_as_they_are_written(tmp_path):
    log = tmp_path / "log"
    said = [faults.kinds(raised("a value that was entered")) for _ in range(2)]
    log.write_text(f"begun\n  URL: http://x\n{said[0]}\nasked again\n{said[1]}", encoding="utf-8")
    assert [one.rstrip() for one in Site("", (), log).faults()] == said
