"""Clipped scores at scale: time, and the memory they add."""

import tracemalloc
from functools import partial

import numpy as np

from benchmarks.timing import heading, row, timed
from dpviz.topics.clipping.scores import clipped_pairwise_scores
from dpviz.topics.clipping.tasks import make_task

_USERS, _EXAMPLES, _CANDIDATES = 10_000, 1000, 64
_RUNS = 9


def report(runs: int) -> None:
    """Print what scoring 64 candidates on 10,000 users of 1,000 examples costs.

    runs: so many at most.
    """
    task = make_task("selection", candidates=_CANDIDATES)
    rng = np.random.default_rng(2026)
    data = task.draw(rng, users=_USERS, examples_per_user=_EXAMPLES)
    call = partial(clipped_pairwise_scores, data, task.psi, threshold=100.0)
    heading("clipped scores: n = 1e4, m = 1e3, 64 candidates, 16 categories")
    times = [timed(call)[0] for _ in range(min(_RUNS, runs))]
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    row("all pairs", times, f"{peak:.0f} MB on top of the data")
