"""Hostile files: what each costs, and what its reader is told."""

import multiprocessing
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.hostile.row import Row
from dpviz.results.user_data import MOST_BYTES, DataError, read_csv, user_data

_WIDE = b",".join(b"c%d" % i for i in range(200)) + b"\n"


def _rows(line: Callable[[int], bytes], count: int) -> bytes:
    return b"c0,c1\n" + b"".join(map(line, range(count)))


FILES: dict[str, Callable[[], bytes]] = {
    "one row of commas": lambda: b"," * (MOST_BYTES - 1),
    "rows of commas": lambda: _WIDE + (b"," * 199 + b"\n") * (MOST_BYTES // 200 - 10),
    "a row within quotes": lambda: b'c0,c1\n"' + b'\n",,,,,,,,,,,,"' * (MOST_BYTES // 20),
    "a million rows": lambda: _rows(lambda i: b"u%d,%d.5\n" % (i % 90000, i), 10**6),
    "a million users": lambda: _rows(lambda i: b"u%d,%d\n" % (i, i % 3), 10**6),
    "near the largest number": lambda: _rows(lambda i: b"u%d,%de307\n" % (i % 9, i % 17), 1000),
    "zeros": lambda: bytes(MOST_BYTES),
    "not UTF-8 at the end": lambda: _rows(lambda i: b"u%d,1\n" % (i % 9), 10**6) + b"\xff,1\n",
}


def rows() -> Iterator[Row]:
    """Yield a line for each file, each read in a process of its own."""
    forks = multiprocessing.get_context("fork")
    for name in FILES:
        here, there = forks.Pipe(duplex=False)
        job = forks.Process(target=lambda n, pipe: pipe.send(_read(n)), args=(name, there))
        job.start()
        there.close()
        yield here.recv()
        job.join()


def _read(name: str) -> Row:
    content = FILES[name]()
    Path("/proc/self/clear_refs").write_text("5")  # the peak of memory begins anew
    base, begin = _memory("VmRSS"), time.process_time()
    try:
        table = read_csv(content)
        outcome = f"{user_data(table, user='c0', value='c1').users:,} users"
    except DataError as error:
        outcome = str(error)
    peak = _memory("VmHWM") - base
    seconds = time.process_time() - begin
    size = len(content) / 1e6
    return Row("file", f"{name}, {size:.0f} MB", f"{outcome}; {peak:+.0f} MB, {seconds:.1f} s")


def _memory(kind: str) -> float:
    """Return a line of /proc/self/status in MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{kind}:"):
            return int(line.split()[1]) / 1e3
    raise LookupError(kind)
