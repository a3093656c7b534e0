"""A worker process: it computes what it is sent, and sends back each result as it comes."""

import gc
import importlib
import os
import pickle
import pkgutil
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Any

import dpviz.topics
from dpviz.results.evidence import Result

for _module in pkgutil.walk_packages(dpviz.topics.__path__, "dpviz.topics."):
    importlib.import_module(_module.name)  # once, in the process that all workers are forked from
gc.collect()
gc.freeze()  # what the collector does not look at stays shared between them


def work(line: Connection, nice: int) -> None:
    """Take one job after the other until the server is gone.

    A job is a function with its keywords, and how many seconds of processor time it may take; more
    may be granted while it goes on. Back go (result or None, seconds so far, is it whole, fault).
    """
    from threadpoolctl import threadpool_limits

    os.nice(nice)
    threadpool_limits(limits=1, user_api="blas")
    while True:
        try:
            said = line.recv()
        except EOFError:
            return
        if not isinstance(said, float):  # else it grants more to a job that has ended meanwhile
            _answer(line, *said)


def _answer(line: Connection, compute: Any, keywords: Any, limit: float, step: float) -> None:
    begin, result, waiting = time.thread_time(), None, False
    try:
        outcome = compute(**keywords)
        several = not isinstance(outcome, Result)
        results: Iterator[Result] = outcome if several else iter([outcome])
        for result in results:
            spent = time.thread_time() - begin
            _send(line, result, spent, whole=not several, ended=not several)
            while line.poll():
                limit = line.recv()
            if spent + step >= limit:
                waiting = several
                break
        if several:
            _send(line, None, time.thread_time() - begin, whole=not waiting, ended=True)
    except Exception as fault:  # the server raises it where somebody waits
        line.send_bytes(pickle.dumps((None, time.thread_time() - begin, False, True, fault)))


def _send(line: Connection, result: Any, spent: float, *, whole: bool, ended: bool) -> None:
    line.send_bytes(pickle.dumps((result, spent, whole, ended, None), 5))
