"""What a log may say of a fault: its kind, and where in the code it came up.

The words of an exception often hold what a reader entered, which is never written to a log.
"""

import logging
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, TypeVar

from dpviz.results.folders import ROOT

T = TypeVar("T")

CALM = "This figure could not be computed. The parameters above still work; try other values."
_log = logging.getLogger(__name__)


def spared(name: str, make: Callable[[], T], otherwise: T) -> T:
    """Return what is made, or `otherwise` where that fails: the fault is logged, and costs no more.

    For the parts that a page can do without: a sentence, a preview. name: of what they belong to.
    """
    try:
        return make()
    except Exception as fault:
        _log.error("%s failed in part: %s", name, kinds(fault))
        return otherwise


def kinds(fault: BaseException) -> str:
    """Return the kind of a fault and the lines that led to it, and of those before it.

    Of code that is not ours there is only the line that raised it.
    """
    kinds_met, seen = [], set[int]()
    waiting: list[BaseException | None] = [fault]
    while waiting:
        one = waiting.pop(0)
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        kinds_met.append(f"{type(one).__qualname__}{_way(one.__traceback__)}")
        if isinstance(one, BaseExceptionGroup):
            waiting += one.exceptions
        waiting.append(one.__cause__ or (None if one.__suppress_context__ else one.__context__))
    return "\n  after ".join(kinds_met)


def _way(trace: TracebackType | None) -> str:
    steps = list(traceback.walk_tb(trace))
    kept = [step for step in steps if step is steps[-1] or _is_ours(step[0])]
    return "".join(f"\n    at {_place(frame)}, line {line}" for frame, line in reversed(kept))


def _is_ours(frame: FrameType) -> bool:
    file = Path(frame.f_code.co_filename)
    return file.is_relative_to(ROOT) and "site-packages" not in file.parts


def _place(frame: FrameType) -> str:
    if _is_ours(frame):
        return str(Path(frame.f_code.co_filename).relative_to(ROOT))
    return str(frame.f_globals.get("__name__"))


def keep_values_out() -> None:
    """Have every log of this process, and what Python prints of faults, say kinds and places only.

    For the process of a server: Streamlit, uvicorn and asyncio report faults as well.
    """
    make = logging.getLogRecordFactory()

    def without_values(*given: Any, **named: Any) -> logging.LogRecord:
        return _cleared(make(*given, **named))

    logging.setLogRecordFactory(without_values)
    threading.excepthook = lambda report: _uncaught(report.exc_value)
    sys.unraisablehook = lambda report: _uncaught(report.exc_value)


def _uncaught(fault: BaseException | None) -> None:
    if fault is not None and not isinstance(fault, SystemExit | KeyboardInterrupt):
        _log.error("a fault that nobody caught: %s", kinds(fault))


def _cleared(record: logging.LogRecord) -> logging.LogRecord:
    """Return a record of a log in which faults are named by `kinds`."""
    words: object = record.msg
    if isinstance(words, BaseException):
        record.msg, record.args = "%s", (kinds(words),)
    elif isinstance(record.args, tuple):
        record.args = tuple(
            type(part).__qualname__ if isinstance(part, BaseException) else part
            for part in record.args
        )
    if record.name == "asyncio" and record.exc_info:
        # Below its first words, asyncio writes out the task with its arguments and its fault.
        record.msg, record.args = str(record.msg).splitlines()[0].split("<")[0], ()
    fault = record.exc_info[1] if record.exc_info else None
    record.exc_info = None
    if fault is not None:
        record.exc_text = kinds(fault)  # what a formatter writes below the message
    return record
