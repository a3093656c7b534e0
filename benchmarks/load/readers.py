"""Readers without a browser: how each behaves, and what they met."""

import asyncio
import time
from dataclasses import dataclass, field

import numpy as np
from websockets.exceptions import WebSocketException

from tests.hosting.site import Site
from tests.hosting.tab import Run, Tab
from tests.support.declarations import SLUGS

PATIENCE = 60.0  # seconds after which a reader is said to have lost his page
_PAINT = 0.016  # seconds a browser needs at least from figure to figure


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

    def add(self, other: "Log") -> None:
        """Add what others met."""
        for slug, seconds in other.first.items():
            self.first.setdefault(slug, []).extend(seconds)
        self.opened += other.opened
        self.finished += other.finished
        self.faults += other.faults
        self.moved += other.moved
        self.lost += other.lost


async def read(
    address: str, number: int, log: Log, *, begin: float, end: float, pause: float
) -> None:
    """Be one reader until the end."""
    rng = np.random.default_rng([2026, number])
    due = begin + pause * rng.random()
    await asyncio.sleep(due - time.monotonic())
    try:
        async with Tab.at(address, SLUGS[number % len(SLUGS)]) as tab:
            run = await tab.run(seconds=PATIENCE)
            log.opened.append(run.first_figure or run.finished)
            log.faults += run.faults
            session = tab.session
            while (due := due + pause) < end:
                await asyncio.sleep(max(due - time.monotonic(), 0))
                late = time.monotonic() - due
                key = str(rng.choice(sorted(tab.controls)))
                text = str(rng.choice(tab.grid(key)))
                log.note(tab.slug, await tab.release(key, text, seconds=PATIENCE), late)
                if tab.session != session or tab.values.get(key) != text:
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
            await tab.run(seconds=PATIENCE)
            while time.monotonic() < end:
                key = str(rng.choice(sorted(tab.controls)))
                grid = tab.grid(key)
                log.moved += await move(tab, key, grid, seconds=pause / 5)
                log.note(tab.slug, await tab.release(key, grid[-1], seconds=PATIENCE), 0.0)
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
            drawn = [bool(line.keys() & {"spec", "svg"}) async for line in tab.figure(address)]
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


def processor_seconds(site: Site) -> float:
    """Return the processor time that the replicas of a site have used."""
    return sum(site.processor_seconds(port) for port in site.ports)


def quantiles(seconds: list[float]) -> str:
    """Say the median and the 95th percentile, in seconds."""
    if not seconds:
        return f"{'-':>6} {'-':>6}"
    median, high = np.quantile(seconds, [0.5, 0.95])
    return f"{median:6.2f} {high:6.2f}"
