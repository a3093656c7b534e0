"""Attacks that take too long for the tests: python -m benchmarks.hostile links files steps crowd.

links: hostile links to figures. files: hostile files of user data. steps: the longest step and the
most memory of every view. crowd: an innocent reader beside readers of the heaviest links.
"""

import argparse

from benchmarks.hostile import crowd, files, links, steps

PARTS = ("links", "files", "steps", "crowd")


def main() -> None:
    """Try what was asked for, or everything."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hostile", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all unless given")
    parser.add_argument("--links", type=int, default=2000)
    parser.add_argument("--only", nargs="*", default=[], help="pages whose steps are measured")
    parser.add_argument("--states", type=int, default=40, help="of each view")
    parser.add_argument("--seconds", type=float, default=15, help="for a view, and for a row")
    parser.add_argument("--rounds", type=int, default=3, help="of rows without and with attackers")
    parser.add_argument("--replicas", type=int, default=0, help="behind the proxy; 0: one process")
    options = parser.parse_args()
    wanted = options.parts or PARTS
    if unknown := set(wanted) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    if "links" in wanted:
        links.report(options.links)
    if "files" in wanted:
        files.report()
    if "steps" in wanted:
        steps.report(options.only, states=options.states, seconds=options.seconds)
    if "crowd" in wanted:
        crowd.report(rounds=options.rounds, seconds=options.seconds, replicas=options.replicas)


if __name__ == "__main__":
    main()
