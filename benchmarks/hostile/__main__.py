"""Attacks on a running app, as one table: python -m benchmarks.hostile; about ten minutes.

links: hostile links to figures. files: hostile files of user data. mill: requests for anything but
what is offered. hoard: the memory that one client has a process take. crowd: an innocent reader
beside readers of the heaviest links, one process and several. rooms: votes that are stuffed, rooms
that are taken, codes that are guessed, and a class that joins beside it. shares: thirty who drag
beside those who ask for too much. readers: what reads texts, fed with bad ones of doubling lengths.
loop: how long the event loop is kept, route by route. one_reader: thirty beside one whose requests
are small and dear. Not unless asked for, as it takes an hour: steps, the longest
step, the longest stretch without a pause and the most memory of every view.
"""

import argparse
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from types import ModuleType

from benchmarks.hostile import (
    crowd,
    files,
    hoard,
    links,
    loop,
    mill,
    one_reader,
    readers,
    rooms,
    row,
    shares,
    steps,
)
from benchmarks.options import parsed
from dpviz.results.folders import ROOT
from tests.support.heavy import HEAVY

PARTS = (
    "links",
    "files",
    "mill",
    "hoard",
    "crowd",
    "rooms",
    "shares",
    "readers",
    "loop",
    "one_reader",
)

# What `--small` makes of the sizes of attacks.
_SMALL: dict[ModuleType, dict[str, object]] = {
    mill: {"_SLOW": 2, "_FLOOD": 2},
    hoard: {"_ROUNDS": 1, "HEAVY": dict(islice(HEAVY.items(), 2))},
    rooms: {"_STUFFED": 2, "_HONEST": 1, "_GUESSES": 2, "_TAKERS": 1, "CLASS": 2, "_BEFORE": 0.1},
    readers: {"_LONGEST": 1000},
    loop: {"_TIMES": 1},
    one_reader: {"_READERS": 1, "_TABS": 1, "_SECONDS": 0.5, "_MOST": 2},
    shares: {"_READERS": 1, "_ATTACKERS": 1, "_DRAG": 0.1, "_REST": 0.1, "_CALM": 0.1},
}


def main() -> None:
    """Try what was asked for, or everything but steps."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hostile", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}, steps")
    parser.add_argument("--links", type=int, default=100)
    parser.add_argument("--only", nargs="*", default=[], help="pages, or page/view, of steps")
    parser.add_argument("--states", type=int, default=40, help="of each view")
    parser.add_argument("--view-seconds", type=float, default=15, help="for the steps of a view")
    parser.add_argument("--seconds", type=float, default=6, help="for a row of the crowd")
    parser.add_argument("--rounds", type=int, default=2, help="of rows without and with attackers")
    parser.add_argument("--replicas", type=int, default=2, help="behind the proxy; 0: only one")
    parser.add_argument("--folder", type=Path, default=ROOT, help="of loop and one_reader")
    few = {"links": 1, "states": 0, "view_seconds": 0, "seconds": 0.5, "rounds": 1, "replicas": 1}
    options = parsed(parser, **few, parts=["links", "steps"], only=["shared_darts/board"])
    for module, sizes in _SMALL.items() if options.small else ():
        vars(module).update(sizes)
    wanted = options.parts or PARTS
    if unknown := set(wanted) - {*PARTS, "steps"}:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    if "steps" in wanted:
        steps.report(options.only, states=options.states, seconds=options.view_seconds)
    found: dict[str, Callable[[], Iterator[row.Row]]] = {
        "links": lambda: links.rows(options.links),
        "files": files.rows,
        "mill": mill.rows,
        "hoard": hoard.rows,
        "crowd": lambda: crowd.rows(options.rounds, options.seconds, replicas=0),
        "crowd behind the proxy": lambda: crowd.rows(
            options.rounds, options.seconds, replicas=options.replicas
        ),
        "rooms": lambda: rooms.rows(max(options.replicas, 1)),
        "shares": lambda: shares.rows(options.seconds * 2, max(options.replicas, 1)),
        "readers": readers.rows,
        "loop": lambda: loop.rows(options.folder),
        "one_reader": lambda: one_reader.rows(max(options.replicas, 1), options.folder),
    }
    asked = [name for name in found if name.split()[0] in wanted]
    if not options.replicas:
        asked = [name for name in asked if name != "crowd behind the proxy"]
    if asked:
        print(row.HEAD, flush=True)
    for name in asked:
        for line in found[name]():
            print(line, flush=True)


if __name__ == "__main__":
    main()
