"""Thirty who drag, beside sixteen who read the heaviest links, and sixty a second who leave.

Through the proxy, from a network of their own and from that of the readers. What is measured is how
long figures of a movement take, before, during and five seconds after the attack.
"""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from urllib.parse import urlencode, urlsplit

import numpy as np

from benchmarks.hostile.crowd import HEAVIEST, moved
from benchmarks.hostile.row import Row
from benchmarks.load.readers import move
from tests.hosting.site import Site, hosted
from tests.hosting.tab import Tab
from tests.support.declarations import SLUGS
from tests.support.heavy import HEAVY

_READERS, _ATTACKERS = 30, 16
_LEAVE, _STAY = 60, 0.3  # a second, and seconds after which they hang up
_DRAG, _REST = 2.0, 8.0  # seconds of each reader
_CALM = 5.0  # seconds after the attack
NETWORKS = {"of their own network": "127.0.0.9", "of the readers' network": "127.0.0.1"}

Attack = Callable[[str, str], Coroutine[object, object, None]]
_numbers = itertools.count(1)


async def _ask(address: str, source: str, seconds: float) -> None:
    """Ask for a heavy figure that nobody has asked for, and read it for so long at most."""
    place, number = urlsplit(address), next(_numbers)
    name = HEAVIEST[number % len(HEAVIEST)]
    query = dict(HEAVY[name][0]) | moved(name, number) | {"seed": number}
    host, port = place.hostname, place.port
    reader, writer = await asyncio.open_connection(host, port, local_addr=(source, 0))
    try:
        head = f"GET /figure/{name}?{urlencode(query)} HTTP/1.1\r\nHost: {place.netloc}\r\n"
        writer.write(f"{head}Connection: close\r\n\r\n".encode())
        async with asyncio.timeout(seconds):
            while await reader.read(65536):
                pass
    finally:
        writer.close()


async def read_on(address: str, source: str) -> None:
    """Be sixteen who read figure after figure to the end."""

    async def one() -> None:
        while True:
            with suppress(OSError, TimeoutError):
                await _ask(address, source, 120.0)

    await asyncio.gather(*(one() for _ in range(_ATTACKERS)))


async def leave(address: str, source: str) -> None:
    """Be sixty a second who hang up soon."""

    async def one() -> None:
        with suppress(OSError, TimeoutError):
            await _ask(address, source, _STAY)

    async with asyncio.TaskGroup() as group:
        while True:
            group.create_task(one())
            await asyncio.sleep(1 / _LEAVE)


@asynccontextmanager
async def _attacked(attack: Attack, address: str, source: str) -> AsyncIterator[None]:
    task = asyncio.create_task(attack(address, source))
    try:
        await asyncio.sleep(2.0)
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _dragged(tabs: list[Tab], seconds: float) -> list[float]:
    """Have every reader drag now and then for so long; return what each figure took."""
    end, times = time.monotonic() + seconds, list[float]()

    async def play(number: int, tab: Tab) -> None:
        rng = np.random.default_rng([2026, number])
        await asyncio.sleep(rng.random() * min(_REST, seconds / 2))
        while time.monotonic() < end:
            key = str(rng.choice(sorted(tab.controls)))
            times.extend(await move(tab, key, tab.grid(key), seconds=_DRAG))
            await asyncio.sleep(_REST)

    await asyncio.gather(*(play(number, tab) for number, tab in enumerate(tabs)))
    return times


async def _phases(site: Site, attack: Attack, source: str, seconds: float) -> list[list[float]]:
    async with AsyncExitStack() as stack:
        tabs = []
        for number in range(_READERS):
            slug = SLUGS[number % len(SLUGS)]
            tab = await stack.enter_async_context(Tab.at(site.address, slug))
            await tab.run()
            tabs.append(tab)
        phases = [await _dragged(tabs, seconds)]
        async with _attacked(attack, site.address, source):
            phases.append(await _dragged(tabs, seconds))
        await asyncio.sleep(_CALM)
        return [*phases, await _dragged(tabs, seconds)]


def rows(seconds: float, replicas: int) -> Iterator[Row]:
    """Yield a row for each attack from each network."""
    attacks: tuple[tuple[str, Attack], ...] = (
        (f"{_ATTACKERS} who read to the end", read_on),
        (f"{_LEAVE} a second who leave after {_STAY} s", leave),
    )
    with hosted(replicas) as site:
        for (name, attack), (whose, source) in itertools.product(attacks, NETWORKS.items()):
            phases = asyncio.run(_phases(site, attack, source, seconds))
            waits = [f"p50 {m:.2f}, p95 {h:.2f}" for m, h in map(_quantiles, phases)]
            yield Row(
                f"{name}, {whose}",
                f"{_READERS} drag, {replicas} processes, {sum(map(len, phases))} figures",
                f"before {waits[0]}; during {waits[1]}; after {waits[2]} s",
            )


def _quantiles(times: list[float]) -> tuple[float, float]:
    middle, high = np.quantile(times, [0.5, 0.95])
    return float(middle), float(high)
