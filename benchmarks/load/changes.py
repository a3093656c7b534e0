"""What a change costs, old and new code in one run: python -m benchmarks.load.changes OLD NEW.

OLD and NEW are checkouts. Each is served as it is hosted, by the environment that this command runs
in, and both are asked the same by turns: so what else runs on the machine touches both alike.

At first there is one reader on every page, and one of them at a time lets go of a slider. Told are
the milliseconds of processor that the server takes for a change, its figure included, and what the
page is sent. Then come readers as in benchmarks.load: told are the seconds until the first figure
stands, median and 95th percentile, of each turn and of all, and the faults: what readers met, and
what the log of the servers tells of them.
"""

import argparse
import asyncio
import statistics
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import indent

import numpy as np

from benchmarks.load.readers import Log, lecture, processor_seconds, quantiles
from benchmarks.machine import Machine, fixed_loop
from benchmarks.options import parsed
from tests.hosting.site import Site, hosted
from tests.hosting.tab import Tab
from tests.support.declarations import SLUGS

_TOLD = 6  # faults of a checkout
_AT_A_TIME = 3  # changes of a page before the next page has its turn


@dataclass(frozen=True)
class Change:
    """What one change took: milliseconds of processor, messages, bytes."""

    milliseconds: float
    messages: float
    size: float


@dataclass
class Row:
    """What a number of readers met, and what they took of the processors."""

    log: Log = field(default_factory=Log)
    seconds: float = 0.0

    @property
    def first(self) -> list[float]:
        """The seconds until each change's first figure."""
        return [seconds for page in self.log.first.values() for seconds in page]

    def __str__(self) -> str:
        cost = 1e3 * self.seconds / max(len(self.log.finished), 1)
        faults = f"{len(self.log.faults)} faults, {self.log.lost} lost"
        return f"{len(self.first):>7} {quantiles(self.first)} {cost:8.0f} ms   {faults}"


def mean(changes: Iterable[Change]) -> Change:
    """Return what a change took on average."""
    rows = [(one.milliseconds, one.messages, one.size) for one in changes]
    return Change(*(statistics.mean(column) for column in zip(*rows, strict=True)))


async def change(site: Site, tab: Tab, rng: np.random.Generator) -> Change:
    """Let go of some slider somewhere."""
    key = str(rng.choice(sorted(tab.controls)))
    text = str(rng.choice(tab.grid(key)))
    before = processor_seconds(site)
    run = await tab.release(key, text)
    return Change(1e3 * (processor_seconds(site) - before), run.messages, run.received)


async def alone(
    sites: Sequence[Site], pages: Sequence[str], rounds: int
) -> dict[str, list[list[Change]]]:
    """Return the changes of every page, for each site a list."""
    seen: dict[str, list[list[Change]]] = {slug: [[] for _ in sites] for slug in pages}
    async with AsyncExitStack() as stack:
        tabs: dict[tuple[str, str], Tab] = {}
        for slug in pages:
            for site in sites:
                tab = await stack.enter_async_context(Tab.at(site.address, slug))
                await tab.run()
                tabs[site.address, slug] = tab
        for number in range(rounds):
            for place, slug in enumerate(pages):
                for site, changes in zip(sites, seen[slug], strict=True):
                    rng = np.random.default_rng([2028, number, place])
                    for _ in range(_AT_A_TIME):
                        changes.append(await change(site, tabs[site.address, slug], rng))
    return seen


def report_changes(sites: Sequence[Site], pages: Sequence[str], rounds: int) -> None:
    """Measure readers who come one after the other; print a line for every page, then the means."""
    seen = asyncio.run(alone(sites, pages, rounds))
    print(f"{'':24}{'ms of processor':>18}{'messages':>18}{'kB':>18}{'new : old':>12}")
    means = {slug or "home": [mean(one) for one in both] for slug, both in seen.items()}
    every = [[one for both in seen.values() for one in both[i]] for i in range(len(sites))]
    for name, both in (means | {"all": [mean(one) for one in every]}).items():
        columns = (
            [f"{one.milliseconds:.0f}" for one in both],
            [f"{one.messages:.0f}" for one in both],
            [f"{one.size / 1e3:.0f}" for one in both],
        )
        ratio = both[1].milliseconds / both[0].milliseconds
        print(f"{name:24}", *(f"{' → '.join(one):>17}" for one in columns), f"{ratio:11.2f}")
    medians = [
        statistics.median(page[i].milliseconds for page in means.values())
        for i in range(len(sites))
    ]
    print(f"{'the median page':24} {' → '.join(f'{one:.0f}' for one in medians):>17}")
    print(f"of {len(every[0])} changes each", flush=True)


def report_readers(
    sites: Sequence[Site], readers: int, *, turns: int, seconds: float, pause: float
) -> None:
    """Measure readers who come by turns; print a line for every turn and site, then for all."""
    rows = [Row() for _ in sites]
    for number in range(turns):
        for name, site, row in zip(("old", "new"), sites, rows, strict=True):
            turn = Row(seconds=-processor_seconds(site))
            turn.log = asyncio.run(lecture(site, readers, seconds=seconds, pause=pause))
            turn.seconds += processor_seconds(site)
            row.log.add(turn.log)
            row.seconds += turn.seconds
            print(f"{readers:>7} {name}, turn {number + 1} {turn}", flush=True)
    for name, site, row in zip(("old", "new"), sites, rows, strict=True):
        print(f"{readers:>7} {name}, all    {row}")
        for fault in [*sorted(set(row.log.faults)), *site.faults()][:_TOLD]:
            print(indent(fault, 8 * " "))
    high = [float(np.quantile(row.first, 0.95)) for row in rows]
    print(f"{readers:>7} p95 of the old code is {high[0] / high[1]:.1f} times the new", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load.changes", description=__doc__)
    parser.add_argument("old", type=Path, help="a checkout")
    parser.add_argument("new", type=Path, help="another checkout")
    parser.add_argument(
        "--only", nargs="*", default=SLUGS, metavar="PAGE", help="of the readers who come alone"
    )
    parser.add_argument("--rounds", type=int, default=6, help="of changes to every page")
    parser.add_argument("--readers", type=int, nargs="*", default=[100, 200])
    parser.add_argument("--turns", type=int, default=2, help="of each number of readers")
    parser.add_argument("--seconds", type=float, default=60, help="how long a turn is")
    parser.add_argument("--pause", type=float, default=5, help="seconds from change to change")
    parser.add_argument("--replicas", type=int, default=2, help="of each checkout")
    few = {"rounds": 1, "readers": [1], "turns": 1, "replicas": 1}
    options = parsed(parser, **few, only=["shared_darts"], seconds=2, pause=1)
    before = fixed_loop()
    with ExitStack() as stack:
        sites = [
            stack.enter_context(hosted(options.replicas, folder=folder.resolve()))
            for folder in (options.old, options.new)
        ]
        if options.rounds:
            report_changes(sites, options.only, options.rounds)
        for readers in options.readers:
            report_readers(
                sites,
                readers,
                turns=options.turns,
                seconds=options.seconds,
                pause=options.pause,
            )
    print(Machine(before, fixed_loop()))


if __name__ == "__main__":
    main()
