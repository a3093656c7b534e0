"""How many readers a small server carries, on this machine: python -m benchmarks.load.

Readers are WebSocket clients that speak Streamlit's protocol, without a browser; they come in
through the proxy as all readers do, and share the processors with the server. Each opens a page,
and every five seconds lets go of some slider somewhere on its range. What is timed begins when the
change was due, even if the reader still waited for the figure before. Then sessions come and go, to
see whether they leave memory behind. --single measures one process without a proxy. What a change
costs is told in fixed loops, too (`benchmarks.machine`): so other machines and days compare.
--book FOLDER measures Caddy's file server with a book; benchmarks.load.changes old and new code.
"""

import argparse
import asyncio
import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.load import book
from benchmarks.load.readers import PATIENCE, lecture, processor_seconds, quantiles
from benchmarks.machine import Machine, fixed_loop
from benchmarks.options import parsed
from tests.browser.conftest import running_app
from tests.hosting.site import Site, hosted
from tests.hosting.tab import Tab
from tests.support.declarations import SLUGS

_AT_ONCE = 8  # sessions that come and go side by side


def report(site: Site, readers: int, *, seconds: float, pause: float) -> None:
    """Measure and print one line."""
    loop = fixed_loop()
    used, own, begin = processor_seconds(site), _own_seconds(), time.monotonic()
    log = asyncio.run(lecture(site, readers, seconds=seconds, pause=pause))
    passed = time.monotonic() - begin
    used, own = processor_seconds(site) - used, _own_seconds() - own
    first = [seconds for page in log.first.values() for seconds in page]
    machine, change = Machine(loop, fixed_loop()), 1e3 * used / max(len(log.finished), 1)
    print(
        f"{readers:>7} {len(first):>7} {quantiles(log.opened)}  {quantiles(first)}  "
        f"{quantiles(log.finished)} {len(log.faults):>6} {log.lost:>4} {_memory(site):>7}"
        f"   {used / passed:.2f} + {own / passed:.2f} of {os.cpu_count()} processors, "
        f"{change:.0f} ms of them a change: {machine.ratio(change)} ({machine})",
        flush=True,
    )
    for slug in SLUGS:
        print(f"{'':30} {quantiles(log.first.get(slug, []))}  {slug or 'home'}")
    for fault in sorted(set(log.faults))[:5]:
        print(f"        {fault}")


def report_dragging(site: Site, readers: int, *, seconds: float) -> None:
    """Measure readers who drag for two seconds of every ten, and print one line."""
    log = asyncio.run(lecture(site, readers, seconds=seconds, pause=10, dragging=True))
    print(
        f"{readers} dragging: {len(log.moved)} figures {quantiles(log.moved)}  faults "
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
            await tab.run(seconds=PATIENCE)
            key = sorted(tab.controls)[0]
            grid = tab.grid(key)
            await tab.release(key, grid[number // len(SLUGS) % len(grid)], seconds=PATIENCE)

    await asyncio.gather(*map(visit, sessions))


def _memory(site: Site) -> str:
    return " + ".join(f"{site.memory(port):.0f}" for port in site.ports)


def _own_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


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
    few = {"readers": [1], "dragging": [1], "sessions": 1, "replicas": 1}
    options = parsed(parser, **few, seconds=2, pause=1)
    if options.book:
        for readers in options.readers:
            book.measure(options.book, readers, seconds=options.seconds)
        return
    with _single() if options.single else hosted(options.replicas) as site:
        print(f"memory at first: {_memory(site)} MB")
        print(f"{'':15} {'opened':^13}  {'first figure':^13}  {'last':^13}")
        named = f"{'p50':>6} {'p95':>6}"
        print(f"readers changes {named}  {named}  {named} faults lost      MB")
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
