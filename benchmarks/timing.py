"""Timing of functions inside this process."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the milliseconds a call takes, and its result."""
    start = time.perf_counter()
    result = call()
    return 1e3 * (time.perf_counter() - start), result


def row(name: str, milliseconds: Sequence[float], remark: str = "") -> None:
    """Print median, 95th percentile and maximum."""
    median, high = np.median(milliseconds), np.quantile(milliseconds, 0.95)
    cells = f"{median:9.1f} {high:9.1f} {max(milliseconds):9.1f}"
    print(f"{name:58s} {cells}   {remark}")


def heading(text: str) -> None:
    """Print the columns' names."""
    print(f"\n{text:58s} {'median':>9s} {'p95':>9s} {'max':>9s}   [ms]")
