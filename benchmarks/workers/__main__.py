"""Computations at the desk or in worker processes: python -m benchmarks.workers.

The plain way would be a few worker processes that the server stops when nobody waits any more
(pool.py, worker.py); the way of the app is `dpviz.serve.desk`. Why it stayed, from two runs on two
processors that others used as well, two replicas, medians; desk first, worker processes second:

- Memory is 300 and 400 MB at the start, 600 and 1,190 MB after a hundred readers: each process
  fills the caches of the core for itself, which threads share.
- Who drags waits p50 9 and 11 ms in one run, 16 and 12 in the other. The heaviest links, one after
  the other, take p50 0.25 and 0.32 s each, 15 and 17 s of the processors together, and a hundred
  readers take 57 and 67 s of them: what is won by computing beside the server is lost again by
  caches that are filled in each process.
- Beside ten readers of the heaviest links, one of light ones waits p50 0.2 and 1.2 to 27 s. Nobody
  knows before what a computation will take; once a process has begun a long one, it is taken, while
  a pause of the desk lets a shorter one in.
- After sixteen who left, the next figure takes 0.04 and 8.7 s: a process that was stopped is
  followed by one with empty caches.
- A reader's own data must not leave the process of the session. Rounds of a game and files of user
  data would need the desk and its pauses all the same, and share most of the code that pauses with
  other views.

Both ways are up at once, each behind its own proxy, and are measured in turns, so that what else
the machine does meets both. Processor time and memory are those of all processes of a way; memory
is the share of each in the pages that it uses.
"""

import argparse
import asyncio
import contextlib
import http.client
import itertools
import os
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import numpy as np

from benchmarks.hostile.crowd import HEAVIEST, _attack, _get, _waits
from benchmarks.load.readers import lecture
from benchmarks.options import parsed
from dpviz.scene.codec import encode
from tests.hosting.site import Site, hosted
from tests.support.declarations import SLUGS, first_slider, page
from tests.support.heavy import HEAVY

WAYS = ("desk", "pool")
_CLOCK = os.sysconf("SC_CLK_TCK")
_LEAVERS, _STAYED = 16, 0.3  # clients that leave, and the seconds after which they do

Measured = dict[str, float]
_numbers = itertools.count(1)


def processes(site: Site) -> list[int]:
    """Return the replicas of a site and all processes below them."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        children.setdefault(parent, []).append(int(folder.name))
    found = [site.process(port) for port in site.ports]
    for process in found:
        found += children.get(process, [])
    return found


def processor_seconds(site: Site) -> float:
    """Return the processor time of a site, that of ended processes included."""
    ticks = 0
    for process in processes(site):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # stopped meanwhile
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / _CLOCK


def memory(site: Site) -> float:
    """Return the megabytes of a site; pages that processes share count once."""
    size = 0
    for process in processes(site):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
            size += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return size / 1e3


def moving(site: Site, seconds: float) -> Measured:
    """Have one reader drag the first slider of each page in turn, for so long each."""
    line = http.client.HTTPConnection(urlsplit(site.address).netloc, timeout=120)
    times = []
    for slug in SLUGS:
        declared = page(slug)
        view = declared.views[0]
        usual = {p.key: p.default for p in declared.url_parameters} | {"view": view.key}
        slider = first_slider(slug)
        grid = np.linspace(0.05, 0.95, 400)
        end = time.monotonic() + seconds
        for part in np.resize(grid, 10_000):
            if time.monotonic() > end:
                break
            low, high = slider.limit.minimum, slider.limit.maximum
            value = low * (high / low) ** part if slider.limit.log else low + part * (high - low)
            value *= 1 + 1e-6 * next(_numbers)
            state = usual | {slider.key: int(value) if slider.limit.integer else value}
            query = encode(state, declared.url_parameters) | {"moving": "1"}
            query.pop("view", None)
            begin = time.monotonic()
            line.request("GET", f"/figure/{declared.name}/{view.key}?{urlencode(query)}")
            line.getresponse().read()
            times.append(time.monotonic() - begin)
    line.close()
    return quantiles(times)


def heaviest(site: Site, seconds: float) -> Measured:
    """Have a reader of light figures beside ten readers of the heaviest links."""
    with _attack(site.address, len(HEAVIEST), _numbers):
        return quantiles(_waits(site.address, _numbers, seconds))


def first_figures(site: Site, _: float) -> Measured:
    """Ask for each of the heaviest links once, alone."""
    times = []
    for name in HEAVIEST:
        query = dict(HEAVY[name][0]) | {"seed": next(_numbers)}
        times.append(_get(site.address, f"/figure/{name}?{urlencode(query)}"))
    return quantiles(times)


def leavers(site: Site, seconds: float) -> Measured:
    """Have clients ask for heavy figures straight from a replica, and hang up soon.

    What is measured is how long a reader waits in the five seconds after, and the processor time.
    """
    over = threading.Event()
    address = f"http://127.0.0.1:{site.ports[0]}"

    def leave(place: int) -> None:
        while not over.is_set():
            name = HEAVIEST[place % len(HEAVIEST)]
            query = dict(HEAVY[name][0]) | {"seed": next(_numbers)}
            line = http.client.HTTPConnection(urlsplit(address).netloc, timeout=120)
            line.request("GET", f"/figure/{name}?{urlencode(query)}")
            time.sleep(_STAYED)
            line.close()

    threads = [threading.Thread(target=leave, args=(place,)) for place in range(_LEAVERS)]
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    over.set()
    for thread in threads:
        thread.join()
    used = processor_seconds(site)
    waits = _waits(address, _numbers, 5.0)
    return quantiles(waits) | {"processor s after": processor_seconds(site) - used}


def crowd(readers: int, *, dragging: bool) -> Callable[[Site, float], Measured]:
    """Return a measurement of so many readers who play."""

    def measure(site: Site, seconds: float) -> Measured:
        pause = 10.0 if dragging else 5.0
        log = asyncio.run(lecture(site, readers, seconds=seconds, pause=pause, dragging=dragging))
        first = log.moved if dragging else [s for times in log.first.values() for s in times]
        opened = {} if dragging else {"opened p95": float(np.quantile(log.opened, 0.95))}
        return quantiles(first) | opened | {"figures": len(first), "lost": log.lost}

    return measure


def quantiles(seconds: list[float]) -> Measured:
    """Return the median and the 95th percentile, in seconds."""
    middle, high = np.quantile(seconds, [0.5, 0.95])
    return {"p50": float(middle), "p95": float(high)}


PARTS: dict[str, tuple[Callable[[Site, float], Measured], float]] = {
    "one drags": (moving, 1.5),
    "heaviest links, alone": (first_figures, 0.0),
    "light beside ten heaviest": (heaviest, 8.0),
    "30 drag": (crowd(30, dragging=True), 20.0),
    "100 readers": (crowd(100, dragging=False), 25.0),
    "after 16 leavers": (leavers, 8.0),
}


def main() -> None:
    """Measure and print, a line for each part, round and way; then the medians."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.workers", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--parts", nargs="*", default=list(PARTS), help=f"of {', '.join(PARTS)}")
    parser.add_argument("--share", type=float, default=1, help="of the seconds of each part")
    options = parsed(parser, rounds=1, replicas=1, parts=["one drags"], share=0.01)
    found: dict[tuple[str, str], list[Measured]] = {}
    with ExitStack() as stack:
        sites = {}
        for way in WAYS:
            begin = time.monotonic()
            program = ("benchmarks.workers.serve", way, "hosted")
            sites[way] = stack.enter_context(hosted(options.replicas, program=program))
            up = time.monotonic() - begin
            _waits(sites[way].address, _numbers, 3.0 * options.share)
            print(f"{way}: up after {up:.1f} s, {memory(sites[way]):.0f} MB", flush=True)
        for _ in range(options.rounds):
            for part, way in itertools.product(options.parts, WAYS):
                measure, seconds = PARTS[part]
                used = processor_seconds(sites[way])
                measured = measure(sites[way], options.share * seconds)
                measured |= {
                    "processor s": processor_seconds(sites[way]) - used,
                    "MB": memory(sites[way]),
                }
                found.setdefault((part, way), []).append(measured)
                print(f"{part:28} {way:6} {said(measured)}", flush=True)
    print("\nmedians of the rounds")
    for (part, way), rounds in found.items():
        middle = {key: float(np.median([one[key] for one in rounds])) for key in rounds[0]}
        print(f"{part:28} {way:6} {said(middle)}")


def said(measured: Measured) -> str:
    """Return a line of what was measured."""
    return "  ".join(f"{key} {value:.3g}" for key, value in measured.items())


if __name__ == "__main__":
    main()
