"""How many readers a small server carries, on this machine: python -m benchmarks.load.

Readers are WebSocket clients that speak Streamlit's protocol, without a browser; they come in
through the proxy as all readers do, and share the processors with the server. Each opens a page,
and every five seconds lets go of some slider somewhere on its range. What is timed begins when the
change was due, even if the reader still waited for the figure before. Then sessions come and go, to
see whether they leave memory behind. --single measures one process without a proxy. What a change
costs is told in fixed loops, too (`benchmarks.machine`): so other machines and days compare.
--book FOLDER measures Caddy's file server with a book.
"""

import argparse
import asyncio
import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from websockets.exceptions import WebSocketException

from benchmarks.load import book
from benchmarks.machine import Machine, fixed_loop
from tests.browser.conftest import running_app
from tests.hosting.site import Site, hosted
from tests.hosting.tab import Run, Tab
from tests.support.declarations import SLUGS

_PATIENCE = 60.0  # seconds after which a reader is said to have lost his page
_PAINT = 0.016  # seconds a browser needs at least from figure to figure
_AT_ONCE = 8  # sessions that come and go side by side


@dataclass
class Log:
    """What the readers met: seconds to the first figure and to the end, and what went wrong.

    moved: seconds of every figure of a movement.
    """

    opened: list[float] = field(default_factory=list)
    first: dict[str, list[float]] = field(default_factory=dict)
    finished: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    lost: int = 0
    moved: list[float] = field(default_factory=list)

    def note(self, slug: str, run: Run, late: float) -> None:
        """Note a run of a page that was asked for so many seconds after it was due."""
        self.first.setdefault(slug, []).append(late + (run.first_figure or run.finished))
        self.finished.append(late + run.finished)
        self.faults += run.faults


async def read(
    address: str, number: int, log: Log, *, begin: float, end: float, pause: float
) -> None:
    """Be one reader until the end."""
    rng = np.random.default_rng([2026, number])
    due = begin + pause * rng.random()
    await asyncio.sleep(due - time.monotonic())
    try:
        async with Tab.at(address, SLUGS[number % len(SLUGS)]) as tab:
            run = await tab.run(seconds=_PATIENCE)
            log.opened.append(run.first_figure or run.finished)
            log.faults += run.faults
            session = tab.session
            while (due := due + pause) < end:
                await asyncio.sleep(max(due - time.monotonic(), 0))
                late = time.monotonic() - due
                key = str(rng.choice(sorted(tab.controls)))
                text = str(rng.choice(tab.grid(key)))
                log.note(tab.slug, await tab.release(key, text, seconds=_PATIENCE), late)
                if tab.session != session or tab.values[key] != text:
                    log.faults.append(f"{tab.slug}: {key}={text} was forgotten")
    except (OSError, WebSocketException, TimeoutError) as fault:
        log.lost += 1
        log.faults.append(f"{SLUGS[number % len(SLUGS)]}: {type(fault).__name__}: {fault}")


async def drag(
    address: str, number: int, log: Log, *, begin: float, end: float, pause: float
) -> None:
    """Be one reader who drags a slider for a fifth of the time, as a browser does."""
    rng = np.random.default_rng([2027, number])
    await asyncio.sleep(begin + pause * rng.random() - time.monotonic())
    try:
        async with Tab.at(address, SLUGS[number % len(SLUGS)]) as tab:
            await tab.run(seconds=_PATIENCE)
            while time.monotonic() < end:
                key = str(rng.choice(sorted(tab.controls)))
                grid = tab.grid(key)
                log.moved += await move(tab, key, grid, seconds=pause / 5)
                log.note(tab.slug, await tab.release(key, grid[-1], seconds=_PATIENCE), 0.0)
                await asyncio.sleep(pause * 4 / 5)
    except (OSError, WebSocketException, TimeoutError) as fault:
        log.lost += 1
        log.faults.append(f"{SLUGS[number % len(SLUGS)]}: {type(fault).__name__}: {fault}")


async def move(tab: Tab, key: str, grid: list[str], *, seconds: float) -> list[float]:
    """Move over a grid for so long, two figures on their way; return what each took."""
    begin, times = time.monotonic(), []

    async def follow() -> None:
        while (passed := time.monotonic() - begin) < seconds:
            text = grid[min(int(len(grid) * passed / seconds), len(grid) - 1)]
            asked = time.perf_counter()
            address = f"{tab.figure_address(**{key: text})}&moving=1"
            drawn = ["spec" in line async for line in tab.figure(address)]
            if any(drawn):
                times.append(time.perf_counter() - asked)
            await asyncio.sleep(_PAINT)

    await asyncio.gather(follow(), follow())
    return times


async def lecture(
    site: Site, readers: int, *, seconds: float, pause: float, dragging: bool = False
) -> Log:
    """Have so many readers play for so long."""
    one = drag if dragging else read
    log, begin = Log(), time.monotonic()
    end = begin + seconds
    every = range(readers)
    await asyncio.gather(
        *(one(site.address, n, log, begin=begin, end=end, pause=pause) for n in every)
    )
    return log


def report(site: Site, readers: int, *, seconds: float, pause: float) -> None:
    """Measure and print one line."""
    loop = fixed_loop()
    used, own, begin = _processor_seconds(site), _own_seconds(), time.monotonic()
    log = asyncio.run(lecture(site, readers, seconds=seconds, pause=pause))
    passed = time.monotonic() - begin
    used, own = _processor_seconds(site) - used, _own_seconds() - own
    first = [seconds for page in log.first.values() for seconds in page]
    machine, change = Machine(loop, fixed_loop()), 1e3 * used / max(len(log.finished), 1)
    print(
        f"{readers:>7} {len(first):>7} {_quantiles(log.opened)}  {_quantiles(first)}  "
        f"{_quantiles(log.finished)} {len(log.faults):>6} {log.lost:>4} {_memory(site):>7}"
        f"   {used / passed:.2f} + {own / passed:.2f} of {os.cpu_count()} processors, "
        f"{change:.0f} ms of them a change: {machine.ratio(change)} ({machine})",
        flush=True,
    )
    for slug in SLUGS:
        print(f"{'':30} {_quantiles(log.first.get(slug, []))}  {slug or 'home'}")
    for fault in sorted(set(log.faults))[:5]:
        print(f"        {fault}")


def report_dragging(site: Site, readers: int, *, seconds: float) -> None:
    """Measure readers who drag for two seconds of every ten, and print one line."""
    log = asyncio.run(lecture(site, readers, seconds=seconds, pause=10, dragging=True))
    print(
        f"{readers} dragging: {len(log.moved)} figures {_quantiles(log.moved)}  faults "
        f"{len(log.faults)} lost {log.lost}",
        flush=True,
    )
    for fault in sorted(set(log.faults))[:5]:
        print(f"        {fault}")


async def come_and_go(site: Site, sessions: range) -> None:
    """Open sessions side by side; each changes something once and leaves."""
    doors = asyncio.Semaphore(_AT_ONCE)

    async def visit(number: int) -> None:
        async with doors, Tab.at(site.address, SLUGS[number % len(SLUGS)]) as tab:
            await tab.run(seconds=_PATIENCE)
            key = sorted(tab.controls)[0]
            grid = tab.grid(key)
            await tab.release(key, grid[number // len(SLUGS) % len(grid)], seconds=_PATIENCE)

    await asyncio.gather(*map(visit, sessions))


def _memory(site: Site) -> str:
    return " + ".join(f"{site.memory(port):.0f}" for port in site.ports)


def _processor_seconds(site: Site) -> float:
    return sum(site.processor_seconds(port) for port in site.ports)


def _own_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _quantiles(seconds: list[float]) -> str:
    if not seconds:
        return f"{'-':>6} {'-':>6}"
    median, high = np.quantile(seconds, [0.5, 0.95])
    return f"{median:6.2f} {high:6.2f}"


@contextmanager
def _single() -> Iterator[Site]:
    with running_app() as address:
        yield Site(address, (int(address.rpartition(":")[2]),))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--readers", type=int, nargs="*", default=[30, 100])
    parser.add_argument("--dragging", type=int, nargs="*", default=[30], help="who drag")
    parser.add_argument("--seconds", type=float, default=60, help="how long they play")
    parser.add_argument("--pause", type=float, default=5, help="seconds from change to change")
    parser.add_argument("--sessions", type=int, default=1000, help="that come and go afterwards")
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--single", action="store_true", help="one process, without a proxy")
    parser.add_argument("--book", type=Path, help="a folder that dpviz book has written, instead")
    options = parser.parse_args()
    if options.book:
        for readers in options.readers:
            book.measure(options.book, readers, seconds=options.seconds)
        return
    with _single() if options.single else hosted(options.replicas) as site:
        print(f"memory at first: {_memory(site)} MB")
        print(f"{'':15} {'opened':^13}  {'first figure':^13}  {'last':^13}")
        quantiles = f"{'p50':>6} {'p95':>6}"
        print(f"readers changes {quantiles}  {quantiles}  {quantiles} faults lost      MB")
        for readers in options.readers:
            report(site, readers, seconds=options.seconds, pause=options.pause)
        for readers in options.dragging:
            report_dragging(site, readers, seconds=options.seconds)
        step = max(options.sessions // 10, 1)
        for done in range(0, options.sessions, step):
            asyncio.run(come_and_go(site, range(done, done + step)))
            print(f"after {done + step:>5} sessions: {_memory(site)} MB", flush=True)


if __name__ == "__main__":
    main()
